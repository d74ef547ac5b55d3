//! Judging without knowing what the dataset says.

use super::super::{Action, Browser, Review, Views};
use crate::export::BlindMask;
use crate::journal::{AfterReveal, Rating, RatingState, Reveal, Setting};
use crate::model::ResponseOrder;
use crate::query::{self, Field, Query};

/// That labels are hidden, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blind {
    /// When they show.
    pub reveal: Reveal,
    /// Whether it stays so for the whole run.
    pub strict: bool,
}

/// What is not done while labels are hidden.
pub(super) const HIDDEN: &str = "Labels are hidden while you judge blind";

impl Browser {
    /// Whether labels are hidden, of all samples that were not judged.
    pub fn is_blind(&self) -> bool {
        self.data.is_blind
    }

    /// Whether a rating of the selected sample, as it was first given, is whole or a skip.
    fn is_settled(&self, rating: &Rating) -> bool {
        let given = rating.as_given();
        given.state == RatingState::Skipped || self.is_whole_of(self.selection.selected, given)
    }

    /// Whether an action of the main screen may not be done now.
    pub fn withholds(&self, action: Action) -> bool {
        match action {
            Action::LabelsPanel | Action::Sort if self.is_blind() => true,
            Action::Filter
            | Action::LabelsPanel
            | Action::Sort
            | Action::Search
            | Action::Statistics
            | Action::Findings => self.selection.audited.is_some(),
            _ => false,
        }
    }

    /// Whether something may not be done now because it would tell labels; says so.
    pub(crate) fn is_withheld(&mut self) -> bool {
        let blind = self.is_blind();
        if blind {
            self.say(format!("{HIDDEN}."));
        }
        blind
    }

    /// Whether something has to wait for the end of an audit; says so.
    pub(crate) fn is_auditing(&mut self) -> bool {
        let running = self.selection.audited.is_some();
        if running {
            self.say("An audit is under way: :audit off leaves it, and :audit comes back to it.");
        }
        running
    }

    /// Whether a reviewer who is blind learns something of labels from what a query is known to find.
    pub(super) fn tells_of_labels(&self, query: &str) -> bool {
        let read = query::parse(query, &self.data.catalog.with_labels());
        // What does not read may name a field, which is hidden.
        self.is_blind() && read.map_or(true, |query| self.tells(&query))
    }

    fn tells(&self, query: &Query) -> bool {
        query::reveals_labels(query, &self.data.catalog)
    }

    /// Why nothing may be known of a field now.
    pub(crate) fn withheld_field(&self, field: &Field) -> Option<&'static str> {
        (self.is_blind() && self.data.catalog.hides(field)).then_some(HIDDEN)
    }

    /// Why a query must not be applied now.
    pub(crate) fn withheld(&self, query: &Query) -> Option<String> {
        (self.is_blind() && self.tells(query)).then(|| format!("{HIDDEN}; this would tell them"))
    }
}

impl Review {
    /// What is not to be seen of the sample on screen.
    pub fn mask(&self, browser: &Browser) -> BlindMask {
        let setting = self.occasion(browser);
        BlindMask {
            hidden: browser.is_blind() && !self.is_revealed(&setting, browser),
            order: setting.order,
        }
    }

    /// Under which circumstances the sample on screen is judged. What is judged once the labels
    /// show is not judged blind, and neither is what was seen before they were hidden.
    pub(super) fn setting(&self, browser: &Browser) -> Setting {
        let occasion = self.occasion(browser);
        let hidden = browser.is_blind() && !self.is_revealed(&occasion, browser);
        let seen = hidden && self.is_seen(browser);
        let rating = self.own_rating(browser.selection.selected, &occasion);
        let revealed = rating.is_some_and(|rating| match hidden {
            true => self.has_shown_since(rating, browser),
            false => was_hidden(rating),
        });
        Setting {
            blind: hidden && !seen,
            seen,
            revealed,
            ..occasion
        }
    }

    /// Whether the labels of the selected sample have shown after it was judged, and nothing is to
    /// be changed in that without being asked: unless it was put off and has come back.
    pub(super) fn is_closed(&self, browser: &Browser) -> bool {
        let occasion = self.occasion(browser);
        let Some(rating) = self.own_rating(browser.selection.selected, &occasion) else {
            return false;
        };
        let have_shown = match self.mask(browser).hidden {
            true => self.has_shown_since(rating, browser),
            false => was_hidden(rating) && browser.is_settled(rating),
        };
        have_shown && rating.after_reveal() != Some(AfterReveal::PutOff)
    }

    /// Whether a rating of the selected sample was settled blind, and its labels have shown since,
    /// in whatever way they are hidden again now.
    fn has_shown_since(&self, rating: &Rating, browser: &Browser) -> bool {
        rating.as_given().setting.blind && browser.is_settled(rating) && self.is_seen(browser)
    }

