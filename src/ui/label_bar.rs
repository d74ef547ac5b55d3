//! The labels above a response: they never scroll away from their text.

use ratatui::style::Style;

use super::Canvas;
use crate::app::{
    Detail, GAP, LENGTH, LabelBar, LabelBarItem, Pane, RatingCells, RatingItem, Tone, shown_name,
};
use crate::model::ResponseId;
use crate::text;

/// A cell, and the column behind the last one that may be written to.
#[derive(Clone, Copy)]
struct Spot {
    x: u16,
    y: u16,
    end: u16,
}

impl Canvas<'_> {
    pub(super) fn strip(&mut self, pane: Pane) {
        let app = self.app;
        let side = app.browser.page().and_then(|page| page.side(pane));
        let Some(strip) = side.map(|side| &side.strip) else {
            return;
        };
        let area = app
            .browser
            .geometry()
            .inside(pane)
            .top(app.browser.strip_height(pane));
        let end = area.right();
        let shown = strip.rows.len().min(usize::from(area.height));
        let left: usize = strip.rows[shown..].iter().map(Vec::len).sum();
        let more = match left {
            0 => String::new(),
            left => format!("+{left} more"),
        };
        let mut x = area.x;
        for (number, (row, y)) in strip.rows[..shown].iter().zip(area.y..).enumerate() {
            // Nothing of the last row stands where it is said how much more there is.
            let end = match number + 1 == shown && left > 0 {
                true => end.saturating_sub((more.len() + GAP) as u16),
                false => end,
            };
            x = area.x;
            for (place, item) in row.iter().enumerate() {
                let cells = strip.columns.get(place).copied().unwrap_or_default();
                x = self.strip_item(Spot { x, y, end }, item, strip, cells) + GAP as u16;
            }
        }
        if shown > 0 {
            let x = x.min(end.saturating_sub(more.len() as u16));
            self.put(x, area.y + area.height - 1, end, &more, self.theme.dim);
        }
    }

    /// Writes an item; returns the column behind it, of a label behind its column.
    fn strip_item(
        &mut self,
        spot: Spot,
        item: &LabelBarItem,
        strip: &LabelBar,
        cells: RatingCells,
    ) -> u16 {
        let Spot { x, y, end } = spot;
        let theme = self.theme;
        let (dim, plain, strong) = (theme.dim, theme.text, theme.strong);
        match item {
            LabelBarItem::Rating(rating) => self.rating_item(spot, rating, strip.detail, cells),
            LabelBarItem::Length {
                characters,
                difference,
                words,
            } => {
                self.put(x, y, end, LENGTH, dim);
                let x = x + cells.name as u16 + 1;
                let x = self.put(x, y, end, characters, plain) + 1;
                // To be longer is neither good nor bad.
                let x = self.put(x, y, end, difference, dim);
                let at = x + GAP as u16;
                match usize::from(at) + text::width(words) <= usize::from(end) {
                    true => self.put(at, y, end, words, plain),
                    // Half a number would be another one.
                    false => x,
                }
            }
            LabelBarItem::Letter { id, said, shown } => {
                let style = if *shown { strong } else { dim };
                let of_letter = if self.browser.has_hit(*id) {
                    style.patch(theme.hit)
                } else {
                    style
                };
                let x = self.put(x, y, end, id.letter(), of_letter);
                self.put(x, y, end, said, style)
            }
            LabelBarItem::Note { text, tone } => {
                let style = match tone {
                    Tone::Dim => dim,
                    Tone::Finding => theme.finding,
                };
                let sign = if *tone == Tone::Finding {
                    self.glyphs.finding
                } else {
                    ""
                };
                let x = self.put(x, y, end, sign, style);
                self.put(x, y, end, text, style)
            }
        }
    }

    fn rating_item(
        &mut self,
        spot: Spot,
        rating: &RatingItem,
        detail: Detail,
        cells: RatingCells,
    ) -> u16 {
        let Spot { x, y, end } = spot;
        let behind = |x: u16, cells: usize| x + cells as u16;
        self.put(x, y, end, &shown_name(&rating.name, detail), self.theme.dim);
        let mut x = behind(x, cells.name);
        if cells.bar > 0 {
            if let Some((full, of)) = rating.bar {
                self.bar(x + 1, y, end, full, of);
            }
            x = behind(x + 1, cells.bar);
        }
        self.put(x + 1, y, end, &rating.value, self.theme.strong);
        x = behind(x + 1, cells.value);
        if cells.difference > 0 {
            let style = match rating.is_gain {
                true => self.theme.gain,
                false => self.theme.dim,
            };
            self.put(x + 1, y, end, &rating.difference, style);
            x = behind(x + 1, cells.difference);
        }
        if cells.balance > 0 {
            x += GAP as u16;
            if let Some((lead, _)) = rating.balance {
                self.balance(Spot { x, ..spot }, lead, cells.balance);
            }
            x = behind(x, 2 * cells.balance + 1);
        }
        x
    }

    /// A two-sided bar: to the left what A has more, to the right what B has.
    fn balance(&mut self, spot: Spot, lead: i32, cells: usize) {
        let Spot { x, y, end } = spot;
        let (theme, glyphs) = (self.theme, self.glyphs);
        let (a, b) = (theme.response(ResponseId::A), theme.response(ResponseId::B));
        let bar = glyphs.bar_full.repeat(lead.unsigned_abs() as usize);
        let middle = x + cells as u16;
        self.put(middle, y, end, self.glyphs.divider, theme.faint);
        if lead > 0 {
            self.put(middle - text::width(&bar) as u16, y, end, &bar, a);
        } else {
            self.put(middle + 1, y, end, &bar, b);
        }
    }

    pub(super) fn bar(&mut self, x: u16, y: u16, end: u16, full: u32, of: u32) -> u16 {
        let step = (full * 4).div_ceil(of.max(1)).min(4) as usize;
        let (on, off): (Style, Style) = (self.theme.ramp[step], self.theme.ramp_empty);
        let (filled, empty) = (self.glyphs.bar_full, self.glyphs.bar_empty);
        let x = self.put(x, y, end, &filled.repeat(full as usize), on);
        self.put(
            x,
            y,
            end,
            &empty.repeat(of.saturating_sub(full) as usize),
            off,
        )
    }
}
