//! What reviewers say of what the dataset says of a sample.

use std::sync::Arc;

use super::record::CheckDraw;
use crate::model::SpotCheckVerdict;

/// Whether what the dataset says of a sample is right, as a reviewer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpotCheck {
    /// Who.
    pub reviewer: Arc<str>,
    /// What the reviewer said last.
    pub verdict: SpotCheckVerdict,
    /// When, in UTC (RFC 3339).
    pub time: Arc<str>,
    /// Each way in which the sample came before the reviewer, in the order of the acts, one for
    /// each queue: the verdict is about the sample, and so it counts in all of them, with the last
    /// place that the sample had there, and when that was.
    pub draws: Vec<(CheckDraw, Arc<str>)>,
}

impl SpotCheck {
    /// Whether the sample came before the reviewer in the queue of this draw.
    pub fn is_of_queue(&self, queue: &CheckDraw) -> bool {
        let mut draws = self.draws.iter();
        draws.any(|(drawn, _)| drawn.is_of_queue(queue))
    }

    /// Takes the next verdict of a reviewer into those of all, which stand in the order of names;
    /// `None` takes it back in every queue.
    pub(super) fn take(
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
