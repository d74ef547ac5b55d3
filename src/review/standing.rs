//! Where an audit stands.

use super::places::Places;
use super::scale::Scales;
use crate::dataset::Dataset;
use crate::journal::{AfterReveal, Item, Ledger, Session, Setting, State};

/// How one question of an audit stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
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

impl Stand {
    /// Whether there is a whole judgment that counts.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Done | Self::Again | Self::Withdrawn)
    }
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// One for each item of the audit's queue.
    pub items: Vec<Stand>,
}

impl Standing {
    /// How an audit stands for a reviewer, who drew it or joined it, as far as its samples were
    /// located: what is not among `places` is gone. Reads no rows.
    pub fn of(
        session: &Session,
        reviewer: &str,
        ledger: &Ledger,
        places: &Places,
        dataset: &Dataset,
    ) -> Self {
        let scales = Scales::of(dataset);
        let mut setting = Setting {
            audit: Some(session.id.clone()),
            ..Setting::default()
        };
        let mut stand = |item: &Item| {
            let sample = places.first(&item.spot.sample);
            let Some((scale, responses)) =
                sample.and_then(|sample| scales.of_sample(dataset, sample))
            else {
                return Stand::Gone;
            };
            setting.pass = item.pass;
            let Some(rating) = ledger.rating(&item.spot.sample, reviewer, &setting) else {
                return Stand::Open;
            };
            let given = rating.as_given();
            let is_complete = scale.is_complete(responses, given);
            match (given.state, rating.after_reveal()) {
                (State::Skipped, _) => Stand::Skipped,
                (_, Some(AfterReveal::PutOff)) if is_complete => Stand::Again,
                (_, Some(AfterReveal::Withdrawn)) if is_complete => Stand::Withdrawn,
                // Where the labels were in sight all along, what was judged can be judged again.
                (State::Deferred, _) => Stand::Deferred,
                (State::Open, _) if is_complete => Stand::Done,
                (State::Open, _) if !given.is_judged() => Stand::Open,
                (State::Open, _) => Stand::Begun,
            }
        };
        Self {
            items: session.audit.queue.iter().map(&mut stand).collect(),
        }
    }

    /// How many questions stand so.
    pub fn count(&self, stand: Stand) -> usize {
        self.items.iter().filter(|&&it| it == stand).count()
    }

    /// How many questions are settled: judged, skipped or gone. One that is to be judged again has
    /// a judgment that counts.
    pub fn settled(&self) -> usize {
        let settled =
            |stand: &&Stand| stand.is_judged() || matches!(stand, Stand::Skipped | Stand::Gone);
        self.items.iter().filter(settled).count()
    }

    /// How many questions come again although there is a judgment.
    pub fn again(&self) -> usize {
        self.items
            .iter()
            .filter(|stand| **stand == Stand::Again)
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
        let round = |wanted: &[Stand]| {
            let count = self.items.len();
            (start..start + count)
                .map(|at| at % count.max(1))
                .find(|&at| wanted.contains(&self.items[at]))
        };
        round(&[Stand::Open, Stand::Begun]).or_else(|| round(&[Stand::Deferred, Stand::Again]))
    }
}
