//! What a reviewer is asked about a sample: the schema's own labels, and who wins.

use std::sync::Arc;

use crate::dataset::Dataset;
use crate::journal::Rating;
use crate::model::{ResponseId, Verdict};
use crate::schema::{Label, LabelKind, Schema};
use crate::table::rating_range;

/// What can be judged of the samples of a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingForm {
    /// Labels that can be rated: integers of a range of at most ten values.
    pub labels: Vec<Rateable>,
    /// Words for how strongly a response wins, the weakest first; empty where the dataset has no
    /// such thing.
    pub strengths: Vec<String>,
    /// Whether a pair is complete only with a verdict: where the verdict does not follow from a
    /// label that can be rated.
    pub asks_verdict: bool,
    /// The label whose values decide who wins, where one does and it can be rated.
    pub deciding: Option<Arc<str>>,
    /// How often the annotators of the dataset agree on who wins, as published: a share, 0 to 1.
    pub published: Option<f64>,
}

/// A label that can be rated.
#[derive(Debug, Clone, PartialEq)]
pub struct Rateable {
    /// Its name in the schema.
    pub name: Arc<str>,
    /// Least and greatest value.
    pub range: [i64; 2],
    /// What it means, in one sentence; can be empty.
    pub about: String,
    /// What its least and its greatest value mean, in a few words.
    pub ends: Option<[String; 2]>,
    /// Agreement (quadratic weighted kappa) between the annotators of the dataset, as published.
    pub published: Option<f64>,
}

impl Rateable {
    /// How many values it has.
    pub fn values(&self) -> usize {
        usize::try_from(self.range[1] - self.range[0] + 1).unwrap_or(0)
    }

    /// The place of a value among them, from 0; `None` for what is none of them.
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

/// One thing that is asked about a sample.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RatingQuestion {
    /// The value of a label for a response of the file.
    Label(Arc<str>, ResponseId),
    /// Who wins.
    Verdict,
}

impl RatingForm {
    /// The form of each file of a dataset.
    pub fn of_files(dataset: &Dataset) -> Vec<Self> {
        let files = dataset.files().iter();
        files.map(|file| Self::of(&file.schema)).collect()
    }

    /// What can be judged of the samples of a schema.
    pub fn of(schema: &Schema) -> Self {
        let labels: Vec<_> = schema.labels().iter().filter_map(Rateable::of).collect();
        let decides = schema
            .deciding_label()
            // Of ranks and the like people say who wins: a rank of their own would need all of them.
            .filter(|decides| decides.sign > 0.0)
            .and_then(|decides| schema.labels().get(decides.place));
        let deciding = labels
            .iter()
            .find(|label| decides.is_some_and(|decides| decides.name == *label.name));
        let deciding = deciding.map(|label| Arc::clone(&label.name));
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

    /// What is asked about a sample with so many responses, in order: each label of A, of B and so
    /// on, face to face, and then who wins. Empty where nothing can be judged (a single without
    /// labels, or no response at all).
    pub fn questions(&self, responses: usize) -> Vec<RatingQuestion> {
        let of = |label: &Rateable| {
            let name = Arc::clone(&label.name);
            ResponseId::first(responses)
                .map(move |response| RatingQuestion::Label(Arc::clone(&name), response))
        };
        let labels = self.labels.iter().flat_map(of);
        // Of more than two, keys of their own say it for A and B alone; where it follows from the
        // labels it is answered with them.
        let asks_verdict = responses > 2 || (self.asks_verdict && responses > 1);
        labels
            .chain(asks_verdict.then_some(RatingQuestion::Verdict))
            .collect()
    }

    /// Whether anything is asked about a sample with so many responses.
    pub fn asks_anything(&self, responses: usize) -> bool {
        match responses {
            0 => false,
            1 => !self.labels.is_empty(),
            2 => self.asks_verdict || !self.labels.is_empty(),
            _ => true,
        }
    }

    /// Whether a rating answers a question.
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

    /// Whether a rating answers all that is asked about a sample with so many responses; no, where
    /// nothing is.
    pub fn is_complete(&self, responses: usize, rating: &Rating) -> bool {
        let needed = self.labels.len() * responses;
        // A rating that says too little, as most that are not complete do, needs no closer look.
        rating.labels.len() >= needed
            && self.asks_anything(responses)
            && self.labels.iter().all(|label| {
                ResponseId::first(responses)
                    .all(|response| rating.label(&label.name, response).is_some())
            })
            && (!self.asks_verdict || responses < 2 || self.verdict(responses, rating).is_some())
    }

    /// Who wins among so many responses by a rating: what it says, or what its values of the
    /// deciding label mean, once each response has one.
    pub fn verdict(&self, responses: usize, rating: &Rating) -> Option<Verdict> {
        if let Some((verdict, _)) = rating.verdict {
            return Some(verdict);
        }
        let deciding = self.deciding.as_deref()?;
        let values = ResponseId::first(responses).map(|response| rating.label(deciding, response));
        let values: Vec<_> = values.collect::<Option<_>>()?;
        Some(Verdict::of_values(&values)?.0)
    }
}

impl RatingForm {
    /// Of the forms of a dataset's files that of one sample, with how many responses it has (none if
    /// it is malformed); no row is read.
    pub(super) fn of_sample<'f>(
        forms: &'f [Self],
        dataset: &Dataset,
        sample: usize,
    ) -> Option<(&'f Self, usize)> {
        let (chunk, within) = dataset.chunk_of(sample)?;
        let responses = *chunk.columns().responses.get(within)?;
        Some((forms.get(chunk.file())?, usize::from(responses)))
    }
}
