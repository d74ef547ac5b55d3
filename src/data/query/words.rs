//! The words of the language, as tables for parsing, printing, completion and help. Their
//! explanations, and the words of other languages, are in `assets/query.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::ast::{Aggregate, ColumnId, TextTarget};
use crate::dataset::PromptMatch;
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::table::{ColumnSource, SampleComparison};
use crate::text::{named_enum, nearest};

type Words = BTreeMap<String, String>;

/// The contents of `assets/query.toml`.
#[derive(Deserialize, Default)]
pub(super) struct QueryWords {
    about: BTreeMap<String, Words>,
    /// Synonyms, with the columns that they can mean.
    pub(super) columns: BTreeMap<String, Vec<String>>,
    pub(super) values: Words,
    /// Operators by kind of field, with their meanings.
    pub(super) signs: BTreeMap<String, Vec<(String, String)>>,
    views: Words,
    /// Units that users write after a number.
    pub(super) units: Vec<String>,
    pub(super) after_fields: Words,
    pub(super) after_texts: Words,
    pub(super) help: Vec<HelpEntries>,
}

/// A section of the help on queries: forms with their meanings, and groups of words that follow.
#[derive(Deserialize)]
pub(super) struct HelpEntries {
    pub(super) title: String,
    #[serde(default)]
    pub(super) entries: Vec<(String, String)>,
    #[serde(default)]
    pub(super) words: Vec<String>,
}

pub(super) static VOCABULARY: LazyLock<QueryWords> =
    LazyLock::new(|| toml::from_str(include_str!("../assets/query.toml")).unwrap_or_default());

/// Returns the meaning of a word in a group of [`QueryWords::about`].
pub(super) fn about(group: &str, word: &str) -> &'static str {
    let words = VOCABULARY.about.get(group);
    words
        .and_then(|words| words.get(word))
        .map_or("", |about| about)
}

/// Prefixes of fields of responses.
pub(super) const VIEWS: &[(&str, Aggregate)] = {
    use Aggregate::{All, Any, At, Gap, Loser, Margin, Max, Mean, Min, Winner};
    &[
        ("a", At(ResponseId::A)),
        ("b", At(ResponseId::B)),
        ("any", Any),
        ("both", All),
        ("winner", Winner),
        ("loser", Loser),
        ("min", Min),
        ("max", Max),
        ("mean", Mean),
        ("gap", Gap),
        ("margin", Margin),
    ]
};

/// Returns the aggregate of a prefix: one of [`VIEWS`], or the letter of a response.
pub(super) fn aggregate(word: &str) -> Option<Aggregate> {
    match &*word.to_lowercase() {
        "all" => Some(Aggregate::All),
        word => meaning(VIEWS, word).or_else(|| ResponseId::of_word(word).map(Aggregate::At)),
    }
}

/// Returns the prefix for a word or its synonym.
pub(super) fn prefix_named(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    VOCABULARY
        .views
        .get(&word)
        .map(String::as_str)
        .or_else(|| aggregate(&word).map(aggregate_word))
}

/// Like [`prefix_named`], but also accepts typos.
pub(super) fn similar_prefix(word: &str) -> Option<&'static str> {
    let nearly = || nearest(&word.to_lowercase(), VIEWS.iter().map(|(view, _)| *view));
    prefix_named(word).or_else(nearly)
}

/// Returns the prefix of an aggregate; empty for [`Aggregate::Same`].
pub(super) fn aggregate_word(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::At(response) => response.word(),
        other => spelling(VIEWS, other),
    }
}

named_enum! {
    /// A key before a colon.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum TermPrefix {
        Prompt "prompt",
        Response "response",
        Quote "quote",
        Title "title",
        Rationale "rationale",
        Best "best",
        Is "is",
        Has "has",
        Cite "cite",
        Note "note",
        Check "check",
        Disagrees DISAGREES,
        Finding "finding",
        Sort "sort",
    }
}

/// The key of terms about differing judgments.
pub(super) const DISAGREES: &str = "disagrees";

impl TermPrefix {
    /// Returns the texts that this key with this prefix searches.
    pub(super) const fn text_target(self, view: Aggregate) -> Option<TextTarget> {
        Some(match self {
            Self::Prompt => TextTarget::Prompt,
            Self::Response => TextTarget::Response(view),
            Self::Quote => TextTarget::Quote(view),
            Self::Title => TextTarget::Title(view),
            Self::Rationale => TextTarget::Rationale,
            _ => return None,
        })
    }

    /// True if a prefix can precede it.
    pub(super) const fn is_of_responses(self) -> bool {
        matches!(
            self,
            Self::Response | Self::Quote | Self::Title | Self::Has | Self::Cite
        )
    }
}

pub(super) const CHECKS: &[(&str, Option<SpotCheckVerdict>)] = &[
    ("right", Some(SpotCheckVerdict::Right)),
    ("wrong", Some(SpotCheckVerdict::Wrong)),
    ("unclear", Some(SpotCheckVerdict::Unclear)),
    ("any", None),
];

