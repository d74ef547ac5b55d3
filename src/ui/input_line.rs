//! The line that is typed, with what is wrong with it and what can be typed next above it.

use ratatui::style::Style;

use super::{Canvas, Theme, rect};
use crate::app::{Action, Area, Context, InputLine, LineKind, Suggestions};
use crate::query::Completion;
use crate::search::{HitOrder, SearchScope};
use crate::text::{self, Hidden};

/// Suggestions on screen at a time.
const SUGGESTIONS: usize = 8;
/// Cells that a note of a suggestion takes at most.
const NOTE: usize = 60;
/// What a search can be made of.
const OPERATORS: &str =
    "words, or words like them   'exact   ^begin   end$   !not   \"a phrase\"   /regex/";
/// Cells that are left to the line before hints take some.
const LINE_LEAST: u16 = 28;

/// A typed line as it stands on screen.
struct InputRow {
    /// Column of its first cell.
    x: u16,
    y: u16,
    /// Column behind its last cell.
    end: u16,
    /// Cells of the text that are scrolled out at the left.
    hidden: usize,
}

impl InputRow {
    /// Column of a cell of the text, within the row.
    fn column(&self, cell: usize) -> u16 {
        let column = usize::from(self.x) + cell.saturating_sub(self.hidden);
        u16::try_from(column)
            .unwrap_or(u16::MAX)
            .min(self.end.saturating_sub(1))
    }
}

