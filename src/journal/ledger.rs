//! What all entries come to.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::checks::SpotCheck;
use super::holders::Holders;
use super::record::{Act, ActId, ActRecord, AuditPlan, Judgment, SampleRef, Setting};
use crate::dataset::SampleKey;
use crate::model::{ResponseId, ResponseOrder, Verdict};

/// What all acts of a journal come to, sample by sample. Marks and tags are shared: a sample has
/// one while anybody's holds, and taking one away takes one's own, or everybody's where one has set
/// none. Notes, checks and ratings are each reviewer's own.
///
/// What holds depends on the acts and their order alone, which is the order of the file. One's own
/// acts hold before they are in the file ([`Ledger::apply_own`]); what turns out to stand there
/// before them is taken in before them ([`Ledger::apply_before`]).
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Everything that was taken in, in order.
    pub(super) acts: Vec<AppliedAct>,
    by_id: HashMap<ActId, usize>,
    samples: BTreeMap<SampleKey, SampleHistory>,
    reviewers: BTreeMap<Arc<str>, UndoStack>,
    /// Audits that hold, by their places in `acts`.
    sessions: BTreeMap<usize, Audit>,
    /// Samples of which each reviewer's screen has shown what the dataset says.
    seen: BTreeMap<Arc<str>, HashSet<SampleKey>>,
    /// How to take the last of `acts` out again: one's own that may not be in the file yet.
    own: Vec<Rollback>,
    /// The name of each reviewer, which all that the reviewer did shares: it is told from others by
    /// where it stands, without a look at its letters.
    names: HashSet<Arc<str>>,
}

/// What an act changed when it was taken in, besides standing at the end.
#[derive(Debug, Clone)]
enum Rollback {
    /// It cleared what could be redone.
    Did(Vec<usize>),
    /// It undid the act at a place.
    Undid(usize),
    /// It redid the act at a place, which stood there among what can be redone, if anywhere.
    Redid(usize, Option<usize>),
    /// Nothing.
    Nothing,
}

#[derive(Debug, Clone)]
pub(super) struct AppliedAct {
    pub(super) entry: ActRecord,
    /// Whether it holds; of an undo or a redo, which only change others, it says nothing.
    holds: bool,
}

/// What was ever said of a sample.
#[derive(Debug, Clone, Default)]
struct SampleHistory {
    /// Places of acts, in order.
    acts: Vec<usize>,
    /// What those that hold come to.
    remark: SampleReview,
}

/// Where a reviewer stands in what can be undone and redone.
#[derive(Debug, Clone, Default)]
struct UndoStack {
    /// Places of acts that hold.
    holding: BTreeSet<usize>,
    /// Places of acts that were undone since the last other act, the last one last.
    undone: Vec<usize>,
}

/// What is said of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleReview {
    /// Whether it is marked.
    pub marked: bool,
    /// Its tags.
    pub tags: BTreeSet<Arc<str>>,
    /// A note of each reviewer who wrote one, by their names.
    pub notes: Vec<Note>,
    /// What each reviewer says of what the dataset says of it, by their names.
    pub checks: Vec<SpotCheck>,
    /// What reviewers judged, in the order in which they began: one for each reviewer, audit and
    /// pass.
    pub ratings: Vec<Rating>,
    /// Who marked it.
    markers: Holders,
    /// Who set each tag that it ever had.
    taggers: BTreeMap<Arc<str>, Holders>,
}

/// A reviewer's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Whose.
    pub reviewer: Arc<str>,
    /// What it says; not empty.
    pub text: Arc<str>,
    /// In which order the responses stood when it was written, where that is known.
    pub order: Option<ResponseOrder>,
}

