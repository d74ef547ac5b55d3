//! `visavis stats`: what can be typed behind it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::data::FilteredArgs;

/// Print what the data is like: figures, histograms and correlations
///
/// What the key S shows inside the program: counts, labels, correlations, who wins, annotators,
/// joined files, lengths and categories, of all samples and, with --filter, of what a query finds
/// beside them. visavis guide statistics has every figure's formula.
#[derive(Debug, Args)]
pub struct StatsArgs {
    #[command(flatten)]
    pub filtered: FilteredArgs,

    /// These sections alone, with commas between them: counts, verdicts, bias, labels, correlations,
    /// annotators, models, lengths, categories. Without bias no text is read but for the filter
    #[arg(long, value_name = "SECTIONS", value_delimiter = ',')]
    pub only: Vec<String>,

    /// As what: text for people, or JSON with every figure at full precision
    #[arg(long, value_enum, default_value = "text")]
    pub format: StatsFormat,

    /// As JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Write the page as an SVG picture into this file instead
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Columns of the text and of the picture, 40 to 400
    #[arg(long, value_name = "COLUMNS", default_value = "120")]
    #[arg(value_parser = clap::value_parser!(u16).range(40..=400))]
    pub width: u16,
}

/// As what statistics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// The page as text
    Text,
    /// JSON with every figure at full precision
    Json,
}
