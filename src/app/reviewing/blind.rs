//! Blind judging: the reviewer does not see the dataset's labels. A judgment is blind only if the
//! labels were not seen before, and it only counts for what was on the screen.

use super::super::pages::responses_page::{BOTH, ShownPair};
use super::super::{Action, App, Context, Review, texts};
use super::Pending;
use crate::dataset::SampleKey;
use crate::export::BlindMask;
use crate::journal::{AfterReveal, Rating, RatingState, Reveal, Setting};
use crate::model::{ResponseId, ResponseOrder};
use crate::query::{self, Field, Query};

/// Settings of blind judging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blind {
    /// When labels are revealed.
    pub reveal: Reveal,
    /// Whether labels stay hidden for the whole run.
    pub strict: bool,
}

/// The reason given for actions that are unavailable while labels are hidden.
pub(super) const HIDDEN: &str = "Labels are hidden while you judge blind";

impl App {
    /// True if the labels of unjudged samples are hidden.
    pub fn is_blind(&self) -> bool {
        self.data.catalog.is_blind
    }

    /// True if a rating of the selected sample, as first given, is complete or a skip.
    pub(super) fn is_settled(&self, rating: &Rating) -> bool {
        let given = rating.as_given();
        given.state == RatingState::Skipped
            || self.is_complete_rating(self.selection.selected, given)
    }

    /// Returns why an action of the panes does nothing now, and what to do; `None` if it acts.
    pub fn refusal(&self, action: Action) -> Option<String> {
        match action {
            action if needs_all_samples(action) && self.is_judging_audit() => {
                Some(texts::NOT_IN_AUDIT.to_owned())
            }
            Action::LabelsPanel | Action::Sort if self.is_blind_for_all() => {
                Some(format!("{HIDDEN}."))
            }
            Action::Responses
            | Action::Mark
            | Action::Tag
            | Action::Note
            | Action::Record
            | Action::Copy
                if self.shown().is_empty() =>
            {
                let key = self.key_or_name(Context::Read, Action::DropFilter);
                Some(match self.filter.active() {
                    Some(_) => texts::no_sample_shown(key),
                    None => texts::NO_SAMPLE_SHOWN.to_owned(),
                })
            }
            _ => None,
        }
    }

    /// True if labels are hidden of all samples, and not only in a finished audit, which is left for
    /// what is about all samples.
    pub(crate) fn is_blind_for_all(&self) -> bool {
        let is_of_run = self.review.blind.is_some() || self.review.undecided;
        self.is_blind() && (is_of_run || self.running().is_none() || self.is_judging_audit())
    }

    /// Returns whether labels are hidden; if so, shows a notice that the action would reveal them.
    pub(crate) fn is_withheld(&mut self) -> bool {
        let blind = self.is_blind();
        if blind {
            self.say(format!("{HIDDEN}."));
        }
        blind
    }

    /// True if an audit with open questions is active.
    fn is_judging_audit(&self) -> bool {
        self.running()
            .is_some_and(|running| !running.progress.is_finished())
    }

    /// Returns whether an audit with open questions is active; if so, shows a notice that the action
    /// must wait.
    pub(crate) fn is_auditing(&mut self) -> bool {
        let running = self.is_judging_audit();
        if running {
            self.say(texts::NOT_IN_AUDIT);
        }
        running
    }

    /// True if knowing that a sample matches this query reveals labels to a blind reviewer.
    pub(super) fn reveals_labels(&self, query: &str) -> bool {
        let read = query::parse(query, &self.data.catalog.with_labels());
        // An invalid query may name a hidden field.
        self.is_blind() && read.map_or(true, |query| self.query_reveals_labels(&query))
    }

    fn query_reveals_labels(&self, query: &Query) -> bool {
        query::reveals_labels(query, &self.data.catalog)
    }