/// What a reviewer judged of a sample at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// Who.
    pub reviewer: Arc<str>,
    /// Under which circumstances: those of the last judgment, and blind only where all of them
    /// were.
    pub setting: Setting,
    /// Values of labels, by name and response of the file.
    pub labels: BTreeMap<(Arc<str>, ResponseId), f64>,
    /// Who wins, and how strongly.
    pub verdict: Option<(Verdict, Option<u8>)>,
    /// How it stands.
    pub state: RatingState,
    /// When its last judgment was given (or it was skipped or deferred), in UTC (RFC 3339).
    pub time: Arc<str>,
    /// What it was when the dataset's own judgment showed, where it was changed, withdrawn or put
    /// off afterwards.
    pub before_reveal: Option<Box<Rating>>,
}

/// What became of a judgment after the dataset's own had shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterReveal {
    /// Something in it is another.
    Changed,
    /// It was taken back, or the sample skipped.
    Withdrawn,
    /// It is to be judged again.
    PutOff,
}

/// How a rating stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RatingState {
    /// Something was judged, or nothing yet.
    #[default]
    Open,
    /// The reviewer does not judge it.
    Skipped,
    /// The reviewer judges it later.
    Deferred,
}

impl Rating {
    /// The judgment before anything was changed in it that the dataset's own judgment could have
    /// suggested.
    pub fn as_given(&self) -> &Self {
        self.before_reveal.as_deref().unwrap_or(self)
    }

    /// What became of it after the dataset's own judgment had shown; `None` where it is what it
    /// was, or nothing was judged before.
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

    /// Whether it is a judgment that counts: what was judged before a skip is none any more.
    pub fn counts(&self) -> bool {
        self.state == RatingState::Open && self.is_judged()
    }

    /// Whether it holds a judgment.
    pub fn is_judged(&self) -> bool {
        !self.labels.is_empty() || self.verdict.is_some()
    }

    /// The value of a label for a response.
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

    /// Whether it is of this audit, or of none, and of this time.
    fn is_in(&self, setting: &Setting) -> bool {
        self.setting.audit == setting.audit && self.setting.pass == setting.pass
    }

    /// Whether nothing is judged, and nothing was decided about judging it.
    fn is_empty(&self) -> bool {
        !self.is_judged() && self.state == RatingState::Open && self.before_reveal.is_none()
    }

    fn take(&mut self, rated: &Judgment) {
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
    /// The spot check of one reviewer, if there is one.
    pub fn check_by(&self, reviewer: &str) -> Option<&SpotCheck> {
        let mut checks = self.checks.iter();
        checks.find(|check| *check.reviewer == *reviewer)
    }

    fn is_empty(&self) -> bool {
        let said = !self.tags.is_empty() || !self.notes.is_empty() || !self.checks.is_empty();
        !self.marked && !said && self.ratings.is_empty()
    }

    /// Whether it stays marked if a reviewer takes their own mark away: another one marked it as
    /// well.
    pub fn is_marked_without(&self, reviewer: &str) -> bool {
        self.markers.hold_without(reviewer)
    }

    /// Whether it keeps a tag if a reviewer takes their own away: another one set it as well.
    pub fn is_tagged_without(&self, reviewer: &str, tag: &str) -> bool {
        self.taggers
            .get(tag)
            .is_some_and(|taggers| taggers.hold_without(reviewer))
    }

    /// Takes in the next act that holds.
    fn take(&mut self, entry: &ActRecord) {
        let ActRecord {
            reviewer,
            time,
            act,
            ..
        } = entry;
        match act {
            Act::Mark { on } => {
                self.markers.turn(reviewer, *on);
                self.marked = self.markers.hold();
            }
            Act::Tag { tag, on } => self.tag(reviewer, tag, *on),
            Act::Note { text, order } => self.note(reviewer, text, *order),
            Act::Check { verdict, drawn } => {
                SpotCheck::take(&mut self.checks, reviewer, time, *verdict, drawn);
            }
            Act::Rate { rated, setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Open;
                rating.take(rated);
            }),
            Act::Skip { setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Skipped;
            }),
            Act::Defer { setting } => self.rate(reviewer, time, setting, |rating| {
                rating.state = RatingState::Deferred;
            }),
            Act::Audit(_) | Act::Seen { .. } | Act::Undo { .. } | Act::Redo { .. } => {}
        }
    }

    fn tag(&mut self, reviewer: &Arc<str>, tag: &Arc<str>, on: bool) {
        let taggers = self.taggers.entry(Arc::clone(tag)).or_default();
        taggers.turn(reviewer, on);
        match taggers.hold() {
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
        // Who judges goes on with what was begun last, as a rule.
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
        // A judgment that was taken back counts as none wherever ratings are counted.
        if rating.is_empty() {
            self.ratings.remove(at);
        }
    }
}

