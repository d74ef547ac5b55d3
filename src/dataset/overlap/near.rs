//! Near-duplicate prompts: pairs that share a band of their signatures, each verified by the exact
//! Jaccard index of its shingles.

use std::collections::HashMap;

use super::SHINGLE_WORDS;
use super::buckets::Buckets;
use super::distinct::DistinctPrompts;
use super::signature::{BANDS, jaccard};
use super::words::HashedWords;
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};

/// Minimum Jaccard index of the shingles of two near-duplicate prompts.
pub(super) const NEAR: f64 = 0.8;
/// In a band shared by many prompts, each is compared with this number of prompts that follow it
/// and of each other file, so that the time for a template is linear in its prompts, not quadratic.
const NEIGHBOURS: usize = 16;
/// Words of the prompts whose shingles are held at a time (128 MB).
const MAX_WORDS: u64 = 16 << 20;
/// Pairs compared by one task.
const TASK: usize = 256;
/// Small operations between two cancellation checks.
const STEP: usize = 1 << 16;

/// Two distinct near-duplicate prompts, the lower number first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NearPair {
    pub(super) prompts: [u32; 2],
    /// Jaccard index of their shingles.
    pub(super) jaccard: f64,
}

/// Returns all near-duplicate pairs in order; `None` if cancelled. `file_of` returns the file of a
/// prompt's first sample.
pub(super) fn near_pairs(
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    keep_going: &dyn KeepGoing,
) -> Option<Vec<NearPair>> {
    let candidates = candidates(distinct, file_of, keep_going)?;
    let (mut near, mut rest) = (Vec::new(), &candidates[..]);
    while !rest.is_empty() {
        let count = batch(rest, &distinct.words);
        let (pairs, later) = rest.split_at(count);
        near.extend(verified(pairs, distinct, dataset, keep_going)?);
        rest = later;
    }
    Some(near)
}

/// Returns the pairs that share a band, sorted and deduplicated.
fn candidates(
    distinct: &DistinctPrompts,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    keep_going: &dyn KeepGoing,
) -> Option<Vec<[u32; 2]>> {
    let bands: Vec<usize> = (0..BANDS).collect();
    let mut all = Buckets::default();
    // Enough to keep all cores busy, few enough to limit memory.
    for some in bands.chunks(4) {
        let pairs = in_parallel(some, |&band| of_band(band, distinct, file_of, keep_going));
        for pair in pairs.into_iter().collect::<Option<Vec<_>>>()?.concat() {
            let [one, _]: [u32; 2] = pair;
            let key = (u128::from(one) << 64) / distinct.len().max(1) as u128;
            all.push(u64::try_from(key).unwrap_or(u64::MAX), pair);
        }
    }
    let sorted = all.sorted(keep_going, <[_]>::to_vec)?;
    Some(sorted.concat())
}

/// Returns the pairs that share this band, possibly with duplicates.
fn of_band(
    band: usize,
    distinct: &DistinctPrompts,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    keep_going: &dyn KeepGoing,
) -> Option<Vec<[u32; 2]>> {
    let mut buckets: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 64];
    for (prompt, (bands, words)) in (0..).zip(distinct.bands.iter().zip(&distinct.words)) {
        if (prompt as usize).is_multiple_of(STEP) && !keep_going() {
            return None;
        }
        // A prompt without words is not similar to any other.
        if *words > 0 {
            buckets[(bands[band] >> 26) as usize].push((bands[band], prompt));
        }
    }
    let mut pairs = Vec::new();
    for mut bucket in buckets {
        if !keep_going() {
            return None;
        }
        bucket.sort_unstable();
        for alike in bucket.chunk_by(|(one, _), (other, _)| one == other) {
            pairs_among(alike, file_of, &mut pairs);
        }
    }
    Some(pairs)
}

/// Pairs up the prompts of a band: all of them if few, otherwise each with its neighbours and with
/// the first prompts of each other file.
fn pairs_among(
    alike: &[(u32, u32)],
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    pairs: &mut Vec<[u32; 2]>,
) {
    for (place, (_, one)) in alike.iter().enumerate() {
        let following = alike[place + 1..].iter().take(NEIGHBOURS);
        pairs.extend(following.map(|(_, other)| [*one, *other]));
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

/// Returns how many of the first pairs have few enough words to hold all their shingles.
fn batch(pairs: &[[u32; 2]], words: &[u32]) -> usize {
    let (mut sum, mut count) = (0, 0);
    for pair in pairs {
        // An upper bound: a prompt in several pairs is counted several times.
        let of = |prompt: &u32| u64::from(words.get(*prompt as usize).copied().unwrap_or_default());
        sum += pair.iter().map(of).sum::<u64>();
        if count > 0 && sum > MAX_WORDS {
            break;
        }
        count += 1;
    }
    count
}

/// Returns the pairs that are near duplicates.
fn verified(
    pairs: &[[u32; 2]],
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    keep_going: &dyn KeepGoing,
) -> Option<Vec<NearPair>> {
    let mut is_asked = vec![false; distinct.len()];
    for prompt in pairs.iter().flatten() {
        is_asked[*prompt as usize] = true;
    }
    let mut shingles: HashMap<u32, Box<[u64]>> = HashMap::new();
    distinct.read_again(
        dataset,
        &|prompt| is_asked[prompt],
        keep_going,
        &mut |read: Vec<(u32, Box<[u64]>)>| shingles.extend(read),
        &|prompt, words, _, read| read.push((prompt, shingles_of(words))),
    )?;
    let none: Box<[u64]> = Box::default();
    let of = |prompt: u32| shingles.get(&prompt).unwrap_or(&none);
    let tasks: Vec<_> = pairs.chunks(TASK).collect();
    let near = in_parallel(&tasks, |pairs| {
        keep_going().then(|| {
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

/// Returns the set of a prompt's shingles.
pub(super) fn shingles_of(words: &HashedWords) -> Box<[u64]> {
    let mut shingles: Vec<_> = words.runs(SHINGLE_WORDS).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.into()
}
