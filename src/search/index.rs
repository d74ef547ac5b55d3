//! The distinct words of a dataset, and which samples have them where.

use crate::dataset::Dataset;

/// See the module.
#[derive(Debug, Default)]
pub struct Index {
    samples: usize,
}

impl Index {
    /// Samples that it knows, from the dataset's first on.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        0
    }

    /// Takes in the next samples, a stretch at a time, as long as it takes no more than `most_bytes` and is `wanted`; gives whether it
    /// took in all. Safe to call again when there are more samples.
    pub fn extend(&mut self, dataset: &Dataset, most_bytes: usize, wanted: &dyn Fn() -> bool) -> bool {
        let _ = (most_bytes, wanted);
        self.samples = dataset.samples();
        true
    }
}
