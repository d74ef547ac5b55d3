//! Subcommands: thin users of the library, without a terminal.

mod saved;
mod schemas;
mod sql;
mod stats;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::bail;

pub use saved::{ExportOutcome, Journal, SaveError, export, journal_path, report};
use saved::{ReadQueryError, read_query, remarks_for};
pub use schemas::{explain_schema, list_schemas, schema_toml, try_schemas};
pub use sql::{SqlError, sql};
pub use stats::{Profiled, stats};

use crate::dataset::{Dataset, DatasetFile, Listener, LoadError, LoadEvent, Loader, ScanOptions};
use crate::findings::RuleSet;
use crate::query::{
    Catalog, PushedRowTest, QueryContext, QueryError, ScanCache, find, is_answered_by_scan, parse,
    pushed_test,
};
use crate::source::SourceError;

/// What `visavis count` found.
#[derive(Debug, Default)]
pub struct CountSummary {
    /// Samples for which the query holds.
    pub samples: usize,
    /// Responses for which it holds; all of a sample's where it speaks of the sample alone.
    pub responses: usize,
    /// Rows that do not read as their schema says.
    pub malformed: usize,
    /// Rows with a value that its field cannot have, and that counts as none.
    pub odd_rows: usize,
    /// How much of each joined file was matched, one sentence each.
    pub joined: Vec<String>,
    /// Files that end before their time, one sentence each: what came before is counted.
    pub troubles: Vec<String>,
}

/// Why a query cannot be answered.
#[derive(Debug)]
pub enum CountError {
    /// The files cannot be read.
    Files(anyhow::Error),
    /// The query does not read.
    Query(QueryError),
}

/// Counts what a query finds in files.
///
/// # Errors
/// When a file cannot be opened or understood or is written to meanwhile, or the query does not
/// read.
pub fn count(
    loader: &Loader,
    query: &str,
    journal: &Journal,
    rules: &RuleSet,
) -> Result<CountSummary, CountError> {
    let files = load_for(query, loader, RowUse::Scan).map_err(CountError::Files)?;
    let memory = files.scan_cache();
    let LoadedFiles {
        dataset, troubles, ..
    } = files;
    let (query, catalog) =
        read_query(query, &dataset, journal, rules).map_err(|error| match error {
            ReadQueryError::Query(error) => CountError::Query(error),
            ReadQueryError::Journal(error) => CountError::Files(error),
        })?;
    let mut counted = CountSummary {
        malformed: dataset.malformed(),
        odd_rows: dataset.odd_rows(),
        joined: joined_remarks(&dataset),
        troubles,
        ..CountSummary::default()
    };
    let remarks = remarks_for(&query, &dataset, journal).map_err(CountError::Files)?;
    let known = QueryContext {
        memory: &memory,
        remarks: &remarks,
        rules: catalog.rules(),
    };
    let all = 0..dataset.samples();
    // Nothing breaks it off but what ends the program.
    let _ = find(&query, &dataset, all, known, &|| true, &mut |found, _| {
        counted.samples += found.samples.len();
        counted.responses += found.responses();
        ControlFlow::Continue(())
    });
    dataset
        .check_unchanged()
        .map_err(|error| CountError::Files(error.into()))?;
    Ok(counted)
}

/// What a person should know of so many rows with values that count as none; nothing where there
/// are none.
pub fn odd_rows_remark(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 row has a value that its field cannot have, which counts as none; is:flagged finds it".to_owned()),
        several => Some(format!(
            "{several} rows have values that their fields cannot have, which count as none; is:flagged finds them"
        )),
    }
}

/// What a person should know of so many malformed rows; nothing where there are none.
pub fn malformed_remark(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 line does not read as its schema says; is:malformed finds it".to_owned()),
        several => Some(format!(
            "{several} lines do not read as their schema says; is:malformed finds them"
        )),
    }
}

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
    let catalog = Catalog::of(schemas.iter().map(|file| &*file.schema));
    Ok(catalog.names().map(str::to_owned).collect())
}

/// How much of each file that was joined to a dataset was matched.
fn joined_remarks(dataset: &Dataset) -> Vec<String> {
    let files = dataset.joined().iter();
    files.map(|file| file.summary()).collect()
}

/// Whether the files are not right because somebody wrote to them meanwhile.
pub fn is_change(error: &anyhow::Error) -> bool {
    let of_source = error.downcast_ref::<SourceError>();
    of_source.is_some_and(SourceError::is_change)
        || error.downcast_ref().is_some_and(LoadError::is_change)
}

/// Everything there is, with what went wrong behind the first rows. Of files that were written to
/// meanwhile nothing is told.
fn load(loader: &Loader) -> anyhow::Result<LoadedFiles> {
    load_for("", loader, RowUse::ReadAgain)
}

/// What is done with rows once they were scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowUse {
    /// Nothing that the query does not ask for.
    Scan,
    /// They are read again, to be shown or written.
    ReadAgain,
}

/// Everything there is, and what its rows say of a query, as far as that can be asked while they are
/// read.
fn load_for(query: &str, loader: &Loader, rows: RowUse) -> anyhow::Result<LoadedFiles> {
    // Schemas of several files may read a query each in its way.
    let is_one_file = loader.inputs.len() == 1 && loader.joins.is_empty();
    let mut loading = FileLoading {
        query,
        may_scan_once: rows == RowUse::Scan && is_one_file,
        files: LoadedFiles::default(),
        refused: None,
    };
    loader.run(&mut loading)?;
    let FileLoading { files, refused, .. } = loading;
    files.dataset.check_unchanged()?;
    if let Some(error) = refused {
        return Err(error.into());
    }
    if files.dataset.files().is_empty() {
        bail!("there is nothing to read");
    }
    Ok(files)
}

/// What files came to.
#[derive(Debug, Default)]
struct LoadedFiles {
    dataset: Dataset,
    /// What went wrong behind the first rows, one sentence each.
    troubles: Vec<String>,
    /// What rows were asked while they were read.
    pushed: Option<Arc<PushedRowTest>>,
}

impl LoadedFiles {
    /// What rows were found to say.
    fn scan_cache(&self) -> ScanCache {
        let cache = ScanCache::default();
        if let Some(pushed) = &self.pushed {
            pushed.keep(&self.dataset, &cache);
        }
        cache
    }
}

/// Puts files together while they are loaded.
struct FileLoading<'q> {
    query: &'q str,
    /// Whether rows are read again only if the query asks for it.
    may_scan_once: bool,
    files: LoadedFiles,
    refused: Option<LoadError>,
}

impl Listener for FileLoading<'_> {
    fn tell(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.files.dataset.add(&report);
        match report {
            // What was asked of that file has no answer.
            LoadEvent::Trouble(error @ LoadError::JoinedTexts { .. }) => self.refused = Some(error),
            LoadEvent::Trouble(error) => self.files.troubles.push(error.to_string()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn scan_options(&mut self, file: &DatasetFile) -> ScanOptions {
        let mut options = ScanOptions::default();
        // What is wrong with it, or only known of the whole dataset, comes out behind that.
        if let Ok(query) = parse(self.query, &Catalog::of([&*file.schema])) {
            if self.files.pushed.is_none() {
                self.files.pushed = pushed_test(&query).map(Arc::new);
            }
            options.is_read_again = !(self.may_scan_once && is_answered_by_scan(&query));
        }
        if let Some(pushed) = &self.files.pushed {
            options.predicate = Some(Arc::<PushedRowTest>::clone(pushed));
        }
        options
    }
}
