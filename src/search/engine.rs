//! Needle and dataset → samples.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::index::{IndexFeed, Segment, SegmentAnswer};
use super::needle::Needle;
use super::prepared::{PreparedNeedle, PreparedTerm};
use super::rank::{by_nearness, rank};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::schema::TextKinds;

/// Which texts are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchScope {
    /// All of them.
    #[default]
    Everything,
    /// All but what was written about the sample, which tells of labels: what a blind reviewer may
    /// look among.
    Sample,
    /// The prompt.
    Prompt,
    /// The responses.
    Responses,
    /// Quotes and their titles.
    Quotes,
    /// What was written about the sample and its responses.
    Rationales,
}

impl SearchScope {
    /// The kinds of these texts.
    pub(super) const fn kinds(self) -> TextKinds {
        match self {
            Self::Everything => TextKinds::ALL,
            Self::Sample => TextKinds::PROMPT
                .with(TextKinds::RESPONSE)
                .with(TextKinds::QUOTES),
            Self::Prompt => TextKinds::PROMPT,
            Self::Responses => TextKinds::RESPONSE,
            Self::Quotes => TextKinds::QUOTES,
            Self::Rationales => TextKinds::RATIONALE,
        }
    }
}

/// The order of what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HitOrder {
    /// The likeliest first, ties in dataset order (or as the query sorts).
    #[default]
    Ranked,
    /// As in the dataset (or as the query sorts).
    Dataset,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest<'a> {
    /// What is looked for.
    pub needle: &'a Needle,
    /// In which texts.
    pub scope: SearchScope,
    /// Among these samples alone, in ascending order of their numbers; `None`: all.
    pub among: Option<&'a [u32]>,
}

/// A sample that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its number, from 0.
    pub sample: u32,
    /// How well it fits: greater is better; comparable within one search.
    pub rank: i32,
}

/// Samples that one task reads.
const STRETCH: usize = 64;
/// Tasks of the first wave, and of the largest; those between double.
const FIRST_WAVE: usize = 4;
const FULL_WAVE: usize = 16;
/// Segments of the index in the first wave, and in the largest.
const FIRST_SEGMENTS: usize = 2;
const FULL_SEGMENTS: usize = 4;
/// Up to so many samples are read sooner than they are indexed.
const FEW_SAMPLES: usize = 1 << 14;
/// Samples that are read before the index is waited for: some milliseconds.
const FIRST_READ: usize = 12 * STRETCH;

/// Whether an index answers a needle in a few milliseconds: it is of a few words, and nothing that
/// rows must be read for.
pub fn is_quick(needle: &Needle) -> bool {
    const FEW: usize = 4;
    let terms = PreparedNeedle::new(needle).terms;
    terms.len() <= FEW && terms.iter().all(PreparedTerm::is_word)
}

/// Looks for a needle and tells what it finds, piece by piece: the hits since the last piece, in
/// dataset order, and at how many samples it has looked since it began. `index`, where there is one,
/// answers for the samples that it knows. Where it still grows and there is much to look at, the
/// first of the others are read, and the rest is answered as it comes to know them: nothing is taken
/// apart into words twice. What it never comes to know is read. Breaks
/// off when `tell` does, or once it is not `wanted` any more, which all who are at work ask every
/// few samples and words; after that nothing is told.
pub fn search(
    asked: &SearchRequest<'_>,
    dataset: &Dataset,
    index: Option<&dyn IndexFeed>,
    wanted: &dyn KeepGoing,
    tell: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
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
    let watch = WantedCheck {
        wanted,
        over: AtomicBool::new(false),
    };
    let search = PreparedSearch {
        ready: &ready,
        asked,
        dataset,
        watch: &watch,
    };
    // What was looked at when it ended is half an answer, and nobody's.
    let tell = &mut |hits, looked| {
        if watch.goes_on() {
            tell(hits, looked)
        } else {
            ControlFlow::Break(())
        }
    };
    match asked.needle.is_empty() {
        true => {
            let hits = samples
                .iter()
                .map(|&sample| Hit { sample, rank: 0 })
                .collect();
            tell(hits, samples.len())
        }
        false => search.answer(samples, index, tell),
    }
}

/// Whether a search is still wanted: once it was not, it is not.
pub(super) struct WantedCheck<'a> {
    wanted: &'a dyn KeepGoing,
    over: AtomicBool,
}

impl WantedCheck<'_> {
    pub(super) fn goes_on(&self) -> bool {
        let goes_on = !self.over.load(Ordering::Relaxed) && (self.wanted)();
        if !goes_on {
            self.over.store(true, Ordering::Relaxed);
        }
        goes_on
    }
}

/// What is looked for, and where.
pub(super) struct PreparedSearch<'a> {
    pub(super) ready: &'a PreparedNeedle,
    pub(super) asked: &'a SearchRequest<'a>,
    pub(super) dataset: &'a Dataset,
    pub(super) watch: &'a WantedCheck<'a>,
}

