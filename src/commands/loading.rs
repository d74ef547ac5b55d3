//! Loading for subcommands: all files are read completely before the query is answered.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::progress::ProgressLine;
use super::texts;
use crate::dataset::{
    Dataset, DatasetFile, KeptColumns, Listener, LoadError, LoadEvent, Loader, MAX_ROWS, ROW_BYTES,
    ScanOptions,
};
use crate::findings::RuleSet;
use crate::query::{
    Catalog, ScanCache, TextPredicate, asks_for, is_answered_by_scan, parse, pushed_test,
};
use crate::run::{Journal, print_stderr};
use crate::schema::SchemaCatalog;
use crate::source::available_memory;
use crate::table::ColumnId;
use crate::text::{counted, grouped};

/// Minimum time between two progress updates.
const BETWEEN: Duration = Duration::from_millis(100);

/// Rows after which an estimate is reliable.
const ENOUGH: usize = 1 << 20;

/// The data of a subcommand: files, journals, and the rules of findings.
#[derive(Debug, Default)]
pub struct DataSource {
    /// Loads the files.
    pub loader: Loader,
    /// The journals of the files.
    pub journal: Journal,
    /// The rules, including the user's own.
    pub rules: RuleSet,
    /// Shows the progress.
    pub(super) progress: ProgressLine,
}

/// Whether rows are read again after scanning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowUse {
    /// Only if the query needs it.
    Scan,
    /// They are read again, to be shown or written.
    ReadAgain,
}

/// Loads all files and, while reading, answers the parts of the query that can be answered then.
///
/// # Errors
/// If a file cannot be opened or its schema is unknown, or if it changes while it is read.
pub(super) fn load(query: &str, source: &DataSource, rows: RowUse) -> anyhow::Result<LoadedFiles> {
    let loader = &source.loader;
    // With several files, the query may mean something else in each schema.
    let is_one_file = loader.inputs.len() == 1 && loader.joins.is_empty();
    let mut loading = FileLoading {
        query,
        progress: &source.progress,
        updated: Instant::now(),
        is_measured: false,
        may_scan_once: rows == RowUse::Scan && is_one_file,
        files: LoadedFiles::default(),
        refused: None,
    };
    let done = loader.run(&mut loading);
    source.progress.clear();
    done?;
    let FileLoading { files, refused, .. } = loading;
    files.dataset.check_unchanged()?;
    if let Some(error) = refused {
        return Err(error.into());
    }
    if files.dataset.files().is_empty() {
        bail!(texts::NO_FILES);
    }
    Ok(files)
}

/// Loaded files.
#[derive(Debug, Default)]
pub(super) struct LoadedFiles {
    pub(super) dataset: Dataset,
    /// Errors after the first rows, one sentence each.
    pub(super) troubles: Vec<String>,
    /// The text predicate that was evaluated while reading.
    pushed: Option<Arc<TextPredicate>>,
}

impl LoadedFiles {
    /// Returns the answers collected while reading.
    pub(super) fn scan_cache(&self) -> ScanCache {
        let cache = ScanCache::default();
        if let Some(pushed) = &self.pushed {
            pushed.keep(&self.dataset, &cache);
        }
        cache
    }
}

/// Assembles the files while they are loaded.
struct FileLoading<'q> {
    query: &'q str,
    progress: &'q ProgressLine,
    /// Time of the last progress update.
    updated: Instant,
    /// True once the expected number of rows was checked against the available memory.
    is_measured: bool,
    /// True if rows need not be read again unless the query requires it.
    may_scan_once: bool,
    files: LoadedFiles,
    refused: Option<LoadError>,
}

