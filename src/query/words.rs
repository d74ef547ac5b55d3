//! The words of the language, as tables: what reads them, prints them, completes them and explains
//! them looks here.

use super::ast::{Aggregate, CitationTest, Feature};
use super::synonyms::{SIGNS_OF_SQL, VIEW_WORDS};
use crate::dataset::PromptMatch;
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::table::{ColumnId, ColumnKind, ColumnSource, Requirement, SampleComparison};
use crate::text::nearest;

/// A word of the language.
pub(super) struct Keyword<T: 'static> {
    pub(super) spelled: &'static str,
    pub(super) means: T,
    pub(super) about: &'static str,
}

const fn word<T>(spelled: &'static str, means: T, about: &'static str) -> Keyword<T> {
    Keyword {
        spelled,
        means,
        about,
    }
}

/// What can stand before a field of a response, with a dot.
pub(super) const VIEWS: &[Keyword<Aggregate>] = &[
    word(
        "a",
        Aggregate::At(ResponseId::A),
        "of response A; likewise b. and, of samples with more, c. to z.",
    ),
    word("b", Aggregate::At(ResponseId::B), "of response B"),
    word(
        "any",
        Aggregate::Any,
        "of at least one response, whichever the rest of the query speaks of",
    ),
    word(
        "both",
        Aggregate::All,
        "of both responses, and there are two; of more, of all, and all. says the same",
    ),
    word("winner", Aggregate::Winner, "of the only best response"),
    word("loser", Aggregate::Loser, "of the only worst response"),
    word("min", Aggregate::Min, "the smallest of the values"),
    word("max", Aggregate::Max, "the greatest of the values"),
    word("mean", Aggregate::Mean, "the mean of the values"),
    word("gap", Aggregate::Gap, "the greatest value minus the least"),
    word(
        "margin",
        Aggregate::Margin,
        "the value of A minus the value of B; of more, the greatest minus the next lower one",
    ),
];

/// The aggregate that a word before a dot stands for: one of [`VIEWS`], or the letter of a response.
pub(super) fn aggregate(word: &str) -> Option<Aggregate> {
    match &*word.to_lowercase() {
        "all" => Some(Aggregate::All),
        word => meaning(VIEWS, word).or_else(|| ResponseId::of_word(word).map(Aggregate::At)),
    }
}

/// The view that somebody may mean by a word that is none: one of [`VIEWS`].
pub(super) fn view_meant(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let other = VIEW_WORDS.iter().find(|(other, _)| *other == word);
    let views = VIEWS.iter().map(|view| view.spelled);
    other
        .map(|(_, view)| *view)
        .or_else(|| nearest(&word, views))
}

/// The view that somebody means who writes a word as a function.
pub(super) fn view_called(word: &str) -> Option<&str> {
    if word.len() > 1 && aggregate(word).is_some() {
        return Some(word);
    }
    let other = VIEW_WORDS.iter().find(|(other, _)| *other == word);
    other.map(|(_, view)| *view)
}

/// What stands behind a field in the place of a word of SQL, in either case.
pub(super) fn sign_of_sql(word: &str) -> Option<&'static str> {
    let known = SIGNS_OF_SQL.iter();
    let mut known = known.filter(|(sql, _)| sql.eq_ignore_ascii_case(word));
    known.next().map(|(_, ours)| *ours)
}

/// How an aggregate is spelled; empty for [`Aggregate::Same`].
pub(super) fn aggregate_word(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::At(response) => response.word(),
        other => spelling(VIEWS, other),
    }
}

/// What begins a term with a colon and is no field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TermPrefix {
    Prompt,
    Response,
    Quote,
    Title,
    Rationale,
    Best,
    Is,
    Has,
    Cite,
    Note,
    Check,
    Disagrees,
    Finding,
    Sort,
}

/// What stands before whose judgments differ, and a colon.
pub(super) const DISAGREES: &str = "disagrees";

impl TermPrefix {
    /// Whether a view can stand before it.
    pub(super) const fn is_of_responses(self) -> bool {
        matches!(
            self,
            Self::Response | Self::Quote | Self::Title | Self::Has | Self::Cite
        )
    }
}

