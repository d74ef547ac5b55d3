//! Who judges, and what is drawn for it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::LookArgs;
use super::reading::{ReadingArgs, Sources};
use crate::config::ConfigKey;

/// Who judges, and how.
#[derive(Debug, Args)]
pub struct JudgingArgs {
    /// Keep what you judge in this file instead of beside the data; given several times, all are
    /// read and the first is written
    #[arg(long, value_name = "PATH")]
    pub journal: Vec<PathBuf>,

    /// Your name in the journal, instead of the user's
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,

    /// Hide labels, scores and verdicts until you have judged a sample
    #[arg(long)]
    pub blind: bool,

    /// When hidden labels show
    #[arg(long, value_enum, value_name = "WHEN", requires = "blind")]
    pub reveal: Option<RevealName>,
}

/// When hidden labels show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RevealName {
    /// Once the sample is judged
    #[default]
    After,
    /// Once the whole audit is judged
    End,
    /// Never in this run
    Never,
}

/// Draw samples and judge them
///
/// The draw is the same wherever it is made: it follows from the seed, the filter and the order of
/// the files. Without -n the program asks: to go on with an audit that waits, to judge the same as
/// another reviewer, or how many samples to draw. The command of an audit that the journal holds
/// goes on with it, and that of another reviewer's asks whether to judge the same.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Files to read, in this order
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,

    /// How many samples; without it, the program asks
    #[arg(short, long, value_name = "N")]
    pub n: Option<u32>,

    /// Seed of the draw
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,

    /// Draw from each value of this field as many as its share
    #[arg(long, value_name = "FIELD", conflicts_with = "even")]
    pub by: Option<String>,

    /// Draw from each value of this field equally many
    #[arg(long, value_name = "FIELD")]
    pub even: Option<String>,

    /// Draw from what this query finds
    #[arg(
        long,
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true,
        allow_hyphen_values = true
    )]
    pub filter: String,

    /// Ask again about this share of the samples, sides swapped
    #[arg(long, value_name = "PERCENT")]
    pub repeat: Option<String>,

    #[command(flatten)]
    pub judging: JudgingArgs,

    #[command(flatten)]
    pub looks: LookArgs,
}

/// The audit to begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditTask {
    /// What is typed behind `:audit`.
    pub words: String,
    /// The filter to draw from; empty for none.
    pub filter: String,
}

impl AuditArgs {
    /// As it is typed behind `:audit`.
    pub(super) fn words(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.n.map(|n| n.to_string()));
        words.extend(self.seed.map(|seed| format!("seed={seed}")));
        words.extend(self.by.as_ref().map(|field| format!("by={field}")));
        words.extend(self.even.as_ref().map(|field| format!("even={field}")));
        words.extend(self.repeat.as_ref().map(|share| format!("repeat={share}")));
        words.join(" ")
    }
}

/// Who asks, where that is set for good: looked up only where a query says `mine`.
pub(super) fn asker(query: &str, sources: &mut Sources<'_>) -> Option<String> {
    let says_mine = query.to_lowercase().contains("mine");
    let config = says_mine.then(|| (sources.config)())?;
    config.text(ConfigKey::Reviewer).map(str::to_owned)
}
