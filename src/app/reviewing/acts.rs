//! Marks, tags, notes, spot checks (verdicts on the dataset's labels), and undoing acts.

use std::sync::Arc;

use super::super::{Action, App, Context, texts};
use super::blind::HIDDEN;
use crate::journal::{Act, ActRecord, CheckDraw, Rating, SampleReview, SpotCheck};
use crate::model::SpotCheckVerdict;
use crate::query::{Completion, Completions, QueryError};
use crate::review::was_judged;
use crate::text;

/// Most characters of a tag.
const LONGEST_TAG: usize = 64;
/// Most cells of a tag or a note in a notice.
const NOTICE: usize = 60;

/// The list's sign for a sample's review: the first of these that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListRemark {
    /// It is marked.
    Marked,
    /// The reviewer has checked the dataset's labels; never while labels are hidden.
    Checked(SpotCheckVerdict),
    /// It has a note or a tag.
    Noted,
    /// It was judged.
    Rated,
}

impl App {
    /// Returns the list's sign for a sample, by its number, as far as the reviewer may see it.
    /// Called for every row of every frame, so it uses the review index, except for the reviewer's
    /// own check and for the selected sample, which may show more.
    pub fn remark_in_list(&self, sample: usize) -> Option<ListRemark> {
        let [marked, noted, rated] = if sample == self.selection.selected {
            let said = self.known_remark(sample)?;
            let rated = said.ratings.iter().any(Rating::is_judged);
            [
                said.marked,
                !said.notes.is_empty() || !said.tags.is_empty(),
                rated,
            ]
        } else {
            let said = self.data.remarks.get(u32::try_from(sample).ok()?)?;
            [
                said.marked,
                !said.notes.is_empty() || !said.tags.is_empty(),
                said.rated,
            ]
        };
        [
            marked.then_some(ListRemark::Marked),
            self.own_check(sample)
                .map(|own| ListRemark::Checked(own.verdict)),
            noted.then_some(ListRemark::Noted),
            rated.then_some(ListRemark::Rated),
        ]
        .into_iter()
        .flatten()
        .next()
    }

    /// Marks or unmarks the selected sample.
    pub(crate) fn toggle_mark(&mut self) {
        let remark = self
            .known_remark(self.selection.selected)
            .unwrap_or_default();
        let (on, stays) = (
            !remark.marked,
            remark.is_marked_without(self.review.reviewer()),
        );
        if stays {
            let key = self.key_or_name(Context::Read, Action::Mark);
            self.say(texts::mark_remains(key));
        }
        self.record(Act::Mark { on });
    }

    /// Adds the typed tags to a sample, and removes those with a minus.
    ///
    /// # Errors
    /// If a word is not a tag.
    pub(crate) fn accept_tags(&mut self, sample: usize, line: &str) -> Result<(), QueryError> {
        let remark = self.known_remark(sample).unwrap_or_default();
        let (mut acts, mut stays) = (Vec::new(), None);
        for (at, word) in words(line) {
            let (tag, on) = word
                .strip_prefix('-')
                .map_or((word, true), |tag| (tag, false));
            let wrong = |message: &str| QueryError::new(at..at + word.len(), message);
            if tag.is_empty() || tag.chars().count() > LONGEST_TAG {
                return Err(wrong(texts::TAG_LENGTH));
            }
            if tag.contains(['"', '\'', '(', ')', '=', ':', '<', '>'])
                || tag.contains(char::is_control)
            {
                return Err(wrong(texts::TAG_CHARACTERS));
            }
            let there = remark.tags.contains(tag);
            if there && !on && remark.is_tagged_without(self.review.reviewer(), tag) {
                stays = Some(texts::tag_remains(text::one_line(tag, NOTICE)));
            }
            if there != on {
                let act = Act::Tag {
                    tag: tag.into(),
                    on,
                };
                acts.push(act);
            } else if !on {
                let tags: Vec<_> = remark.tags.iter().map(|tag| &**tag).collect();
                let has = match &*tags.join(", ") {
                    "" => "it has no tags".to_owned(),
                    used => format!("it has {used}"),
                };
                return Err(wrong(&texts::not_tagged(has)));
            }
        }
        self.status.notice = stays.or(self.status.notice.take());
        for act in acts {
            self.record_of(Some(sample), act);
        }
        Ok(())
    }

    /// Returns tags in use that begin with the typed text and that the sample lacks, or has if they
    /// follow a minus.
    pub(crate) fn tag_completions(&self, text: &str, cursor: usize) -> Completions {
        let start = text[..cursor].rfind([' ', ',']).map_or(0, |at| at + 1);
        let typed = &text[start..cursor];
        let (minus, typed) = typed
            .strip_prefix('-')
            .map_or(("", typed), |tag| ("-", tag));
        let own = self
            .known_remark(self.selection.selected)
            .map(|remark| remark.tags.clone())
            .unwrap_or_default();
        let used = self.data.remarks.tags();
        let fits = |(tag, _): &(&Arc<str>, &usize)| {
            tag.starts_with(typed) && own.contains(*tag) != minus.is_empty()
        };
        let items = used.iter().filter(fits).map(|(tag, count)| Completion {
            text: format!("{minus}{tag}"),
            note: crate::text::counted(*count, "sample"),
        });
        Completions {
            span: start..cursor,
            items: items.collect(),
        }
    }

