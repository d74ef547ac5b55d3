//! The active search. It searches the filter's result and restarts when that is replaced.

use std::sync::Arc;

use super::arranging::{ArrangementJob, ArrangementKey};
use super::hits::PageHits;
use super::hits::{Arrival, SearchTerms};
use super::query_job::QueryProgress;
use super::query_job::{QueryJob, QueryKind, QueryTerms};
use super::shown_samples::ShownSamples;
use super::{Browser, Pane};
use crate::search::{Hit, HitOrder, Needle, SearchScope};

/// The active search and its progress.
#[derive(Debug, Default)]
pub struct SearchState {
    sought: Option<SearchTerms>,
    /// Texts that the next search examines.
    pub scope: SearchScope,
    /// Order of the hits.
    pub order: HitOrder,
    pub(super) progress: QueryProgress,
    /// Hits of an earlier search in this many first positions, if this search can only match a
    /// subset of them.
    narrowed: Option<(usize, Arc<Vec<Hit>>)>,
    /// The hits so far.
    pub(super) found: Arc<Vec<Hit>>,
    /// The hits on display; further ones wait until there are enough.
    pub(super) arranged: ArrangementKey,
    /// The running job that arranges hits.
    pub(super) arranging: Option<ArrangementJob>,
    /// The samples on display; `None` until the first hits can replace the previous samples.
    shown: Option<ShownSamples>,
    /// Whether the last key wrapped around the end.
    pub wrapped: bool,
    /// Whether the first match is selected, even if it changes.
    pub(super) leading: bool,
    /// The hits in the page on screen, or in the previous one.
    pub(super) hits: Option<PageHits>,
    /// The selected hit of the page.
    pub(super) at: Option<usize>,
    /// The hit to select once those of the page are known.
    pub(super) arrival: Option<Arrival>,
    /// Hits still to move forward (or back, if negative), until another key.
    pub(super) ahead: isize,
    /// A sample and its scroll positions from before typing, to be restored with it.
    pub(super) left: Option<(usize, [usize; Pane::ALL.len()])>,
}

/// Scopes in the order of the key that cycles through them.
const SCOPES: [SearchScope; 5] = [
    SearchScope::Everything,
    SearchScope::Prompt,
    SearchScope::Responses,
    SearchScope::Quotes,
    SearchScope::Rationales,
];

impl SearchState {
    /// Returns the needle and scope of the search.
    pub fn sought(&self) -> Option<&SearchTerms> {
        self.sought.as_ref()
    }

    /// Returns the samples on display, if any yet.
    pub(super) fn shown(&self) -> Option<&ShownSamples> {
        self.shown.as_ref()
    }

    /// True if the first match must be selected.
    pub(super) fn leads(&self) -> bool {
        self.leading && !self.progress.stale && self.shown.is_some()
    }

    /// True if the first match must be selected but none is known yet.
    pub(super) fn is_awaited(&self) -> bool {
        self.leading && self.progress.stale && self.sought.is_some()
    }

    /// Returns the hits if all `of` positions were searched.
    fn complete(&self, of: usize) -> Option<Arc<Vec<Hit>>> {
        let is_over = !self.progress.under_way && self.progress.looked >= of;
        (is_over && !self.progress.stale).then(|| Arc::clone(&self.found))
    }

    fn restart(&mut self) {
        self.progress.restart();
        (self.narrowed, self.arranging) = (None, None);
        (self.found, self.arranged) = Default::default();
    }

    /// Displays arranged hits.
    pub(super) fn show(&mut self, key: ArrangementKey, shown: ShownSamples) {
        self.progress.stale = false;
        self.arranged = key;
        (self.shown, self.arranging) = (Some(shown), None);
    }
}

impl Browser {
    /// Returns the next search job.
    pub(super) fn search_job(&self) -> Option<QueryJob> {
        let search = &self.search;
        let (mut terms, end) = (search.sought.clone()?, self.selection.filtered.len());
        // Rationales reveal labels.
        if self.is_blind() && terms.scope == SearchScope::Everything {
            terms.scope = SearchScope::Sample;
        }
        if !search.progress.is_open(end) {
            return None;
        }
        let looked = search.progress.looked;
        let (positions, among) = match &search.narrowed {
            Some((upto, among)) if looked == 0 => (0..*upto, Some(among.clone())),
            _ => (looked..end, None),
        };
        Some(QueryJob {
            request: self.request_id(QueryKind::Search),
            positions,
            terms: QueryTerms::Search { terms, among },
        })
    }

