//! An inverted index: the distinct words of a dataset, and the samples and places that have them.
//!
//! It consists of segments of consecutive samples, each with its own words, so segments are built
//! and searched in parallel, and the index grows at its end.

mod build;
mod segment;
mod vocabulary;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

pub(super) use segment::{Segment, SegmentAnswer};

use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, cores, locked, on_threads};
use build::SegmentBuilder;

/// Samples per segment: enough that words repeat, and few enough to search it in a millisecond or
/// two.
const FULL: usize = 8192;
const SMALL: usize = 512;

/// An index that may still grow.
pub trait IndexFeed: std::fmt::Debug + Send + Sync {
    /// Returns the index built so far.
    fn so_far(&self) -> Index;

    /// Waits until more than `samples` samples are indexed; `None` if that never happens, or if
    /// `keep_going` returns false.
    fn beyond(&self, samples: usize, keep_going: &dyn KeepGoing) -> Option<Index>;
}

/// A complete index.
impl IndexFeed for Index {
    fn so_far(&self) -> Index {
        self.clone()
    }

    fn beyond(&self, samples: usize, _wanted: &dyn KeepGoing) -> Option<Index> {
        (self.samples() > samples).then(|| self.clone())
    }
}

/// An index of the words of all samples. Clones share their segments, so a search can use one while
/// the index grows.
#[derive(Debug, Clone, Default)]
pub struct Index {
    segments: Vec<Arc<Segment>>,
    /// A limit in bytes that was too small for the next segment.
    too_few: Option<usize>,
}

impl Index {
    /// Returns the number of indexed samples, from the first of the dataset.
    pub fn samples(&self) -> usize {
        self.segments
            .last()
            .map_or(0, |segment| segment.samples().end)
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        let segments = self.segments.iter().map(|segment| segment.bytes());
        segments.sum::<usize>() + self.segments.capacity() * size_of::<Arc<Segment>>()
    }

    /// Indexes the next samples, segment by segment, and passes each state to `show`. Returns true
    /// if all are indexed. Can be called again when the dataset has grown.
    ///
    /// `most_bytes` limits the index and the memory to build it. `keep_going` returns false to cancel;
    /// it is called every few samples on threads of their own, and may block while other work is
    /// more urgent.
    pub fn extend(
        &mut self,
        dataset: &Dataset,
        most_bytes: usize,
        keep_going: &dyn KeepGoing,
        show: &mut (dyn FnMut(&Self) + Send),
    ) -> bool {
        if self.samples() < dataset.samples() {
            // The last segment may have been built before its rows were complete: a small one is
            // rebuilt with the new samples.
            self.segments
                .pop_if(|last| last.samples().len() < FULL / 2 && self.too_few.is_none());
        }
        if self.samples() == dataset.samples() {
            return true;
        }
        if self.too_few.is_some_and(|too_few| most_bytes <= too_few) {
            return false;
        }
        self.too_few = None;
        let rest = self.samples()..dataset.samples();
        // With little memory, fewer threads, so that each can build more than a few samples.
        let threads = (most_bytes / 4 / MIN_BYTES).clamp(1, cores() as usize);
        let growth = IndexGrowth {
            most_bytes,
            threads,
            size: rest.len().div_ceil(cores() as usize).clamp(SMALL, FULL),
            rest,
            granted: 0,
            early: BTreeMap::new(),
            index: self,
            show,
        };
        let growth = Mutex::new(growth);
        // A concurrent search uses the thread pool and does not wait for these threads.
        on_threads(&vec![(); threads], |()| grow(&growth, dataset, keep_going));
        self.samples() == dataset.samples()
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }
}

/// Most bytes to build a segment: enough for a full one of samples of typical length.
const FULL_BYTES: usize = 48 << 20;
/// Least bytes to begin a segment.
const MIN_BYTES: usize = 1 << 20;

/// An index that several threads add to. Its size and the bytes granted to threads stay below the
/// limit; only a sample larger than its grant exceeds it.
struct IndexGrowth<'g> {
    index: &'g mut Index,
    show: &'g mut (dyn FnMut(&Index) + Send),
    most_bytes: usize,
    threads: usize,
    /// Samples per thread and segment.
    size: usize,
    /// Samples that no thread has started.
    rest: Range<usize>,
    /// Bytes granted to segments in progress.
    granted: usize,
    /// Segments that wait for earlier ones, by their first sample.
    early: BTreeMap<usize, Segment>,
}

/// Builds segments until all are built, memory is exhausted, or the work is cancelled.
fn grow(index: &Mutex<IndexGrowth<'_>>, dataset: &Dataset, keep_going: &dyn KeepGoing) {
    let mut builder = SegmentBuilder::default();
    let mut next = locked(index).begin(0..0);
    while let Some((mut samples, granted)) = next {
        let built = builder.build(samples.clone(), granted, dataset, keep_going);
        let mut growth = locked(index);
        growth.granted -= granted;
        next = match built {
            Some(segment) => {
                samples.start = segment.samples().end;
                growth.add(segment);
                growth.begin(samples)
            }
            None => None,
        };
    }
    locked(index).rest = 0..0;
}

impl IndexGrowth<'_> {
    /// Grants memory for a segment of these samples, or of the next ones if empty. Returns `None`
    /// if nothing is left to do, or no memory.
    fn begin(&mut self, mut samples: Range<usize>) -> Option<(Range<usize>, usize)> {
        if samples.is_empty() {
            samples = self.rest.start..self.rest.end.min(self.rest.start + self.size);
            self.rest.start = samples.end;
        }
        if samples.is_empty() || self.index.too_few.is_some() {
            return None;
        }
        let free = self.most_bytes.saturating_sub(self.bytes());
        let granted = FULL_BYTES
            .min(free / self.threads)
            .min(free.saturating_sub(self.granted));
        if granted < MIN_BYTES {
            self.index.too_few = Some(self.most_bytes);
            return None;
        }
        self.granted += granted;
        Some((samples, granted))
    }

    fn bytes(&self) -> usize {
        self.index.bytes() + self.early.values().map(Segment::bytes).sum::<usize>()
    }

    /// Adds a segment after those before it, if there is room.
    fn add(&mut self, segment: Segment) {
        if self.bytes() + self.granted + segment.bytes() > self.most_bytes {
            self.index.too_few = Some(self.most_bytes);
            return;
        }
        self.early.insert(segment.samples().start, segment);
        while let Some(first) = self.early.first_entry()
            && *first.key() == self.index.samples()
        {
            self.index.segments.push(Arc::new(first.remove()));
            (self.show)(self.index);
        }
    }
}
