//! What the input line offers: completions, as a list, and lines typed before.

use std::ops::Range;
use std::sync::Arc;

use crate::app::panel::is_charted;
use crate::app::{App, InputLine, LineKind, texts};
use crate::query::{self, Completion, Completions, Field, Query};

/// A list of completions.
#[derive(Debug, Clone)]
pub struct Suggestions {
    /// The text before a completion was chosen.
    base: String,
    /// The bytes of it that a completion replaces.
    span: Range<usize>,
    /// The completions; never empty.
    pub items: Vec<Completion>,
    /// Index of the chosen one.
    pub chosen: Option<usize>,
    /// Whether the list opened automatically: then only the completion key acts on it.
    by_itself: bool,
    /// The query of each item that is a whole filter, whose samples are counted.
    pub(super) queries: Vec<Option<Arc<Query>>>,
}

impl Suggestions {
    /// Returns completions for a text, or `None` if there are none.
    pub(crate) fn of(base: &str, mut found: Completions, by_itself: bool) -> Option<Self> {
        // The line cannot contain control characters.
        found
            .items
            .retain(|item| !item.text.contains(char::is_control));
        let is_there = !found.items.is_empty() && base.get(found.span.clone()).is_some();
        is_there.then(|| Self {
            base: base.to_owned(),
            span: found.span,
            items: found.items,
            chosen: None,
            by_itself,
            queries: Vec::new(),
        })
    }

    /// Adds the queries of the items.
    pub(super) fn with_queries(self, queries: Vec<Option<Query>>) -> Self {
        let queries = queries.into_iter().map(|query| query.map(Arc::new));
        Self {
            queries: queries.collect(),
            ..self
        }
    }

    /// Marks the first item as the typed text, so that the completion key takes the next one.
    pub(super) fn with_first_as_typed(mut self, typed: &str) -> Self {
        typed.clone_into(&mut self.items[0].text);
        self.chosen = Some(0);
        self
    }

    /// True if its only item is the typed text.
    pub(super) fn is_only_as_typed(&self) -> bool {
        self.items.len() == 1 && self.chosen.is_some() && self.by_itself
    }

    /// True if the chosen item is a whole query: nothing remains to be typed.
    pub(super) fn is_whole(&self) -> bool {
        let queries = self.chosen.and_then(|chosen| self.queries.get(chosen));
        queries.is_some_and(Option::is_some)
    }

    /// True if the items are parts of a query; there can be very many.
    pub fn queries_are_unknown(&self) -> bool {
        self.queries.is_empty()
    }

    /// True if the samples of some items are counted.
    pub fn has_counts(&self) -> bool {
        self.queries.iter().any(Option::is_some)
    }

    /// Returns the untyped rest of the first item in a list that opened automatically; the
    /// completion key inserts it.
    pub fn rest_of_first(&self) -> Option<&str> {
        self.items
            .first()
            .filter(|_| self.by_itself)?
            .text
            .strip_prefix(&self.base[self.span.clone()])
    }

    /// True if the up and down keys choose from the list: the user opened it or chose from it.
    pub(crate) fn has_keys(&self) -> bool {
        !self.by_itself
    }

    /// Chooses the next or previous item; after the last comes none. Returns the text with the
    /// item, and the byte position of the cursor.
    pub(crate) fn step(&mut self, forward: bool) -> (String, usize) {
        self.by_itself = false;
        let last = self.items.len() - 1;
        self.chosen = match (self.chosen, forward) {
            (None, true) => Some(0),
            (None, false) => Some(last),
            (Some(chosen), true) => Some(chosen + 1).filter(|next| *next <= last),
            (Some(chosen), false) => chosen.checked_sub(1),
        };
        match self.chosen {
            Some(chosen) => self.applied(&self.items[chosen].text),
            None => self.original(),
        }
    }

    /// Inserts what all items have in common. Returns the text and the byte position of the cursor
    /// if that adds anything or if there is only one item.
    pub(crate) fn take_common(&mut self) -> Option<(String, usize)> {
        let typed = &self.base[self.span.clone()];
        let common = self.common();
        let extends = common.len() > typed.len() && common.starts_with(typed);
        if !extends && self.items.len() > 1 {
            return None;
        }
        let (text, cursor) = self.applied(common);
        (self.base, self.span.end) = (text.clone(), cursor);
        Some((text, cursor))
    }

    /// Returns the text before an item was chosen, and the byte position of the cursor.
    pub(crate) fn original(&self) -> (String, usize) {
        (self.base.clone(), self.span.end)
    }

