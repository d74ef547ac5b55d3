//! `visavis sql`: a query as a statement.

use std::ops::ControlFlow;

use super::SelectionError;
use crate::cli::{DialectName, SqlTask};
use crate::dataset::{DatasetFile, LoadEvent, Loader};
use crate::findings::RuleSet;
use crate::query::{Catalog, parse};
use crate::source::Input;
use crate::sql::{SqlDialect, SqlFile, SqlOutput, SqlRefusal, SqlRequest, statement};

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
pub fn sql(task: &SqlTask, rules: &RuleSet) -> Result<String, SqlError> {
    let refuse = |of: &str, reason: &str| {
        let (of, reason) = (of.to_owned(), reason.to_owned());
        Err(SqlError::Refused(SqlRefusal { of, reason }))
    };
    let loader = &task.loader;
    let mut files = Vec::new();
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
        files.extend(head(loader, input)?);
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
    let catalog = Catalog::of(files.iter().map(|file| &*file.schema));
    let catalog = catalog.with_rules(rules.definitions());
    let query = parse(&task.query, &catalog)
        .map_err(|error| SqlError::Asked(SelectionError::Query(error)))?;
    let sql_files: Vec<_> = files.iter().map(SqlFile::of).collect();
    let output = match (&task.draw, task.counts) {
        (Some(draw), _) => SqlOutput::Draw {
            samples: draw.samples,
            seed: draw.seed,
            to: draw.to.clone(),
        },
        (None, true) => SqlOutput::Count,
        (None, false) => SqlOutput::List,
    };
    let request = SqlRequest {
        query: &query,
        catalog: &catalog,
        definition: schema,
        files: &sql_files,
        dialect: match task.dialect {
            DialectName::DuckDb => SqlDialect::DuckDb,
            DialectName::Spark => SqlDialect::Spark,
        },
        output: &output,
    };
    statement(request).map_err(SqlError::Refused)
}

/// What is known of a file by its beginning.
fn head(loader: &Loader, input: &Input) -> anyhow::Result<Option<DatasetFile>> {
    let loader = Loader {
        inputs: vec![input.clone()],
        ..loader.clone()
    };
    let mut head = None;
    loader.run(&mut |report| match report {
        LoadEvent::File(file) => {
            head = Some(file);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })?;
    Ok(head)
}
