//! The samples that are shown: all of them, or the results of a query. A *position* is an index
//! among them.

use std::ops::Range;
use std::sync::Arc;

use crate::query::{QueryResult, ResponseSet};

/// The samples that the list shows, by position.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownSamples {
    /// All samples, this many.
    All(usize),
    /// The results of a query, in its order.
    Some {
        /// The results; a clone shares them.
        found: Arc<QueryResult>,
        /// Whether the order differs from the dataset's.
        sorted: bool,
    },
}

impl Default for ShownSamples {
    fn default() -> Self {
        Self::All(0)
    }
}

impl ShownSamples {
    /// Returns an empty result.
    pub(super) fn nothing() -> Self {
        Self::Some {
            found: Arc::default(),
            sorted: false,
        }
    }

    /// Returns the results of a query; `None` if all samples are shown.
    pub fn found(&self) -> Option<&QueryResult> {
        match self {
            Self::All(_) => None,
            Self::Some { found, .. } => Some(found),
        }
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::All(samples) => *samples,
            Self::Some { found, .. } => found.samples.len(),
        }
    }

    /// True if nothing is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the order differs from the dataset's.
    pub(super) fn is_sorted(&self) -> bool {
        matches!(self, Self::Some { sorted: true, .. })
    }

    /// Returns the sample at a position.
    pub fn sample(&self, position: usize) -> Option<usize> {
        match self {
            Self::All(samples) => (position < *samples).then_some(position),
            Self::Some { found, .. } => found.samples.get(position).map(|it| *it as usize),
        }
    }

    /// Returns the samples at a range of positions, as far as they exist.
    pub fn samples(&self, positions: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let end = positions.end.min(self.len());
        (positions.start.min(end)..end).filter_map(|position| self.sample(position))
    }

    /// Returns the samples at a range of positions in ascending order.
    pub fn ascending(&self, positions: Range<usize>) -> Vec<u32> {
        let samples = self.samples(positions);
        let mut samples: Vec<_> = samples.map(|sample| sample as u32).collect();
        if self.is_sorted() {
            samples.sort_unstable();
        }
        samples
    }

    /// Returns the position of a sample, or of the nearest one in dataset order (the later one of
    /// two); `None` if nothing is shown.
    pub fn nearest(&self, sample: usize) -> Option<usize> {
        let found = match self {
            Self::All(samples) => return samples.checked_sub(1).map(|last| sample.min(last)),
            Self::Some { found, .. } => &found.samples,
        };
        let sample = sample as u32;
        let distance = |at: &usize| (sample.abs_diff(found[*at]), found[*at] < sample);
        if self.is_sorted() {
            return (0..found.len()).min_by_key(distance);
        }
        let after = found.partition_point(|other| *other < sample);
        (after.saturating_sub(1)..found.len().min(after + 1)).min_by_key(distance)
    }

    /// Returns the responses that match the query, of the sample at a position; `None` without a
    /// query.
    pub fn matching(&self, position: usize) -> Option<ResponseSet> {
        self.found()?.matching.get(position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(samples: &[u32], sorted: bool) -> ShownSamples {
        let found = QueryResult {
            samples: samples.to_vec(),
            matching: vec![ResponseSet::default(); samples.len()],
        };
        ShownSamples::Some {
            found: found.into(),
            sorted,
        }
    }

    #[test]
    fn the_nearest_in_dataset_order() {
        for (shown, sample, expected) in [
            (ShownSamples::All(0), 3, None),
            (ShownSamples::All(5), 3, Some(3)),
            (ShownSamples::All(5), 9, Some(4)),
            (some(&[], false), 3, None),
            (some(&[2, 4, 9], false), 4, Some(1)),
            (some(&[2, 4, 9], false), 3, Some(1)),
            (some(&[2, 4, 9], false), 5, Some(1)),
            (some(&[2, 4, 9], false), 99, Some(2)),
            (some(&[2, 4, 9], false), 0, Some(0)),
            (some(&[], true), 3, None),
            (some(&[9, 2, 4], true), 4, Some(2)),
            (some(&[9, 2, 4], true), 3, Some(2)),
            (some(&[9, 2, 4], true), 7, Some(0)),
            (some(&[9, 2, 4], true), 1, Some(1)),
        ] {
            assert_eq!(shown.nearest(sample), expected, "{shown:?} {sample}");
        }
    }

    #[test]
    fn positions() {
        let shown = some(&[7, 3, 5], true);
        assert_eq!(shown.samples(1..9).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(shown.samples(4..9).count(), 0);
        assert_eq!(shown.ascending(1..9), [3, 5]);
        assert_eq!(shown.ascending(0..2), [3, 7]);
        assert_eq!(ShownSamples::All(3).ascending(1..9), [1, 2]);
        assert_eq!(
            (shown.sample(0), shown.sample(3), shown.len()),
            (Some(7), None, 3)
        );
        assert_eq!(ShownSamples::All(3).samples(1..2).collect::<Vec<_>>(), [1]);
    }
}