impl SampleHistory {
    /// Folds everything anew: an act in the middle holds no longer, or again.
    fn fold(&mut self, acts: &[AppliedAct]) {
        self.remark = SampleReview::default();
        for act in self
            .acts
            .iter()
            .map(|place| &acts[*place])
            .filter(|act| act.holds)
        {
            self.remark.take(&act.entry);
        }
    }
}

/// An audit that was begun.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Its name.
    pub id: ActId,
    /// Who judges.
    pub reviewer: Arc<str>,
    /// When it was begun.
    pub time: String,
    /// Its plan.
    pub audit: Arc<AuditPlan>,
}

impl Ledger {
    /// Takes the next entry in. An undo of what is not there, is somebody else's or is undone
    /// already changes nothing, and neither does a redo of what holds; nor an entry that was taken
    /// in before.
    pub fn apply(&mut self, entry: &ActRecord) {
        self.own.clear();
        self.push(entry);
    }

    /// Takes an act of one's own in that is not in the file yet: it stands at the end until others'
    /// turn out to stand before it.
    pub fn apply_own(&mut self, entry: &ActRecord) {
        let trace = self.push(entry);
        self.own.extend(trace);
    }

    /// Takes entries in that stand in the file before the last acts of one's own, so many of which
    /// are not known to be in the file.
    pub fn apply_before(&mut self, entries: &[ActRecord], waiting: usize) {
        // The oldest of one's own are in the file by now, where they stand here.
        self.own.drain(..self.own.len().saturating_sub(waiting));
        let mut own = Vec::with_capacity(self.own.len());
        while let Some(trace) = self.own.pop() {
            own.extend(self.take_out(trace));
        }
        for entry in entries {
            self.push(entry);
        }
        own.iter().rev().for_each(|entry| self.apply_own(entry));
    }

    /// Puts an entry at the end; nothing where it was taken in before.
    fn push(&mut self, entry: &ActRecord) -> Option<Rollback> {
        let place = self.acts.len();
        match self.by_id.entry(entry.id.clone()) {
            Vacant(free) => free.insert(place),
            Occupied(_) => return None,
        };
        let name = self.name(&entry.reviewer);
        let entry = &ActRecord {
            reviewer: name,
            ..entry.clone()
        };
        self.acts.push(AppliedAct {
            entry: entry.clone(),
            holds: true,
        });
        Some(match &entry.act {
            Act::Undo { entry: undone } => self.turn(&entry.reviewer, undone, false),
            Act::Redo { entry: redone } => self.turn(&entry.reviewer, redone, true),
            // What a screen has shown cannot be undone; nor is it anything that a reviewer did.
            Act::Seen { samples } => {
                self.seen
                    .entry(Arc::clone(&entry.reviewer))
                    .or_default()
                    .extend(samples.iter());
                Rollback::Nothing
            }
            act => {
                let doing = self
                    .reviewers
                    .entry(Arc::clone(&entry.reviewer))
                    .or_default();
                doing.holding.insert(place);
                let cleared = std::mem::take(&mut doing.undone);
                if let Act::Audit(audit) = act {
                    self.sessions.insert(place, session(entry, audit));
                } else if let Some(sample_ref) = &entry.sample_ref {
                    let told = self.samples.entry(sample_ref.sample).or_default();
                    told.acts.push(place);
                    told.remark.take(entry);
                }
                Rollback::Did(cleared)
            }
        })
    }

