//! The state that results from the acts of a journal.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::checks::SpotCheck;
use super::holders::Holders;
use super::record::{Act, ActId, ActRecord, AuditPlan, Judgment, SampleRef, Setting};
use crate::dataset::SampleKey;
use crate::model::{ResponseId, ResponseOrder, Verdict};

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
    /// Interned names of reviewers, so that they can be compared by pointer.
    names: HashSet<Arc<str>>,
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

/// The reviews of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleReview {
    /// True if it is marked.
    pub marked: bool,
    /// Its tags.
    pub tags: BTreeSet<Arc<str>>,
    /// Notes, sorted by reviewer.
    pub notes: Vec<Note>,
    /// Spot checks, sorted by reviewer.
    pub checks: Vec<SpotCheck>,
    /// Ratings in order of their beginning: one for each reviewer, audit and pass.
    pub ratings: Vec<Rating>,
    markers: Holders,
    /// The holders of each tag that was ever set.
    taggers: BTreeMap<Arc<str>, Holders>,
}

/// A reviewer's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The text; not empty.
    pub text: Arc<str>,
    /// Order of the responses on screen when the note was written, if known.
    pub order: Option<ResponseOrder>,
}

/// A reviewer's judgments of a sample in one audit and pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The setting of the latest judgment; blind only if all judgments were blind.
    pub setting: Setting,
    /// Values of labels, by name and by response in file order.
    pub labels: BTreeMap<(Arc<str>, ResponseId), f64>,
    /// The verdict and its strength.
    pub verdict: Option<(Verdict, Option<u8>)>,
    /// Open, skipped or deferred.
    pub state: RatingState,
    /// Time of the latest judgment, skip or deferral, in UTC (RFC 3339).
    pub time: Arc<str>,
    /// The rating before the dataset's judgment was revealed, if it was changed, withdrawn or
    /// deferred afterwards.
    pub before_reveal: Option<Box<Rating>>,
}

/// A change to a rating after the dataset's judgment was revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterReveal {
    /// A value was changed.
    Changed,
    /// It was removed, or the sample was skipped.
    Withdrawn,
    /// It was deferred, to be judged again.
    PutOff,
}

/// The state of a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RatingState {
    /// Judged, partly judged, or not judged yet.
    #[default]
    Open,
    /// The reviewer will not judge it.
    Skipped,
    /// The reviewer will judge it later.
    Deferred,
}

impl Rating {
    /// Returns the rating before changes that the dataset's judgment could have suggested.
    pub fn as_given(&self) -> &Self {
        self.before_reveal.as_deref().unwrap_or(self)
    }

    /// Returns how it was changed after the dataset's judgment was revealed; `None` if it was not,
    /// or nothing was judged before.
    pub fn after_reveal(&self) -> Option<AfterReveal> {
        let given = self
            .before_reveal
            .as_deref()
            .filter(|given| given.state == RatingState::Open && given.is_judged())?;
        match self.state {
            RatingState::Skipped => Some(AfterReveal::Withdrawn),
            RatingState::Deferred => Some(AfterReveal::PutOff),
            RatingState::Open if !self.is_judged() => Some(AfterReveal::Withdrawn),
            RatingState::Open if self.labels == given.labels && self.verdict == given.verdict => {
                None
            }
            RatingState::Open => Some(AfterReveal::Changed),
        }
    }

    /// True if it counts as a judgment: not skipped or deferred, and not empty.
    pub fn counts(&self) -> bool {
        self.state == RatingState::Open && self.is_judged()
    }

    /// True if it has a label or a verdict.
    pub fn is_judged(&self) -> bool {
        !self.labels.is_empty() || self.verdict.is_some()
    }

    /// Returns the value of a label for a response.
    pub fn label(&self, name: &str, response: ResponseId) -> Option<f64> {
        let found = self
            .labels
            .iter()
            .find(|((label, of), _)| &**label == name && *of == response);
        found.map(|(_, value)| *value)
    }

    fn is_of(&self, reviewer: &str, setting: &Setting) -> bool {
        *self.reviewer == *reviewer && self.is_in(setting)
    }

    /// True if audit (or none) and pass are the same.
    fn is_in(&self, setting: &Setting) -> bool {
        self.setting.audit == setting.audit && self.setting.pass == setting.pass
    }

    /// True if it has no judgment, now or before the reveal, and was not skipped or deferred.
    fn is_empty(&self) -> bool {
        !self.is_judged() && self.state == RatingState::Open && self.before_reveal.is_none()
    }

    fn apply(&mut self, rated: &Judgment) {
        match rated {
            Judgment::Label {
                label,
                response,
                value,
            } => {
                let question = (Arc::clone(label), *response);
                match value.filter(|value| value.is_finite()) {
                    Some(value) => self.labels.insert(question, value),
                    None => self.labels.remove(&question),
                };
            }
            Judgment::Verdict { value, strength } => {
                self.verdict = value.map(|verdict| (verdict, *strength));
            }
        }
    }
}

