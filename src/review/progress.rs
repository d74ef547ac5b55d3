//! The audits of a journal and the progress of each reviewer.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::audit_progress::AuditProgress;
use super::locator::SampleLocator;
use crate::dataset::Dataset;
use crate::journal::{Audit, Ledger, Rating};

/// A reviewer in an audit.
#[derive(Debug, Clone)]
pub struct ReviewerProgress {
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The reviewer's progress.
    pub progress: AuditProgress,
}

/// Returns the participants of an audit: the reviewer who drew it, then all others who judged,
/// skipped or deferred in it, sorted by name.
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

/// Returns the progress of each participant of an audit.
pub fn progress(
    session: &Audit,
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
) -> Vec<ReviewerProgress> {
    let of = |reviewer: Arc<str>| {
        let progress = AuditProgress::of(session, &reviewer, ledger, places, dataset);
        ReviewerProgress { reviewer, progress }
    };
    participants(session, ledger).into_iter().map(of).collect()
}

/// True if this reviewer, or any if `None`, judged, skipped or deferred in an audit.
pub fn was_judged(session: &Audit, ledger: &Ledger, reviewer: Option<&str>) -> bool {
    ratings_of(session, ledger).any(|rating| reviewer.is_none_or(|name| *rating.reviewer == *name))
}

/// Returns the ratings of an audit, including skipped and deferred ones.
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

/// Formats a time for display, to the minute and in UTC: `2026-11-21 10:00`.
pub fn minute(time: &str) -> String {
    time.chars().take(16).collect::<String>().replace('T', " ")
}