    /// Returns the text with an item in it, and the byte position after it.
    fn applied(&self, item: &str) -> (String, usize) {
        let text = format!(
            "{}{item}{}",
            &self.base[..self.span.start],
            &self.base[self.span.end..]
        );
        (text, self.span.start + item.len())
    }

    /// Returns the common prefix of all items.
    fn common(&self) -> &str {
        let mut items = self.items.iter().map(|item| &*item.text);
        let first = items.next().unwrap_or_default();
        items.fold(first, |common, other| {
            let same = common
                .chars()
                .zip(other.chars())
                .take_while(|(one, other)| one == other);
            &common[..same.map(|(one, _)| one.len_utf8()).sum()]
        })
    }
}

/// Most suggestions shown at a time.
pub const SUGGESTIONS: usize = 8;
/// Number of examples shown.
const EXAMPLES: usize = 3;

impl App {
    /// Returns example queries for this data, the most useful first; none uses a hidden field.
    pub(crate) fn filter_examples(&self) -> Vec<String> {
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
        // The last one shows a text query instead of a numeric one.
        let last = all.pop();
        all.truncate(EXAMPLES - 1);
        all.extend(last);
        all
    }

    /// Explains, once per run, an accepted filter that negates a condition on any one response.
    pub(crate) fn explain_negation(&mut self) {
        let catalog = &self.data.catalog;
        let one = self
            .filter
            .active()
            .filter(|_| catalog.responses() > 1 && !self.settings.negation_explained);
        let Some((_, of_none)) = one.and_then(|one| one.query.negated_label(catalog)) else {
            return;
        };
        self.settings.negation_explained = true;
        self.say(texts::negation(of_none));
    }
}

impl InputLine {
    /// Returns the suggested fields whose values can be charted.
    pub(crate) fn charted_fields(&self, app: &App) -> Vec<Field> {
        let list = self.suggestions.as_ref();
        let Some(list) = list.filter(|_| self.kind == LineKind::Filter) else {
            return Vec::new();
        };
        let last = list
            .chosen
            .map_or(SUGGESTIONS, |chosen| (chosen + 1).max(SUGGESTIONS));
        let shown = list.items.iter().take(last).skip(last - SUGGESTIONS);
        let fields = shown.filter_map(|item| Field::named(&item.text, &app.data.catalog).ok());
        fields.filter(is_charted).collect()
    }
}

/// Maximum number of lines in a history.
pub const HISTORY: usize = 500;

/// Lines typed before, oldest first, without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    lines: Vec<String>,
}

/// The histories of all kinds of lines that have one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histories {
    /// Filters of this dataset.
    pub filters: History,
    /// Searches in this dataset.
    pub searches: History,
    /// Commands of this run.
    pub commands: History,
}

impl History {
    /// Builds a history from lines, oldest first; blank lines and earlier duplicates are skipped.
    pub fn read<'l>(lines: impl DoubleEndedIterator<Item = &'l str>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        for line in lines.rev().filter(|line| !line.trim().is_empty()) {
            if kept.len() == HISTORY {
                break;
            }
            if !kept.iter().any(|known| known == line) {
                kept.push(line.to_owned());
            }
        }
        kept.reverse();
        Self { lines: kept }
    }

    /// Returns the lines, oldest first.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Adds a line as the newest and drops the oldest ones above [`HISTORY`].
    pub(crate) fn push(&mut self, line: &str) {
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        self.lines.drain(..self.lines.len().saturating_sub(HISTORY));
    }
}

impl Histories {
    /// Returns the history of a kind of line; `None` if it has none.
    pub(crate) fn of(&mut self, kind: LineKind) -> Option<&mut History> {
        match kind {
            LineKind::Filter => Some(&mut self.filters),
            LineKind::Search => Some(&mut self.searches),
            LineKind::Command => Some(&mut self.commands),
            _ => None,
        }
    }

    /// Adds a line to the history of its kind.
    pub(crate) fn remember(&mut self, kind: LineKind, line: &str) {
        if let Some(history) = self.of(kind) {
            history.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_kept_once() {
        let mut typed = History::default();
        let lines: Vec<_> = (0..600).map(|number| (number % 550).to_string()).collect();
        lines.iter().for_each(|line| typed.push(line));
        let kept = typed.lines();
        assert_eq!(
            (kept.len(), kept[0].as_str(), kept[HISTORY - 1].as_str()),
            (HISTORY, "100", "49")
        );
        let read = History::read(
            [" ", "0"]
                .into_iter()
                .chain(lines.iter().map(String::as_str)),
        );
        assert_eq!(read, typed, "reading all lines gives the same history");
    }
}
