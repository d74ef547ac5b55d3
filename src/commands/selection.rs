//! The samples that a query finds in files.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::journals::LoadedJournals;
use super::loading::{DataSource, LoadedFiles, RowUse, load};
use super::progress::ProgressLine;
use super::texts;
use crate::dataset::{Dataset, LenientRows, RuleStage};
use crate::export::{DroppedLeaks, ListedColumn};
use crate::findings::RuleSet;
use crate::query::{
    Catalog, Query, QueryContext, QueryError, QueryResult, ReviewIndex, ScanCache,
    depends_on_remarks, find, find_findings, parse, sort,
};
use crate::review::{Workspace, locate_all};
use crate::run::{Failure, Journal, print_stderr};
use crate::table::{ColumnSource, OverlapScope, SampleComparison};
use crate::text::{counted, grouped, one_line};

/// Warnings that accompany an answer.
#[derive(Debug, Default)]
pub struct Notes {
    /// One sentence each: matches of joined files, malformed lines, odd values, unused parts of the
    /// schema, terms that can never match.
    pub remarks: Vec<String>,
    /// Truncated files, one sentence each; the answer covers the rows before the end.
    pub troubles: Vec<String>,
}

impl Notes {
    /// Returns the warnings about loaded files.
    pub(super) fn of(dataset: &Dataset, troubles: Vec<String>) -> Self {
        let joined = dataset.joined().iter();
        let mut remarks: Vec<_> = joined.map(|file| file.summary()).collect();
        remarks.extend(malformed_remark(dataset.malformed()));
        remarks.extend(lenient_remark(dataset.lenient_rows()));
        remarks.extend(dataset.reading_warnings(true));
        Self { remarks, troubles }
    }

    /// Prints the warnings; `done` says what was done with the rows before the end of a truncated
    /// file.
    ///
    /// # Errors
    /// If a file is truncated.
    pub(super) fn print(&self, done: &str) -> Result<(), Failure> {
        self.print_with(&texts::rows_before(done))
    }

    /// Prints the warnings like [`Self::print`], with a clause about the other rows.
    pub(super) fn print_with(&self, rest: &str) -> Result<(), Failure> {
        self.remarks.iter().for_each(|remark| print_stderr(remark));
        let Some((last, before)) = self.troubles.split_last() else {
            return Ok(());
        };
        before.iter().for_each(|trouble| print_stderr(trouble));
        Err(Failure::runtime(format!("{last}; {rest}")))
    }
}

/// Loaded files with a query and what is needed to answer it.
#[derive(Debug)]
pub(super) struct QueriedData<'s> {
    progress: &'s ProgressLine,
    pub(super) dataset: Dataset,
    pub(super) catalog: Catalog,
    pub(super) query: Query,
    memory: ScanCache,
    pub(super) remarks: ReviewIndex,
    pub(super) troubles: Vec<String>,
}

impl<'s> QueriedData<'s> {
    /// Loads files and parses a query.
    ///
    /// # Errors
    /// If a file cannot be read or changes meanwhile, or the query or a required journal is
    /// invalid.
    pub(super) fn load(source: &'s DataSource, query: &str, rows: RowUse) -> Result<Self, Failure> {
        Self::over(load(query, source, rows)?, source, query)
    }

    /// Parses a query over loaded files.
    ///
    /// # Errors
    /// If the query or a journal that it needs cannot be parsed.
    pub(super) fn over(
        files: LoadedFiles,
        source: &'s DataSource,
        query: &str,
    ) -> Result<Self, Failure> {
        let memory = files.scan_cache();
        let LoadedFiles {
            dataset, troubles, ..
        } = files;
        let (query, catalog) = read_query(query, &dataset, &source.journal, &source.rules)?;
        let remarks = if depends_on_remarks(&query) {
            index_reviews(
                &LoadedJournals::read(&source.journal)?,
                &dataset,
                &source.journal,
            )
        } else {
            ReviewIndex::default()
        };
        Ok(Self {
            progress: &source.progress,
            dataset,
            catalog,
            query,
            memory,
            remarks,
            troubles,
        })
    }

