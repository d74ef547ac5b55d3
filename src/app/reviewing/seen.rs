//! What a reviewer's screen has shown: a judgment is blind only where the reviewer had not seen
//! what the dataset says, and it is one only of what was drawn.

use super::super::responses_page::{BOTH, ShownPair};
use super::super::{Browser, Effect, Review, Views};
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

impl Review {
    /// The sample that a frame drawn now shows; `None` where none is to be seen.
    pub fn on_screen(&self, browser: &Browser, views: &Views) -> Option<OnScreen> {
        let covered = views.covering().is_some();
        let is_there = !browser.shown().is_empty() && browser.laid_page().is_some();
        (is_there && !covered).then(|| self.wanted_on_screen(browser))
    }

    fn wanted_on_screen(&self, browser: &Browser) -> OnScreen {
        let key = browser
            .laid_key()
            .filter(|_| browser.responses_of(browser.selection.selected) > 0);
        OnScreen {
            generation: browser.data.generation,
            position: browser.selection.position,
            sample: browser.selection.selected,
            mask: self.mask(browser),
            pair: browser.page().map_or(BOTH, |page| page.pair),
            key,
        }
    }

    /// A frame was drawn: what it told of a sample is remembered.
    pub(crate) fn note_drawn(&mut self, drawn: Option<OnScreen>, browser: &mut Browser) {
        let told = drawn
            .filter(|drawn| !drawn.mask.hidden)
            .and_then(|told| told.key);
        let Some(key) = told else { return };
        if self.shown.insert(key) {
            self.untold.insert(key);
        }
        // While one judges blind it must not be lost; otherwise it is written at once for all when
        // it matters.
        if browser.is_blind() {
            self.tell_seen(browser);
        }
    }

    /// Has written which samples were seen since that was last done.
    pub(crate) fn tell_seen(&mut self, browser: &mut Browser) {
        let keys = std::mem::take(&mut self.untold);
        if !keys.is_empty() {
            let seen = keys.into_iter().collect();
            browser.request(Effect::Review(ReviewEffect::Seen(seen)));
        }
    }

    /// Whether the selected sample stands on the screen as it is judged. Says so where it does not:
    /// a key was typed ahead of it.
    pub(super) fn is_drawn(&self, browser: &mut Browser, views: &Views) -> bool {
        let wanted = self.wanted_on_screen(browser);
        let asked = views.asked_response(browser);
        // While a page is laid out anew its key may not be known, nor what will stand in the panes;
        // it is the same sample all the same, and what is asked about was in one of them.
        let is_drawn = self.drawn.is_some_and(|drawn| {
            let OnScreen { key, pair, .. } = drawn;
            drawn
                == OnScreen {
                    key,
                    pair,
                    ..wanted
                }
                && asked.is_none_or(|asked| pair.contains(&asked))
        });
        if !is_drawn && !browser.shown().is_empty() {
            browser.say("Not taken: it was typed ahead of the screen.");
        }
        is_drawn
    }

    /// Whether a response, by its letter, stood in a pane of the frame that keys answer.
    pub(super) fn was_in_sight(&self, shown: ResponseId) -> bool {
        let drawn = self.drawn;
        drawn.is_some_and(|drawn| drawn.pair.contains(&shown))
    }

    /// Whether the labels of the selected sample, which is judged blind, were seen before.
    pub fn is_seen_before(&self, browser: &Browser) -> bool {
        self.mask(browser).hidden && self.is_seen(browser)
    }

    /// Whether this reviewer's screen has shown what the dataset says of the selected sample.
    pub fn is_seen(&self, browser: &Browser) -> bool {
        let Some(key) = self
            .key(browser.selection.selected)
            .copied()
            .or_else(|| browser.laid_key())
        else {
            return false;
        };
        let key = &key;
        if self.shown.contains(key) || self.ledger.has_seen(&self.reviewer, key) {
            return true;
        }
        let setting = self.occasion(browser);
        let ratings = self
            .ledger
            .remark(key)
            .map(|remark| remark.ratings.as_slice())
            .unwrap_or_default();
        ratings.iter().any(|rating| {
            *rating.reviewer == *self.reviewer && self.was_told(rating, &setting, browser)
        })
    }

    /// Whether a rating of the selected sample, as older journals have it, lets conclude that the
    /// reviewer was shown what the dataset says.
    fn was_told(&self, rating: &Rating, now: &Setting, browser: &Browser) -> bool {
        let given = rating.as_given();
        let is_open = given.is_judged() && !given.setting.blind && !given.setting.seen;
        if rating.before_reveal.is_some() || is_open {
            return true;
        }
        let is_this = rating.setting.audit == now.audit && rating.setting.pass == now.pass;
        !is_this
            && browser.is_whole_of(browser.selection.selected, given)
            && self.had_revealed(&rating.setting, browser)
    }

    /// Whether a whole judgment made labels show, or will have by now.
    fn had_revealed(&self, setting: &Setting, browser: &Browser) -> bool {
        let Some(audit) = &setting.audit else {
            return true;
        };
        self.session(audit)
            .is_some_and(|session| match session.audit.reveals() {
                Reveal::After => true,
                Reveal::End => self.standing(session, browser).is_settled(),
                Reveal::Never => false,
            })
    }

    /// Whether the audit of a judgment has shown the labels of all its samples at its end: nothing
    /// that was judged in it before is taken back.
    pub(super) fn is_over(&self, setting: &Setting, browser: &Browser) -> bool {
        let never = self
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        let session = setting
            .audit
            .as_ref()
            .and_then(|id| self.session(id))
            .filter(|_| !never);
        session.is_some_and(|session| {
            session.audit.reveals() == Reveal::End && self.standing(session, browser).is_settled()
        })
    }
}

impl Browser {
    /// The key of the selected sample, as it was computed with its page; `None` while that is being
    /// read.
    pub(crate) fn laid_key(&self) -> Option<SampleKey> {
        self.current_page()?.sample_key
    }

    /// Whether a rating answers all that is asked about a sample.
    pub(super) fn is_whole_of(&self, sample: usize, rating: &Rating) -> bool {
        let responses = self.responses_of(sample);
        let scale = self.scale_of(sample);
        scale.is_some_and(|scale| scale.is_complete(responses, rating))
    }
}
