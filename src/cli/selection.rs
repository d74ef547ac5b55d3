//! Subcommands that take a query and tell of what it finds: what can be typed behind them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::{DataArgs, FilteredArgs, OutputArgs, SelectionArgs};
use super::training::TrainingArgs;
use crate::dataset::SampleName;

/// Print how many samples a query finds
///
/// The query is what `f` takes inside the program: visavis count 'helpfulness>=3 verbosity<=1'
/// train.jsonl. A term without a side speaks of one response, and of the same one throughout the
/// query.
#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Count the responses for which it holds, instead of the samples; of a query about samples
    /// (a.x, gap.x, is:tie), all of theirs
    #[arg(long)]
    pub rows: bool,

    /// Samples, responses and malformed lines as a JSON document
    #[arg(long, conflicts_with = "rows")]
    pub json: bool,
}

/// Write the samples that a query finds: rows, reviews, a table, a document, or what trainers read
///
/// The query is what `f` takes inside the program, with its order (sort:…): visavis export
/// 'gap.helpfulness>=3' train.jsonl -o far.jsonl. Files are written whole or not at all, and never
/// in place of another without --force.
#[derive(Debug, Default, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// As what; without it, as the end of the output's name says, and jsonl onto standard output
    #[arg(long, value_enum)]
    pub format: Option<FormatName>,

    /// Write the responses for which the query holds, without their partners
    #[arg(long)]
    pub rows: bool,

    /// Write so many samples at most, the first in the order of the query
    #[arg(short, long, value_name = "N")]
    pub n: Option<usize>,

    /// Omit samples whose prompts leak into this file, whose own samples are not written
    ///
    /// Prompts are compared as visavis check FILE --against FILE2 does: letter by letter, by words,
    /// nearly the same, or 13 words in a row. Standard error says how many samples leak in each way.
    #[arg(long, value_name = "FILE2", conflicts_with = "against")]
    pub drop_leaks: Option<PathBuf>,

    #[command(flatten)]
    pub training: TrainingArgs,

    #[command(flatten)]
    pub saving: OutputArgs,
}

/// List the samples that a query finds: a line each, with the columns that you choose
///
/// visavis list 'gap.helpfulness>=3 sort:-gap.helpfulness' train.jsonl -n 20
#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,

    /// Columns, with commas between them: fields of a query (helpfulness, gap.len, verdict), and
    /// key, side, prompt, response, finding. Without it: sample, row, the labels, verdict and
    /// prompt, or with --rows side and response
    #[arg(long, value_name = "NAMES")]
    pub columns: Option<String>,

    /// A line for each response for which the query holds, instead of for each sample
    #[arg(long)]
    pub rows: bool,

    /// List so many samples at most, the first in the order of the query
    #[arg(short, long, value_name = "N")]
    pub n: Option<usize>,

    /// Tab-separated, with headings; tabs and line breaks in texts are spelled \t and \n
    #[arg(long, conflicts_with = "json")]
    pub tsv: bool,

    /// JSON Lines: an object for each line
    #[arg(long)]
    pub json: bool,
}

/// Print one sample with all that is known of it
///
/// By its number, as the screen and every export count, by FILE:ROW as `y` copies it, by its key, which is
/// the same in every file, or by an id that its rows have: visavis show 42 train.jsonl,
/// visavis show train.jsonl:27.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Number of the sample, from 1; FILE:ROW; its key: 32 hex digits, or the first 8 or more of them; or
    /// its id
    #[arg(value_name = "N|FILE:ROW|KEY")]
    pub sample: SampleName,

    #[command(flatten)]
    pub data: DataArgs,

    /// As a JSON document
    #[arg(long)]
    pub json: bool,
}

/// Draw samples by a seed and write them
///
/// The draw is that of an audit: the same wherever it is made. It follows from the seed, the filter
/// and the order of the files: visavis sample train.jsonl -n 200 --seed 7 -o draw.jsonl
#[derive(Debug, Args)]
pub struct SampleArgs {
    #[command(flatten)]
    pub filtered: FilteredArgs,

    #[command(flatten)]
    pub sampling: SamplingArgs,

    /// As what; without it, as the end of the output's name says, and jsonl onto standard output
    #[arg(long, value_enum)]
    pub format: Option<FormatName>,

    #[command(flatten)]
    pub saving: OutputArgs,
}

/// What is drawn.
#[derive(Debug, Args)]
pub struct SamplingArgs {
    /// How many samples
    #[arg(short, long, value_name = "N")]
    pub n: u32,

    /// Seed of the draw; without it one is made up, and told
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,

    /// Draw from each value of this field as many as its share
    #[arg(long, value_name = "FIELD", conflicts_with = "even")]
    pub by: Option<String>,

    /// Draw from each value of this field equally many
    #[arg(long, value_name = "FIELD")]
    pub even: Option<String>,
}

/// As what samples are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// JSON Lines: the rows as they stand in the files
    Jsonl,
    /// JSON Lines: the rows with what reviewers said of them
    Reviewed,
    /// CSV: a line a response
    Csv,
    /// Markdown: a document to read
    Md,
}

impl FormatName {
    /// As it is typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Reviewed => "reviewed",
            Self::Csv => "csv",
            Self::Md => "md",
        }
    }
}
