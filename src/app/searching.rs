//! The search in force. It looks among what the filter shows, and begins anew when that is
//! replaced.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use super::hits::PageHits;
use super::query_job::{QueryJob, QueryKind, QueryTerms};
use super::querying::QueryProgress;
use super::result::Shown;
use super::{App, Pane};
use crate::model::ResponseId;
use crate::query::{QueryResult, ResponseSet};
use crate::search::{Hit, HitMarker, HitOrder, Needle, SearchScope};

/// What is looked for, and where.
#[derive(Debug, Clone)]
pub struct SearchTerms {
    /// What; never an empty needle.
    pub needle: Arc<Needle>,
    /// In which texts.
    pub scope: SearchScope,
    /// The needle made ready once for all texts that are marked.
    pub(super) marker: Arc<HitMarker>,
}

impl PartialEq for SearchTerms {
    fn eq(&self, other: &Self) -> bool {
        (&self.needle, self.scope) == (&other.needle, other.scope)
    }
}

impl Eq for SearchTerms {}

impl SearchTerms {
    /// What `needle`, which is not empty, looks for in the texts of `scope`.
    pub fn new(needle: Needle, scope: SearchScope) -> Self {
        let marker = Arc::new(HitMarker::new(&needle));
        Self {
            needle: Arc::new(needle),
            scope,
            marker,
        }
    }
}

/// A sample that was found.
#[derive(Debug, Clone, Copy)]
struct Match {
    hit: Hit,
    /// Its position among what the filter shows.
    place: u32,
}

/// The search in force, and how far it is answered.
#[derive(Debug, Default)]
pub struct SearchState {
    sought: Option<SearchTerms>,
    /// Texts that the next search looks at, and the order in which it shows what it finds.
    scope: SearchScope,
    order: HitOrder,
    pub(super) progress: QueryProgress,
    /// What a search before found in the first so many positions, where this one can find nothing
    /// else there.
    narrowed: Option<(usize, Arc<[u32]>)>,
    /// In the order in which they are shown.
    matches: Vec<Match>,
    /// How many of them were put in order; those behind wait until there are enough of them.
    arranged: usize,
    /// Position of each sample among what the filter shows, where that is sorted.
    places: Option<Vec<u32>>,
    /// What the search shows; `None` until it has something to show in place of what was there
    /// before it.
    shown: Option<Shown>,
    /// Whether the last key went round the end.
    pub(super) wrapped: bool,
    /// Whether the first match is selected, whichever it becomes.
    pub(super) leading: bool,
    /// What it found in the page on screen, or in the one before.
    pub(super) hits: Option<PageHits>,
    /// The hit of the page on which one stands.
    pub(super) at: Option<usize>,
    /// The hit to go to once those of the page are known.
    pub(super) arrival: Option<Arrival>,
    /// Hits to go on from there, or back, until another key.
    pub(super) ahead: i64,
    /// Where the panes of a sample stood before one typed, to be brought back with it.
    pub(super) left: Option<(usize, [usize; Pane::ALL.len()])>,
}

/// Which hit of a page to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The first, with the focus.
    First,
    /// The last, with the focus.
    Last,
    /// The first is to be seen, and the focus stays where it is.
    InSight,
}

