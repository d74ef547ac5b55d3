//! Search of a dataset for a needle.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::index::{IndexFeed, Segment, SegmentAnswer};
use super::needle::Needle;
use super::prepared::{PreparedNeedle, PreparedTerm};
use super::rank::{rank, rank_by_nearness};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, continue_if, in_parallel};
use crate::schema::TextKinds;

/// The texts to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchScope {
    /// All texts.
    #[default]
    Everything,
    /// All texts except rationales, which reveal labels: the scope of a blind reviewer.
    Sample,
    /// The prompt.
    Prompt,
    /// The responses.
    Responses,
    /// Quotes and their titles.
    Quotes,
    /// Rationales about the sample and its responses.
    Rationales,
}

impl SearchScope {
    /// Returns the kinds of texts in the scope.
    pub(super) const fn kinds(self) -> TextKinds {
        match self {
            Self::Everything => TextKinds::all(),
            Self::Sample => TextKinds::BLIND,
            Self::Prompt => TextKinds::PROMPT,
            Self::Responses => TextKinds::RESPONSE,
            Self::Quotes => TextKinds::QUOTES,
            Self::Rationales => TextKinds::RATIONALE,
        }
    }
}

/// The order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HitOrder {
    /// Best match first; ties in dataset order (or as the query sorts).
    #[default]
    Ranked,
    /// Dataset order (or as the query sorts).
    Dataset,
}

/// A search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest<'a> {
    /// The needle to find.
    pub needle: &'a Needle,
    /// The texts to search.
    pub scope: SearchScope,
    /// The samples to search, ascending; `None`: all.
    pub among: Option<&'a [u32]>,
}

/// A sample that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number, from 0.
    pub sample: u32,
    /// Quality of the match: greater is better; comparable within one search.
    pub rank: i32,
}

/// Samples that one task reads.
const BATCH: usize = 64;
/// Tasks in the first and the largest wave; they double in between.
const FIRST_WAVE: usize = 4;
const FULL_WAVE: usize = 16;
/// Segments of the index in the first and the largest wave.
const FIRST_SEGMENTS: usize = 2;
const FULL_SEGMENTS: usize = 4;
/// Up to this many samples are read rather than waiting for the index.
const FEW_SAMPLES: usize = 1 << 14;
/// Samples to read before waiting for the index; takes some milliseconds.
const FIRST_READ: usize = 12 * BATCH;

/// True if an index can answer a needle in a few milliseconds: it has few terms, and none needs
/// rows.
pub fn is_quick(needle: &Needle) -> bool {
    const FEW: usize = 4;
    let terms = PreparedNeedle::new(needle).terms;
    terms.len() <= FEW && terms.iter().all(PreparedTerm::is_word)
}

/// Searches a dataset. Passes to `report` the hits since the last call, in dataset order, and the
/// number of samples searched so far.
///
/// `index` answers for the samples that it contains. If it is still growing and many samples
/// remain, the first of them are read and the others wait for the index, so no text is split into
/// words twice. Samples that are never indexed are read.
///
/// Stops if `report` breaks or `keep_going` returns false, which all threads check every few samples and
/// words; nothing is reported after that.
pub fn search(
    asked: &SearchRequest<'_>,
    dataset: &Dataset,
    index: Option<&dyn IndexFeed>,
    keep_going: &dyn KeepGoing,
    report: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let all: Vec<u32>;
    let samples = match asked.among {
        Some(among) => {
            &among[..among.partition_point(|&sample| (sample as usize) < dataset.samples())]
        }
        None => {
            all = (0..dataset.samples() as u32).collect();
            &all
        }
    };
    let ready = PreparedNeedle::new(asked.needle);
    let watch = CancelCheck {
        keep_going,
        over: AtomicBool::new(false),
    };
    let search = PreparedSearch {
        ready: &ready,
        asked,
        dataset,
        watch: &watch,
    };
    // A cancelled answer is incomplete.
    let report = &mut |hits, looked| {
        continue_if(watch.goes_on())?;
        report(hits, looked)
    };
    if asked.needle.is_empty() {
        let hits = samples
            .iter()
            .map(|&sample| Hit { sample, rank: 0 })
            .collect();
        report(hits, samples.len())
    } else {
        search.answer(samples, index, report)
    }
}

/// Remembers that a search was cancelled.
pub(super) struct CancelCheck<'a> {
    keep_going: &'a dyn KeepGoing,
    over: AtomicBool,
}

impl CancelCheck<'_> {
    pub(super) fn goes_on(&self) -> bool {
        let goes_on = !self.over.load(Ordering::Relaxed) && (self.keep_going)();
        if !goes_on {
            self.over.store(true, Ordering::Relaxed);
        }
        goes_on
    }
}

/// A compiled search.
pub(super) struct PreparedSearch<'a> {
    pub(super) ready: &'a PreparedNeedle,
    pub(super) asked: &'a SearchRequest<'a>,
    pub(super) dataset: &'a Dataset,
    pub(super) watch: &'a CancelCheck<'a>,
}