    /// Returns what a query can use besides the dataset's columns.
    pub(super) fn context(&self) -> QueryContext<'_> {
        QueryContext {
            memory: &self.memory,
            remarks: &self.remarks,
            rules: self.catalog.rules(),
            is_blind: false,
        }
    }

    /// Calls `show` with parts of the filter's result, in dataset order.
    pub(super) fn for_each_match(&self, show: &mut dyn FnMut(&QueryResult)) {
        let known = self.context();
        let samples = self.dataset.samples();
        // Not cancelled: only the end of the process stops it.
        let _ = find(
            &self.query,
            &self.dataset,
            0..samples,
            known,
            &|| true,
            &mut |found, done| {
                show(&found);
                let share = done as f64 / samples.max(1) as f64;
                self.progress.set("searching", Some(share));
                ControlFlow::Continue(())
            },
        );
        self.progress.clear();
    }

    /// Returns all samples that the query finds, in its sort order.
    pub(super) fn found(&self) -> QueryResult {
        let mut found = QueryResult::default();
        self.for_each_match(&mut |more| found.extend(more));
        let _ = sort(
            &self.query,
            &self.dataset,
            &self.remarks,
            &mut found,
            &|| true,
        );
        found
    }

    /// Returns the number of matching samples and of matching responses (all responses of a sample
    /// if the query is about samples).
    pub(super) fn counts(&self) -> (usize, usize) {
        let (mut samples, mut responses) = (0, 0);
        self.for_each_match(&mut |found| {
            samples += found.samples.len();
            responses += found.responses();
        });
        (samples, responses)
    }

    /// Checks that the file which the others are compared with was read.
    ///
    /// # Errors
    /// If it was not, because leaks are then unknown.
    pub(super) fn require_last_file(&self, source: &DataSource) -> anyhow::Result<()> {
        let loader = &source.loader;
        if loader.is_last_apart && self.dataset.files().len() != loader.inputs.len() {
            let why = self.troubles.join("; ");
            anyhow::bail!(texts::uncomparable(why));
        }
        Ok(())
    }

    /// Removes the samples that leak into the file of `--drop-leaks`, and that file; returns `None`
    /// if there is no such file.
    ///
    /// # Errors
    /// If that file could not be read, has no samples, or changed meanwhile.
    pub(super) fn drop_leaks(
        &mut self,
        source: &DataSource,
        found: &mut QueryResult,
    ) -> Result<Option<DroppedLeaks>, Failure> {
        let last = self.dataset.files().len().saturating_sub(1);
        let Some(file) = (self.dataset.files().get(last)).filter(|_| source.loader.is_last_apart)
        else {
            return Ok(None);
        };
        self.require_last_file(source)?;
        let file = file.source.name().to_owned();
        let scope = OverlapScope::OtherFile;
        let comparison = SampleComparison::Overlap(scope);
        let _ = self.dataset.compare(&[comparison], &|| true);
        let own = self.dataset.first_sample_of(last);
        if own as usize == self.dataset.samples() {
            return Err(Failure::usage(texts::no_leaks(file)));
        }
        let leaks = self.dataset.overlaps(0..own as usize, scope);
        let way = |&at: &u32| Some((at, (*leaks.get(at as usize)?)?.name()));
        let ways: BTreeMap<_, _> = found.samples.iter().filter_map(way).collect();
        let mut counts = BTreeMap::new();
        for way in ways.values() {
            *counts.entry(*way).or_default() += 1;
        }
        found.retain(|sample| leaks.get(sample as usize) == Some(&None));
        self.dataset.check_unchanged()?;
        let malformed = self.dataset.malformed();
        self.dataset = self.dataset.without_last_file();
        let unread = malformed - self.dataset.malformed();
        Ok(Some(DroppedLeaks {
            file,
            ways,
            counts,
            unread,
        }))
    }

    /// Returns warnings about samples that are not exported: leaks, and samples that only the
    /// `--against` file has.
    pub(super) fn skipped_remarks(
        &self,
        found: &QueryResult,
        leaks: Option<&DroppedLeaks>,
    ) -> Vec<String> {
        let name = |name: &str| one_line(name, 100);
        let mut remarks = Vec::new();
        if let Some(leaks) = leaks {
            let (file, all) = (name(&leaks.file), leaks.ways.len());
            let each =
                (leaks.counts.iter()).map(|(way, count)| format!(", {} {way}", grouped(*count)));
            let each: String = each.collect();
            remarks.push(format!(
                "dropped {} that {} into {file}{}",
                counted(all, "sample"),
                verb(all, "leaks", "leak"),
                each.replacen(',', ":", 1)
            ));
            remarks.extend((leaks.unread > 0).then(|| {
                let rows = counted(leaks.unread, "row");
                let were = verb(leaks.unread, "was", "were");
                texts::unread_leaks(rows, &file, were)
            }));
        }
        let other = self.dataset.files().iter().find(|file| file.is_against());
        let other = other.map(|file| {
            let is_foreign = |at: &&u32| self.dataset.own_rows(**at as usize).is_none();
            let alone = found.samples.iter().filter(is_foreign).count();
            let alone = match counted(alone, "sample") {
                _ if alone == 0 => String::new(),
                alone => format!(", nor {alone} that only it has"),
            };
            format!(
                "rows of {} are not exported{alone}",
                name(file.source.name())
            )
        });
        remarks.extend(other);
        remarks
    }

    /// Replaces the rules and discards their findings.
    pub(super) fn set_rules(&mut self, rules: &RuleSet) {
        self.dataset.forget_findings();
        let catalog = Catalog::of_loaded(&self.dataset);
        self.catalog = catalog.with_rules(&rules.definitions());
    }

    /// Applies all rules to all samples; the dataset keeps the findings.
    pub(super) fn find_findings(&self) {
        let dataset = &self.dataset;
        // Not cancelled: only the end of the process stops it.
        let _ = find_findings(
            dataset,
            self.context(),
            &|| {
                let asked = dataset.findings().asked_in(RuleStage::Texts);
                let share = asked as f64 / dataset.samples().max(1) as f64;
                self.progress.set("searching", Some(share));
                true
            },
            &mut |_| (),
        );
        self.progress.clear();
    }

    /// Parses column names separated by commas and prepares their values.
    ///
    /// # Errors
    /// If a name is unknown, or a journal that the user named cannot be read.
    pub(super) fn columns(
        &mut self,
        source: &DataSource,
        names: &str,
    ) -> Result<Vec<ListedColumn>, Failure> {
        let named = |catalog: &Catalog| -> anyhow::Result<Vec<_>> {
            let names = names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            let named = |name| {
                ListedColumn::named(name, catalog)
                    .map_err(|error| anyhow::anyhow!(texts::wrong_column(name, error)))
            };
            names.map(named).collect()
        };
        if names.split(',').all(|name| name.trim().is_empty()) {
            return Err(Failure::usage(texts::NO_COLUMNS));
        }
        let mut columns = named(&self.catalog);
        let asks_reviewers = |columns: &Vec<ListedColumn>| {
            let mut fields = columns.iter().filter_map(ListedColumn::field);
            fields.any(|field| field.column.is_of_reviewers())
        };
        // An unknown field may be the name of a reviewer.
        if columns.as_ref().map_or(true, asks_reviewers) {
            let journals = LoadedJournals::read(&source.journal)?;
            self.catalog.set_reviewers(&journals.ledger.reviewers());
            columns = named(&self.catalog);
            self.remarks = index_reviews(&journals, &self.dataset, &source.journal);
        }
        let columns = columns?;
        for column in &columns {
            self.find_values(column);
        }
        Ok(columns)
    }

    /// Computes the values of a column that depends on all samples.
    fn find_values(&self, column: &ListedColumn) {
        let field = column.field();
        let source = field.as_ref().map(|field| &field.column.source);
        let asks_rules = matches!(source, Some(ColumnSource::Findings(_)));
        if asks_rules || column.is_of_rules() {
            self.find_findings();
        } else if let Some(comparison) = source.and_then(ColumnSource::comparison) {
            let _ = self.dataset.compare(&[comparison], &|| true);
        }
    }

    /// Returns warnings about the files and the query.
    pub(super) fn notes(&self) -> Notes {
        let mut notes = Notes::of(&self.dataset, self.troubles.clone());
        if self.remarks.missing > 0 {
            let samples = counted(self.remarks.missing, "sample");
            notes.remarks.push(texts::missing_samples(samples));
        }
        notes
            .remarks
            .extend(self.query.explain_no_match(&self.catalog));
        notes.remarks.extend(self.query.field_note(&self.catalog));
        notes
    }

    /// Returns [`Self::notes`], with explanations if the query found nothing.
    pub(super) fn notes_where(&self, found: usize) -> Notes {
        let mut notes = self.notes();
        if found == 0 {
            notes.remarks.extend(self.explain_no_match());
        }
        notes
    }
}