    fn name(&mut self, reviewer: &Arc<str>) -> Arc<str> {
        if let Some(known) = self.names.get(reviewer) {
            return Arc::clone(known);
        }
        self.names.insert(Arc::clone(reviewer));
        Arc::clone(reviewer)
    }

    /// Takes the last act out again, as if it had never been there.
    fn take_out(&mut self, trace: Rollback) -> Option<ActRecord> {
        let entry = self.acts.pop()?.entry;
        let place = self.acts.len();
        self.by_id.remove(&entry.id);
        let mut none = UndoStack::default();
        let doing = self.reviewers.get_mut(&entry.reviewer).unwrap_or(&mut none);
        match trace {
            Rollback::Did(cleared) => {
                doing.holding.remove(&place);
                doing.undone = cleared;
                self.sessions.remove(&place);
                let told = entry
                    .sample_ref
                    .as_ref()
                    .and_then(|sample_ref| self.samples.get_mut(&sample_ref.sample));
                if let Some(told) = told.filter(|told| told.acts.last() == Some(&place)) {
                    told.acts.pop();
                    told.fold(&self.acts);
                }
            }
            Rollback::Undid(undone) => {
                doing.holding.insert(undone);
                doing.undone.pop();
                self.let_hold(undone, true);
            }
            Rollback::Redid(redone, at) => {
                doing.holding.remove(&redone);
                if let Some(at) = at {
                    doing.undone.insert(at, redone);
                }
                self.let_hold(redone, false);
            }
            Rollback::Nothing => {}
        }
        Some(entry)
    }

    /// Undoes or redoes an act.
    ///
    /// What was cleared off the redo stack can still be redone by name: two programs of one
    /// reviewer do not know of each other's acts at once, and what one of them has shown as redone
    /// must not depend on that.
    fn turn(&mut self, reviewer: &str, id: &ActId, holds: bool) -> Rollback {
        let Some(place) = self.by_id.get(id).copied() else {
            return Rollback::Nothing;
        };
        let taken = &self.acts[place];
        let turns = !matches!(
            taken.entry.act,
            Act::Seen { .. } | Act::Undo { .. } | Act::Redo { .. }
        );
        if !turns || *taken.entry.reviewer != *reviewer || taken.holds == holds {
            return Rollback::Nothing;
        }
        let Some(doing) = self.reviewers.get_mut(reviewer) else {
            return Rollback::Nothing;
        };
        let trace = if holds {
            doing.holding.insert(place);
            let at = doing.undone.iter().position(|undone| *undone == place);
            at.map(|at| doing.undone.remove(at));
            Rollback::Redid(place, at)
        } else {
            doing.holding.remove(&place);
            doing.undone.push(place);
            Rollback::Undid(place)
        };
        self.let_hold(place, holds);
        trace
    }

    /// Lets an act hold no longer, or again.
    fn let_hold(&mut self, place: usize, holds: bool) {
        self.acts[place].holds = holds;
        let entry = &self.acts[place].entry;
        match (&entry.act, &entry.sample_ref) {
            (Act::Audit(audit), _) if holds => {
                drop(self.sessions.insert(place, session(entry, audit)));
            }
            (Act::Audit(_), _) => drop(self.sessions.remove(&place)),
            (_, Some(sample_ref)) => {
                if let Some(told) = self.samples.get_mut(&sample_ref.sample) {
                    told.fold(&self.acts);
                }
            }
            (_, None) => {}
        }
    }

    /// What is said of a sample, if anything.
    pub fn remark(&self, sample: &SampleKey) -> Option<&SampleReview> {
        self.samples
            .get(sample)
            .map(|told| &told.remark)
            .filter(|remark| !remark.is_empty())
    }

