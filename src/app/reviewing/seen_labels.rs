//! What the reviewer's screen has shown. A judgment is blind only if the labels were not seen
//! before, and it only counts for what was on the screen.

use super::super::responses_page::{BOTH, ShownPair};
use super::super::{Browser, Effect, Review, Views, texts};
use super::ReviewEffect;
use crate::dataset::SampleKey;
use crate::export::BlindMask;
use crate::journal::{Rating, Reveal, Setting};
use crate::model::ResponseId;

/// A sample as shown by a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSample {
    generation: u64,
    position: usize,
    sample: usize,
    mask: BlindMask,
    /// The responses in the panes, by their letters on the screen.
    pair: ShownPair,
    /// Its key if it has responses. What was seen is stored by key, because sample numbers can
    /// change.
    key: Option<SampleKey>,
}

impl Review {
    /// Returns the sample that a frame drawn now shows, if any.
    pub fn on_screen(&self, browser: &Browser, views: &Views) -> Option<ScreenSample> {
        let covered = views.covering().is_some();
        let is_there = !browser.shown().is_empty() && browser.laid_page().is_some();
        (is_there && !covered).then(|| self.screen_sample(browser))
    }

    fn screen_sample(&self, browser: &Browser) -> ScreenSample {
        let key = browser
            .current_sample_key()
            .filter(|_| browser.responses_of(browser.selection.selected) > 0);
        ScreenSample {
            generation: browser.data.generation,
            position: browser.selection.position,
            sample: browser.selection.selected,
            mask: self.mask(browser),
            pair: browser.page().map_or(BOTH, |page| page.pair),
            key,
        }
    }

    /// Remembers the labels shown by a frame.
    pub(crate) fn note_drawn(&mut self, drawn: Option<ScreenSample>, browser: &mut Browser) {
        let key = drawn
            .filter(|drawn| !drawn.mask.hidden)
            .and_then(|drawn| drawn.key);
        let Some(key) = key else { return };
        if self.shown.insert(key) {
            self.unrecorded.insert(key);
        }
        // While judging blind this must not be lost; otherwise it is written later, all at once.
        if browser.is_blind() {
            self.record_seen(browser);
        }
    }

    /// Records the samples seen since the last call.
    pub(crate) fn record_seen(&mut self, browser: &mut Browser) {
        let keys = std::mem::take(&mut self.unrecorded);
        if !keys.is_empty() {
            let seen = keys.into_iter().collect();
            browser.request(Effect::Review(ReviewEffect::Seen(seen)));
        }
    }

    /// Returns whether the last frame showed the selected sample; otherwise shows a notice that the
    /// key was typed ahead.
    pub(super) fn is_drawn(&self, browser: &mut Browser, views: &Views) -> bool {
        let expected = self.screen_sample(browser);
        let asked = views.asked_response(browser);
        // While a page is laid out again, its key and the responses in its panes may be unknown. It
        // is still the same sample, and the response in question was in a pane.
        let is_drawn = self.drawn.is_some_and(|drawn| {
            let ScreenSample { key, pair, .. } = drawn;
            drawn
                == ScreenSample {
                    key,
                    pair,
                    ..expected
                }
                && asked.is_none_or(|asked| pair.contains(&asked))
        });
        if !is_drawn && !browser.shown().is_empty() {
            browser.say(texts::NOT_SHOWN);
        }
        is_drawn
    }

    /// True if a response, by its screen letter, was in a pane of the last frame.
    pub(super) fn was_in_pane(&self, shown: ResponseId) -> bool {
        let drawn = self.drawn;
        drawn.is_some_and(|drawn| drawn.pair.contains(&shown))
    }

    /// True if the selected sample is judged blind but its labels were seen before.
    pub fn is_seen_before(&self, browser: &Browser) -> bool {
        self.mask(browser).hidden && self.is_seen(browser)
    }

    /// True if this reviewer's screen has shown the labels of the selected sample.
    pub fn is_seen(&self, browser: &Browser) -> bool {
        let Some(key) = self
            .key(browser.selection.selected)
            .copied()
            .or_else(|| browser.current_sample_key())
        else {
            return false;
        };
        let key = &key;
        if self.shown.contains(key) || self.ledger.has_seen(&self.reviewer, key) {
            return true;
        }
        let setting = self.base_setting(browser);
        let ratings = self
            .ledger
            .remark(key)
            .map(|remark| remark.ratings.as_slice())
            .unwrap_or_default();
        ratings.iter().any(|rating| {
            *rating.reviewer == *self.reviewer && self.implies_seen(rating, &setting, browser)
        })
    }

    /// True if a rating of the selected sample implies that labels were seen; older journals do not
    /// record it directly.
    fn implies_seen(&self, rating: &Rating, now: &Setting, browser: &Browser) -> bool {
        let given = rating.as_given();
        let is_open = given.is_judged() && !given.setting.blind && !given.setting.seen;
        if rating.before_reveal.is_some() || is_open {
            return true;
        }
        let is_this = rating.setting.audit == now.audit && rating.setting.pass == now.pass;
        !is_this
            && browser.is_complete_rating(browser.selection.selected, given)
            && self.had_revealed(&rating.setting, browser)
    }

    /// True if a complete judgment has revealed labels, or will have by now.
    fn had_revealed(&self, setting: &Setting, browser: &Browser) -> bool {
        let Some(audit) = &setting.audit else {
            return true;
        };
        self.session(audit)
            .is_some_and(|session| match session.audit.reveals() {
                Reveal::After => true,
                Reveal::End => self.progress(session, browser).is_settled(),
                Reveal::Never => false,
            })
    }

    /// True if the audit of a judgment has ended and revealed the labels of all its samples; its
    /// judgments then cannot be undone.
    pub(super) fn has_ended_and_revealed(&self, setting: &Setting, browser: &Browser) -> bool {
        let never = self
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        let session = setting
            .audit
            .as_ref()
            .and_then(|id| self.session(id))
            .filter(|_| !never);
        session.is_some_and(|session| {
            session.audit.reveals() == Reveal::End && self.progress(session, browser).is_settled()
        })
    }
}

impl Browser {
    /// Returns the key of the selected sample, computed with its page; `None` while the page is
    /// being read.
    pub(crate) fn current_sample_key(&self) -> Option<SampleKey> {
        self.current_page()?.sample_key
    }

    /// True if a rating answers all questions about a sample.
    pub(super) fn is_complete_rating(&self, sample: usize, rating: &Rating) -> bool {
        let responses = self.responses_of(sample);
        let scale = self.scale_of(sample);
        scale.is_some_and(|scale| scale.is_complete(responses, rating))
    }
}
