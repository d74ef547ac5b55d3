//! Prompts that share a run of 13 words.

use super::MAX_BYTES;
use super::buckets::Buckets;
use super::distinct::{DistinctPrompts, Share};
use super::winnow::{GRAM_WORDS, fingerprints};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;

/// A run of words in more distinct prompts than this is boilerplate and is ignored, as in Brown et
/// al. 2020 (appendix C).
pub(super) const MAX_PROMPTS: usize = 10;
/// Bytes of a run while runs are compared.
const GRAM_BYTES: u64 = 16;

/// Calls a function with each list of distinct prompts that share a run of 13 words, if they are at
/// least two and at most [`MAX_PROMPTS`]. Prompts are sorted, and lists come in an order
/// independent of thread timing. Returns `None` if cancelled.
pub(super) fn shared_grams(
    distinct: &mut DistinctPrompts,
    dataset: &Dataset,
    shares: impl Iterator<Item = Share>,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(&[u32]),
) -> Option<()> {
    let mut shared = SharedPrints {
        prints: Vec::new(),
        has_any: vec![false; distinct.len()],
    };
    for share in shares {
        // The first share was read together with the prompts.
        if share.part > 0 {
            distinct.read_share(dataset, share, keep_going)?;
        }
        shared.add(distinct, keep_going)?;
    }
    distinct.fingerprints = Buckets::default();
    shared.prints.sort_unstable();
    let words = shared.has_any.iter().zip(&distinct.words);
    let words = words.map(|(asked, words)| u64::from(*words) * u64::from(*asked));
    for share in Share::all(words.sum::<u64>() * GRAM_BYTES, MAX_BYTES) {
        show_grams(distinct, dataset, &shared, share, keep_going, show)?;
    }
    Some(())
}

/// Fingerprints that several prompts have.
struct SharedPrints {
    /// Without the bits of the prompt; sorted when complete.
    prints: Vec<u64>,
    /// For each distinct prompt, whether it has one of them.
    has_any: Vec<bool>,
}

impl SharedPrints {
    fn add(&mut self, distinct: &DistinctPrompts, keep_going: &dyn KeepGoing) -> Option<()> {
        let bits = distinct.bits;
        let of_prompts = (1 << bits) - 1;
        let found = distinct.fingerprints.sorted(keep_going, |prints| {
            let alike = prints.chunk_by(|one, other| one >> bits == other >> bits);
            let several = alike.filter(|alike| alike.len() > 1);
            several.map(<[_]>::to_vec).collect::<Vec<_>>()
        })?;
        for alike in found.iter().flatten() {
            self.prints
                .extend(alike.first().map(|print| print >> bits << bits));
            for print in alike {
                self.has_any[(print & of_prompts) as usize] = true;
            }
        }
        Some(())
    }
}

/// Does the work of [`shared_grams`] for one share of the runs.
fn show_grams(
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    shared: &SharedPrints,
    share: Share,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(&[u32]),
) -> Option<()> {
    let bits = distinct.bits;
    let mut grams = Buckets::default();
    distinct.read_again(
        dataset,
        &|prompt| shared.has_any[prompt],
        keep_going,
        &mut |read: Vec<(u64, u32)>| {
            let each = read.into_iter();
            each.for_each(|(gram, prompt)| grams.push(gram, (gram, prompt)));
        },
        &|prompt, words, parts, read| {
            let (mut last, mut is_shared) = (None, false);
            for (gram, print) in words.runs(GRAM_WORDS).zip(fingerprints(words, parts)) {
                if last.replace(print) != Some(print) {
                    let print = print >> bits << bits;
                    is_shared = shared.prints.binary_search(&print).is_ok();
                }
                if is_shared && share.has(gram) {
                    read.push((gram, prompt));
                }
            }
        },
    )?;
    let lists = grams.sorted(keep_going, |grams| {
        let alike = grams.chunk_by(|(one, _), (other, _)| one == other);
        let mut lists: Vec<Vec<u32>> = alike
            .filter(|alike| (2..=MAX_PROMPTS).contains(&alike.len()))
            .map(|alike| alike.iter().map(|(_, prompt)| *prompt).collect())
            .collect();
        // Prompts that share one run usually share several.
        lists.sort_unstable();
        lists.dedup();
        lists
    })?;
    lists.iter().flatten().for_each(|list| show(list));
    Some(())
}
