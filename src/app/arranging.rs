//! Orders the hits of a search for display: at once if there are few, or in a job if it would take
//! longer than a frame.

use std::cmp::Reverse;
use std::sync::Arc;

use super::Browser;
use super::shown_samples::ShownSamples;
use crate::parallel::KeepGoing;
use crate::query::{QueryResult, ResponseSet};
use crate::search::{Hit, HitOrder};

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
    pub fn arrange(&self, keep_going: &dyn KeepGoing) -> Option<(ArrangementKey, ShownSamples)> {
        let mut hits = self.hits.to_vec();
        hits.sort_unstable_by_key(|hit| hit.sample);
        let is_ranked = self.key.order == HitOrder::Ranked;
        // Hits of equal rank keep the order of the filter.
        let rank = |hit: &Hit| is_ranked.then_some(Reverse(hit.rank));
        let places = self.places(&hits);
        let order = hits.iter().zip(places);
        let mut order: Vec<_> = order
            .map(|(hit, place)| (rank(hit), place, hit.sample))
            .collect();
        if !keep_going() {
            return None;
        }
        order.sort_unstable();
        let matching = |place: u32| self.filtered.matching(place as usize);
        let found = Arc::new(QueryResult {
            samples: order.iter().map(|(.., sample)| *sample).collect(),
            matching: order
                .iter()
                .map(|(_, place, _)| matching(*place).unwrap_or(ResponseSet::ALL))
                .collect(),
        });
        let sorted = is_ranked || self.filtered.is_sorted();
        keep_going().then_some((self.key, ShownSamples::Some { found, sorted }))
    }

    /// Returns the position of each hit among the filtered samples. `hits` must be in ascending
    /// order.
    fn places(&self, hits: &[Hit]) -> Vec<u32> {
        let samples = hits.iter().map(|hit| hit.sample);
        match &self.filtered {
            ShownSamples::All(_) => samples.collect(),
            ShownSamples::Some {
                found,
                sorted: false,
            } => {
                let mut place = 0;
                let place = |sample| {
                    let rest = found.samples[place..].iter();
                    place += rest.take_while(|other| **other < sample).count();
                    place as u32
                };
                samples.map(place).collect()
            }
            ShownSamples::Some {
                found,
                sorted: true,
            } => {
                let mut places = vec![0; self.samples];
                for (place, sample) in (0..).zip(&found.samples) {
                    if let Some(here) = places.get_mut(*sample as usize) {
                        *here = place;
                    }
                }
                let place = |sample| places.get(sample as usize).copied();
                samples
                    .map(|sample| place(sample).unwrap_or_default())
                    .collect()
            }
        }
    }
}

impl Browser {
    /// Returns the job that sorts the hits found so far.
    pub(super) fn arrangement(&self) -> ArrangementJob {
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
    pub(super) fn arrangement_needed(&self) -> Option<ArrangementKey> {
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
        } else if let Some((key, shown)) = job.arrange(&|| true) {
            self.search.show(key, shown);
            self.reselect();
        }
    }

    /// Shows hits that a job has sorted, and sorts again if more were found in the meantime.
    pub(super) fn take_arrangement(&mut self, key: ArrangementKey, shown: ShownSamples) {
        if self.arrangement_needed() != Some(key) {
            return;
        }
        self.search.show(key, shown);
        self.arrange_more();
        self.reselect();
    }

    /// Sorts again if the order changed or the number of hits doubled. Sorting after every batch
    /// would take quadratic time.
    pub(super) fn arrange_more(&mut self) {
        let search = &self.search;
        let (found, arranged) = (search.found.len(), search.arranged);
        let is_over = !search.progress.under_way;
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
            let Some((_, ShownSamples::Some { found, sorted: is_sorted })) = arranged else {
                return Err(TestCaseError::fail("nothing was arranged"));
            };
            prop_assert_eq!(&*found, &plainly(&filter, order));
            prop_assert_eq!(is_sorted, sorted || ranked);
        }
    }
}
