//! What subcommands over data have in common: files, how they are read, what reviewers said of them,
//! and where the answer goes.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};

use super::reading::{CatalogSource, READING, ReadingArgs};
use super::{ConfigSource, FindingArgs, judging};
use crate::dataset::Loader;

/// Files, and what is known of their samples beside them.
#[derive(Debug, Args)]
pub(super) struct DataArgs {
    /// Files to read, in this order; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The journal of what reviewers did [default: FILE.review.jsonl beside the first file]; given
    /// several times, all are read
    #[arg(long, value_name = "PATH", help_heading = READING)]
    journal: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl DataArgs {
    /// Reads this file first, if it is not named already.
    pub(super) fn add_first(&mut self, file: PathBuf) {
        if !self.files.contains(&file) {
            self.files.insert(0, file);
        }
    }

    /// What is to be read, whatever is asked of it.
    ///
    /// # Errors
    /// When options of reading do not go together, or name no schema.
    pub(super) fn task(self, catalog: CatalogSource<'_>) -> anyhow::Result<DataTask> {
        Ok(DataTask {
            reviewer: None,
            max_len: None,
            loader: self.reading.loader(self.files, catalog)?,
            journal: self.journal,
        })
    }
}

/// A query, and the files that it is asked of.
#[derive(Debug, Args)]
pub(super) struct SelectionArgs {
    /// The query, as `f` takes it inside the program; '' finds everything
    #[arg(allow_hyphen_values = true, value_parser = query)]
    query: String,

    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    findings: FindingArgs,
}

impl SelectionArgs {
    /// The same, with a file that all others are held against.
    pub(super) fn held_against(mut self, other: Option<PathBuf>) -> Self {
        self.data.reading.last_apart = other.or(self.data.reading.last_apart);
        self
    }

    /// What is to be found in what.
    ///
    /// # Errors
    /// When options of reading do not go together, or name no schema.
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: ConfigSource<'_>,
    ) -> anyhow::Result<SelectionTask> {
        self.task_with("", catalog, config)
    }

    /// A file that stands where the query belongs would be looked for in the texts.
    ///
    /// # Errors
    /// When it does, and no file follows it, or what follows is a query.
    fn check_order(&self) -> anyhow::Result<()> {
        let Self { query, data, .. } = self;
        if query.is_empty() || !Path::new(query).is_file() {
            return Ok(());
        }
        if data.files.is_empty() {
            anyhow::bail!(
                "{query} was taken for the query, and no file is named: write '' {query} for all of it"
            );
        }
        let is_query = |file: &&PathBuf| {
            let text = file.to_string_lossy();
            text.contains([':', '=', '<', '>']) && !text.contains("://") && !file.exists()
        };
        if let Some(misplaced) = data.files.iter().find(is_query) {
            anyhow::bail!(
                "{query} was taken for the query, and there is no file {}: the query stands before the files",
                misplaced.display()
            );
        }
        Ok(())
    }

    /// [`Self::task`] where fields are asked for beside the query, in `more`.
    ///
    /// # Errors
    /// As there.
    pub(super) fn task_with(
        self,
        more: &str,
        catalog: CatalogSource<'_>,
        config: ConfigSource<'_>,
    ) -> anyhow::Result<SelectionTask> {
        self.check_order()?;
        let asked = format!("{} {more}", self.query);
        let data = DataTask {
            reviewer: judging::asker(&asked, config),
            max_len: self.findings.max_len(&asked, config),
            ..self.data.task(catalog)?
        };
        Ok(SelectionTask {
            data,
            query: self.query,
        })
    }
}

/// Files, and a query that leaves some of their samples.
#[derive(Debug, Args)]
pub(super) struct FilteredArgs {
    #[command(flatten)]
    data: DataArgs,

    /// Look at the samples that this query finds
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true, value_parser = query)]
    pub(super) filter: Option<String>,

    #[command(flatten)]
    findings: FindingArgs,
}

impl FilteredArgs {
    /// Reads the file of `--against` behind the others, instead of showing both face to face.
    ///
    /// # Errors
    /// When it is not one file that is held against it.
    pub(super) fn add_against(&mut self) -> anyhow::Result<()> {
        let Some(other) = self.data.reading.against.take() else {
            return Ok(());
        };
        if self.data.reading.on.is_some() {
            anyhow::bail!("--on: prompts are held against each other here, and no rows matched");
        }
        // Of a prompt that several files have one place is told, and that must be the other file's.
        if self.data.files.len() != 1 {
            anyhow::bail!(
                "--against: name one file that is held against it, not {}; several go one by one",
                self.data.files.len()
            );
        }
        self.data.reading.last_apart = Some(other);
        Ok(())
    }

    /// What is to be found in what: everything where no query is given.
    ///
    /// # Errors
    /// When options of reading do not go together, or name no schema.
    pub(super) fn task(
        self,
        catalog: CatalogSource<'_>,
        config: ConfigSource<'_>,
    ) -> anyhow::Result<SelectionTask> {
        let selection = SelectionArgs {
            query: self.filter.unwrap_or_default(),
            data: self.data,
            findings: self.findings,
        };
        selection.task(catalog, config)
    }
}

/// What a subcommand reads.
#[derive(Debug, Default)]
pub struct DataTask {
    /// What loads the files; none are named for standard input.
    pub loader: Loader,
    /// The journals, where they are named.
    pub journal: Vec<PathBuf>,
    /// Who asks, where that is set and matters.
    pub reviewer: Option<String>,
    /// Characters of a response that training keeps, where that is said and matters.
    pub max_len: Option<u32>,
}

/// What is to be found in what.
#[derive(Debug)]
pub struct SelectionTask {
    /// What is read.
    pub data: DataTask,
    /// The query, not yet read; empty finds everything.
    pub query: String,
}

/// What names a file that is written: without one, there is nothing to replace.
pub(super) const WRITTEN: &str = "written";

/// Where something goes that is written.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new(WRITTEN).multiple(true))]
pub struct OutputArgs {
    /// Write into this file instead of onto standard output
    #[arg(short, long, value_name = "FILE", group = WRITTEN)]
    pub output: Option<PathBuf>,

    /// Replace the file if there is one
    #[arg(long, requires = WRITTEN)]
    pub force: bool,
}

/// A query as it is typed on the command line. One may begin with a `-`; a misspelt option is none.
///
/// # Errors
/// When it looks like an option, in words for people.
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
    Err(format!(
        "there is no option {sign}{name} here (--help lists those that there are), and a query that \
         leaves out a word is written 'not {body}'"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_option_is_no_query() {
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
                error.contains(&format!("no option {named} here")),
                "{error}"
            );
        }
    }
}
