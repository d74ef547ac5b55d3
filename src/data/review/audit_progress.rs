//! The progress of an audit, of each reviewer.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::rating_form::RatingForm;
use super::workspace::Workspace;
use crate::journal::{AfterReveal, Audit, AuditItem, Ledger, Rating, RatingState, Setting};
use crate::text::grouped;

/// The status of one question of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemStatus {
    /// Not judged yet.
    Open,
    /// Partly judged.
    Begun,
    /// Completely judged.
    Done,
    /// Skipped: the reviewer will not judge it.
    Skipped,
    /// Deferred to the end.
    Deferred,
    /// Judged, then deferred after the dataset's judgment was revealed: to be judged again at the
    /// end.
    Again,
    /// Judged, then withdrawn after the dataset's judgment was revealed; the first judgment counts.
    Withdrawn,
    /// The sample is no longer in the dataset.
    Gone,
}

impl ItemStatus {
    /// True if there is a complete judgment that counts.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Done | Self::Again | Self::Withdrawn)
    }
}

/// A reviewer's progress in an audit, question by question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditProgress {
    /// One status for each item of the audit's queue.
    pub items: Vec<ItemStatus>,
}

impl AuditProgress {
    /// Returns the number of questions with this status.
    pub fn count(&self, status: ItemStatus) -> usize {
        self.items.iter().filter(|&&it| it == status).count()
    }

    /// Returns the number of settled questions: judged (even if to be judged again) or skipped.
    pub fn settled(&self) -> usize {
        let settled = |status: &&ItemStatus| status.is_judged() || **status == ItemStatus::Skipped;
        self.items.iter().filter(settled).count()
    }

    /// Returns the number of questions about samples that are not in the dataset.
    pub fn gone(&self) -> usize {
        self.count(ItemStatus::Gone)
    }

    /// Returns the number of questions that can still be answered: open, begun, deferred, or to be
    /// judged again.
    pub fn left(&self) -> usize {
        self.items.len() - self.settled() - self.gone() + self.count(ItemStatus::Again)
    }

    /// True if no questions remain, and no sample is missing.
    pub fn is_finished(&self) -> bool {
        self.left() + self.gone() == 0
    }

    /// True if every question is settled. Then an audit that reveals at its end shows the labels,
    /// and keeps showing them if a question is deferred. False if a sample is missing: whether it
    /// was judged completely is unknown without it.
    pub fn is_settled(&self) -> bool {
        self.settled() == self.items.len()
    }

    /// Returns the item to continue with after `after` (or from the beginning): the next open or
    /// begun one, cyclically; if there is none, the next deferred one.
    pub fn next(&self, after: Option<usize>) -> Option<usize> {
        let start = after.map_or(0, |at| at + 1);
        let next_of = |statuses: &[ItemStatus]| {
            let count = self.items.len();
            (start..start + count)
                .map(|at| at % count.max(1))
                .find(|&at| statuses.contains(&self.items[at]))
        };
        next_of(&[ItemStatus::Open, ItemStatus::Begun])
            .or_else(|| next_of(&[ItemStatus::Deferred, ItemStatus::Again]))
    }
}

/// Formats settled and all questions: `8/20`, or `8/20, 12 not in this file`.
impl fmt::Display for AuditProgress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}/{}",
            grouped(self.settled()),
            grouped(self.items.len())
        )?;
        match self.gone() {
            0 => Ok(()),
            gone => write!(out, ", {} not in this file", grouped(gone)),
        }
    }
}

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
fn participants(session: &Audit, ledger: &Ledger) -> Vec<Arc<str>> {
    let mut others: BTreeSet<Arc<str>> = ratings_of(session, ledger)
        .map(|it| Arc::clone(&it.reviewer))
        .collect();
    others.remove(&session.reviewer);
    [Arc::clone(&session.reviewer)]
        .into_iter()
        .chain(others)
        .collect()
}

impl Workspace<'_> {
    /// Returns the progress of each participant of an audit.
    pub fn progress(&self, session: &Audit) -> Vec<ReviewerProgress> {
        let of = |reviewer: Arc<str>| {
            let progress = self.progress_of(session, &reviewer);
            ReviewerProgress { reviewer, progress }
        };
        let participants = participants(session, self.ledger).into_iter();
        participants.map(of).collect()
    }

    /// Returns the progress of a reviewer who drew or joined an audit. Samples without a place
    /// count as gone. Reads no rows.
    pub fn progress_of(&self, session: &Audit, reviewer: &str) -> AuditProgress {
        let scales = RatingForm::of_files(self.dataset);
        let mut setting = Setting {
            audit: Some(session.id.clone()),
            ..Setting::default()
        };
        let mut status = |item: &AuditItem| {
            let key = &item.sample_ref.sample;
            let sample = self.places.first(key);
            let Some((scale, responses)) =
                sample.and_then(|sample| RatingForm::of_sample(&scales, self.dataset, sample))
            else {
                return ItemStatus::Gone;
            };
            setting.pass = item.pass;
            let Some(rating) = self.ledger.rating(key, reviewer, &setting) else {
                return ItemStatus::Open;
            };
            let given = rating.as_given();
            let is_complete = scale.is_complete(responses, given);
            match (given.state, rating.after_reveal()) {
                (RatingState::Skipped, _) => ItemStatus::Skipped,
                (_, Some(AfterReveal::PutOff)) if is_complete => ItemStatus::Again,
                (_, Some(AfterReveal::Withdrawn)) if is_complete => ItemStatus::Withdrawn,
                // If the labels were never hidden, deferring discards the judgment.
                (RatingState::Deferred, _) => ItemStatus::Deferred,
                (RatingState::Open, _) if is_complete => ItemStatus::Done,
                (RatingState::Open, _) if !given.is_judged() => ItemStatus::Open,
                (RatingState::Open, _) => ItemStatus::Begun,
            }
        };
        AuditProgress {
            items: session.audit.queue.iter().map(&mut status).collect(),
        }
    }
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
