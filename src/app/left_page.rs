//! What the pages with a cursor have in common: their keys, and that one leaves them for the samples
//! behind something on them, to come back to with the filter from before.

use super::filtering::ActiveFilter;
use super::status::HandOver;
use super::{Action, App, Scroll, View};
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

    /// Does on a page with a cursor what all of them do alike. Returns by how much the cursor is to move.
    pub(super) fn act_on_page(
        &mut self,
        action: Action,
        count: Option<usize>,
    ) -> Option<(Scroll, usize)> {
        match action {
            Action::Back | Action::Cancel => drop(self.views.back()),
            Action::Filter
            | Action::DropFilter
            | Action::Command
            | Action::Palette
            | Action::Help
            | Action::Reload
            | Action::Search => {
                self.status.handed_over = Some(HandOver::Read(action, count));
            }
            _ => match action.scroll() {
                Some(by) => return Some((by, count.unwrap_or(1))),
                None => self.ignore(action),
            },
        }
        None
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

    /// Leaves the page that has the keys for what a filter shows; [`Self::back_to_page`] comes back.
    pub(super) fn leave_page_for(&mut self, chosen: ActiveFilter) {
        if let Some(page) = self.views.back() {
            self.views.left = Some(Box::new(LeftPage {
                page,
                before: self.filter.in_force().cloned(),
                chosen: chosen.clone(),
            }));
        }
        self.set_filter(Some(chosen));
        self.release_anchor();
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
        self.set_filter(left.before);
        self.release_anchor();
        self.keep_cursors_in_sight();
        true
    }

    /// Scrolls the pages with a cursor so far that it shows.
    pub(super) fn keep_cursors_in_sight(&mut self) {
        self.keep_cursor_in_sight();
        self.keep_rule_in_sight();
    }
}