    /// Returns why a field is hidden, if it is.
    pub(crate) fn withheld_field(&self, field: &Field) -> Option<&'static str> {
        (self.is_blind() && self.data.catalog.hides(field)).then_some(HIDDEN)
    }

    /// Returns why a query cannot be applied now, if so.
    pub(crate) fn withheld(&self, query: &Query) -> Option<String> {
        (self.is_blind() && self.query_reveals_labels(query))
            .then(|| format!("{HIDDEN}; this query would reveal them"))
    }
}

/// True if an action is about all samples, not about those of an audit.
pub(in crate::app) const fn needs_all_samples(action: Action) -> bool {
    matches!(
        action,
        Action::Filter
            | Action::DropFilter
            | Action::LabelsPanel
            | Action::Sort
            | Action::Search
            | Action::Statistics
            | Action::Findings
    )
}

impl App {
    /// Leaves an audit without open questions, for what is about all samples.
    pub(in crate::app) fn leave_finished_audit(&mut self) {
        if self.running().is_some() && !self.is_judging_audit() {
            self.leave_audit();
        }
    }

    /// Returns when labels are revealed: the later of the active audit's and the run's settings.
    fn reveal(&self) -> Reveal {
        self.running()
            .map(|running| running.session.audit.reveals())
            .into_iter()
            .chain(self.review.blind.map(|blind| blind.reveal))
            .max()
            .unwrap_or_default()
    }

    /// Returns what is hidden of the selected sample.
    pub fn mask(&self) -> BlindMask {
        let setting = self.base_setting();
        BlindMask {
            hidden: self.is_blind() && !self.is_revealed(&setting),
            order: setting.order,
        }
    }

    /// Returns the circumstances in which the selected sample is judged.
    pub(super) fn setting(&self) -> Setting {
        self.exposure().setting
    }

    /// Returns what the reviewer sees, and has seen, of the selected sample's labels.
    pub(super) fn exposure(&self) -> Exposure {
        let base_setting = self.base_setting();
        let hidden = self.is_blind() && !self.is_revealed(&base_setting);
        let seen = self.is_seen();
        let rating = self
            .review
            .own_rating(self.selection.selected, &base_setting);
        let revealed = rating.filter(|rating| {
            let given = &rating.as_given().setting;
            if hidden {
                given.blind && seen && self.is_settled(rating)
            } else {
                given.blind || given.seen
            }
        });
        let is_closed = revealed.is_some_and(|rating| {
            self.is_settled(rating) && rating.after_reveal() != Some(AfterReveal::PutOff)
        });
        Exposure {
            setting: Setting {
                blind: hidden && !seen,
                seen: hidden && seen,
                revealed: revealed.is_some(),
                ..base_setting
            },
            is_closed,
        }
    }

    /// Returns the circumstances without those of blindness.
    fn base_setting(&self) -> Setting {
        if let Some(running) = self.running() {
            return running.setting(self.selection.position);
        }
        if !self.is_order_random() || self.responses_of(self.selection.selected) < 2 {
            return Setting::default();
        }
        // A judged sample keeps its order; otherwise the page knows the random order.
        let coin = self.coin();
        let page = self
            .open
            .page
            .as_ref()
            .filter(|page| self.page_is_current() && page.key.coin == coin);
        let order = match self
            .review
            .own_rating(self.selection.selected, &Setting::default())
        {
            Some(rating) => rating.setting.order,
            None => page.map(|page| page.order).unwrap_or_default(),
        };
        Setting {
            order,
            coin: Some(self.review.coin),
            ..Setting::default()
        }
    }

    /// Returns the seed for the order of the selected sample's responses if neither an audit nor a
    /// judgment fixes it.
    pub(crate) fn coin(&self) -> Option<u32> {
        let tossed = self.is_order_random()
            && self
                .review
                .own_rating(self.selection.selected, &Setting::default())
                .is_none();
        tossed.then_some(self.review.coin)
    }

    /// True if the order of responses is random: for samples judged blind outside audits.
    fn is_order_random(&self) -> bool {
        self.is_blind() && self.running().is_none() && !self.review.undecided
    }

