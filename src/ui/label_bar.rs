//! The labels above a response: they never scroll away from their text.

use super::Canvas;
use super::row::Row;
use crate::app::{
    Detail, GAP, LENGTH, LabelBar, LabelBarItem, Pane, RatingCells, RatingItem, Tone, shown_name,
};
use crate::model::ResponseId;
use crate::text;

impl Canvas<'_> {
    pub fn strip(&mut self, pane: Pane) {
        let Self { browser, theme, .. } = *self;
        let side = browser.page().and_then(|page| page.side(pane));
        let Some(strip) = side.map(|side| &side.strip) else {
            return;
        };
        let area = browser.geometry().inside(pane);
        let area = area.top(browser.strip_height(pane));
        let shown = strip.rows.len().min(usize::from(area.height));
        let left: usize = strip.rows[shown..].iter().map(Vec::len).sum();
        for (number, (items, y)) in strip.rows[..shown].iter().zip(area.y..).enumerate() {
            // Nothing of the last row stands where it is said how much more there is.
            let more = match number + 1 == shown && left > 0 {
                true => format!("+{left} more"),
                false => String::new(),
            };
            let reserved = if more.is_empty() { 0 } else { more.len() + GAP };
            let mut row = self.row(area.row(y));
            row.end = row.end.saturating_sub(reserved as u16);
            for (place, item) in items.iter().enumerate() {
                let cells = strip.columns.get(place).copied().unwrap_or_default();
                let is_hit = |id| browser.has_hit(id);
                row.label_item(item, strip, cells, is_hit);
                row.skip(GAP);
            }
            row.end = area.right();
            row.x = row.x.min(area.right().saturating_sub(more.len() as u16));
            row.put(&more, theme.dim);
        }
    }
}

impl Row<'_> {
    /// Writes an item, a label into its column.
    fn label_item(
        &mut self,
        item: &LabelBarItem,
        strip: &LabelBar,
        cells: RatingCells,
        is_hit: impl Fn(ResponseId) -> bool,
    ) {
        let theme = self.theme;
        match item {
            LabelBarItem::Rating(rating) => self.rating_item(rating, strip.detail, cells),
            LabelBarItem::Length {
                characters,
                difference,
                words,
            } => {
                self.column(cells.name, |row| row.put(LENGTH, theme.dim));
                self.put(characters, theme.text);
                self.skip(1);
                // To be longer is neither good nor bad.
                self.put(difference, theme.dim);
                // Half a number would be another one.
                if GAP + text::width(words) <= self.room() {
                    self.skip(GAP);
                    self.put(words, theme.text);
                }
            }
            LabelBarItem::Letter { id, said, shown } => {
                let style = if *shown { theme.strong } else { theme.dim };
                let hit = is_hit(*id).then_some(theme.hit).unwrap_or_default();
                self.put(id.letter(), style.patch(hit));
                self.put(said, style);
            }
            LabelBarItem::Note { text, tone } => {
                let (sign, style) = match tone {
                    Tone::Dim => ("", theme.dim),
                    Tone::Finding => (self.glyphs.finding, theme.finding),
                };
                self.put(sign, style);
                self.put(text, style);
            }
        }
    }

    fn rating_item(&mut self, rating: &RatingItem, detail: Detail, cells: RatingCells) {
        let theme = self.theme;
        let name = shown_name(&rating.name, detail);
        self.column(cells.name, |row| row.put(&name, theme.dim));
        if cells.bar > 0 {
            let (full, of) = rating.bar.unwrap_or_default();
            self.column(cells.bar, |row| row.bar(full, of));
        }
        self.column(cells.value, |row| row.put(&rating.value, theme.strong));
        if cells.difference > 0 {
            let style = match rating.is_gain {
                true => theme.gain,
                false => theme.dim,
            };
            self.column(cells.difference, |row| row.put(&rating.difference, style));
        }
        if cells.balance > 0 {
            self.skip(GAP - 1);
            self.column(2 * cells.balance + 1, |row| {
                if let Some((lead, _)) = rating.balance {
                    row.balance(lead, cells.balance);
                }
            });
        }
        // What comes next keeps its own distance.
        self.x = self.x.saturating_sub(1);
    }

    /// A two-sided bar: to the left what A has more, to the right what B has.
    fn balance(&mut self, lead: i32, cells: usize) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        let length = lead.unsigned_abs() as usize;
        let bar = glyphs.bar_full.repeat(length);
        self.skip(cells - if lead > 0 { length } else { 0 });
        if lead > 0 {
            self.put(&bar, theme.response(ResponseId::A));
        }
        self.put(glyphs.divider, theme.faint);
        if lead < 0 {
            self.put(&bar, theme.response(ResponseId::B));
        }
    }

    pub fn bar(&mut self, full: u32, of: u32) {
        let step = (full * 4).div_ceil(of.max(1)).min(4) as usize;
        let (filled, empty) = (self.glyphs.bar_full, self.glyphs.bar_empty);
        self.put(&filled.repeat(full as usize), self.theme.ramp[step]);
        let rest = of.saturating_sub(full) as usize;
        self.put(&empty.repeat(rest), self.theme.ramp_empty);
    }
}