impl SampleReview {
    /// Returns the spot check of a reviewer, if there is one.
    pub fn check_by(&self, reviewer: &str) -> Option<&SpotCheck> {
        let mut checks = self.checks.iter();
        checks.find(|check| *check.reviewer == *reviewer)
    }

    fn is_empty(&self) -> bool {
        let said = !self.tags.is_empty() || !self.notes.is_empty() || !self.checks.is_empty();
        !self.marked && !said && self.ratings.is_empty()
    }

    /// True if it stays marked when this reviewer removes their mark, because others marked it,
    /// too.
    pub fn is_marked_without(&self, reviewer: &str) -> bool {
        self.markers.is_set_without(reviewer)
    }

    /// True if it keeps a tag when this reviewer removes theirs, because others set it, too.
    pub fn is_tagged_without(&self, reviewer: &str, tag: &str) -> bool {
        self.taggers
            .get(tag)
            .is_some_and(|taggers| taggers.is_set_without(reviewer))
    }

    /// Applies the next active act.
    fn apply(&mut self, entry: &ActRecord) {
        let ActRecord {
            reviewer,
            time,
            act,
            ..
        } = entry;
        match act {
            Act::Mark { on } => {
                self.markers.set(reviewer, *on);
                self.marked = self.markers.is_set();
            }
            Act::Tag { tag, on } => self.tag(reviewer, tag, *on),
            Act::Note { text, order } => self.note(reviewer, text, *order),
            Act::Check { verdict, drawn } => {
                SpotCheck::apply(&mut self.checks, reviewer, time, *verdict, drawn);
            }
            Act::Rate { rated, setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Open;
                rating.apply(rated);
            }),
            Act::Skip { setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Skipped;
            }),
            Act::Defer { setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Deferred;
            }),
            _ => {}
        }
    }

    fn tag(&mut self, reviewer: &Arc<str>, tag: &Arc<str>, on: bool) {
        let taggers = self.taggers.entry(Arc::clone(tag)).or_default();
        taggers.set(reviewer, on);
        match taggers.is_set() {
            true => drop(self.tags.insert(Arc::clone(tag))),
            false => drop(self.tags.remove(tag)),
        }
    }

    fn note(&mut self, reviewer: &Arc<str>, text: &Arc<str>, order: Option<ResponseOrder>) {
        let found = self
            .notes
            .binary_search_by(|note| note.reviewer.cmp(reviewer));
        let note = Note {
            reviewer: Arc::clone(reviewer),
            text: Arc::clone(text),
            order,
        };
        match (found, text.is_empty()) {
            (Ok(at), true) => drop(self.notes.remove(at)),
            (Ok(at), false) => self.notes[at] = note,
            (Err(_), true) => {}
            (Err(at), false) => self.notes.insert(at, note),
        }
    }

    fn rate(
        &mut self,
        reviewer: &Arc<str>,
        time: &str,
        setting: &Setting,
        change: impl FnOnce(&mut Rating),
    ) {
        let is_own =
            |rating: &Rating| Arc::ptr_eq(&rating.reviewer, reviewer) && rating.is_in(setting);
        // Searched from the end, because reviewers usually continue the latest rating.
        let at = self.ratings.iter().rposition(is_own).unwrap_or_else(|| {
            self.ratings.push(Rating {
                reviewer: Arc::clone(reviewer),
                setting: setting.clone(),
                labels: BTreeMap::new(),
                verdict: None,
                state: RatingState::Open,
                time: "".into(),
                before_reveal: None,
            });
            self.ratings.len() - 1
        });
        let rating = &mut self.ratings[at];
        if setting.revealed && rating.before_reveal.is_none() {
            rating.before_reveal = Some(Box::new(rating.clone()));
        }
        let (blind, seen) = (
            rating.setting.blind && setting.blind,
            rating.setting.seen || setting.seen,
        );
        rating.setting = Setting {
            blind,
            seen,
            ..setting.clone()
        };
        rating.time = time.into();
        change(rating);
        // A withdrawn judgment must not count where ratings are counted.
        if rating.is_empty() {
            self.ratings.remove(at);
        }
    }
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
            let before = all.acts.iter().map(|act| &act.entry).chain(entries);
            before.for_each(|entry| _ = self.push(entry));
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
        let name = self.name(&entry.reviewer);
        let entry = &ActRecord {
            reviewer: name,
            ..entry.clone()
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

    fn name(&mut self, reviewer: &Arc<str>) -> Arc<str> {
        if let Some(known) = self.names.get(reviewer) {
            return Arc::clone(known);
        }
        self.names.insert(Arc::clone(reviewer));
        Arc::clone(reviewer)
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
        let history = self.samples.get(sample)?;
        let remark = history.review(&self.acts, |entry| *entry.reviewer == *reviewer);
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
        let mut audits = self.sessions();
        audits.any(|audit| audit.id == *id && audit.audit.between.is_some())
    }

    /// Returns the reviewers with active acts, sorted by name.
    pub fn reviewers(&self) -> Vec<Arc<str>> {
        let active = self
            .reviewers
            .iter()
            .filter(|(_, stack)| !stack.active.is_empty());
        active.map(|(reviewer, _)| Arc::clone(reviewer)).collect()
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
