//! The distinct prompts of a dataset: which samples have each, and what it is compared by.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use super::SHINGLE_WORDS;
use super::buckets::Buckets;
use super::signature::{BANDS, Bands, bands};
use super::winnow::fingerprints;
use super::words::{HashedWords, mix};
use crate::dataset::Dataset;
use crate::parallel::{KeepGoing, in_parallel};
use crate::schema::TextKinds;

/// Samples that one task reads.
const STRETCH: usize = 512;
/// Stretches that are read before what was found is kept.
const WAVE: usize = 32;

/// The prompts of some samples, each once: prompts with the same words in the same order are one,
/// and so are prompts without any word that are the same letter by letter.
#[derive(Debug, Default)]
pub(super) struct DistinctPrompts {
    /// The prompt of each sample, from 0; [`Self::NONE`] where it has none.
    pub(super) of_samples: Vec<u32>,
    /// Of each sample a hash of its prompt as it stands.
    pub(super) exact: Vec<u64>,
    /// The first sample with each prompt.
    pub(super) first: Vec<u32>,
    /// How many words each has.
    pub(super) words: Vec<u32>,
    /// The bands of each; zeros where it has no words.
    pub(super) bands: Vec<Bands>,
    /// The fingerprints of all, each with the prompt in its lower bits; see [`Self::prompt_bits`].
    pub(super) fingerprints: Buckets<u64>,
    /// How many of those are the lower ones.
    bits: u32,
    /// Which fingerprints are kept while prompts are read.
    share: Share,
    /// Each prompt by the hash of its words.
    known: HashMap<u64, u32, FixedState>,
}

/// What is read of a sample's prompt.
#[derive(Debug, Clone, Copy)]
struct HashedPrompt {
    /// A hash of the texts as they stand.
    exact: u64,
    /// A hash of the words, or of the texts where there are none.
    words: u64,
    count: u32,
    /// Its place among what is kept of those not known yet.
    detail: Option<usize>,
}

/// What is read of consecutive samples.
#[derive(Debug, Default)]
pub(super) struct ReadRange {
    /// One a sample.
    prompts: Vec<Option<HashedPrompt>>,
    /// Of each prompt that is not known yet: its bands, and where its fingerprints stand.
    details: Vec<(Bands, Range<usize>)>,
    fingerprints: Vec<u64>,
    /// For the use of [`push_fingerprints`].
    parts: Vec<u64>,
}

impl ReadRange {
    /// Nothing yet, of so many samples.
    pub(super) fn new(samples: usize) -> Self {
        Self {
            prompts: vec![None; samples],
            ..Self::default()
        }
    }

    /// Adds the prompt of the sample at a place, by a hash of its texts and its words.
    pub(super) fn add(
        &mut self,
        known: &DistinctPrompts,
        at: usize,
        exact: u64,
        words: &HashedWords,
    ) {
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
            push_fingerprints(words, &mut self.parts, known.share, all);
            prompt.detail = Some(self.details.len());
            let prints = start..self.fingerprints.len();
            self.details.push((of_shingles, prints));
        }
        self.prompts[at] = Some(prompt);
    }
}

/// Adds what it keeps of a prompt, by its number and words, to a list; the list of numbers is for its
/// own use.
type ReadWords<'r, T> = dyn Fn(u32, &HashedWords, &mut Vec<u64>, &mut Vec<T>) + Sync + 'r;

/// Which part of all fingerprints is kept at a time, so that they take no more memory than they
/// may.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    /// The part, from 0.
    pub(super) part: u64,
    /// How many parts there are.
    pub(super) of: u64,
}

impl Share {
    /// The parts that are needed so that what takes so many bytes is kept in pieces of at most
    /// so many.
    pub(super) fn all(bytes: u64, most: u64) -> impl Iterator<Item = Self> {
        let of = bytes.div_ceil(most).max(1);
        (0..of).map(move |part| Self { part, of })
    }

    /// Whether a hash belongs to it.
    pub(super) fn has(self, hash: u64) -> bool {
        self.of <= 1 || mix(hash) % self.of == self.part
    }
}

impl DistinctPrompts {
    /// The prompt of a sample that has none.
    pub(super) const NONE: u32 = u32::MAX;

