//! What reviewers said about the samples, as far as queries need it. Independent of the journal.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::table::{Rater, ReviewValue};

/// What reviewers said about one sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleRemark {
    /// True if a reviewer marked it.
    pub marked: bool,
    /// True if a reviewer rated it.
    pub rated: bool,
    /// Its tags, sorted and distinct.
    pub tags: Vec<Arc<str>>,
    /// The texts of its notes.
    pub notes: Vec<Arc<str>>,
    /// Each reviewer's check of the dataset's labels, sorted by name, one per reviewer.
    pub checks: Vec<(Arc<str>, SpotCheckVerdict)>,
    /// Each reviewer's current judgment, sorted by name, one per reviewer.
    pub judgments: Vec<SampleJudgment>,
}

/// The judgment of one sample by a reviewer or by the dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleJudgment {
    /// The reviewer; empty for the dataset.
    pub reviewer: Arc<str>,
    /// Values of labels, by name and response of the file; one per pair.
    pub labels: Vec<(Arc<str>, ResponseId, f64)>,
    /// The winner, as stated or as decided by a label.
    pub verdict: Option<Verdict>,
}

/// What reviewers said, by sample. Clones share all remarks, so one can change while a query reads
/// the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewIndex {
    /// Without empty remarks.
    by_sample: BTreeMap<u32, Arc<SampleRemark>>,
    /// The reviewer who uses the program; empty for none.
    own: Arc<str>,
    /// Number of judged samples that are not in the data.
    pub missing: usize,
}

impl SampleJudgment {
    /// Returns the value of a label for a response.
    pub fn label(&self, name: &str, response: ResponseId) -> Option<f64> {
        self.labels
            .iter()
            .find(|(label, of, _)| &**label == name && *of == response)
            .map(|(.., value)| *value)
    }

    /// Returns the distance of two judgments: the greatest difference of values of the same label
    /// for the same response, in steps of the label. For verdicts, 1 if one is a tie and 2 if both
    /// name different winners. 0 if they agree; `None` if they have nothing in common.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        let labels = self.labels.iter().filter_map(|(name, response, value)| {
            Some((value - other.label(name, *response)?).abs())
        });
        let verdicts = self
            .verdict
            .zip(other.verdict)
            .map(|(one, other)| one.distance(other));
        labels.chain(verdicts).reduce(f64::max)
    }
}

impl SampleRemark {
    /// True if the sample has such a remark.
    pub fn has(&self, value: ReviewValue) -> bool {
        match value {
            ReviewValue::Marked => self.marked,
            ReviewValue::Rated => self.rated,
            ReviewValue::Tags => !self.tags.is_empty(),
            ReviewValue::Notes => !self.notes.is_empty(),
        }
    }

    /// True if there is no remark.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True if a reviewer's check has this verdict; with `None`, any verdict.
    pub fn is_checked(&self, asked: Option<SpotCheckVerdict>) -> bool {
        self.checks
            .iter()
            .any(|(_, verdict)| asked.is_none_or(|asked| asked == *verdict))
    }

    /// Returns the judgment of a reviewer.
    pub fn judgment(&self, reviewer: &str) -> Option<&SampleJudgment> {
        self.judgments
            .iter()
            .find(|judgment| *judgment.reviewer == *reviewer)
    }

    /// Returns the greatest distance of a reviewer's judgment from another's
    /// ([`SampleJudgment::distance`]); `None` if none can be compared.
    pub fn distance_from(&self, reviewer: &str) -> Option<f64> {
        self.farthest(self.judgment(reviewer)?)
    }

    /// Returns the greatest distance of another judgment from this one; `None` if none can be
    /// compared.
    pub fn farthest(&self, own: &SampleJudgment) -> Option<f64> {
        self.judgments
            .iter()
            .filter(|other| other.reviewer != own.reviewer)
            .filter_map(|other| own.distance(other))
            .reduce(f64::max)
    }

    /// Returns the least distance of a rater's judgment (the dataset's for an empty name) from those
    /// of all others, the dataset's among them; 0 if these differ. `None` if none can be compared.
    pub fn distance_of_only(&self, rater: &str, dataset: &SampleJudgment) -> Option<f64> {
        let all = self.judgments.iter().chain([dataset]);
        let (own, others): (Vec<_>, Vec<_>) = all.partition(|it| *it.reviewer == *rater);
        let own = own.first()?;
        let distances = others.iter().filter_map(|other| own.distance(other));
        let apart = distances.reduce(f64::min)?;
        let agree = |one: &&SampleJudgment| {
            let mut distances = others.iter().filter_map(|other| one.distance(other));
            distances.all(|distance| distance == 0.0)
        };
        Some(if others.iter().all(agree) { apart } else { 0.0 })
    }

    /// Returns the greatest distance of two reviewers' judgments; `None` if none can be compared.
    pub fn spread(&self) -> Option<f64> {
        self.judgments
            .iter()
            .filter_map(|own| self.farthest(own))
            .reduce(f64::max)
    }
}

impl ReviewIndex {
    /// Creates an empty index for the reviewer `own`.
    pub fn of(own: &str) -> Self {
        Self {
            own: own.into(),
            ..Self::default()
        }
    }

    /// Returns the name of a rater in the journal.
    pub fn name<'r>(&'r self, rater: &'r Rater) -> &'r str {
        match rater {
            Rater::Own => &self.own,
            Rater::Named(name) => name,
        }
    }

