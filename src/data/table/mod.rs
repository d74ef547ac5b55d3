//! Columns: every value that data has or that is computed from it, with name, level, kind and
//! meaning.
//!
//! A [`ColumnDef`] describes a column to all readers of its values: the query language, completion
//! and help, the sort menu, the list, blind review, and counting during scans. Schemas describe
//! columns for labels and facts; the table has the columns of every dataset. A [`ColumnId`] is a
//! handle to either. Independent of JSON, files and screens.

mod built_in;
mod column_id;
mod field_source;
mod path;
mod values;

pub use built_in::CountedColumns;
use built_in::{NO_SORT, SORT};
pub use column_id::{ColumnId, DisagreementScope, Rater, Raters};
pub use field_source::{FieldForm, FieldSource, NonNumbers, flag, is_date, plain_number};
pub use path::Path;
pub(crate) use values::WordList;
pub use values::{AnnotationColumn, ColumnData, Values, WordColumn};

use crate::model::{ResponseId, Role, Verdict};

/// What has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Each sample.
    Sample,
    /// Each response.
    Response,
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A whole number that is a rating.
    Label,
    /// Any number that is a rating.
    Score,
    /// A number that is counted or measured.
    Count,
    /// A word.
    Word,
    /// Any number of words, which have no order.
    Words,
    /// True or false.
    Flag,
}

impl ColumnKind {
    /// True if values are numbers.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Label | Self::Score | Self::Count)
    }
}

/// What values would reveal to a blind reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reveals {
    /// Nothing: it is visible in the texts, or not a secret.
    Nothing,
    /// Not the sample's annotation, but which response is on which side.
    WhichResponse,
    /// The annotation of the responses, or the position of their rows.
    Label,
}

/// Description of a column, independent of a dataset.
#[derive(Debug)]
pub struct ColumnDef {
    /// Its name in the schema or in queries.
    pub name: &'static str,
    /// What has its values.
    pub level: Level,
    /// Its kind. For ratings, a schema may be more precise ([`Column::kind`]).
    pub kind: ColumnKind,
    /// Its meaning; empty if a schema has it.
    pub about: &'static str,
    /// What it reveals to a blind reviewer.
    pub reveals: Reveals,
    /// Prefixes under which it is in the sort menu; empty if it is not.
    pub in_sort_menu: &'static [Aggregate],
    /// What a schema must have for its rows to have values.
    pub requires: Requirement,
    /// Source of its values.
    pub source: ColumnSource,
}

impl ColumnDef {
    /// Creates the description of a column of a schema, a joined file or a reviewer.
    fn described(source: ColumnSource, name: &'static str) -> Self {
        let (level, kind, in_sort_menu): (_, _, &'static [_]) = match &source {
            ColumnSource::Label => (
                Level::Response,
                ColumnKind::Score,
                &[Aggregate::Same, Aggregate::Gap],
            ),
            ColumnSource::JoinedLabel => (
                Level::Response,
                ColumnKind::Score,
                &[Aggregate::Same, Aggregate::Margin],
            ),
            ColumnSource::Rated(_) | ColumnSource::Annotations => {
                (Level::Response, ColumnKind::Score, NO_SORT)
            }
            ColumnSource::Fact => (Level::Sample, ColumnKind::Word, SORT),
            ColumnSource::Field(field) => {
                let kind = field.form.kind();
                let is_sorted = kind != ColumnKind::Words;
                (field.level, kind, if is_sorted { SORT } else { NO_SORT })
            }
            ColumnSource::RatedVerdict(_) => (Level::Sample, ColumnKind::Word, NO_SORT),
            _ => (Level::Sample, ColumnKind::Score, SORT),
        };
        Self {
            name,
            level,
            kind,
            about: "",
            reveals: match source {
                // Reviewers know their own values, but not which response of the file has them.
                ColumnSource::Rated(Raters::One(Rater::Own)) => Reveals::WhichResponse,
                // A fact may be the name of the model that wrote A.
                _ => Reveals::Label,
            },
            in_sort_menu,
            requires: Requirement::Nothing,
            source,
        }
    }
}

/// A column of a dataset.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its handle.
    pub id: ColumnId,
    /// The kind of its values.
    pub kind: ColumnKind,
    /// Minimum and maximum, inclusive; `None` if it has no bounds.
    pub range: Option<[f64; 2]>,
    /// Its meaning in this dataset; can be empty.
    pub about: String,
    /// What it reveals to a blind reviewer. A schema can release a fact.
    pub reveals: Reveals,
}

/// What a schema must have for its rows to have values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing.
    Nothing,
    /// Paths of quotes.
    Quotes,
    /// Files joined to the dataset.
    JoinedFiles,
    /// Raters beside the verdict: of the schema, or joined files.
    Raters,
    /// Annotators' votes.
    Votes,
}

