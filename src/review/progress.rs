//! The audits of a journal, and how far each reviewer is in them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::audit_progress::AuditProgress;
use super::locator::SampleLocator;
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Rating};

/// A reviewer in an audit.
#[derive(Debug, Clone)]
pub struct ReviewerProgress {
    /// Who.
    pub reviewer: Arc<str>,
    /// How each question stands for them.
    pub standing: AuditProgress,
}

/// Who takes part in an audit: who drew it, and then, in the order of their names, everybody else
/// who judged, skipped or deferred anything in it.
pub fn participants(session: &Audit, ledger: &Ledger) -> Vec<Arc<str>> {
    let mut others: BTreeSet<Arc<str>> = ratings_of(session, ledger)
        .map(|it| Arc::clone(&it.reviewer))
        .collect();
    others.remove(&session.reviewer);
    [Arc::clone(&session.reviewer)]
        .into_iter()
        .chain(others)
        .collect()
}

/// How far everybody is who takes part in an audit.
pub fn progress(
    session: &Audit,
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
) -> Vec<ReviewerProgress> {
    let of = |reviewer: Arc<str>| {
        let standing = AuditProgress::of(session, &reviewer, ledger, places, dataset);
        ReviewerProgress { reviewer, standing }
    };
    participants(session, ledger).into_iter().map(of).collect()
}

/// Whether anything was judged, skipped or deferred in an audit that holds: by a reviewer, or by
/// anybody.
pub fn was_judged(session: &Audit, ledger: &Ledger, reviewer: Option<&str>) -> bool {
    ratings_of(session, ledger).any(|rating| reviewer.is_none_or(|name| *rating.reviewer == *name))
}

/// What reviewers judged, skipped or deferred in an audit.
fn ratings_of<'l>(session: &'l Audit, ledger: &'l Ledger) -> impl Iterator<Item = &'l Rating> {
    let remarks = session
        .audit
        .queue
        .iter()
        .filter_map(|item| ledger.remark(&item.sample_ref.sample));
    remarks
        .flat_map(|remark| &remark.ratings)
        .filter(|rating| rating.setting.audit.as_ref() == Some(&session.id))
}

/// When something was, to the minute and in UTC, for people: `2026-11-21 10:00`.
pub fn minute(time: &str) -> String {
    time.chars()
        .take(16)
        .map(|sign| if sign == 'T' { ' ' } else { sign })
        .collect()
}
