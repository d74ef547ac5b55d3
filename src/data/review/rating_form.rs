//! The questions about a sample that a reviewer answers: the schema's labels and the verdict.

use std::sync::Arc;

use crate::dataset::Dataset;
use crate::journal::Rating;
use crate::model::{ResponseId, Verdict};
use crate::schema::{Label, LabelKind, Schema};
use crate::table::rating_range;

/// The questions about the samples of a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingForm {
    /// Ratable labels: integers in a range of at most ten values.
    pub labels: Vec<Rateable>,
    /// Words for the strength of a verdict, the weakest first; empty if the dataset has no
    /// strengths.
    pub strengths: Vec<String>,
    /// True if a pair needs a verdict, because it does not follow from a ratable label.
    pub asks_verdict: bool,
    /// The label whose values determine the verdict, if there is one and it is ratable.
    pub deciding: Option<Arc<str>>,
    /// Published share of equal verdicts between annotators of the dataset, 0 to 1.
    pub published: Option<f64>,
}

/// A label that can be rated.
#[derive(Debug, Clone, PartialEq)]
pub struct Rateable {
    /// Its name in the schema.
    pub name: Arc<str>,
    /// Minimum and maximum value.
    pub range: [i64; 2],
    /// Its meaning in one sentence; may be empty.
    pub about: String,
    /// The meaning of the minimum and the maximum in a few words.
    pub ends: Option<[String; 2]>,
    /// Published agreement (quadratically weighted kappa) between annotators of the dataset.
    pub published: Option<f64>,
}

impl Rateable {
    /// Returns the number of values.
    pub fn values(&self) -> usize {
        usize::try_from(self.range[1] - self.range[0] + 1).unwrap_or(0)
    }

    /// Returns the index of a value, from 0; `None` for other values.
    pub fn place(&self, value: f64) -> Option<usize> {
        let [low, high] = self.range.map(|end| end as f64);
        ((low..=high).contains(&value) && value.fract() == 0.0).then_some((value - low) as usize)
    }

    fn of(label: &Label) -> Option<Self> {
        let range = label.range.filter(|_| label.kind == LabelKind::Label)?;
        Some(Self {
            range: rating_range(range)?,
            name: label.name.as_str().into(),
            about: label.about.clone(),
            ends: label.ends.clone(),
            published: label.agreement,
        })
    }
}

/// One question about a sample.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RatingQuestion {
    /// The value of a label for a response, in file order.
    Label(Arc<str>, ResponseId),
    /// The verdict.
    Verdict,
}

impl RatingForm {
    /// Returns the form of each file of a dataset.
    pub fn of_files(dataset: &Dataset) -> Vec<Self> {
        let files = dataset.files().iter();
        files.map(|file| Self::of(&file.schema)).collect()
    }

    /// Returns the form of a schema.
    pub fn of(schema: &Schema) -> Self {
        let labels: Vec<_> = schema.labels().iter().filter_map(Rateable::of).collect();
        let decides = schema
            .deciding_label()
            // If less is better (ranks), ask for the verdict: one rank means nothing without the
            // others.
            .filter(|decides| decides.sign > 0.0)
            .and_then(|decides| schema.labels().get(decides.place));
        let deciding = labels
            .iter()
            .find(|label| decides.is_some_and(|decides| decides.name == *label.name))
            .map(|label| Arc::clone(&label.name));
        let verdict = schema.definition().verdict.as_ref();
        Self {
            strengths: verdict
                .and_then(|verdict| verdict.strengths.clone())
                .unwrap_or_default(),
            published: verdict.and_then(|verdict| verdict.agreement),
            asks_verdict: deciding.is_none(),
            deciding,
            labels,
        }
    }

    /// Returns the questions about a sample with this number of responses, in order: each label for
    /// A, B and so on, then the verdict. Empty if nothing can be judged (a single without labels,
    /// or no responses).
    pub fn questions(&self, responses: usize) -> Vec<RatingQuestion> {
        let of = |label: &Rateable| {
            let name = Arc::clone(&label.name);
            ResponseId::first(responses)
                .map(move |response| RatingQuestion::Label(Arc::clone(&name), response))
        };
        let labels = self.labels.iter().flat_map(of);
        let asks_verdict = self.asks_verdict_of(responses);
        labels
            .chain(asks_verdict.then_some(RatingQuestion::Verdict))
            .collect()
    }

    /// True if a sample with this number of responses is asked for a verdict. With more than two,
    /// the verdict keys cover only A and B; if the verdict follows from labels, it is answered with
    /// them.
    const fn asks_verdict_of(&self, responses: usize) -> bool {
        responses > 2 || (self.asks_verdict && responses > 1)
    }

    /// True if there is a question about a sample with this number of responses.
    pub fn asks_anything(&self, responses: usize) -> bool {
        self.asks_verdict_of(responses) || (responses > 0 && !self.labels.is_empty())
    }

    /// True if a rating answers a question.
    pub fn is_answered(
        &self,
        question: &RatingQuestion,
        responses: usize,
        rating: &Rating,
    ) -> bool {
        match question {
            RatingQuestion::Label(name, response) => rating.label(name, *response).is_some(),
            RatingQuestion::Verdict => self.verdict(responses, rating).is_some(),
        }
    }

    /// True if a rating answers all questions about a sample with this number of responses; false
    /// if there are none.
    pub fn is_complete(&self, responses: usize, rating: &Rating) -> bool {
        let questions = self.questions(responses);
        let is_answered = |question| self.is_answered(question, responses, rating);
        !questions.is_empty() && questions.iter().all(is_answered)
    }

    /// Returns the verdict of a rating: its own, or that of its values of the deciding label once
    /// each response has one.
    pub fn verdict(&self, responses: usize, rating: &Rating) -> Option<Verdict> {
        if let Some((verdict, _)) = rating.verdict {
            return Some(verdict);
        }
        let deciding = self.deciding.as_deref()?;
        let values: Vec<_> = ResponseId::first(responses)
            .map(|response| rating.label(deciding, response))
            .collect::<Option<_>>()?;
        Some(Verdict::of_values(&values)?.0)
    }
}

impl RatingForm {
    /// Returns the form of a sample and its number of responses (0 if malformed). Reads no rows.
    pub fn of_sample<'f>(
        forms: &'f [Self],
        dataset: &Dataset,
        sample: usize,
    ) -> Option<(&'f Self, usize)> {
        let (chunk, within) = dataset.chunk_of(sample)?;
        let responses = *chunk.columns().responses.get(within)?;
        Some((forms.get(chunk.file())?, usize::from(responses)))
    }
}
