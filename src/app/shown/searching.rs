//! The active search. It searches the filter's result and restarts when that is replaced. Its hits
//! are ordered for display: at once if there are few, or in a job if it would take longer than a
//! frame.

use std::cmp::Reverse;
use std::sync::Arc;

use super::query_job::{QueryJob, QueryKind, QueryProgress, QueryTerms};
use super::selection::ShownSamples;
use crate::app::job::Job;
use crate::app::sample::hits::{Arrival, PageHits, SearchTerms};
use crate::app::{App, Pane};
use crate::parallel::KeepGoing;
use crate::query::{QueryResult, ResponseSet};
use crate::search::{Hit, HitOrder, Needle, SearchScope};

/// The active search and its progress.
#[derive(Debug, Default)]
pub struct SearchState {
    sought: Option<SearchTerms>,
    /// Texts that the next search examines.
    pub scope: SearchScope,
    /// Order of the hits.
    pub order: HitOrder,
    pub(crate) progress: QueryProgress,
    /// Hits of an earlier search in this many first positions, if this search can only match a
    /// subset of them.
    narrowed: Option<(usize, Arc<Vec<Hit>>)>,
    /// The hits so far.
    pub(crate) found: Arc<Vec<Hit>>,
    /// The hits on display; further ones wait until there are enough.
    pub(crate) arranged: ArrangementKey,
    /// The running job that arranges hits.
    pub(crate) arranging: Option<ArrangementJob>,
    /// The samples on display; `None` until the first hits can replace the previous samples.
    shown: Option<ShownSamples>,
    /// Whether the last key wrapped around the end.
    pub wrapped: bool,
    /// Whether the first match is selected, even if it changes.
    pub(crate) leading: bool,
    /// The hits in the page on screen, or in the previous one.
    pub(crate) hits: Option<PageHits>,
    /// The selected hit of the page.
    pub(crate) at: Option<usize>,
    /// The hit to select once those of the page are known.
    pub(crate) arrival: Option<Arrival>,
    /// Hits still to move forward (or back, if negative), until another key.
    pub(crate) ahead: isize,
    /// A sample and its scroll positions from before typing, to be restored with it.
    pub(crate) left: Option<(usize, [usize; Pane::ALL.len()])>,
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
    pub(crate) fn shown(&self) -> Option<&ShownSamples> {
        self.shown.as_ref()
    }

    /// True if the first match must be selected.
    pub(crate) fn leads(&self) -> bool {
        self.leading && !self.progress.stale && self.shown.is_some()
    }

    /// True if the first match must be selected but none is known yet.
    pub(crate) fn is_awaited(&self) -> bool {
        self.leading && self.progress.stale && self.sought.is_some()
    }

    /// Returns the hits if all `of` positions were searched.
    fn complete(&self, of: usize) -> Option<Arc<Vec<Hit>>> {
        let is_over = self.progress.from >= of;
        (is_over && !self.progress.stale).then(|| Arc::clone(&self.found))
    }

    fn restart(&mut self) {
        self.progress.restart();
        (self.narrowed, self.arranging) = (None, None);
        (self.found, self.arranged) = Default::default();
    }

    /// Displays arranged hits.
    pub(crate) fn show(&mut self, key: ArrangementKey, shown: ShownSamples) {
        self.progress.stale = false;
        self.arranged = key;
        (self.shown, self.arranging) = (Some(shown), None);
    }
}

impl App {
    /// True if samples remain to be searched.
    pub(super) fn search_is_open(&self) -> bool {
        self.search.sought.is_some() && self.search.progress.from < self.selection.filtered.len()
    }

    /// Returns the job for the samples that were not searched yet.
    pub(crate) fn search_job(&self) -> Option<QueryJob> {
        let search = &self.search;
        let (mut terms, end) = (search.sought.clone()?, self.selection.filtered.len());
        // Rationales reveal labels.
        if self.is_blind() && terms.scope == SearchScope::Everything {
            terms.scope = SearchScope::Sample;
        }
        if !self.search_is_open() {
            return None;
        }
        let from = search.progress.from;
        let (positions, among) = match &search.narrowed {
            Some((upto, among)) if from == 0 => (0..*upto, Some(among.clone())),
            _ => (from..end, None),
        };
        Some(QueryJob {
            request: self.request_id(QueryKind::Search),
            positions,
            terms: QueryTerms::Search { terms, among },
        })
    }

