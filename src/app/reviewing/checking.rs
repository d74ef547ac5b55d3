//! Spot checks: the reviewer's verdicts on the dataset's labels.

use super::super::{Browser, Review, Views, texts};
use super::blind::HIDDEN;
use crate::journal::{Act, CheckDraw, SampleReview, SpotCheck};
use crate::model::SpotCheckVerdict;
use crate::text;

/// Most cells of another reviewer's name.
const NAME: usize = 24;
/// The argument of `:check` that withdraws a verdict.
const OFF: &str = "off";

impl Review {
    /// Records the reviewer's verdict on the dataset's labels of the selected sample, and how the
    /// sample was chosen; `None` withdraws it. An identical check in the same queue is not recorded
    /// again.
    ///
    /// Returns false, with a notice, if the sample was not on the screen, if labels are hidden, or
    /// in an audit.
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
                && (known.draws.contains(&drawn) || drawn == CheckDraw::Chosen)
        });
        if !is_said {
            browser.record(Act::Check { verdict, drawn });
        }
        true
    }

    /// Returns whether the selected sample may be checked; otherwise shows a notice.
    fn may_check(&self, browser: &mut Browser, views: &Views) -> bool {
        if browser.shown().is_empty() {
            browser.say("No sample to check.");
            return false;
        }
        if browser.is_blind() {
            browser.say(format!("{HIDDEN}, so you cannot check them."));
            return false;
        }
        if browser.is_auditing() || !self.is_drawn(browser, views) {
            return false;
        }
        let is_there = browser.responses_of(browser.selection.selected) > 0;
        if !is_there {
            browser.say(texts::NOTHING_TO_JUDGE);
        }
        is_there
    }

    /// True if the reviewer checked a sample, by its number, as part of this queue.
    pub(crate) fn is_checked_in(&self, sample: usize, queue: &CheckDraw) -> bool {
        (self.own_check(sample)).is_some_and(|own| own.is_of_queue(queue))
    }

    /// Returns the reviewer's check of a sample, by its number; `None` while labels are hidden,
    /// because it reveals them.
    pub fn own_check(&self, sample: usize) -> Option<&SpotCheck> {
        let said = self.remark(sample).filter(|_| !self.is_blind())?;
        said.check_by(&self.reviewer)
    }

    /// Describes the checks of a sample, the reviewer's own first: `wrong`, `right (ann)`. Empty
    /// while labels are hidden; a queue hides others' checks until the reviewer has checked the
    /// sample.
    pub fn check_words(
        &self,
        remark: &SampleReview,
        browser: &Browser,
        views: &Views,
    ) -> Vec<String> {
        let own = self.reviewer();
        let mut checks: Vec<_> = remark.checks.iter().collect();
        let is_awaited = views.queue().is_some() && remark.check_by(own).is_none();
        checks.retain(|_| !browser.is_blind() && !is_awaited);
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
    pub(crate) fn check_as_typed(
        &mut self,
        word: &str,
        browser: &mut Browser,
        views: &Views,
    ) -> Result<(), String> {
        let verdict = SpotCheckVerdict::of_word(word);
        if verdict.is_none() && word != OFF {
            let words = SpotCheckVerdict::ALL.map(SpotCheckVerdict::word).join(", ");
            return Err(texts::expected_verdict(words, OFF));
        }
        if self.check_sample(verdict, CheckDraw::Chosen, browser, views) {
            browser.say(match verdict {
                Some(verdict) => texts::checked(verdict.word()),
                None => "Withdrew your check.".to_owned(),
            });
        }
        Ok(())
    }
}