    /// The circumstances but for whether labels are hidden.
    pub(super) fn occasion(&self, browser: &Browser) -> Setting {
        if let Some(running) = self.running() {
            return running.setting(browser.selection.position);
        }
        if !self.tosses(browser) || browser.responses_of(browser.selection.selected) < 2 {
            return Setting::default();
        }
        // What was judged before keeps its order; otherwise the page tells how the coin fell.
        let coin = self.coin(browser);
        let page = browser
            .open
            .page
            .as_ref()
            .filter(|page| browser.page_is_current() && page.key.coin == coin);
        let order = match self.own_rating(browser.selection.selected, &Setting::default()) {
            Some(rating) => rating.setting.order,
            None => page.map(|page| page.order).unwrap_or_default(),
        };
        Setting {
            order,
            coin: Some(self.coin),
            ..Setting::default()
        }
    }

    /// The seed of the coin that says how the responses of the selected sample stand, where neither an
    /// audit nor a judgment of it does.
    pub(crate) fn coin(&self, browser: &Browser) -> Option<u32> {
        let tossed = self.tosses(browser)
            && self
                .own_rating(browser.selection.selected, &Setting::default())
                .is_none();
        tossed.then_some(self.coin)
    }

    /// Whether a coin says how responses stand: of samples that are judged blind outside of audits.
    fn tosses(&self, browser: &Browser) -> bool {
        browser.is_blind() && self.running().is_none() && !self.undecided
    }

    /// What a page is laid out for: where a coin says how responses stand, it is tossed there, where
    /// the sample's key is known.
    pub(crate) fn mask_of_page(&self, browser: &Browser) -> BlindMask {
        let mask = self.mask(browser);
        BlindMask {
            order: match self.coin(browser) {
                Some(_) => ResponseOrder::OF_FILE,
                None => mask.order,
            },
            ..mask
        }
    }

    /// Which audit the command line asks for is decided, or none: labels are hidden as that says.
    pub(crate) fn decide(&mut self, browser: &mut Browser, views: &mut Views) {
        let is_asked = self.opening.is_some()
            || self.resuming.is_some()
            || self.is_sampling
            || self.checked.is_some();
        if !is_asked && std::mem::take(&mut self.undecided) {
            browser.list.forget();
            self.blindness_changed(browser, views);
            self.refresh_agreement(browser);
        }
    }

    /// Whether what the dataset says of the sample on screen may be told to who judges it.
    fn is_revealed(&self, setting: &Setting, browser: &Browser) -> bool {
        match (self.reveal(), self.running()) {
            _ if self.undecided => false,
            (Reveal::Never, _) | (Reveal::End, None) => false,
            (Reveal::End, Some(running)) => running.standing.is_settled(),
            (Reveal::After, Some(running)) => running.is_done(browser.selection.position),
            (Reveal::After, None) => {
                let sample = browser.selection.selected;
                let rating = self.own_rating(sample, setting);
                rating.is_some_and(|rating| browser.is_whole_of(sample, rating.as_given()))
            }
        }
    }

    /// When labels show: the later of what the audit under way and what the whole run say.
    fn reveal(&self) -> Reveal {
        let audit = self
            .running()
            .map(|running| running.session.audit.reveals());
        audit
            .into_iter()
            .chain(self.blind.map(|blind| blind.reveal))
            .max()
            .unwrap_or_default()
    }

    /// `:blind`: hides the labels, or shows them again.
    pub(crate) fn toggle_blind(&mut self, browser: &mut Browser, views: &mut Views) {
        let before = browser.is_blind();
        let words = match self.blind {
            Some(blind) if blind.strict => "The program was started to hide labels to its end.",
            _ if self.running().is_some() => {
                "An audit is blind or not from its beginning; :audit off leaves it."
            }
            Some(_) => {
                self.blind = None;
                "Labels show again."
            }
            None if browser
                .filter
                .active()
                .is_some_and(|one| browser.tells(&one.query)) =>
            {
                "The filter tells labels: drop it first (f), or draw an audit from it (:audit 20 blind)."
            }
            None => {
                self.blind = Some(Blind {
                    reveal: Reveal::After,
                    strict: false,
                });
                views.close_panel(browser, self);
                // What was found before may name malformed rows.
                if browser.filter.active().is_some() {
                    browser.refilter();
                }
                browser.search_again();
                "Labels are hidden until you have judged a sample (r); :blind shows them again."
            }
        };
        browser.say(words);
        if before == self.is_blind() {
            return;
        }
        self.blindness_changed(browser, views);
        self.refresh_agreement(browser);
        if !before {
            self.tell_seen(browser);
        }
    }
}

/// Whether labels were hidden when a rating was first given.
fn was_hidden(rating: &Rating) -> bool {
    let given = &rating.as_given().setting;
    given.blind || given.seen
}
