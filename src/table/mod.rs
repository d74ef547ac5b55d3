//! Columns: every value that data states, or that is computed of it, by name, level, kind and
//! meaning.
//!
//! Whoever reads values asks a [`ColumnDef`] what they are: the query language, completion and help,
//! the sort menu, the list, what a blind reviewer may see, how rows are counted while they are
//! scanned. Labels and facts are columns that a schema describes; the table has those that every
//! dataset has. A [`ColumnId`] is a handle to either. Nothing here knows JSON, files or screens.

mod built_in;
mod column_id;
mod field_source;
mod path;
mod values;

pub use built_in::CountedColumns;
use built_in::{NO_SORT, SORT};
pub use column_id::{ColumnId, Disagreeing, Rater, Raters};
pub use field_source::{FieldForm, FieldSource, flag, is_date, plain_number};
pub use path::Path;
pub use values::{AnnotationColumn, ColumnData, Values, WordColumn};

use crate::model::{ResponseId, Role, Verdict};

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One a sample.
    Sample,
    /// One a response.
    Response,
}

/// What kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A whole number that rates.
    Label,
    /// Any number that rates.
    Score,
    /// A number that is counted or measured.
    Count,
    /// A word.
    Word,
    /// Any number of words, by which nothing can be put in order.
    Words,
    /// Something that holds or does not.
    Flag,
}

impl ColumnKind {
    /// Whether values are numbers.
    pub const fn is_number(self) -> bool {
        matches!(self, Self::Label | Self::Score | Self::Count)
    }
}

/// What values tell a blind reviewer that must not be known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reveals {
    /// Nothing: it can be read in the texts, or is no secret.
    Nothing,
    /// Nothing of the sample, but of one side which response it is.
    WhichResponse,
    /// What the data says of the responses, or where their rows stand.
    Label,
}

/// What is known of a column whatever the dataset.
#[derive(Debug)]
pub struct ColumnDef {
    /// Its name in the schema, or as a query spells it.
    pub name: &'static str,
    /// Where its values stand.
    pub level: Level,
    /// What kind they are; of what rates, a schema may know better ([`Column::kind`]).
    pub kind: ColumnKind,
    /// What it means; empty where a schema says it.
    pub about: &'static str,
    /// What it tells a blind reviewer.
    pub reveals: Reveals,
    /// With what before it the sort menu has it; not at all where this is empty.
    pub in_sort_menu: &'static [Aggregate],
    /// What a schema must have so that its rows can have values.
    pub requires: Requirement,
    /// Where its values come from.
    pub source: ColumnSource,
}

impl ColumnDef {
    /// A column that a schema, a joined file or a reviewer has.
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
                // One's own values are known, but not of which response of the file they are.
                ColumnSource::Rated(Raters::One(Rater::Own)) => Reveals::WhichResponse,
                // A fact can be the name of the model that wrote A.
                _ => Reveals::Label,
            },
            in_sort_menu,
            requires: Requirement::Nothing,
            source,
        }
    }
}

/// A column as a dataset has it.
#[derive(Debug, Clone)]
pub struct Column {
    /// Which.
    pub id: ColumnId,
    /// What kind its values are.
    pub kind: ColumnKind,
    /// Least and greatest value, both included; `None` where nothing bounds them.
    pub range: Option<[f64; 2]>,
    /// What it means in this dataset; can be empty.
    pub about: String,
    /// What it tells a blind reviewer: a schema can release a fact.
    pub reveals: Reveals,
}

/// What a schema must have so that its rows can have values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing.
    Nothing,
    /// A place for the quotes of responses.
    Quotes,
    /// Files that are joined to the dataset.
    JoinedFiles,
    /// Lists in which annotators say who wins.
    Votes,
}

