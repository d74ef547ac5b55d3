//! Spot checks: reviewers' verdicts on the dataset's labels of a sample.

use std::sync::Arc;

use super::record::CheckDraw;
use crate::model::SpotCheckVerdict;

/// A reviewer's verdict on whether the dataset's labels of a sample are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpotCheck {
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The latest verdict.
    pub verdict: SpotCheckVerdict,
    /// Time of the verdict, in UTC (RFC 3339).
    pub time: Arc<str>,
    /// How the sample was drawn, once for each queue, in order of the acts, with the latest rank.
    /// The verdict is about the sample, so it counts in all queues.
    pub draws: Vec<CheckDraw>,
}

impl SpotCheck {
    /// True if the sample was checked in the queue of this draw.
    pub fn is_of_queue(&self, queue: &CheckDraw) -> bool {
        self.draws.iter().any(|drawn| drawn.is_of_queue(queue))
    }

    /// Applies a verdict to the checks, which are sorted by reviewer; `None` removes the reviewer's
    /// check from every queue.
    pub(super) fn apply(
        checks: &mut Vec<Self>,
        reviewer: &Arc<str>,
        time: &str,
        verdict: Option<SpotCheckVerdict>,
        drawn: &CheckDraw,
    ) {
        let found = checks.binary_search_by(|check| check.reviewer.cmp(reviewer));
        let known = found.map_or_else(|_| Vec::new(), |at| checks.remove(at).draws);
        let Some(verdict) = verdict else {
            return;
        };
        let others = known.into_iter().filter(|known| !known.is_of_queue(drawn));
        let check = Self {
            reviewer: Arc::clone(reviewer),
            verdict,
            time: time.into(),
            draws: others.chain([drawn.clone()]).collect(),
        };
        checks.insert(found.unwrap_or_else(|at| at), check);
    }
}