    /// Returns what reviewers said about a sample, by its number from 0.
    pub fn get(&self, sample: u32) -> Option<&SampleRemark> {
        self.by_sample.get(&sample).map(|remark| &**remark)
    }

    /// Replaces what reviewers said about a sample; an empty remark removes it.
    pub fn set(&mut self, sample: u32, mut remark: SampleRemark) {
        if remark.is_empty() {
            self.by_sample.remove(&sample);
            return;
        }
        remark.tags.sort_unstable();
        remark.tags.dedup();
        let by_name =
            |one: &SampleJudgment, other: &SampleJudgment| one.reviewer.cmp(&other.reviewer);
        remark.judgments.sort_by(by_name);
        remark.checks.sort_unstable();
        self.by_sample.insert(sample, Arc::new(remark));
    }

    /// Iterates over the samples in a range that have remarks.
    pub fn range(&self, samples: Range<u32>) -> impl Iterator<Item = (u32, &SampleRemark)> {
        // The map panics if a range ends before it starts.
        let samples = samples.start..samples.end.max(samples.start);
        self.by_sample
            .range(samples)
            .map(|(&sample, remark)| (sample, &**remark))
    }

    /// Returns every tag with its number of samples.
    pub fn tags(&self) -> BTreeMap<Arc<str>, usize> {
        let mut tags = BTreeMap::new();
        for tag in self.by_sample.values().flat_map(|remark| &remark.tags) {
            *tags.entry(Arc::clone(tag)).or_default() += 1;
        }
        tags
    }

    /// True if no sample has remarks.
    pub fn is_empty(&self) -> bool {
        self.by_sample.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tags: &[&str]) -> SampleRemark {
        SampleRemark {
            tags: tags.iter().map(|tag| Arc::from(*tag)).collect(),
            ..SampleRemark::default()
        }
    }

    #[test]
    fn a_rater_is_alone_if_all_others_agree() {
        let of = |reviewer: &str, verdict| SampleJudgment {
            reviewer: reviewer.into(),
            labels: Vec::new(),
            verdict,
        };
        let [a, b] = [ResponseId::A, ResponseId::B].map(|id| Some(Verdict::wins(id)));
        let tie = Some(Verdict::Tie);
        for (ann, ben, dataset, alone) in [
            (a, b, b, [Some(2.0), Some(0.0), Some(0.0)]),
            (b, tie, tie, [Some(1.0), Some(0.0), Some(0.0)]),
            (b, b, a, [Some(0.0), Some(0.0), Some(2.0)]),
            (a, b, tie, [Some(0.0), Some(0.0), Some(0.0)]),
            (a, a, a, [Some(0.0), Some(0.0), Some(0.0)]),
            (a, None, b, [Some(2.0), None, Some(2.0)]),
            (None, None, b, [None, None, None]),
        ] {
            let remark = SampleRemark {
                judgments: vec![of("ann", ann), of("ben", ben)],
                ..SampleRemark::default()
            };
            let found =
                ["ann", "ben", ""].map(|name| remark.distance_of_only(name, &of("", dataset)));
            assert_eq!(found, alone, "{ann:?} {ben:?} {dataset:?}");
        }
        assert_eq!(
            SampleRemark::default().distance_of_only("zoe", &of("", a)),
            None
        );
    }

    #[test]
    fn what_is_said_last_counts_and_nothing_is_not_kept() {
        let mut remarks = ReviewIndex::default();
        remarks.set(
            3,
            SampleRemark {
                marked: true,
                ..SampleRemark::default()
            },
        );
        remarks.set(
            7,
            SampleRemark {
                rated: true,
                ..SampleRemark::default()
            },
        );
        let before = remarks.clone();
        remarks.set(3, SampleRemark::default());
        remarks.set(4, SampleRemark::default());
        assert_eq!((remarks.by_sample.len(), before.by_sample.len()), (1, 2));
        assert_eq!((remarks.get(3), remarks.get(4)), (None, None));
        assert!(before.get(3).is_some_and(|remark| remark.marked));
        remarks.set(7, SampleRemark::default());
        assert!(remarks.is_empty());
        assert_eq!(remarks, ReviewIndex::default());
    }

    #[test]
    fn tags_are_kept_in_order_and_counted_once_a_sample() {
        let mut remarks = ReviewIndex::default();
        remarks.set(1, tagged(&["rude", "code", "rude"]));
        remarks.set(2, tagged(&["Code", "code"]));
        assert_eq!(remarks.get(1), Some(&tagged(&["code", "rude"])));
        let tags: Vec<_> = remarks.tags().into_iter().collect();
        assert_eq!(
            tags,
            [("Code".into(), 1), ("code".into(), 2), ("rude".into(), 1)]
        );
    }

    #[test]
    fn a_range_has_its_start_and_not_its_end() {
        let mut remarks = ReviewIndex::default();
        for sample in [0, 4, 5, 9] {
            remarks.set(sample, tagged(&["x"]));
        }
        let in_range = |range| {
            remarks
                .range(range)
                .map(|(sample, _)| sample)
                .collect::<Vec<_>>()
        };
        assert_eq!(in_range(0..5), [0, 4]);
        assert_eq!(in_range(5..u32::MAX), [5, 9]);
        assert_eq!(in_range(4..4), [0; 0]);
        let (low, high) = (2, 9);
        assert_eq!(in_range(high..low), [0; 0]);
    }
}
