//! Subcommands that take a query and tell of what it finds: what can be typed behind them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::{DataArgs, DataTask, FilteredArgs, OutputArgs, SelectionArgs, SelectionTask};
use super::reading::CatalogSource;
use super::training::{TrainingArgs, TrainingTask};
use crate::dataset::SampleName;

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

    /// Samples, responses and malformed lines as a JSON document
    #[arg(long, conflicts_with = "rows")]
    json: bool,
}

/// What to count.
#[derive(Debug)]
pub struct CountTask {
    /// The samples.
    pub selection: SelectionTask,
    /// Whether to count responses instead of samples.
    pub rows: bool,
    /// Whether it is JSON with both.
    pub json: bool,
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
            json: self.json,
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

    /// Omit samples whose prompts leak into this file, whose own samples are not written
    ///
    /// Prompts are compared as visavis check FILE --against FILE2 does: letter by letter, by words,
    /// nearly the same, or 13 words in a row. Standard error says how many samples leak in each way.
    #[arg(long, value_name = "FILE2", conflicts_with = "against")]
    drop_leaks: Option<PathBuf>,

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
        let selection = self.selection.held_against(self.drop_leaks);
        Ok(ExportTask {
            selection: selection.task(catalog, config)?,
            format: self.format,
            rows: self.rows,
            n: self.n,
            training: self.training.task(),
            saving: self.saving,
        })
    }
}

/// List the samples that a query finds: a line each, with the columns that you choose
///
/// visavis list 'gap.helpfulness>=3 sort:-gap.helpfulness' train.jsonl -n 20
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    selection: SelectionArgs,

    /// Columns, with commas between them: fields of a query (helpfulness, gap.len, verdict), and
    /// key, side, prompt, response, finding. Without it: sample, row, the labels, verdict and
    /// prompt, or with --rows side and response
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,

    /// A line for each response for which the query holds, instead of for each sample
    #[arg(long)]
    rows: bool,

    /// List so many samples at most, the first in the order of the query
    #[arg(short, long, value_name = "N")]
    n: Option<usize>,

    /// Tab-separated, with headings; tabs and line breaks in texts are spelled \t and \n
    #[arg(long, conflicts_with = "json")]
    tsv: bool,

    /// JSON Lines: an object for each line
    #[arg(long)]
    json: bool,
}

/// What to list.
#[derive(Debug)]
pub struct ListTask {
    /// The samples.
    pub selection: SelectionTask,
    /// Names of columns with commas between them; `None`: the usual ones.
    pub columns: Option<String>,
    /// Whether a line is a response, instead of a sample.
    pub rows: bool,
    /// How many samples at most; `None`: all.
    pub n: Option<usize>,
    /// Whether it is TSV.
    pub tsv: bool,
    /// Whether it is JSON Lines.
    pub json: bool,
}

impl ListArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<ListTask> {
        let more = self.columns.as_deref().unwrap_or_default();
        Ok(ListTask {
            selection: self.selection.task_with(more, catalog, config)?,
            columns: self.columns,
            rows: self.rows,
            n: self.n,
            tsv: self.tsv,
            json: self.json,
        })
    }
}

/// Print one sample with all that is known of it
///
/// By its number, as the screen and every export count, by FILE:ROW as `y` copies it, by its key, which is
/// the same wherever the sample stands, or by an id that its rows have: visavis show 42 train.jsonl,
/// visavis show train.jsonl:27.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Number of the sample, from 1; FILE:ROW; its key: 32 hex digits, or the first 8 or more of them; or
    /// its id
    #[arg(value_name = "N|FILE:ROW|KEY")]
    sample: SampleName,

    #[command(flatten)]
    data: DataArgs,

    /// As a JSON document
    #[arg(long)]
    json: bool,
}

/// What to show.
#[derive(Debug)]
pub struct ShowTask {
    /// What is read.
    pub data: DataTask,
    /// Which sample.
    pub sample: SampleName,
    /// Whether it is JSON.
    pub json: bool,
}

impl ShowArgs {
    pub(super) fn task(mut self, catalog: CatalogSource<'_>) -> anyhow::Result<ShowTask> {
        if let SampleName::Row { file, .. } = &self.sample {
            self.data.add_first(file.into());
        }
        Ok(ShowTask {
            data: self.data.task(catalog)?,
            sample: self.sample,
            json: self.json,
        })
    }
}

/// Draw samples by a seed and write them
///
/// The draw is that of an audit: the same wherever it is made. It follows from the seed, the filter
/// and the order of the files: visavis sample train.jsonl -n 200 --seed 7 -o draw.jsonl
#[derive(Debug, Args)]
pub(super) struct SampleArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    #[command(flatten)]
    sampling: SamplingArgs,

    /// As what; without it, as the end of the output's name says, and jsonl onto standard output
    #[arg(long, value_enum)]
    format: Option<FormatName>,

    #[command(flatten)]
    saving: OutputArgs,
}

/// What is drawn.
#[derive(Debug, Args)]
struct SamplingArgs {
    /// How many samples
    #[arg(short, long, value_name = "N")]
    n: u32,

    /// Seed of the draw; without it one is made up, and told
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// Draw from each value of this field as many as its share
    #[arg(long, value_name = "FIELD", conflicts_with = "even")]
    by: Option<String>,

    /// Draw from each value of this field equally many
    #[arg(long, value_name = "FIELD")]
    even: Option<String>,
}

/// What to draw.
#[derive(Debug)]
pub struct SampleTask {
    /// How many samples.
    pub n: u32,
    /// The seed; `None`: one is made up.
    pub seed: Option<u64>,
    /// The field that the draw is stratified by, and whether evenly.
    pub by: Option<(String, bool)>,
    /// From which samples, as what, and where to.
    pub export: ExportTask,
}

impl SampleArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<SampleTask> {
        let SamplingArgs { n, seed, by, even } = self.sampling;
        let even = even.map(|field| (field, true));
        Ok(SampleTask {
            n,
            seed,
            by: by.map(|field| (field, false)).or(even),
            export: ExportTask {
                selection: self.filtered.task(catalog, config)?,
                format: self.format,
                training: None,
                rows: false,
                n: None,
                saving: self.saving,
            },
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
