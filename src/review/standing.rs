//! Where an audit stands.

use super::places::Places;
use super::scale::Scales;
use crate::dataset::Dataset;
use crate::journal::{Item, Ledger, Session, Setting, State};

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
    /// The sample is not in the dataset any more.
    Gone,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// One for each item of the audit's queue.
    pub items: Vec<Stand>,
}

impl Standing {
    /// How an audit stands for a reviewer, who drew it or joined it, as far as its samples were located: what is not among `places` is gone. Reads no rows.
    pub fn of(session: &Session, reviewer: &str, ledger: &Ledger, places: &Places, dataset: &Dataset) -> Self {
        let scales = Scales::of(dataset);
        let mut setting = Setting { audit: Some(session.id.clone()), ..Setting::default() };
        let mut stand = |item: &Item| {
            let sample = places.first(&item.spot.sample);
            let Some((scale, responses)) = sample.and_then(|sample| scales.of_sample(dataset, sample)) else {
                return Stand::Gone;
            };
            setting.pass = item.pass;
            let Some(rating) = ledger.rating(&item.spot.sample, reviewer, &setting) else {
                return Stand::Open;
            };
            match rating.state {
                State::Skipped => Stand::Skipped,
                _ if scale.is_complete(responses, rating) => Stand::Done,
                State::Deferred => Stand::Deferred,
                State::Open if rating.labels.is_empty() && rating.verdict.is_none() => Stand::Open,
                State::Open => Stand::Begun,
            }
        };
        Self { items: session.audit.queue.iter().map(&mut stand).collect() }
    }

    /// How many questions stand so.
    pub fn count(&self, stand: Stand) -> usize {
        self.items.iter().filter(|&&it| it == stand).count()
    }

    /// How many questions are settled: judged, skipped or gone.
    pub fn settled(&self) -> usize {
        let settled = |stand: &&Stand| matches!(stand, Stand::Done | Stand::Skipped | Stand::Gone);
        self.items.iter().filter(settled).count()
    }

    /// Whether nothing is left to judge.
    pub fn is_finished(&self) -> bool {
        self.settled() == self.items.len()
    }

    /// The item to go on with behind another one (or at the beginning): the next that is open or begun, going round; deferred ones once there is no other.
    pub fn next(&self, behind: Option<usize>) -> Option<usize> {
        let start = behind.map_or(0, |at| at + 1);
        let round = |wanted: &[Stand]| {
            let count = self.items.len();
            (start..start + count).map(|at| at % count.max(1)).find(|&at| wanted.contains(&self.items[at]))
        };
        round(&[Stand::Open, Stand::Begun]).or_else(|| round(&[Stand::Deferred]))
    }
}