    /// Returns the mask for laying out a page. A random order is left to the page, which knows the
    /// sample's key.
    pub(crate) fn mask_of_page(&self) -> BlindMask {
        let mask = self.mask();
        BlindMask {
            order: match self.coin() {
                Some(_) => ResponseOrder::OF_FILE,
                None => mask.order,
            },
            ..mask
        }
    }

    /// Hides or shows labels once it is decided which audit the command line starts, if any.
    pub(crate) fn finish_opening(&mut self) {
        // The question who judges was not answered.
        if let Pending::Name(..) = self.review.pending {
            self.review.pending = Pending::Nothing;
        }
        let is_asked = !matches!(self.review.pending, Pending::Nothing);
        if !is_asked && std::mem::take(&mut self.review.undecided) {
            self.list.forget();
            self.blindness_changed();
        }
    }

    /// True if the reviewer may see the selected sample's labels.
    fn is_revealed(&self, setting: &Setting) -> bool {
        match (self.reveal(), self.running()) {
            _ if self.review.undecided => false,
            (Reveal::Never, _) | (Reveal::End, None) => false,
            (Reveal::End, Some(running)) => running.progress.is_settled(),
            (Reveal::After, Some(running)) => running.is_done(self.selection.position),
            (Reveal::After, None) => {
                let sample = self.selection.selected;
                self.review
                    .own_rating(sample, setting)
                    .is_some_and(|rating| self.is_complete_rating(sample, rating.as_given()))
            }
        }
    }

    /// Runs `:blind`: hides the labels, or shows them again.
    pub(crate) fn toggle_blind(&mut self) {
        let before = self.is_blind();
        let words = match self.review.blind {
            Some(blind) if blind.strict => texts::BLIND_RUN,
            _ if self.running().is_some() => texts::BLIND_FIXED,
            Some(_) => {
                self.review.blind = None;
                texts::LABELS_SHOWN
            }
            None if self
                .filter
                .active()
                .is_some_and(|one| self.query_reveals_labels(&one.query)) =>
            {
                texts::FILTER_REVEALS
            }
            None => {
                self.review.blind = Some(Blind {
                    reveal: Reveal::After,
                    strict: false,
                });
                self.close_panel();
                texts::LABELS_HIDDEN
            }
        };
        self.say(words);
        if before == self.must_hide_labels() {
            return;
        }
        self.blindness_changed();
        if !before {
            self.record_seen();
        }
    }
}

/// What the reviewer sees, and has seen, of a sample's labels.
pub(super) struct Exposure {
    /// The circumstances of a judgment. It is not blind if the labels are visible or were seen
    /// earlier.
    pub(super) setting: Setting,
    /// True if the labels were revealed after the judgment, so that changing it needs confirmation;
    /// false if it was deferred.
    pub(super) is_closed: bool,
}

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
    /// True if a response, by its screen letter, was in a pane of the last frame.
    pub(super) fn was_in_pane(&self, shown: ResponseId) -> bool {
        self.drawn.is_some_and(|drawn| drawn.pair.contains(&shown))
    }
}

impl App {
    /// Returns the sample that a frame drawn now shows, if any.
    pub fn on_screen(&self) -> Option<ScreenSample> {
        let covered = self.views.page().is_some();
        let is_there = !self.shown().is_empty() && self.laid_page().is_some();
        (is_there && !covered).then(|| self.screen_sample())
    }

    fn screen_sample(&self) -> ScreenSample {
        let key = self
            .current_sample_key()
            .filter(|_| self.responses_of(self.selection.selected) > 0);
        ScreenSample {
            generation: self.data.generation,
            position: self.selection.position,
            sample: self.selection.selected,
            mask: self.mask(),
            pair: self.page().map_or(BOTH, |page| page.pair),
            key,
        }
    }

    /// Remembers the labels shown by a frame.
    pub(crate) fn note_drawn(&mut self, drawn: Option<ScreenSample>) {
        let key = drawn
            .filter(|drawn| !drawn.mask.hidden)
            .and_then(|drawn| drawn.key);
        let Some(key) = key else { return };
        if self.review.shown.insert(key) {
            self.review.unrecorded.insert(key);
        }
        // While judging blind this must not be lost; otherwise it is written later, all at once.
        if self.is_blind() {
            self.record_seen();
        }
    }

