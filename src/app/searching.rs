//! The search in force. It looks among what the filter shows, and begins anew when that is
//! replaced.

use std::sync::Arc;

use super::arranging::{ArrangementJob, ArrangementKey};
use super::hits::PageHits;
use super::hits::{Arrival, SearchTerms};
use super::query_job::QueryProgress;
use super::query_job::{QueryJob, QueryKind, QueryTerms};
use super::result::Shown;
use super::{Browser, Pane};
use crate::search::{Hit, HitOrder, Needle, SearchScope};

/// What is arranged so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arranged {
    /// How many hits.
    pub hits: usize,
    /// In which order.
    pub order: HitOrder,
}

/// The search in force, and how far it is answered.
#[derive(Debug, Default)]
pub struct SearchState {
    sought: Option<SearchTerms>,
    /// Texts that the next search looks at.
    pub scope: SearchScope,
    /// The order in which it shows what it finds.
    pub order: HitOrder,
    pub(super) progress: QueryProgress,
    /// What a search before found in the first so many positions, where this one can find nothing
    /// else there.
    narrowed: Option<(usize, Arc<Vec<Hit>>)>,
    /// What it found.
    pub(super) found: Arc<Vec<Hit>>,
    /// How much of that is shown; the rest waits until there is enough of it.
    pub(super) arranged: Arranged,
    /// What a job puts in order.
    pub(super) arranging: Option<ArrangementJob>,
    /// What the search shows; `None` until it has something to show in place of what was there
    /// before it.
    shown: Option<Shown>,
    /// Whether the last key went round the end.
    pub wrapped: bool,
    /// Whether the first match is selected, whichever it becomes.
    pub(super) leading: bool,
    /// What it found in the page on screen, or in the one before.
    pub(super) hits: Option<PageHits>,
    /// The hit of the page on which one stands.
    pub(super) at: Option<usize>,
    /// The hit to go to once those of the page are known.
    pub(super) arrival: Option<Arrival>,
    /// Hits to go on from there, or back, until another key.
    pub(super) ahead: isize,
    /// Where the panes of a sample stood before one typed, to be brought back with it.
    pub(super) left: Option<(usize, [usize; Pane::ALL.len()])>,
}

/// Scopes in the order in which a key goes through them.
const SCOPES: [SearchScope; 5] = [
    SearchScope::Everything,
    SearchScope::Prompt,
    SearchScope::Responses,
    SearchScope::Quotes,
    SearchScope::Rationales,
];

impl SearchState {
    /// What is looked for.
    pub fn sought(&self) -> Option<&SearchTerms> {
        self.sought.as_ref()
    }

    /// What it shows, where it shows anything yet.
    pub(super) fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// Whether the first match is to be selected.
    pub(super) fn leads(&self) -> bool {
        self.leading && !self.progress.stale && self.shown.is_some()
    }

    /// Whether the first match is to be selected and none is known yet.
    pub(super) fn is_awaited(&self) -> bool {
        self.leading && self.progress.stale && self.sought.is_some()
    }

    /// What was found, where everything that the filter shows was searched.
    fn complete(&self, of: usize) -> Option<Arc<Vec<Hit>>> {
        let is_over = !self.progress.under_way && self.progress.looked >= of;
        (is_over && !self.progress.stale).then(|| Arc::clone(&self.found))
    }

    fn restart(&mut self) {
        self.progress.restart();
        (self.narrowed, self.arranging) = (None, None);
        (self.found, self.arranged) = Default::default();
    }

    /// Shows what was put in order.
    pub(super) fn show(&mut self, key: ArrangementKey, shown: Shown) {
        self.progress.stale = false;
        self.arranged = Arranged {
            hits: key.hits,
            order: key.order,
        };
        (self.shown, self.arranging) = (Some(shown), None);
    }
}

impl Browser {
    /// What is to be searched, if anything.
    pub(super) fn search_job(&self) -> Option<QueryJob> {
        let search = &self.search;
        let (mut terms, end) = (search.sought.clone()?, self.selection.filtered.len());
        // What was written about the responses tells of labels.
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

    /// Puts a search in force, or none; `leading` says whether its first match is selected, or the
    /// sample that is selected stays so as far as it is found.
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

    /// Puts in force what is typed: its first match is selected. An empty needle looks for nothing.
    pub(super) fn search_for(&mut self, needle: Needle) {
        let scope = self.allowed(self.search.scope);
        let sought = (!needle.is_empty()).then(|| SearchTerms::new(needle, scope));
        let leading = sought.is_some();
        self.set_search(sought, leading);
    }

    /// Looks for the same among other samples.
    pub(super) fn search_again(&mut self) {
        self.search.restart();
        // Among none nobody needs to look.
        if self.search.sought.is_some() && self.selection.filtered.is_empty() {
            self.show_no_hits();
        }
    }

    /// Until there is something to show, nothing is.
    pub(super) fn show_no_hits(&mut self) {
        let key = ArrangementKey {
            search: self.search.progress.number,
            hits: 0,
            order: self.search.order,
        };
        let pending = self.search.arranging.take();
        self.search.show(key, Shown::nothing());
        self.search.arranging = pending;
    }

    /// Takes what the search found since the last piece.
    pub(super) fn take_hits(&mut self, hits: Vec<Hit>, done: bool) {
        let is_empty = hits.is_empty();
        Arc::make_mut(&mut self.search.found).extend(hits);
        // What was shown before stays until there is something to show in its place.
        let awaited =
            self.search.progress.stale || self.search.arranged.hits < self.search.found.len();
        if is_empty && !(done && awaited) {
            self.release_anchor();
            return;
        }
        self.arrange_more();
    }

    /// No search any more; the sample that is selected stays so.
    pub(super) fn drop_search(&mut self) {
        self.set_search(None, false);
        self.release_anchor();
    }

    /// The next scope, or the one before, for the search that is typed.
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

    /// The scope of a search as far as it may be looked through now: not what was written about the
    /// responses while labels are hidden, nor where nothing is.
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

    /// Ends a search among what may not be looked through any more.
    pub(super) fn drop_withheld_search(&mut self) {
        let sought = self.search.sought.as_ref();
        if sought.is_some_and(|sought| self.allowed(sought.scope) != sought.scope) {
            self.drop_search();
        }
        self.search.scope = self.allowed(self.search.scope);
    }

    /// The other order of what is found, at once.
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
