//! The distinct prompts of a dataset, the samples that have each, and the hashes to compare them
//! by.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::SHINGLE_WORDS;
use super::buckets::Buckets;
use super::grams::fingerprints;
use super::signature::{BANDS, Bands, bands};
use super::words::{HashedWords, mix};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::schema::TextKinds;

/// Samples read by one task.
const TASK: usize = 512;
/// Tasks run before their results are stored.
const WAVE: usize = 32;

/// Distinct prompts. Prompts with the same words in the same order are one; prompts without words
/// are one if their texts are equal.
#[derive(Debug, Default)]
pub struct DistinctPrompts {
    /// The prompt of each sample, from 0; [`Self::NONE`] if it has none.
    pub of_samples: Vec<u32>,
    /// For each sample, a hash of its prompt's exact text.
    pub exact: Vec<u64>,
    /// The first sample with each prompt.
    pub first: Vec<u32>,
    /// Number of words of each prompt.
    pub words: Vec<u32>,
    /// The bands of each prompt; zeros if it has no words.
    pub bands: Vec<Bands>,
    /// All fingerprints, each with its prompt in the lower bits; see `bits`.
    pub fingerprints: Buckets<u64>,
    /// Number of lower bits used for the prompt.
    pub bits: u32,
    /// Each prompt by the hash of its words.
    pub known: HashMap<u64, u32, FixedState>,
}

/// Hashes of a sample's prompt.
#[derive(Debug, Clone, Copy)]
struct HashedPrompt {
    /// Hash of the exact texts.
    exact: u64,
    /// Hash of the words, or of the texts if there are none.
    words: u64,
    count: u32,
    /// Index in [`ReadRange::details`], if the prompt was not yet known.
    detail: Option<usize>,
}

/// Hashes of the prompts of consecutive samples.
#[derive(Debug, Default)]
pub struct ReadRange {
    /// One entry a sample.
    prompts: Vec<Option<HashedPrompt>>,
    /// For each new prompt: its bands, and the range of its fingerprints.
    details: Vec<(Bands, Range<usize>)>,
    fingerprints: Vec<u64>,
    /// Scratch space of [`push_fingerprints`].
    parts: Vec<u64>,
}

impl ReadRange {
    pub fn new(samples: usize) -> Self {
        Self {
            prompts: vec![None; samples],
            ..Self::default()
        }
    }

    /// Adds the prompt of the sample at this index.
    pub fn add(&mut self, known: &DistinctPrompts, at: usize, exact: u64, words: &HashedWords) {
        let mut prompt = HashedPrompt {
            exact,
            words: match words.count() {
                0 => mix(exact),
                _ => words.all(),
            },
            count: words.count() as u32,
            detail: None,
        };
        if !known.known.contains_key(&prompt.words) {
            let of_shingles = bands(words.runs(SHINGLE_WORDS)).unwrap_or([0; BANDS]);
            let start = self.fingerprints.len();
            let all = &mut self.fingerprints;
            push_fingerprints(words, &mut self.parts, all);
            prompt.detail = Some(self.details.len());
            let prints = start..self.fingerprints.len();
            self.details.push((of_shingles, prints));
        }
        self.prompts[at] = Some(prompt);
    }
}

/// Appends to a list what is needed of a prompt, given its number, its words and scratch space.
type ReadWords<'r, T> = dyn Fn(u32, &HashedWords, &mut Vec<u64>, &mut Vec<T>) + Sync + 'r;

impl DistinctPrompts {
    /// Number that means no prompt.
    pub const NONE: u32 = u32::MAX;

    /// Creates an empty list.
    pub fn new(dataset: &Dataset) -> Self {
        Self {
            of_samples: Vec::with_capacity(dataset.samples()),
            exact: Vec::with_capacity(dataset.samples()),
            bits: usize::BITS - dataset.samples().leading_zeros(),
            ..Self::default()
        }
    }

    /// Reads some of the prompts again, in order, each from its first sample. `read` appends its
    /// results for one prompt to a list; `take` receives the lists of consecutive samples.
    pub fn read_again<T: Send>(
        &self,
        dataset: &Dataset,
        which: &(dyn Fn(usize) -> bool + Sync),
        keep_going: &dyn KeepGoing,
        take: &mut dyn FnMut(Vec<T>),
        read: &ReadWords<'_, T>,
    ) -> Option<()> {
        let is_asked = |sample: usize| {
            let prompt = self.of_samples.get(sample).copied().unwrap_or(Self::NONE);
            let first = self.first.get(prompt as usize);
            first == Some(&(sample as u32)) && which(prompt as usize)
        };
        for first in (0..dataset.samples()).step_by(TASK * WAVE) {
            let tasks: Vec<_> = (0..WAVE)
                .map(|place| first + place * TASK)
                .map(|start| start..start + TASK)
                .collect();
            let lists = in_parallel(&tasks, |samples| {
                let (mut list, mut parts) = (Vec::new(), Vec::new());
                let (mut words, mut scratch) = (HashedWords::new(), String::new());
                let is_needed = |sample: usize| keep_going() && is_asked(sample);
                dataset.for_each_sample(samples.clone(), &is_needed, &mut |sample, rows| {
                    if !keep_going() {
                        return;
                    }
                    words.clear();
                    let kinds = TextKinds::PROMPT;
                    rows.for_each_text(kinds, &mut scratch, &mut |of, text| {
                        words.add_turn(of.role, text);
                    });
                    if words.exact().is_some() {
                        read(self.of_samples[sample], &words, &mut parts, &mut list);
                    }
                });
                list
            });
            if !keep_going() {
                return None;
            }
            lists.into_iter().for_each(&mut *take);
        }
        Some(())
    }

    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Adds the prompts of the next samples. Called in order, so that numbers do not depend on
    /// thread timing.
    pub fn take(&mut self, read: &ReadRange) {
        let bits = self.bits;
        for prompt in &read.prompts {
            let sample = self.of_samples.len() as u32;
            let Some(prompt) = prompt else {
                self.of_samples.push(Self::NONE);
                self.exact.push(0);
                continue;
            };
            let next = self.len() as u32;
            let number = *self.known.entry(prompt.words).or_insert(next);
            let details = prompt.detail.and_then(|at| read.details.get(at));
            if let (true, Some((of_shingles, prints))) = (number == next, details) {
                self.first.push(sample);
                self.words.push(prompt.count);
                self.bands.push(*of_shingles);
                read.fingerprints[prints.clone()]
                    .iter()
                    .map(|print| packed(*print, number, bits))
                    .for_each(|print| self.fingerprints.push(print, print));
            }
            self.exact.push(prompt.exact);
            self.of_samples.push(number);
        }
    }
}

/// Appends the fingerprints of a prompt, without adjacent duplicates.
fn push_fingerprints(words: &HashedWords, parts: &mut Vec<u64>, all: &mut Vec<u64>) {
    let mut last = None;
    for print in fingerprints(words, parts) {
        if last.replace(print) != Some(print) {
            all.push(print);
        }
    }
}

/// Stores the prompt in the lower bits of a fingerprint. After sorting, equal fingerprints of the
/// same and of different prompts are adjacent.
fn packed(print: u64, prompt: u32, bits: u32) -> u64 {
    print >> bits << bits | u64::from(prompt)
}
