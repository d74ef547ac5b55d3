//! The search in force, and how far it is answered. It looks among what the filter shows, and
//! begins anew when that is replaced.
//!
//! Like a query, a search is named by [`App::needs`] and answered by `run` in pieces; every search
//! has a number, so that answers to one that is no longer in force are dropped.

use std::cmp::Reverse;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::App;
use super::hits::PageHits;
use super::result::Shown;
use crate::dataset::Dataset;
use crate::query::{QueryResult, ResponseSet};
use crate::search::{self, Hit, HitMarker, HitOrder, Index, Needle, SearchScope};

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

/// Samples to search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchJob {
    /// Number of the search.
    pub number: u64,
    /// Which loading of the dataset.
    pub generation: u64,
    /// What is looked for.
    pub sought: SearchTerms,
    /// Positions among what the filter shows that were not searched yet.
    pub positions: Range<usize>,
    /// Of these, the samples that can have it, in ascending order, where a search before tells;
    /// `None`: all of them.
    pub among: Option<Arc<[u32]>>,
}

/// A piece of the answer to a [`SearchJob`].
#[derive(Debug)]
pub struct SearchBatch {
    /// Number of the search.
    pub number: u64,
    /// Which loading of the dataset.
    pub generation: u64,
    /// What was found since the last piece, by ascending numbers of samples.
    pub hits: Vec<Hit>,
    /// How many samples were looked at.
    pub looked: usize,
    /// Up to which position everything is answered, once it is.
    pub done: Option<usize>,
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
    /// Number of the search in force, growing by one with each.
    number: u64,
    /// Positions among what the filter shows that were searched.
    searched: usize,
    /// Samples that whoever is at work has looked at.
    looked: usize,
    /// Whether somebody is searching.
    under_way: bool,
    /// Whether that takes so long that progress is worth showing.
    long: bool,
    /// Whether what is shown is still what was shown before this search.
    stale: bool,
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
    pub(super) left: Option<(usize, [usize; 4])>,
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
const SCOPES: [SearchScope; 4] = [
    SearchScope::Everything,
    SearchScope::Prompt,
    SearchScope::Responses,
    SearchScope::Quotes,
];

impl SearchJob {
    /// The samples to search, by ascending numbers; `None`: all of the dataset. `filtered` is what
    /// the filter shows.
    pub fn candidates(&self, filtered: &Shown, dataset: &Dataset) -> Option<Vec<u32>> {
        if let Some(among) = &self.among {
            return Some(among.to_vec());
        }
        match filtered {
            Shown::All(_) if self.positions == (0..dataset.samples()) => None,
            Shown::All(_) => {
                Some((self.positions.start as u32..self.positions.end as u32).collect())
            }
            Shown::Some { found, sorted } => {
                let end = self.positions.end.min(found.samples.len());
                let mut samples = found.samples[self.positions.start.min(end)..end].to_vec();
                if *sorted {
                    samples.sort_unstable();
                }
                Some(samples)
            }
        }
    }

    /// Searches these samples and tells what it finds; the last piece says that it is the last.
    /// Gives up when told to, and soon after it is not `wanted` any more. Reads rows, so only `run`
    /// calls it, here or on a thread.
    pub fn answer(
        &self,
        dataset: &Dataset,
        index: Option<&Index>,
        candidates: Option<&[u32]>,
        wanted: &(dyn Fn() -> bool + Sync),
        tell: &mut dyn FnMut(SearchBatch) -> ControlFlow<()>,
    ) {
        let (number, generation) = (self.number, self.generation);
        let piece = |hits, looked, done| SearchBatch {
            number,
            generation,
            hits,
            looked,
            done,
        };
        let asked = search::SearchRequest {
            needle: &self.sought.needle,
            scope: self.sought.scope,
            among: candidates,
        };
        let answered = search::search(&asked, dataset, index, wanted, &mut |found| {
            tell(piece(found.hits, found.looked, None))
        });
        if answered.is_continue() {
            // Whether anybody still listens makes no difference to the last piece.
            let _ = tell(piece(Vec::new(), 0, Some(self.positions.end)));
        }
    }
}

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

    /// Number of the search in force, growing by one with each.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether somebody is searching.
    pub fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Whether the last step from hit to hit went round the end, until the next key.
    pub fn wrapped(&self) -> bool {
        self.wrapped
    }

    /// Samples that were searched, where that takes long.
    pub fn progress(&self) -> Option<usize> {
        (self.under_way && self.long).then_some(self.searched + self.looked)
    }

    /// What it shows, where it shows anything yet.
    pub(super) fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// Whether the first match is to be selected.
    pub(super) fn leads(&self) -> bool {
        self.leading && !self.stale && self.shown.is_some()
    }

    /// Whether the first match is to be selected and none is known yet.
    pub(super) fn is_awaited(&self) -> bool {
        self.leading && self.stale && self.sought.is_some()
    }

    /// What was found, where everything that the filter shows was searched: by ascending numbers of
    /// samples.
    fn complete(&self, of: usize) -> Option<Arc<[u32]>> {
        if self.under_way || self.stale || self.searched < of {
            return None;
        }
        let mut samples: Vec<_> = self.matches.iter().map(|found| found.hit.sample).collect();
        samples.sort_unstable();
        Some(samples.into())
    }

    fn restart(&mut self) {
        self.number += 1;
        (
            self.searched,
            self.looked,
            self.under_way,
            self.long,
            self.stale,
        ) = (0, 0, false, false, true);
        (self.narrowed, self.places) = (None, None);
    }

