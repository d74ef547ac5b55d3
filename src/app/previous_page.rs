//! Leaving a page with a cursor for the samples of its selected row, and returning to it with the
//! previous filter.

use super::filtering::ActiveFilter;
use super::{Action, Browser, Mode, Review, View, Views, texts};
use crate::query::{self, Query};

/// A page to return to.
#[derive(Debug)]
pub struct PreviousPage {
    page: View,
    /// The previous filter, and the one that shows the samples.
    before: Option<ActiveFilter>,
    chosen: ActiveFilter,
}

impl Views {
    /// Opens a page with a cursor.
    pub(super) fn open_page(&mut self, page: View, browser: &mut Browser, review: &mut Review) {
        self.left = None;
        self.close_panel(browser, review);
        self.open(page);
    }

    /// Leaves the focused page to show the samples of a query; [`Self::back_to_page`] returns.
    pub(super) fn show_samples_of_page(&mut self, text: &str, browser: &mut Browser) {
        let of_agreement = self.mode() == Mode::AgreementScreen;
        // Agreement is computed over all samples, so the active filter is replaced.
        let chosen = match of_agreement {
            true if browser.is_auditing() || browser.is_withheld() => None,
            true => ActiveFilter::parse(text, &browser.data.catalog).unwrap_or_default(),
            false => browser.combined_with_filter(text),
        };
        let Some((chosen, page)) = chosen.and_then(|chosen| Some((chosen, self.back()?))) else {
            return;
        };
        let left = page.mode();
        self.left = Some(Box::new(PreviousPage {
            page,
            before: browser.filter.active().cloned(),
            chosen: chosen.clone(),
        }));
        browser.set_filter(Some(chosen.clone()));
        browser.release_anchor();
        let name = match left {
            Mode::Findings => return self.open_queue(text, chosen, browser),
            Mode::AgreementScreen => "agreement",
            _ => "statistics",
        };
        let key = browser.key_for(Action::Cancel).unwrap_or_default();
        browser.say(texts::returns_to(key, name));
    }

    /// Returns to the page with the previous filter. Returns false if there is none or the filter
    /// has changed since.
    pub(super) fn back_to_page(&mut self, browser: &mut Browser) -> bool {
        let Some(left) = self.left.take() else {
            return false;
        };
        if browser.filter.active() != Some(&left.chosen) {
            return false;
        }
        self.open(left.page);
        if let Some(page) = self.page_mut() {
            page.refresh();
        }
        browser.set_filter(left.before);
        browser.release_anchor();
        true
    }
}

impl Browser {
    /// Combines a query with the active filter; the query's sort order takes precedence. Shows a
    /// notice and returns `None` if the query is invalid or withheld.
    pub(super) fn combined_with_filter(&mut self, text: &str) -> Option<ActiveFilter> {
        let old = (*self.filter.query()).clone();
        let asked = match query::parse(text, &self.data.catalog) {
            Ok(asked) => asked,
            Err(error) => {
                self.say(format!("{text}: {error}."));
                return None;
            }
        };
        // Terms of the active filter are not repeated.
        let terms = asked.conjuncts().iter();
        let terms = terms.filter(|term| !old.conjuncts().contains(term));
        let more = Query::with_conjuncts(terms.cloned().collect(), Vec::new());
        let mut both = old.and(&more);
        if !asked.sort.is_empty() {
            both.sort = asked.sort;
        }
        if let Some(reason) = self.withheld(&both) {
            self.say(format!("{reason}."));
            return None;
        }
        let text = both.spelled(&self.data.catalog).to_string();
        Some(ActiveFilter::new(text, both))
    }
}