    /// None yet, of which this share of the fingerprints will be kept.
    pub(super) fn new(dataset: &Dataset, share: Share) -> Self {
        Self {
            of_samples: Vec::with_capacity(dataset.samples()),
            exact: Vec::with_capacity(dataset.samples()),
            bits: Self::prompt_bits(dataset),
            share,
            ..Self::default()
        }
    }

    /// Forgets how prompts are told from those that are read later.
    pub(super) fn forget_words(&mut self) {
        self.known = HashMap::default();
    }

    /// Reads another share of the fingerprints in place of the one that was kept.
    pub(super) fn read_share(
        &mut self,
        dataset: &Dataset,
        share: Share,
        wanted: &dyn KeepGoing,
    ) -> Option<()> {
        let (mut all, bits) = (Buckets::default(), Self::prompt_bits(dataset));
        self.fingerprints = Buckets::default();
        let is_first = |prompt: usize| self.words[prompt] > 0;
        let mut take = |read: Vec<u64>| read.into_iter().for_each(|print| all.push(print, print));
        self.read_again(
            dataset,
            &is_first,
            wanted,
            &mut take,
            &|prompt, words, parts, read| {
                let start = read.len();
                push_fingerprints(words, parts, share, read);
                let fresh = read[start..].iter_mut();
                fresh.for_each(|print| *print = packed(*print, prompt, bits));
            },
        )?;
        self.fingerprints = all;
        Some(())
    }

    /// Reads some of the prompts again, in order, each from its first sample: `read` adds what it
    /// keeps of one to a list, and `take` gets the lists of consecutive samples.
    pub(super) fn read_again<T: Send>(
        &self,
        dataset: &Dataset,
        which: &(dyn Fn(usize) -> bool + Sync),
        wanted: &dyn KeepGoing,
        take: &mut dyn FnMut(Vec<T>),
        read: &ReadWords<'_, T>,
    ) -> Option<()> {
        let is_asked = |sample: usize| {
            let prompt = self.of_samples.get(sample).copied().unwrap_or(Self::NONE);
            let first = self.first.get(prompt as usize);
            first == Some(&(sample as u32)) && which(prompt as usize)
        };
        for first in (0..dataset.samples()).step_by(STRETCH * WAVE) {
            let starts = (0..WAVE).map(|place| first + place * STRETCH);
            let stretches: Vec<_> = starts.map(|start| start..start + STRETCH).collect();
            let lists = in_parallel(&stretches, |samples| {
                let (mut list, mut parts) = (Vec::new(), Vec::new());
                let (mut words, mut scratch) = (HashedWords::new(), String::new());
                let is_wanted = |sample: usize| wanted() && is_asked(sample);
                dataset.for_each_sample(samples.clone(), &is_wanted, &mut |sample, rows| {
                    if !wanted() {
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
            if !wanted() {
                return None;
            }
            lists.into_iter().for_each(&mut *take);
        }
        Some(())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// How many of the lower bits of a fingerprint say which prompt it is of.
    pub(super) fn prompt_bits(dataset: &Dataset) -> u32 {
        usize::BITS - dataset.samples().leading_zeros()
    }

    /// Takes in what was read of the next samples, in order, so that numbers do not depend on which
    /// thread was faster.
    pub(super) fn take(&mut self, read: &ReadRange) {
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
                let prints = read.fingerprints[prints.clone()].iter();
                let prints = prints.map(|print| packed(*print, number, bits));
                prints.for_each(|print| self.fingerprints.push(print, print));
            }
            self.exact.push(prompt.exact);
            self.of_samples.push(number);
        }
    }
}

/// The fingerprints of a prompt, those next to each other that are the same once.
fn push_fingerprints(words: &HashedWords, parts: &mut Vec<u64>, share: Share, all: &mut Vec<u64>) {
    let mut last = None;
    for print in fingerprints(words, parts) {
        if last.replace(print) != Some(print) && share.has(print) {
            all.push(print);
        }
    }
}

/// A fingerprint with the prompt that it is of in its lower bits: two of the same prompt stand
/// beside each other when all are sorted, as do those of other prompts with the same fingerprint.
fn packed(print: u64, prompt: u32, bits: u32) -> u64 {
    print >> bits << bits | u64::from(prompt)
}
