//! A page with a cursor is left for the samples behind something on it, to come back to with the
//! filter from before.

use super::filtering::ActiveFilter;
use super::input_line::in_force;
use super::{Action, App, Mode, View};
use crate::query::{self, Query};

/// A page that was left.
#[derive(Debug)]
pub struct LeftPage {
    page: View,
    /// The filter from before, and the one that shows the samples.
    before: Option<ActiveFilter>,
    chosen: ActiveFilter,
}

impl App {
    /// Opens a page with a cursor.
    pub(super) fn open_page(&mut self, page: View) {
        self.views.left = None;
        self.close_panel();
        self.views.open(page);
    }

    /// A query laid on the filter in force; its order, where it has one, in place of the order in
    /// force. `None` where that is no query, or may not be asked now, which is told.
    pub(super) fn laid_on_filter(&mut self, text: &str) -> Option<ActiveFilter> {
        let old = self.filter.in_force().map(|one| (*one.query).clone());
        let old = old.unwrap_or_default();
        let asked = match query::parse(text, &self.data.catalog) {
            Ok(asked) => asked,
            Err(error) => {
                self.status.notice = Some(format!("{text}: {error}."));
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
            self.status.notice = Some(format!("{reason}."));
            return None;
        }
        let text = both.spelled(&self.data.catalog).to_string();
        Some(ActiveFilter::new(text, both))
    }

    /// Leaves the page that has the keys for the samples that a query finds; [`Self::back_to_page`]
    /// comes back.
    pub(super) fn show_behind_page(&mut self, text: &str) {
        let of_agreement = self.views.mode() == Mode::TextScreen;
        // What reviewers said is of all samples, whatever filter is in force.
        let chosen = match of_agreement {
            true if self.is_auditing() || self.is_withheld() => None,
            true => in_force(text, &self.data.catalog).unwrap_or_default(),
            false => self.laid_on_filter(text),
        };
        let Some((chosen, page)) = chosen.and_then(|chosen| Some((chosen, self.views.back()?)))
        else {
            return;
        };
        let left = page.mode();
        self.views.left = Some(Box::new(LeftPage {
            page,
            before: self.filter.in_force().cloned(),
            chosen: chosen.clone(),
        }));
        self.set_filter(Some(chosen.clone()));
        self.release_anchor();
        let name = match left {
            Mode::Findings => return self.open_queue(text, chosen),
            Mode::TextScreen => "agreement",
            _ => "statistics",
        };
        let key = self.key_for(Action::Cancel).unwrap_or_default();
        self.status.notice = Some(format!("{key} goes back to the {name}."));
    }

    /// Goes back to the page that one left, with the filter from before; whether there is any. It
    /// is forgotten once another filter is in force.
    pub(super) fn back_to_page(&mut self) -> bool {
        let Some(left) = self.views.left.take() else {
            return false;
        };
        if self.filter.in_force() != Some(&left.chosen) {
            return false;
        }
        self.views.open(left.page);
        if let Some(page) = self.views.page_mut() {
            page.refresh();
        }
        self.set_filter(left.before);
        self.release_anchor();
        true
    }
}
