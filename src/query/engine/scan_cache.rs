//! What rows were found to say, kept from one answer to the next: a text asked for once is not
//! looked for again while the labels around it change.

use std::sync::{Arc, Mutex};

use super::rows::RowQuestion;
use crate::dataset::ResponseMask;
use crate::parallel::locked;

/// Questions that are remembered: the newest ones.
const QUESTIONS: usize = 8;

/// What was learnt of one loading of a dataset. It may grow meanwhile; for another loading begin
/// another memory.
#[derive(Debug, Default)]
pub struct ScanCache {
    learnt: Mutex<Vec<(RowQuestion, Arc<CachedAnswers>)>>,
}

/// What is known about one question.
#[derive(Debug, Default)]
pub(super) struct CachedAnswers {
    /// One a sample: nothing while nothing is known.
    answers: Mutex<Vec<ResponseMask>>,
}

impl ScanCache {
    /// What is known about a question.
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
    /// The answers for samples from `first` on; left as they are where nothing is known.
    pub(super) fn recall(&self, first: usize, answers: &mut [ResponseMask]) {
        let known = locked(&self.answers);
        let known = known.get(first..).unwrap_or_default();
        let both = known.len().min(answers.len());
        answers[..both].copy_from_slice(&known[..both]);
    }

    /// Keeps the answers for samples from `first` on.
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
