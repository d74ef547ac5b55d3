//! What reviewers say is wrong in a sample, as far as they are of one mind.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::review::{self, SampleForm};
use crate::dataset::Sample;
use crate::journal::{Ledger, Rating, SampleReview};
use crate::model::{ResponseId, ResponseSet, SpotCheckVerdict, Verdict};
use crate::review::RatingForm;
use crate::schema::Schema;

/// The tag by which a person says that a sample is to go.
const DROP_TAG: &str = "drop";

/// Which corrections hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Corrections {
    /// Another response wins where reviewers say so.
    pub flip: bool,
    /// What reviewers check as wrong is left out.
    pub drop: bool,
    /// Labels have the values that reviewers gave.
    pub relabel: bool,
}

impl Corrections {
    /// Their names, as they are typed.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("flip", self.flip),
            ("drop", self.drop),
            ("relabel", self.relabel),
        ];
        all.into_iter().filter_map(|(name, is)| is.then_some(name))
    }

    /// Whether any holds.
    pub fn is_any(self) -> bool {
        self.names().next().is_some()
    }
}

/// The value of a label of a response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelledValue {
    /// Its name.
    pub(super) name: String,
    /// Whose.
    pub(super) response: ResponseId,
    /// What the dataset says.
    pub(super) before: Option<f64>,
    /// What it is now.
    pub(super) now: Option<f64>,
}

impl LabelledValue {
    /// Whether reviewers gave it another value than the dataset.
    pub(super) fn is_changed(&self) -> bool {
        self.now != self.before
    }
}

/// A sample with the corrections that hold.
#[derive(Debug, Clone, Default)]
pub(super) struct CorrectedSample {
    /// Whether it is to be left out.
    pub(super) is_dropped: bool,
    /// The best responses.
    pub(super) verdict: Option<Verdict>,
    /// The responses that the dataset rates: no other one is rejected.
    pub(super) rated: ResponseSet,
    /// Whether reviewers chose other responses than the dataset.
    pub(super) is_flipped: bool,
    /// Every label of the schema for every response.
    pub(super) labels: Vec<LabelledValue>,
    /// Whose judgment changed anything.
    pub(super) by: BTreeSet<Arc<str>>,
    /// Whether reviewers name different winners.
    pub(super) has_disputed_verdict: bool,
    /// Whether it was checked as wrong and as right.
    pub(super) has_disputed_check: bool,
    /// Whether reviewers give different values of a label.
    pub(super) has_disputed_label: bool,
    /// Whether reviewers call it a tie, and the dataset does not.
    pub(super) is_called_tie: bool,
}

/// What reviewers say together.
enum Consensus<T> {
    /// Nothing.
    Silent,
    /// This, all of these reviewers.
    Agreed(T, BTreeSet<Arc<str>>),
    /// Different things.
    Disputed,
}

/// The ratings of a sample that count.
struct CountedRatings<'r> {
    /// Of each reviewer the latest first pass, unless that was skipped or put off.
    each: Vec<&'r Rating>,
    /// Those given where two reviewers differed, to decide between them.
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
        // A sample that was decided stays so where a later adjudication leaves it out.
        let decides = |rating: &Rating| {
            rating.counts() && rating.is_judged() && ledger.is_adjudication(rating)
        };
        Self {
            each: latest(&|_| true),
            adjudications: latest(&decides),
        }
    }

    /// What they say: what adjudications say, where they say anything, else all of them.
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
    /// What holds of a sample, by what reviewers said of it in a journal; `scale` is what is asked of
    /// the samples of its file.
    pub(super) fn of(
        sample: &Sample<'_>,
        schema: &Schema,
        reviewed: Option<(&SampleReview, &Ledger)>,
        scale: Option<&RatingForm>,
        corrections: Corrections,
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
        if corrections.drop {
            corrected.drop(remark);
        }
        let ratings = CountedRatings::of(remark, ledger);
        if corrections.flip {
            let form = SampleForm {
                scale,
                responses: sample.responses.len(),
            };
            corrected.flip(&ratings, form);
        }
        if corrections.relabel {
            corrected.relabel(&ratings);
        }
        corrected
    }

    /// Whether any label has another value than the dataset's.
    pub(super) fn is_relabelled(&self) -> bool {
        self.labels.iter().any(LabelledValue::is_changed)
    }

    /// Gone is what somebody tagged so, and what at least one checked as wrong and none as right.
    fn drop(&mut self, remark: &SampleReview) {
        let has = |verdict| remark.checks.iter().any(|check| check.verdict == verdict);
        let is_wrong = has(SpotCheckVerdict::Wrong);
        let is_right = has(SpotCheckVerdict::Right);
        self.has_disputed_check = is_wrong && is_right;
        self.is_dropped = remark.tags.contains(DROP_TAG) || (is_wrong && !is_right);
    }

    /// Chooses other responses if all reviewers, or those who adjudicated, agree on them and none of
    /// them is among the dataset's best.
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

    /// Labels have the values that all who rated them gave, or who adjudicated. Where they are of two
    /// minds of one label, none of the sample changes: half of a judgment is nobody's.
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

/// Every label of the schema for every response.
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
