//! Where an audit stands.

use super::locator::SampleLocator;
use super::rating_form::RatingForm;
use crate::dataset::Dataset;
use crate::journal::{AfterReveal, Audit, AuditItem, Ledger, RatingState, Setting};

/// How one question of an audit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemStatus {
    /// Nothing was judged yet.
    Open,
    /// Something was, and something is missing.
    Begun,
    /// Everything that is asked was judged.
    Done,
    /// The reviewer does not judge it.
    Skipped,
    /// It comes again at the end.
    Deferred,
    /// Everything was judged, and put off after the dataset's own judgment had shown: it comes
    /// again at the end.
    Again,
    /// Everything was judged, and withdrawn after the dataset's own judgment had shown: what was
    /// judged before that counts.
    Withdrawn,
    /// The sample is not in the dataset any more.
    Gone,
}

impl ItemStatus {
    /// Whether there is a whole judgment that counts.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Done | Self::Again | Self::Withdrawn)
    }
}

/// How far a reviewer is with an audit, question by question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditProgress {
    /// One for each item of the audit's queue.
    pub items: Vec<ItemStatus>,
}

impl AuditProgress {
    /// How an audit stands for a reviewer, who drew it or joined it, as far as its samples were
    /// located: what is not among `places` is gone. Reads no rows.
    pub fn of(
        session: &Audit,
        reviewer: &str,
        ledger: &Ledger,
        places: &SampleLocator,
        dataset: &Dataset,
    ) -> Self {
        let scales = RatingForm::of_files(dataset);
        let mut setting = Setting {
            audit: Some(session.id.clone()),
            ..Setting::default()
        };
        let mut stand = |item: &AuditItem| {
            let sample = places.first(&item.sample_ref.sample);
            let Some((scale, responses)) =
                sample.and_then(|sample| RatingForm::of_sample(&scales, dataset, sample))
            else {
                return ItemStatus::Gone;
            };
            setting.pass = item.pass;
            let Some(rating) = ledger.rating(&item.sample_ref.sample, reviewer, &setting) else {
                return ItemStatus::Open;
            };
            let given = rating.as_given();
            let is_complete = scale.is_complete(responses, given);
            match (given.state, rating.after_reveal()) {
                (RatingState::Skipped, _) => ItemStatus::Skipped,
                (_, Some(AfterReveal::PutOff)) if is_complete => ItemStatus::Again,
                (_, Some(AfterReveal::Withdrawn)) if is_complete => ItemStatus::Withdrawn,
                // Where the labels were in sight all along, what was judged can be judged again.
                (RatingState::Deferred, _) => ItemStatus::Deferred,
                (RatingState::Open, _) if is_complete => ItemStatus::Done,
                (RatingState::Open, _) if !given.is_judged() => ItemStatus::Open,
                (RatingState::Open, _) => ItemStatus::Begun,
            }
        };
        Self {
            items: session.audit.queue.iter().map(&mut stand).collect(),
        }
    }

    /// How many questions stand so.
    pub fn count(&self, stand: ItemStatus) -> usize {
        self.items.iter().filter(|&&it| it == stand).count()
    }

    /// How many questions are settled: judged, skipped or gone. One that is to be judged again has
    /// a judgment that counts.
    pub fn settled(&self) -> usize {
        let settled = |stand: &&ItemStatus| {
            stand.is_judged() || matches!(stand, ItemStatus::Skipped | ItemStatus::Gone)
        };
        self.items.iter().filter(settled).count()
    }

    /// How many questions come again although there is a judgment.
    pub fn again(&self) -> usize {
        self.items
            .iter()
            .filter(|stand| **stand == ItemStatus::Again)
            .count()
    }

    /// How many questions are left: open, begun, put off, or to be judged again.
    pub fn left(&self) -> usize {
        self.items.len() - self.settled() + self.again()
    }

    /// Whether nothing is left to judge.
    pub fn is_finished(&self) -> bool {
        self.is_settled() && self.again() == 0
    }

    /// Whether every question was settled: then the labels of an audit that reveals at its end
    /// show, and go on showing when one is put off.
    pub fn is_settled(&self) -> bool {
        self.settled() == self.items.len()
    }

    /// The item to go on with behind another one (or at the beginning): the next that is open or
    /// begun, going round; deferred ones once there is no other.
    pub fn next(&self, behind: Option<usize>) -> Option<usize> {
        let start = behind.map_or(0, |at| at + 1);
        let round = |wanted: &[ItemStatus]| {
            let count = self.items.len();
            (start..start + count)
                .map(|at| at % count.max(1))
                .find(|&at| wanted.contains(&self.items[at]))
        };
        round(&[ItemStatus::Open, ItemStatus::Begun])
            .or_else(|| round(&[ItemStatus::Deferred, ItemStatus::Again]))
    }
}
