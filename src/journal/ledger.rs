//! What all entries come to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::entry::{Audit, Entry, EntryId, Setting};
use crate::dataset::SampleKey;
use crate::model::{Side, Verdict};

/// See the module. Marks and tags are everybody's; notes and ratings are each reviewer's own.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    _todo: (),
}

/// What is said of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remark {
    /// Whether it is marked.
    pub marked: bool,
    /// Its tags.
    pub tags: BTreeSet<Arc<str>>,
    /// A note of each reviewer who wrote one, by their names.
    pub notes: Vec<Note>,
    /// What reviewers judged, in the order in which they began: one for each reviewer, audit and pass.
    pub ratings: Vec<Rating>,
}

/// A reviewer's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Whose.
    pub reviewer: Arc<str>,
    /// What it says; not empty.
    pub text: Arc<str>,
}

/// What a reviewer judged of a sample at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// Who.
    pub reviewer: Arc<str>,
    /// Under which circumstances.
    pub setting: Setting,
    /// Values of labels, by name and side of the file.
    pub labels: BTreeMap<(Arc<str>, u8), f64>,
    /// Who wins, and how strongly.
    pub verdict: Option<(Verdict, Option<u8>)>,
    /// How it stands.
    pub state: State,
}

/// How a rating stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Something was judged, or nothing yet.
    #[default]
    Open,
    /// The reviewer does not judge it.
    Skipped,
    /// The reviewer judges it later.
    Deferred,
}

impl Rating {
    /// The value of a label for a response.
    pub fn label(&self, name: &str, side: Side) -> Option<f64> {
        let _ = (name, side);
        todo!()
    }
}

/// An audit that was begun.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its name.
    pub id: EntryId,
    /// Who judges.
    pub reviewer: Arc<str>,
    /// When it was begun.
    pub time: String,
    /// Its plan.
    pub audit: Arc<Audit>,
}

impl Ledger {
    /// Takes the next entry in. An undo of what is not there, is somebody else's or is undone already changes nothing.
    pub fn apply(&mut self, entry: &Entry) {
        let _ = entry;
        todo!()
    }

    /// What is said of a sample, if anything.
    pub fn remark(&self, sample: &SampleKey) -> Option<&Remark> {
        let _ = sample;
        todo!()
    }

    /// What is said of each sample of which anything is said, in the order of their keys.
    pub fn remarks(&self) -> impl Iterator<Item = (&SampleKey, &Remark)> {
        [].into_iter()
    }

    /// A reviewer's rating of a sample in these circumstances (audit and pass), if there is one.
    pub fn rating(&self, sample: &SampleKey, reviewer: &str, setting: &Setting) -> Option<&Rating> {
        let _ = (sample, reviewer, setting);
        todo!()
    }

    /// Audits that hold, the oldest first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        [].into_iter()
    }

    /// All reviewers who did anything that holds, in the order of their names.
    pub fn reviewers(&self) -> Vec<Arc<str>> {
        todo!()
    }

    /// The act that a reviewer can undo next: the latest that holds.
    pub fn undoable(&self, reviewer: &str) -> Option<&Entry> {
        let _ = reviewer;
        todo!()
    }

    /// The act that a reviewer can redo next: the one undone last, unless something was done since.
    pub fn redoable(&self, reviewer: &str) -> Option<&Entry> {
        let _ = reviewer;
        todo!()
    }

    /// How many acts were taken in.
    pub fn len(&self) -> usize {
        todo!()
    }

    /// Whether nothing was.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
