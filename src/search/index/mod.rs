//! The distinct words of a dataset, and which samples have them where.
//!
//! It is made of segments of consecutive samples, each with its own words, so that segments are
//! built and asked side by side, and the index grows at its end.

mod build;
mod segment;
mod vocabulary;

use std::ops::ControlFlow;
use std::sync::Arc;

pub(super) use segment::{Segment, SegmentAnswer};

use crate::dataset::Dataset;
use crate::parallel::{cores, on_threads};
use build::segments;

/// Samples of a segment: enough that its words repeat, and few enough that one is asked in a
/// millisecond or two.
const FULL: usize = 8192;
const SMALL: usize = 512;

/// The words of samples as far as they are indexed, for who may wait for more.
pub trait IndexFeed: std::fmt::Debug + Send + Sync {
    /// The index as far as it is made.
    fn so_far(&self) -> Index;

    /// Waits until it knows more than so many samples, as long as that is `wanted`; `None` where it
    /// never will.
    fn beyond(&self, samples: usize, wanted: &dyn Fn() -> bool) -> Option<Index>;
}

/// An index to which nothing is added meanwhile.
impl IndexFeed for Index {
    fn so_far(&self) -> Index {
        self.clone()
    }

    fn beyond(&self, samples: usize, _wanted: &dyn Fn() -> bool) -> Option<Index> {
        (self.samples() > samples).then(|| self.clone())
    }
}

/// An index of the words of all samples, in segments. A clone shares its segments: who searches
/// takes one, and the index grows on.
#[derive(Debug, Clone, Default)]
pub struct Index {
    segments: Vec<Arc<Segment>>,
    /// Bytes that were too few for the next segment.
    too_few: Option<usize>,
}

impl Index {
    /// Samples that it knows, from the dataset's first on.
    pub fn samples(&self) -> usize {
        self.segments
            .last()
            .map_or(0, |segment| segment.samples().end)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.bytes()).sum()
    }

    /// Takes in the next samples, a segment a core at a time, as long as it takes no more than
    /// `most_bytes` and is `wanted`; shows what it has become each time, and gives whether it took
    /// in all. Safe to call again when there are more samples.
    ///
    /// `wanted` is asked every few samples, on threads that do nothing else: it may take its time
    /// to answer while other work is more urgent. The bound is that of the index; while it grows,
    /// each core takes some 60 MB beside it at most, and 20 MB as a rule.
    pub fn extend(
        &mut self,
        dataset: &Dataset,
        most_bytes: usize,
        wanted: &(dyn Fn() -> bool + Sync),
        show: &mut dyn FnMut(&Self),
    ) -> bool {
        if self.samples() < dataset.samples() {
            // The last one may have been built before its rows were all there: a small one is built
            // again with what came behind.
            self.segments
                .pop_if(|last| last.samples().len() < FULL / 2 && self.too_few.is_none());
        }
        while self.samples() < dataset.samples() {
            if self.too_few.is_some_and(|too_few| most_bytes <= too_few) {
                return false;
            }
            let Some(segments) = self.next(dataset, most_bytes, wanted) else {
                return false;
            };
            let grown = self.add(segments, most_bytes);
            show(self);
            if grown.is_break() {
                return false;
            }
        }
        true
    }

    /// Adds the next segments as far as there is room for them.
    fn add(&mut self, segments: Vec<Segment>, most_bytes: usize) -> ControlFlow<()> {
        for segment in segments {
            if self.bytes() + segment.bytes() > most_bytes {
                self.too_few = Some(most_bytes);
                return ControlFlow::Break(());
            }
            self.too_few = None;
            self.segments.push(Arc::new(segment));
        }
        ControlFlow::Continue(())
    }

    /// The next segments, one for each core or, of long samples, more; `None` when they are not
    /// wanted any more.
    fn next(
        &self,
        dataset: &Dataset,
        most_bytes: usize,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Segment>> {
        let cores = cores() as usize;
        let first = self.samples();
        let size = (dataset.samples() - first)
            .div_ceil(cores)
            .clamp(SMALL, FULL);
        let starts = (first..dataset.samples()).step_by(size).take(cores);
        let ranges: Vec<_> = starts
            .map(|start| start..dataset.samples().min(start + size))
            .collect();
        // A search that is asked meanwhile spreads its work in the usual way and does not wait for
        // this.
        let room = most_bytes - self.bytes().min(most_bytes);
        let built = on_threads(&ranges, |range| {
            segments(range.clone(), dataset, room, wanted)
        });
        Some(
            built
                .into_iter()
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }
}
