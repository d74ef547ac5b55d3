//! The words of the language, as tables: what reads them, prints them, completes them and explains
//! them looks here. What they mean for people, and what people write in their place, is in
//! `assets/query.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ast::{Aggregate, CitationTest, Expr, Feature, TextTarget};
use super::catalog::Catalog;
use crate::dataset::PromptMatch;
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::table::{ColumnId, ColumnKind, ColumnSource, Requirement, SampleComparison};
use crate::text::{named_enum, nearest};

type Words = BTreeMap<String, String>;

/// `assets/query.toml`.
#[derive(Deserialize, Default)]
pub(super) struct QueryWords {
    about: BTreeMap<String, Words>,
    /// Words for a column, and the columns that each may mean.
    pub(super) columns: BTreeMap<String, Vec<String>>,
    pub(super) values: Words,
    /// Signs after a field, by what it is, with what they mean.
    pub(super) signs: BTreeMap<String, Vec<(String, String)>>,
    views: Words,
    pub(super) units: Units,
    pub(super) after_fields: Words,
    pub(super) after_texts: Words,
    pub(super) help: Vec<HelpEntries>,
}

/// Units that people write after a number, each with the number that it multiplies with.
#[derive(Deserialize, Default)]
pub(super) struct Units {
    /// With a blank before them or without: characters of a length.
    of_lengths: BTreeMap<String, f64>,
    /// Directly after any number.
    glued: BTreeMap<String, f64>,
}

/// A unit.
pub(super) struct Unit {
    pub(super) factor: f64,
    /// Whether it is one only directly after a number.
    pub(super) is_glued: bool,
}

impl Units {
    /// The unit that a word is in any case, if any.
    pub(super) fn of(&self, word: &str) -> Option<Unit> {
        let word = word.to_lowercase();
        let found = |units: &BTreeMap<String, f64>, is_glued| {
            units.get(&word).map(|&factor| Unit { factor, is_glued })
        };
        found(&self.of_lengths, false).or_else(|| found(&self.glued, true))
    }
}

/// A section of the help on queries: forms and their meanings, and the groups of words behind them.
#[derive(Deserialize)]
pub(super) struct HelpEntries {
    pub(super) title: String,
    #[serde(default)]
    pub(super) entries: Vec<(String, String)>,
    #[serde(default)]
    pub(super) words: Vec<String>,
}

pub(super) static VOCABULARY: LazyLock<QueryWords> =
    LazyLock::new(|| toml::from_str(include_str!("../../assets/query.toml")).unwrap_or_default());

/// What a word of a group of [`QueryWords::about`] means.
pub(super) fn about(group: &str, word: &str) -> &'static str {
    let words = VOCABULARY.about.get(group);
    words
        .and_then(|words| words.get(word))
        .map_or("", |about| about)
}

/// What can stand before a field of a response, with a dot.
pub(super) const VIEWS: &[(&str, Aggregate)] = &[
    ("a", Aggregate::At(ResponseId::A)),
    ("b", Aggregate::At(ResponseId::B)),
    ("any", Aggregate::Any),
    ("both", Aggregate::All),
    ("winner", Aggregate::Winner),
    ("loser", Aggregate::Loser),
    ("min", Aggregate::Min),
    ("max", Aggregate::Max),
    ("mean", Aggregate::Mean),
    ("gap", Aggregate::Gap),
    ("margin", Aggregate::Margin),
];

/// The aggregate that a word before a dot stands for: one of [`VIEWS`], or the letter of a response.
pub(super) fn aggregate(word: &str) -> Option<Aggregate> {
    match &*word.to_lowercase() {
        "all" => Some(Aggregate::All),
        word => meaning(VIEWS, word).or_else(|| ResponseId::of_word(word).map(Aggregate::At)),
    }
}

/// The view that a word is, or that people mean by it.
pub(super) fn view_named(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let other = VOCABULARY.views.get(&word).map(String::as_str);
    other.or_else(|| aggregate(&word).map(aggregate_word))
}

/// The same, or one of [`VIEWS`] that is spelled nearly so.
pub(super) fn view_meant(word: &str) -> Option<&'static str> {
    let nearly = || nearest(&word.to_lowercase(), VIEWS.iter().map(|(view, _)| *view));
    view_named(word).or_else(nearly)
}

/// How an aggregate is spelled; empty for [`Aggregate::Same`].
pub(super) fn aggregate_word(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::At(response) => response.word(),
        other => spelling(VIEWS, other),
    }
}

named_enum! {
    /// What begins a term with a colon and is no field.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum TermPrefix {
        Prompt = "prompt",
        Response = "response",
        Quote = "quote",
        Title = "title",
        Rationale = "rationale",
        Best = "best",
        Is = "is",
        Has = "has",
        Cite = "cite",
        Note = "note",
        Check = "check",
        Disagrees = DISAGREES,
        Finding = "finding",
        Sort = "sort",
    }
}

/// What stands before whose judgments differ, and a colon.
pub(super) const DISAGREES: &str = "disagrees";

impl TermPrefix {
    /// The part of a sample in which a text after this key, with this view before it, is looked
    /// for.
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

