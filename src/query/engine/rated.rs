//! Judgments of a block's samples, as numbers and words. Looked up among the samples with remarks;
//! no rows are read.

use super::block::SampleBlock;
use super::numbers::{gap, mean};
use crate::model::{ResponseId, Verdict};
use crate::query::ast::{DisagreementScope, Rater, Raters};
use crate::query::remarks::{SampleJudgment, SampleRemark};
use crate::table::SampleLists;

impl SampleBlock<'_> {
    /// Iterates over the samples with remarks, by index in the block.
    pub(super) fn remarked_samples(&self) -> impl Iterator<Item = (usize, &SampleRemark)> {
        let samples = self.samples();
        let remarks = self.remarks.into_iter();
        let remarked_samples =
            remarks.flat_map(move |all| all.range(samples.start as u32..samples.end as u32));
        let first = self.samples().start;
        remarked_samples.map(move |(sample, remark)| (sample as usize - first, remark))
    }

    fn judgment_of<'r>(
        &'r self,
        rater: &'r Rater,
        remark: &'r SampleRemark,
    ) -> Option<&'r SampleJudgment> {
        remark.judgment(self.remarks?.name(rater))
    }

    /// Returns what reviewers rated a label, per response.
    pub(super) fn rated(&self, raters: &Raters, label: &str) -> Vec<Vec<f64>> {
        let mut lanes = vec![self.missing_everywhere(); self.lanes()];
        for (place, remark) in self.remarked_samples() {
            let count = self.counts().get(place).copied().unwrap_or_default();
            for response in ResponseId::first(usize::from(count).min(lanes.len())) {
                let value = |judgment: &SampleJudgment| judgment.label(label, response);
                let values = || -> Vec<_> { remark.judgments.iter().filter_map(value).collect() };
                lanes[response.index()][place] = match raters {
                    Raters::Mean => mean(&values()),
                    Raters::Spread => gap(&values()),
                    Raters::One(rater) => {
                        let own = self.judgment_of(rater, remark);
                        own.and_then(value).unwrap_or(f64::NAN)
                    }
                };
            }
        }
        lanes
    }

    /// Returns a reviewer's verdict per sample.
    pub(super) fn rated_verdicts(&self, rater: &Rater) -> Vec<Option<Verdict>> {
        let mut verdicts = vec![None; self.len()];
        for (place, remark) in self.remarked_samples() {
            let judgment = self.judgment_of(rater, remark);
            verdicts[place] = judgment.and_then(|judgment| judgment.verdict);
        }
        verdicts
    }

    /// Returns the greatest distance of judgments per sample; NaN if none can be compared.
    pub(super) fn disagreements(&self, with: &DisagreementScope) -> Vec<f64> {
        let mut apart = self.missing_everywhere();
        let verdicts = match with {
            DisagreementScope::Dataset => self.verdicts(),
            DisagreementScope::Reviewers | DisagreementScope::With(_) => Vec::new(),
        };
        for (place, remark) in self.remarked_samples() {
            let distance = match with {
                DisagreementScope::Dataset => {
                    let own = self.dataset_judgment(place, verdicts.get(place).copied().flatten());
                    remark.farthest(&own)
                }
                DisagreementScope::Reviewers => remark.spread(),
                DisagreementScope::With(rater) => self
                    .remarks
                    .and_then(|all| remark.distance_from(all.name(rater))),
            };
            apart[place] = distance.unwrap_or(f64::NAN);
        }
        apart
    }

    /// Returns the dataset's labels of a sample as a judgment, by index in the block.
    fn dataset_judgment(&self, place: usize, verdict: Option<Verdict>) -> SampleJudgment {
        let mut labels = Vec::new();
        for column in self.schema.columns() {
            let lists = self.columns().numbers(column.id).unwrap_or_default();
            for (response, list) in ResponseId::first(lists.len()).zip(lists) {
                let value = list.get(self.within.start + place);
                labels.extend(value.map(|value| (column.id.name.into(), response, value)));
            }
        }
        SampleJudgment {
            reviewer: "".into(),
            labels,
            verdict,
        }
    }
}
