//! The state that results from the acts of a journal.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::record::{Act, ActId, ActRecord, AuditPlan, SampleRef, Setting};
use super::sample_review::{Rating, SampleReview};
use crate::dataset::SampleKey;

/// The state that results from all acts, sample by sample. Marks and tags are shared: removing one
/// removes the reviewer's own, or everyone's if the reviewer has not set it. Notes, checks and
/// ratings belong to one reviewer.
///
/// The state depends only on the acts and their order in the file. Our own acts are applied before
/// they are in the file ([`Ledger::apply_own`]); foreign acts that precede them in the file are
/// inserted before them ([`Ledger::apply_before`]).
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// All applied acts, in order.
    pub(super) acts: Vec<AppliedAct>,
    by_id: HashMap<ActId, usize>,
    samples: BTreeMap<SampleKey, SampleHistory>,
    reviewers: BTreeMap<Arc<str>, UndoStack>,
    /// Active audits, by their index in `acts`.
    sessions: BTreeMap<usize, Audit>,
    /// Samples whose dataset labels were on each reviewer's screen.
    seen: BTreeMap<Arc<str>, HashSet<SampleKey>>,
    /// How many of the last `acts` are our own that may not be in the file yet.
    own: usize,
}

#[derive(Debug, Clone)]
pub(super) struct AppliedAct {
    pub(super) entry: ActRecord,
    /// True if it is not undone; meaningless for undo and redo.
    is_active: bool,
}

/// The acts about a sample.
#[derive(Debug, Clone, Default)]
struct SampleHistory {
    /// Indices of acts, in order.
    acts: Vec<usize>,
    /// The result of the active ones.
    remark: SampleReview,
}

/// What a reviewer can undo and redo.
#[derive(Debug, Clone, Default)]
struct UndoStack {
    /// Indices of active acts.
    active: BTreeSet<usize>,
    /// Indices of acts that were undone since the last other act, the latest last.
    undone: Vec<usize>,
}

impl SampleHistory {
    /// Returns what its active acts say, as far as they are selected.
    fn review(&self, acts: &[AppliedAct], is_it: impl Fn(&ActRecord) -> bool) -> SampleReview {
        let mut review = SampleReview::default();
        let acts = self.acts.iter().map(|place| &acts[*place]);
        for act in acts.filter(|act| act.is_active && is_it(&act.entry)) {
            review.apply(&act.entry);
        }
        review
    }
}

/// An audit of a reviewer.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Id of the act that began it.
    pub id: ActId,
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// Time of its beginning, in UTC (RFC 3339).
    pub time: String,
    /// Its plan.
    pub audit: Arc<AuditPlan>,
}

impl Ledger {
    /// Returns all applied acts in order, including undone acts and undos.
    pub fn acts(&self) -> impl ExactSizeIterator<Item = &ActRecord> {
        self.acts.iter().map(|taken| &taken.entry)
    }

    /// Applies the next act. No effect: an act that was applied before, an undo of an unknown,
    /// foreign or undone act, a redo of an active act.
    pub fn apply(&mut self, entry: &ActRecord) {
        self.own = 0;
        self.push(entry);
    }

    /// Applies an act of our own that is not in the file yet. It stays last until
    /// [`Self::apply_before`] inserts foreign acts before it.
    pub fn apply_own(&mut self, entry: &ActRecord) {
        self.own += usize::from(self.push(entry));
    }

    /// Applies foreign acts that precede our last `waiting` unsaved acts.
    pub fn apply_before(&mut self, entries: &[ActRecord], waiting: usize) {
        self.own = self.own.min(waiting);
        if self.own > 0 && !entries.is_empty() {
            let mut all = std::mem::take(self);
            let own = all.acts.split_off(all.acts.len() - all.own);
            all.acts
                .iter()
                .map(|act| &act.entry)
                .chain(entries)
                .for_each(|entry| _ = self.push(entry));
            own.iter().for_each(|act| self.apply_own(&act.entry));
        } else {
            entries.iter().for_each(|entry| _ = self.push(entry));
        }
    }

    /// Appends an act, unless it was applied before.
    fn push(&mut self, entry: &ActRecord) -> bool {
        let place = self.acts.len();
        match self.by_id.entry(entry.id.clone()) {
            Vacant(free) => free.insert(place),
            Occupied(_) => return false,
        };
        self.acts.push(AppliedAct {
            entry: entry.clone(),
            is_active: true,
        });
        match &entry.act {
            Act::Undo { entry: undone } => self.undo_or_redo(&entry.reviewer, undone, false),
            Act::Redo { entry: redone } => self.undo_or_redo(&entry.reviewer, redone, true),
            Act::Later(..) => {}
            // Cannot be undone, and does not make the user a reviewer.
            Act::Seen { samples } => {
                self.seen
                    .entry(Arc::clone(&entry.reviewer))
                    .or_default()
                    .extend(samples.iter());
            }
            act => {
                let stack = self
                    .reviewers
                    .entry(Arc::clone(&entry.reviewer))
                    .or_default();
                stack.active.insert(place);
                stack.undone.clear();
                if let Act::Audit(audit) = act {
                    self.sessions.insert(place, session(entry, audit));
                } else if let Some(sample_ref) = &entry.sample_ref {
                    let history = self.samples.entry(sample_ref.sample).or_default();
                    history.acts.push(place);
                    history.remark.apply(entry);
                }
            }
        }
        true
    }