/// Where the values of a column come from.
#[derive(Debug)]
pub enum ColumnSource {
    /// A label or score that the schema names.
    Label,
    /// What each annotator said of a label that the schema names.
    Annotations,
    /// A fact that the schema names.
    Fact,
    /// A field of the records that no schema names, which is read once somebody asks.
    Field(Box<FieldSource>),
    /// A label or score of a joined file.
    JoinedLabel,
    /// By how much A wins as a joined file has it.
    JoinedMargin,
    /// What reviewers gave as the value of a label, which has the column's name.
    Rated(Raters),
    /// Who wins as one reviewer says.
    RatedVerdict(Rater),
    /// How far judgments of a sample are apart at most, in steps of a label; 1 where one says tie
    /// and the other not, 2 where both say that another response wins. Missing where no two of
    /// them are about the same thing.
    Disagreement(Disagreeing),
    /// Counted of each response while rows are scanned.
    Response(CountOfResponse),
    /// Counted of each prompt while rows are scanned.
    Prompt(CountOfPrompt),
    /// Counted in the texts of each response, which are read once somebody asks.
    ResponseText(CountOfText),
    /// Counted in what was written about each response, which is read once somebody asks.
    RationaleText(CountOfText),
    /// Counted in all texts of a sample together, which are read once somebody asks.
    SampleText(CountOfSampleTexts),
    /// Counted of each response beside the others of its sample, whose texts are read once somebody
    /// asks.
    AmongResponses(CountsAmongResponses),
    /// Number of the row in its file.
    Row,
    /// Number of the physical line in its file.
    Line,
    /// Number of the sample.
    Sample,
    /// Name of the file.
    File,
    /// By how much A wins, stated or by the deciding label.
    Margin,
    /// Who wins, stated or by the deciding label.
    Verdict,
    /// How many joined files contradict the dataset's verdict.
    Contradictions,
    /// How many joined files say who wins.
    JoinedVerdicts,
    /// How many annotators say who wins.
    Votes,
    /// How many annotators say that the response wins.
    VotesFor,
    /// How many annotators say that no response is worth comparing.
    ExcludedVotes,
    /// Made of what else is known of the samples.
    Flag(FlagsOfSamples),
    /// What comparing all samples with each other tells, once somebody asks.
    Compared(SampleComparison),
    /// Made of the rules of findings that fire.
    Findings(FindingNumber),
    /// What reviewers said.
    Review(ReviewValue),
}

impl ColumnSource {
    /// Whether values come from a file that was joined to the dataset.
    pub const fn is_joined(&self) -> bool {
        matches!(self, Self::JoinedLabel | Self::JoinedMargin)
    }

    /// Whether rows must be read again for values, which takes some seconds of a large file.
    pub const fn reads_texts(&self) -> bool {
        matches!(
            self,
            Self::Field(_)
                | Self::ResponseText(_)
                | Self::RationaleText(_)
                | Self::SampleText(_)
                | Self::AmongResponses(_)
        )
    }

    /// The field of the records that it is, if no schema names it.
    pub const fn field(&self) -> Option<&FieldSource> {
        match self {
            Self::Field(field) => Some(field),
            _ => None,
        }
    }

    /// Whether values are there once somebody asked for them, and not before.
    pub const fn is_found_on_demand(&self) -> bool {
        self.reads_texts() || matches!(self, Self::Findings(_))
    }

    /// Whether values tell where something stands, rather than what it is like: nobody counts how
    /// often they come.
    pub const fn is_place(&self) -> bool {
        matches!(
            self,
            Self::Row
                | Self::Line
                | Self::Sample
                | Self::Compared(SampleComparison::OverlapWith(_))
        )
    }

    /// Whether values tell of samples of other files.
    pub const fn is_across_files(&self) -> bool {
        matches!(
            self,
            Self::Compared(
                SampleComparison::Overlap(OverlapScope::OtherFile)
                    | SampleComparison::OverlapWith(OverlapScope::OtherFile)
            )
        )
    }

    /// What comparing all samples must tell for values.
    pub const fn comparison(&self) -> Option<SampleComparison> {
        match self {
            Self::Compared(comparison) => Some(*comparison),
            _ => None,
        }
    }
}

/// What comparing all samples with each other tells of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleComparison {
    /// Whether another sample has the same prompt and responses, whatever their labels.
    Duplicate,
    /// The strongest way in which it shares its prompt with another sample.
    Overlap(OverlapScope),
    /// The number of that other sample, from 1.
    OverlapWith(OverlapScope),
    /// Whether another sample has the same prompt and responses, and another of them wins.
    Contradicted,
    /// Whether one of its responses to the same prompt stands elsewhere with another label.
    Relabelled,
}

impl SampleComparison {
    /// Whether prompts are compared, or else responses with what is said of them.
    pub const fn is_of_prompts(&self) -> bool {
        matches!(self, Self::Overlap(_) | Self::OverlapWith(_))
    }
}

/// Where a sample is that another shares its prompt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapScope {
    /// In the same file.
    SameFile,
    /// In another file of the dataset.
    OtherFile,
}

/// A number made of the rules that fire on a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingNumber {
    /// How many there are.
    Count,
    /// The sum of their weights.
    Suspicion,
}

/// What reviewers say of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewValue {
    /// Whether one marked it.
    Marked,
    /// Whether one rated it.
    Rated,
    /// The tags they gave it.
    Tags,
}

