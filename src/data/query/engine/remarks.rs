//! What reviewers said about a block's samples. Looked up among the samples with remarks; no rows
//! are read.

use super::block::SampleBlock;
use super::facts::passes;
use super::numbers::{gap, mean};
use super::per_response::PerResponse;
use super::plan::QueryPlan;
use crate::dataset::Dataset;
use crate::model::{ResponseId, Verdict};
use crate::query::ast::{DisagreementScope, Expr, Rater, Raters, WordTest};
use crate::query::remarks::{SampleJudgment, SampleRemark};
use crate::table::{ColumnSource, SampleLists};

impl SampleBlock<'_> {
    /// Iterates over the samples with remarks, by index in the block.
    fn remarked_samples(&self) -> impl Iterator<Item = (usize, &SampleRemark)> {
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
                    Raters::One(rater) => self
                        .judgment_of(rater, remark)
                        .and_then(value)
                        .unwrap_or(f64::NAN),
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
            DisagreementScope::Dataset | DisagreementScope::Only(_) => self.verdicts(),
            DisagreementScope::Reviewers | DisagreementScope::With(_) => Vec::new(),
        };
        for (place, remark) in self.remarked_samples() {
            let dataset = || self.dataset_judgment(place, verdicts.get(place).copied().flatten());
            let distance = match with {
                DisagreementScope::Dataset => remark.farthest(&dataset()),
                DisagreementScope::Only(rater) => {
                    let name = rater.as_ref().zip(self.remarks);
                    let name = name.map(|(rater, all)| all.name(rater));
                    // An empty name is the dataset's, not that of a program without a reviewer.
                    let is_known = name.is_none_or(|name| !name.is_empty());
                    let own = Some(name.unwrap_or_default()).filter(|_| is_known);
                    own.and_then(|own| remark.distance_of_only(own, &dataset()))
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

/// Returns the dataset's labels of a sample as a judgment; `None` if there is no such sample.
pub fn dataset_judgment(dataset: &Dataset, sample: usize) -> Option<SampleJudgment> {
    let block = SampleBlock::of(dataset, sample)?;
    let verdict = block.verdicts().first().copied().flatten();
    Some(block.dataset_judgment(0, verdict))
}

impl QueryPlan {
    /// Evaluates a term about remarks; `None` for other terms.
    pub(super) fn evaluate_remark(
        &self,
        term: &Expr,
        block: &SampleBlock<'_>,
    ) -> Option<PerResponse<bool>> {
        let none = self.remark_passes(term, &SampleRemark::default())?;
        let mut holds = vec![none; block.len()];
        for (place, remark) in block.remarked_samples() {
            holds[place] = self.remark_passes(term, remark)?;
        }
        Some(PerResponse::Same(holds))
    }

    fn remark_passes(&self, term: &Expr, remark: &SampleRemark) -> Option<bool> {
        Some(match term {
            Expr::Word { of, test } if matches!(of.column.source, ColumnSource::Review(_)) => {
                tags_pass(remark, test)
            }
            Expr::Check(asked) => remark.is_checked(*asked),
            Expr::Is(of) => match of.column.source {
                ColumnSource::Review(value) => remark.has(value),
                _ => return None,
            },
            Expr::Note(pattern) => {
                // A pattern without a finder does not compile; the parser has reported it.
                let mut notes = self.notes.iter();
                let finder = notes.find(|(known, _)| known == pattern);
                finder.is_some_and(|(_, finder)| remark.notes.iter().any(|note| finder.is_in(note)))
            }
            _ => return None,
        })
    }
}

fn tags_pass(remark: &SampleRemark, test: &WordTest) -> bool {
    let mut tags = remark.tags.iter();
    match test {
        WordTest::Missing(missing) => remark.tags.is_empty() == *missing,
        WordTest::Is(_) | WordTest::Contains(_) | WordTest::Compare(..) => {
            tags.any(|tag| passes(Some(tag), test))
        }
        // Without tags, `!=` does not hold.
        WordTest::IsNot(_) => !remark.tags.is_empty() && tags.all(|tag| passes(Some(tag), test)),
    }
}
