//! `visavis check`: what can be typed behind it.

use clap::{Args, ValueEnum};

use super::data::FilteredArgs;

/// Tell what is suspicious: which rules of findings fire, and where
///
/// For people, for programs and for checks in CI: visavis check train.jsonl --fail-on error. With
/// --against, whether prompts of the files stand in another one too: visavis check train.jsonl
/// --against eval.jsonl.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub filtered: FilteredArgs,

    /// These rules alone, with commas between them
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub only: Vec<String>,

    /// Format of the answer
    #[arg(long, value_enum, default_value = "table")]
    pub format: CheckFormat,

    /// As JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Tell so many places of each rule at most [default: 3 in the table, else all]
    #[arg(short, long, value_name = "N")]
    pub n: Option<usize>,

    /// Exit with 1 where a rule of this severity fires: error (severe), warn (severe or likely)
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

/// As what findings are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// A line for each rule that fires, with the first places
    Table,
    /// A JSON document
    Json,
    /// SARIF 2.1.0, which code hosts and editors read
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// What makes a check fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A severe finding
    #[value(alias = "severe")]
    Error,
    /// A severe or likely finding
    #[value(alias = "likely")]
    Warn,
}

impl CheckArgs {
    /// Names of the rules that are asked for; all where there is none.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.only.iter().map(|name| name.trim())
    }
}
