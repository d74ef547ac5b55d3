//! MinHash: estimates the similarity of two sets of shingles from a few numbers of each.
//!
//! One hash permutes all shingles, and each of [`BINS`] parts of the permutation keeps its minimum
//! (one-permutation hashing: Li, Owen and Zhang 2012), so a shingle costs one multiplication
//! instead of one for each of k permutations. Empty bins, the majority for short prompts, copy the
//! value of a full one in an order specific to the bin and the same for all prompts (densification:
//! Shrivastava 2017; from the full bins outwards, k log k steps however few are full: Mai, Rao,
//! Kapilevich, Rossi, Abbasi-Yadkori and Sinha 2019). The probability that two sets agree in a bin
//! is about their Jaccard index (Broder 1997).

use super::words::mix;

/// Parts of the permutation whose minimum is kept.
const BINS: usize = BANDS * ROWS;
/// Bands of a signature; two prompts are compared if one band agrees.
pub const BANDS: usize = 32;
/// Bins of a band. Two prompts with Jaccard index j are missed with probability (1 − j^4)^32: 5 in
/// 10^8 at the threshold of 0.8, while a fifth of the pairs at 0.3 is compared and rejected
/// (Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4).
const ROWS: usize = 4;
/// A value that no shingle has.
const EMPTY: u32 = u32::MAX;

/// Returns the bin that copies the value of a full bin in this round, if it is empty.
fn copy_target(round: usize, bin: usize) -> usize {
    // Mixed twice, since bin numbers are far from random.
    (mix(mix((round as u64) << 32 | bin as u64)) >> (64 - BINS.ilog2())) as usize
}

/// A hash for each band of a prompt.
pub type Bands = [u32; BANDS];

/// Returns the bands of a set of shingle hashes; `None` if it is empty.
pub fn bands(shingles: impl Iterator<Item = u64>) -> Option<Bands> {
    let mut least = [EMPTY; BINS];
    for shingle in shingles {
        let bin = &mut least[(shingle >> (64 - BINS.ilog2())) as usize];
        *bin = (*bin).min((shingle as u32).min(EMPTY - 1));
    }
    // The full bins with their indexes.
    let (mut full, mut count) = ([(0_usize, EMPTY); BINS], 0);
    for (bin, value) in least.iter().enumerate() {
        full[count] = (bin, *value);
        count += usize::from(*value != EMPTY);
    }
    if count == 0 {
        return None;
    }
    let (full, mut open) = (&full[..count], BINS - count);
    for round in 0.. {
        if open == 0 {
            break;
        }
        for &(bin, value) in full {
            let to = copy_target(round, bin);
            let takes = least[to] == EMPTY;
            if takes {
                least[to] = value;
            }
            open -= usize::from(takes);
        }
    }
    let mut bands = [0; BANDS];
    for (band, rows) in bands.iter_mut().zip(least.chunks(ROWS)) {
        let hash = rows.iter().fold(0, |hash, row| mix(hash ^ u64::from(*row)));
        *band = (hash >> 32) as u32;
    }
    Some(bands)
}

/// Returns the Jaccard index of two sorted, deduplicated sets: the size of the intersection divided
/// by that of the union, 0 to 1. Two empty sets have 0.
pub fn jaccard(one: &[u64], other: &[u64]) -> f64 {
    let (mut one_rest, mut other_rest, mut both) = (one, other, 0_usize);
    while let ([first, rest @ ..], [second, others @ ..]) = (one_rest, other_rest) {
        both += usize::from(first == second);
        (one_rest, other_rest) = match first.cmp(second) {
            std::cmp::Ordering::Less => (rest, other_rest),
            std::cmp::Ordering::Equal => (rest, others),
            std::cmp::Ordering::Greater => (one_rest, others),
        };
    }
    let all = one.len() + other.len() - both;
    if all == 0 {
        0.0
    } else {
        both as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jaccard_index_is_that_of_sets() {
        for (one, other, index) in [
            (&[][..], &[][..], 0.0),
            (&[1, 2], &[1, 2], 1.0),
            (&[1, 2, 3], &[2, 3, 4], 0.5),
            (&[1], &[2], 0.0),
            (&[1, 5, 9], &[], 0.0),
        ] {
            assert_eq!(jaccard(one, other), index);
        }
    }

    #[test]
    fn similar_sets_share_a_band_and_others_rarely_do() {
        let shares = |size: u64, others: u64, seed: u64| {
            let shingle = |number: u64| mix(mix(seed << 40 | number));
            let one = bands((0..size).map(shingle)).expect("shingles");
            let other = bands((others..size + others).map(shingle)).expect("shingles");
            one.iter().zip(&other).any(|(one, other)| one == other)
        };
        // Two sets of n shingles, m of them different, have a Jaccard index of (n − m) / (n + m).
        for (size, others, least, most) in [
            (9, 1, 1000, 1000),  // 0.8
            (27, 3, 999, 1000),  // 0.8
            (90, 10, 999, 1000), // 0.8
            (900, 100, 999, 1000),
            (100, 54, 60, 320), // 0.3
            (100, 82, 0, 25),   // 0.1
            (100, 100, 0, 0),
        ] {
            let count = (0..1000).filter(|seed| shares(size, others, *seed)).count();
            assert!((least..=most).contains(&count), "{size} {others}: {count}");
        }
        assert_eq!(bands(std::iter::empty()), None);
        assert!(bands([7].into_iter()).is_some());
    }
}