/// Up to so many matches are put in order with each piece that comes.
const FEW_MATCHES: usize = 2_000;
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

    /// Which texts the next search looks at.
    pub fn scope(&self) -> SearchScope {
        self.scope
    }

    /// The order in which what is found shows.
    pub fn order(&self) -> HitOrder {
        self.order
    }

    /// Whether the last step from hit to hit went round the end, until the next key.
    pub fn wrapped(&self) -> bool {
        self.wrapped
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

    /// What was found, where everything that the filter shows was searched: by ascending numbers of
    /// samples.
    fn complete(&self, of: usize) -> Option<Arc<[u32]>> {
        if self.progress.is_under_way() || self.progress.stale || self.progress.looked() < of {
            return None;
        }
        let mut samples: Vec<_> = self.matches.iter().map(|found| found.hit.sample).collect();
        samples.sort_unstable();
        Some(samples.into())
    }

    fn restart(&mut self) {
        self.progress.restart();
        (self.narrowed, self.places) = (None, None);
    }

    /// Takes hits in, at their places among what the filter shows.
    fn extend(&mut self, hits: Vec<Hit>, filtered: &Shown, samples: usize) {
        if std::mem::take(&mut self.progress.stale) {
            self.matches.clear();
            self.arranged = 0;
        }
        match filtered {
            Shown::All(_) => self.matches.extend(hits.into_iter().map(|hit| Match {
                hit,
                place: hit.sample,
            })),
            Shown::Some {
                found,
                sorted: false,
            } => {
                let first = hits.first().map_or(0, |hit| hit.sample);
                // Both ascend: they are gone through side by side.
                let mut place = found.samples.partition_point(|&sample| sample < first);
                for hit in hits {
                    while found
                        .samples
                        .get(place)
                        .is_some_and(|&sample| sample < hit.sample)
                    {
                        place += 1;
                    }
                    self.matches.push(Match {
                        hit,
                        place: place as u32,
                    });
                }
            }
            Shown::Some {
                found,
                sorted: true,
            } => {
                let places = self.places.get_or_insert_with(|| {
                    let mut places = vec![0; samples];
                    for (place, &sample) in found.samples.iter().enumerate() {
                        if let Some(here) = places.get_mut(sample as usize) {
                            *here = place as u32;
                        }
                    }
                    places
                });
                let place =
                    |hit: &Hit| places.get(hit.sample as usize).copied().unwrap_or_default();
                self.matches.extend(hits.into_iter().map(|hit| Match {
                    hit,
                    place: place(&hit),
                }));
            }
        }
    }

    /// Puts what was found in its order, as what is shown.
    fn arrange(&mut self, filtered: &Shown) {
        // What was there before is in order already: the sort notices, and merges.
        match self.order {
            HitOrder::Ranked => self
                .matches
                .sort_by_key(|found| (Reverse(found.hit.rank), found.hit.sample)),
            HitOrder::Dataset => self.matches.sort_by_key(|found| found.place),
        }
        self.arranged = self.matches.len();
        let samples = self.matches.iter().map(|found| found.hit.sample).collect();
        let all = ResponseSet::first(ResponseId::MOST);
        let matching = self
            .matches
            .iter()
            .map(|found| filtered.matching(found.place as usize).unwrap_or(all))
            .collect();
        let sorted =
            self.order == HitOrder::Ranked || matches!(filtered, Shown::Some { sorted: true, .. });
        self.shown = Some(Shown::Some {
            found: QueryResult { samples, matching },
            sorted,
        });
    }
}

impl App {
    /// The search in force, and how far it is answered.
    pub fn search(&self) -> &SearchState {
        &self.search
    }

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
        let looked = search.progress.looked();
        let (positions, among) = match &search.narrowed {
            Some((upto, among)) if looked == 0 => (0..*upto, Some(Arc::clone(among))),
            _ => (looked..end, None),
        };
        Some(QueryJob {
            request: self.request_id(QueryKind::Search),
            positions,
            terms: QueryTerms::Search { terms, among },
        })
    }

    /// The samples at some positions among what the filter shows, in ascending order; `None`: all
    /// of the dataset.
    pub(super) fn candidates(&self, positions: &Range<usize>) -> Option<Vec<u32>> {
        let filtered = &self.selection.filtered;
        let all = 0..self.data.dataset.samples();
        let is_all = matches!(filtered, Shown::All(_)) && *positions == all;
        (!is_all).then(|| filtered.ascending(positions.clone()))
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
            self.search.matches.clear();
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

    /// Looks for the same in another dataset; until something is found nothing is shown.
    pub(super) fn search_anew(&mut self) {
        self.search_again();
        if self.search.sought.is_some() {
            self.show_no_hits();
        }
    }

    /// Until there is something to show, nothing is.
    pub(super) fn show_no_hits(&mut self) {
        self.search.extend(
            Vec::new(),
            &self.selection.filtered,
            self.data.dataset.samples(),
        );
        self.search.arrange(&self.selection.filtered);
    }

    /// Takes what the search found since the last piece.
    pub(super) fn take_hits(&mut self, hits: Vec<Hit>, done: bool) {
        // What was shown before stays until there is something to show in its place.
        let awaited =
            self.search.progress.stale || self.search.arranged < self.search.matches.len();
        if hits.is_empty() && !(done && awaited) {
            self.release_anchor();
            return;
        }
        self.search
            .extend(hits, &self.selection.filtered, self.data.dataset.samples());
        // Each piece put in order by itself would take a time that grows with the square of what is
        // found.
        let (found, arranged) = (self.search.matches.len(), self.search.arranged);
        if done || found <= FEW_MATCHES || found >= arranged + arranged / 8 {
            self.search.arrange(&self.selection.filtered);
            self.reselect();
        }
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

    /// The scope that a search had before, for the next one.
    pub(super) fn set_scope(&mut self, scope: SearchScope) {
        self.search.scope = scope;
    }

    /// The order of what is found, for the next search.
    pub(super) fn set_order(&mut self, order: HitOrder) {
        self.search.order = order;
    }

    /// The other order of what is found, at once.
    pub(super) fn toggle_order(&mut self) {
        self.search.order = match self.search.order {
            HitOrder::Ranked => HitOrder::Dataset,
            HitOrder::Dataset => HitOrder::Ranked,
        };
        if self.search.shown.is_some() && !self.search.progress.stale {
            self.search.arrange(&self.selection.filtered);
            self.reselect();
        }
    }
}
