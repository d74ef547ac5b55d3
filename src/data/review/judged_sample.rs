//! A sample with the judgments that count, the questions by which they are compared, and
//! the dataset's own labels.

use std::collections::HashSet;

use super::judgment_table::{GivenAnswer, Question};
use super::rating_form::{Rateable, RatingForm};
use super::workspace::Workspace;
use crate::dataset::{Chunk, Dataset, SampleKey};
use crate::journal::Rating;
use crate::model::{ResponseId, Verdict};
use crate::schema::Schema;
use crate::table::{ColumnId, ColumnSource};

/// Returns the questions of a dataset: the ratable labels of all schemas, and the verdict.
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
    let verdict = Question::Verdict(dataset.most_responses().max(2));
    labels
        .into_iter()
        .map(Question::Label)
        .chain([verdict])
        .collect()
}

/// Returns ratings as first given, before changes after the reveal. Excludes those of samples seen
/// before.
pub(super) fn as_given<'r>(ratings: &[&'r Rating]) -> Vec<&'r Rating> {
    let compared = ratings.iter().filter(|rating| is_compared(rating));
    compared.map(|rating| rating.as_given()).collect()
}

/// True if a rating, as first given, is compared with the dataset and with others.
pub fn is_compared(rating: &Rating) -> bool {
    let given = rating.as_given();
    given.counts() && !given.setting.seen
}

/// Returns each reviewer's latest rating of the first pass.
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

/// A judged sample.
#[derive(Clone, Copy)]
pub(super) struct JudgedSample<'a> {
    pub(super) scale: &'a RatingForm,
    pub(super) responses: usize,
    pub(super) own: DatasetLabels<'a>,
}

impl<'a> Workspace<'a> {
    /// Returns the sample with a key and its index; `None` if it cannot be located or judged.
    pub(super) fn judged(
        &self,
        key: &SampleKey,
        forms: &'a [RatingForm],
    ) -> Option<(usize, JudgedSample<'a>)> {
        let sample = self.places.first(key)?;
        let own = DatasetLabels::of(self.dataset, sample)?;
        let (scale, responses) = RatingForm::of_sample(forms, self.dataset, sample)?;
        let judged = JudgedSample {
            scale,
            responses,
            own,
        };
        (responses > 0).then_some((sample, judged))
    }
}

impl JudgedSample<'_> {
    /// Returns the verdict of a rating.
    pub(super) fn verdict(&self, rating: &Rating) -> Option<Verdict> {
        (self.responses > 1)
            .then(|| self.scale.verdict(self.responses, rating))
            .flatten()
    }

    /// Returns a rater's answer about a response or the sample. Values out of the label's range are
    /// not answers.
    pub(super) fn answer(
        &self,
        question: &Question,
        response: ResponseId,
        rater: RatedBy<'_>,
    ) -> Option<GivenAnswer> {
        match question {
            Question::Label(label) => {
                let value = match rater {
                    RatedBy::Reviewer(rating) => rating.label(&label.name, response),
                    RatedBy::Dataset => self.own.label(&label.name, response),
                    RatedBy::Column(_) => None,
                };
                Some(GivenAnswer::Place(label.place(value?)?))
            }
            Question::Verdict(_) => {
                let verdict = match rater {
                    RatedBy::Reviewer(rating) => self.verdict(rating),
                    RatedBy::Dataset => self.own.verdict(),
                    RatedBy::Column(margin) => self.own.preference(margin),
                };
                verdict.map(GivenAnswer::Verdict)
            }
        }
    }
}

/// Who judged a sample.
#[derive(Debug, Clone, Copy)]
pub(super) enum RatedBy<'a> {
    Dataset,
    /// A reviewer, with this rating.
    Reviewer(&'a Rating),
    /// A rater of the schema or a joined file, with margins in this column.
    Column(ColumnId),
}

/// The dataset's labels and verdict for one sample, from its columns; no rows are read.
#[derive(Debug, Clone, Copy)]
pub struct DatasetLabels<'d> {
    chunk: &'d Chunk,
    within: usize,
    schema: &'d Schema,
}

impl<'d> DatasetLabels<'d> {
    /// Returns the labels of a sample; `None` if there is no such sample.
    pub fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        let (chunk, within) = dataset.chunk_of(sample)?;
        Some(Self {
            chunk,
            within,
            schema: &dataset.files().get(chunk.file())?.schema,
        })
    }

    /// Returns the value of a label for a response.
    pub fn label(&self, name: &str, response: ResponseId) -> Option<f64> {
        let labels = self
            .schema
            .columns()
            .iter()
            .take(self.schema.labels().len());
        let label = labels.map(|label| label.id).find(|id| id.name == name)?;
        let lists = self.chunk.columns().numbers(label)?;
        lists.get(response.index())?.get(self.within)
    }

    /// Returns the verdict of a rater, by the column of its margins.
    fn preference(&self, margin: ColumnId) -> Option<Verdict> {
        if let ColumnSource::Rater = margin.source {
            let of = self.chunk.rater_verdicts(self.schema, margin);
            return of(self.within).map(|(verdict, _)| verdict);
        }
        // The margins of more than two responses do not name the best one.
        let is_pair = self.chunk.responses_of(self.within) == 2;
        let margins = self
            .chunk
            .columns()
            .of_samples(margin)
            .filter(|_| is_pair)?;
        Some(match margins.get(self.within)? {
            0.0 => Verdict::Tie,
            margin => Verdict::wins(if margin > 0.0 {
                ResponseId::A
            } else {
                ResponseId::B
            }),
        })
    }

    /// Returns the dataset's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.chunk.verdict(self.within, self.schema)
    }
}
