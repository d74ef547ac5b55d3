//! Number of samples on which each rule fires, of all and of the shown samples.

use crate::dataset::{FoundFindings, RuleStage};

/// A number of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleCount {
    /// Among all samples.
    pub whole: usize,
    /// Among the samples that the query shows; equal to `whole` without a query.
    pub shown: usize,
}

/// Number of samples on which rules fire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// The evaluated and shown samples.
    pub samples: SampleCount,
    /// Samples on which any rule fires.
    pub suspicious: SampleCount,
    /// The counts of each rule, by rule index.
    pub rules: Vec<RuleCounts>,
    /// Number of samples for which the rules on texts, and all rules, were evaluated.
    pub looked: [usize; 2],
    /// The most suspicious shown sample.
    pub first: Option<u32>,
}

/// Number of samples on which a rule fires.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// Samples on which it fires, so far; `None` if it was evaluated for none.
    pub count: Option<SampleCount>,
    /// True if it was evaluated for some samples only.
    pub is_partial: bool,
    /// True if it fires on too many samples to single one out.
    pub is_common: bool,
    /// The most suspicious shown sample.
    pub first: Option<u32>,
    /// The data that it needs and no file has.
    pub lack: Option<&'static str>,
}

impl RuleCounts {
    /// Returns the number of shown samples on which it fires, so far.
    pub fn shown(&self) -> usize {
        self.count.unwrap_or_default().shown
    }
}

impl SampleCount {
    fn add(&mut self, is_shown: bool) {
        self.whole += 1;
        self.shown += usize::from(is_shown);
    }
}

impl FindingCounts {
    /// Counts the findings in the first `samples` samples. `shown` has the distinct sample numbers
    /// that a query shows, in any order; `None` is all.
    pub fn of(
        found: &FoundFindings,
        samples: usize,
        lacks: Vec<Option<&'static str>>,
        shown: Option<&[u32]>,
    ) -> Self {
        let mut is_shown = vec![shown.is_none(); samples];
        for sample in shown.unwrap_or_default() {
            if let Some(is_shown) = is_shown.get_mut(*sample as usize) {
                *is_shown = true;
            }
        }
        let rule = |(stage, lack): (&RuleStage, _)| {
            let asked = found.asked_in(*stage);
            RuleCounts {
                count: (asked >= samples.min(1)).then(SampleCount::default),
                is_partial: (1..samples).contains(&asked),
                lack,
                ..RuleCounts::default()
            }
        };
        let mut counts = Self {
            samples: SampleCount {
                whole: samples,
                shown: shown.map_or(samples, <[u32]>::len),
            },
            suspicious: SampleCount::default(),
            rules: found.stages.iter().zip(lacks).map(rule).collect(),
            looked: [found.asked_in(RuleStage::Texts), found.complete()],
            first: None,
        };
        let mut heaviest = vec![0; counts.rules.len() + 1];
        // Other threads may have evaluated more samples meanwhile.
        let all = found.of(0..u32::try_from(samples).unwrap_or(u32::MAX));
        for findings in all.chunk_by(|one, next| one.sample == next.sample) {
            let sample = findings[0].sample;
            let shows = is_shown.get(sample as usize) == Some(&true);
            let weight: u32 = findings.iter().map(|finding| finding.weight).sum();
            if weight > 0 {
                counts.suspicious.add(shows);
            }
            let mut lead = |first: &mut Option<u32>, place: usize, is_meant: bool| {
                if shows && is_meant && (first.is_none() || weight > heaviest[place]) {
                    (*first, heaviest[place]) = (Some(sample), weight);
                }
            };
            lead(&mut counts.first, counts.rules.len(), weight > 0);
            for finding in findings {
                let place = usize::from(finding.rule);
                if let Some(rule) = counts.rules.get_mut(place) {
                    rule.count.get_or_insert_default().add(shows);
                    rule.is_common = finding.weight == 0;
                    lead(&mut rule.first, place, true);
                }
            }
        }
        counts
    }

    /// True if all rules were evaluated for all samples.
    pub const fn is_whole(&self) -> bool {
        self.looked[1] >= self.samples.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::FoundFinding;

    #[test]
    fn samples_count_once_and_those_that_are_shown_beside_the_whole() {
        let found = |(sample, rule)| FoundFinding {
            sample,
            rule,
            weight: 1,
            responses: crate::model::ResponseSet::first(1),
        };
        let all = [(1, 0), (1, 2), (4, 0), (6, 0)].map(found).to_vec();
        let found = FoundFindings {
            all,
            asked: [8; 3],
            stages: [RuleStage::Columns; 3].into(),
            ..FoundFindings::default()
        };
        let count = |whole, shown| SampleCount { whole, shown };
        let counts = FindingCounts::of(&found, 8, vec![None; 3], Some(&[6, 1, 0]));
        assert_eq!(counts.samples, count(8, 3));
        assert_eq!(counts.suspicious, count(3, 2));
        // Sample 1 has two findings.
        let rules = counts.rules.iter().map(|rule| (rule.count, rule.first));
        let expected = [
            (Some(count(3, 2)), Some(1)),
            (Some(count(0, 0)), None),
            (Some(count(1, 1)), Some(1)),
        ];
        assert_eq!(rules.collect::<Vec<_>>(), expected);
        assert_eq!(counts.first, Some(1));
        let counts = FindingCounts::of(&found, 8, vec![None; 3], None);
        assert_eq!(
            (counts.samples, counts.suspicious),
            (count(8, 8), count(3, 3))
        );
        let nothing = FindingCounts::of(&FoundFindings::default(), 0, Vec::new(), Some(&[]));
        assert_eq!(nothing, FindingCounts::default());
    }
}
