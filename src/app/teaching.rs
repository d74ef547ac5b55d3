//! What the line for filters says by itself: examples of this data while it is empty, suggestions
//! after a moment, and what `not` before a bare label means.

use super::{Browser, LineKind, Review, Views};
use crate::query;

/// Among more samples values are counted only where somebody asks.
const QUICK_SAMPLES: usize = 200_000;
/// Examples that show at a time.
const EXAMPLES: usize = 3;

impl Browser {
    /// Queries of this data that one can begin with, those first that say the most; none of them
    /// tells what is hidden.
    pub(super) fn filter_examples(&self) -> Vec<String> {
        let catalog = &self.data.catalog;
        let is_compared = catalog.responses() > 1;
        let mut all = Vec::new();
        let mut labels = catalog.labels().iter();
        if let Some((name, [low, high])) =
            labels.find_map(|label| Some((&label.spelled, label.def.range?)))
        {
            let width = high - low;
            let least = if width >= 2.0 { high - 1.0 } else { high };
            all.push(format!("{name}>={least}"));
            if is_compared {
                let gap = if width >= 2.0 { 2.0 } else { width };
                all.push(format!("gap.{name}>={gap}"));
            }
        }
        if is_compared {
            all.push("verdict=tie".to_owned());
        }
        all.extend(["len<500", "turns>1", "prompt:python"].map(str::to_owned));
        let is_allowed = |text: &String| {
            query::parse(text, catalog).is_ok_and(|query| self.withheld(&query).is_none())
        };
        all.retain(is_allowed);
        // A text is an example of another kind than numbers.
        let last = all.pop();
        all.truncate(EXAMPLES - 1);
        all.extend(last);
        all
    }

    /// Says once in a run what a filter that was kept finds, where it negates what is asked of any
    /// one response.
    pub(super) fn explain_negation(&mut self) {
        let catalog = &self.data.catalog;
        let one = self
            .filter
            .in_force()
            .filter(|_| catalog.responses() > 1 && !self.settings.negation_explained);
        let Some((_, of_none)) = one.and_then(|one| one.query.negated_of_one(catalog)) else {
            return;
        };
        self.settings.negation_explained = true;
        self.say(format!(
            "One response at least fails it; where all do: not {of_none}"
        ));
    }
}

impl Views {
    /// Number of the line as it is typed now, where suggestions are to open once nothing was typed
    /// for a moment.
    pub fn typing_pause(&self, browser: &Browser) -> Option<u64> {
        let is_filter = self.line_kind() == Some(LineKind::Filter);
        let is_quick = browser.data.dataset.samples() <= QUICK_SAMPLES;
        let line = self.line().filter(|_| is_filter && is_quick)?;
        line.waits_for_pause().then_some(browser.status.typed)
    }

    /// Nothing was typed for a moment.
    pub(super) fn note_typing_pause(&mut self, number: u64, browser: &Browser, review: &Review) {
        if self.typing_pause(browser) == Some(number) {
            let found = self.completions(browser, review);
            if let Some(line) = self.line_mut() {
                line.offer(found);
            }
        }
    }
}
