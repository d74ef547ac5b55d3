//! The active filter.

use std::sync::Arc;

use super::query_job::{QueryJob, QueryKind, QueryProgress, QueryTerms};
use super::selection::ShownSamples;
use crate::app::sample::hits::SearchTerms;
use crate::app::{App, Loading};
use crate::query::{self, Catalog, Query, QueryError, QueryResult};

/// A query and its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFilter {
    /// As typed, trimmed.
    pub text: String,
    /// The parsed query.
    pub query: Arc<Query>,
    /// The texts of the query, to highlight them.
    marked: Option<SearchTerms>,
}

impl ActiveFilter {
    /// Parses a filter; `None` if the text is empty.
    ///
    /// # Errors
    /// If the text is not a valid query.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Option<Self>, QueryError> {
        let query = query::parse(text, catalog)?;
        let text = text.trim().to_owned();
        Ok((!text.is_empty()).then(|| Self::new(text, query)))
    }

    /// Wraps a parsed query and its text.
    pub fn new(text: String, query: Query) -> Self {
        Self {
            text,
            marked: SearchTerms::of_texts(&query.texts()),
            query: Arc::new(query),
        }
    }
}

/// The active filter and the progress of its evaluation.
#[derive(Debug, Default)]
pub struct FilterState {
    active: Option<ActiveFilter>,
    pub(crate) progress: QueryProgress,
}

impl FilterState {
    /// Returns the active filter.
    pub fn active(&self) -> Option<&ActiveFilter> {
        self.active.as_ref()
    }

    /// Returns the text of the active filter.
    pub fn text(&self) -> Option<String> {
        self.active.as_ref().map(|one| one.text.clone())
    }

    /// Returns the active query, or an empty one.
    pub fn query(&self) -> Arc<Query> {
        self.active
            .as_ref()
            .map_or_else(Arc::default, |one| Arc::clone(&one.query))
    }

    /// True if the result is computed as a whole when samples arrive: it is sorted, or samples
    /// depend on each other.
    fn is_sorted(&self) -> bool {
        self.active
            .as_ref()
            .is_some_and(|one| query::depends_on_all(&one.query))
    }
}

impl App {
    /// Returns the terms to highlight in texts: those of the search, otherwise those of the filter.
    pub(crate) fn marked_terms(&self) -> Option<&SearchTerms> {
        let of_filter = || self.filter.active.as_ref()?.marked.as_ref();
        self.search.sought().or_else(of_filter)
    }

    /// True if samples remain to be filtered.
    pub(super) fn filter_is_open(&self) -> bool {
        let (samples, from) = (self.data.dataset.samples(), self.filter.progress.from);
        // A sorted result is recomputed when the number of samples has doubled, not with each
        // chunk.
        let worth_it =
            !self.filter.is_sorted() || self.data.loading == Loading::Done || samples >= 2 * from;
        self.filter.active.is_some() && from < samples && worth_it
    }

    /// Returns the job for the samples that were not filtered yet.
    pub(crate) fn filter_job(&self) -> Option<QueryJob> {
        let query = Arc::clone(&self.filter.active.as_ref()?.query);
        let from = if self.filter.is_sorted() {
            0
        } else {
            self.filter.progress.from
        };
        self.filter_is_open().then(|| QueryJob {
            request: self.request_id(QueryKind::Filter),
            positions: from..self.data.dataset.samples(),
            terms: QueryTerms::Filter {
                query,
                remarks: Arc::clone(&self.data.remarks),
            },
        })
    }

    /// Sets or removes the filter. The selected sample stays selected if it matches.
    pub(crate) fn set_filter(&mut self, query: Option<ActiveFilter>) {
        // A query must not reveal what is hidden from a blind reviewer.
        if let Some(reason) = query.as_ref().and_then(|one| self.withheld(&one.query)) {
            self.say(format!("{reason}."));
            return;
        }
        // A filter that is still being typed may be cancelled.
        if query.is_some() && !self.is_typing() {
            self.settings.left_out = None;
        }
        self.set_filter_while_blind(query);
    }

