//! Prompts that are nearly the same: pairs that a band of their signatures brings together, each
//! checked by the Jaccard index of its shingles itself.

use std::collections::HashMap;

use super::SHINGLE_WORDS;
use super::buckets::Buckets;
use super::distinct::DistinctPrompts;
use super::signature::{BANDS, jaccard};
use super::words::HashedWords;
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};

/// The least Jaccard index of the shingles of two prompts that are nearly the same.
pub(super) const NEAR: f64 = 0.8;
/// In a band that very many prompts share, each is compared with so many behind it, and with so many
/// of each other file: so that a template costs time in proportion to its prompts, and not to
/// their pairs.
const NEIGHBOURS: usize = 16;
/// Words of the prompts whose shingles are kept at a time: 128 MB.
const MOST_WORDS: u64 = 16 << 20;
/// Pairs that one task compares.
const TASK: usize = 256;
/// Small things that are done between two looks at whether they are still wanted.
const STEP: usize = 1 << 16;

/// Two distinct prompts that are nearly the same, the lower number first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NearPair {
    pub(super) prompts: [u32; 2],
    /// The Jaccard index of their shingles.
    pub(super) jaccard: f64,
}

/// All pairs that are near, in order; `file_of` tells the file of a prompt's first sample. `None`
/// where that is no longer `wanted`.
pub(super) fn near_pairs(
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    wanted: &dyn KeepGoing,
) -> Option<Vec<NearPair>> {
    let candidates = candidates(distinct, file_of, wanted)?;
    let (mut near, mut rest) = (Vec::new(), &candidates[..]);
    while !rest.is_empty() {
        let count = batch(rest, &distinct.words);
        let (pairs, behind) = rest.split_at(count);
        near.extend(verified(pairs, distinct, dataset, wanted)?);
        rest = behind;
    }
    Some(near)
}

/// The pairs that share a band, in order and each once.
fn candidates(
    distinct: &DistinctPrompts,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    wanted: &dyn KeepGoing,
) -> Option<Vec<[u32; 2]>> {
    let bands: Vec<usize> = (0..BANDS).collect();
    let mut all = Buckets::default();
    // So many at a time that both cores are busy and few are in memory.
    for some in bands.chunks(4) {
        let pairs = in_parallel(some, |&band| of_band(band, distinct, file_of, wanted));
        for pair in pairs.into_iter().collect::<Option<Vec<_>>>()?.concat() {
            let [one, _]: [u32; 2] = pair;
            let key = (u128::from(one) << 64) / distinct.len().max(1) as u128;
            all.push(u64::try_from(key).unwrap_or(u64::MAX), pair);
        }
    }
    let sorted = all.sorted(wanted, <[_]>::to_vec)?;
    Some(sorted.concat())
}

/// The pairs that share a band, some of them twice.
fn of_band(
    band: usize,
    distinct: &DistinctPrompts,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    wanted: &dyn KeepGoing,
) -> Option<Vec<[u32; 2]>> {
    let mut buckets: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 64];
    for (prompt, (bands, words)) in (0..).zip(distinct.bands.iter().zip(&distinct.words)) {
        if (prompt as usize).is_multiple_of(STEP) && !wanted() {
            return None;
        }
        // One without words is like no other.
        if *words > 0 {
            buckets[(bands[band] >> 26) as usize].push((bands[band], prompt));
        }
    }
    let mut pairs = Vec::new();
    for mut bucket in buckets {
        if !wanted() {
            return None;
        }
        bucket.sort_unstable();
        for alike in bucket.chunk_by(|(one, _), (other, _)| one == other) {
            pairs_among(alike, file_of, &mut pairs);
        }
    }
    Some(pairs)
}

/// Pairs of prompts that share a band: all of few, and of many those that stand near each other, and
/// with the first of each other file.
fn pairs_among(
    alike: &[(u32, u32)],
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    pairs: &mut Vec<[u32; 2]>,
) {
    for (place, (_, one)) in alike.iter().enumerate() {
        let behind = alike[place + 1..].iter().take(NEIGHBOURS);
        pairs.extend(behind.map(|(_, other)| [*one, *other]));
    }
    if alike.len() <= NEIGHBOURS {
        return;
    }
    let of_files = alike.chunk_by(|(_, one), (_, other)| file_of(*one) == file_of(*other));
    let firsts: Vec<_> = of_files
        .flat_map(|of_file| of_file.iter().take(NEIGHBOURS))
        .collect();
    if firsts.len() <= NEIGHBOURS {
        return;
    }
    for (_, one) in alike {
        let others = firsts
            .iter()
            .filter(|(_, other)| file_of(*other) != file_of(*one));
        pairs.extend(others.map(|(_, other)| [*one.min(other), *one.max(other)]));
    }
}

/// How many of the first pairs have so few words that all their shingles can be kept.
fn batch(pairs: &[[u32; 2]], words: &[u32]) -> usize {
    let (mut sum, mut count) = (0, 0);
    for pair in pairs {
        // What stands in several pairs is counted more than once: an upper bound.
        let of = |prompt: &u32| u64::from(words.get(*prompt as usize).copied().unwrap_or_default());
        sum += pair.iter().map(of).sum::<u64>();
        if count > 0 && sum > MOST_WORDS {
            break;
        }
        count += 1;
    }
    count
}

/// Those of some pairs that are near.
fn verified(
    pairs: &[[u32; 2]],
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    wanted: &dyn KeepGoing,
) -> Option<Vec<NearPair>> {
    let mut is_asked = vec![false; distinct.len()];
    for prompt in pairs.iter().flatten() {
        is_asked[*prompt as usize] = true;
    }
    let mut shingles: HashMap<u32, Box<[u64]>> = HashMap::new();
    distinct.read_again(
        dataset,
        &|prompt| is_asked[prompt],
        wanted,
        &mut |read: Vec<(u32, Box<[u64]>)>| shingles.extend(read),
        &|prompt, words, _, read| read.push((prompt, shingles_of(words))),
    )?;
    let none: Box<[u64]> = Box::default();
    let of = |prompt: u32| shingles.get(&prompt).unwrap_or(&none);
    let tasks: Vec<_> = pairs.chunks(TASK).collect();
    let near = in_parallel(&tasks, |pairs| {
        wanted().then(|| {
            let compared = pairs.iter().map(|&prompts| NearPair {
                prompts,
                jaccard: jaccard(of(prompts[0]), of(prompts[1])),
            });
            let near = compared.filter(|pair| pair.jaccard >= NEAR);
            near.collect::<Vec<_>>()
        })
    });
    Some(near.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// The set of the shingles of a prompt.
pub(super) fn shingles_of(words: &HashedWords) -> Box<[u64]> {
    let mut shingles: Vec<_> = words.runs(SHINGLE_WORDS).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.into()
}
