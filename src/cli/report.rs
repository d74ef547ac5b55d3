//! Subcommands that tell of what reviewers said: what can be typed behind them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::data::{DataArgs, DataTask, OutputArgs};
use super::reading::CatalogSource;

/// Write the report of an audit as Markdown
///
/// What was sampled and how, how far reviewers agree with the dataset, with themselves and with
/// each other, and the samples where they do not.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Which audit; without it, the latest in which anything was judged
    #[arg(long, value_name = "ID")]
    audit: Option<String>,

    /// List all audits of the journal instead: who drew what and when, and how far each reviewer is
    #[arg(long, conflicts_with_all = ["audit", "reviewer"])]
    list: bool,

    /// Whose judgments; without it, everybody's. Several with commas (ann,ben): how far they agree
    /// with each other, and where they do not
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,

    #[command(flatten)]
    saving: OutputArgs,
}

/// What to report on.
#[derive(Debug)]
pub struct ReportTask {
    /// What is read; no files are named for standard input or the demo.
    pub data: DataTask,
    /// Which audit; `None`: the latest.
    pub audit: Option<String>,
    /// Whether to list all audits instead.
    pub list: bool,
    /// Whose judgments; `None`: everybody's.
    pub reviewer: Option<String>,
    /// Where to.
    pub saving: OutputArgs,
}

impl ReportArgs {
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<ReportTask> {
        Ok(ReportTask {
            data: self.data.task(catalog)?,
            audit: self.audit,
            list: self.list,
            reviewer: self.reviewer,
            saving: self.saving,
        })
    }
}

/// Tell how far reviewers agree: with the dataset, with each other and with themselves
///
/// Kappas with intervals, Krippendorff's alpha, and of two or more who are named each sample on which
/// they differ: visavis agree train.jsonl --journal ann.jsonl --journal ben.jsonl --reviewer ann,ben
#[derive(Debug, Args)]
pub(super) struct AgreeArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Whose judgments; several with commas (ann,ben): how far they agree with each other, and where
    /// they do not. Without it, everybody's
    #[arg(long, value_name = "NAMES")]
    reviewer: Option<String>,

    /// As a JSON document
    #[arg(long)]
    json: bool,
}

/// What agreement is told.
#[derive(Debug)]
pub struct AgreeTask {
    /// What is read.
    pub data: DataTask,
    /// Whose judgments, with commas between names; `None`: everybody's.
    pub reviewer: Option<String>,
    /// Whether it is JSON.
    pub json: bool,
}

impl AgreeArgs {
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<AgreeTask> {
        Ok(AgreeTask {
            data: self.data.task(catalog)?,
            reviewer: self.reviewer,
            json: self.json,
        })
    }
}

/// List the audits of a journal: who drew what and when, and how far each reviewer is
#[derive(Debug, Args)]
pub(super) struct AuditsArgs {
    #[command(flatten)]
    data: DataArgs,

    /// As a JSON document
    #[arg(long)]
    json: bool,
}

/// Which audits to list.
#[derive(Debug)]
pub struct AuditsTask {
    /// What is read.
    pub data: DataTask,
    /// Whether it is JSON.
    pub json: bool,
}

impl AuditsArgs {
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<AuditsTask> {
        Ok(AuditsTask {
            data: self.data.task(catalog)?,
            json: self.json,
        })
    }
}

/// Work on journals themselves
#[derive(Debug, Args)]
pub(super) struct JournalArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

#[derive(Debug, Subcommand)]
enum JournalCommand {
    /// Put what several journals say into one: each act once, in the order of their times
    Merge(MergeArgs),
}

/// Put what several journals say into one: each act once, in the order of their times
///
/// With -o acts are added that the file does not have yet; nothing of it is changed. The journals that
/// are read stay as they are.
#[derive(Debug, Args)]
struct MergeArgs {
    /// Journals to read
    #[arg(value_name = "JOURNAL", required = true)]
    journals: Vec<PathBuf>,

    /// Add to this journal instead of writing onto standard output; it is made where there is none
    #[arg(short, long, value_name = "JOURNAL")]
    output: Option<PathBuf>,
}

/// Which journals to merge.
#[derive(Debug)]
pub struct MergeTask {
    /// The journals that are read.
    pub journals: Vec<PathBuf>,
    /// The journal that is added to; `None`: standard output.
    pub output: Option<PathBuf>,
}

impl JournalArgs {
    pub(super) fn task(self) -> MergeTask {
        let JournalCommand::Merge(merge) = self.command;
        MergeTask {
            journals: merge.journals,
            output: merge.output,
        }
    }
}
