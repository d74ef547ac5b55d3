//! The samples that are shown: all of them, or those that a query found. A *position* is a place
//! among them, from 0.

use std::ops::Range;
use std::sync::Arc;

use crate::query::{QueryResult, ResponseSet};

/// The samples that the list shows, by position.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// All of so many samples.
    All(usize),
    /// What a query found, in its order.
    Some {
        /// The samples; a clone shares them.
        found: Arc<QueryResult>,
        /// Whether they are in another order than the dataset's.
        sorted: bool,
    },
}

impl Default for Shown {
    fn default() -> Self {
        Self::All(0)
    }
}

impl Shown {
    /// No sample, of however many.
    pub(super) fn nothing() -> Self {
        Self::Some {
            found: Arc::default(),
            sorted: false,
        }
    }

    /// What a query found; `None` where none chooses.
    pub fn found(&self) -> Option<&QueryResult> {
        match self {
            Self::All(_) => None,
            Self::Some { found, .. } => Some(found),
        }
    }

    /// How many samples.
    pub fn len(&self) -> usize {
        match self {
            Self::All(samples) => *samples,
            Self::Some { found, .. } => found.samples.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether they are in another order than the dataset's.
    pub(super) fn is_sorted(&self) -> bool {
        matches!(self, Self::Some { sorted: true, .. })
    }

    /// The sample at a position.
    pub fn sample(&self, position: usize) -> Option<usize> {
        match self {
            Self::All(samples) => (position < *samples).then_some(position),
            Self::Some { found, .. } => found.samples.get(position).map(|it| *it as usize),
        }
    }

    /// The samples at these positions, as far as there are any.
    pub fn samples(&self, positions: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let end = positions.end.min(self.len());
        (positions.start.min(end)..end).filter_map(|position| self.sample(position))
    }

    /// The samples at these positions, as far as there are any, in ascending order.
    pub fn ascending(&self, positions: Range<usize>) -> Vec<u32> {
        let samples = self.samples(positions);
        let mut samples: Vec<_> = samples.map(|sample| sample as u32).collect();
        if self.is_sorted() {
            samples.sort_unstable();
        }
        samples
    }

    /// The position of a sample, or of the one nearest to it in dataset order (of two, the later
    /// one); `None` where nothing is shown.
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

    /// Which responses of the sample at a position the query speaks of; `None` where there is no
    /// query.
    pub fn matching(&self, position: usize) -> Option<ResponseSet> {
        self.found()?.matching.get(position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(samples: &[u32], sorted: bool) -> Shown {
        let found = QueryResult {
            samples: samples.to_vec(),
            matching: vec![ResponseSet::default(); samples.len()],
        };
        Shown::Some {
            found: found.into(),
            sorted,
        }
    }

    #[test]
    fn the_nearest_in_dataset_order() {
        for (shown, sample, expected) in [
            (Shown::All(0), 3, None),
            (Shown::All(5), 3, Some(3)),
            (Shown::All(5), 9, Some(4)),
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
        assert_eq!(Shown::All(3).ascending(1..9), [1, 2]);
        assert_eq!(
            (shown.sample(0), shown.sample(3), shown.len()),
            (Some(7), None, 3)
        );
        assert_eq!(Shown::All(3).samples(1..2).collect::<Vec<_>>(), [1]);
    }
}
