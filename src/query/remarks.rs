//! What reviewers said of the samples, as far as a query can ask for it. Who keeps it hands it
//! over; nothing here knows how.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::table::{Rater, ReviewValue};

/// What was said of one sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleRemark {
    /// Whether it is marked.
    pub marked: bool,
    /// Whether somebody rated it.
    pub rated: bool,
    /// Its tags: in the order of their characters, no two alike.
    pub tags: Vec<Arc<str>>,
    /// What its notes say.
    pub notes: Vec<Arc<str>>,
    /// What each reviewer says of what the dataset says of it: in the order of their names, one of
    /// each.
    pub checks: Vec<(Arc<str>, SpotCheckVerdict)>,
    /// The judgment of each reviewer that counts: in the order of their names, one of each.
    pub judgments: Vec<SampleJudgment>,
}

/// What one reviewer, or the dataset, says of one sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleJudgment {
    /// Who; empty for the dataset.
    pub reviewer: Arc<str>,
    /// Values of labels, by name and response of the file: no two of the same.
    pub labels: Vec<(Arc<str>, ResponseId, f64)>,
    /// Who wins, said or by the label that decides.
    pub verdict: Option<Verdict>,
}

/// What was said of which sample. A clone shares all remarks with the original, so that one can be
/// changed while a query still goes over the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewIndex {
    /// None in which nothing is said.
    by_sample: BTreeMap<u32, Arc<SampleRemark>>,
    /// Whose judgments are one's own; nobody's where that is empty.
    own: Arc<str>,
}

impl SampleJudgment {
    /// The value of a label for a response.
    pub fn label(&self, name: &str, response: ResponseId) -> Option<f64> {
        let mut labels = self.labels.iter();
        let found = labels.find(|(label, of, _)| &**label == name && *of == response);
        found.map(|(.., value)| *value)
    }

    /// How far two judgments are apart: the greatest difference of two values of the same label for
    /// the same response, in steps of the label; of verdicts, 1 where one is a tie and 2 where both
    /// name another response. 0 where they say the same; `None` where they say nothing of the same
    /// thing.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        let labels = self.labels.iter().filter_map(|(name, response, value)| {
            Some((value - other.label(name, *response)?).abs())
        });
        let verdicts = self.verdict.zip(other.verdict);
        let verdicts = verdicts.map(|(one, other)| one.distance(other));
        labels.chain(verdicts).reduce(f64::max)
    }
}

impl SampleRemark {
    /// Whether reviewers said this.
    pub fn has(&self, value: ReviewValue) -> bool {
        match value {
            ReviewValue::Marked => self.marked,
            ReviewValue::Rated => self.rated,
            ReviewValue::Tags => !self.tags.is_empty(),
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        let Self {
            marked,
            rated,
            tags,
            notes,
            checks,
            judgments,
        } = self;
        let words = !tags.is_empty() || !notes.is_empty();
        !marked && !rated && !words && checks.is_empty() && judgments.is_empty()
    }

    /// Whether a reviewer says this of what the dataset says; with `None`, anything.
    pub fn is_checked(&self, asked: Option<SpotCheckVerdict>) -> bool {
        let mut said = self.checks.iter();
        said.any(|(_, verdict)| asked.is_none_or(|asked| asked == *verdict))
    }

    /// The judgment of a reviewer.
    pub fn judgment(&self, reviewer: &str) -> Option<&SampleJudgment> {
        let mut judgments = self.judgments.iter();
        judgments.find(|judgment| *judgment.reviewer == *reviewer)
    }

    /// How far a reviewer's judgment is from that of the other reviewer who is farthest from it
    /// ([`SampleJudgment::distance`]); `None` where no two can be compared.
    pub fn distance_from(&self, reviewer: &str) -> Option<f64> {
        let own = self.judgment(reviewer)?;
        let others = self
            .judgments
            .iter()
            .filter(|other| *other.reviewer != *reviewer);
        others
            .filter_map(|other| own.distance(other))
            .reduce(f64::max)
    }

    /// How far the two reviewers are apart who are farthest; `None` where no two can be compared.
    pub fn spread(&self) -> Option<f64> {
        let each = self.judgments.iter().enumerate();
        let pairs = each.flat_map(|(at, one)| {
            let others = self.judgments[at + 1..].iter();
            others.filter_map(|other| one.distance(other))
        });
        pairs.reduce(f64::max)
    }
}

impl ReviewIndex {
    /// Of nothing yet, for somebody whose own judgments go by this name.
    pub fn of(own: &str) -> Self {
        Self {
            by_sample: BTreeMap::new(),
            own: own.into(),
        }
    }

    /// The name of a reviewer in the journal.
    pub fn name<'r>(&'r self, rater: &'r Rater) -> &'r str {
        match rater {
            Rater::Own => &self.own,
            Rater::Named(name) => name,
        }
    }

    /// What whoever runs the program says of what the dataset says of a sample.
    pub fn own_check(&self, sample: u32) -> Option<SpotCheckVerdict> {
        let mut checks = self.get(sample)?.checks.iter();
        let own = checks.find(|(reviewer, _)| *reviewer == self.own)?;
        Some(own.1)
    }

    /// What was said of a sample, by its number from 0.
    pub fn get(&self, sample: u32) -> Option<&SampleRemark> {
        self.by_sample.get(&sample).map(|remark| &**remark)
    }

    /// Takes what is said of a sample in the place of what was; if that is nothing, the sample
    /// goes.
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

    /// What was said of these samples, in their order; those of which nothing was are left out.
    pub fn range(&self, samples: Range<u32>) -> impl Iterator<Item = (u32, &SampleRemark)> {
        // A range that ends before it begins has nothing in it, but the map would take it for a
        // mistake.
        let samples = samples.start..samples.end.max(samples.start);
        self.by_sample
            .range(samples)
            .map(|(&sample, remark)| (sample, &**remark))
    }

    /// Every tag in use, and how many samples have it.
    pub fn tags(&self) -> BTreeMap<Arc<str>, usize> {
        let mut tags = BTreeMap::new();
        for tag in self.by_sample.values().flat_map(|remark| &remark.tags) {
            match tags.get_mut(tag) {
                Some(count) => *count += 1,
                None => drop(tags.insert(Arc::clone(tag), 1)),
            }
        }
        tags
    }

    /// Whether nothing was said of any.
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