    /// Sets or clears the active search. With `leading` its first match is selected; otherwise the
    /// selected sample stays selected if it matches.
    pub(crate) fn set_search(&mut self, sought: Option<SearchTerms>, leading: bool) {
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
    pub(crate) fn search_for(&mut self, needle: Needle) {
        let scope = self.allowed(self.search.scope);
        let sought = (!needle.is_empty()).then(|| SearchTerms::new(needle, scope));
        let leading = sought.is_some();
        self.set_search(sought, leading);
    }

    /// Repeats the search among other samples.
    pub(crate) fn search_again(&mut self) {
        self.search.restart();
        // An empty result needs no search.
        if self.search.sought.is_some() && self.selection.filtered.is_empty() {
            self.show_no_hits();
        }
    }

    /// Displays nothing until the first hits are arranged.
    pub(crate) fn show_no_hits(&mut self) {
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
    pub(crate) fn take_hits(&mut self, hits: Vec<Hit>, done: bool) {
        let is_empty = hits.is_empty();
        Arc::make_mut(&mut self.search.found).extend(hits);
        // The previous samples stay on display until there are hits to replace them.
        let awaited =
            self.search.progress.stale || self.search.arranged.hits < self.search.found.len();
        if is_empty && !(done && awaited) {
            self.release_anchor();
            return;
        }
        self.arrange_more(done);
    }

    /// Ends the search; the selected sample stays selected.
    pub(crate) fn drop_search(&mut self) {
        self.set_search(None, false);
        self.release_anchor();
    }

    /// Selects the next or previous scope for the typed search.
    pub(crate) fn cycle_scope(&mut self, forward: bool) {
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
    pub(crate) fn allowed(&self, scope: SearchScope) -> SearchScope {
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
    pub(crate) fn drop_withheld_search(&mut self) {
        let sought = self.search.sought.as_ref();
        if sought.is_some_and(|sought| self.allowed(sought.scope) != sought.scope) {
            self.drop_search();
        }
        self.search.scope = self.allowed(self.search.scope);
    }

    /// Switches the order of hits immediately.
    pub(crate) fn toggle_order(&mut self) {
        self.search.order = match self.search.order {
            HitOrder::Ranked => HitOrder::Dataset,
            HitOrder::Dataset => HitOrder::Ranked,
        };
        if self.search.shown.is_some() && !self.search.progress.stale {
            self.arrange_more(false);
        }
    }
}

/// Number of hits that are sorted within a frame.
const FEW_HITS: usize = 1 << 14;
/// Number of samples of a sorted filter, which are all visited, that fit into a frame.
const FEW_SORTED: usize = 1 << 16;

/// The hits and their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArrangementKey {
    /// Number of the search.
    pub search: u64,
    /// Number of hits.
    pub hits: usize,
    /// Requested order.
    pub order: HitOrder,
}

/// Hits to be sorted. A clone shares them.
#[derive(Debug, Clone)]
pub struct ArrangementJob {
    pub key: ArrangementKey,
    pub hits: Arc<Vec<Hit>>,
    /// The filtered samples.
    pub filtered: ShownSamples,
    /// Number of samples in the dataset.
    pub samples: usize,
}

impl ArrangementJob {
    /// True if it takes less than a frame.
    pub fn is_quick(&self) -> bool {
        let is_short = !self.filtered.is_sorted() || self.filtered.len() <= FEW_SORTED;
        self.hits.is_empty() || (self.hits.len() <= FEW_HITS && is_short)
    }

    /// Returns the hits in order, or `None` if cancelled.
    pub fn arrange(&self, keep_going: &dyn KeepGoing) -> Option<ShownSamples> {
        let mut hits = self.hits.to_vec();
        hits.sort_unstable_by_key(|hit| hit.sample);
        let is_ranked = self.key.order == HitOrder::Ranked;
        // Hits of equal rank keep the order of the filter.
        let rank = |hit: &Hit| is_ranked.then_some(Reverse(hit.rank));
        let mut order: Vec<_> = (hits.iter().zip(self.places(&hits)))
            .map(|(hit, place)| (rank(hit), place, hit.sample))
            .collect();
        if !keep_going() {
            return None;
        }
        order.sort_unstable();
        let matching = |place| self.filtered.matching(place);
        let found = Arc::new(QueryResult {
            samples: order.iter().map(|(.., sample)| *sample).collect(),
            matching: order
                .iter()
                .map(|(_, place, _)| matching(*place).unwrap_or(ResponseSet::ALL))
                .collect(),
        });
        let sorted = is_ranked || self.filtered.is_sorted();
        keep_going().then_some(ShownSamples::Some { found, sorted })
    }

    /// Returns the position of each hit among the filtered samples.
    fn places(&self, hits: &[Hit]) -> Vec<usize> {
        let samples = hits.iter().map(|hit| hit.sample as usize);
        if !self.filtered.is_sorted() {
            return samples.filter_map(|it| self.filtered.nearest(it)).collect();
        }
        let mut places = vec![0; self.samples];
        for (place, sample) in self.filtered.samples(0..usize::MAX).enumerate() {
            places[sample] = place;
        }
        samples.map(|sample| places[sample]).collect()
    }
}

impl App {
    /// Returns the job that sorts the hits found so far.
    fn arrangement(&self) -> ArrangementJob {
        let hits = Arc::clone(&self.search.found);
        ArrangementJob {
            key: ArrangementKey {
                search: self.search.progress.number,
                hits: hits.len(),
                order: self.search.order,
            },
            hits,
            filtered: self.selection.filtered.clone(),
            samples: self.data.dataset.samples(),
        }
    }

    /// The order that the screen waits for.
    pub(crate) fn arrangement_needed(&self) -> Option<ArrangementKey> {
        self.search.arranging.as_ref().map(|job| job.key)
    }

    /// Sorts the hits, at once or in a job. A job that has begun is completed first.
    fn arrange(&mut self) {
        if self.search.arranging.is_some() {
            return;
        }
        let job = self.arrangement();
        if !job.is_quick() {
            self.search.arranging = Some(job);
        } else if let Some(shown) = job.arrange(&|| true) {
            self.search.show(job.key, shown);
            self.reselect();
        }
    }

    /// Returns the job that sorts the hits. Smaller ones were sorted where they were found. Sorts
    /// again if more were found in the meantime.
    pub(crate) fn arrangement_job(&self) -> Option<Job> {
        let job = self.search.arranging.clone()?;
        Some(Job::new(
            "arranger",
            &self.data,
            job.key,
            false,
            move |_, of| job.arrange(of.keep_going),
            |app, key, shown| {
                if app.arrangement_needed() == Some(key) {
                    app.search.show(key, shown);
                    app.arrange_more(!app.search_is_open());
                    app.reselect();
                }
            },
        ))
    }

    /// Sorts again if the order changed, a job `is_over` or the number of hits doubled. Sorting
    /// after every batch would take quadratic time.
    fn arrange_more(&mut self, is_over: bool) {
        let search = &self.search;
        let (found, arranged) = (search.found.len(), search.arranged);
        let worth_it = found >= 2 * arranged.hits;
        let is_new = arranged.order != search.order || search.progress.stale;
        if is_new || (found > arranged.hits && (is_over || worth_it)) {
            self.arrange();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::*;

    /// Every sample of the filter is followed by its rank where it is a hit.
    fn job(
        filter: &[(u32, Option<i8>)],
        cut: usize,
        order: HitOrder,
        sorted: bool,
    ) -> ArrangementJob {
        let mut hits: Vec<_> = (filter.iter())
            .filter_map(|&(sample, rank)| Some((sample, i32::from(rank?))))
            .map(|(sample, rank)| Hit { sample, rank })
            .collect();
        hits.sort_by_key(|hit| hit.sample);
        // A sorted filter is searched in its own order, so hits do not arrive ascending.
        let cut = cut.min(hits.len());
        hits.rotate_left(cut);
        let filtered = ShownSamples::Some {
            found: QueryResult {
                samples: filter.iter().map(|(sample, _)| *sample).collect(),
                matching: (0..filter.len())
                    .map(|at| ResponseSet::of([at % 7]))
                    .collect(),
            }
            .into(),
            sorted,
        };
        ArrangementJob {
            key: ArrangementKey {
                search: 1,
                hits: hits.len(),
                order,
            },
            hits: Arc::new(hits),
            filtered,
            samples: 300,
        }
    }

    /// Reference implementation: one stable sort of all hits.
    fn plainly(filter: &[(u32, Option<i8>)], order: HitOrder) -> QueryResult {
        let mut hits: Vec<_> = (filter.iter().enumerate())
            .filter_map(|(place, &(sample, rank))| Some((place, sample, rank?)))
            .collect();
        match order {
            HitOrder::Ranked => hits.sort_by_key(|&(place, _, rank)| (Reverse(rank), place)),
            HitOrder::Dataset => hits.sort_by_key(|&(place, ..)| place),
        }
        QueryResult {
            samples: hits.iter().map(|&(_, sample, _)| sample).collect(),
            matching: hits
                .iter()
                .map(|&(place, ..)| ResponseSet::of([place % 7]))
                .collect(),
        }
    }

    proptest! {
        #[test]
        fn hits_are_ordered_as_by_a_plain_sort(
            filter in btree_map(0_u32..300, any::<Option<i8>>(), 0..200),
            swaps in vec((any::<usize>(), any::<usize>()), 0..40),
            cut in 0_usize..200,
            sorted: bool,
            ranked: bool,
        ) {
            let mut filter: Vec<_> = filter.into_iter().collect();
            if sorted && !filter.is_empty() {
                let count = filter.len();
                swaps.iter().for_each(|(one, other)| filter.swap(one % count, other % count));
            }
            let order = if ranked { HitOrder::Ranked } else { HitOrder::Dataset };
            let arranged = job(&filter, cut, order, sorted).arrange(&|| true);
            let Some(ShownSamples::Some { found, sorted: is_sorted }) = arranged else {
                return Err(TestCaseError::fail("nothing was arranged"));
            };
            prop_assert_eq!(&*found, &plainly(&filter, order));
            prop_assert_eq!(is_sorted, sorted || ranked);
        }
    }
}
