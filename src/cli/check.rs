//! `visavis check`: what can be typed behind it.

use clap::{Args, ValueEnum};

use super::data::{FilteredArgs, SelectionTask};
use super::reading::CatalogSource;

/// Tell what is suspicious: which rules of findings fire, and where
///
/// For people, for programs and for checks in CI: visavis check train.jsonl --fail-on error. With
/// --against, whether prompts of the files stand in another one too: visavis check train.jsonl
/// --against eval.jsonl.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    filtered: FilteredArgs,

    /// These rules alone, with commas between them
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    only: Vec<String>,

    /// Format of the answer
    #[arg(long, value_enum, default_value = "table")]
    format: CheckFormat,

    /// As JSON: short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Tell so many places of each rule at most [default: 3 in the table, else all]
    #[arg(short, long, value_name = "N")]
    n: Option<usize>,

    /// Exit with 1 where a rule of this severity fires: error (severe), warn (severe or likely)
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
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

/// What to check.
#[derive(Debug)]
pub struct CheckTask {
    /// The samples; a file that they are held against is the last one.
    pub selection: SelectionTask,
    /// Names of rules, not yet looked at; all where there is none.
    pub rules: Vec<String>,
    /// As what.
    pub format: CheckFormat,
    /// Places of each rule at most; `None`: as many as the format has.
    pub n: Option<usize>,
    /// What makes it fail; `None`: nothing that is found.
    pub fail_on: Option<FailOn>,
}

impl CheckArgs {
    pub(super) fn task(
        mut self,
        catalog: CatalogSource<'_>,
        config: super::ConfigSource<'_>,
    ) -> anyhow::Result<CheckTask> {
        self.filtered.add_against()?;
        let mut selection = self.filtered.task(catalog, config)?;
        // Rules that ask for it apply without a word in the query.
        if selection.data.max_len.is_none() {
            selection.data.max_len = config().count(crate::config::ConfigKey::MaxLen);
        }
        Ok(CheckTask {
            selection,
            rules: self
                .only
                .iter()
                .map(|name| name.trim().to_owned())
                .collect(),
            format: match self.json {
                true => CheckFormat::Json,
                false => self.format,
            },
            n: self.n,
            fail_on: self.fail_on,
        })
    }
}
