//! Subcommands that take a query and tell of what it finds: what can be typed behind them.

use clap::{Args, ValueEnum};

use super::data::{OutputArgs, SelectionArgs, SelectionTask};
use super::reading::CatalogSource;
use super::training::{TrainingArgs, TrainingTask};

/// Print how many samples a query finds
///
/// The query is what `f` takes inside the program: visavis count 'helpfulness>=3 verbosity<=1'
/// train.jsonl. A term without a side speaks of one response, and of the same one throughout the
/// query.
#[derive(Debug, Args)]
pub(super) struct CountArgs {
    #[command(flatten)]
    selection: SelectionArgs,

    /// Count the responses for which it holds, instead of the samples; of a query about samples
    /// (a.x, gap.x, is:tie), all of theirs
    #[arg(long)]
    rows: bool,
}

/// What to count.
#[derive(Debug)]
pub struct CountTask {
    /// The samples.
    pub selection: SelectionTask,
    /// Whether to count responses instead of samples.
    pub rows: bool,
}

impl CountArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<CountTask> {
        Ok(CountTask {
            selection: self.selection.task(catalog, config)?,
            rows: self.rows,
        })
    }
}

/// Write the samples that a query finds: rows, reviews, a table, a document, or what trainers read
///
/// The query is what `f` takes inside the program, with its order (sort:…): visavis export
/// 'gap.helpfulness>=3' train.jsonl -o far.jsonl. Files are written whole or not at all, and never
/// in place of another without --force.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    selection: SelectionArgs,

    /// As what; without it, as the end of the output's name says, and jsonl onto standard output
    #[arg(long, value_enum)]
    format: Option<FormatName>,

    /// Write the responses for which the query holds, without their partners
    #[arg(long)]
    rows: bool,

    /// Write so many samples at most, the first in the order of the query
    #[arg(short, long, value_name = "N")]
    n: Option<usize>,

    #[command(flatten)]
    training: TrainingArgs,

    #[command(flatten)]
    saving: OutputArgs,
}

/// What to export.
#[derive(Debug)]
pub struct ExportTask {
    /// The samples.
    pub selection: SelectionTask,
    /// As what, where that was said.
    pub format: Option<FormatName>,
    /// Whether to write the responses that match, without their partners.
    pub rows: bool,
    /// How many samples at most; `None`: all.
    pub n: Option<usize>,
    /// What a trainer is to get, where one is named.
    pub training: Option<TrainingTask>,
    /// Where to.
    pub saving: OutputArgs,
}

impl ExportArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<ExportTask> {
        Ok(ExportTask {
            selection: self.selection.task(catalog, config)?,
            format: self.format,
            rows: self.rows,
            n: self.n,
            training: self.training.task(),
            saving: self.saving,
        })
    }
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
