//! `visavis sql`: a query as a statement.

use std::ops::ControlFlow;

use super::SelectionError;
use crate::cli::{DialectName, SqlArgs};
use crate::dataset::{Dataset, DatasetFile, LoadEvent, Loader};
use crate::findings::RuleSet;
use crate::query::{Catalog, parse};
use crate::source::Input;
use crate::sql::{SqlDialect, SqlFile, SqlOutput, SqlRefusal, SqlRequest, statement};

/// Samples of each file that are looked at for lists of messages.
const FIRST_SAMPLES: usize = 256;

/// Why there is no statement.
#[derive(Debug)]
pub enum SqlError {
    /// The files cannot be read, or the query does not read.
    Asked(SelectionError),
    /// SQL cannot say it.
    Refused(SqlRefusal),
}

impl From<anyhow::Error> for SqlError {
    fn from(error: anyhow::Error) -> Self {
        Self::Asked(SelectionError::Files(error))
    }
}

/// A query as a statement or as a program. Of the files the beginnings are read, which tell their
/// schemas.
///
/// # Errors
/// When a file cannot be opened or understood, the query does not read, or SQL cannot say it.
pub fn sql(args: &SqlArgs, loader: &Loader, rules: &RuleSet) -> Result<String, SqlError> {
    let refuse = |of: &str, reason: &str| {
        let (of, reason) = (of.to_owned(), reason.to_owned());
        Err(SqlError::Refused(SqlRefusal { of, reason }))
    };
    let (mut files, mut messages) = (Vec::new(), None);
    for input in &loader.inputs {
        match input {
            Input::Path(path) if path.is_file() => {}
            Input::Path(path) if path.exists() => {
                return refuse(
                    &path.to_string_lossy(),
                    "it is no file that can be read again",
                );
            }
            Input::Stdin => {
                return refuse(
                    "standard input",
                    "a statement names the files that it reads",
                );
            }
            _ => {}
        }
        let (file, path) = head(loader, input)?;
        let name = file.as_ref().map(|file| file.source.name().to_owned());
        messages = messages.or_else(|| path.zip(name));
        files.extend(file);
    }
    let Some(first) = files.first() else {
        return refuse("no file", "name the files that the statement is to read");
    };
    let schema = first.schema.definition();
    if let Some(other) = (files.iter()).find(|file| file.schema.definition().name != schema.name) {
        let reason = format!(
            "{} has the schema {} and {} another one, {}: ask for each by itself",
            first.source.name(),
            schema.name,
            other.source.name(),
            other.schema.definition().name
        );
        return refuse("several schemas", &reason);
    }
    let catalog = Catalog::of_files(&files);
    let catalog = catalog.with_rules(&rules.definitions());
    let query = parse(&args.query, &catalog)
        .map_err(|error| SqlError::Asked(SelectionError::Query(error)))?;
    let sql_files: Vec<_> = files.iter().map(SqlFile::of).collect();
    let output = match (args.sample, &args.to) {
        (Some(samples), Some(to)) => SqlOutput::Draw {
            samples,
            seed: args.seed,
            to: to.clone(),
        },
        _ if args.count => SqlOutput::Count,
        _ => SqlOutput::List,
    };
    let request = SqlRequest {
        query: &query,
        catalog: &catalog,
        definition: schema,
        files: &sql_files,
        dialect: match args.dialect {
            DialectName::DuckDb => SqlDialect::DuckDb,
            DialectName::Spark => SqlDialect::Spark,
        },
        output: &output,
    };
    let text = statement(request).map_err(SqlError::Refused)?;
    let Some((path, file)) = messages else {
        return Ok(text);
    };
    let reason = format!(
        "{file} has lists of messages there, and a statement reads texts alone; visavis export '' {file} -o rows.csv writes its samples as a table"
    );
    refuse(&path, &reason)
}

/// Returns what is known of a file by its beginning, and where its first rows have lists of messages
/// in place of texts.
fn head(loader: &Loader, input: &Input) -> anyhow::Result<(Option<DatasetFile>, Option<String>)> {
    let loader = Loader {
        inputs: vec![input.clone()],
        ..loader.clone()
    };
    let (mut head, mut dataset) = (None, Dataset::default());
    loader.run(&mut |report| {
        dataset.add(&report);
        match report {
            LoadEvent::File(file) => head = Some(file),
            LoadEvent::Chunk(_) => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    let mut path = None;
    dataset.for_each_sample(0..FIRST_SAMPLES, &|_| true, &mut |_, rows| {
        for row in rows.lines().iter().map(|line| rows.schema().row(line)) {
            path = (path.take()).or_else(|| row.ok()?.message_path().map(|path| path.to_string()));
        }
    });
    Ok((head, path))
}