pub(super) const KEYS: &[Keyword<TermPrefix>] = &[
    word("prompt", TermPrefix::Prompt, "a text in the prompt"),
    word("response", TermPrefix::Response, "a text in the response"),
    word(
        "quote",
        TermPrefix::Quote,
        "a text in a quote of the response",
    ),
    word(
        "title",
        TermPrefix::Title,
        "a text in the title of a quote of the response",
    ),
    word(
        "rationale",
        TermPrefix::Rationale,
        "a text in what was written about the responses: why one is better, critiques, feedback",
    ),
    word(
        "best",
        TermPrefix::Best,
        "the response of this letter is among the best",
    ),
    word("is", TermPrefix::Is, "what kind of sample it is"),
    word(
        "has",
        TermPrefix::Has,
        "what is in the response, or what reviewers gave the sample",
    ),
    word(
        "cite",
        TermPrefix::Cite,
        "how the response cites its quotes",
    ),
    word("note", TermPrefix::Note, "a text in a note of a reviewer"),
    word(
        "check",
        TermPrefix::Check,
        "what a reviewer says of what the dataset says of it",
    ),
    word(
        DISAGREES,
        TermPrefix::Disagrees,
        "judgments that differ: with the dataset, among reviewers, with one of them",
    ),
    word(
        "finding",
        TermPrefix::Finding,
        "a rule of findings fires: what is suspicious",
    ),
    word(
        "sort",
        TermPrefix::Sort,
        "by what to sort; - before it turns the order round",
    ),
];

/// What can stand behind `is:`: the flags of the table of columns, those of joined files where there
/// are any.
pub(super) fn flags(has_joined_files: bool) -> Vec<Keyword<ColumnId>> {
    let flag = |column: ColumnId| {
        let spelled = column.name.strip_prefix(IS)?;
        let is_there = has_joined_files || column.requires != Requirement::JoinedFiles;
        let is_flag = column.kind == ColumnKind::Flag && is_there;
        Some(word(spelled, column, column.about)).filter(|_| is_flag)
    };
    ColumnId::built_in().filter_map(flag).collect()
}

/// What flags begin with.
const IS: &str = "is:";

/// Those of a response stand before those of the sample.
pub(super) const FEATURES: &[Keyword<Feature>] = &[
    word("code", Feature::Code, "a fenced code block"),
    word("hidden", Feature::Hidden, "characters that do not show"),
    word(
        "othertokens",
        Feature::OtherTokens,
        "completion tokens that are not the answer",
    ),
    word("note", Feature::Note, "a note of a reviewer"),
    word("tag", Feature::Tag, "a tag of a reviewer"),
];

/// What can stand behind `has:` with this view before it.
pub(super) fn features(view: Aggregate) -> &'static [Keyword<Feature>] {
    let end = match view {
        Aggregate::Same => FEATURES.len(),
        _ => FEATURES.partition_point(|feature| feature.means.is_of_responses()),
    };
    &FEATURES[..end]
}

impl Feature {
    /// Whether a response has it, rather than the sample.
    pub(super) const fn is_of_responses(self) -> bool {
        match self {
            Self::Code | Self::Hidden | Self::OtherTokens => true,
            Self::Note | Self::Tag => false,
        }
    }
}

pub(super) const CITINGS: &[Keyword<CitationTest>] = &[
    word(
        "dangling",
        CitationTest::Dangling,
        "cites a quote that it does not have",
    ),
    word(
        "unused",
        CitationTest::Unused,
        "has a quote that it does not cite",
    ),
];

/// What can stand behind `check:`.
pub(super) const CHECKS: &[Keyword<Option<SpotCheckVerdict>>] = &[
    word(
        SpotCheckVerdict::Right.word(),
        Some(SpotCheckVerdict::Right),
        "a reviewer says that what the dataset says of it is right",
    ),
    word(
        SpotCheckVerdict::Wrong.word(),
        Some(SpotCheckVerdict::Wrong),
        "a reviewer says that it is wrong",
    ),
    word(
        SpotCheckVerdict::Unclear.word(),
        Some(SpotCheckVerdict::Unclear),
        "a reviewer says that it cannot be told",
    ),
    word("any", None, "a reviewer says any of these"),
];

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

/// How other languages write what is written otherwise here.
pub(super) const FOREIGN: &[(&str, &str)] = &[
    ("&&", "a blank, or `and`"),
    ("&", "a blank, or `and`"),
    ("AND", "a blank, or `and`"),
    ("||", "`or`"),
    ("|", "`or`"),
    ("OR", "`or`"),
    ("NOT", "`not`"),
    ("!", "`not`"),
];

/// Words that join or begin other things, in lower case only.
pub(super) const KEYWORDS: [&str; 6] = ["and", "or", "not", "in", "none", "abs"];

/// What a word means.
pub(super) fn meaning<T: Copy>(table: &[Keyword<T>], spelled: &str) -> Option<T> {
    table
        .iter()
        .find(|word| word.spelled == spelled)
        .map(|word| word.means)
}

/// How something is spelled; empty where the table does not have it, as for [`Aggregate::Same`].
pub(super) fn spelling<T: PartialEq + Copy>(table: &[Keyword<T>], means: T) -> &'static str {
    table
        .iter()
        .find(|word| word.means == means)
        .map_or("", |word| word.spelled)
}

/// The words of a table, for a message.
pub(super) fn listed<T>(table: &[Keyword<T>]) -> String {
    enumerated(&table.iter().map(|word| word.spelled).collect::<Vec<_>>())
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