impl Canvas<'_> {
    /// The line in place of the status, and what belongs above it.
    pub(super) fn prompt(&mut self, prompt: &InputLine) {
        let area = self.browser.geometry().status;
        if area.is_empty() {
            return;
        }
        self.wipe(area);
        let label = match prompt.kind {
            LineKind::Filter => "filter ",
            LineKind::Command => ":",
            LineKind::Search => "/",
            LineKind::Tag => "tags ",
            LineKind::RecordSearch => "/ in the record ",
            LineKind::HelpSearch => "/ find ",
        };
        let (label_style, end) = (self.theme.status_key, area.right());
        // On the narrowest screens the text matters more than what it is.
        let label = if area.width < 24 { &label[..1] } else { label };
        let x = self.put(area.x + 1, area.y, end, label, label_style);
        let end = self.prompt_hints(prompt, x, area.y, end);
        let end = if prompt.kind == LineKind::Search {
            self.search_way(x, area.y, end)
        } else {
            end
        };
        let cells = InputCells::of(prompt.text().0);
        let cursor = cells.at(prompt.text().1);
        let room = usize::from(end.saturating_sub(x));
        let hidden = cells.scrolled(cursor, room);
        let row = InputRow {
            x,
            y: area.y,
            end,
            hidden,
        };
        self.typed(prompt, &cells, &row);
        if area.y < 2 {
            return;
        }
        let above = Area {
            y: area.y - 1,
            ..area
        };
        match (&prompt.suggestions, &prompt.error, self.browser.notice()) {
            (Some(list), ..) => self.suggestions(list, row.column(cells.at(list.start())), area.y),
            (None, Some(error), _) => {
                self.remark(
                    above,
                    row.column(cells.at(error.span.start)),
                    &error.message,
                    self.theme.error,
                );
            }
            (None, None, None) if prompt.filter.warning.as_deref().is_some() => {
                self.remark(
                    above,
                    x,
                    prompt.filter.warning.as_deref().unwrap_or_default(),
                    self.theme.warning,
                );
            }
            (None, None, Some(notice)) => {
                self.remark(above, x, notice, self.theme.dim);
            }
            (None, None, None) if prompt.filter.held_back => {
                let (style, keep) = (
                    self.theme.dim,
                    self.browser
                        .key_in(Context::Line, Action::Accept)
                        .unwrap_or_default(),
                );
                let words = format!(
                    "the beginning of a name? {keep}, or a blank, searches the text for it"
                );
                self.remark(above, row.column(cursor), &words, style);
            }
            (None, None, None) if prompt.kind == LineKind::Search && prompt.text().0.is_empty() => {
                self.remark(above, x, OPERATORS, self.theme.dim);
            }
            (None, None, None) => {}
        }
    }

    /// The text with its cursor, and the place of an error underlined.
    fn typed(&mut self, prompt: &InputLine, cells: &InputCells, row: &InputRow) {
        let theme = self.theme;
        let (plain, cursor_style, wrong, faint) =
            (theme.text, theme.cursor, theme.mistake, theme.faint);
        let (content, cursor) = prompt.text();
        let span = prompt.error.as_ref().map(|error| error.span.clone());
        let is_wrong = |from: usize, to: usize| {
            span.as_ref().is_some_and(|span| {
                (span.start < to && from < span.end) || (span.is_empty() && span.start == from)
            })
        };
        let behind = (
            content.len(),
            cells.width(),
            " ".to_owned(),
            content.len() + 1,
        );
        let shown = cells
            .list
            .iter()
            .map(|cell| (cell.byte, cell.cell, cell.shown.clone(), cell.end));
        for (byte, cell, sign, to) in shown.chain([behind]) {
            if cell < row.hidden {
                continue;
            }
            let column = usize::from(row.x) + cell - row.hidden;
            let Ok(column) = u16::try_from(column) else {
                break;
            };
            let mut style = if is_wrong(byte, to) {
                plain.patch(wrong)
            } else {
                plain
            };
            if (byte..to).contains(&cursor) {
                style = style.patch(cursor_style);
            }
            self.put_text(column, row.y, row.end, &sign, style);
        }
        if content.is_empty() && prompt.kind == LineKind::Filter {
            let words = format!("for instance {}", prompt.filter.examples.join("   "));
            self.cut(
                row.x.saturating_add(2),
                row.y,
                row.end,
                &words,
                self.theme.dim,
            );
        }
        if row.hidden > 0 {
            let ellipsis = self.glyphs.ellipsis;
            self.put(row.x, row.y, row.end, ellipsis, faint);
        }
    }

    /// Writes hints at the right, as many as leave the line room enough; returns where it must end.
    fn prompt_hints(&mut self, prompt: &InputLine, x: u16, y: u16, end: u16) -> u16 {
        let typed = prompt.text().0;
        let accept = match prompt.kind {
            LineKind::Search | LineKind::Filter => "keep",
            LineKind::Tag => "tag",
            LineKind::RecordSearch | LineKind::HelpSearch => "find",
            LineKind::Command if typed.trim_start().starts_with("export") => "write the file",
            LineKind::Command => "do it",
        };
        let more: &[_] = match prompt.kind {
            LineKind::Search => &[(Action::Complete, "where"), (Action::Order, "order")],
            LineKind::RecordSearch | LineKind::HelpSearch => &[],
            _ => &[(Action::Complete, "complete")],
        };
        let hints = [(Action::Accept, accept), (Action::Cancel, "back")];
        let hints = self.spelled(&[&hints, more].concat());
        let typed = text::width(typed) as u16 + 2;
        match self.show_hints(&hints, x.saturating_add(typed.max(LINE_LEAST)), y, end) {
            0 => end,
            width => end.saturating_sub(width + 2),
        }
    }

    /// Writes at the right in which texts is searched, and in which order what is found shows;
    /// returns where the line must end.
    fn search_way(&mut self, x: u16, y: u16, end: u16) -> u16 {
        let search = &self.browser.search;
        let (scope, order) = (scope_word(search.scope), order_words(search.order));
        let separator = self.glyphs.separator;
        let whole = format!("in {scope} {separator} {order}");
        // The text keeps half of the row.
        let least = x + (end.saturating_sub(x)) / 2;
        let fitting = [whole, format!("in {scope}"), scope.to_owned()]
            .into_iter()
            .find_map(|words| {
                let from = end.saturating_sub(text::width(&words) as u16 + 1);
                (from > least).then_some((words, from))
            });
        let Some((words, from)) = fitting else {
            return end;
        };
        self.put(from, y, end, &words, self.theme.dim);
        from.saturating_sub(1)
    }

    /// A sentence on a row of its own, beginning at a column where there is room for it.
    fn remark(&mut self, area: Area, column: u16, words: &str, style: Style) {
        self.wipe(area);
        let end = area.right();
        let words = text::one_line(words, usize::from(area.width.saturating_sub(2)));
        let latest = usize::from(end.saturating_sub(1)).saturating_sub(text::width(&words));
        let x = usize::from(column).min(latest).max(usize::from(area.x + 1));
        self.put(x as u16, area.y, end, &words, style);
    }

    /// The list of suggestions, its last row above row `y`.
    fn suggestions(&mut self, list: &Suggestions, column: u16, y: u16) {
        let (theme, items) = (self.theme, &list.items);
        let (width, _) = self.browser.layout.size;
        let rows = items
            .len()
            .min(SUGGESTIONS)
            .min(usize::from(y.saturating_sub(1)));
        let chosen = list.chosen;
        let top = chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(rows));
        // Values come from the file as they are.
        let safe = |item: &Completion| {
            let name = text::one_line(&item.text, usize::from(width));
            (name, text::one_line(&item.note, NOTE))
        };
        let shown: Vec<_> = items.iter().skip(top).take(rows).map(safe).collect();
        let name = shown.iter().map(|(name, _)| text::width(name)).max();
        let note = shown.iter().map(|(_, note)| text::width(note)).max();
        let (name, note) = (name.unwrap_or(0), note.unwrap_or(0));
        let counted = format!("{}/{}", chosen.map_or(0, |at| at + 1), items.len());
        let needed = (1 + name + if note > 0 { 3 + note } else { 0 } + 1).max(counted.len() + 2);
        let box_width = needed.min(usize::from(width)) as u16;
        let x = (column.saturating_sub(1)).min(width - box_width);
        let first = y - rows as u16;
        let mut row = |y, words: &str, note: &str, row: Style, words_style: Style| {
            let area = Area::new(x, y, box_width, 1);
            self.wipe(area);
            self.tint(area, row);
            let end = x + box_width;
            let on = |style| Theme::on_row(row, style);
            self.cut(x + 1, y, end - 1, words, on(words_style));
            self.cut(x + 3 + name as u16, y, end, note, on(theme.dim));
        };
        for (((name, note), at), y) in shown.iter().zip(top..).zip(first..) {
            let style = match chosen == Some(at) {
                true => theme.selection,
                false => theme.popup,
            };
            row(y, name, note, style, theme.text);
        }
        if rows < items.len() && first > 1 {
            row(first - 1, &counted, "", theme.popup, theme.dim);
        }
    }

    /// Makes an area empty, whatever stood there.
    pub(super) fn wipe(&mut self, area: Area) {
        let area = rect(area).intersection(self.buffer.area);
        for position in area.positions() {
            self.buffer[position].reset();
        }
    }
}

