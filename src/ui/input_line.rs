//! The input line with its error and its suggestions: filter and search in the header, above the
//! list that they change; everything else in the last row.

use std::ops::Range;

use ratatui::layout::Position;
use ratatui::style::Style;

use super::header::cells as cells_of;
use super::row::Row;
use super::status::KeyHint;
use super::{Canvas, rect};
use crate::app::{Action, Area, Context, InputLine, LineKind, Suggestions};
use crate::search::{HitOrder, SearchScope};
use crate::text::{self, Hidden};

/// Maximum width of a suggestion's note, in cells.
const NOTE: usize = 60;
/// The operators of a search.
const OPERATORS: &str =
    "words, also near spellings   'exact   ^begin   end$   !not   \"a phrase\"   /regex/";
/// Cells reserved for the text before hints are shown.
const LINE_LEAST: usize = 28;

impl Canvas<'_> {
    /// True if the line is drawn in the header.
    pub fn is_in_header(&self, prompt: &InputLine) -> bool {
        let is_query = matches!(prompt.kind, LineKind::Filter | LineKind::Search);
        is_query && self.views.page().is_none() && !self.app.geometry().header.is_empty()
    }

    /// Draws the line in place of the header or the status line, with its suggestions or its error
    /// in the rows beside it.
    pub fn prompt(&mut self, prompt: &InputLine) {
        let (geometry, is_in_header) = (self.app.geometry(), self.is_in_header(prompt));
        let area = if is_in_header {
            self.header_area()
        } else {
            geometry.status
        };
        if area.is_empty() {
            return;
        }
        self.clear_area(area);
        if is_in_header {
            self.tint(area, self.theme.header);
        }
        let label = match prompt.kind {
            LineKind::Filter => "filter ",
            LineKind::Command => ":",
            LineKind::Search => "/",
            LineKind::Tag => "tags ",
            LineKind::RecordSearch => "/ in the record ",
            LineKind::FieldSearch => "/ find ",
            LineKind::Reviewer => "name ",
        };
        let Self { theme, app, .. } = *self;
        let ways = self.search_ways(prompt.kind);
        let (hints, numbers) = if is_in_header {
            (Vec::new(), self.header_numbers())
        } else {
            (self.line_hints(prompt), Vec::new())
        };
        let mut row = self.row(area);
        row.skip(1);
        // On very narrow screens the text is more important than the label.
        let label = if area.width < 24 { &label[..1] } else { label };
        row.put(label, theme.status_key);
        let (typed, cursor) = prompt.text();
        let (x, end) = (row.x, row.end);
        row.skip((text::width(typed) + 2).max(LINE_LEAST));
        row.hints(&hints);
        let needed = cells_of(&numbers) as u16;
        if !numbers.is_empty() && row.x + needed < end {
            row.x = end - needed + 1;
            row.parts(&numbers);
            row.end = end - needed;
        }
        row.end -= if row.end < end { 2.min(row.end) } else { 0 };
        row.x = x;
        // The text gets at least half of the row.
        let half = row.room() / 2;
        let fits = |words: &String| text::width(words) + 1 + half < row.room();
        let way = ways.into_iter().find(fits);
        if let Some(way) = way {
            row.end -= 1;
            row.right(&way, theme.dim);
            row.end -= 1;
        }
        let cells = InputCells::of(typed);
        let hidden = cells.scrolled(cells.at(cursor), row.room());
        let last = row.end.saturating_sub(1);
        // Screen column of a byte of the text.
        let column = |byte: usize| {
            let cell = cells.at(byte).saturating_sub(hidden);
            x.saturating_add(cell as u16).min(last)
        };
        let mistake = prompt.error.as_ref().map(|error| &error.span);
        row.typed(&cells, hidden, Some(cursor), mistake);
        row.x = column(cursor);
        row.rest_of_suggestion(prompt);
        self.caret = Some(Position::new(column(cursor), area.y));
        if !is_in_header && area.y < 2 {
            return;
        }
        if prompt.kind == LineKind::Filter && !self.app.layout.is_linear {
            return self.beside_filter_line(prompt, area.y);
        }
        let beside = area.row(if is_in_header { area.y + 1 } else { area.y - 1 });
        let filter = &prompt.filter;
        let (x, words, style) = match (&prompt.suggestions, &prompt.error, app.notice()) {
            (Some(list), ..) => return self.suggestions(prompt, list, area.y),
            (None, Some(error), _) => {
                let tab = error.fix.as_ref().map_or("", |_| "  Tab applies it");
                let message = format!("{}{tab}", error.message);
                (column(error.span.start), message, theme.error)
            }
            (None, None, Some(notice)) => (x, notice.to_owned(), theme.dim),
            _ if filter.warning.is_some() => {
                (x, filter.warning.clone().unwrap_or_default(), theme.warning)
            }
            _ if filter.held_back => {
                let keep = app.key_in(Context::Line, Action::Accept);
                let words = format!(
                    "may become a field name; {} or a space searches for it as text",
                    keep.unwrap_or_default()
                );
                (column(cursor), words, theme.dim)
            }
            _ if prompt.kind == LineKind::Search && typed.is_empty() => {
                (x, OPERATORS.to_owned(), theme.dim)
            }
            _ => return,
        };
        self.remark(beside, x, &words, style);
    }

    /// Returns the key hints of a line, with the key that cancels first.
    pub fn line_hints(&self, prompt: &InputLine) -> Vec<KeyHint> {
        let accept = match prompt.kind {
            LineKind::Search | LineKind::Filter => "apply",
            LineKind::Tag => "tag",
            LineKind::RecordSearch | LineKind::FieldSearch => "find",
            LineKind::Command if prompt.text().0.trim_start().starts_with("export") => {
                "write the file"
            }
            LineKind::Command => "run",
            LineKind::Reviewer => "begin",
        };
        let more: &[_] = match prompt.kind {
            LineKind::Search => &[(Action::Complete, "where"), (Action::Order, "order")],
            LineKind::RecordSearch | LineKind::FieldSearch => &[],
            LineKind::Filter => &[
                (Action::Complete, "take"),
                (Action::CompleteBack, "the one before"),
                (Action::Question, "fields"),
            ],
            _ => &[(Action::Complete, "complete")],
        };
        let is_refused = prompt.kind == LineKind::Filter && prompt.error.is_some();
        let all = [&[(Action::Cancel, "back"), (Action::Accept, accept)], more].concat();
        let can_act = all
            .into_iter()
            .filter(|(action, _)| *action != Action::Accept || !is_refused);
        self.spelled(&can_act.collect::<Vec<_>>())
    }

    /// Returns scope and order of the search, in versions of decreasing length.
    fn search_ways(&self, kind: LineKind) -> Vec<String> {
        let search = &self.app.search;
        let (scope, order) = (scope_word(search.scope), order_words(search.order));
        let whole = format!("in {scope} {} {order}", self.glyphs.separator);
        match kind {
            LineKind::Search => vec![whole, format!("in {scope}"), scope.to_owned()],
            _ => Vec::new(),
        }
    }

    /// Draws a sentence on its own row, starting at `column` if it fits.
    fn remark(&mut self, area: Area, column: u16, words: &str, style: Style) {
        self.clear_area(area);
        let words = text::one_line(words, usize::from(area.width.saturating_sub(2)));
        let mut row = self.edge(area, area.y);
        let latest = row.end.saturating_sub(text::width(&words) as u16);
        row.x = column.min(latest).max(row.x);
        row.put(&words, style);
    }

    /// Clears an area.
    pub fn clear_area(&mut self, area: Area) {
        let area = rect(area).intersection(self.buffer.area);
        for position in area.positions() {
            self.buffer[position].reset();
        }
        self.buffer.set_style(area, self.theme.screen);
    }
}

