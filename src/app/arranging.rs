//! What a search found, put in the order in which it is shown: at once where it is little, and by a
//! job where that would take longer than a frame.

use std::sync::Arc;

use super::Browser;
use super::result::Shown;
use crate::jobs;
use crate::parallel::KeepGoing;
use crate::query::{QueryResult, ResponseSet};
use crate::search::{Hit, HitOrder};

/// Up to so many hits are put in order within a frame.
const FEW_HITS: usize = 1 << 14;
/// Giving the memory of more hits back takes a good part of a frame.
const MANY_HITS: usize = 1 << 20;
/// Where the filter is sorted, its samples are gone through besides: so many within a frame.
const FEW_SORTED: usize = 1 << 16;
/// Hits that are sorted between two looks at whether that is still wanted: a millisecond or two.
const RUN: usize = 1 << 16;

/// Hits of a search in the pieces in which they came. A clone shares them.
#[derive(Debug, Clone, Default)]
pub struct FoundHits {
    pieces: Vec<Arc<Vec<Hit>>>,
    count: usize,
}

impl FoundHits {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds what was found behind these.
    pub(super) fn push(&mut self, more: Vec<Hit>) {
        if !more.is_empty() {
            self.count += more.len();
            self.pieces.push(Arc::new(more));
        }
    }

    /// All of them, by ascending numbers of samples.
    fn ascending(&self) -> Vec<Hit> {
        let mut hits = Vec::with_capacity(self.count);
        (self.pieces.iter()).for_each(|piece| hits.extend_from_slice(piece));
        // They come in that order, unless the filter is in another.
        if !hits.is_sorted_by_key(|hit| hit.sample) {
            hits.sort_unstable_by_key(|hit| hit.sample);
        }
        hits
    }

    /// Their samples, by ascending numbers.
    pub(super) fn samples(&self) -> Vec<u32> {
        let hits = self.ascending();
        hits.iter().map(|hit| hit.sample).collect()
    }
}

impl Drop for FoundHits {
    fn drop(&mut self) {
        let is_last = |piece: &Arc<Vec<Hit>>| Arc::strong_count(piece) == 1;
        if self.count > MANY_HITS && self.pieces.iter().any(is_last) {
            jobs::drop_beside(std::mem::take(&mut self.pieces));
        }
    }
}

/// Whether both are the same hits of the same search; those of two searches never are.
impl PartialEq for FoundHits {
    fn eq(&self, other: &Self) -> bool {
        let mut both = self.pieces.iter().zip(&other.pieces);
        self.pieces.len() == other.pieces.len() && both.all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

/// Which hits are put in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrangementKey {
    /// Number of the search.
    pub search: u64,
    /// How many hits it had.
    pub hits: usize,
    /// In which order they are to be.
    pub order: HitOrder,
}

/// Hits to be put in order. A clone shares them.
#[derive(Debug, Clone)]
pub struct ArrangementJob {
    pub(super) key: ArrangementKey,
    pub(super) hits: FoundHits,
    /// What the filter shows.
    pub(super) filtered: Shown,
    /// How many samples the dataset has.
    pub(super) samples: usize,
}

impl ArrangementJob {
    /// Whether it is done within a frame.
    pub(super) fn is_quick(&self) -> bool {
        let is_sorted = matches!(self.filtered, Shown::Some { sorted: true, .. });
        let is_short = !is_sorted || self.filtered.len() <= FEW_SORTED;
        self.hits.len() == 0 || (self.hits.len() <= FEW_HITS && is_short)
    }

    /// Puts the hits in order, as what is shown; `None` once that is not `wanted` any more.
    pub fn arrange(&self, wanted: &dyn KeepGoing) -> Option<(ArrangementKey, Shown)> {
        let hits = self.hits.ascending();
        let places = self.places(&hits);
        // What is compared, above the place among the ascending hits.
        let mut keys = keyed(places.iter().copied());
        sort_while(&mut keys, wanted)?;
        if self.key.order == HitOrder::Ranked {
            // Those that fit alike stay as the filter has them.
            let rank = |key: &u64| hits[*key as u32 as usize].rank;
            let mut ranked = keyed(keys.iter().map(|key| descending(rank(key))));
            sort_while(&mut ranked, wanted)?;
            keys = ranked
                .iter()
                .map(|key| keys[*key as u32 as usize])
                .collect();
        }
        let order = || keys.iter().map(|key| *key as u32 as usize);
        let all = ResponseSet::ALL;
        let matching = |at: usize| self.filtered.matching(places[at] as usize);
        let found = QueryResult {
            samples: order().map(|at| hits[at].sample).collect(),
            matching: order().map(|at| matching(at).unwrap_or(all)).collect(),
        };
        let sorted = self.key.order == HitOrder::Ranked
            || matches!(self.filtered, Shown::Some { sorted: true, .. });
        let found = found.into();
        wanted().then_some((self.key, Shown::Some { found, sorted }))
    }

