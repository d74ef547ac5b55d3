//! What a reviewer's screen has shown: a judgment is blind only where the reviewer had not seen
//! what the dataset says, and it is one only of what was drawn.

use super::super::responses::{BOTH, ShownPair};
use super::super::{App, Effect};
use super::ReviewEffect;
use crate::dataset::SampleKey;
use crate::export::BlindMask;
use crate::journal::{Rating, Reveal, Setting};
use crate::model::ResponseId;

/// A sample as a frame showed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnScreen {
    generation: u64,
    position: usize,
    sample: usize,
    mask: BlindMask,
    /// The responses in the panes, by their letters on the screen.
    pair: ShownPair,
    /// Its key, where it has responses: what was seen is remembered by it, since another reading
    /// may number samples otherwise.
    key: Option<SampleKey>,
}

impl App {
    /// The sample that a frame drawn now shows; `None` where none is to be seen.
    pub fn on_screen(&self) -> Option<OnScreen> {
        let covered = self.views.covering().is_some();
        let is_there = !self.shown().is_empty()
            && self
                .open
                .page
                .as_ref()
                .is_some_and(|page| page.key == self.page_key());
        (is_there && !covered).then(|| self.wanted_on_screen())
    }

    fn wanted_on_screen(&self) -> OnScreen {
        let key = self
            .laid_key()
            .filter(|_| self.responses_of(self.selection.selected) > 0);
        OnScreen {
            generation: self.data.generation,
            position: self.selection.position,
            sample: self.selection.selected,
            mask: self.mask(),
            pair: self.page().map_or(BOTH, |page| page.pair),
            key,
        }
    }

    /// The key of the selected sample, as it was computed with its page; `None` while that is being
    /// read.
    pub(in crate::app) fn laid_key(&self) -> Option<SampleKey> {
        self.open
            .page
            .as_ref()
            .filter(|_| self.page_is_current())?
            .sample_key
    }

    /// Keys from now on were typed with this on the screen.
    pub(in crate::app) fn note_caught_up(&mut self, drawn: Option<OnScreen>) {
        self.review.drawn = drawn;
    }

    /// A frame was drawn: what it told of a sample is remembered.
    pub(in crate::app) fn note_drawn(&mut self, drawn: Option<OnScreen>) {
        let told = drawn
            .filter(|drawn| !drawn.mask.hidden)
            .and_then(|told| told.key);
        let Some(key) = told else { return };
        if self.review.shown.insert(key) {
            self.review.untold.insert(key);
        }
        // While one judges blind it must not be lost; otherwise it is written at once for all when
        // it matters.
        if self.is_blind() {
            self.tell_seen();
        }
    }

    /// Has written which samples were seen since that was last done.
    pub(in crate::app) fn tell_seen(&mut self) {
        let keys = std::mem::take(&mut self.review.untold);
        if !keys.is_empty() {
            let seen = keys.into_iter().collect();
            self.request(Effect::Review(ReviewEffect::Seen(seen)));
        }
    }

    /// Whether the selected sample stands on the screen as it is judged. Says so where it does not:
    /// a key was typed ahead of it.
    pub(super) fn is_drawn(&mut self) -> bool {
        let wanted = self.wanted_on_screen();
        let asked = self.asked_response();
        // While a page is laid out anew its key may not be known, nor what will stand in the panes;
        // it is the same sample all the same, and what is asked about was in one of them.
        let is_drawn = self.review.drawn.is_some_and(|drawn| {
            let OnScreen { key, pair, .. } = drawn;
            drawn
                == OnScreen {
                    key,
                    pair,
                    ..wanted
                }
                && asked.is_none_or(|asked| pair.contains(&asked))
        });
        if !is_drawn && !self.shown().is_empty() {
            self.status.notice = Some("Not taken: it was typed ahead of the screen.".to_owned());
        }
        is_drawn
    }

    /// Whether a response, by its letter, stood in a pane of the frame that keys answer.
    pub(super) fn was_in_sight(&self, shown: ResponseId) -> bool {
        let drawn = self.review.drawn;
        drawn.is_some_and(|drawn| drawn.pair.contains(&shown))
    }

    /// Whether this reviewer's screen has shown what the dataset says of the selected sample.
    pub fn is_seen(&self) -> bool {
        let review = &self.review;
        let Some(key) = review
            .key(self.selection.selected)
            .copied()
            .or_else(|| self.laid_key())
        else {
            return false;
        };
        let key = &key;
        if review.shown.contains(key) || review.ledger.has_seen(&review.reviewer, key) {
            return true;
        }
        let setting = self.occasion();
        let ratings = review
            .ledger
            .remark(key)
            .map(|remark| remark.ratings.as_slice())
            .unwrap_or_default();
        ratings
            .iter()
            .any(|rating| *rating.reviewer == *review.reviewer && self.was_told(rating, &setting))
    }

    /// Whether a rating of the selected sample, as older journals have it, lets conclude that the
    /// reviewer was shown what the dataset says.
    fn was_told(&self, rating: &Rating, now: &Setting) -> bool {
        let given = rating.as_given();
        let is_open = given.is_judged() && !given.setting.blind && !given.setting.seen;
        if rating.before_reveal.is_some() || is_open {
            return true;
        }
        let is_this = rating.setting.audit == now.audit && rating.setting.pass == now.pass;
        !is_this
            && self.is_whole_of(self.selection.selected, given)
            && self.had_revealed(&rating.setting)
    }

    /// Whether a whole judgment made labels show, or will have by now.
    fn had_revealed(&self, setting: &Setting) -> bool {
        let Some(audit) = &setting.audit else {
            return true;
        };
        self.review
            .ledger
            .sessions()
            .find(|session| session.id == *audit)
            .is_some_and(|session| match session.audit.reveals() {
                Reveal::After => true,
                Reveal::End => self.standing(session).is_settled(),
                Reveal::Never => false,
            })
    }

    /// Whether the audit of a judgment has shown the labels of all its samples at its end: nothing
    /// that was judged in it before is taken back.
    pub(super) fn is_over(&self, setting: &Setting) -> bool {
        let never = self
            .review
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        let session = setting
            .audit
            .as_ref()
            .and_then(|id| self.session(id))
            .filter(|_| !never);
        session.is_some_and(|session| {
            session.audit.reveals() == Reveal::End && self.standing(session).is_settled()
        })
    }

    /// Whether a rating answers all that is asked about a sample.
    pub(super) fn is_whole_of(&self, sample: usize, rating: &Rating) -> bool {
        let responses = self.responses_of(sample);
        let scale = self.scale_of(sample);
        scale.is_some_and(|scale| scale.is_complete(responses, rating))
    }
}
