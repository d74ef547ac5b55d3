//! Cancelling the search and the filter with a key, and the notices about it.

use crate::app::{Action, App, Context, Effect, LineKind, Loading, QueryKind, texts};
use crate::query::Query;
use crate::text;

/// Maximum width of a filter within a notice, in cells.
const FILTER_WIDTH: usize = 60;

impl App {
    /// Clears the search; without a search, asks whether to remove the filter, and removes it the
    /// second time.
    pub(crate) fn drop_search_or_filter(&mut self) {
        let asked = std::mem::take(&mut self.status.asked_to_drop);
        let had_search = self.search.sought().is_some();
        if had_search {
            self.drop_search();
        }
        // The filter of an audit cannot be changed.
        let filter = self
            .filter_terms()
            .filter(|_| self.selection.audit.is_none());
        let Some(filter) = filter else {
            if had_search {
                self.say(texts::SEARCH_DROPPED);
            }
            return;
        };
        if asked {
            return self.drop_filter();
        }
        let key = self.key_or_name(Context::Read, Action::Cancel);
        self.say(if had_search {
            texts::search_dropped_filter_next(key, filter)
        } else {
            texts::filter_next(key, filter)
        });
        self.status.asked_to_drop = true;
    }

    /// Ends a search, a filter or a load that has run long enough to show its progress. Returns
    /// false if there is none.
    pub(crate) fn stop_running(&mut self) -> bool {
        let is_loading = self.data.loading == Loading::UnderWay { long: true };
        if self.looked_so_far(QueryKind::Search).is_some() {
            self.drop_search();
            self.say(texts::SEARCH_DROPPED);
        } else if self.looked_so_far(QueryKind::Filter).is_some()
            && self.filter_terms().is_some()
            && self.selection.audit.is_none()
        {
            self.drop_filter();
        } else if is_loading && !self.data.is_quiet && !self.has_no_data() {
            self.data.loading = Loading::Stopping;
            self.request(Effect::StopLoading);
            self.say(texts::LOADING_STOPPED);
        } else {
            return false;
        }
        true
    }

    /// Removes the filter and keeps the sort order.
    pub(crate) fn drop_filter(&mut self) {
        if self.is_auditing() {
            return;
        }
        self.settings.left_out = None;
        let Some(filter) = self.filter_terms() else {
            self.say(match self.filter.active() {
                Some(_) => texts::only_sorted(self.key_or_name(Context::Read, Action::Sort)),
                None => texts::NO_FILTER.to_owned(),
            });
            return;
        };
        if let Some(text) = self.filter.text() {
            self.remember(LineKind::Filter, text);
        }
        self.change_query(|query| Query {
            filter: None,
            sort: query.sort.clone(),
        });
        let [opens, earlier] = [
            self.key_or_name(Context::Read, Action::Filter),
            self.key_or_name(Context::Line, Action::Earlier),
        ];
        self.say(texts::filter_dropped(filter, opens, earlier));
    }

    /// Returns the active filter for a notice; `None` if there is none or only a sort order.
    fn filter_terms(&self) -> Option<String> {
        let one = self.filter.active()?;
        one.query.filter.as_ref()?;
        Some(text::one_line(&one.text, FILTER_WIDTH))
    }
}
