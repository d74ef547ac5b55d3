//! Spot checks: what the reviewer says of what the dataset says of a sample.

use super::super::{Browser, Review, Views};
use super::blind::HIDDEN;
use crate::journal::{Act, CheckDraw, SampleReview, SpotCheck};
use crate::model::SpotCheckVerdict;
use crate::text;

/// Cells of another reviewer's name.
const NAME: usize = 24;
/// The word behind `:check` that takes a verdict back.
const OFF: &str = "off";

impl Review {
    /// Records what the reviewer says of what the dataset says of the sample on screen, and how the
    /// sample came there; `None` takes back what was said. Nothing is recorded where that is said
    /// already, and of the same queue.
    ///
    /// Whether it is said now: not of what was not on the screen, nor while labels are hidden or in
    /// an audit; then the notice says why.
    pub fn check_sample(
        &mut self,
        verdict: Option<SpotCheckVerdict>,
        drawn: CheckDraw,
        browser: &mut Browser,
        views: &Views,
    ) -> bool {
        if !self.may_check(browser, views) {
            return false;
        }
        let sample = browser.selection.selected;
        let known = self.own_check(sample);
        if verdict.is_none() && known.is_none() {
            browser.say("You have not checked this sample.");
            return false;
        }
        let is_said = known.is_some_and(|known| {
            verdict == Some(known.verdict)
                && (known.draws.iter().any(|(known, _)| *known == drawn)
                    || drawn == CheckDraw::Chosen)
        });
        if !is_said {
            browser.record(Act::Check { verdict, drawn });
        }
        true
    }

    /// Whether what the dataset says of the sample on screen may be judged; says why not.
    fn may_check(&self, browser: &mut Browser, views: &Views) -> bool {
        if browser.shown().is_empty() {
            browser.say("There is no sample to check.");
            return false;
        }
        if browser.is_blind() {
            let why = format!("{HIDDEN}: nobody can say whether they are right.");
            browser.say(why);
            return false;
        }
        if browser.is_auditing() || !self.is_drawn(browser, views) {
            return false;
        }
        let is_there = browser.responses_of(browser.selection.selected) > 0;
        if !is_there {
            browser.say("Of this sample nothing can be judged.");
        }
        is_there
    }

    /// Whether the reviewer checked a sample, by its number, when it came up in this queue.
    pub(crate) fn is_checked_in(&self, sample: usize, queue: &CheckDraw) -> bool {
        (self.own_check(sample)).is_some_and(|own| own.is_of_queue(queue))
    }

    /// What the reviewer says of what the dataset says of a sample, by its number.
    fn own_check(&self, sample: usize) -> Option<&SpotCheck> {
        self.ledger.check(self.key(sample)?, &self.reviewer)
    }

    /// What the reviewer says of the samples that came up in this queue, as far as they are open;
    /// nothing while labels are hidden.
    pub(crate) fn own_checks_in(
        &self,
        queue: &CheckDraw,
        browser: &Browser,
    ) -> impl Iterator<Item = SpotCheckVerdict> {
        let all = self.ledger.remarks().filter(|_| !browser.is_blind());
        all.filter_map(|(key, remark)| {
            let own = remark.check_by(&self.reviewer)?;
            let is_here = own.is_of_queue(queue) && self.places.first(key).is_some();
            is_here.then_some(own.verdict)
        })
    }

    /// What reviewers say of what the dataset says of a sample, in some words each, one's own first:
    /// `wrong`, `right (ann)`; nothing while labels are hidden, and in a queue nothing of others
    /// until one has said something oneself.
    pub fn checks_told(
        &self,
        remark: &SampleReview,
        browser: &Browser,
        views: &Views,
    ) -> Vec<String> {
        let own = self.reviewer();
        let mut told: Vec<_> = remark.checks.iter().collect();
        let is_awaited = views.queue().is_some() && remark.check_by(own).is_none();
        told.retain(|_| !browser.is_blind() && !is_awaited);
        told.sort_by_key(|check| *check.reviewer != *own);
        let words = |check: &SpotCheck| match *check.reviewer == *own {
            true => check.verdict.word().to_owned(),
            // Another's journal can call its reviewer anything.
            false => {
                let who = text::one_line(&check.reviewer, NAME);
                format!("{} ({who})", check.verdict.word())
            }
        };
        told.into_iter().map(words).collect()
    }

    /// Does what stands behind `:check`: `right`, `wrong`, `unclear`, or `off`.
    ///
    /// # Errors
    /// When it is none of these.
    pub(crate) fn check_as_typed(
        &mut self,
        word: &str,
        browser: &mut Browser,
        views: &Views,
    ) -> Result<(), String> {
        let verdict = SpotCheckVerdict::of_word(word);
        if verdict.is_none() && word != OFF {
            let words = SpotCheckVerdict::ALL.map(SpotCheckVerdict::word).join(", ");
            return Err(format!(
                "what the dataset says of the sample is {words}; {OFF} takes that back"
            ));
        }
        if self.check_sample(verdict, CheckDraw::Chosen, browser, views) {
            browser.say(match verdict {
                Some(verdict) => format!("Checked: what the dataset says is {}.", verdict.word()),
                None => "Your check is taken back.".to_owned(),
            });
        }
        Ok(())
    }
}

impl Browser {
    /// What the reviewer says of what the dataset says of a sample, by its number: nothing while
    /// labels are hidden, for it tells of them.
    pub fn own_check(&self, sample: usize) -> Option<SpotCheckVerdict> {
        let sample = u32::try_from(sample).ok()?;
        let own = self.data.remarks.own_check(sample);
        own.filter(|_| !self.is_blind())
    }
}
