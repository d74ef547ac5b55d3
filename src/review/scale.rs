//! What a reviewer is asked about a sample: the schema's own labels, and who wins.

use std::sync::Arc;

use crate::journal::Rating;
use crate::model::{Side, Verdict};
use crate::schema::Schema;

/// What can be judged of the samples of a schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scale {
    /// Labels that can be rated: integers of a range of at most ten values.
    pub labels: Vec<Rateable>,
    /// Words for how strongly a response wins, the weakest first; empty where the dataset has no such thing.
    pub strengths: Vec<String>,
    /// Whether a pair is complete only with a verdict: where the verdict does not follow from a label that can be rated.
    pub asks_verdict: bool,
    /// The label whose values decide who wins, where one does and it can be rated.
    pub deciding: Option<Arc<str>>,
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
    /// Agreement (quadratic weighted kappa) between the annotators of the dataset, as published.
    pub published: Option<f64>,
}

/// One thing that is asked about a sample.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Question {
    /// The value of a label for a response; sides are the file's.
    Label(Arc<str>, Side),
    /// Who wins.
    Verdict,
}

impl Scale {
    /// What can be judged of the samples of a schema.
    pub fn of(schema: &Schema) -> Self {
        let _ = schema;
        todo!()
    }

    /// What is asked about a sample with so many responses (1 or 2), in order: each label of A and of B, and then who wins. Empty where nothing
    /// can be judged (a single without labels).
    pub fn questions(&self, responses: usize) -> Vec<Question> {
        let _ = responses;
        todo!()
    }

    /// Whether a rating answers a question.
    pub fn is_answered(&self, question: &Question, rating: &Rating) -> bool {
        let _ = (question, rating);
        todo!()
    }

    /// Who wins by a rating: what it says, or what its values of the deciding label mean.
    pub fn verdict(&self, rating: &Rating) -> Option<Verdict> {
        let _ = rating;
        todo!()
    }
}
