//! Arguments that subcommands over data share: files, how they are read, journals, and the output.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use super::loading::DataSource;
use super::progress::ProgressLine;
use super::reading::{READING, ReadingArgs};
use super::{Sources, texts};
use crate::config::ConfigKey;
use crate::dataset::Loader;
use crate::run::{Failure, FindingArgs, Journal, hub_name, loader_or_stdin, rules_with_warnings};

/// Files and their journals.
#[derive(Debug, Default, Args)]
pub struct DataArgs {
    /// Files to read, in this order; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Read this journal of reviews; can be repeated [default: FILE.review.jsonl beside the first
    /// file]
    #[arg(long, value_name = "PATH", help_heading = READING)]
    pub journal: Vec<PathBuf>,

    #[command(flatten)]
    pub reading: ReadingArgs,
}

impl DataArgs {
    /// Returns the data of a subcommand without a query; `to` says what the files are for.
    ///
    /// # Errors
    /// If options conflict or name an unknown schema, or if there is neither a file nor piped
    /// input.
    pub fn source(&self, to: &str, sources: &mut Sources) -> Result<DataSource, Failure> {
        self.source_with(&FindingArgs::default(), to, sources)
    }

    fn source_with(
        &self,
        findings: &FindingArgs,
        to: &str,
        sources: &mut Sources,
    ) -> Result<DataSource, Failure> {
        let loader = self.reading.loader(&self.files, sources)?;
        let loader = loader_or_stdin(loader, to)?;
        let config = sources.config();
        let max_len = findings.max_len.or(config.count(ConfigKey::MaxLen));
        Ok(self.with_loader(loader, config.text(ConfigKey::Reviewer), max_len))
    }

    /// Returns what a loader opens, with its journals and rules.
    pub fn with_loader(
        &self,
        loader: Loader,
        reviewer: Option<&str>,
        max_len: Option<u32>,
    ) -> DataSource {
        DataSource {
            journal: Journal::of(&loader.inputs, &self.journal, reviewer),
            rules: rules_with_warnings(max_len),
            progress: ProgressLine::on_stderr(),
            loader,
        }
    }
}

/// A query and the files to search.
#[derive(Debug, Default, Args)]
pub struct SelectionArgs {
    /// Query, as for the filter in the program (key f); empty or missing: all samples
    ///
    /// If it is the name of a file, that is the first file. To search for such a text, quote it:
    /// '"train.jsonl"'.
    #[arg(allow_hyphen_values = true, value_parser = query, default_value = "", hide_default_value = true)]
    pub query: String,

    #[command(flatten)]
    pub data: DataArgs,

    #[command(flatten)]
    pub findings: FindingArgs,
}

impl SelectionArgs {
    /// Returns the data to read. Call this before using the query, because its argument may turn
    /// out to be a file.
    ///
    /// # Errors
    /// As for [`DataArgs::source`], and if the query follows a file.
    pub fn source(&mut self, to: &str, sources: &mut Sources) -> Result<DataSource, Failure> {
        take_file(&mut self.query, &mut self.data.files)?;
        self.data.source_with(&self.findings, to, sources)
    }
}

/// If the query is `-`, an existing file or a dataset of the hub that is in the cache or has a full
/// address, makes it the first file and clears the query.
///
/// # Errors
/// If it is a file and a later argument looks like a query.
pub(super) fn take_file(query: &mut String, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let path = Path::new(&*query);
    let is_hub = path.starts_with("hf:") || hub_name(path).is_some_and(|it| it.cached().is_some());
    if query != "-" && !is_hub && (path.is_dir() || !path.exists()) {
        return Ok(());
    }
    let is_query = |file: &&PathBuf| {
        let text = file.to_string_lossy();
        text.contains([':', '=', '<', '>']) && hub_name(file).is_none() && !file.exists()
    };
    if let Some(misplaced) = files.iter().find(is_query) {
        anyhow::bail!(texts::misplaced_query(misplaced.display(), query));
    }
    files.insert(0, std::mem::take(query).into());
    Ok(())
}

/// Files and a filter.
#[derive(Debug, Default, Args)]
pub struct FilteredArgs {
    #[command(flatten)]
    pub data: DataArgs,

    /// Use only samples that match this query
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true, value_parser = query)]
    pub filter: Option<String>,

    #[command(flatten)]
    pub findings: FindingArgs,
}

impl FilteredArgs {
    /// Makes the `--against` file the last file to read, instead of pairing it with the first.
    ///
    /// # Errors
    /// If not exactly one file is compared with it.
    pub fn add_against(&mut self) -> anyhow::Result<()> {
        let Some(other) = self.data.reading.against.take() else {
            return Ok(());
        };
        if self.data.reading.on.is_some() {
            anyhow::bail!(texts::CHECK_ON);
        }
        // A finding names one place of a repeated prompt, which must be in the other file.
        if self.data.files.len() != 1 {
            anyhow::bail!(texts::one_file_to_check(self.data.files.len()));
        }
        self.data.reading.last_apart = Some(other);
        Ok(())
    }

    /// Returns the query; an empty one finds all samples.
    pub fn query(&self) -> &str {
        self.filter.as_deref().unwrap_or_default()
    }

    /// Returns the data to read.
    ///
    /// # Errors
    /// As for [`DataArgs::source`].
    pub fn source(&self, to: &str, sources: &mut Sources) -> Result<DataSource, Failure> {
        self.data.source_with(&self.findings, to, sources)
    }
}

/// Group of the options that name an output file; `--force` requires one of them.
pub(super) const WRITTEN: &str = "written";

/// The output file.
#[derive(Debug, Clone, Default, Args)]
#[command(group = ArgGroup::new(WRITTEN).multiple(true))]
pub struct OutputArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", group = WRITTEN)]
    pub output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = WRITTEN)]
    pub force: bool,
}

/// Parses the query argument. A query may begin with `-`, but misspelled options are rejected.
///
/// # Errors
/// If it looks like an option; the message is for the user.
pub(super) fn query(typed: &str) -> Result<String, String> {
    let body = typed.trim_start_matches('-');
    let dashes = typed.len() - body.len();
    let is_letter = body.chars().count() == 1;
    let is_word = body.starts_with(|c: char| c.is_ascii_lowercase());
    let is_option = (dashes == 1 && is_letter) || (dashes > 1 && is_word);
    if !is_option {
        return Ok(typed.to_owned());
    }
    let name = body.split('=').next().unwrap_or(body);
    let sign = if is_letter { "-" } else { "--" };
    Err(texts::unknown_option(format!("{sign}{name}"), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_option_is_not_a_query() {
        for typed in [
            "is:tie",
            "-is:tie",
            "-helpfulness>=3",
            "-(a or b)",
            "",
            "-\"x\"",
            "--",
            "-4",
        ] {
            let is_read = query(typed).is_ok();
            assert_eq!(is_read, typed != "-4", "{typed}");
        }
        for (typed, named) in [
            ("--rwos", "--rwos"),
            ("--format=csv", "--format"),
            ("-q", "-q"),
        ] {
            let error = query(typed).expect_err("an option");
            assert!(
                error.contains(&format!("unknown option {named} ")),
                "{error}"
            );
        }
    }
}
