//! The order that a query asks for.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::block::SampleBlock;
use super::facts::{WordsOf, verdict_word};
use super::per_response::PerResponse;
use super::{QUICK_BLOCK, QueryResult};
use crate::dataset::Dataset;
use crate::query::ast::{Category, Query, SortBy, SortKey};

/// Puts what was found into the order that the query asks for; ties stay in dataset order. Needs
/// what was found in dataset order.
pub fn sort(query: &Query, dataset: &Dataset, found: &mut QueryResult) {
    if query.sort.is_empty() {
        return;
    }
    let keys: Vec<_> = query
        .sort
        .iter()
        .map(|key| ranks(key, dataset, found))
        .collect();
    let mut order: Vec<u32> = (0..found.samples.len() as u32).collect();
    order.sort_unstable_by(|&one, &other| {
        let by_key = |keys: &Vec<f64>| compare(keys[one as usize], keys[other as usize]);
        let unlike = keys.iter().map(by_key).find(|order| order.is_ne());
        unlike.unwrap_or_else(|| one.cmp(&other))
    });
    found.samples = order
        .iter()
        .map(|&place| found.samples[place as usize])
        .collect();
    found.sides = order
        .iter()
        .map(|&place| found.sides[place as usize])
        .collect();
}

/// What is missing comes last.
fn compare(one: f64, other: f64) -> Ordering {
    match (one.is_nan(), other.is_nan()) {
        (false, false) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
        (one, other) => one.cmp(&other),
    }
}

/// A number for each sample, the smallest of which comes first; NaN where the key is missing.
fn ranks(key: &SortKey, dataset: &Dataset, found: &QueryResult) -> Vec<f64> {
    let samples = found.samples.as_slice();
    let ranks = match &key.by {
        SortBy::Random(seed) => samples
            .iter()
            .map(|&sample| chance(*seed, u64::from(sample)))
            .collect(),
        SortBy::Number(number) => {
            // Of a number of the responses, that of the response that the filter speaks of; of
            // both, the one that brings the sample nearer to the front.
            let best = if key.descending { f64::max } else { f64::min };
            let values = by_block(dataset, samples, |block| match block.number(number, None) {
                PerResponse::Same(values) => values.into_iter().map(|value| [value; 2]).collect(),
                PerResponse::Each([a, b]) => a
                    .into_iter()
                    .zip(b)
                    .map(|(a, b)| [a, b])
                    .collect::<Vec<_>>(),
            });
            let matching = values.into_iter().zip(&found.sides).map(|([a, b], sides)| {
                match (sides.has(0), sides.has(1)) {
                    (true, false) => a,
                    (false, true) => b,
                    (true, true) | (false, false) => best(a, b),
                }
            });
            matching.collect()
        }
        SortBy::Category(category) => ranked_words(category, dataset, samples),
    };
    if key.descending {
        ranks.into_iter().map(|rank: f64| -rank).collect()
    } else {
        ranks
    }
}

/// A list's value for each of the samples, which are in dataset order.
fn by_block<T: Clone>(
    dataset: &Dataset,
    samples: &[u32],
    list: impl Fn(&SampleBlock<'_>) -> Vec<T>,
) -> Vec<T> {
    let mut values = Vec::with_capacity(samples.len());
    let mut left = samples;
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        let here = left.partition_point(|&sample| (sample as usize) < block.samples().end);
        if here > 0 {
            let list = list(&block);
            let first = block.samples().start;
            values.extend(
                left[..here]
                    .iter()
                    .filter_map(|&sample| list.get(sample as usize - first).cloned()),
            );
            left = &left[here..];
        }
    }
    values
}

/// Each sample's word by its place among all words in order.
fn ranked_words(category: &Category, dataset: &Dataset, samples: &[u32]) -> Vec<f64> {
    let words = by_block(dataset, samples, |block| block.owned_words(category));
    let mut places: BTreeMap<&str, f64> = words
        .iter()
        .flatten()
        .map(|word| (word.as_str(), 0.0))
        .collect();
    for (place, rank) in (0_u32..).zip(places.values_mut()) {
        *rank = f64::from(place);
    }
    words
        .iter()
        .map(|word| {
            word.as_deref()
                .and_then(|word| places.get(word))
                .copied()
                .unwrap_or(f64::NAN)
        })
        .collect()
}

impl SampleBlock<'_> {
    /// Each sample's word.
    pub(super) fn owned_words(&self, category: &Category) -> Vec<Option<String>> {
        if *category == Category::Verdict {
            return self
                .verdicts()
                .into_iter()
                .map(|verdict| verdict.map(|verdict| verdict_word(verdict).to_owned()))
                .collect();
        }
        match self.words(category) {
            WordsOf::All(word) => vec![word.map(str::to_owned); self.len()],
            WordsOf::Coded(words, codes) => codes
                .iter()
                .map(|&code| words.get(usize::from(code)).map(|word| (*word).to_owned()))
                .collect(),
            WordsOf::Unread(fact) => self.read_fact(fact),
        }
    }

    /// What the rows say of a fact, by its place in the schema.
    fn read_fact(&self, fact: usize) -> Vec<Option<String>> {
        let mut words = vec![None; self.len()];
        let Some(name) = self
            .schema
            .definition()
            .facts
            .get(fact)
            .map(|fact| &fact.name)
        else {
            return words;
        };
        let first = self.samples().start;
        self.dataset
            .sweep(self.samples(), &|_| true, &mut |sample, rows| {
                words[sample - first] = rows.fact(name);
            });
        words
    }
}

/// A number that looks like chance, from 0 up to but without 1: SplitMix64 (Steele, Lea and Flood
/// 2014) of a seed and of the number of what it is for. `sort:random(seed)` puts samples, numbered
/// from 0, in the order of theirs.
pub fn chance(seed: u64, number: u64) -> f64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let start = mixed(seed.wrapping_add(GAMMA));
    let mixed = mixed(start.wrapping_add(GAMMA.wrapping_mul(number.wrapping_add(1))));
    // The 53 bits that a number holds exactly.
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}