    /// A reviewer's own verdict on what the dataset says of a sample, if there is one.
    pub fn check(&self, sample: &SampleKey, reviewer: &str) -> Option<&SpotCheck> {
        self.remark(sample)?.check_by(reviewer)
    }

    /// What one reviewer said of a sample, if anything: as if nobody else had done anything.
    pub fn remark_by(&self, sample: &SampleKey, reviewer: &str) -> Option<SampleReview> {
        let mut remark = SampleReview::default();
        let acts = self
            .samples
            .get(sample)?
            .acts
            .iter()
            .map(|place| &self.acts[*place]);
        for act in acts.filter(|act| act.holds && *act.entry.reviewer == *reviewer) {
            remark.take(&act.entry);
        }
        (!remark.is_empty()).then_some(remark)
    }

    /// What is said of each sample of which anything is said, in the order of their keys.
    pub fn remarks(&self) -> impl Iterator<Item = (&SampleKey, &SampleReview)> {
        self.samples
            .iter()
            .map(|(sample, told)| (sample, &told.remark))
            .filter(|(_, remark)| !remark.is_empty())
    }

    /// A reviewer's rating of a sample in these circumstances (audit and pass), if there is one.
    pub fn rating(&self, sample: &SampleKey, reviewer: &str, setting: &Setting) -> Option<&Rating> {
        self.remark(sample)?
            .ratings
            .iter()
            .find(|rating| rating.is_of(reviewer, setting))
    }

    /// Whether the journal tells that a reviewer's screen has shown what the dataset says of a
    /// sample.
    pub fn has_seen(&self, reviewer: &str, sample: &SampleKey) -> bool {
        self.seen
            .get(reviewer)
            .is_some_and(|seen| seen.contains(sample))
    }

    /// Audits that hold, the oldest first.
    pub fn sessions(&self) -> impl DoubleEndedIterator<Item = &Audit> {
        self.sessions.values()
    }

    /// Whether a rating was given in an audit of what two reviewers differ on: it decides between
    /// them.
    pub fn is_adjudication(&self, rating: &Rating) -> bool {
        let Some(id) = &rating.setting.audit else {
            return false;
        };
        let mut audits = self.sessions();
        audits.any(|audit| audit.id == *id && audit.audit.between.is_some())
    }

    /// All reviewers who did anything that holds, in the order of their names.
    pub fn reviewers(&self) -> Vec<Arc<str>> {
        let active = self
            .reviewers
            .iter()
            .filter(|(_, doing)| !doing.holding.is_empty());
        active.map(|(reviewer, _)| Arc::clone(reviewer)).collect()
    }

    /// The act that a reviewer can undo next: the latest that holds.
    pub fn undoable(&self, reviewer: &str) -> Option<&ActRecord> {
        let place = self.reviewers.get(reviewer)?.holding.last()?;
        Some(&self.acts[*place].entry)
    }

    /// The act that a reviewer can redo next: the one undone last, unless something was done since.
    pub fn redoable(&self, reviewer: &str) -> Option<&ActRecord> {
        let place = self.reviewers.get(reviewer)?.undone.last()?;
        Some(&self.acts[*place].entry)
    }

    /// Every sample that somebody spoke of, once, where it stood the last time that it was judged;
    /// else that an audit drew it, or that it was spoken of. Of samples that say the same the
    /// labels of the one that was judged are those that a judgment is compared with.
    pub fn sample_refs(&self) -> Vec<SampleRef> {
        let mut latest: HashMap<SampleKey, (u8, &SampleRef)> = HashMap::new();
        for taken in &self.acts {
            let rank = match &taken.entry.act {
                act if act.setting().is_some() => 2,
                Act::Audit(_) => 1,
                _ => 0,
            };
            for sample_ref in taken.entry.sample_refs() {
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

    /// How many acts were taken in, undone ones and undos among them.
    pub fn len(&self) -> usize {
        self.acts.len()
    }

    /// Whether nothing was.
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
