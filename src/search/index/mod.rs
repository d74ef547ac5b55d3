//! The distinct words of a dataset, and which samples have them where.
//!
//! It is made of segments of consecutive samples, each with its own words, so that segments are
//! built and asked side by side, and the index grows at its end.
//!
//! An [`Index`] holds the segments and answers.

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
    fn beyond(&self, samples: usize, wanted: &dyn KeepGoing) -> Option<Index>;
}

/// An index to which nothing is added meanwhile.
impl IndexFeed for Index {
    fn so_far(&self) -> Index {
        self.clone()
    }

    fn beyond(&self, samples: usize, _wanted: &dyn KeepGoing) -> Option<Index> {
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
        let segments = self.segments.iter().map(|segment| segment.bytes());
        segments.sum::<usize>() + self.segments.capacity() * size_of::<Arc<Segment>>()
    }

    /// Takes in the next samples, segment by segment, as long as it is `wanted`; shows what it has become
    /// each time, and returns whether it took in all. Safe to call again when there are more samples.
    ///
    /// `most_bytes` is the bound of the index and of what is needed to build it. `wanted` is asked every
    /// few samples, on threads that do nothing else: it may take its time to answer while other work is
    /// more urgent.
    pub fn extend(
        &mut self,
        dataset: &Dataset,
        most_bytes: usize,
        wanted: &dyn KeepGoing,
        show: &mut (dyn FnMut(&Self) + Send),
    ) -> bool {
        if self.samples() < dataset.samples() {
            // The last one may have been built before its rows were all there: a small one is built
            // again with what came behind.
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
        // Of little memory each thread needs enough to build more than a few samples at a time.
        let threads = (most_bytes / 4 / LEAST_BYTES).clamp(1, cores() as usize);
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
        // A search that is asked meanwhile spreads its work in the usual way and does not wait for
        // this.
        on_threads(&vec![(); threads], |()| grow(&growth, dataset, wanted));
        self.samples() == dataset.samples()
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }
}

/// Bytes that building a segment takes at most: enough for a full one of samples of common length.
const FULL_BYTES: usize = 48 << 20;
/// Bytes with which it is worth beginning one.
const LEAST_BYTES: usize = 1 << 20;

/// An index that several threads add to. What it has, and what is granted to the threads for building
/// more, is never above its bound; only a sample that is larger than its grant takes more.
struct IndexGrowth<'g> {
    index: &'g mut Index,
    show: &'g mut (dyn FnMut(&Index) + Send),
    most_bytes: usize,
    threads: usize,
    /// Samples that a thread takes at a time.
    size: usize,
    /// Samples that no thread has begun.
    rest: Range<usize>,
    /// Bytes granted for segments that are being built.
    granted: usize,
    /// Segments that wait for earlier ones, by their first samples.
    early: BTreeMap<usize, Segment>,
}

/// Builds segments until there are all, no room is left, or they are not wanted any more.
fn grow(index: &Mutex<IndexGrowth<'_>>, dataset: &Dataset, wanted: &dyn KeepGoing) {
    let mut builder = SegmentBuilder::default();
    let mut next = locked(index).begin(0..0);
    while let Some((mut samples, granted)) = next {
        let built = builder.build(samples.clone(), granted, dataset, wanted);
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
    /// Grants room for building a segment of these samples or, if there are none, of the next ones.
    /// Returns `None` where there is nothing to do, or no room.
    fn begin(&mut self, mut samples: Range<usize>) -> Option<(Range<usize>, usize)> {
        if samples.is_empty() {
            samples = self.rest.start..self.rest.end.min(self.rest.start + self.size);
            self.rest.start = samples.end;
        }
        if samples.is_empty() || self.index.too_few.is_some() {
            return None;
        }
        let free = self.most_bytes.saturating_sub(self.bytes());
        let share = FULL_BYTES.min(free / self.threads);
        let granted = share.min(free.saturating_sub(self.granted));
        if granted < LEAST_BYTES {
            self.index.too_few = Some(self.most_bytes);
            return None;
        }
        self.granted += granted;
        Some((samples, granted))
    }

    fn bytes(&self) -> usize {
        self.index.bytes() + self.early.values().map(Segment::bytes).sum::<usize>()
    }

    /// Adds a segment to the index once those before it are there, and if it has room for it.
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
