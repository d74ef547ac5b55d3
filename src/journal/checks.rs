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
    /// How the sample was drawn, once for each queue, in order of the acts, with the latest rank
    /// and time. The verdict is about the sample, so it counts in all queues.
    pub draws: Vec<(CheckDraw, Arc<str>)>,
}

impl SpotCheck {
    /// True if the sample was checked in the queue of this draw.
    pub fn is_of_queue(&self, queue: &CheckDraw) -> bool {
        let mut draws = self.draws.iter();
        draws.any(|(drawn, _)| drawn.is_of_queue(queue))
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
        let time: Arc<str> = time.into();
        let drawn = (drawn.clone(), Arc::clone(&time));
        let found = checks.binary_search_by(|check| check.reviewer.cmp(reviewer));
        match (found, verdict) {
            (Ok(at), None) => drop(checks.remove(at)),
            (Ok(at), Some(verdict)) => {
                let check = &mut checks[at];
                (check.verdict, check.time) = (verdict, time);
                check
                    .draws
                    .retain(|(known, _)| !known.is_of_queue(&drawn.0));
                check.draws.push(drawn);
            }
            (Err(_), None) => {}
            (Err(at), Some(verdict)) => checks.insert(
                at,
                Self {
                    reviewer: Arc::clone(reviewer),
                    verdict,
                    time,
                    draws: vec![drawn],
                },
            ),
        }
    }
}