/// Returns a warning about rows that were repaired, if there are any.
fn lenient_remark(LenientRows { odd_values, others }: LenientRows) -> Option<String> {
    let odd = (odd_values > 0).then(|| {
        let (one, more) = (texts::VALUE_OUT_OF_RANGE, texts::VALUES_OUT_OF_RANGE);
        format!(
            "{} {}",
            counted(odd_values, "row"),
            verb(odd_values, one, more)
        )
    });
    let noun = if odd.is_some() { "more row" } else { "row" };
    let repaired = (others > 0).then(|| {
        let were = verb(others, "was", "were");
        format!("{} {were} repaired", counted(others, noun))
    });
    let them = verb(odd_values + others, "it", "them");
    let all: Vec<_> = odd.into_iter().chain(repaired).collect();
    (!all.is_empty()).then(|| format!("{}; is:flagged finds {them}", all.join(", ")))
}

/// Returns a warning about malformed rows, if there are any.
fn malformed_remark(rows: usize) -> Option<String> {
    let (does, it) = (verb(rows, "does", "do"), verb(rows, "it", "them"));
    (rows > 0).then(|| texts::malformed(counted(rows, "row"), does, it))
}

/// Returns the form of a word for a count.
fn verb(count: usize, one: &'static str, more: &'static str) -> &'static str {
    if count == 1 { one } else { more }
}