    /// Undoes the reviewer's latest act, and selects its sample.
    pub(crate) fn undo(&mut self) {
        let Some(entry) = self.review.ledger.undoable(&self.review.reviewer).cloned() else {
            self.say("You have nothing to undo.");
            return;
        };
        if let Act::Audit(_) = &entry.act {
            let session = self.review.session(&entry.id);
            if session.is_some_and(|session| was_judged(session, &self.review.ledger, None)) {
                self.say("Cannot undo the audit: it already has judgments.");
                return;
            }
            let running = self.running();
            if running.is_some_and(|running| running.session.id == entry.id) {
                self.leave_audit();
            }
        }
        self.undo_or_redo(
            &entry,
            "Undone",
            Act::Undo {
                entry: entry.id.clone(),
            },
        );
    }

    /// Returns whether an act cannot be undone because labels were revealed since; if so, shows a
    /// notice and its sample.
    fn is_undo_blocked(&mut self, entry: &ActRecord) -> bool {
        let shown = self.was_revealed_after(entry);
        if shown {
            self.say(texts::REVEALED_SINCE);
            if let Some(position) = self.position_of(entry) {
                self.select(position);
            }
        }
        shown
    }

    /// True if an act is part of a complete judgment after which labels were revealed: undoing it
    /// would lose what was judged blind.
    fn was_revealed_after(&self, entry: &ActRecord) -> bool {
        let setting = entry
            .act
            .setting()
            .filter(|setting| !setting.revealed && (setting.blind || setting.seen));
        let Some((setting, sample_ref)) = setting.zip(entry.sample_ref.as_ref()) else {
            return false;
        };
        if self.has_ended_and_revealed(setting) {
            return true;
        }
        let key = &sample_ref.sample;
        let sample = self.review.places.first(key);
        let rating = self
            .review
            .ledger
            .rating(key, &self.review.reviewer, setting);
        let Some((rating, sample)) = rating.zip(sample) else {
            return false;
        };
        let here = self.review.shown.contains(key);
        let shown = rating.before_reveal.is_some()
            || here
            || self.review.ledger.has_seen(&self.review.reviewer, key);
        shown && self.is_complete_rating(sample, rating.as_given())
    }

    /// Repeats the act that was undone last.
    pub(crate) fn redo(&mut self) {
        let Some(entry) = self.review.ledger.redoable(&self.review.reviewer).cloned() else {
            self.say("You have nothing to redo.");
            return;
        };
        self.undo_or_redo(
            &entry,
            "Redone",
            Act::Redo {
                entry: entry.id.clone(),
            },
        );
    }

    fn undo_or_redo(&mut self, entry: &ActRecord, how: &str, act: Act) {
        if self.is_undo_blocked(entry) {
            return;
        }
        let place = entry
            .sample_ref
            .as_ref()
            .and_then(|sample_ref| self.review.places.first(&sample_ref.sample))
            .map(|sample| format!(" of sample {}", text::grouped(sample + 1)))
            .filter(|_| !self.is_blind());
        // A check reveals labels: by the sample and by its verdict.
        let is_secret = self.is_blind() && matches!(entry.act, Act::Check { .. });
        // In an audit, the question that was answered.
        let position = self.position_of(entry).filter(|_| !is_secret);
        if let Some(position) = position {
            self.jump_to(position);
        }
        let what = if is_secret {
            "a check".to_owned()
        } else {
            act_words(&entry.act)
        };
        self.say(format!("{how}: {what}{}.", place.unwrap_or_default()));
        self.review.undone_answer = match &entry.act {
            Act::Rate { rated, .. } => Some(rated.clone()),
            _ => None,
        };
        if self.record_of(None, act) {
            self.ask_undone();
        }
    }
}

impl App {
    /// Selects the next marked sample among those shown, wrapping around.
    pub(crate) fn next_mark(&mut self, times: usize) {
        let (shown, from, count) = (self.shown(), self.selection.position, self.shown().len());
        let remark = |sample: usize| self.data.remarks.get(sample as u32);
        let marked = |position: &usize| {
            shown
                .sample(*position)
                .and_then(remark)
                .is_some_and(|remark| remark.marked)
        };
        if self.data.remarks.is_empty() || count == 0 {
            let key = self.key_or_name(Context::Read, Action::Mark);
            self.say(texts::no_marks(key));
            return;
        }
        let found: Vec<_> = (1..=count)
            .map(|step| (from + step) % count)
            .filter(marked)
            .take(times.max(1))
            .collect();
        match found.last() {
            None => {
                let key = self.key_or_name(Context::Read, Action::Mark);
                self.say(texts::no_marks_shown(key));
            }
            Some(&position) => {
                let wrapped = position <= from;
                self.jump_to(position);
                if wrapped {
                    self.say("Continued from the first mark.");
                }
            }
        }
    }
}

