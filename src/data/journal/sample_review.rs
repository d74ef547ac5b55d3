//! What reviewers said about a sample.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::record::{Act, ActRecord, CheckDraw, Judgment, Setting};
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};

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
        self.labels
            .iter()
            .find(|((label, of), _)| &**label == name && *of == response)
            .map(|(_, value)| *value)
    }

    pub(super) fn is_of(&self, reviewer: &str, setting: &Setting) -> bool {
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
        self.checks
            .iter()
            .find(|check| *check.reviewer == *reviewer)
    }

    pub(super) fn is_empty(&self) -> bool {
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
    pub(super) fn apply(&mut self, entry: &ActRecord) {
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
        if taggers.is_set() {
            self.tags.insert(Arc::clone(tag));
        } else {
            self.tags.remove(tag);
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
        let is_own = |rating: &Rating| rating.is_of(reviewer, setting);
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

/// A reviewer's verdict on whether the dataset's labels of a sample are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpotCheck {
    /// The reviewer's name.
    pub reviewer: Arc<str>,
    /// The latest verdict.
    pub verdict: SpotCheckVerdict,
    /// Time of the verdict, in UTC (RFC 3339).
    pub time: Arc<str>,
    /// How the sample was drawn, once for each queue, in order of the acts, with the latest rank.
    /// The verdict is about the sample, so it counts in all queues.
    pub draws: Vec<CheckDraw>,
}

impl SpotCheck {
    /// True if the sample was checked in the queue of this draw.
    pub fn is_of_queue(&self, queue: &CheckDraw) -> bool {
        self.draws.iter().any(|drawn| drawn.is_of_queue(queue))
    }

    /// Applies a verdict to the checks, which are sorted by reviewer; `None` removes the reviewer's
    /// check from every queue.
    fn apply(
        checks: &mut Vec<Self>,
        reviewer: &Arc<str>,
        time: &str,
        verdict: Option<SpotCheckVerdict>,
        drawn: &CheckDraw,
    ) {
        let found = checks.binary_search_by(|check| check.reviewer.cmp(reviewer));
        let known = found.map_or_else(|_| Vec::new(), |at| checks.remove(at).draws);
        let Some(verdict) = verdict else {
            return;
        };
        let others = known.into_iter().filter(|known| !known.is_of_queue(drawn));
        let check = Self {
            reviewer: Arc::clone(reviewer),
            verdict,
            time: time.into(),
            draws: others.chain([drawn.clone()]).collect(),
        };
        checks.insert(found.unwrap_or_else(|at| at), check);
    }
}

/// Reviewers who set a mark or a tag of a sample.
///
/// Removing it removes a reviewer's own and leaves those of others, which a blind reviewer cannot
/// see. If the reviewer has not set one, everyone's are removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Holders {
    /// For each reviewer who ever set it: false if another reviewer removed it.
    reviewers: BTreeMap<Arc<str>, bool>,
}

impl Holders {
    /// Sets or removes it for a reviewer.
    fn set(&mut self, reviewer: &Arc<str>, on: bool) {
        if on {
            self.reviewers.insert(Arc::clone(reviewer), true);
        } else if self.reviewers.remove(reviewer).is_none() {
            self.reviewers.values_mut().for_each(|holds| *holds = false);
        }
    }

    /// True if at least one reviewer holds it.
    fn is_set(&self) -> bool {
        self.reviewers.values().any(|holds| *holds)
    }

    /// True if others hold it, too, so that it would stay if this reviewer removed it.
    fn is_set_without(&self, reviewer: &str) -> bool {
        self.reviewers.contains_key(reviewer)
            && self
                .reviewers
                .iter()
                .any(|(who, holds)| **who != *reviewer && *holds)
    }
}
