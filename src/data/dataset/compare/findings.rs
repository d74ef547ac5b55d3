//! Findings of rules so far, stored with the loaded dataset.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::dataset::Dataset;
use crate::model::ResponseSet;
use crate::parallel::locked;

/// A finding of a rule in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundFinding {
    /// The sample, from 0.
    pub sample: u32,
    /// Index of the rule.
    pub rule: u16,
    /// Weight of the finding, 0 if the rule [is common](is_common).
    pub weight: u32,
    /// The responses concerned: all of them if the finding is about the sample.
    pub responses: ResponseSet,
}

/// The findings of all rules in the first samples of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFindings {
    /// Sorted by sample, then by rule.
    pub all: Vec<FoundFinding>,
    /// For each stage, the number of samples, from the first, that its rules were checked on.
    pub asked: [usize; RuleStage::COUNT],
    /// Names of the rules, by index.
    pub names: Arc<[Arc<str>]>,
    /// The stage of each rule, by index.
    pub stages: Arc<[RuleStage]>,
}

/// Minimum number of samples for a meaningful share.
const MIN_SAMPLES: usize = 10;

/// True if a rule fires on more than half of the samples: it then describes the file and does not
/// single out samples.
fn is_common(some: usize, all: usize) -> bool {
    all >= MIN_SAMPLES && 2 * some > all
}

/// When a rule is checked. Each stage takes longer than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleStage {
    /// Needs columns only; checked immediately.
    Columns,
    /// Needs texts, which are read once for all such rules.
    Texts,
    /// Compares all samples with each other, after reading their texts.
    Comparisons,
}

impl RuleStage {
    /// Number of stages.
    pub const COUNT: usize = 3;
}

impl FoundFindings {
    /// Returns the number of first samples that the rules of a stage were checked on.
    pub const fn asked_in(&self, stage: RuleStage) -> usize {
        self.asked[stage as usize]
    }

    /// Sets the weight of each finding to that of its rule, or 0 for rules that are common among
    /// this number of samples. Rules of the weight `severe` always count.
    pub fn weigh(&mut self, samples: usize, mut weights: Vec<u32>, severe: u32) {
        let mut fires = vec![0_usize; weights.len()];
        for found in &self.all {
            fires[usize::from(found.rule)] += 1;
        }
        for (weight, fires) in weights.iter_mut().zip(fires) {
            if *weight < severe && is_common(fires, samples) {
                *weight = 0;
            }
        }
        for found in &mut self.all {
            found.weight = weights[usize::from(found.rule)];
        }
    }

    /// Returns the number of samples that all rules were checked on.
    pub fn complete(&self) -> usize {
        self.asked.into_iter().min().unwrap_or_default()
    }

    /// True if all rules were checked on this number of samples.
    pub fn is_of_all(&self, samples: usize) -> bool {
        self.complete() >= samples
    }

    /// Returns the findings in a range of samples.
    pub fn of(&self, samples: Range<u32>) -> &[FoundFinding] {
        let place = |sample: u32| self.all.partition_point(|found| found.sample < sample);
        let (start, end) = (place(samples.start), place(samples.end));
        self.all.get(start..end).unwrap_or_default()
    }
}

/// Findings shared by all snapshots of one load.
#[derive(Debug, Default)]
pub struct FindingStore(Mutex<Arc<FoundFindings>>);

impl Dataset {
    /// Starts over with other rules, since the applicable rules and their indexes depend on the
    /// files and the settings. Earlier snapshots keep their findings.
    pub fn forget_findings(&mut self) {
        self.findings = Arc::default();
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> Arc<FoundFindings> {
        locked(&self.findings.0).clone()
    }

    /// Stores findings, unless more samples were checked meanwhile.
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
    fn common_findings_weigh_nothing() {
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
            findings.weigh(samples, vec![1, 100], 10_000);
            let mut weights: Vec<_> = findings.all.iter().map(|found| found.weight).collect();
            weights.dedup();
            weights
        };
        assert_eq!(weighed(12), [1, 100], "half is not more than half");
        assert_eq!(weighed(11), [0, 100]);
        assert_eq!(weighed(9), [1, 100], "too few samples to say so");
        findings.weigh(11, vec![10_000, 100], 10_000);
        assert_eq!(findings.all[0].weight, 10_000, "severe rules always count");
    }

    #[test]
    fn findings_are_kept_per_load() {
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
