//! `visavis report`: what can be typed behind it.

use clap::Args;

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