impl Row<'_> {
    /// Draws the rest of the first suggestion from the cursor on, or examples of a filter.
    fn rest_of_suggestion(&mut self, prompt: &InputLine) {
        let (typed, cursor) = prompt.text();
        if typed.is_empty() && prompt.kind == LineKind::Filter && prompt.suggestions.is_none() {
            let words = format!("for instance {}", prompt.filter.examples.join("   "));
            self.skip(2);
            self.cut(&words, self.theme.dim);
        }
        let rest = (prompt.suggestions.as_ref()).and_then(Suggestions::rest_of_first);
        if let Some(rest) = rest.filter(|_| cursor == typed.len() && !typed.is_empty()) {
            let (rest, dim) = (text::one_line(rest, NOTE), self.theme.dim);
            let first = rest.chars().next().map_or(0, char::len_utf8);
            self.text(&rest[..first], dim.patch(self.theme.cursor));
            self.cut(&rest[first..], dim);
        }
    }

    /// Draws a typed text from cell `hidden` on, with the cursor and an underlined mistake. Returns
    /// the position of the cursor.
    pub(super) fn typed(
        &mut self,
        cells: &InputCells,
        hidden: usize,
        cursor: Option<usize>,
        mistake: Option<&Range<usize>>,
    ) -> Option<Position> {
        let (theme, x, mut caret) = (self.theme, self.x, None);
        for cell in cells.0.iter().skip_while(|cell| cell.cell < hidden) {
            let mut style = theme.text;
            if mistake.is_some_and(|span| {
                (span.start < cell.end && cell.byte < span.end)
                    || (span.is_empty() && span.start == cell.byte)
            }) {
                style = style.patch(theme.mistake);
            }
            if cursor.is_some_and(|cursor| (cell.byte..cell.end).contains(&cursor)) {
                caret = Some(Position::new(self.x, self.y));
                style = style.patch(theme.cursor);
            }
            self.text(&cell.shown, style);
        }
        if hidden > 0 {
            self.x = x;
            self.put(self.glyphs.ellipsis, theme.faint);
        }
        caret
    }
}

