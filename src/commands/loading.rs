//! Files as subcommands read them: all of them, before anything is asked.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::progress::ProgressLine;
use crate::dataset::{
    Dataset, DatasetFile, KeptColumns, Listener, LoadError, LoadEvent, Loader, ScanOptions,
    scale_warning,
};
use crate::findings::RuleSet;
use crate::query::{
    Catalog, ScanCache, TextPredicate, asks_for, is_answered_by_scan, parse, pushed_test,
};
use crate::run::{Journal, complain};
use crate::schema::SchemaCatalog;
use crate::source::available_memory;
use crate::table::ColumnId;
use crate::text::counted;

/// The least time between two tellings of how far files are read.
const BETWEEN: Duration = Duration::from_millis(100);

/// What a subcommand works on: files, what reviewers said of them, and the rules of findings.
#[derive(Debug, Default)]
pub struct DataSource {
    /// What loads the files.
    pub loader: Loader,
    /// What reviewers said.
    pub journal: Journal,
    /// The rules, the user's own among them.
    pub rules: RuleSet,
    /// Draws how far the answer is.
    pub(super) progress: ProgressLine,
}

/// What is done with rows once they were scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowUse {
    /// Nothing that the query does not ask for.
    Scan,
    /// They are read again, to be shown or written.
    ReadAgain,
}

/// Everything there is, and what its rows say of a query, as far as that can be asked while they are
/// read. Of files that were written to meanwhile nothing is told.
///
/// # Errors
/// When a file cannot be opened or understood, or is written to meanwhile.
pub(super) fn load(query: &str, source: &DataSource, rows: RowUse) -> anyhow::Result<LoadedFiles> {
    let loader = &source.loader;
    // Schemas of several files may read a query each in its way.
    let is_one_file = loader.inputs.len() == 1 && loader.joins.is_empty();
    let mut loading = FileLoading {
        query,
        progress: &source.progress,
        told: Instant::now(),
        is_measured: false,
        may_scan_once: rows == RowUse::Scan && is_one_file,
        files: LoadedFiles::default(),
        refused: None,
    };
    let done = loader.run(&mut loading);
    source.progress.end();
    done?;
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
pub(super) struct LoadedFiles {
    pub(super) dataset: Dataset,
    /// What went wrong behind the first rows, one sentence each.
    pub(super) troubles: Vec<String>,
    /// What rows were asked while they were read.
    pushed: Option<Arc<TextPredicate>>,
}

impl LoadedFiles {
    /// What rows were found to say.
    pub(super) fn scan_cache(&self) -> ScanCache {
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
    progress: &'q ProgressLine,
    /// When it was last told how far it is.
    told: Instant,
    /// Whether it was looked how much there will be.
    is_measured: bool,
    /// Whether rows are read again only if the query asks for it.
    may_scan_once: bool,
    files: LoadedFiles,
    refused: Option<LoadError>,
}

impl FileLoading<'_> {
    /// Tells how far it is and, once that can be foreseen, what it will come to.
    fn tell_progress(&mut self) {
        let dataset = &self.files.dataset;
        let words = format!("reading, {}", counted(dataset.rows(), "row"));
        self.progress.tell(&words, dataset.progress());
        if !self.is_measured
            && let Some(rows) = dataset.expected_rows()
        {
            self.is_measured = true;
            if let Some(warning) = scale_warning(rows, available_memory()) {
                complain(&warning);
            }
        }
    }
}

impl Listener for FileLoading<'_> {
    fn tell(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.files.dataset.add(&report);
        // How far many files are is asked of each of them: not for every piece.
        if self.told.elapsed() >= BETWEEN {
            self.told = Instant::now();
            self.tell_progress();
        }
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
        if let Ok(query) = parse(self.query, &Catalog::of_files([file])) {
            if self.files.pushed.is_none() {
                self.files.pushed = pushed_test(&query).map(Arc::new);
            }
            if self.may_scan_once && is_answered_by_scan(&query, true) {
                // Fields are read of rows once somebody asks.
                options.is_read_again = !is_answered_by_scan(&query, false);
                if !options.is_read_again {
                    file.fields.settle();
                }
                // Which labels of a person's own schema nothing has is told, whatever was asked.
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