/// Lists the possible verdicts on this many responses (at least two), as far as they have letters.
pub(super) fn verdicts(responses: usize) -> Vec<&'static str> {
    let responses = responses.clamp(2, ResponseId::LETTERED);
    ResponseId::first(responses)
        .map(ResponseId::word)
        .chain([Verdict::TIE])
        .collect()
}

/// Lists the words of a column with their meanings, if they are known without reading rows.
/// `responses` is the most that a sample has.
pub(super) fn fixed(
    source: &ColumnSource,
    responses: usize,
) -> Option<Vec<(&'static str, String)>> {
    let about = |word| match ResponseId::of_word(word) {
        Some(response) => format!("{} is the only best response", response.letter()),
        None => "all rated responses are equally good".to_owned(),
    };
    match source {
        ColumnSource::Verdict | ColumnSource::RatedVerdict(_) => {
            let words = verdicts(responses).into_iter();
            Some(words.map(|word| (word, about(word))).collect())
        }
        ColumnSource::Compared(SampleComparison::Overlap(_)) => {
            let ways = PromptMatch::ALL.into_iter().rev();
            Some(
                ways.map(|way| (way.name(), way.about().to_owned()))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// True for words with a meaning in the grammar.
pub(super) fn is_keyword(word: &str) -> bool {
    let in_any_case = ["and", "or", "not", "in"];
    let is_it = |keyword: &str| word.eq_ignore_ascii_case(keyword);
    in_any_case.into_iter().any(is_it) || matches!(word, "none" | "abs")
}

/// Looks up a word.
pub(super) fn meaning<T: Copy>(table: &[(&str, T)], spelled: &str) -> Option<T> {
    table
        .iter()
        .find_map(|(word, means)| (*word == spelled).then_some(*means))
}

/// Returns the word of a value; empty if the table lacks it, as for [`Aggregate::Same`].
pub(super) fn spelling<T: PartialEq + Copy>(table: &[(&'static str, T)], means: T) -> &'static str {
    table
        .iter()
        .find(|(_, it)| *it == means)
        .map_or("", |(word, _)| word)
}

/// Joins words for a message: `a, b or tie`.
pub(super) fn enumerated(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Aggregate {
    /// True if it combines numbers, so it does not apply to texts.
    pub(super) const fn is_made_of_numbers(self) -> bool {
        matches!(
            self,
            Self::Min | Self::Max | Self::Mean | Self::Gap | Self::Margin
        )
    }
}

/// Another name of [`ColumnId::LENGTH`].
pub(super) const LENGTH: &str = "len";

/// Names that need the prefix `label.` or `fact.`, besides those of fields and aggregates.
const RESERVED: [&str; 6] = [LENGTH, "label", "fact", "field", "random", "sort"];

/// Splits a name into its prefix and the rest.
pub(super) fn split_prefix(name: &str) -> (Aggregate, &str) {
    name.split_once('.')
        .and_then(|(view, rest)| Some((aggregate(view)?, rest)))
        .unwrap_or((Aggregate::Same, name))
}

pub(super) fn is_reserved(ident: &str) -> bool {
    RESERVED.contains(&ident)
        || is_keyword(ident)
        || meaning(VIEWS, ident).is_some()
        || TermPrefix::named(ident).is_some()
        || ColumnId::named(ident).is_some()
}

/// Turns a name into an identifier of letters, digits and `_`.
pub(super) fn ident(name: &str) -> String {
    let mut ident: String = name
        .chars()
        .map(|sign| if is_name_sign(sign) { sign } else { '_' })
        .collect();
    if ident.is_empty() || ident.starts_with(|first: char| first.is_ascii_digit()) {
        ident.insert(0, '_');
    }
    ident
}

/// True for characters of names: letters and digits of any script, and `_`.
pub(super) fn is_name_sign(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Returns a distinct identifier for each name: a name that is an identifier keeps it, others get a
/// number appended if needed.
pub(super) fn idents<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut used: BTreeSet<String> = names
        .clone()
        .filter(|name| ident(name) == **name)
        .map(str::to_owned)
        .collect();
    let mut unused = |name: &str| {
        let plain = ident(name);
        if plain == name || used.insert(plain.clone()) {
            return plain;
        }
        let numbered = (2..).map(|number: usize| format!("{plain}_{number}"));
        { numbered }
            .find(|ident| used.insert(ident.clone()))
            .unwrap_or(plain)
    };
    names.map(&mut unused).collect()
}

/// True if this character ends a word.
pub(super) fn ends_word(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '(' | ')' | '"')
}

/// Returns the position of the first colon or comparison operator in a word.
pub(super) fn sign_in(word: &str) -> Option<usize> {
    word.char_indices()
        .find(|&(at, sign)| is_sign(sign) || word[at..].starts_with("!="))
        .map(|(at, _)| at)
}

pub(super) const fn is_sign(sign: char) -> bool {
    matches!(sign, ':' | '=' | '<' | '>' | '≠' | '≤' | '≥')
}
