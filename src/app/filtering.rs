//! The filter in force.

use std::sync::Arc;

use super::hits::SearchTerms;
use super::query_job::QueryProgress;
use super::query_job::{QueryJob, QueryKind, QueryTerms};
use super::result::Shown;
use super::{Browser, Loading};
use crate::query::{self, Catalog, Query, QueryError, QueryResult};

/// A query with the text that says it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFilter {
    /// As typed, without blanks around it.
    pub text: String,
    /// What it says.
    pub query: Arc<Query>,
    /// The texts that it asks for, to be marked where they stand.
    marked: Option<SearchTerms>,
}

impl ActiveFilter {
    /// Reads a text as a filter; `None` for an empty one.
    ///
    /// # Errors
    /// If it is not a query.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Option<Self>, QueryError> {
        let query = query::parse(text, catalog)?;
        let text = text.trim().to_owned();
        Ok((!text.is_empty()).then(|| Self::new(text, query)))
    }

    /// A query as it is typed.
    pub fn new(text: String, query: Query) -> Self {
        Self {
            text,
            marked: SearchTerms::of_texts(&query.texts()),
            query: Arc::new(query),
        }
    }
}

/// The filter in force, and how far it is answered.
#[derive(Debug, Default)]
pub struct FilterState {
    active: Option<ActiveFilter>,
    pub(super) progress: QueryProgress,
}

impl FilterState {
    /// The query in force.
    pub fn active(&self) -> Option<&ActiveFilter> {
        self.active.as_ref()
    }

    /// What it asks; nothing where no query is active.
    pub fn query(&self) -> Arc<Query> {
        let active = self.active.as_ref();
        active.map_or_else(Arc::default, |one| Arc::clone(&one.query))
    }

    /// Whether the answer is one piece, made anew when samples come: it is in order, or samples
    /// depend on each other.
    fn is_sorted(&self) -> bool {
        self.active
            .as_ref()
            .is_some_and(|one| query::depends_on_all(&one.query))
    }
}

impl Browser {
    /// What is marked in texts: what is searched for, and otherwise what the filter finds samples by.
    pub(super) fn marked_terms(&self) -> Option<&SearchTerms> {
        let of_filter = || self.filter.active.as_ref()?.marked.as_ref();
        self.search.sought().or_else(of_filter)
    }

    /// What is to be gone through, if anything.
    pub(super) fn filter_job(&self) -> Option<QueryJob> {
        let query = Arc::clone(&self.filter.active.as_ref()?.query);
        let (samples, looked) = (self.data.dataset.samples(), self.filter.progress.looked);
        let sorted = self.filter.is_sorted();
        // While rows arrive, a sorted answer is made anew each time their number has doubled: not
        // with each chunk.
        let worth_it = !sorted || self.data.loading == Loading::Done || samples >= 2 * looked;
        (worth_it && self.filter.progress.is_open(samples)).then(|| QueryJob {
            request: self.request_id(QueryKind::Filter),
            positions: if sorted { 0 } else { looked }..samples,
            terms: QueryTerms::Filter {
                query,
                remarks: Arc::clone(&self.data.remarks),
            },
        })
    }

    /// Puts a query in force, or none; the sample that was selected stays so if it survives.
    pub(super) fn set_filter(&mut self, query: Option<ActiveFilter>) {
        // Who judges blind must not ask what is hidden.
        if let Some(reason) = query.as_ref().and_then(|one| self.withheld(&one.query)) {
            self.say(format!("{reason}."));
            return;
        }
        // What is tried while a line is typed may be taken back.
        if query.is_some() && !self.status.is_typing {
            self.settings.left_out.filter = None;
        }
        self.set_filter_while_blind(query);
    }

    /// Sets the filter without the blind check; used while an audit is sampled.
    pub(super) fn set_filter_while_blind(&mut self, query: Option<ActiveFilter>) {
        let old = self.filter.query();
        let none = Query::default();
        let new = query.as_ref().map_or(&none, |one| &*one.query);
        // Whoever sorts wants to see what comes first.
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

    /// Puts in force what is made of the query in force.
    pub(super) fn change_query(&mut self, change: impl FnOnce(&Query) -> Query) {
        let before = self.filter.query();
        let query = change(&before);
        let catalog = &self.data.catalog;
        // Who changes the order alone finds the rest as typed.
        let typed = self
            .filter
            .active()
            .filter(|_| query.filter == before.filter);
        let text = typed
            .and_then(|one| query::with_sort(&one.text, &query, &query.sort, catalog))
            .unwrap_or_else(|| query.spelled(catalog).to_string());
        let active = (query != Query::default()).then(|| ActiveFilter::new(text, query));
        self.set_filter(active);
        self.release_anchor();
    }

    /// Asks again because what reviewers said is another; what was shown stays until there is an
    /// answer.
    pub(super) fn refilter(&mut self) {
        self.selection.drop_anchor();
        self.filter.progress.restart();
    }

    /// Asks the filter again if it is about what reviewers said.
    pub(super) fn refilter_by_remarks(&mut self) {
        let active = self.filter.active();
        if active.is_some_and(|one| query::depends_on_remarks(&one.query)) {
            self.refilter();
        }
    }

    /// Shows all samples, also those that came in the meantime, where no query is in force.
    pub(super) fn show_all(&mut self) {
        if self.filter.active.is_none() {
            let grown = matches!(&self.selection.filtered, Shown::All(_));
            self.selection.filtered = Shown::All(self.data.dataset.samples());
            if !grown {
                self.search_again();
            }
            self.reselect();
        }
    }

    /// Everything is to be asked again, of another dataset; until then nothing is shown.
    pub(super) fn ask_again(&mut self) {
        self.filter.progress.restart();
        self.selection.filtered = Shown::nothing();
        self.show_all();
        self.search_again();
        if self.search.sought().is_some() {
            self.show_no_hits();
        }
    }

    /// Reads the filter in force for other rules, and asks it; one that does not read any more is
    /// dropped: then this says why.
    pub(super) fn read_active_again(&mut self) -> Option<QueryError> {
        let text = self.filter.active().map(|before| before.text.clone());
        let anew = text.map_or(Ok(None), |text| {
            ActiveFilter::parse(&text, &self.data.catalog.with_labels())
        });
        let (anew, error) = match anew {
            Ok(anew) => (anew, None),
            Err(error) => (None, Some(error)),
        };
        self.filter.active = anew;
        self.ask_again();
        error
    }

    /// Takes what the filter found since the last piece.
    pub(super) fn take_samples(&mut self, more: QueryResult, done: bool) {
        let sorted = self.filter.is_sorted();
        // What was shown before stays until there is something to show in its place.
        if !done && (sorted || more.samples.is_empty()) {
            return;
        }
        let afresh = std::mem::take(&mut self.filter.progress.stale) || sorted;
        let replaced = match &mut self.selection.filtered {
            Shown::Some { found, .. } if !afresh => {
                Arc::make_mut(found).extend(&more);
                false
            }
            shown => {
                let found = Arc::new(more);
                *shown = Shown::Some { found, sorted };
                true
            }
        };
        if replaced {
            self.search_again();
        }
        self.reselect();
    }
}
