//! Sorting of query results.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::block::SampleBlock;
use super::{QUICK_BLOCK, QueryResult};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, continue_if};
use crate::query::ast::{ColumnId, Number, Query, SortBy, SortKey};
use crate::query::remarks::ReviewIndex;

/// Most samples to sort without a check for cancellation; takes some milliseconds.
const RUN: usize = 1 << 15;

/// Sorts a query result, which must be in dataset order; ties stay in dataset order. If cancelled,
/// the result stays as it was.
pub fn sort(
    query: &Query,
    dataset: &Dataset,
    remarks: &ReviewIndex,
    found: &mut QueryResult,
    keep_going: &dyn KeepGoing,
) -> ControlFlow<()> {
    if query.sort.is_empty() {
        return ControlFlow::Continue(());
    }
    let fields = query.sort_fields();
    let columns = fields.iter().map(|field| field.column);
    let of_texts = columns.clone().filter(|column| column.source.reads_texts());
    dataset.count_texts(
        &of_texts.collect::<Vec<_>>(),
        0..dataset.samples(),
        keep_going,
    )?;
    let comparisons = columns.filter_map(|column| column.source.comparison());
    dataset.compare(&comparisons.collect::<Vec<_>>(), keep_going)?;
    let mut all = Vec::new();
    for key in &query.sort {
        let known = (dataset, remarks);
        all.push(ranks(key, known, found, keep_going)?);
    }
    let mut order: Vec<u32> = (0..found.samples.len() as u32).collect();
    let by_keys = |one: &u32, other: &u32| {
        let by_key = |keys: &Vec<f64>| compare(keys[*one as usize], keys[*other as usize]);
        all.iter()
            .map(by_key)
            .find(|order| order.is_ne())
            .unwrap_or_else(|| one.cmp(other))
    };
    sort_runs(&mut order, &by_keys, keep_going)?;
    found.pick(&order);
    ControlFlow::Continue(())
}

/// Sorts with checks for cancellation: splits at the median until the parts are short.
fn sort_runs(
    order: &mut [u32],
    compare: &impl Fn(&u32, &u32) -> Ordering,
    keep_going: &dyn KeepGoing,
) -> ControlFlow<()> {
    continue_if(keep_going())?;
    if order.len() <= RUN {
        order.sort_unstable_by(compare);
        return ControlFlow::Continue(());
    }
    let (before, _, after) = order.select_nth_unstable_by(order.len() / 2, compare);
    sort_runs(before, compare, keep_going)?;
    sort_runs(after, compare, keep_going)
}

/// Orders missing values last.
fn compare(one: f64, other: f64) -> Ordering {
    match (one.is_nan(), other.is_nan()) {
        (false, false) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
        (one, other) => one.cmp(&other),
    }
}

/// The dataset, and what reviewers said about its samples.
type KnownData<'a> = (&'a Dataset, &'a ReviewIndex);

/// Returns a sort key per sample, ascending; NaN if missing.
fn ranks(
    key: &SortKey,
    known: KnownData<'_>,
    found: &QueryResult,
    keep_going: &dyn KeepGoing,
) -> ControlFlow<(), Vec<f64>> {
    let samples = found.samples.as_slice();
    let ranks = match &key.by {
        SortBy::Random(seed) => samples
            .iter()
            .map(|&sample| chance(*seed, u64::from(sample)))
            .collect(),
        SortBy::Value(Number::Field(field)) if !field.column.kind.is_number() => {
            ranked_words(field.column, known, samples, keep_going)?
        }
        SortBy::Value(number) => {
            // A number of responses counts with the responses that match the filter; of several,
            // with the value that is nearer to the front.
            let best = if key.descending { f64::max } else { f64::min };
            let of_block = |block: &SampleBlock<'_>| block.number(number, None);
            by_block(
                known,
                samples,
                keep_going,
                of_block,
                |values, within, place| {
                    let set = found.matching.get(place).copied().unwrap_or_default();
                    values.reduce(within, set, best).unwrap_or(f64::NAN)
                },
            )?
        }
    };
    ControlFlow::Continue(if key.descending {
        ranks.into_iter().map(|rank: f64| -rank).collect()
    } else {
        ranks
    })
}