    /// Of each of the ascending hits, its position among what the filter shows.
    fn places(&self, hits: &[Hit]) -> Vec<u32> {
        let samples = hits.iter().map(|hit| hit.sample);
        match &self.filtered {
            Shown::All(_) => samples.collect(),
            _ if hits.is_empty() => Vec::new(),
            Shown::Some {
                found,
                sorted: false,
            } => {
                let mut pieces = found.pieces();
                let (mut piece, mut before) = (pieces.next(), 0);
                let place = |sample| loop {
                    let Some((start, found)) = piece else {
                        return self.filtered.len() as u32;
                    };
                    before += distance_to(sample, &found.samples[before..]);
                    if before < found.samples.len() {
                        return (start + before) as u32;
                    }
                    (piece, before) = (pieces.next(), 0);
                };
                samples.map(place).collect()
            }
            Shown::Some {
                found,
                sorted: true,
            } => {
                let mut places = vec![0; self.samples];
                for (place, sample) in (0..).zip(found.samples()) {
                    if let Some(here) = places.get_mut(sample as usize) {
                        *here = place;
                    }
                }
                samples
                    .map(|sample| places.get(sample as usize).copied().unwrap_or_default())
                    .collect()
            }
        }
    }
}

/// How many of the ascending samples come before one; quick where those are few.
fn distance_to(sample: u32, ascending: &[u32]) -> usize {
    let mut end = 1;
    while ascending.get(end).is_some_and(|&other| other < sample) {
        end *= 2;
    }
    let near = &ascending[..ascending.len().min(end + 1)];
    near.partition_point(|&other| other < sample)
}

/// Numbers with their places below them.
fn keyed(numbers: impl Iterator<Item = u32>) -> Vec<u64> {
    let with_place = numbers.zip(0_u64..);
    with_place
        .map(|(number, place)| u64::from(number) << 32 | place)
        .collect()
}

/// A number that is the smaller, the greater the rank.
fn descending(rank: i32) -> u32 {
    i32::MAX.abs_diff(rank)
}

/// Sorts as long as that is wanted: parts what is long at its median until the parts are short.
fn sort_while(keys: &mut [u64], wanted: &dyn KeepGoing) -> Option<()> {
    if !wanted() {
        return None;
    }
    if keys.is_sorted() {
        return Some(());
    }
    if keys.len() <= RUN {
        keys.sort_unstable();
        return Some(());
    }
    let (before, _, behind) = keys.select_nth_unstable(keys.len() / 2);
    sort_while(before, wanted)?;
    sort_while(behind, wanted)
}

impl Browser {
    /// The hits that are to be put in order, all there are by now.
    pub(super) fn arrangement(&self) -> ArrangementJob {
        let hits = self.search.found.clone();
        ArrangementJob {
            key: ArrangementKey {
                search: self.search.progress.number,
                hits: hits.len(),
                order: self.search.order(),
            },
            hits,
            filtered: self.selection.filtered.clone(),
            samples: self.data.dataset.samples(),
        }
    }

    /// What a job is to put in order for this key, as far as there is anything.
    pub(super) fn arrangement_job(&self) -> Option<ArrangementJob> {
        self.search.arranging.clone()
    }

    /// The order that the screen waits for.
    pub(super) fn arrangement_needed(&self) -> Option<ArrangementKey> {
        self.search.arranging.as_ref().map(|job| job.key)
    }

    /// Puts what was found in order: at once, or by a job. What a job has begun it ends first.
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

    /// Takes what a job has put in order, and asks for more where more was found meanwhile.
    pub(super) fn take_arrangement(&mut self, key: ArrangementKey, shown: Shown) {
        if self.arrangement_needed() != Some(key) {
            return;
        }
        self.search.show(key, shown);
        self.arrange_more();
        self.reselect();
    }

    /// Asks for another order where the one there is of another kind, or of much less than was
    /// found: each piece put in order by itself would take a time that grows with the square of what
    /// is found.
    pub(super) fn arrange_more(&mut self) {
        let search = &self.search;
        let (found, arranged) = (search.found.len(), search.arranged);
        let is_over = !search.progress.under_way;
        let worth_it = found >= arranged.hits + search.least_step(arranged.hits);
        let is_new = arranged.order != search.order() || search.progress.stale;
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
        let behind = hits.split_off(cut.min(hits.len()));
        let mut found = FoundHits::default();
        [hits, behind].into_iter().for_each(|hits| found.push(hits));
        let filtered = Shown::Some {
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
                hits: found.len(),
                order,
            },
            hits: found,
            filtered,
            samples: 300,
        }
    }

    /// Puts hits in order by one stable sort of everything.
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
        fn hits_stand_as_a_plain_sort_puts_them(
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
            let Some((_, Shown::Some { found, sorted: is_sorted })) = arranged else {
                return Err(TestCaseError::fail("nothing was arranged"));
            };
            prop_assert_eq!(&*found.joined(), &plainly(&filter, order));
            prop_assert_eq!(is_sorted, sorted || ranked);
        }
    }

    #[test]
    fn long_lists_are_sorted_and_given_up() {
        let mut keys: Vec<u64> = (0..5 * RUN as u64)
            .map(|key| key * 7919 % 100_003)
            .collect();
        let mut expected = keys.clone();
        expected.sort_unstable();
        let mut given_up = keys.clone();
        assert_eq!(sort_while(&mut given_up, &|| false), None);
        assert_eq!(sort_while(&mut keys, &|| true), Some(()));
        assert_eq!(keys, expected);
    }

    #[test]
    fn ranks_keep_their_order_as_keys() {
        let ranks = [i32::MIN, -5, 0, 7, i32::MAX];
        assert!(ranks.map(descending).is_sorted_by(|one, other| one > other));
    }
}
