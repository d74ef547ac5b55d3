//! Prompts that share a run of 13 words.
//!
//! The fingerprint of each run of [`GRAM_WORDS`] words is the minimum hash of the shorter runs in
//! it (winnowing: Schleimer, Wilkerson and Aiken 2003). Prompts that share 13 consecutive words
//! share that minimum, so none is missed, and overlapping runs mostly share theirs: there are four
//! times fewer fingerprints than runs.

use super::buckets::Buckets;
use super::distinct::DistinctPrompts;
use super::words::{HashedWords, mix};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;

/// A run of words in more distinct prompts than this is boilerplate and is ignored, as in Brown et
/// al. 2020 (appendix C).
pub const MAX_PROMPTS: usize = 10;
/// Maximum bytes of runs held at a time.
const MAX_BYTES: u64 = 256 << 20;
/// Bytes of a run while runs are compared.
const GRAM_BYTES: u64 = 16;

/// Calls a function with each list of distinct prompts that share a run of 13 words, if they are at
/// least two and at most [`MAX_PROMPTS`]. Prompts are sorted, and lists come in an order
/// independent of thread timing. Returns `None` if cancelled.
pub fn shared_grams(
    distinct: &mut DistinctPrompts,
    dataset: &Dataset,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(&[u32]),
) -> Option<()> {
    let shared = SharedPrints::of(distinct, keep_going)?;
    distinct.fingerprints = Buckets::default();
    let words = shared.has_any.iter().zip(&distinct.words);
    let words = words.map(|(asked, words)| u64::from(*words) * u64::from(*asked));
    // Shares of the runs are compared one after the other, to limit memory.
    let shares = (words.sum::<u64>() * GRAM_BYTES).div_ceil(MAX_BYTES);
    for share in 0..shares {
        let is_of_share = |gram: u64| shares == 1 || mix(gram) % shares == share;
        show_grams(distinct, dataset, &shared, &is_of_share, keep_going, show)?;
    }
    Some(())
}

/// Fingerprints that several prompts have.
struct SharedPrints {
    /// Without the bits of the prompt; sorted.
    prints: Vec<u64>,
    /// For each distinct prompt, whether it has one of them.
    has_any: Vec<bool>,
}

impl SharedPrints {
    fn of(distinct: &DistinctPrompts, keep_going: &dyn KeepGoing) -> Option<Self> {
        let (mut prints, mut has_any) = (Vec::new(), vec![false; distinct.len()]);
        let bits = distinct.bits;
        let of_prompts = (1 << bits) - 1;
        let found = distinct.fingerprints.sorted(keep_going, |prints| {
            let alike = prints.chunk_by(|one, other| one >> bits == other >> bits);
            alike
                .filter(|alike| alike.len() > 1)
                .map(<[_]>::to_vec)
                .collect::<Vec<_>>()
        })?;
        for alike in found.iter().flatten() {
            prints.extend(alike.first().map(|print| print >> bits << bits));
            for print in alike {
                has_any[(print & of_prompts) as usize] = true;
            }
        }
        prints.sort_unstable();
        Some(Self { prints, has_any })
    }
}

/// Does the work of [`shared_grams`] for one share of the runs.
fn show_grams(
    distinct: &DistinctPrompts,
    dataset: &Dataset,
    shared: &SharedPrints,
    is_of_share: &(dyn Fn(u64) -> bool + Sync),
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
            read.into_iter()
                .for_each(|(gram, prompt)| grams.push(gram, (gram, prompt)));
        },
        &|prompt, words, parts, read| {
            let (mut last, mut is_shared) = (None, false);
            for (gram, print) in words.runs(GRAM_WORDS).zip(fingerprints(words, parts)) {
                if last.replace(print) != Some(print) {
                    let print = print >> bits << bits;
                    is_shared = shared.prints.binary_search(&print).is_ok();
                }
                if is_shared && is_of_share(gram) {
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

/// Words of a run that counts as a quotation, as in checks for contamination (Brown et al. 2020,
/// appendix C).
pub const GRAM_WORDS: usize = 13;
/// Words of the shorter runs.
const PART_WORDS: usize = 7;
/// Number of shorter runs in a run of 13 words.
const WINDOW: usize = GRAM_WORDS - PART_WORDS + 1;

/// Returns the fingerprint of each run of 13 words, in order; none for a shorter text. `parts` is
/// scratch space that callers should reuse.
pub fn fingerprints<'p>(
    words: &HashedWords,
    parts: &'p mut Vec<u64>,
) -> impl Iterator<Item = u64> + 'p {
    parts.clear();
    if words.count() >= GRAM_WORDS {
        parts.extend(words.runs(PART_WORDS));
    }
    parts
        .windows(WINDOW)
        .map(|window| window.iter().fold(u64::MAX, |least, part| least.min(*part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_share_thirteen_words_share_a_fingerprint() {
        let mut parts = Vec::new();
        let mut of = |text: &str| {
            let mut words = HashedWords::new();
            words.add(text);
            let all: Vec<_> = fingerprints(&words, &mut parts).collect();
            assert_eq!(all.len(), (words.count() + 1).saturating_sub(GRAM_WORDS));
            all
        };
        let words = |from: usize, count: usize| {
            let words: Vec<_> = (from..from + count)
                .map(|word| format!("w{word}"))
                .collect();
            words.join(" ")
        };
        for start in 0..50 {
            let quoted = words(start, 13);
            let one = of(&format!(
                "{} {quoted} {}",
                words(1000 + start, 9),
                words(2000, 20)
            ));
            let other = of(&format!("{quoted}, {}", words(3000 + start, 40)));
            assert!(one.iter().any(|print| other.contains(print)), "{start}");
        }
        let (one, other) = (of(&words(0, 400)), of(&words(500, 400)));
        assert!(!one.iter().any(|print| other.contains(print)));
        let mut few = one.clone();
        few.dedup();
        assert!(
            (70..=130).contains(&few.len()),
            "{} of {}",
            few.len(),
            one.len()
        );
        assert!(of(&words(0, 12)).is_empty() && of("").is_empty());
    }
}
