//! The distinct words of a dataset, and which samples have them where.
//!
//! It is made of segments of consecutive samples, each with its own words, so that segments are built and asked side by side, and the
//! index grows at its end.

mod build;
mod segment;
mod vocabulary;

use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

pub(super) use segment::{Answer, Segment};

use crate::dataset::{Dataset, in_parallel};
use build::Builder;

/// Samples of a segment: enough that its words repeat, and few enough that one is asked in a millisecond or two.
const FULL: usize = 8192;
const SMALL: usize = 512;
/// Samples that a builder takes in before it is asked whether the index is still wanted: some milliseconds.
const STEP: usize = 256;

/// See the module.
#[derive(Debug, Default)]
pub struct Index {
    segments: Vec<Segment>,
    /// Bytes that were too few for the next segment.
    too_few: Option<usize>,
}

impl Index {
    /// Samples that it knows, from the dataset's first on.
    pub fn samples(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.samples().end)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.segments.iter().map(Segment::bytes).sum()
    }

    /// Takes in the next samples, a stretch at a time, as long as it takes no more than `most_bytes` and is `wanted`; gives whether it
    /// took in all. Safe to call again when there are more samples. While it builds, the segments that are not finished take some bytes more.
    pub fn extend(&mut self, dataset: &Dataset, most_bytes: usize, wanted: &dyn Fn() -> bool) -> bool {
        if self.samples() < dataset.samples() {
            // The last one may have been built before its rows were all there: a small one is built again with what came behind.
            self.segments.pop_if(|last| last.samples().len() < FULL / 2 && self.too_few.is_none());
        }
        while self.samples() < dataset.samples() {
            if self.too_few.is_some_and(|too_few| most_bytes <= too_few) {
                return false;
            }
            let Some(segments) = self.next(dataset, wanted) else { return false };
            for segment in segments {
                if segment.samples().start != self.samples() {
                    // The one before it ended early.
                    break;
                }
                if self.bytes() + segment.bytes() > most_bytes {
                    self.too_few = Some(most_bytes);
                    return false;
                }
                self.too_few = None;
                self.segments.push(segment);
            }
        }
        true
    }

    /// The next segments, one for each core; `None` when they are not wanted any more.
    fn next(&self, dataset: &Dataset, wanted: &dyn Fn() -> bool) -> Option<Vec<Segment>> {
        let cores = available_parallelism().map_or(1, usize::from);
        let first = self.samples();
        let size = (dataset.samples() - first).div_ceil(cores).clamp(SMALL, FULL);
        let starts = (first..dataset.samples()).step_by(size).take(cores);
        let builders: Vec<_> =
            starts.map(|start| Mutex::new(Builder::new(start..dataset.samples().min(start + size)))).collect();
        let step =
            |builder: &Mutex<Builder>| builder.lock().unwrap_or_else(PoisonError::into_inner).take(dataset, STEP);
        while wanted() {
            if in_parallel(&builders, step).into_iter().all(|done| done) {
                let seal = |builder: &Mutex<Builder>| builder.lock().unwrap_or_else(PoisonError::into_inner).seal();
                return Some(in_parallel(&builders, seal));
            }
        }
        None
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }
}
