//! Duplicate samples, and contradictions in the labels and verdicts of equal responses.

use std::ops::Range;

use super::buckets::Buckets;
use super::words::mix;
use crate::dataset::Dataset;
use crate::model::Verdict;
use crate::parallel::KeepGoing;
use crate::table::{Column, SampleComparison};

/// Which samples repeat or contradict another one with exactly the same texts (compared by 64-bit
/// hashes).
#[derive(Debug, Clone, Default)]
pub struct ResponseOverlap {
    /// For each sample: another has the same prompt and the same responses, in the same order.
    duplicates: Vec<bool>,
    /// For each sample: another has the same prompt and the same responses, in any order, but
    /// another winner.
    contradicted: Vec<bool>,
    /// For each sample: one of its responses also occurs elsewhere, in this sample or in another,
    /// under the same prompt and with a different label value.
    relabelled: Vec<bool>,
}

/// A response of a sample, with its content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HashedResponse {
    /// Hash of the prompt and the response.
    hash: u64,
    sample: u32,
    place: u8,
}

/// A sample with a single winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HashedOutcome {
    /// Hash of the prompt and all responses, independent of order.
    hash: u64,
    /// Hash of the winning response.
    winner: u64,
    sample: u32,
}

/// Hashes by which samples are compared.
#[derive(Debug, Default)]
pub struct HashedTexts {
    /// Hash of the prompt and the responses in order, and the sample.
    samples: Vec<(u64, u32)>,
    responses: Vec<HashedResponse>,
    outcomes: Vec<HashedOutcome>,
}

impl HashedTexts {
    /// Appends the hashes of other samples.
    pub fn extend(&mut self, more: Self) {
        self.samples.extend(more.samples);
        self.responses.extend(more.responses);
        self.outcomes.extend(more.outcomes);
    }

    /// Adds a sample, given the hashes of its prompt and of each response.
    pub fn add(&mut self, dataset: &Dataset, sample: usize, prompt: u64, mut hashes: Vec<u64>) {
        let number = sample as u32;
        // Mixed once more, so that a prompt differs from a response with the same text.
        let whole = |hashes: &[u64]| {
            hashes
                .iter()
                .fold(mix(prompt), |hash, response| mix(hash ^ response))
        };
        for (place, response) in (0..).zip(&hashes) {
            let hash = whole(&[*response]);
            let response = HashedResponse {
                hash,
                sample: number,
                place,
            };
            self.responses.push(response);
        }
        self.samples.push((whole(&hashes), number));
        let winner = dataset.verdict(sample).and_then(Verdict::winner);
        let winner = winner.and_then(|winner| hashes.get(winner.index()).copied());
        hashes.sort_unstable();
        if let Some(winner) = winner {
            let outcome = HashedOutcome {
                hash: whole(&hashes),
                winner,
                sample: number,
            };
            self.outcomes.push(outcome);
        }
    }
}

impl ResponseOverlap {
    /// Compares all samples; `None` if cancelled.
    pub fn of(read: HashedTexts, dataset: &Dataset, keep_going: &dyn KeepGoing) -> Option<Self> {
        let HashedTexts {
            samples,
            responses,
            outcomes,
        } = read;
        let mut overlap = Self {
            duplicates: vec![false; dataset.samples()],
            contradicted: vec![false; dataset.samples()],
            relabelled: vec![false; dataset.samples()],
        };
        let samples = Buckets::of(samples, |(hash, _)| *hash);
        for samples in samples.sorted(keep_going, <[_]>::to_vec)? {
            let alike = samples.chunk_by(|(one, _), (other, _)| one == other);
            for (_, sample) in alike.filter(|alike| alike.len() > 1).flatten() {
                overlap.duplicates[*sample as usize] = true;
            }
        }
        let outcomes = Buckets::of(outcomes, |outcome| outcome.hash);
        for outcomes in outcomes.sorted(keep_going, <[_]>::to_vec)? {
            for alike in outcomes.chunk_by(|one, other| one.hash == other.hash) {
                let is_one = alike
                    .iter()
                    .all(|outcome| outcome.winner == alike[0].winner);
                for outcome in alike.iter().filter(|_| !is_one) {
                    overlap.contradicted[outcome.sample as usize] = true;
                }
            }
        }
        let responses = Buckets::of(responses, |response| response.hash);
        let twice = responses.sorted(keep_going, |responses| {
            let alike = responses.chunk_by(|one, other| one.hash == other.hash);
            alike
                .filter(|alike| alike.len() > 1)
                .map(<[_]>::to_vec)
                .collect::<Vec<_>>()
        })?;
        for alike in twice.iter().flatten() {
            overlap.compare_labels(alike, dataset, keep_going)?;
        }
        keep_going().then_some(overlap)
    }

    /// Returns the number of samples compared.
    pub fn samples(&self) -> usize {
        self.contradicted.len()
    }

    /// Returns for each sample whether a comparison holds; false for unknown samples, and for
    /// comparisons that are not flags of samples.
    pub fn flags(&self, comparison: SampleComparison, samples: Range<usize>) -> Vec<bool> {
        let list = match comparison {
            SampleComparison::Duplicate => &self.duplicates[..],
            SampleComparison::Contradicted => &self.contradicted,
            SampleComparison::Relabelled => &self.relabelled,
            SampleComparison::Overlap(_) | SampleComparison::OverlapWith(_) => &[],
        };
        samples
            .map(|sample| list.get(sample) == Some(&true))
            .collect()
    }

    /// Marks the samples of equal responses that differ in a label.
    fn compare_labels(
        &mut self,
        alike: &[HashedResponse],
        dataset: &Dataset,
        keep_going: &dyn KeepGoing,
    ) -> Option<()> {
        // For each label its first value, and whether it has others.
        let mut known: Vec<(&str, f64, bool)> = Vec::new();
        for response in alike {
            keep_going().then_some(())?;
            for (name, value) in labels(dataset, response) {
                match known.iter_mut().find(|(label, ..)| *label == name) {
                    Some((_, first, differs)) => *differs |= *first != value,
                    None => known.push((name, value, false)),
                }
            }
        }
        known.retain(|(.., differs)| *differs);
        for response in alike.iter().filter(|_| !known.is_empty()) {
            keep_going().then_some(())?;
            let is_other = |(name, _)| known.iter().any(|(label, ..)| *label == name);
            self.relabelled[response.sample as usize] |= labels(dataset, response).any(is_other);
        }
        Some(())
    }
}

/// Returns the labels of a response that have a value.
fn labels<'d>(
    dataset: &'d Dataset,
    response: &HashedResponse,
) -> impl Iterator<Item = (&'d str, f64)> {
    let place = usize::from(response.place);
    let of = dataset.chunk_of(response.sample as usize);
    let file = of.and_then(|(chunk, _)| dataset.files().get(chunk.file()));
    let columns = file.map(|file| file.schema.columns()).unwrap_or_default();
    columns.iter().filter_map(move |Column { id, .. }| {
        let (chunk, within) = of?;
        let value = chunk.columns().numbers(*id)?.get(place)?.get(within)?;
        Some((id.name, value))
    })
}