/// Returns the name of a search scope.
pub(super) fn scope_word(scope: SearchScope) -> &'static str {
    match scope {
        SearchScope::Everything | SearchScope::Sample => "everything",
        SearchScope::Prompt => "prompt",
        SearchScope::Responses => "responses",
        SearchScope::Quotes => "quotes",
        SearchScope::Rationales => "rationales",
    }
}

/// Returns the name of a hit order.
pub(super) fn order_words(order: HitOrder) -> &'static str {
    match order {
        HitOrder::Ranked => "best first",
        HitOrder::Dataset => "in order",
    }
}

/// The grapheme clusters of a typed text, and a blank after them.
pub(super) struct InputCells(Vec<InputCell>);

struct InputCell {
    /// Byte range.
    byte: usize,
    end: usize,
    /// First cell.
    cell: usize,
    /// The displayed text: hidden characters as glyphs.
    shown: String,
}

impl InputCells {
    pub(super) fn of(content: &str) -> Self {
        let (mut list, mut cell) = (Vec::new(), 0);
        let after = content.len()..content.len() + 1;
        for range in text::graphemes(content).chain(std::iter::once(after)) {
            let shown = content.get(range.clone()).unwrap_or(" ");
            let shown = text::sanitise(shown, Hidden::Shown).as_str().to_owned();
            let width = text::width(&shown);
            list.push(InputCell {
                byte: range.start,
                end: range.end,
                cell,
                shown,
            });
            cell += width;
        }
        Self(list)
    }

    fn width(&self) -> usize {
        self.0.last().map_or(0, |last| last.cell)
    }

    /// Returns the first cell of the cluster at a byte offset.
    pub(super) fn at(&self, byte: usize) -> usize {
        let mut cells = self.0.iter();
        cells
            .find(|cell| byte < cell.end)
            .map_or(self.width(), |cell| cell.cell)
    }

    /// Returns the number of cells to hide at the left so that the cursor and the cell after it are
    /// visible.
    pub(super) fn scrolled(&self, cursor: usize, room: usize) -> usize {
        if self.width() < room {
            return 0;
        }
        let least = (cursor + 2).saturating_sub(room.max(2));
        let mut starts = self.0.iter().map(|cell| cell.cell);
        starts.find(|start| *start >= least).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_sight() {
        let wide = "漢字".repeat(20);
        for content in [
            "",
            "a",
            "abcdefghij",
            "a\u{301}bc",
            wide.as_str(),
            "a\u{202e}b",
        ] {
            let cells = InputCells::of(content);
            for room in 3..20 {
                for byte in (0..=content.len()).filter(|byte| content.is_char_boundary(*byte)) {
                    let cursor = cells.at(byte);
                    let hidden = cells.scrolled(cursor, room);
                    assert!(
                        hidden <= cursor && cursor < hidden + room,
                        "{content:?} {byte} in {room}: {hidden}"
                    );
                }
            }
        }
    }
}
