//! How far reviewers agree with the dataset, with themselves and with each other.

use std::sync::Arc;

use super::places::Places;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{EntryId, Ledger, Rating};

/// Whose judgments, and which of them.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Whose agreement with the dataset; `None`: everybody's, each judgment counted.
    pub reviewer: Option<&'a str>,
    /// Of one audit alone.
    pub audit: Option<&'a EntryId>,
    /// Whether a rating counts: one whose sample a blind reviewer has not been shown yet must not tell.
    pub counts: &'a dyn Fn(&SampleKey, &Rating) -> bool,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Agreement {
    _todo: Vec<Arc<str>>,
}

/// Sums up. `draws` is how many resamples intervals are made of: 0 gives none, which is quick enough for each key.
pub fn agreement(ledger: &Ledger, places: &Places, dataset: &Dataset, scope: &Scope<'_>, draws: usize) -> Agreement {
    let _ = (ledger, places, dataset, scope, draws);
    todo!()
}

impl Agreement {
    /// For the status line: the first figures that there are, short; empty where nothing can be said yet.
    pub fn in_short(&self) -> String {
        todo!()
    }

    /// As Markdown: tables of figures with what they mean, `n/a` with the reason where there is none.
    pub fn markdown(&self) -> String {
        todo!()
    }
}