/// Counts something of a response.
pub type CountOfResponse = fn(&ResponseCounts) -> u32;
/// Counts something of a prompt.
pub type CountOfPrompt = fn(&PromptCounts) -> u32;
/// Counts something in the texts of a response or in the turns of a prompt, in their order; of a
/// response that is one text, in that.
pub type CountOfText = fn(&[String]) -> u32;
/// Counts something in all texts of a sample; [`Values::NO_COUNT`] where there is nothing to count.
pub type CountOfSampleTexts = fn(&SampleTexts) -> u32;
/// Counts something of each response of a sample, in their order.
pub type CountsAmongResponses = fn(&SampleTexts) -> Vec<u32>;
/// Tells of each sample of a stretch whether a flag holds.
pub type FlagsOfSamples = fn(&dyn SampleLists) -> Vec<bool>;

/// The texts of a sample, as in the file (not sanitised).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SampleTexts {
    /// The turns of the prompt, with who speaks.
    pub prompt: Vec<(Role, String)>,
    /// The texts of each response: one, or one for each of its turns.
    pub responses: Vec<Vec<String>>,
    /// What was written about each response.
    pub rationales: Vec<Vec<String>>,
}

/// What is counted of a response while rows are scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResponseCounts {
    /// Characters (Unicode scalar values) of its text.
    pub characters: u32,
    /// Lines of its text, empty ones included.
    pub lines: u32,
    /// How many quotes it has.
    pub quotes: u32,
}

/// What is counted of a prompt while rows are scanned.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptCounts {
    /// Characters (Unicode scalar values) of all turns.
    pub characters: u32,
    /// How many turns it has.
    pub turns: u32,
}

/// What flags are made of: lists with an entry for each sample of a stretch, so that a flag is told
/// of all of them in one loop.
pub trait SampleLists {
    /// How many responses each has; 0 of a malformed row.
    fn responses(&self) -> &[u16];
    /// Who wins, where that is said.
    fn verdicts(&self) -> Vec<Option<Verdict>>;
    /// Whether anything of its rows was read leniently, or a value is one that its field cannot
    /// have; never of malformed rows.
    fn read_warnings(&self) -> &[bool];
    /// Whether a joined file says nothing of each; never of malformed rows.
    fn unmatched(&self) -> Vec<bool>;
    /// How many annotators say that the response at a place wins; NaN for malformed rows, where there
    /// is no such response, and where files have no such list.
    fn votes_for(&self, response: usize) -> Vec<f64>;
    /// The numbers of a column of samples; NaN where there is none.
    fn numbers(&self, id: ColumnId) -> Vec<f64>;
}

/// The whole numbers of a range, least and greatest, where reviewers can give them: two at least,
/// and a key for each, ten at most.
pub fn rating_range([low, high]: [f64; 2]) -> Option<[i64; 2]> {
    // Beyond any integer, casts saturate; there are too many values between such ends in any case.
    let range = [low.ceil() as i64, high.floor() as i64];
    let values = range[1].saturating_sub(range[0]).saturating_add(1);
    (2..=10).contains(&values).then_some(range)
}

/// Which response of a sample a value is of, or what is made of the values of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aggregate {
    /// The one response that the query speaks of, the same throughout it (or, for what belongs to
    /// samples, the sample).
    Same,
    /// `a.` to `z.`: of this response.
    At(ResponseId),
    /// `any.`: the comparison holds for at least one response, whichever the rest of the query
    /// speaks of.
    Any,
    /// `both.`, `all.`: the comparison holds for every response, and there are two or more.
    All,
    /// `min.`: the smallest value; of one value, that.
    Min,
    /// `max.`: the greatest value; of one value, that.
    Max,
    /// `mean.`: the mean of the values there are.
    Mean,
    /// `gap.`: the greatest value minus the least; missing unless two values are there, and of a
    /// pair unless both are.
    Gap,
    /// `margin.`: of two responses, A minus B, missing unless both values are there; of more, the
    /// greatest value minus the second.
    Margin,
    /// `winner.`: of the best response; missing for ties and where nothing is said.
    Winner,
    /// `loser.`: of the worst response; missing for ties and where nothing is said.
    Loser,
}

impl Aggregate {
    /// Whether it picks a response by who wins: by the labels, where a schema decides by them.
    pub const fn is_of_outcome(self) -> bool {
        matches!(self, Self::Winner | Self::Loser)
    }

    /// Whether what is seen of the responses so depends on which is which. A number made of all
    /// need not, but is refused with the others: one rule for all numbers, whatever they are of,
    /// errs on the safe side.
    pub const fn reveals_response(self) -> bool {
        match self {
            Self::Same | Self::Any | Self::All => false,
            Self::At(_) | Self::Winner | Self::Loser => true,
            Self::Min | Self::Max | Self::Mean | Self::Gap | Self::Margin => true,
        }
    }
}