/// Describes an act.
fn act_words(act: &Act) -> String {
    match act {
        Act::Mark { on: true } => "the mark".to_owned(),
        Act::Mark { on: false } => "removing the mark".to_owned(),
        Act::Tag { tag, on: true } => format!("the tag {}", text::one_line(tag, NOTICE)),
        Act::Tag { tag, on: false } => {
            format!("removing the tag {}", text::one_line(tag, NOTICE))
        }
        Act::Note { .. } => "the note".to_owned(),
        Act::Check {
            verdict: Some(verdict),
            ..
        } => format!("the check “{}”", verdict.word()),
        Act::Check { verdict: None, .. } => "withdrawing the check".to_owned(),
        Act::Rate { .. } => "a judgment".to_owned(),
        Act::Skip { .. } => "skipping".to_owned(),
        Act::Defer { .. } => "deferring".to_owned(),
        Act::Audit(_) => "the audit".to_owned(),
        _ => "that".to_owned(),
    }
}

/// Splits at whitespace and commas; returns each word with the byte where it begins.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    line.split([' ', ',']).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

/// Most cells of another reviewer's name.
const NAME: usize = 24;
/// The argument of `:check` that withdraws a verdict.
const OFF: &str = "off";

impl App {
    /// True if the reviewer checked a sample, by its number, as part of this queue.
    pub(crate) fn is_checked_in(&self, sample: usize, queue: &CheckDraw) -> bool {
        (self.own_check(sample)).is_some_and(|own| own.is_of_queue(queue))
    }

    /// Returns the reviewer's check of a sample, by its number; `None` while labels are hidden,
    /// because it reveals them.
    pub fn own_check(&self, sample: usize) -> Option<&SpotCheck> {
        let remark = self.review.remark(sample);
        remark
            .filter(|_| !self.is_blind())?
            .check_by(&self.review.reviewer)
    }

    /// Records the reviewer's verdict on the dataset's labels of the selected sample, and how the
    /// sample was chosen; `None` withdraws it. An identical check in the same queue is not recorded
    /// again.
    ///
    /// Returns false, with a notice, if the sample was not on the screen or cannot be read, if
    /// labels are hidden, or in an audit.
    pub fn check_sample(&mut self, verdict: Option<SpotCheckVerdict>, drawn: CheckDraw) -> bool {
        if !self.may_check() {
            return false;
        }
        let known = self.own_check(self.selection.selected);
        if verdict.is_none() && known.is_none() {
            self.say("You have not checked this sample.");
            return false;
        }
        let is_said = known.is_some_and(|known| {
            verdict == Some(known.verdict)
                && (known.draws.contains(&drawn) || drawn == CheckDraw::Chosen)
        });
        is_said || self.record(Act::Check { verdict, drawn })
    }

    /// Returns whether the selected sample may be checked; otherwise shows a notice.
    fn may_check(&mut self) -> bool {
        if self.shown().is_empty() {
            self.say("No sample to check.");
            return false;
        }
        if self.is_blind() {
            self.say(format!("{HIDDEN}, so you cannot check them."));
            return false;
        }
        // First, since it selects another sample, which the reviewer has not seen yet.
        self.leave_finished_audit();
        if self.is_auditing() || !self.is_drawn() {
            return false;
        }
        let is_there = self.responses_of(self.selection.selected) > 0;
        if !is_there {
            self.say(texts::NOTHING_TO_JUDGE);
        }
        is_there
    }

    /// Describes the checks of a sample, the reviewer's own first: `wrong`, `right (ann)`. Empty
    /// while labels are hidden; a queue hides others' checks until the reviewer has checked the
    /// sample.
    pub fn check_words(&self, remark: &SampleReview) -> Vec<String> {
        let own = self.review.reviewer();
        let mut checks: Vec<_> = remark.checks.iter().collect();
        let is_awaited = self.views.queue().is_some() && remark.check_by(own).is_none();
        checks.retain(|_| !self.is_blind() && !is_awaited);
        checks.sort_by_key(|check| *check.reviewer != *own);
        let words = |check: &SpotCheck| match *check.reviewer == *own {
            true => check.verdict.word().to_owned(),
            // Reviewer names in other journals are arbitrary text.
            false => {
                let who = text::one_line(&check.reviewer, NAME);
                format!("{} ({who})", check.verdict.word())
            }
        };
        checks.into_iter().map(words).collect()
    }

    /// Runs `:check` with `right`, `wrong`, `unclear` or `off`.
    ///
    /// # Errors
    /// For any other word.
    pub(crate) fn check_as_typed(&mut self, word: &str) -> Result<(), String> {
        let verdict = SpotCheckVerdict::of_word(word);
        if verdict.is_none() && word != OFF {
            let words = SpotCheckVerdict::ALL.map(SpotCheckVerdict::word).join(", ");
            return Err(texts::expected_verdict(words, OFF));
        }
        if self.check_sample(verdict, CheckDraw::Chosen) {
            self.say(match verdict {
                Some(verdict) => texts::checked(verdict.word()),
                None => "Withdrew your check.".to_owned(),
            });
        }
        Ok(())
    }
}
