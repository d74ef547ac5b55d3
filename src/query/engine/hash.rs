//! Samples that say the same: the same prompt and the same responses, whatever their labels.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::dataset::Dataset;
use crate::parallel::in_parallel;
use crate::schema::RowText;

/// Samples that one task reads.
const STRETCH: usize = 512;

/// Stretches that are read before their hashes are kept.
const WAVE: usize = 32;

/// What was read of the samples so far: texts are told apart by a hash of 64 bits, so that among a
/// million samples two different ones are taken for the same with a chance of one to 10^7.
#[derive(Debug, Default)]
pub(super) struct Hashes {
    /// One a sample; `None` for malformed rows.
    all: Vec<Option<u64>>,
    times: HashMap<u64, u32>,
}

impl Hashes {
    /// For each sample whether another has the same texts; reads the samples that it does not know
    /// yet, and gives `None` where that is no longer `wanted`.
    pub(super) fn duplicates(
        &mut self,
        dataset: &Dataset,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<bool>> {
        while self.all.len() < dataset.samples() {
            let first = self.all.len();
            let stretches: Vec<_> = (0..WAVE)
                .map(|n| first + n * STRETCH..first + (n + 1) * STRETCH)
                .collect();
            let hashes = in_parallel(&stretches, |stretch| {
                hashes(dataset, stretch.clone(), wanted)
            });
            // Of what was wanted to the end none is missing.
            if !wanted() {
                return None;
            }
            for hash in hashes.concat() {
                if let Some(hash) = hash {
                    *self.times.entry(hash).or_default() += 1;
                }
                self.all.push(hash);
            }
        }
        let again = |hash: &u64| self.times.get(hash).is_some_and(|times| *times > 1);
        Some(
            self.all
                .iter()
                .map(|hash| hash.as_ref().is_some_and(again))
                .collect(),
        )
    }
}

/// A hash of each sample's texts; `None` for malformed rows, and from where it is not `wanted` any
/// more, which is asked for each sample.
fn hashes(
    dataset: &Dataset,
    samples: Range<usize>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Vec<Option<u64>> {
    let samples = samples.start.min(dataset.samples())..samples.end.min(dataset.samples());
    let mut hashes = vec![None; samples.len()];
    let (first, mut scratch) = (samples.start, String::new());
    dataset.sweep(samples, &|_| wanted(), &mut |sample, rows| {
        if !wanted() {
            return;
        }
        let (mut hasher, mut understood) = (DefaultHasher::new(), false);
        rows.texts(&mut scratch, &mut |passage, words| {
            if let Some(RowText::Prompt(_) | RowText::Response(_)) = passage {
                words.hash(&mut hasher);
                understood = true;
            }
        });
        hashes[sample - first] = understood.then(|| hasher.finish());
    });
    hashes
}
