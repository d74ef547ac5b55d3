//! Answers of rows, cached between queries: a text is not searched again while other terms of the
//! query change.

use std::sync::{Arc, Mutex};

use super::rows::RowQuestion;
use crate::dataset::ResponseMask;
use crate::parallel::locked;

/// Tests to remember, the most recent ones.
const QUESTIONS: usize = 8;

/// Answers of rows of one loading of a dataset, which may grow. Another loading needs another
/// cache.
#[derive(Debug, Default)]
pub struct ScanCache {
    learnt: Mutex<Vec<(RowQuestion, Arc<CachedAnswers>)>>,
}

#[derive(Debug, Default)]
pub(super) struct CachedAnswers {
    /// One per sample; empty before the first answer.
    answers: Mutex<Vec<ResponseMask>>,
}

impl ScanCache {
    /// Returns the known answers of a test.
    pub(super) fn about(&self, question: &RowQuestion) -> Arc<CachedAnswers> {
        let mut learnt = locked(&self.learnt);
        if let Some(place) = learnt.iter().position(|(known, _)| known == question) {
            let known = learnt.remove(place);
            learnt.push(known);
        } else {
            if learnt.len() == QUESTIONS {
                learnt.remove(0);
            }
            learnt.push((question.clone(), Arc::default()));
        }
        learnt
            .last()
            .map(|(_, known)| Arc::clone(known))
            .unwrap_or_default()
    }
}

impl CachedAnswers {
    /// Fills in the known answers of samples from `first` on.
    pub(super) fn recall(&self, first: usize, answers: &mut [ResponseMask]) {
        let known = locked(&self.answers);
        let known = known.get(first..).unwrap_or_default();
        let both = known.len().min(answers.len());
        answers[..both].copy_from_slice(&known[..both]);
    }

    /// Stores the answers of samples from `first` on.
    pub(super) fn keep(&self, first: usize, answers: &[ResponseMask]) {
        let mut known = locked(&self.answers);
        let end = first + answers.len();
        if known.len() < end {
            known.resize(end, ResponseMask::default());
        }
        for (known, answer) in known[first..end].iter_mut().zip(answers) {
            *known = known.with(*answer);
        }
    }
}
