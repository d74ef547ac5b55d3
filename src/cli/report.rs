//! Subcommands that tell of what reviewers said: what can be typed behind them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::data::{DataArgs, OutputArgs};

/// Write the report of an audit as Markdown
///
/// What was sampled and how, how far reviewers agree with the dataset, with themselves and with
/// each other, and the samples where they do not.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Which audit; without it, the latest in which anything was judged
    #[arg(long, value_name = "ID")]
    pub audit: Option<String>,

    /// List all audits of the journal instead: who drew what and when, and how far each reviewer is
    #[arg(long, conflicts_with_all = ["audit", "reviewer"])]
    pub list: bool,

    /// Whose judgments; without it, everybody's. Several with commas (ann,ben): how far they agree
    /// with each other, and where they do not
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,

    #[command(flatten)]
    pub saving: OutputArgs,
}

/// Tell how far reviewers agree: with the dataset, with each other and with themselves
///
/// Kappas with intervals, Krippendorff's alpha, and of two or more who are named each sample on which
/// they differ: visavis agree train.jsonl --journal ann.jsonl --journal ben.jsonl --reviewer ann,ben
#[derive(Debug, Args)]
pub struct AgreeArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Whose judgments; several with commas (ann,ben): how far they agree with each other, and where
    /// they do not. Without it, everybody's
    #[arg(long, value_name = "NAMES")]
    pub reviewer: Option<String>,

    /// As a JSON document
    #[arg(long)]
    pub json: bool,
}

/// List the audits of a journal: who drew what and when, and how far each reviewer is
#[derive(Debug, Args)]
pub struct AuditsArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// As a JSON document
    #[arg(long)]
    pub json: bool,
}

/// Work on journals themselves
#[derive(Debug, Args)]
pub struct JournalArgs {
    #[command(subcommand)]
    pub command: JournalCommand,
}

/// What is done with journals.
#[derive(Debug, Subcommand)]
pub enum JournalCommand {
    /// Put what several journals say into one: each act once, in the order of their times
    Merge(MergeArgs),
}

/// Put what several journals say into one: each act once, in the order of their times
///
/// With -o acts are added that the file does not have yet; nothing of it is changed. The journals that
/// are read stay as they are.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Journals to read
    #[arg(value_name = "JOURNAL", required = true)]
    pub journals: Vec<PathBuf>,

    /// Add to this journal instead of writing onto standard output; it is made where there is none
    #[arg(short, long, value_name = "JOURNAL")]
    pub output: Option<PathBuf>,
}
