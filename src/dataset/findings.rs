//! Which rules fire on which samples, as far as somebody looked: it is kept with the loading of the
//! dataset that it was found in.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::Dataset;
use crate::model::ResponseSet;
use crate::parallel::locked;

/// A rule that fires on a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundFinding {
    /// The sample, from 0.
    pub sample: u32,
    /// The rule, by its place among the rules.
    pub rule: u16,
    /// How much it adds to the suspicion of the sample: 0 if the rule [is common](is_common).
    pub weight: u32,
    /// The responses that it speaks of: all of them where it speaks of
    /// the sample.
    pub responses: ResponseSet,
}

/// What all rules found in the first samples of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFindings {
    /// By ascending samples, and of a sample by ascending rules.
    pub all: Vec<FoundFinding>,
    /// For each stage, the number of samples, from the first, that its rules were asked of.
    pub asked: [usize; RuleStage::COUNT],
    /// What the rules are called, by their places.
    pub names: Arc<[Arc<str>]>,
    /// The stage of each rule, by its place.
    pub stages: Arc<[RuleStage]>,
}

/// Samples from which on a share of them says something.
const LEAST_SAMPLES: usize = 10;

/// True if a rule that fires on some of all samples fires on more than half of them: it is a property
/// of the file then, and no reason to look at one of its samples.
pub fn is_common(some: usize, all: usize) -> bool {
    all >= LEAST_SAMPLES && 2 * some > all
}

/// When a rule is asked: each stage takes longer than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleStage {
    /// It needs columns alone: it is asked at once.
    Columns,
    /// It needs texts, which are read for all such rules together.
    Texts,
    /// It compares all samples with each other, once their texts were read.
    Comparisons,
}

impl RuleStage {
    /// How many there are.
    pub const COUNT: usize = 3;
}

impl FoundFindings {
    /// Of how many of the first samples the rules of a stage were asked.
    pub const fn asked_in(&self, stage: RuleStage) -> usize {
        self.asked[stage as usize]
    }

    /// Weighs what was found in this number of samples by the weights of the rules: what common rules found
    /// weighs nothing.
    pub fn weigh(&mut self, samples: usize, mut weights: Vec<u32>) {
        let mut fires = vec![0_usize; weights.len()];
        for found in &self.all {
            fires[usize::from(found.rule)] += 1;
        }
        for (weight, fires) in weights.iter_mut().zip(fires) {
            if is_common(fires, samples) {
                *weight = 0;
            }
        }
        for found in &mut self.all {
            found.weight = weights[usize::from(found.rule)];
        }
    }

    /// Of how many samples all rules were asked.
    pub fn complete(&self) -> usize {
        self.asked.into_iter().min().unwrap_or_default()
    }

    /// Whether all rules were asked of so many samples.
    pub fn is_of_all(&self, samples: usize) -> bool {
        self.complete() >= samples
    }

    /// What was found in these samples.
    pub fn of(&self, samples: Range<u32>) -> &[FoundFinding] {
        let place = |sample: u32| self.all.partition_point(|found| found.sample < sample);
        let (start, end) = (place(samples.start), place(samples.end));
        self.all.get(start..end).unwrap_or_default()
    }
}

/// What was found in one loading, shared by all snapshots of it.
#[derive(Debug, Default)]
pub(super) struct FindingStore(Mutex<Arc<FoundFindings>>);

impl Dataset {
    /// Begins anew, with other rules: which of them apply, and so what their places are, depends on
    /// the files and on what is set. Snapshots from before keep what they have.
    pub fn forget_findings(&mut self) {
        self.findings = Arc::default();
    }

    /// What the rules found in the samples that were looked at by now.
    pub fn findings(&self) -> Arc<FoundFindings> {
        locked(&self.findings.0).clone()
    }

    /// Keeps what was found, unless more samples were looked at meanwhile.
    pub fn keep_findings(&self, found: Arc<FoundFindings>) {
        let mut known = locked(&self.findings.0);
        let mut asked = known.asked.iter().zip(&found.asked);
        if asked.all(|(known, found)| known <= found) {
            *known = found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_samples_have_weighs_nothing() {
        let found = |sample, rule| FoundFinding {
            sample,
            rule,
            weight: 7,
            responses: ResponseSet::first(1),
        };
        let all = (0..6).map(|sample| found(sample, 0)).chain([found(2, 1)]);
        let mut findings = FoundFindings {
            all: all.collect(),
            ..FoundFindings::default()
        };
        let mut weighed = |samples| {
            findings.weigh(samples, vec![1, 100]);
            let mut weights: Vec<_> = findings.all.iter().map(|found| found.weight).collect();
            weights.dedup();
            weights
        };
        assert_eq!(weighed(12), [1, 100], "half is not more than half");
        assert_eq!(weighed(11), [0, 100]);
        assert_eq!(weighed(9), [1, 100], "too few samples to say so");
    }

    #[test]
    fn what_was_found_is_kept_with_the_loading_that_it_is_of() {
        let found = |sample, rule| FoundFinding {
            sample,
            rule,
            weight: 1,
            responses: ResponseSet::first(1),
        };
        let all = vec![found(2, 0), found(2, 1), found(4, 0), found(7, 3)];
        let findings = FoundFindings {
            all,
            asked: [9; 3],
            ..FoundFindings::default()
        };
        assert_eq!((findings.of(0..5).len(), findings.of(3..4).len()), (3, 0));
        let dataset = Dataset::default();
        let snapshot = dataset.clone();
        dataset.keep_findings(Arc::new(findings.clone()));
        dataset.keep_findings(Arc::default());
        let begun = FoundFindings {
            asked: [10, 0, 0],
            ..FoundFindings::default()
        };
        dataset.keep_findings(Arc::new(begun));
        assert_eq!(*snapshot.findings(), findings);
    }
}
