//! On how many samples each rule fires, of all and of those that are shown.

use crate::dataset::{FoundFindings, RuleStage};

/// How many samples have something: of all, and of those that are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleCount {
    /// Of all samples.
    pub whole: usize,
    /// Of those that are shown; as many as of all where no query chooses.
    pub shown: usize,
}

/// On how many samples rules fire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// The samples themselves.
    pub samples: SampleCount,
    /// Those on which any rule fires.
    pub suspicious: SampleCount,
    /// Those on which each rule fires, by the places of the rules.
    pub rules: Vec<SampleCount>,
    /// Of how many samples each rule was asked, by the places of the rules.
    pub asked: Vec<usize>,
    /// Of how many samples the rules that read texts were asked, and of how many all rules.
    pub looked: [usize; 2],
    /// What each rule asks for that none of the samples has, by the places of the rules.
    pub lacks: Vec<Option<&'static str>>,
}

impl SampleCount {
    fn add(&mut self, is_shown: bool) {
        self.whole += 1;
        self.shown += usize::from(is_shown);
    }
}

impl FindingCounts {
    /// Counts what was found so far in the first `samples` samples, by rules that ask for this;
    /// `shown` are the numbers of those that a query shows, each once, in any order, and `None` are all.
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
        let mut counts = Self {
            samples: SampleCount {
                whole: samples,
                shown: shown.map_or(samples, <[u32]>::len),
            },
            suspicious: SampleCount::default(),
            rules: vec![SampleCount::default(); lacks.len()],
            asked: found
                .stages
                .iter()
                .map(|stage| found.asked_in(*stage))
                .collect(),
            looked: [found.asked_in(RuleStage::Texts), found.complete()],
            lacks,
        };
        let mut last = None;
        // Others may have looked at more samples meanwhile.
        for finding in found.of(0..u32::try_from(samples).unwrap_or(u32::MAX)) {
            let shows = is_shown.get(finding.sample as usize) == Some(&true);
            if let Some(count) = counts.rules.get_mut(usize::from(finding.rule)) {
                count.add(shows);
            }
            // Those of a sample follow each other.
            if last.replace(finding.sample) != Some(finding.sample) {
                counts.suspicious.add(shows);
            }
        }
        counts
    }

    /// On how many samples the rule at a place fires, and whether it was asked of all of them; `None`
    /// while it was asked of none.
    pub fn of_rule(&self, place: usize) -> Option<(SampleCount, bool)> {
        let (count, asked) = (self.rules.get(place)?, *self.asked.get(place)?);
        let samples = self.samples.whole;
        (asked >= samples.min(1)).then_some((*count, asked >= samples))
    }

    /// Whether all rules were asked of all samples.
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
            ..FoundFindings::default()
        };
        let count = |whole, shown| SampleCount { whole, shown };
        let counts = FindingCounts::of(&found, 8, vec![None; 3], Some(&[6, 1, 0]));
        assert_eq!(counts.samples, count(8, 3));
        assert_eq!(counts.suspicious, count(3, 2));
        assert_eq!(counts.rules, [count(3, 2), count(0, 0), count(1, 1)]);
        let counts = FindingCounts::of(&found, 8, vec![None; 3], None);
        assert_eq!(
            (counts.samples, counts.suspicious),
            (count(8, 8), count(3, 3))
        );
        let nothing = FindingCounts::of(&FoundFindings::default(), 0, Vec::new(), Some(&[]));
        assert_eq!(nothing, FindingCounts::default());
    }
}
