//! Corrections of a sample on which reviewers agree.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::review::{self, SampleForm};
use crate::dataset::Sample;
use crate::journal::{Ledger, Rating, SampleReview};
use crate::model::{ResponseId, ResponseSet, SpotCheckVerdict, Verdict};
use crate::review::RatingForm;
use crate::schema::Schema;
use crate::text::named_enum;

/// The tag that drops a sample.
const DROP_TAG: &str = "drop";

named_enum! {
    /// A kind of correction by reviewers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Correction {
        /// Swap the winner where reviewers prefer another response
        Flip "flip",
        /// Omit samples that were checked as wrong or tagged drop
        Drop "drop",
        /// Replace labels by the reviewers' values (helpsteer2 only)
        Relabel "relabel",
    }
}

/// The value of a response's label.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelledValue {
    /// Name of the label.
    pub(super) name: String,
    pub(super) response: ResponseId,
    /// The dataset's value.
    pub(super) before: Option<f64>,
    /// The corrected value.
    pub(super) now: Option<f64>,
}

impl LabelledValue {
    /// True if reviewers gave another value than the dataset.
    pub(super) fn is_changed(&self) -> bool {
        self.now != self.before
    }
}

/// A sample with its corrections.
#[derive(Debug, Clone, Default)]
pub(super) struct CorrectedSample {
    /// True if the sample is dropped.
    pub(super) is_dropped: bool,
    /// The best responses.
    pub(super) verdict: Option<Verdict>,
    /// The responses rated by the dataset; only these can be rejected.
    pub(super) rated: ResponseSet,
    /// True if reviewers chose other responses than the dataset.
    pub(super) is_flipped: bool,
    /// Every label of the schema for every response.
    pub(super) labels: Vec<LabelledValue>,
    /// The reviewers whose judgments changed the sample.
    pub(super) by: BTreeSet<Arc<str>>,
    /// True if reviewers chose different winners.
    pub(super) has_disputed_verdict: bool,
    /// True if it was checked both as wrong and as right.
    pub(super) has_disputed_check: bool,
    /// True if reviewers gave different values of a label.
    pub(super) has_disputed_label: bool,
    /// True if reviewers call it a tie, but the dataset does not.
    pub(super) is_called_tie: bool,
}

/// The joint answer of reviewers.
enum Consensus<T> {
    /// No reviewer answered.
    Silent,
    /// All of these reviewers gave this answer.
    Agreed(T, BTreeSet<Arc<str>>),
    /// Answers differ.
    Disputed,
}

/// The ratings of a sample that count.
struct CountedRatings<'r> {
    /// Each reviewer's latest first-pass rating, unless skipped or deferred.
    each: Vec<&'r Rating>,
    /// Ratings from adjudications between two reviewers who differed.
    adjudications: Vec<&'r Rating>,
}

impl<'r> CountedRatings<'r> {
    fn of(remark: &'r SampleReview, ledger: &Ledger) -> Self {
        let reviewers: BTreeSet<_> = remark.ratings.iter().map(|it| &*it.reviewer).collect();
        let latest = |is_it: &dyn Fn(&Rating) -> bool| {
            let reviewers = reviewers.iter();
            let ratings = reviewers.filter_map(|it| review::latest(remark, it, is_it));
            ratings.filter(|rating| rating.counts()).collect()
        };
        // A decision stays if a later adjudication omits the sample.
        let decides = |rating: &Rating| {
            rating.counts() && rating.is_judged() && ledger.is_adjudication(rating)
        };
        Self {
            each: latest(&|_| true),
            adjudications: latest(&decides),
        }
    }

    /// Returns the consensus of adjudications if there are any, otherwise of all ratings.
    fn consensus<T: PartialEq>(&self, said: impl Fn(&Rating) -> Option<T>) -> Consensus<T> {
        for ratings in [&self.adjudications, &self.each] {
            let said: Vec<_> = (ratings.iter())
                .filter_map(|rating| Some((said(rating)?, Arc::clone(&rating.reviewer))))
                .collect();
            let all_say = |value: &T| said.iter().all(|(other, _)| other == value);
            if said.first().is_some_and(|(value, _)| !all_say(value)) {
                return Consensus::Disputed;
            }
            let by = said.iter().map(|(_, by)| Arc::clone(by)).collect();
            if let Some((value, _)) = said.into_iter().next() {
                return Consensus::Agreed(value, by);
            }
        }
        Consensus::Silent
    }
}