    /// Returns whether the last frame showed the selected sample; otherwise shows a notice that the
    /// key was typed ahead.
    pub(super) fn is_drawn(&mut self) -> bool {
        let expected = self.screen_sample();
        let asked = self.asked_response();
        // While a page is laid out again, its key and the responses in its panes may be unknown. It
        // is still the same sample, and the response in question was in a pane.
        let is_drawn = self.review.drawn.is_some_and(|drawn| {
            let ScreenSample { key, pair, .. } = drawn;
            drawn
                == ScreenSample {
                    key,
                    pair,
                    ..expected
                }
                && asked.is_none_or(|asked| pair.contains(&asked))
        });
        if !is_drawn && !self.shown().is_empty() {
            self.say(texts::NOT_SHOWN);
        }
        is_drawn
    }

    /// True if the selected sample is judged blind but its labels were seen before.
    pub fn is_seen_before(&self) -> bool {
        self.setting().seen
    }

    /// True if this reviewer's screen has shown the labels of the selected sample.
    pub fn is_seen(&self) -> bool {
        let Some(key) = self
            .review
            .key(self.selection.selected)
            .copied()
            .or_else(|| self.current_sample_key())
        else {
            return false;
        };
        let key = &key;
        if self.review.shown.contains(key)
            || self.review.ledger.has_seen(&self.review.reviewer, key)
        {
            return true;
        }
        let setting = self.base_setting();
        self.review
            .ledger
            .remark(key)
            .map(|remark| remark.ratings.as_slice())
            .unwrap_or_default()
            .iter()
            .any(|rating| {
                *rating.reviewer == *self.review.reviewer && self.implies_seen(rating, &setting)
            })
    }

    /// True if a rating of the selected sample implies that labels were seen; older journals do not
    /// record it directly.
    fn implies_seen(&self, rating: &Rating, now: &Setting) -> bool {
        let given = rating.as_given();
        let is_open = given.is_judged() && !given.setting.blind && !given.setting.seen;
        if rating.before_reveal.is_some() || is_open {
            return true;
        }
        let is_this = rating.setting.audit == now.audit && rating.setting.pass == now.pass;
        !is_this
            && self.is_complete_rating(self.selection.selected, given)
            && self.had_revealed(&rating.setting)
    }

    /// True if a complete judgment has revealed labels, or will have by now.
    fn had_revealed(&self, setting: &Setting) -> bool {
        let Some(audit) = &setting.audit else {
            return true;
        };
        self.review
            .session(audit)
            .is_some_and(|session| match session.audit.reveals() {
                Reveal::After => true,
                Reveal::End => self.progress(session).is_settled(),
                Reveal::Never => false,
            })
    }

    /// True if the audit of a judgment has ended and revealed the labels of all its samples; its
    /// judgments then cannot be undone.
    pub(super) fn has_ended_and_revealed(&self, setting: &Setting) -> bool {
        let never = self
            .review
            .blind
            .is_some_and(|blind| blind.reveal == Reveal::Never);
        setting
            .audit
            .as_ref()
            .and_then(|id| self.review.session(id))
            .filter(|_| !never)
            .is_some_and(|session| {
                session.audit.reveals() == Reveal::End && self.progress(session).is_settled()
            })
    }
}

impl App {
    /// Returns the key of the selected sample, computed with its page; `None` while the page is
    /// being read.
    pub(crate) fn current_sample_key(&self) -> Option<SampleKey> {
        self.current_page()?.sample_key
    }

    /// True if a rating answers all questions about a sample.
    pub(super) fn is_complete_rating(&self, sample: usize, rating: &Rating) -> bool {
        let responses = self.responses_of(sample);
        self.scale_of(sample)
            .is_some_and(|scale| scale.is_complete(responses, rating))
    }
}