    /// Takes hits in, at their places among what the filter shows.
    fn extend(&mut self, hits: Vec<Hit>, filtered: &Shown, samples: usize) {
        if std::mem::take(&mut self.stale) {
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
        let both = ResponseSet::of(true, true);
        let sides = self
            .matches
            .iter()
            .map(|found| filtered.sides(found.place as usize).unwrap_or(both))
            .collect();
        let sorted =
            self.order == HitOrder::Ranked || matches!(filtered, Shown::Some { sorted: true, .. });
        self.shown = Some(Shown::Some {
            found: QueryResult { samples, sides },
            sorted,
        });
    }
}

impl App {
    /// The search in force, and how far it is answered.
    pub fn search(&self) -> &SearchState {
        &self.search
    }

    /// The samples that are shown: what the search in force found, or else what the filter shows.
    pub fn shown(&self) -> &Shown {
        let running = self.review.running().map(super::RunningAudit::shown);
        running
            .or(self.search.shown.as_ref())
            .unwrap_or(&self.selection.filtered)
    }

    /// What the filter shows, whatever is searched in it.
    pub fn filtered(&self) -> &Shown {
        &self.selection.filtered
    }

    /// What is to be searched, if anything.
    pub(super) fn search_ask(&self) -> Option<SearchJob> {
        let search = &self.search;
        let (sought, end) = (search.sought.clone()?, self.selection.filtered.len());
        if search.under_way || search.searched >= end {
            return None;
        }
        let (positions, among) = match &search.narrowed {
            Some((upto, among)) if search.searched == 0 => (0..*upto, Some(Arc::clone(among))),
            _ => (search.searched..end, None),
        };
        Some(SearchJob {
            number: search.number,
            generation: self.data.generation,
            sought,
            positions,
            among,
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
            self.search.matches.clear();
            self.reselect();
        }
    }

    /// Puts in force what is typed: its first match is selected. An empty needle looks for nothing.
    pub(super) fn search_for(&mut self, needle: Needle) {
        let sought = (!needle.is_empty()).then(|| SearchTerms::new(needle, self.search.scope));
        let leading = sought.is_some();
        self.set_search(sought, leading);
    }

    /// Looks for the same among other samples.
    pub(super) fn search_again(&mut self) {
        self.search.restart();
        // Among none nobody needs to look.
        if self.search.sought.is_some() && self.selection.filtered.is_empty() {
            self.settle(Vec::new());
        }
    }

    /// Looks for the same in another dataset; until something is found nothing is shown.
    pub(super) fn search_anew(&mut self) {
        self.search_again();
        if self.search.sought.is_some() {
            self.settle(Vec::new());
        }
    }

    /// Somebody is at work on the search of this number.
    pub(super) fn note_searching(&mut self, number: u64) {
        self.search.under_way |= number == self.search.number;
    }

    /// The search of this number takes long.
    pub(super) fn note_still_searching(&mut self, number: u64) {
        if number != self.search.number {
            return;
        }
        self.search.long = true;
        if self.search.stale {
            // What was found before would pass for the answer.
            self.settle(Vec::new());
            self.reselect();
        }
    }

    pub(super) fn take_hits(&mut self, mut answer: SearchBatch) {
        if (answer.number, answer.generation) != (self.search.number, self.data.generation) {
            return;
        }
        if self.is_blind() {
            answer.hits.retain(|hit| self.may_be_found(hit.sample));
        }
        self.search.looked = answer.looked;
        if let Some(searched) = answer.done {
            (self.search.searched, self.search.looked) = (searched, 0);
            (self.search.under_way, self.search.long) = (false, false);
        }
        // What was shown before stays until there is something to show in its place.
        let awaited = self.search.stale || self.search.arranged < self.search.matches.len();
        if answer.hits.is_empty() && !(answer.done.is_some() && awaited) {
            self.release_anchor();
            return;
        }
        self.search.extend(
            answer.hits,
            &self.selection.filtered,
            self.data.dataset.samples(),
        );
        // Each piece put in order by itself would take a time that grows with the square of what is
        // found.
        let (found, arranged) = (self.search.matches.len(), self.search.arranged);
        if answer.done.is_some() || found <= FEW_MATCHES || found >= arranged + arranged / 8 {
            self.search.arrange(&self.selection.filtered);
            self.reselect();
        }
    }

    fn settle(&mut self, hits: Vec<Hit>) {
        self.search
            .extend(hits, &self.selection.filtered, self.data.dataset.samples());
        self.search.arrange(&self.selection.filtered);
    }

    /// No search any more; the sample that is selected stays so.
    pub(super) fn drop_search(&mut self) {
        self.set_search(None, false);
        self.release_anchor();
    }

    /// The next scope, or the one before, for the search that is typed.
    pub(super) fn cycle_scope(&mut self, forward: bool) {
        let at = SCOPES
            .iter()
            .position(|scope| *scope == self.search.scope)
            .unwrap_or(0);
        let step = if forward { 1 } else { SCOPES.len() - 1 };
        self.search.scope = SCOPES[(at + step) % SCOPES.len()];
    }

    /// The scope that a search had before, for the next one.
    pub(super) fn set_scope(&mut self, scope: SearchScope) {
        self.search.scope = scope;
    }

    /// The other order of what is found, at once.
    pub(super) fn toggle_order(&mut self) {
        self.search.order = match self.search.order {
            HitOrder::Ranked => HitOrder::Dataset,
            HitOrder::Dataset => HitOrder::Ranked,
        };
        if self.search.shown.is_some() && !self.search.stale {
            self.search.arrange(&self.selection.filtered);
            self.reselect();
        }
    }
}