    /// Undoes or redoes an act.
    ///
    /// An act that is no longer on the redo stack can still be redone by id: two programs of one
    /// reviewer learn of each other's acts late, and what one of them showed as redone must not
    /// depend on that.
    fn undo_or_redo(&mut self, reviewer: &str, id: &ActId, is_active: bool) {
        let Some(place) = self.by_id.get(id).copied() else {
            return;
        };
        let applied = &self.acts[place];
        let is_undoable = !matches!(
            applied.entry.act,
            Act::Seen { .. } | Act::Undo { .. } | Act::Redo { .. } | Act::Later(..)
        );
        if !is_undoable || *applied.entry.reviewer != *reviewer || applied.is_active == is_active {
            return;
        }
        let Some(stack) = self.reviewers.get_mut(reviewer) else {
            return;
        };
        if is_active {
            stack.active.insert(place);
            stack.undone.retain(|undone| *undone != place);
        } else {
            stack.active.remove(&place);
            stack.undone.push(place);
        }
        self.set_active_at(place, is_active);
    }

    /// Deactivates or reactivates an act.
    fn set_active_at(&mut self, place: usize, is_active: bool) {
        self.acts[place].is_active = is_active;
        let entry = &self.acts[place].entry;
        match (&entry.act, &entry.sample_ref) {
            (Act::Audit(audit), _) if is_active => {
                drop(self.sessions.insert(place, session(entry, audit)));
            }
            (Act::Audit(_), _) => drop(self.sessions.remove(&place)),
            (_, Some(sample_ref)) => {
                if let Some(history) = self.samples.get_mut(&sample_ref.sample) {
                    history.remark = history.review(&self.acts, |_| true);
                }
            }
            (_, None) => {}
        }
    }

    /// Returns the reviews of a sample, if there are any.
    pub fn remark(&self, sample: &SampleKey) -> Option<&SampleReview> {
        self.samples
            .get(sample)
            .map(|history| &history.remark)
            .filter(|remark| !remark.is_empty())
    }

    /// Returns one reviewer's reviews of a sample, as if there were no other reviewers.
    pub fn remark_by(&self, sample: &SampleKey, reviewer: &str) -> Option<SampleReview> {
        let remark = self
            .samples
            .get(sample)?
            .review(&self.acts, |entry| *entry.reviewer == *reviewer);
        (!remark.is_empty()).then_some(remark)
    }

    /// Returns the reviewed samples, sorted by key.
    pub fn remarks(&self) -> impl Iterator<Item = (&SampleKey, &SampleReview)> {
        self.samples
            .iter()
            .map(|(sample, history)| (sample, &history.remark))
            .filter(|(_, remark)| !remark.is_empty())
    }

    /// Returns a reviewer's rating of a sample in the audit and pass of `setting`, if there is one.
    pub fn rating(&self, sample: &SampleKey, reviewer: &str, setting: &Setting) -> Option<&Rating> {
        self.remark(sample)?
            .ratings
            .iter()
            .find(|rating| rating.is_of(reviewer, setting))
    }

    /// True if the journal records that this reviewer's screen showed the dataset's labels of a
    /// sample.
    pub fn has_seen(&self, reviewer: &str, sample: &SampleKey) -> bool {
        self.seen
            .get(reviewer)
            .is_some_and(|seen| seen.contains(sample))
    }

    /// Returns the active audits, the oldest first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Audit> {
        self.sessions.values()
    }

    /// True if a rating decides between two reviewers who differ (given in an adjudication).
    pub fn is_adjudication(&self, rating: &Rating) -> bool {
        let Some(id) = &rating.setting.audit else {
            return false;
        };
        self.sessions()
            .any(|audit| audit.id == *id && audit.audit.between.is_some())
    }

    /// Returns the reviewers with active acts, sorted by name.
    pub fn reviewers(&self) -> Vec<Arc<str>> {
        self.reviewers
            .iter()
            .filter(|(_, stack)| !stack.active.is_empty())
            .map(|(reviewer, _)| Arc::clone(reviewer))
            .collect()
    }

    /// Returns the act that a reviewer can undo next: the latest active one.
    pub fn undoable(&self, reviewer: &str) -> Option<&ActRecord> {
        let place = self.reviewers.get(reviewer)?.active.last()?;
        Some(&self.acts[*place].entry)
    }

    /// Returns the act that a reviewer can redo next: the last undone, unless another act followed.
    pub fn redoable(&self, reviewer: &str) -> Option<&ActRecord> {
        let place = self.reviewers.get(reviewer)?.undone.last()?;
        Some(&self.acts[*place].entry)
    }

    /// Returns each sample of the acts once, with its place when it was last judged, else when an
    /// audit drew it, else when it was last mentioned. The place decides which of several identical
    /// samples has the labels that judgments are compared with.
    pub fn sample_refs(&self) -> Vec<SampleRef> {
        let mut latest: HashMap<SampleKey, (u8, &SampleRef)> = HashMap::new();
        for applied in &self.acts {
            let rank = match &applied.entry.act {
                act if act.setting().is_some() => 2,
                Act::Audit(_) => 1,
                _ => 0,
            };
            for sample_ref in applied.entry.sample_refs() {
                let known = latest
                    .entry(sample_ref.sample)
                    .or_insert((rank, sample_ref));
                if rank >= known.0 {
                    *known = (rank, sample_ref);
                }
            }
        }
        latest
            .into_values()
            .map(|(_, sample_ref)| sample_ref.clone())
            .collect()
    }

    /// Returns the number of applied acts, including undone acts and undos.
    pub fn len(&self) -> usize {
        self.acts.len()
    }

    /// True if no act was applied.
    pub fn is_empty(&self) -> bool {
        self.acts.is_empty()
    }
}

fn session(entry: &ActRecord, audit: &Arc<AuditPlan>) -> Audit {
    Audit {
        id: entry.id.clone(),
        reviewer: Arc::clone(&entry.reviewer),
        time: entry.time.clone(),
        audit: Arc::clone(audit),
    }
}