/// Picks a value per sample from a list of its block, given its index there and in `samples`, which
/// must be in dataset order.
fn by_block<L, T>(
    (dataset, remarks): KnownData<'_>,
    samples: &[u32],
    keep_going: &dyn KeepGoing,
    mut list: impl FnMut(&SampleBlock<'_>) -> L,
    pick: impl Fn(&L, usize, usize) -> T,
) -> ControlFlow<(), Vec<T>> {
    let mut values = Vec::with_capacity(samples.len());
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let (left, range) = (&samples[values.len()..], block.samples());
        let here = left.partition_point(|&sample| (sample as usize) < range.end);
        if here > 0 {
            continue_if(keep_going())?;
            let (list, before) = (list(&block.with_remarks(remarks)), values.len());
            let places = left[..here].iter().zip(before..);
            values.extend(
                places.map(|(&sample, place)| pick(&list, sample as usize - range.start, place)),
            );
        }
    }
    ControlFlow::Continue(values)
}

/// Returns each sample's rank of its word.
fn ranked_words(
    column: ColumnId,
    known: KnownData<'_>,
    samples: &[u32],
    keep_going: &dyn KeepGoing,
) -> ControlFlow<(), Vec<f64>> {
    let mut words = BTreeMap::new();
    let of_block = |block: &SampleBlock<'_>| {
        let (own, codes) = (block.read_words(column).into_iter().next()).unwrap_or_default();
        let code = |word: Cow<'_, str>| {
            let next = words.len() as u32;
            *words.entry(word.into_owned()).or_insert(next)
        };
        let own: Vec<_> = own.into_iter().map(code).collect();
        let code = |code: &u16| own.get(usize::from(*code)).copied();
        codes.iter().map(code).collect::<Vec<_>>()
    };
    let codes = by_block(known, samples, keep_going, of_block, |codes, within, _| {
        codes.get(within).copied().flatten()
    })?;
    let mut ranks = vec![f64::NAN; words.len()];
    for (rank, code) in (0_u32..).zip(words.into_values()) {
        ranks[code as usize] = f64::from(rank);
    }
    let rank = |code: Option<u32>| code.map_or(f64::NAN, |code| ranks[code as usize]);
    ControlFlow::Continue(codes.into_iter().map(rank).collect())
}

/// Returns a pseudo-random number in [0, 1): SplitMix64 (Steele, Lea and Flood 2014) of a seed and
/// a number. `sort:random(seed)` orders samples by the value of their number from 0.
pub fn chance(seed: u64, number: u64) -> f64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let start = mixed(seed.wrapping_add(GAMMA));
    let mixed = mixed(start.wrapping_add(GAMMA.wrapping_mul(number.wrapping_add(1))));
    // 53 bits, the precision of a double.
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    fn what_is_sorted_in_runs_is_sorted_and_asks_for_each() {
        for count in [0, 1, RUN, RUN + 1, 5 * RUN + 3] {
            // Few distinct numbers, to have many equal ones.
            let number = |place: &u32| (chance(1, u64::from(*place)) * 100.0) as u32;
            let by = |one: &u32, other: &u32| (number(one), one).cmp(&(number(other), other));
            let mut order: Vec<u32> = (0..count as u32).collect();
            let (looked, mut expected) = (AtomicUsize::new(0), order.clone());
            let sorted_with = |looks: usize| {
                looked.store(0, Relaxed);
                move |looked: &AtomicUsize| looked.fetch_add(1, Relaxed) < looks
            };
            let all = sorted_with(usize::MAX);
            assert!(sort_runs(&mut order, &by, &|| all(&looked)).is_continue());
            expected.sort_by(by);
            assert_eq!(order, expected, "{count}");
            let looks = looked.load(Relaxed);
            assert!(
                looks >= count.div_ceil(RUN).max(1),
                "{count} asked {looks} times"
            );
            let few = sorted_with(looks - 1);
            assert!(sort_runs(&mut order, &by, &|| few(&looked)).is_break());
        }
    }
}