/// Parses a query. Reads the journal for the names of reviewers only if parsing fails without them.
///
/// # Errors
/// If parsing fails with them, too, or a journal that the user named cannot be read.
fn read_query(
    text: &str,
    dataset: &Dataset,
    journal: &Journal,
    rules: &RuleSet,
) -> Result<(Query, Catalog), Failure> {
    let mut catalog = Catalog::of_loaded(dataset).with_rules(&rules.definitions());
    let error = match parse(text, &catalog) {
        Ok(query) => return Ok((query, catalog)),
        Err(error) => query_failure(text, &error),
    };
    let journals = match LoadedJournals::read(journal) {
        Ok(journals) => journals,
        Err(unread) if journal.is_named => return Err(unread.into()),
        Err(_) => return Err(error),
    };
    catalog.set_reviewers(&journals.ledger.reviewers());
    let query = parse(text, &catalog).map_err(|error| query_failure(text, &error))?;
    Ok((query, catalog))
}

/// Formats a query's error with its position.
pub(super) fn query_failure(query: &str, error: &QueryError) -> Failure {
    let before = query.get(..error.span.start);
    let at = before.map_or(1, |before| before.chars().count() + 1);
    let place = query.get(error.span.clone());
    Failure::usage(match place.filter(|place| !place.is_empty()) {
        Some(place) => texts::query_error_in(at, place, error),
        None => texts::query_error(at, error),
    })
}

/// Indexes the judgments of a dataset's samples.
fn index_reviews(journals: &LoadedJournals, dataset: &Dataset, journal: &Journal) -> ReviewIndex {
    let places = locate_all(dataset, &journals.ledger.sample_refs(), &|| true).unwrap_or_default();
    let work = Workspace {
        dataset,
        ledger: &journals.ledger,
        places: &places,
    };
    work.remarks(None, &journal.reviewer)
}
