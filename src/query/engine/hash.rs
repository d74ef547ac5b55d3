//! Samples that say the same: the same prompt and the same responses, whatever their labels.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::dataset::{Dataset, in_parallel};
use crate::schema::{Passage, with_row};

/// Samples that one task reads.
const STRETCH: usize = 512;

/// For each sample whether another has the same texts. Texts are told apart by a hash of 64 bits: among a million samples, two
/// different ones are taken for the same with a chance of one to 10^7.
pub(super) fn duplicates(dataset: &Dataset) -> Vec<bool> {
    let stretches: Vec<_> = (0..dataset.samples()).step_by(STRETCH).map(|start| start..start + STRETCH).collect();
    let hashes: Vec<_> = in_parallel(&stretches, |stretch| hashes(dataset, stretch.clone())).concat();
    let mut times: HashMap<u64, u32> = HashMap::new();
    for hash in hashes.iter().flatten() {
        *times.entry(*hash).or_default() += 1;
    }
    hashes.iter().map(|hash| hash.is_some_and(|hash| times.get(&hash).is_some_and(|times| *times > 1))).collect()
}

/// A hash of each sample's texts; `None` for malformed rows.
fn hashes(dataset: &Dataset, samples: Range<usize>) -> Vec<Option<u64>> {
    let samples = samples.start..samples.end.min(dataset.samples());
    let mut hashes = vec![None; samples.len()];
    let (first, mut scratch) = (samples.start, String::new());
    dataset.sweep(samples, &|_| true, &mut |sample, rows| {
        let mut hasher = DefaultHasher::new();
        let mut understood = false;
        for (index, line) in rows.lines().iter().enumerate() {
            let read = with_row(rows.schema, line, |row| {
                row.passages(&mut scratch, &mut |passage, words| match passage {
                    Passage::Prompt if index > 0 => {}
                    Passage::Prompt | Passage::Response(_) => words.hash(&mut hasher),
                    Passage::QuoteTitle(_) | Passage::Quote(_) => {}
                });
            });
            understood = read.is_some();
        }
        hashes[sample - first] = understood.then(|| hasher.finish());
    });
    hashes
}
