//! `visavis stats`: what can be typed behind it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::{FilteredArgs, SelectionTask};
use super::reading::CatalogSource;

/// Print what the data is like: figures, histograms and correlations
///
/// What the key S shows inside the program: counts, labels, correlations, who wins, annotators,
/// joined files, lengths and categories, of all samples and, with --filter, of what a query finds
/// beside them. visavis guide statistics has every figure's formula.
#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    /// These sections alone, with commas between them: counts, verdicts, bias, labels, correlations,
    /// annotators, models, lengths, categories. Without bias no text is read but for the filter
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',')]
    only: Vec<String>,

    /// As what: text for people, or JSON with every figure at full precision
    #[arg(long, value_enum, default_value = "text")]
    format: StatsFormat,

    /// As JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Write the page as an SVG picture into this file instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Columns of the text and of the picture, 40 to 400
    #[arg(long, value_name = "COLUMNS", default_value = "120")]
    #[arg(value_parser = clap::value_parser!(u16).range(40..=400))]
    width: u16,
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
    /// The samples.
    pub selection: SelectionTask,
    /// Whether what the query finds is told of beside the whole.
    pub is_filtered: bool,
    /// The keys of the sections that are asked for, not yet looked at; all where there is none.
    pub sections: Vec<String>,
    /// As what.
    pub format: StatsFormat,
    /// Where a picture goes; `None`: text or JSON onto standard output.
    pub svg: Option<PathBuf>,
    /// Columns of text and picture.
    pub width: u16,
}

impl StatsArgs {
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<StatsTask> {
        Ok(StatsTask {
            is_filtered: self.filtered.filter.is_some(),
            selection: self.filtered.task(catalog, config)?,
            sections: self.only,
            format: match self.json {
                true => StatsFormat::Json,
                false => self.format,
            },
            svg: self.svg,
            width: self.width,
        })
    }
}
