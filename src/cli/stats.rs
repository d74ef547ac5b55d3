//! `visavis stats`: what can be typed behind it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::reading::{CatalogSource, ReadingArgs};
use crate::dataset::Loader;

/// Print what the data is like: figures, histograms and correlations
///
/// What the key S shows inside the program: counts, labels, correlations, who wins, annotators,
/// joined files, lengths and categories, of all samples and, with --filter, of what a query finds
/// beside them. visavis guide statistics has every figure's formula.
#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    /// Files to read, in this order; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Tell of what this query finds beside the whole
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    filter: Option<String>,

    /// These sections alone, with commas between them: counts, verdicts, bias, labels, correlations,
    /// annotators, models, lengths, categories. Without bias no text is read but for the filter
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',')]
    only: Vec<String>,

    /// As what: text for people, or JSON with every figure at full precision
    #[arg(long, value_enum, default_value = "text")]
    format: StatsFormat,

    /// Write the page as an SVG picture into this file instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Columns of the text and of the picture, 40 to 400
    #[arg(long, value_name = "COLUMNS", default_value = "120")]
    #[arg(value_parser = clap::value_parser!(u16).range(40..=400))]
    width: u16,

    /// The journal of what reviewers did, for is:marked and the like; can be given several times
    /// [default: FILE.review.jsonl beside the first file]
    #[arg(long, value_name = "PATH")]
    journal: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    findings: super::FindingArgs,
}

/// As what statistics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// The page as text
    Text,
    /// JSON with every figure at full precision
    Json,
}

/// Of what statistics are to be printed.
#[derive(Debug)]
pub struct StatsTask {
    /// What loads the files; none are named where they come from standard input.
    pub loader: Loader,
    /// The query, not yet read; `None` chooses nothing.
    pub filter: Option<String>,
    /// The keys of the sections that are asked for, not yet looked at; all where there is none.
    pub sections: Vec<String>,
    /// As what.
    pub format: StatsFormat,
    /// Where a picture goes; `None`: text or JSON onto standard output.
    pub svg: Option<PathBuf>,
    /// Columns of text and picture.
    pub width: u16,
    /// The journals, where they are named.
    pub journal: Vec<PathBuf>,
    /// Who asks, where the query speaks of that.
    pub reviewer: Option<String>,
    /// Characters of a response that training keeps, where that is said.
    pub max_len: Option<u32>,
}

impl StatsArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<StatsTask> {
        let filter = self.filter.as_deref().unwrap_or_default();
        Ok(StatsTask {
            reviewer: super::judging::asker(filter, config),
            max_len: self.findings.max_len(filter, config),
            loader: self.reading.loader(self.files, catalog)?,
            filter: self.filter,
            sections: self.only,
            format: self.format,
            svg: self.svg,
            width: self.width,
            journal: self.journal,
        })
    }
}
