//! Where samples stand, by their keys.

use std::collections::HashMap;

use crate::dataset::{Dataset, SampleKey};
use crate::journal::Spot;

/// See the module. Samples that say the same have one key.
#[derive(Debug, Clone, Default)]
pub struct Places {
    samples: HashMap<SampleKey, Vec<u32>>,
}

impl Places {
    /// The samples with a key that are known so far, in ascending order; empty where none is.
    pub fn samples(&self, key: &SampleKey) -> &[u32] {
        self.samples.get(key).map_or(&[], Vec::as_slice)
    }

    /// The first sample with a key.
    pub fn first(&self, key: &SampleKey) -> Option<usize> {
        self.samples(key).first().map(|&sample| sample as usize)
    }

    /// Learns where a sample stands.
    pub fn learn(&mut self, key: SampleKey, sample: u32) {
        let known = self.samples.entry(key).or_default();
        if let Err(at) = known.binary_search(&sample) {
            known.insert(at, sample);
        }
    }

    /// Learns what others know.
    pub fn extend(&mut self, others: &Self) {
        for (&key, samples) in &others.samples {
            samples.iter().for_each(|&sample| self.learn(key, sample));
        }
    }
}

/// Looks for samples: first where they stood, and where one is not there any more, among all. Reads rows; gives `None` where it takes so long that it is
/// no longer `wanted`. Keys that are nowhere are left out.
pub fn locate(dataset: &Dataset, spots: &[Spot], wanted: &dyn Fn() -> bool) -> Option<Places> {
    let _ = (dataset, spots, wanted);
    todo!()
}
