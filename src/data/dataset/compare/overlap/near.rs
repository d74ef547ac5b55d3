//! Near-duplicate prompts: pairs that share a band of their signatures, each verified by the exact
//! Jaccard index of its shingles.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::HashSet;

use super::SHINGLE_WORDS;
use super::buckets::Buckets;
use super::distinct::DistinctPrompts;
use super::signature::{BANDS, jaccard};
use super::words::HashedWords;
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};

/// Minimum Jaccard index of the shingles of two near-duplicate prompts.
pub const NEAR: f64 = 0.8;
/// In a band shared by many prompts, each is compared with this number of prompts that follow it
/// and of each other file, so that the time for a template is linear in its prompts, not quadratic.
const NEIGHBOURS: usize = 16;
/// Candidate pairs held at a time (about 150 MB).
const MAX_PAIRS: usize = if cfg!(test) { 512 } else { 8 << 20 };
/// Words of the prompts whose shingles are held at a time (128 MB).
const MAX_WORDS: u64 = 16 << 20;
/// Pairs compared by one task.
const TASK: usize = 256;

/// Two distinct near-duplicate prompts, the lower number first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPair {
    pub prompts: [u32; 2],
    /// Jaccard index of their shingles.
    pub jaccard: f64,
}

/// Calls `show` with all near-duplicate pairs, in order of their lower number; `None` if cancelled.
/// `file_of` returns the file of a prompt's first sample.
pub fn near_pairs(
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(NearPair),
) -> Option<()> {
    let (mut start, end) = (0, distinct.len() as u32);
    while start < end {
        let candidates = candidates(distinct, start, file_of, keep_going)?;
        let mut rest = &candidates.pairs[..];
        while !rest.is_empty() {
            let count = batch(rest, &distinct.words);
            let (pairs, later) = rest.split_at(count);
            verified(pairs, distinct, dataset, keep_going)?
                .into_iter()
                .for_each(&mut *show);
            rest = later;
        }
        start = candidates.end;
    }
    Some(())
}

/// The pairs that share a band and whose lower number is in a range.
struct Candidates {
    /// Sorted and deduplicated.
    pairs: Vec<[u32; 2]>,
    /// End of the range.
    end: u32,
}

/// Returns the candidates from a prompt on, as many as [`MAX_PAIRS`] allows: in a file of one
/// template, each prompt has hundreds.
fn candidates(
    distinct: &DistinctPrompts,
    start: u32,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    keep_going: &dyn KeepGoing,
) -> Option<Candidates> {
    let (mut all, mut end) = (HashSet::<[u32; 2]>::default(), distinct.len() as u32);
    for band in 0..BANDS {
        let mut buckets = Buckets::default();
        for (prompt, (bands, words)) in (0..).zip(distinct.bands.iter().zip(&distinct.words)) {
            // A prompt without words is not similar to any other.
            if *words > 0 {
                buckets.push(u64::from(bands[band]) << 32, (bands[band], prompt));
            }
        }
        let range = start..end;
        let found = buckets.sorted(keep_going, |bucket| {
            let mut pairs = Vec::new();
            for alike in bucket.chunk_by(|(one, _), (other, _)| one == other) {
                pairs_among(alike, &range, file_of, &mut pairs);
            }
            pairs
        })?;
        for pair in found.into_iter().flatten() {
            if pair[0] < end && all.insert(pair) && all.len() > MAX_PAIRS {
                let mut lower: Vec<u32> = all.iter().map(|[one, _]| *one).collect();
                let (_, middle, _) = lower.select_nth_unstable(MAX_PAIRS / 2);
                // At least one prompt, whose pairs are few.
                end = (*middle).max(start + 1);
                all.retain(|[one, _]| *one < end);
            }
        }
    }
    let mut pairs: Vec<_> = all.into_iter().collect();
    pairs.sort_unstable();
    Some(Candidates { pairs, end })
}

/// Pairs up the prompts of a band whose lower number is in a range: all of them if few, otherwise
/// each with its neighbours and with the first prompts of each other file.
fn pairs_among(
    alike: &[(u32, u32)],
    range: &Range<u32>,
    file_of: &(dyn Fn(u32) -> u32 + Sync),
    pairs: &mut Vec<[u32; 2]>,
) {
    for (place, (_, one)) in alike
        .iter()
        .enumerate()
        .filter(|(_, (_, it))| range.contains(it))
    {
        let following = alike[place + 1..].iter().take(NEIGHBOURS);
        pairs.extend(following.map(|(_, other)| [*one, *other]));
    }
    if alike.len() <= NEIGHBOURS {
        return;
    }
    let firsts: Vec<_> = alike
        .chunk_by(|(_, one), (_, other)| file_of(*one) == file_of(*other))
        .flat_map(|of_file| of_file.iter().take(NEIGHBOURS))
        .collect();
    if firsts.len() <= NEIGHBOURS {
        return;
    }
    for (_, one) in alike {
        let both = firsts
            .iter()
            .filter(|(_, other)| file_of(*other) != file_of(*one))
            .map(|(_, other)| [*one.min(other), *one.max(other)]);
        pairs.extend(both.filter(|[one, _]| range.contains(one)));
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
            pairs
                .iter()
                .map(|&prompts| NearPair {
                    prompts,
                    jaccard: jaccard(of(prompts[0]), of(prompts[1])),
                })
                .filter(|pair| pair.jaccard >= NEAR)
                .collect::<Vec<_>>()
        })
    });
    Some(near.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// Returns the set of a prompt's shingles.
pub fn shingles_of(words: &HashedWords) -> Box<[u64]> {
    let mut shingles: Vec<_> = words.runs(SHINGLE_WORDS).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles.into()
}