    /// Sets or clears the active search. With `leading` its first match is selected; otherwise the
    /// selected sample stays selected if it matches.
    pub(super) fn set_search(&mut self, sought: Option<SearchTerms>, leading: bool) {
        self.search.leading = leading;
        if self.search.sought == sought {
            return;
        }
        let end = self.selection.filtered.len();
        let narrows = match (&self.search.sought, &sought) {
            (Some(old), Some(new)) => old.scope == new.scope && new.needle.narrows(&old.needle),
            _ => false,
        };
        let known = self.search.complete(end).filter(|_| narrows && end > 0);
        self.selection.drop_anchor();
        self.search.sought = sought;
        self.search_again();
        self.search.narrowed = known.map(|known| (end, known));
        if self.search.sought.is_none() {
            (self.search.shown, self.search.at, self.search.arrival) = (None, None, None);
            self.search.hits = None;
            (self.search.found, self.search.arranged) = Default::default();
            self.search.arranging = None;
            self.reselect();
        }
    }

    /// Activates the typed search and selects its first match. An empty needle clears it.
    pub(super) fn search_for(&mut self, needle: Needle) {
        let scope = self.allowed(self.search.scope);
        let sought = (!needle.is_empty()).then(|| SearchTerms::new(needle, scope));
        let leading = sought.is_some();
        self.set_search(sought, leading);
    }

    /// Repeats the search among other samples.
    pub(super) fn search_again(&mut self) {
        self.search.restart();
        // An empty result needs no search.
        if self.search.sought.is_some() && self.selection.filtered.is_empty() {
            self.show_no_hits();
        }
    }

    /// Displays nothing until the first hits are arranged.
    pub(super) fn show_no_hits(&mut self) {
        let key = ArrangementKey {
            search: self.search.progress.number,
            hits: 0,
            order: self.search.order,
        };
        let pending = self.search.arranging.take();
        self.search.show(key, ShownSamples::nothing());
        self.search.arranging = pending;
    }

    /// Takes the hits since the last batch.
    pub(super) fn take_hits(&mut self, hits: Vec<Hit>, done: bool) {
        let is_empty = hits.is_empty();
        Arc::make_mut(&mut self.search.found).extend(hits);
        // The previous samples stay on display until there are hits to replace them.
        let awaited =
            self.search.progress.stale || self.search.arranged.hits < self.search.found.len();
        if is_empty && !(done && awaited) {
            self.release_anchor();
            return;
        }
        self.arrange_more();
    }

    /// Ends the search; the selected sample stays selected.
    pub(super) fn drop_search(&mut self) {
        self.set_search(None, false);
        self.release_anchor();
    }

    /// Selects the next or previous scope for the typed search.
    pub(super) fn cycle_scope(&mut self, forward: bool) {
        let scopes: Vec<_> = (SCOPES.into_iter())
            .filter(|scope| self.allowed(*scope) == *scope)
            .collect();
        let at = (scopes.iter())
            .position(|scope| *scope == self.search.scope)
            .unwrap_or(0);
        let step = if forward { 1 } else { scopes.len() - 1 };
        self.search.scope = scopes[(at + step) % scopes.len()];
    }

    /// Returns the scope that may be searched now: rationales are excluded while labels are hidden,
    /// or if the files have none.
    pub(super) fn allowed(&self, scope: SearchScope) -> SearchScope {
        let mut files = self.data.dataset.files().iter();
        let has_rationales = files.any(|file| !file.schema.definition().texts.is_empty());
        match scope {
            SearchScope::Rationales if self.is_blind() || !has_rationales => {
                SearchScope::Everything
            }
            scope => scope,
        }
    }

    /// Ends a search whose scope is not allowed any longer.
    pub(super) fn drop_withheld_search(&mut self) {
        let sought = self.search.sought.as_ref();
        if sought.is_some_and(|sought| self.allowed(sought.scope) != sought.scope) {
            self.drop_search();
        }
        self.search.scope = self.allowed(self.search.scope);
    }

    /// Switches the order of hits immediately.
    pub(super) fn toggle_order(&mut self) {
        self.search.order = match self.search.order {
            HitOrder::Ranked => HitOrder::Dataset,
            HitOrder::Dataset => HitOrder::Ranked,
        };
        if self.search.shown.is_some() && !self.search.progress.stale {
            self.arrange_more();
        }
    }
}