/// Which texts are searched, in a word.
pub(super) fn scope_word(scope: SearchScope) -> &'static str {
    match scope {
        SearchScope::Everything | SearchScope::Sample => "everything",
        SearchScope::Prompt => "prompt",
        SearchScope::Responses => "responses",
        SearchScope::Quotes => "quotes",
        SearchScope::Rationales => "rationales",
    }
}

/// In which order what is found shows, in two words.
pub(super) fn order_words(order: HitOrder) -> &'static str {
    match order {
        HitOrder::Ranked => "best first",
        HitOrder::Dataset => "in order",
    }
}

/// The clusters of a typed text.
struct InputCells {
    list: Vec<InputCell>,
}

struct InputCell {
    /// First byte, and the byte behind.
    byte: usize,
    end: usize,
    /// First cell, and cells.
    cell: usize,
    width: usize,
    /// What shows: hidden characters as their glyphs.
    shown: String,
}

impl InputCells {
    fn of(content: &str) -> Self {
        let mut list = Vec::new();
        let mut cell = 0;
        for range in text::graphemes(content) {
            let shown = text::sanitise(&content[range.clone()], Hidden::Shown)
                .as_str()
                .to_owned();
            let width = text::width(&shown);
            list.push(InputCell {
                byte: range.start,
                end: range.end,
                cell,
                width,
                shown,
            });
            cell += width;
        }
        Self { list }
    }

    fn width(&self) -> usize {
        self.list.last().map_or(0, |last| last.cell + last.width)
    }

    /// The cell at which the cluster of a byte begins.
    fn at(&self, byte: usize) -> usize {
        self.list
            .iter()
            .find(|cell| byte < cell.end)
            .map_or(self.width(), |cell| cell.cell)
    }

    /// How many cells go out at the left so that the cursor's cell, and one behind it, are in
    /// sight.
    fn scrolled(&self, cursor: usize, room: usize) -> usize {
        if self.width() < room {
            return 0;
        }
        let least = (cursor + 2).saturating_sub(room.max(2));
        let starts = self.list.iter().map(|cell| cell.cell).chain([self.width()]);
        starts
            .into_iter()
            .find(|start| *start >= least)
            .unwrap_or(0)
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