impl FileLoading<'_> {
    /// Shows the progress; warns once if the expected number of rows may exceed the memory.
    fn show_progress(&mut self) {
        let dataset = &self.files.dataset;
        let words = format!("reading, {}", counted(dataset.rows(), "row"));
        self.progress.set(&words, dataset.progress());
        if !self.is_measured
            && let Some(rows) = expected_rows(dataset)
        {
            self.is_measured = true;
            if let Some(warning) = scale_warning(rows, available_memory()) {
                print_stderr(&warning);
            }
        }
    }
}

impl Listener for FileLoading<'_> {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.files.dataset.add(&report);
        // Progress queries every file, which is too slow for every chunk.
        if self.updated.elapsed() >= BETWEEN {
            self.updated = Instant::now();
            self.show_progress();
        }
        match report {
            // The query needs texts of a joined file, so it cannot be answered.
            LoadEvent::Error(error @ LoadError::JoinedTexts { .. }) => self.refused = Some(error),
            LoadEvent::Error(error) => self.files.troubles.push(error.to_string()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn scan_options(&mut self, file: &DatasetFile) -> ScanOptions {
        let mut options = ScanOptions::default();
        // Errors, and fields known only once all files are loaded, are reported later.
        if let Ok(query) = parse(self.query, &Catalog::of_files([file])) {
            if self.files.pushed.is_none() {
                self.files.pushed = pushed_test(&query).map(Arc::new);
            }
            if self.may_scan_once && is_answered_by_scan(&query, true) {
                // The fields of records are surveyed on demand, so not after rows were dropped.
                options.is_read_again = !is_answered_by_scan(&query, false);
                if !options.is_read_again {
                    file.fields.settle();
                }
                // Keep all labels of a user's schema, so that labels without values can be
                // reported.
                let definition = file.schema.definition();
                let is_own = !SchemaCatalog::default().has_paths_of(definition);
                let asked =
                    |column: ColumnId| (is_own && column.is_rating()) || asks_for(&query, column);
                options.kept = Some(Arc::new(KeptColumns::only(&file.schema, asked)));
            }
        }
        if let Some(pushed) = &self.files.pushed {
            options.predicate = Some(Arc::<TextPredicate>::clone(pushed));
        }
        options
    }
}

/// Estimates the total number of rows from those read so far; `None` if there are too few.
fn expected_rows(dataset: &Dataset) -> Option<u64> {
    let rows = (dataset.rows() >= ENOUGH).then(|| dataset.rows() as f64)?;
    let share = dataset.progress().filter(|share| *share > 0.0)?;
    Some((rows / share) as u64)
}

/// Returns a warning if this many rows are too many, or need more than the free bytes of memory.
fn scale_warning(rows: u64, free: Option<u64>) -> Option<String> {
    const ADVICE: &str = "see visavis guide scale";
    let spelled = grouped(usize::try_from(rows).unwrap_or(usize::MAX));
    if rows > MAX_ROWS {
        let most = grouped(MAX_ROWS as usize);
        return Some(format!(
            "about {spelled} rows expected, but the maximum is {most}; {ADVICE}"
        ));
    }
    let needed = rows.saturating_mul(ROW_BYTES);
    let free = free.filter(|free| needed > *free)?;
    let gigabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e9);
    let (needed, free) = (gigabytes(needed), gigabytes(free));
    Some(format!(
        "about {spelled} rows expected, which need {needed} GB of memory, but {free} GB are free; {ADVICE}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_reported_in_advance() {
        for (rows, free, says) in [
            (100_000_000, Some(8_000_000_000), None),
            (100_000_000, None, None),
            (
                100_000_000,
                Some(2_000_000_000),
                Some("need 3.2 GB of memory, but 2.0 GB are free"),
            ),
            (4_294_967_294, None, None),
            (4_294_967_295, None, Some("the maximum is 4,294,967,294")),
        ] {
            let warning = scale_warning(rows, free);
            assert_eq!(warning.is_some(), says.is_some(), "{rows}: {warning:?}");
            let said = warning.unwrap_or_default();
            assert!(said.contains(says.unwrap_or_default()), "{said}");
        }
    }
}
