//! A page with a cursor is left for the samples behind something on it, to come back to with the
//! filter from before.

use super::filtering::ActiveFilter;
use super::{Action, Browser, Mode, Review, View, Views};
use crate::query::{self, Query};

/// A page that was left.
#[derive(Debug)]
pub struct PreviousPage {
    page: View,
    /// The filter from before, and the one that shows the samples.
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

    /// Leaves the page that has the keys for the samples that a query finds; [`Self::back_to_page`]
    /// comes back.
    pub(super) fn show_behind_page(&mut self, text: &str, browser: &mut Browser) {
        let of_agreement = self.mode() == Mode::TextScreen;
        // Agreement is about all samples, whatever filter is active.
        let chosen = match of_agreement {
            true if browser.is_auditing() || browser.is_withheld() => None,
            true => ActiveFilter::parse(text, &browser.data.catalog).unwrap_or_default(),
            false => browser.laid_on_filter(text),
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
            Mode::TextScreen => "agreement",
            _ => "statistics",
        };
        let key = browser.key_for(Action::Cancel).unwrap_or_default();
        browser.say(format!("{key} goes back to the {name}."));
    }

    /// Goes back to the page that one left, with the filter from before; whether there is any. It
    /// is forgotten once another filter is active.
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
    /// A query laid on the filter in force; its order, where it has one, in place of the order in
    /// force. `None` where that is no query, or may not be asked now, which is told.
    pub(super) fn laid_on_filter(&mut self, text: &str) -> Option<ActiveFilter> {
        let old = (*self.filter.query()).clone();
        let asked = match query::parse(text, &self.data.catalog) {
            Ok(asked) => asked,
            Err(error) => {
                self.say(format!("{text}: {error}."));
                return None;
            }
        };
        // What is asked already is not asked twice.
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
