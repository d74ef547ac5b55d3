//! Finds samples that share their prompt with others, and how closely.
//!
//! All prompts are read once. Each distinct one is stored as 128 bytes of a MinHash [`signature`]
//! and the fingerprints of its runs of words ([`grams`]). Candidate pairs are read again and
//! compared exactly, so there are no false positives.
//!
//! Memory: about 240 bytes a distinct prompt, a third of its size for fingerprints, and 20 bytes a
//! sample.

mod buckets;
mod distinct;
mod grams;
mod near;
mod responses;
mod signature;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;

use distinct::{DistinctPrompts, ReadRange};
use words::HashedWords;

use near::{NearPair, near_pairs};
use responses::HashedTexts;
pub use responses::ResponseOverlap;

use crate::dataset::Dataset;
use crate::dataset::load::chunk::hash;
use crate::parallel::KeepGoing;
use crate::schema::TextKinds;
use crate::table::{OverlapScope, SampleTexts};
use crate::text::named_enum;

/// Words of a shingle. Small, because prompts are short and changing one word changes this number
/// of shingles.
const SHINGLE_WORDS: usize = 3;

named_enum! {
    /// How two prompts match, the weakest first, with the words for it in queries.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PromptMatch {
        /// They share [`grams::GRAM_WORDS`] consecutive words that few prompts contain.
        Gram "13gram",
        /// The Jaccard index of their shingles of [`SHINGLE_WORDS`] words is at least [`near::NEAR`].
        Near "near",
        /// They have the same words in the same order.
        Normalised "normalised",
        /// Their texts are equal, turn by turn.
        Exact "exact",
    }
}

impl PromptMatch {
    /// Returns a description.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Gram => "13 consecutive words are the same, which few prompts contain",
            Self::Near => "at least 80 % of their three-word runs are the same",
            Self::Normalised => "the same except for case, spaces, punctuation and letter forms",
            Self::Exact => "exactly the same",
        }
    }
}

/// Collects what samples are compared by while their texts are read, possibly for other purposes
/// too.
pub struct OverlapReader {
    /// Prompts, if they are compared.
    prompts: Option<DistinctPrompts>,
    /// Responses, if they are compared.
    responses: Option<HashedTexts>,
}

/// Hashes of consecutive samples.
pub struct OverlapRange {
    prompts: ReadRange,
    responses: HashedTexts,
    words: HashedWords,
}

impl OverlapReader {
    /// Creates an empty reader for comparisons of prompts, of responses, or of both.
    pub fn new(dataset: &Dataset, prompts: bool, responses: bool) -> Self {
        Self {
            prompts: prompts.then(|| DistinctPrompts::new(dataset)),
            responses: responses.then(HashedTexts::default),
        }
    }

    /// Returns the texts that comparisons need.
    pub fn kinds(&self) -> TextKinds {
        match self.responses {
            Some(_) => TextKinds::PROMPT.union(TextKinds::RESPONSE),
            None => TextKinds::PROMPT,
        }
    }

    /// Adds the hashes of the next samples, in order.
    pub fn take(&mut self, read: OverlapRange) {
        if let Some(prompts) = &mut self.prompts {
            prompts.take(&read.prompts);
        }
        if let Some(responses) = &mut self.responses {
            responses.extend(read.responses);
        }
    }

    /// Compares all samples; `None` if cancelled.
    pub fn compared(
        self,
        dataset: &Dataset,
        keep_going: &dyn KeepGoing,
    ) -> Option<(Option<PromptOverlap>, Option<ResponseOverlap>)> {
        let responses = match self.responses {
            Some(read) => Some(ResponseOverlap::of(read, dataset, keep_going)?),
            None => None,
        };
        let prompts = match self.prompts {
            Some(read) => Some(PromptOverlap::of(read, dataset, keep_going)?),
            None => None,
        };
        Some((prompts, responses))
    }
}

impl OverlapRange {
    pub fn new(samples: usize) -> Self {
        Self {
            prompts: ReadRange::new(samples),
            responses: HashedTexts::default(),
            words: HashedWords::new(),
        }
    }

    /// Adds the texts of a sample at this index.
    pub fn add(
        &mut self,
        reader: &OverlapReader,
        dataset: &Dataset,
        sample: usize,
        at: usize,
        texts: &SampleTexts,
    ) {
        if let Some(prompts) = &reader.prompts {
            self.words.clear();
            (texts.prompt.iter()).for_each(|(role, text)| self.words.add_turn(*role, text));
            if let Some(exact) = self.words.exact() {
                self.prompts.add(prompts, at, exact, &self.words);
            }
        }
        if reader.responses.is_some() {
            let hashes = texts.responses.iter().map(|turns| {
                let turns = turns.iter();
                turns.fold(0, |all, text| words::mix(all ^ hash(text.as_bytes())))
            });
            let prompt = (texts.prompt.iter())
                .fold(0, |all, (_, text)| words::mix(all ^ hash(text.as_bytes())));
            self.responses
                .add(dataset, sample, prompt, hashes.collect());
        }
    }
}