impl PreparedSearch<'_> {
    /// Asks the index, as far as it is or will be complete, and reads the other samples.
    fn answer(
        &self,
        samples: &[u32],
        index: Option<&dyn IndexFeed>,
        report: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut known = index.map(IndexFeed::so_far).unwrap_or_default();
        let mut at = self.ask(known.segments(), samples, 0, report)?;
        let upto = |at: usize, more: usize| samples.len().min(at + more);
        let index = index.filter(|_| self.is_worth_waiting(&samples[at..]));
        while let Some(index) = index.filter(|_| at < samples.len()) {
            if at == 0 {
                // Shows first results early.
                at = upto(at, FIRST_READ);
                self.read(&samples[..at], 0, report)?;
            }
            let keep_going = || self.watch.goes_on();
            let Some(more) = index.beyond(known.samples(), &keep_going) else {
                break;
            };
            known = more;
            at = self.ask(known.segments(), samples, at, report)?;
        }
        if at == samples.len() && at > 0 {
            ControlFlow::Continue(())
        } else {
            self.read(&samples[at..], at, report)
        }
    }

    /// True if waiting for a growing index is faster than reading these samples: it compares a word
    /// once for many samples. Reading is faster for terms that are not words, and for terms that
    /// most lines can be ruled out by.
    fn is_worth_waiting(&self, samples: &[u32]) -> bool {
        let terms = &self.ready.terms;
        samples.len() > FEW_SAMPLES
            && terms.iter().all(PreparedTerm::is_word)
            && !terms.iter().any(PreparedTerm::rules_out_lines)
    }

    /// Asks segments about the samples from index `at` on. Returns the index of the next sample.
    fn ask(
        &self,
        segments: &[Arc<Segment>],
        samples: &[u32],
        mut at: usize,
        report: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let upto = |end: usize| samples.partition_point(|&sample| (sample as usize) < end);
        let is_over = |segment: &Arc<Segment>| upto(segment.samples().end) <= at;
        let mut rest = &segments[segments.partition_point(is_over)..];
        let mut wave = FIRST_SEGMENTS;
        while !rest.is_empty() {
            let (asked, later) = rest.split_at(wave.min(rest.len()));
            let answers = in_parallel(asked, |segment| {
                let range = segment.samples();
                let own = &samples[upto(range.start).max(at)..upto(range.end).max(at)];
                let among = (own.len() < range.len()).then_some(own);
                segment.answer(self.ready, self.asked.scope, among, self.watch)
            });
            let end = asked.last().map_or(0, |last| last.samples().end);
            at = self.report_answers(answers, at, upto(end), report)?;
            (rest, wave) = (later, (wave * 2).min(FULL_SEGMENTS));
        }
        ControlFlow::Continue(at)
    }

    /// Reports the answers of segments, and reads the samples that they leave open. Returns
    /// `looked`.
    fn report_answers(
        &self,
        answers: Vec<SegmentAnswer>,
        before: usize,
        looked: usize,
        report: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let (mut hits, mut open) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer {
                SegmentAnswer::Hits(more) => hits.extend(more),
                SegmentAnswer::Maybe(more) => open.extend(more),
            }
        }
        if !open.is_empty() {
            self.read(&open, before, report)?;
        }
        rank_by_nearness(self, &mut hits);
        report(hits, looked)?;
        ControlFlow::Continue(looked)
    }

    /// Reads samples, in ascending order, and reports the hits.
    pub(super) fn read(
        &self,
        samples: &[u32],
        looked: usize,
        report: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut at, mut wave) = (0, FIRST_WAVE);
        while at < samples.len() {
            let end = samples.len().min(at + wave * BATCH);
            let batches: Vec<_> = samples[at..end].chunks(BATCH).collect();
            let mut hits: Vec<_> = in_parallel(&batches, |batch| self.read_batch(batch)).concat();
            rank_by_nearness(self, &mut hits);
            report(hits, looked + end)?;
            (at, wave) = (end, (wave * 2).min(FULL_WAVE));
        }
        if samples.is_empty() {
            report(Vec::new(), looked)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Returns the hits among some samples.
    pub(super) fn read_batch(&self, samples: &[u32]) -> Vec<Hit> {
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
            return Vec::new();
        };
        let (mut scratch, mut values) = (String::new(), vec![0; self.ready.terms.len()]);
        let (mut hits, kinds) = (Vec::new(), self.asked.scope.kinds());
        let everything = (last - first) as usize + 1 == samples.len();
        let is_needed = |sample: usize| {
            (everything || samples.binary_search(&(sample as u32)).is_ok()) && self.watch.goes_on()
        };
        self.dataset.for_each_sample(
            *first as usize..*last as usize + 1,
            &is_needed,
            &mut |sample, rows| {
                if rows.is_verbatim() && !self.ready.may_be_in(rows.lines()) {
                    return;
                }
                values.fill(0);
                rows.for_each_text(kinds, &mut scratch, &mut |of, text| {
                    let is_prompt = of.kind == TextKinds::PROMPT;
                    self.ready.look(text, is_prompt, &mut values);
                });
                hits.extend(rank(self.ready, &values).map(|rank| Hit {
                    sample: sample as u32,
                    rank,
                }));
            },
        );
        hits
    }
}
