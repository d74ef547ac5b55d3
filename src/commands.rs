//! Subcommands: thin users of the library, without a terminal.

mod check;
mod destination;
mod diff;
mod journals;
mod loading;
mod nothing_found;
mod reviews;
mod samples;
mod saved;
mod schemas;
mod selection;
mod sql;
mod stats;
#[cfg(test)]
mod tests;
mod training;

use std::ops::ControlFlow;

pub use check::check;
pub use destination::SaveError;
pub use diff::diff;
pub use journals::{Journal, MergeError, merge_journals};
pub use loading::{AnswerProgress, DataSource, ProgressListener, is_change};
pub use reviews::{agree, audits};
pub use samples::{list, sample, show};
pub use saved::{export, report};
pub use schemas::{
    explain_schema, guess_schema, list_schemas, schema_toml, schemas_as_json, try_schemas,
};
pub use selection::{Notes, SelectionError, count};
pub use sql::{SqlError, sql};
pub use stats::{Profiled, stats};

use crate::dataset::{Dataset, LoadEvent, Loader};
use crate::query::Catalog;

/// Fields that a query of files can name, read as far as their schemas are known; of any data where
/// none are named.
///
/// # Errors
/// When a file cannot be opened or understood.
pub fn fields(loader: &Loader) -> anyhow::Result<Vec<String>> {
    let mut schemas = Vec::new();
    if !loader.inputs.is_empty() {
        loader.run(&mut |report| {
            if let LoadEvent::File(file) = report {
                schemas.push(file);
            }
            if schemas.len() < loader.inputs.len() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    let catalog = Catalog::of_files(&schemas);
    Ok(catalog.names().map(str::to_owned).collect())
}

/// How much of each file that was joined to a dataset was matched.
fn joined_remarks(dataset: &Dataset) -> Vec<String> {
    let files = dataset.joined().iter();
    files.map(|file| file.summary()).collect()
}