/// For each sample, the match of its prompt with another sample, within its file and across files.
#[derive(Debug, Clone, Default)]
pub struct PromptOverlap {
    /// For each scope and sample: 0 for no match, else 1 plus the index in [`PromptMatch::ALL`].
    ways: [Vec<u8>; 2],
    /// For each scope and sample, the other sample; [`Self::NONE`] if there is none.
    others: [Vec<u32>; 2],
}

impl PromptOverlap {
    const NONE: u32 = u32::MAX;

    /// Compares the prompts of all samples. Returns `None` if cancelled (checked every few
    /// milliseconds).
    ///
    /// A prompt is all turns before the responses except the system's; blank prompts match nothing.
    /// The other sample is the first one with the strongest match; for near matches, the first one
    /// with the highest Jaccard index.
    fn of(
        mut distinct: DistinctPrompts,
        dataset: &Dataset,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        // Frees its memory before samples are grouped.
        distinct.known = HashMap::default();
        let samples = dataset.samples();
        let mut overlap = Self {
            ways: [vec![0; samples], vec![0; samples]],
            others: [vec![Self::NONE; samples], vec![Self::NONE; samples]],
        };
        let files = files_of(dataset);
        let holders = PromptHolder::all(&distinct.of_samples, &files);
        let file_of = |prompt: u32| {
            let sample = distinct
                .first
                .get(prompt as usize)
                .copied()
                .unwrap_or_default();
            files.get(sample as usize).copied().unwrap_or_default()
        };
        let mut found = vec![[FoundHolder::default(); 2]; holders.len()];
        let mut take = |NearPair { prompts, jaccard }: NearPair| {
            let [one, other] = prompts;
            for (one, other) in [(one, other), (other, one)] {
                between(&holders, one, other, &mut |holder, scope, sample| {
                    let near = &mut found[holder][scope as usize].near;
                    if jaccard > near.0 || (jaccard == near.0 && sample < near.1) {
                        *near = (jaccard, sample);
                    }
                });
            }
        };
        near_pairs(&distinct, dataset, &file_of, keep_going, &mut take)?;
        distinct.bands = Vec::new();
        grams::shared_grams(&mut distinct, dataset, keep_going, &mut |prompts| {
            for (place, one) in prompts.iter().enumerate() {
                let others = prompts
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != place);
                for (_, other) in others {
                    between(&holders, *one, *other, &mut |holder, scope, sample| {
                        let gram = &mut found[holder][scope as usize].gram;
                        *gram = sample.min(*gram);
                    });
                }
            }
        })?;
        // From the weakest match to the strongest; each overwrites weaker ones.
        for (holder, found) in holders.iter().zip(&found) {
            for sample in &holder.samples {
                for scope in [OverlapScope::SameFile, OverlapScope::OtherFile] {
                    let FoundHolder { gram, near } = found[scope as usize];
                    overlap.set(*sample, scope, PromptMatch::Gram, gram);
                    overlap.set(*sample, scope, PromptMatch::Near, near.1);
                }
            }
        }
        overlap.record_matches(&distinct.of_samples, &files, PromptMatch::Normalised);
        // Equal texts have equal words, so the number of the words and the hash identify them.
        let exact = exact_numbers(&distinct);
        overlap.record_matches(&exact, &files, PromptMatch::Exact);
        keep_going().then_some(overlap)
    }

    /// Returns the number of samples compared.
    pub fn samples(&self) -> usize {
        self.ways[0].len()
    }

    /// Returns the strongest match of a sample's prompt.
    pub fn way(&self, sample: usize, scope: OverlapScope) -> Option<PromptMatch> {
        let way = self.ways[scope as usize].get(sample)?;
        PromptMatch::ALL
            .get(usize::from(*way).checked_sub(1)?)
            .copied()
    }

    /// Returns the other sample of that match, from 0.
    pub fn other(&self, sample: usize, scope: OverlapScope) -> Option<usize> {
        let other = self.others[scope as usize].get(sample).copied()?;
        (other != Self::NONE).then_some(other as usize)
    }

    fn set(&mut self, sample: u32, scope: OverlapScope, way: PromptMatch, other: u32) {
        if other != Self::NONE {
            self.ways[scope as usize][sample as usize] = way as u8 + 1;
            self.others[scope as usize][sample as usize] = other;
        }
    }

    /// Records a match between samples with the same number.
    fn record_matches(&mut self, numbers: &[u32], files: &[u32], way: PromptMatch) {
        let holders = PromptHolder::all(numbers, files);
        let alike = holders.chunk_by(|one, other| one.number == other.number);
        let matches = alike.flat_map(|alike| {
            // The first sample of all, and the first one in another file.
            let first = alike.iter().min_by_key(|holder| holder.first());
            let others = alike
                .iter()
                .filter(move |other| Some(other.file) != first.map(|it| it.file));
            let second = others.min_by_key(|holder| holder.first());
            alike.iter().map(move |holder| {
                let other = [first, second].into_iter().flatten();
                let other = { other }.find(|other| other.file != holder.file);
                (holder, other.map_or(Self::NONE, PromptHolder::first))
            })
        });
        for (holder, other) in matches {
            for sample in &holder.samples {
                let mut same = holder.samples.iter().take(2).filter(|same| *same != sample);
                let same = same.next().copied().unwrap_or(Self::NONE);
                self.set(*sample, OverlapScope::SameFile, way, same);
                self.set(*sample, OverlapScope::OtherFile, way, other);
            }
        }
    }
}