    /// Whether a view can stand before it.
    pub(super) const fn is_of_responses(self) -> bool {
        matches!(
            self,
            Self::Response | Self::Quote | Self::Title | Self::Has | Self::Cite
        )
    }
}

pub(super) const FEATURES: &[(&str, Feature)] = &[
    ("code", Feature::Code),
    ("hidden", Feature::Hidden),
    ("othertokens", Feature::OtherTokens),
    ("note", Feature::Note),
    ("tag", Feature::Tag),
];

impl Feature {
    /// Whether a response has it, rather than the sample.
    pub(super) const fn is_of_responses(self) -> bool {
        match self {
            Self::Code | Self::Hidden | Self::OtherTokens => true,
            Self::Note | Self::Tag => false,
        }
    }
}

pub(super) const CITINGS: &[(&str, CitationTest)] = &[
    ("dangling", CitationTest::Dangling),
    ("unused", CitationTest::Unused),
];

pub(super) const CHECKS: &[(&str, Option<SpotCheckVerdict>)] = &[
    (
        SpotCheckVerdict::Right.word(),
        Some(SpotCheckVerdict::Right),
    ),
    (
        SpotCheckVerdict::Wrong.word(),
        Some(SpotCheckVerdict::Wrong),
    ),
    (
        SpotCheckVerdict::Unclear.word(),
        Some(SpotCheckVerdict::Unclear),
    ),
    ("any", None),
];

/// One of the words after `is:` or the like.
pub(super) struct Choice {
    pub(super) spelled: String,
    pub(super) about: String,
    /// The whole term.
    pub(super) term: Expr,
}

impl Catalog {
    /// What can follow a key with this view before it; nothing after those of texts.
    pub(super) fn choices(&self, view: Aggregate, key: TermPrefix) -> Vec<Choice> {
        let choice = |spelled: &str, about: &str, term| Choice {
            spelled: spelled.to_owned(),
            about: about.to_owned(),
            term,
        };
        match key {
            TermPrefix::Best => ResponseId::first(self.responses().max(2))
                .map(|it| choice(it.word(), "is among the best", Expr::Best(it)))
                .collect(),
            TermPrefix::Is => ColumnId::built_in()
                .filter(|it| self.has_joined_files() || it.requires != Requirement::JoinedFiles)
                .filter(|it| it.kind == ColumnKind::Flag)
                .filter_map(|it| Some(choice(it.name.strip_prefix("is:")?, it.about, Expr::Is(it))))
                .collect(),
            TermPrefix::Has => (FEATURES.iter())
                .filter(|(_, it)| view == Aggregate::Same || it.is_of_responses())
                .map(|(word, it)| choice(word, about("has", word), Expr::Has(view, *it)))
                .collect(),
            TermPrefix::Cite => (CITINGS.iter())
                .map(|(word, it)| choice(word, about("cite", word), Expr::Cites(view, *it)))
                .collect(),
            TermPrefix::Check => (CHECKS.iter())
                .map(|(word, it)| choice(word, about("check", word), Expr::Check(*it)))
                .collect(),
            TermPrefix::Disagrees => (self.disagreements().into_iter())
                .filter_map(|(word, about)| Some(choice(&word, &about, self.disagreement(&word)?)))
                .collect(),
            TermPrefix::Finding => (self.rules().rules.iter())
                .map(|it| {
                    let sentence = &it.definition.sentence;
                    choice(it.name(), sentence, Expr::Finding(it.clone()))
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// What the verdict on so many responses can be, at least two; of those without a letter none.
pub(super) fn verdicts(responses: usize) -> Vec<&'static str> {
    let responses = responses.clamp(2, ResponseId::LETTERED);
    let letters = ResponseId::first(responses).map(ResponseId::word);
    letters.chain([Verdict::TIE]).collect()
}

/// The words that a column of samples with so many responses can have and what each means, where
/// they are known before any row is read.
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
                ways.map(|way| (way.word(), way.about().to_owned()))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// Whether a word joins or begins other things, or begins with what does.
pub(super) fn is_keyword(word: &str) -> bool {
    let in_any_case = ["and", "or", "not", "in"];
    let is_it = |keyword: &str| word.eq_ignore_ascii_case(keyword);
    in_any_case.into_iter().any(is_it) || matches!(word, "none" | "abs")
}

/// What a word means.
pub(super) fn meaning<T: Copy>(table: &[(&str, T)], spelled: &str) -> Option<T> {
    let mut table = table.iter();
    table.find_map(|(word, means)| (*word == spelled).then_some(*means))
}

/// How something is spelled; empty where the table does not have it, as for [`Aggregate::Same`].
pub(super) fn spelling<T: PartialEq + Copy>(table: &[(&'static str, T)], means: T) -> &'static str {
    let mut table = table.iter();
    table
        .find(|(_, it)| *it == means)
        .map_or("", |(word, _)| word)
}

/// Words for a message: `a, b or tie`.
pub(super) fn enumerated(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Aggregate {
    /// Whether it makes a number of two, so that there is no text of it.
    pub(super) const fn is_made_of_numbers(self) -> bool {
        matches!(
            self,
            Self::Min | Self::Max | Self::Mean | Self::Gap | Self::Margin
        )
    }
}