    /// Sets the filter without the blind check; used while an audit is sampled.
    pub(crate) fn set_filter_while_blind(&mut self, query: Option<ActiveFilter>) {
        let old = self.filter.query();
        let none = Query::default();
        let new = query.as_ref().map_or(&none, |one| &*one.query);
        // A new sort order shows its first samples.
        let is_other = self.selection.to_top || old.sort != new.sort;
        self.selection.to_top = is_other && !new.sort.is_empty();
        let same = self.filter.active.is_some() == query.is_some() && *old == *new;
        self.filter.active = query;
        if same {
            return;
        }
        self.selection.drop_anchor();
        self.filter.progress.restart();
        if self.filter.active.is_none() {
            self.show_all();
        }
    }

    /// Changes the active query.
    pub(crate) fn change_query(&mut self, change: impl FnOnce(&Query) -> Query) {
        let before = self.filter.query();
        let query = change(&before);
        let catalog = &self.data.catalog;
        // If only the order changes, the rest of the text stays as typed.
        let text = self
            .filter
            .active()
            .filter(|_| query.filter == before.filter)
            .and_then(|one| query::with_sort(&one.text, &query, &query.sort, catalog))
            .unwrap_or_else(|| query.spelled(catalog).to_string());
        let active = (query != Query::default()).then(|| ActiveFilter::new(text, query));
        self.set_filter(active);
        self.release_anchor();
    }

    /// Evaluates the filter again after review data changed. The old result stays until the new one
    /// arrives.
    pub(crate) fn refilter(&mut self) {
        self.selection.drop_anchor();
        self.filter.progress.restart();
    }

    /// Evaluates the filter again if it refers to review data, or if what is hidden `has_changed`.
    pub(crate) fn refilter_by_remarks(&mut self, has_changed: bool) {
        let active = self.filter.active();
        if active.is_some_and(|one| has_changed || query::depends_on_remarks(&one.query)) {
            self.refilter();
        }
    }

    /// Without a filter, shows all samples, including new ones.
    pub(crate) fn show_all(&mut self) {
        if self.filter.active.is_none() {
            let grown = matches!(&self.selection.filtered, ShownSamples::All(_));
            self.selection.filtered = ShownSamples::All(self.data.dataset.samples());
            if !grown {
                self.search_again();
            }
            self.reselect();
        }
    }

    /// Evaluates filter and search again for another dataset. Nothing is shown until results
    /// arrive.
    pub(crate) fn query_again(&mut self) {
        self.filter.progress.restart();
        self.selection.filtered = ShownSamples::nothing();
        self.show_all();
        self.search_again();
        if self.search.sought().is_some() {
            self.show_no_hits();
        }
    }

    /// Parses the active filter again after the rules changed, and evaluates it. Returns the error
    /// if it is no longer valid; then it is removed.
    pub(crate) fn reparse_active_filter(&mut self) -> Option<QueryError> {
        let anew = self.filter.text().map_or(Ok(None), |text| {
            ActiveFilter::parse(&text, &self.data.catalog.with_labels())
        });
        let (anew, error) = match anew {
            Ok(anew) => (anew, None),
            Err(error) => (None, Some(error)),
        };
        self.filter.active = anew;
        self.query_again();
        error
    }

    /// Adds a batch of the filter's result.
    pub(crate) fn take_samples(&mut self, more: QueryResult, done: bool) {
        let sorted = self.filter.is_sorted();
        // The previous result stays until there is something to show.
        if !done && (sorted || more.samples.is_empty()) {
            return;
        }
        let afresh = std::mem::take(&mut self.filter.progress.stale) || sorted;
        let replaced = match &mut self.selection.filtered {
            ShownSamples::Some { found, .. } if !afresh => {
                Arc::make_mut(found).extend(&more);
                false
            }
            shown => {
                let found = Arc::new(more);
                *shown = ShownSamples::Some { found, sorted };
                true
            }
        };
        if replaced {
            self.search_again();
        }
        self.reselect();
    }
}