impl CorrectedSample {
    /// Corrects a sample by its review in a journal; `scale` is the rating form of its file.
    pub(super) fn of(
        sample: &Sample<'_>,
        schema: &Schema,
        reviewed: Option<(&SampleReview, &Ledger)>,
        scale: Option<&RatingForm>,
        corrections: &[Correction],
    ) -> Self {
        let outcome = sample.outcome.as_ref();
        let mut corrected = Self {
            verdict: outcome.map(|outcome| outcome.verdict),
            rated: outcome.map_or_else(ResponseSet::default, |outcome| outcome.rated),
            labels: labels(sample, schema),
            ..Self::default()
        };
        let Some((remark, ledger)) = reviewed else {
            return corrected;
        };
        if corrections.contains(&Correction::Drop) {
            corrected.drop(remark);
        }
        let ratings = CountedRatings::of(remark, ledger);
        if corrections.contains(&Correction::Flip) {
            let form = SampleForm {
                scale,
                responses: sample.responses.len(),
            };
            corrected.flip(&ratings, form);
        }
        if corrections.contains(&Correction::Relabel) {
            corrected.relabel(&ratings);
        }
        corrected
    }

    /// True if any label differs from the dataset's.
    pub(super) fn is_relabelled(&self) -> bool {
        self.labels.iter().any(LabelledValue::is_changed)
    }

    /// Drops a sample with the tag, or checked as wrong and never as right.
    fn drop(&mut self, remark: &SampleReview) {
        let has = |verdict| remark.checks.iter().any(|check| check.verdict == verdict);
        let is_wrong = has(SpotCheckVerdict::Wrong);
        let is_right = has(SpotCheckVerdict::Right);
        self.has_disputed_check = is_wrong && is_right;
        self.is_dropped = remark.tags.contains(DROP_TAG) || (is_wrong && !is_right);
    }

    /// Changes the winner if all reviewers, or those who adjudicated, agree on other responses than
    /// the dataset.
    fn flip(&mut self, ratings: &CountedRatings<'_>, form: SampleForm<'_>) {
        let Some(before @ Verdict::Best(_)) = self.verdict else {
            return; // nothing can change places
        };
        let is_there = |id: ResponseId| id.index() < form.responses;
        match ratings.consensus(|rating| Some(form.verdict(rating)?.0)) {
            Consensus::Agreed(now @ Verdict::Best(best), by)
                if !now.agrees_with(before) && best.iter().all(is_there) =>
            {
                self.verdict = Some(now);
                self.is_flipped = true;
                self.by.extend(by);
            }
            Consensus::Agreed(Verdict::Tie, _) => self.is_called_tie = true,
            Consensus::Disputed => self.has_disputed_verdict = true,
            Consensus::Agreed(..) | Consensus::Silent => {}
        }
    }

    /// Sets labels to the values on which all raters (or adjudicators) agree. If they disagree on
    /// one label, none changes, because the mixture would be a judgment that no reviewer gave.
    fn relabel(&mut self, ratings: &CountedRatings<'_>) {
        let mut labels = self.labels.clone();
        let mut changed_by = BTreeSet::new();
        for label in &mut labels {
            match ratings.consensus(|rating| rating.label(&label.name, label.response)) {
                Consensus::Silent => {}
                Consensus::Disputed => {
                    self.has_disputed_label = true;
                    return;
                }
                Consensus::Agreed(value, by) => {
                    label.now = Some(value);
                    if label.is_changed() {
                        changed_by.extend(by);
                    }
                }
            }
        }
        self.labels = labels;
        self.by.extend(changed_by);
    }
}

/// Returns every label of the schema for every response.
fn labels(sample: &Sample<'_>, schema: &Schema) -> Vec<LabelledValue> {
    let names = schema.labels().iter().map(|label| &label.name);
    let responses = ResponseId::all().zip(&sample.responses);
    let values = responses.flat_map(|(id, response)| {
        let values = response.ratings.iter().copied();
        names.clone().zip(values).map(move |(name, value)| {
            let name = name.clone();
            (name, id, value)
        })
    });
    let values = values.map(|(name, response, value)| LabelledValue {
        name,
        response,
        before: value,
        now: value,
    });
    values.collect()
}