impl PreparedSearch<'_> {
    /// Has the index answer for the samples that it knows, or comes to know, and reads the others.
    fn answer(
        &self,
        samples: &[u32],
        index: Option<&dyn IndexFeed>,
        tell: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut known = index.map(IndexFeed::so_far).unwrap_or_default();
        let mut at = self.ask(known.segments(), samples, 0, tell)?;
        let upto = |at: usize, more: usize| samples.len().min(at + more);
        let index = index.filter(|_| self.is_worth_waiting(&samples[at..]));
        while let Some(index) = index.filter(|_| at < samples.len()) {
            if at == 0 {
                // Somebody waits for something to look at.
                at = upto(at, FIRST_READ);
                self.read(&samples[..at], 0, tell)?;
            }
            let wanted = || self.watch.goes_on();
            let Some(more) = index.beyond(known.samples(), &wanted) else {
                break;
            };
            known = more;
            at = self.ask(known.segments(), samples, at, tell)?;
        }
        if at == samples.len() && at > 0 {
            ControlFlow::Continue(())
        } else {
            self.read(&samples[at..], at, tell)
        }
    }

    /// Whether an index that grows is sooner done with these samples than reading them: words are
    /// compared once for many samples. Terms that are no words, and those that most lines lack, are
    /// found by reading.
    fn is_worth_waiting(&self, samples: &[u32]) -> bool {
        let terms = &self.ready.terms;
        samples.len() > FEW_SAMPLES
            && terms.iter().all(PreparedTerm::is_word)
            && !terms.iter().any(PreparedTerm::rules_out_lines)
    }

    /// Has segments answer for samples of which so many were looked at; gives how many were
    /// looked at then.
    fn ask(
        &self,
        segments: &[Arc<Segment>],
        samples: &[u32],
        mut at: usize,
        tell: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let upto = |end: usize| samples.partition_point(|&sample| (sample as usize) < end);
        let is_over = |segment: &Arc<Segment>| upto(segment.samples().end) <= at;
        let mut rest = &segments[segments.partition_point(is_over)..];
        let mut wave = FIRST_SEGMENTS;
        while !rest.is_empty() {
            let (asked, behind) = rest.split_at(wave.min(rest.len()));
            let answers = in_parallel(asked, |segment| {
                let range = segment.samples();
                let own = &samples[upto(range.start).max(at)..upto(range.end).max(at)];
                let among = (own.len() < range.len()).then_some(own);
                segment.answer(self.ready, self.asked.scope, among, self.watch)
            });
            let end = asked.last().map_or(0, |last| last.samples().end);
            at = self.told(answers, at, upto(end), tell)?;
            (rest, wave) = (behind, (wave * 2).min(FULL_SEGMENTS));
        }
        ControlFlow::Continue(at)
    }

    /// Tells what segments answered, and reads what they leave open; gives how many samples were
    /// looked at.
    fn told(
        &self,
        answers: Vec<SegmentAnswer>,
        before: usize,
        looked: usize,
        tell: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<(), usize> {
        let (mut hits, mut open) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer {
                SegmentAnswer::Hits(more) => hits.extend(more),
                SegmentAnswer::Maybe(more) => open.extend(more),
            }
        }
        if !open.is_empty() {
            self.read(&open, before, tell)?;
        }
        by_nearness(self, &mut hits);
        tell(hits, looked)?;
        ControlFlow::Continue(looked)
    }

    /// Reads samples, given in ascending order, and tells which of them have it.
    pub(super) fn read(
        &self,
        samples: &[u32],
        looked: usize,
        tell: &mut dyn FnMut(Vec<Hit>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut at, mut wave) = (0, FIRST_WAVE);
        while at < samples.len() {
            let end = samples.len().min(at + wave * STRETCH);
            let stretches: Vec<_> = samples[at..end].chunks(STRETCH).collect();
            let mut hits: Vec<_> =
                in_parallel(&stretches, |stretch| self.stretch(stretch)).concat();
            by_nearness(self, &mut hits);
            tell(hits, looked + end)?;
            (at, wave) = (end, (wave * 2).min(FULL_WAVE));
        }
        if samples.is_empty() {
            tell(Vec::new(), looked)
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The hits among some samples.
    pub(super) fn stretch(&self, samples: &[u32]) -> Vec<Hit> {
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
            return Vec::new();
        };
        let (mut scratch, mut word, mut values) = (
            String::new(),
            String::new(),
            vec![0; self.ready.terms.len()],
        );
        let (mut hits, kinds) = (Vec::new(), self.asked.scope.kinds());
        let everything = (last - first) as usize + 1 == samples.len();
        let wanted = |sample: usize| {
            (everything || samples.binary_search(&(sample as u32)).is_ok()) && self.watch.goes_on()
        };
        self.dataset.for_each_sample(
            *first as usize..*last as usize + 1,
            &wanted,
            &mut |sample, rows| {
                if rows.is_verbatim() && !self.ready.may_be_in(rows.lines()) {
                    return;
                }
                values.fill(0);
                rows.for_each_text(kinds, &mut scratch, &mut |of, text| {
                    let is_prompt = of.kind == TextKinds::PROMPT;
                    self.ready.look(text, is_prompt, &mut values, &mut word);
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
