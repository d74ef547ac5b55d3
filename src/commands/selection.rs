//! What a query finds in files, and how many samples that are.

use std::ops::ControlFlow;

use super::journals::LoadedJournal;
use super::loading::{LoadedFiles, RowUse, load};
use super::{DataSource, Journal, joined_remarks};
use crate::dataset::Dataset;
use crate::findings::RuleSet;
use crate::query::{
    Catalog, Query, QueryContext, QueryError, QueryResult, Remarks, ScanCache, depends_on_remarks,
    find, parse, sort,
};
use crate::review::{RemarkScope, locate_all};

/// Why a query has no answer.
#[derive(Debug)]
pub enum SelectionError {
    /// The files, the journal or the command line are not right.
    Files(anyhow::Error),
    /// The query does not read.
    Query(QueryError),
}

impl From<anyhow::Error> for SelectionError {
    fn from(error: anyhow::Error) -> Self {
        Self::Files(error)
    }
}

/// What a person should know beside the answer.
#[derive(Debug, Default)]
pub struct Notes {
    /// One sentence each: how much of joined files was matched, malformed lines, odd values, what is
    /// wrong in the journal.
    pub remarks: Vec<String>,
    /// Files that end before their time, one sentence each: what came before is answered for.
    pub troubles: Vec<String>,
}

impl Notes {
    /// Of files as they were loaded.
    pub(super) fn of(dataset: &Dataset, troubles: Vec<String>) -> Self {
        let mut remarks = joined_remarks(dataset);
        remarks.extend(malformed_remark(dataset.malformed()));
        remarks.extend(odd_rows_remark(dataset.odd_rows()));
        Self { remarks, troubles }
    }
}

/// A query over files that are loaded, and all that its answer needs.
#[derive(Debug)]
pub(super) struct QueriedData {
    pub(super) dataset: Dataset,
    pub(super) catalog: Catalog,
    query: Query,
    memory: ScanCache,
    remarks: Remarks,
    troubles: Vec<String>,
}

impl QueriedData {
    /// Loads files and reads a query of them.
    ///
    /// # Errors
    /// When a file cannot be opened or understood or is written to meanwhile, or the query or the
    /// journal that it asks for does not read.
    pub(super) fn load(
        source: &DataSource,
        query: &str,
        rows: RowUse,
    ) -> Result<Self, SelectionError> {
        Self::over(load(query, &source.loader, rows)?, source, query)
    }

    /// Reads a query of files that are loaded.
    ///
    /// # Errors
    /// When it does not read, or the journal that it asks for.
    pub(super) fn over(
        files: LoadedFiles,
        source: &DataSource,
        query: &str,
    ) -> Result<Self, SelectionError> {
        let memory = files.scan_cache();
        let LoadedFiles {
            dataset, troubles, ..
        } = files;
        let (query, catalog) = read_query(query, &dataset, &source.journal, &source.rules)?;
        let remarks = remarks_for(&query, &dataset, &source.journal)?;
        Ok(Self {
            dataset,
            catalog,
            query,
            memory,
            remarks,
            troubles,
        })
    }

    /// Shows what the filter finds, in dataset order, piece by piece.
    pub(super) fn each(&self, show: &mut dyn FnMut(&QueryResult)) {
        let known = QueryContext {
            memory: &self.memory,
            remarks: &self.remarks,
            rules: self.catalog.rules(),
        };
        let all = 0..self.dataset.samples();
        // Nothing breaks it off but what ends the program.
        let _ = find(
            &self.query,
            &self.dataset,
            all,
            known,
            &|| true,
            &mut |found, _| {
                show(&found);
                ControlFlow::Continue(())
            },
        );
    }

    /// All that the filter finds, in the order of the query.
    pub(super) fn found(&self) -> QueryResult {
        let mut found = QueryResult::default();
        self.each(&mut |more| found.extend(more));
        let _ = sort(
            &self.query,
            &self.dataset,
            &self.remarks,
            &mut found,
            &|| true,
        );
        found
    }

    /// The query as it was read.
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    /// Whether the files are still what was read.
    ///
    /// # Errors
    /// When somebody wrote to one of them.
    pub(super) fn check_unchanged(&self) -> Result<(), SelectionError> {
        let unchanged = self.dataset.check_unchanged();
        unchanged.map_err(|error| SelectionError::Files(error.into()))
    }

    /// What a person should know of the files.
    pub(super) fn notes(&self) -> Notes {
        Notes::of(&self.dataset, self.troubles.clone())
    }
}

/// How much a query finds.
#[derive(Debug, Default)]
pub struct CountSummary {
    /// Samples for which the query holds.
    pub samples: usize,
    /// Responses for which it holds; all of a sample's where it speaks of the sample alone.
    pub responses: usize,
    /// What a person should know of the files.
    pub notes: Notes,
}

/// Counts what a query finds in files.
///
/// # Errors
/// When a file cannot be opened or understood or is written to meanwhile, or the query does not
/// read.
pub fn count(source: &DataSource, query: &str) -> Result<CountSummary, SelectionError> {
    let selection = QueriedData::load(source, query, RowUse::Scan)?;
    let mut counted = CountSummary::default();
    selection.each(&mut |found| {
        counted.samples += found.samples.len();
        counted.responses += found.responses();
    });
    selection.check_unchanged()?;
    counted.notes = selection.notes();
    Ok(counted)
}

/// What a person should know of so many rows with values that count as none; nothing where there
/// are none.
fn odd_rows_remark(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 row has a value that its field cannot have, which counts as none; is:flagged finds it".to_owned()),
        several => Some(format!(
            "{several} rows have values that their fields cannot have, which count as none; is:flagged finds them"
        )),
    }
}

/// What a person should know of so many malformed rows; nothing where there are none.
fn malformed_remark(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 line does not read as its schema says; is:malformed finds it".to_owned()),
        several => Some(format!(
            "{several} lines do not read as their schema says; is:malformed finds them"
        )),
    }
}

/// Reads a query; the journal is read for the names of reviewers only where it does not read
/// without them.
///
/// # Errors
/// When it does not read with them either, or a journal that somebody named does not.
pub(super) fn read_query(
    text: &str,
    dataset: &Dataset,
    journal: &Journal,
    rules: &RuleSet,
) -> Result<(Query, Catalog), SelectionError> {
    let mut catalog = Catalog::of_dataset(dataset).with_rules(rules.definitions());
    let error = match parse(text, &catalog) {
        Ok(query) => return Ok((query, catalog)),
        Err(error) => SelectionError::Query(error),
    };
    let said = match LoadedJournal::read(journal) {
        Ok(said) => said,
        Err(unread) if journal.is_named => return Err(SelectionError::Files(unread)),
        Err(_) => return Err(error),
    };
    catalog.set_reviewers(&said.ledger.reviewers());
    let query = parse(text, &catalog).map_err(SelectionError::Query)?;
    Ok((query, catalog))
}

/// What reviewers said, where a query asks for it.
///
/// # Errors
/// When the journal does not read.
fn remarks_for(query: &Query, dataset: &Dataset, journal: &Journal) -> anyhow::Result<Remarks> {
    if !depends_on_remarks(query) {
        return Ok(Remarks::default());
    }
    let said = LoadedJournal::read(journal)?;
    let places = locate_all(dataset, &said.ledger.sample_refs(), &|| true).unwrap_or_default();
    let scope = RemarkScope {
        ledger: &said.ledger,
        places: &places,
        dataset,
        only: None,
        own: &journal.reviewer,
    };
    Ok(scope.remarks())
}
