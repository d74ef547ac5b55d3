//! The labels above a response: they never scroll away from their text.

use ratatui::style::Style;

use super::Canvas;
use crate::app::{Detail, GAP, LabelBarItem, Pane, Tone};

impl Canvas<'_> {
    pub(super) fn strip(&mut self, pane: Pane) {
        let app = self.app;
        let side = app.page().and_then(|page| page.side(pane));
        let Some(strip) = side.map(|side| &side.strip) else {
            return;
        };
        let area = app.geometry().inside(pane).top(app.strip_height(pane));
        let end = area.x + area.width;
        let shown = strip.rows.len().min(usize::from(area.height));
        let mut x = area.x;
        for (row, y) in strip.rows[..shown].iter().zip(area.y..) {
            x = area.x;
            for item in row {
                x = self.strip_item(x, y, end, item, strip.detail) + GAP as u16;
            }
        }
        let left: usize = strip.rows[shown..].iter().map(Vec::len).sum();
        if left > 0 && shown > 0 {
            let (words, dim) = (format!("+{left} more"), self.look.theme.dim);
            let x = x.min(end.saturating_sub(words.len() as u16));
            self.put(x, area.y + area.height - 1, end, &words, dim);
        }
    }

    fn strip_item(&mut self, x: u16, y: u16, end: u16, item: &LabelBarItem, detail: Detail) -> u16 {
        let theme = &self.look.theme;
        let (dim, value_style, gain) = (theme.dim, theme.strong, theme.gain);
        match item {
            LabelBarItem::Rating {
                name,
                value,
                bar,
                lead,
            } => {
                let mut x = self.put(x, y, end, &LabelBarItem::shown_name(name, detail), dim) + 1;
                if let Some((full, of)) = bar.filter(|_| detail == Detail::Full) {
                    x = self.bar(x, y, end, full, of) + 1;
                }
                x = self.put(x, y, end, value, value_style);
                // The lead has its place also where there is none, so that both sides flow alike.
                self.put(x, y, end, &format!("{lead:<3}"), gain)
            }
            LabelBarItem::Letter { id, said, shown } => {
                let style = if *shown { value_style } else { dim };
                let of_letter = if self.app.has_hit(*id) {
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
                    self.look.glyphs.finding
                } else {
                    ""
                };
                let x = self.put(x, y, end, sign, style);
                self.put(x, y, end, text, style)
            }
        }
    }

    pub(super) fn bar(&mut self, x: u16, y: u16, end: u16, full: u32, of: u32) -> u16 {
        let step = (full * 4).div_ceil(of.max(1)).min(4) as usize;
        let (on, off): (Style, Style) = (self.look.theme.ramp[step], self.look.theme.ramp_empty);
        let (filled, empty) = (self.look.glyphs.bar_full, self.look.glyphs.bar_empty);
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