/// Source of a column's values.
#[derive(Debug)]
pub enum ColumnSource {
    /// A label or score of the schema.
    Label,
    /// The annotators' values of a label of the schema.
    Annotations,
    /// A fact of the schema.
    Fact,
    /// A field of the records that is not in the schema; read on demand.
    Field(Box<FieldSource>),
    /// A label or score of a joined file.
    JoinedLabel,
    /// What a joined file says who wins: A's margin, or a code of the verdict.
    JoinedVerdict,
    /// What a rater of the schema says who wins: A's margin.
    Rater,
    /// Reviewers' values of the label that has the column's name.
    Rated(Raters),
    /// One reviewer's verdict.
    RatedVerdict(Rater),
    /// The largest distance between judgments of a sample, in steps of a label; for verdicts 1
    /// between a tie and a winner, 2 between different winners. Missing if no two judgments are
    /// about the same thing.
    Disagreement(DisagreementScope),
    /// Counted for each response while rows are scanned.
    Response(CountOfResponse),
    /// Counted for each prompt while rows are scanned.
    Prompt(CountOfPrompt),
    /// Counted in the texts of each response; read on demand.
    ResponseText(CountOfText),
    /// Counted in the rationales of each response; read on demand.
    RationaleText(CountOfText),
    /// Counted in all texts of a sample together; read on demand.
    SampleText(fn(&SampleTexts) -> u32),
    /// A 32-bit hash of the prompt; read on demand.
    PromptId,
    /// Counted for each response by comparison with the others of its sample; read on demand.
    AmongResponses(fn(&SampleTexts) -> Vec<u32>),
    /// Number of the row in its file.
    Row,
    /// Number of the physical line in its file.
    Line,
    /// Number of the sample.
    Sample,
    /// Name of the file.
    File,
    /// A's margin, stated or by the deciding label.
    Margin,
    /// The winner, stated or by the deciding label.
    Verdict,
    /// Number of raters that contradict the dataset's verdict.
    Contradictions,
    /// Number of raters with a verdict.
    RaterVerdictCount,
    /// Number of annotators who vote.
    Votes,
    /// Number of annotators who vote for the response.
    VotesFor,
    /// Number of annotators who consider no response worth comparing.
    ExcludedVotes,
    /// Computed from other values of the samples.
    Flag(fn(&dyn SampleLists) -> Vec<bool>),
    /// Result of comparing all samples with each other; computed on demand.
    Compared(SampleComparison),
    /// Computed from the findings' rules that fire.
    Findings(FindingNumber),
    /// Reviewers' acts.
    Review(ReviewValue),
    /// A flag found by reading the texts of a response.
    Text(TextFlag),
}

impl ColumnSource {
    /// True if values come from a joined file.
    pub const fn is_joined(&self) -> bool {
        matches!(self, Self::JoinedLabel | Self::JoinedVerdict)
    }

    /// True if values are the margins of a rater: a joined file, or one of the schema.
    pub const fn is_of_rater(&self) -> bool {
        matches!(self, Self::JoinedVerdict | Self::Rater)
    }

    /// True if rows must be read again for values, which takes seconds for a large file.
    pub const fn reads_texts(&self) -> bool {
        matches!(
            self,
            Self::Field(_)
                | Self::ResponseText(_)
                | Self::RationaleText(_)
                | Self::SampleText(_)
                | Self::PromptId
                | Self::AmongResponses(_)
        )
    }

    /// Returns its field, if it is one that is not in the schema.
    pub const fn field(&self) -> Option<&FieldSource> {
        match self {
            Self::Field(field) => Some(field),
            _ => None,
        }
    }

    /// True if values are only computed on demand.
    pub const fn is_found_on_demand(&self) -> bool {
        self.reads_texts() || matches!(self, Self::Findings(_))
    }

    /// True if values are positions rather than properties, so that counting equal ones is useless.
    pub const fn is_place(&self) -> bool {
        matches!(
            self,
            Self::Row
                | Self::Line
                | Self::Sample
                | Self::PromptId
                | Self::Compared(SampleComparison::OverlapWith(_))
        )
    }

    /// True if values depend on samples of other files.
    pub const fn is_across_files(&self) -> bool {
        matches!(
            self,
            Self::Compared(
                SampleComparison::Overlap(OverlapScope::OtherFile)
                    | SampleComparison::OverlapWith(OverlapScope::OtherFile)
            )
        )
    }

    /// Returns the comparison of samples that values need.
    pub const fn comparison(&self) -> Option<SampleComparison> {
        match self {
            Self::Compared(comparison) => Some(*comparison),
            _ => None,
        }
    }
}

/// What comparing all samples with each other finds for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleComparison {
    /// True if another sample has the same prompt and responses, with any labels.
    Duplicate,
    /// The strongest match between its prompt and another sample's.
    Overlap(OverlapScope),
    /// The number of that other sample, from 1.
    OverlapWith(OverlapScope),
    /// True if another sample has the same prompt and responses but another winner.
    Contradicted,
    /// True if one of its responses to the same prompt has another label elsewhere.
    Relabelled,
}

impl SampleComparison {
    /// True if prompts are compared; otherwise, responses with their annotations.
    pub const fn is_of_prompts(&self) -> bool {
        matches!(self, Self::Overlap(_) | Self::OverlapWith(_))
    }
}

