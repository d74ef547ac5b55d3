//! A dataset with the reviews of its samples, which queries can use.

use std::sync::Arc;

use super::judged_sample::{as_given, latest};
use super::locator::SampleLocator;
use super::rating_form::RatingForm;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{Ledger, Rating, SampleReview};
use crate::query::{self, ReviewIndex, SampleJudgment};

/// A dataset, the acts of reviewers, and where the samples of these acts are.
#[derive(Clone, Copy)]
pub struct Workspace<'a> {
    /// The dataset.
    pub dataset: &'a Dataset,
    /// The acts.
    pub ledger: &'a Ledger,
    /// The located samples.
    pub places: &'a SampleLocator,
}

impl Workspace<'_> {
    /// Returns the reviews of a sample by a reviewer; `None`: by all.
    pub fn sample_remark(&self, key: &SampleKey, by: Option<&str>) -> query::SampleRemark {
        self.remark_with_forms(key, by, &RatingForm::of_files(self.dataset))
    }

    /// Returns the reviews of a sample, given the forms of the dataset's files.
    fn remark_with_forms(
        &self,
        key: &SampleKey,
        by: Option<&str>,
        forms: &[RatingForm],
    ) -> query::SampleRemark {
        let place = self.places.first(key);
        let form = place.and_then(|sample| RatingForm::of_sample(forms, self.dataset, sample));
        let of_one;
        let review = match by {
            Some(reviewer) => {
                of_one = self.ledger.remark_by(key, reviewer);
                of_one.as_ref()
            }
            None => self.ledger.remark(key),
        };
        review
            .map(|review| to_remark(review, form))
            .unwrap_or_default()
    }

    /// Returns the reviews of all located samples by a reviewer (`None`: by all). Judgments of
    /// `own` are "mine".
    pub fn remarks(&self, by: Option<&str>, own: &str) -> ReviewIndex {
        let (mut remarks, forms) = (ReviewIndex::of(own), RatingForm::of_files(self.dataset));
        for (key, _) in self.ledger.remarks() {
            let remark = self.remark_with_forms(key, by, &forms);
            let samples = self.places.samples(key);
            remarks.missing += usize::from(remark.rated && samples.is_empty());
            for &sample in samples {
                remarks.set(sample, remark.clone());
            }
        }
        remarks
    }
}

/// Converts the reviews of a sample with this form and number of responses.
fn to_remark(review: &SampleReview, form: Option<(&RatingForm, usize)>) -> query::SampleRemark {
    let ratings: Vec<&Rating> = review.ratings.iter().collect();
    let mut counted = latest(&as_given(&ratings));
    counted.sort_by(|one, other| one.reviewer.cmp(&other.reviewer));
    let counted = counted.into_iter();
    query::SampleRemark {
        marked: review.marked,
        rated: ratings.iter().any(|rating| rating.is_judged()),
        tags: review.tags.iter().cloned().collect(),
        notes: review.notes.iter().map(|note| note.text.clone()).collect(),
        checks: review
            .checks
            .iter()
            .map(|check| (Arc::clone(&check.reviewer), check.verdict))
            .collect(),
        judgments: counted.map(|rating| judgment(rating, form)).collect(),
    }
}

/// Converts a rating.
pub(crate) fn judgment(rating: &Rating, form: Option<(&RatingForm, usize)>) -> SampleJudgment {
    let labels = rating.labels.iter();
    let verdict = form.filter(|(_, responses)| *responses > 1);
    SampleJudgment {
        reviewer: Arc::clone(&rating.reviewer),
        labels: labels
            .map(|((name, response), value)| (Arc::clone(name), *response, *value))
            .collect(),
        verdict: verdict.and_then(|(form, responses)| form.verdict(responses, rating)),
    }
}
