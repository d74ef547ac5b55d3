//! A writer for a row of cells, from left to right.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::glyphs::{Glyphs, to_ascii};
use super::{Theme, rect};
use crate::app::Area;
use crate::text::width;

/// Position and style of a row writer.
pub(super) struct Row<'b> {
    pub buffer: &'b mut Buffer,
    pub theme: &'b Theme,
    pub glyphs: &'b Glyphs,
    /// Base style of the row, below the style of the words.
    pub base: Style,
    /// Column of the next word.
    pub x: u16,
    pub y: u16,
    /// Column after the last writable one.
    pub end: u16,
}

impl Row<'_> {
    /// Returns the number of remaining cells.
    pub fn room(&self) -> usize {
        usize::from(self.end.saturating_sub(self.x))
    }

    /// Skips cells without changing them.
    pub fn skip(&mut self, cells: usize) {
        self.x = self.x.saturating_add(cells as u16);
    }

    /// Writes one of the program's own texts.
    pub fn put(&mut self, words: &str, style: Style) {
        if *self.glyphs != Glyphs::UNICODE && !words.is_ascii() {
            self.text(&to_ascii(words), style);
        } else {
            self.text(words, style);
        }
    }

    /// Writes text from a file unchanged.
    pub fn text(&mut self, text: &str, style: Style) {
        let area = self.buffer.area;
        let end = self.end.min(area.right());
        if self.x < end && (area.top()..area.bottom()).contains(&self.y) {
            let (room, style) = (usize::from(end - self.x), Theme::on_row(self.base, style));
            (self.x, _) = self.buffer.set_stringn(self.x, self.y, text, room, style);
        }
    }

    /// Writes text, with an ellipsis if it does not fit.
    pub fn cut(&mut self, text: &str, style: Style) {
        if width(text) <= self.room() {
            return self.text(text, style);
        }
        if self.room() > 0 {
            self.end -= 1;
            self.text(text, style);
            self.end += 1;
            self.put(self.glyphs.ellipsis, style);
        }
    }

    /// Writes words at the end of the row, and ends the row before them.
    pub fn right(&mut self, words: &str, style: Style) {
        let from = self.end.saturating_sub(width(words) as u16).max(self.x);
        let x = std::mem::replace(&mut self.x, from);
        self.put(words, style);
        (self.x, self.end) = (x, from);
    }

    /// Writes words at the end of the row if all of them fit: half a number is another one.
    pub fn right_if_it_fits(&mut self, words: &str, style: Style) {
        if width(words) <= self.room() {
            self.right(words, style);
        }
    }

    /// Writes a separator between two facts.
    pub fn separate(&mut self, style: Style) {
        self.put(&format!(" {} ", self.glyphs.separator), style);
    }

    /// Writes into the next `cells` cells, then moves to the end of them and a gap.
    pub fn column(&mut self, cells: usize, gap: usize, write: impl FnOnce(&mut Self)) {
        let (next, end) = (self.x.saturating_add(cells as u16), self.end);
        self.end = end.min(next);
        write(self);
        (self.x, self.end) = (next.saturating_add(gap as u16), end);
    }

    /// Draws a bar that is filled to `part` of its cells (0 to 1); `mark` is another share on the
    /// same scale, shown as a tick.
    pub fn bar(&mut self, cells: usize, part: f64, mark: Option<f64>, style: Style) {
        let (from, line) = (self.x, self.theme.ramp_empty);
        let [filled, empty] = self.glyphs.bar(part, cells);
        self.text(&filled, style);
        self.text(&empty, line);
        if let Some(mark) = mark.filter(|_| cells > 0) {
            let at = ((mark * cells as f64).ceil() as usize).clamp(1, cells) - 1;
            let (after, tick) = (self.x, self.glyphs.rule.vertical);
            self.x = from.saturating_add(at as u16);
            self.column(1, 0, |row| row.text(tick, row.theme.text));
            self.x = after;
        }
    }

    /// Styles the cells of an area.
    pub fn tint(&mut self, area: Area, style: Style) {
        self.buffer.set_style(rect(area), style);
    }
}