/// Where the other sample with the same prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapScope {
    /// In the same file.
    SameFile,
    /// In another file of the dataset.
    OtherFile,
}

/// A number computed from the rules that fire on a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingNumber {
    /// The number of rules.
    Count,
    /// The sum of their weights.
    Suspicion,
}

/// What reviewers did with a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewValue {
    /// True if a reviewer marked it.
    Marked,
    /// True if a reviewer rated it.
    Rated,
    /// Its tags.
    Tags,
    /// Its notes.
    Notes,
}

/// A property of the texts of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextFlag {
    /// A fenced code block.
    Code,
    /// Invisible characters in the response or its quotes; without a prefix, in the prompt too.
    Hidden,
    /// A citation of a quote that it does not have.
    Dangling,
    /// A quote that it does not cite.
    Unused,
}

/// Counts something of a response.
pub type CountOfResponse = fn(&ResponseCounts) -> u32;
/// Counts something of a prompt.
pub type CountOfPrompt = fn(&PromptCounts) -> u32;
/// Counts something in the texts of a response (one, or one for each turn), or in the turns of a
/// prompt, in order.
pub type CountOfText = fn(&[String]) -> u32;

/// The texts of a sample, as in the file (not sanitised).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleTexts {
    /// The turns of the prompt, with their roles.
    pub prompt: Vec<(Role, String)>,
    /// The texts of each response: one, or one for each of its turns.
    pub responses: Vec<Vec<String>>,
    /// Who speaks last in each response.
    pub last_speakers: Vec<Role>,
    /// The rationales of each response.
    pub rationales: Vec<Vec<String>>,
}

/// Counts of a response, taken while rows are scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResponseCounts {
    /// Characters (Unicode scalar values) of its text.
    pub characters: u32,
    /// Lines of its text, empty ones included.
    pub lines: u32,
    /// Number of quotes.
    pub quotes: u32,
}

/// Counts of a prompt, taken while rows are scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptCounts {
    /// Characters (Unicode scalar values) of all turns.
    pub characters: u32,
    /// Number of turns.
    pub turns: u32,
}

/// Inputs of flags: lists with an entry for each sample of a range, so that one loop computes a
/// flag for all.
pub trait SampleLists {
    /// Number of responses; 0 for a malformed row.
    fn responses(&self) -> &[u16];
    /// The verdicts, if stated.
    fn verdicts(&self) -> Vec<Option<Verdict>>;
    /// True if a row was read leniently or has an invalid value; false for malformed rows.
    fn read_warnings(&self) -> &[bool];
    /// True if a joined file has nothing about the sample; false for malformed rows.
    fn unmatched(&self) -> Vec<bool>;
    /// Number of annotators who vote for the response at an index. NaN for malformed rows, if there
    /// is no such response, and if files have no votes.
    fn votes_for(&self, response: usize) -> Vec<f64>;
    /// The numbers of a column of samples; NaN if missing.
    fn numbers(&self, id: ColumnId) -> Vec<f64>;
}

/// Returns the whole numbers of a range (minimum and maximum) if reviewers can enter them: at least
/// two and, with one key for each, at most ten.
pub fn rating_range([low, high]: [f64; 2]) -> Option<[i64; 2]> {
    // Beyond any integer, casts saturate; such a range has too many values in any case.
    let range = [low.ceil() as i64, high.floor() as i64];
    let values = range[1].saturating_sub(range[0]).saturating_add(1);
    (2..=10).contains(&values).then_some(range)
}

/// Which response's value is meant, or what is computed from the values of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// The same response throughout the query (or the sample, for its own values).
    Same,
    /// `a.` to `z.`: this response.
    At(ResponseId),
    /// `any.`: the comparison is true for at least one response, independent of the rest of the
    /// query.
    Any,
    /// `both.`, `all.`: the comparison is true for every response, of two or more.
    All,
    /// `min.`: the smallest value, even of one.
    Min,
    /// `max.`: the greatest value, even of one.
    Max,
    /// `mean.`: the mean of the values that are present.
    Mean,
    /// `gap.`: the maximum minus the minimum; missing with fewer than two values, and for a pair
    /// unless both have one.
    Gap,
    /// `margin.`: for two responses A minus B, missing unless both have a value; for more, the
    /// greatest value minus the second.
    Margin,
    /// `winner.`: the best response's; missing for ties and without a verdict.
    Winner,
    /// `loser.`: the worst response's; missing for ties and without a verdict.
    Loser,
}

impl Aggregate {
    /// True if it picks a response by the winner; by the labels, if the schema decides by them.
    pub const fn is_of_outcome(self) -> bool {
        matches!(self, Self::Winner | Self::Loser)
    }

    /// True if the value depends on which response is which. A number computed from all responses
    /// need not, but all are refused alike: one rule for all numbers errs on the safe side.
    pub const fn reveals_response(self) -> bool {
        match self {
            Self::Same | Self::Any | Self::All => false,
            Self::At(_) | Self::Winner | Self::Loser => true,
            Self::Min | Self::Max | Self::Mean | Self::Gap | Self::Margin => true,
        }
    }
}