/// The matches of the samples of a file with one prompt, in one scope.
#[derive(Debug, Clone, Copy)]
struct FoundHolder {
    /// The first sample with 13 words in common.
    gram: u32,
    /// The Jaccard index of the nearest prompt, and the first sample with it.
    near: (f64, u32),
}

impl Default for FoundHolder {
    fn default() -> Self {
        Self {
            gram: PromptOverlap::NONE,
            near: (0.0, PromptOverlap::NONE),
        }
    }
}

/// Samples of one file with the same number.
#[derive(Debug)]
struct PromptHolder {
    number: u32,
    file: u32,
    /// In order, never empty.
    samples: Vec<u32>,
}

impl PromptHolder {
    /// Groups samples by number, then by file.
    fn all(numbers: &[u32], files: &[u32]) -> Vec<Self> {
        let has_one = |sample: &u32| numbers[*sample as usize] != DistinctPrompts::NONE;
        let mut samples: Vec<u32> = (0..numbers.len() as u32).filter(has_one).collect();
        let key = |sample: u32| (numbers[sample as usize], files[sample as usize]);
        samples.sort_unstable_by_key(|sample| (key(*sample), *sample));
        let alike = samples.chunk_by(|one, other| key(*one) == key(*other));
        let holder = |alike: &[u32]| {
            let ((number, file), samples) = (key(alike[0]), alike.to_vec());
            Self {
                number,
                file,
                samples,
            }
        };
        alike.map(holder).collect()
    }

    fn first(&self) -> u32 {
        self.samples[0]
    }
}

/// Calls `show` for each holder of the number `one` (by its index) with the first sample of each
/// holder of `other` and the scope of the match.
fn between(
    holders: &[PromptHolder],
    one: u32,
    other: u32,
    show: &mut dyn FnMut(usize, OverlapScope, u32),
) {
    let of_number = |number: u32| {
        let start = holders.partition_point(|holder| holder.number < number);
        start..holders.partition_point(|holder| holder.number <= number)
    };
    for place in of_number(one) {
        for other in &holders[of_number(other)] {
            let scope = if holders[place].file == other.file {
                OverlapScope::SameFile
            } else {
                OverlapScope::OtherFile
            };
            show(place, scope, other.first());
        }
    }
}

/// Returns the file of each sample's first row, by index. Parts of a split count as one file.
fn files_of(dataset: &Dataset) -> Vec<u32> {
    let splits: Vec<_> = dataset.files().iter().map(|file| file.split).collect();
    let mut files = Vec::with_capacity(dataset.samples());
    for chunk in dataset.chunks() {
        let split = |within: usize| splits.get(dataset.file_of(chunk, within)).copied();
        files.extend((0..chunk.samples()).map(|within| split(within).unwrap_or_default()));
    }
    files
}

/// Numbers the samples so that equal prompts have equal numbers.
fn exact_numbers(distinct: &DistinctPrompts) -> Vec<u32> {
    let key = |sample: u32| {
        let sample = sample as usize;
        (distinct.of_samples[sample], distinct.exact[sample])
    };
    let mut samples: Vec<u32> = (0..distinct.of_samples.len() as u32).collect();
    samples.sort_unstable_by_key(|sample| key(*sample));
    let mut numbers = vec![DistinctPrompts::NONE; samples.len()];
    let alike = samples.chunk_by(|one, other| key(*one) == key(*other));
    for (number, alike) in (0..).zip(alike) {
        for sample in alike {
            if distinct.of_samples[*sample as usize] != DistinctPrompts::NONE {
                numbers[*sample as usize] = number;
            }
        }
    }
    numbers
}
