//! A sample with the judgments that count, and what they are compared by.

use std::collections::HashSet;

use super::dataset_labels::DatasetLabels;
use super::locator::SampleLocator;
use super::matrix::{Answer, Question};
use super::rating_form::{Rateable, RatingForm};
use crate::dataset::{Dataset, SampleKey};
use crate::journal::Rating;
use crate::model::{ResponseId, Verdict};

/// What is asked of a dataset: the labels of all schemas that can be rated, and who wins.
pub(super) fn questions(dataset: &Dataset, forms: &[RatingForm]) -> Vec<Question> {
    let mut labels: Vec<Rateable> = Vec::new();
    for label in forms.iter().flat_map(|form| &form.labels) {
        match labels.iter_mut().find(|known| known.name == label.name) {
            None => labels.push(label.clone()),
            Some(known) => {
                known.range = [
                    known.range[0].min(label.range[0]),
                    known.range[1].max(label.range[1]),
                ];
                known.published = known.published.or(label.published);
            }
        }
    }
    let verdict = Question::Verdict(VerdictCategories::of(dataset));
    labels
        .into_iter()
        .map(Question::Label)
        .chain([verdict])
        .collect()
}

/// Judgments before anything was changed in them after a reveal; those of samples that had been
/// seen before are counted apart.
pub(super) fn as_given<'r>(ratings: &[&'r Rating]) -> Vec<&'r Rating> {
    let compared = ratings.iter().filter(|rating| is_compared(rating));
    compared.map(|rating| rating.as_given()).collect()
}

/// Whether a judgment is compared with the dataset and with others: as it was first given.
pub fn is_compared(rating: &Rating) -> bool {
    let given = rating.as_given();
    given.counts() && !given.setting.seen
}

/// Each reviewer's latest rating that is no repeat.
pub(super) fn latest<'r>(ratings: &[&'r Rating]) -> Vec<&'r Rating> {
    let mut known = HashSet::with_capacity(ratings.len());
    let first_times = ratings
        .iter()
        .rev()
        .filter(|rating| rating.setting.pass == 1);
    first_times
        .filter(|rating| known.insert(&*rating.reviewer))
        .copied()
        .collect()
}

/// A sample that was judged.
#[derive(Clone, Copy)]
pub(super) struct JudgedSample<'a> {
    pub(super) scale: &'a RatingForm,
    pub(super) responses: usize,
    pub(super) own: DatasetLabels<'a>,
}

impl<'a> JudgedSample<'a> {
    /// The sample of a key, with its place; `None` if it is not among the places known, or has
    /// nothing to judge.
    pub(super) fn find(
        key: &SampleKey,
        places: &SampleLocator,
        dataset: &'a Dataset,
        forms: &'a [RatingForm],
    ) -> Option<(usize, Self)> {
        let sample = places.first(key)?;
        let own = DatasetLabels::of(dataset, sample)?;
        let (scale, responses) = RatingForm::of_sample(forms, dataset, sample)?;
        let judged = Self {
            scale,
            responses,
            own,
        };
        (responses > 0).then_some((sample, judged))
    }

    /// Who wins by a rating.
    pub(super) fn verdict(&self, rating: &Rating) -> Option<Verdict> {
        (self.responses > 1)
            .then(|| self.scale.verdict(self.responses, rating))
            .flatten()
    }

    /// What a rating answers of a response, or of the sample; `None` as the rating is what the
    /// dataset says. Values that a label cannot have are no answer.
    pub(super) fn answer(
        &self,
        question: &Question,
        response: ResponseId,
        rating: Option<&Rating>,
    ) -> Option<Answer> {
        match question {
            Question::Label(label) => {
                let value = match rating {
                    Some(rating) => rating.label(&label.name, response),
                    None => self.own.label(&label.name, response),
                };
                Some(Answer::Place(label.place(value?)?))
            }
            Question::Verdict(_) => {
                let verdict = match rating {
                    Some(rating) => self.verdict(rating),
                    None => self.own.verdict(),
                };
                verdict.map(Answer::Verdict)
            }
        }
    }
}

/// What verdicts there can be, as categories: a win of each response, and a tie.
#[derive(Debug, Clone, Copy)]
pub(super) struct VerdictCategories {
    /// The most responses that a sample has, at least two.
    responses: usize,
}

impl VerdictCategories {
    /// Those of a dataset.
    pub(super) fn of(dataset: &Dataset) -> Self {
        Self {
            responses: dataset.most_responses().max(2),
        }
    }

    /// How many there are.
    pub(super) const fn count(self) -> usize {
        self.responses + 1
    }

    /// The category of a verdict, from 0; `None` if several responses are best.
    pub(super) fn place(self, verdict: Verdict) -> Option<usize> {
        match verdict {
            Verdict::Tie => Some(self.responses),
            Verdict::Best(_) => Some(verdict.winner()?.index().min(self.responses - 1)),
        }
    }
}
