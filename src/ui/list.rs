//! The list of samples: number, labels at a glance, the beginning of the prompt.

use ratatui::style::Style;

use super::{Canvas, Theme};
use crate::app::{Area, Entry, Glance, Pane};
use crate::model::{Side, Verdict};
use crate::text;

impl Canvas<'_> {
    pub(super) fn list(&mut self) {
        let area = self.app.geometry().inside(Pane::List);
        let samples = self.app.dataset().samples();
        let window = self.app.list().window(usize::from(area.height), samples);
        let digits = samples.to_string().len();
        let entries = window.clone().filter_map(|sample| self.app.list().entry(sample));
        let glance_width = entries.map(|entry| glance_width(&entry.glance)).max().unwrap_or(3);
        for (row, sample) in window.enumerate() {
            let y = area.y + row as u16;
            self.list_row(Area { y, height: 1, ..area }, sample, digits, glance_width);
        }
        self.scroll_bar(Pane::List, self.app.list().top(), samples, usize::from(area.height));
    }

    fn list_row(&mut self, area: Area, sample: usize, digits: usize, glance_width: usize) {
        let theme = &self.look.theme;
        let row = match (sample == self.app.selected(), self.app.focus() == Pane::List) {
            (false, _) => Style::default(),
            (true, true) => theme.selection,
            (true, false) => theme.selection_dim,
        };
        self.tint(area, row);
        let end = area.x + area.width;
        let entry = self.app.list().entry(sample);
        let (sign, sign_style) = self.list_sign(entry, sample);
        let mut x = self.put(area.x, area.y, end, sign, Theme::on_row(row, sign_style));
        let number = format!("{:>digits$} ", sample + 1);
        let (dim, text_style, finding) = (self.look.theme.dim, self.look.theme.text, self.look.theme.finding);
        x = self.put(x, area.y, end, &number, Theme::on_row(row, dim));
        let Some(entry) = entry else { return };
        let text_from = x + glance_width as u16 + 1;
        x = self.glance(x, area.y, end, &entry.glance, row);
        let style = if entry.glance == Glance::Malformed { finding } else { text_style };
        let x = if entry.glance == Glance::Malformed { x } else { text_from };
        self.cut(x, area.y, end, &entry.text, Theme::on_row(row, style));
    }

    fn list_sign(&self, entry: Option<&Entry>, sample: usize) -> (&'static str, Style) {
        let (theme, glyphs) = (&self.look.theme, &self.look.glyphs);
        match entry {
            Some(Entry { glance: Glance::Malformed, .. }) => (glyphs.malformed, theme.error),
            Some(Entry { flagged: true, .. }) => (glyphs.finding, theme.finding),
            // The selection is told by a sign too: not every terminal shows its colour.
            _ if sample == self.app.selected() => (glyphs.selected, theme.text),
            _ => (" ", theme.text),
        }
    }

    fn glance(&mut self, x: u16, y: u16, end: u16, glance: &Glance, row: Style) -> u16 {
        let theme = &self.look.theme;
        let on = |style| Theme::on_row(row, style);
        match glance {
            Glance::Ratings([a, b], verdict) => {
                let style = |side| match verdict {
                    Some(Verdict::Wins(winner)) if *winner == side => match side {
                        Side::A => theme.side_a,
                        Side::B => theme.side_b,
                    },
                    _ => theme.dim,
                };
                let (a_style, b_style, faint) = (on(style(Side::A)), on(style(Side::B)), on(theme.faint));
                let mut x = self.put(x, y, end, a.as_deref().unwrap_or(" "), a_style);
                if let Some(b) = b {
                    x = self.put(x, y, end, self.look.glyphs.divider, faint);
                    x = self.put(x, y, end, b, b_style);
                }
                x
            }
            Glance::Winner(verdict, by) => {
                let (word, style) = match verdict {
                    Verdict::Wins(Side::A) => ("A", theme.side_a),
                    Verdict::Wins(Side::B) => ("B", theme.side_b),
                    Verdict::Tie => (self.look.glyphs.tie, theme.tie),
                };
                let dim = on(theme.dim);
                let x = self.put(x, y, end, word, on(style));
                self.put(x + 1, y, end, by, dim)
            }
            Glance::Nothing | Glance::Malformed => x,
        }
    }

    /// Writes text that ends in an ellipsis where it does not fit; returns the column behind it.
    pub(super) fn cut(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) -> u16 {
        let room = usize::from(end.saturating_sub(x));
        if text::width(words) <= room {
            return self.put_text(x, y, end, words, style);
        }
        if room == 0 {
            return x;
        }
        let ellipsis = self.look.glyphs.ellipsis;
        let x = self.put_text(x, y, end - 1, words, style);
        self.put(x, y, end, ellipsis, style)
    }
}

fn glance_width(glance: &Glance) -> usize {
    match glance {
        Glance::Ratings([a, b], _) => {
            let width = |value: &Option<String>| value.as_ref().map_or(1, |value| text::width(value));
            width(a) + 1 + width(b)
        }
        Glance::Winner(_, by) => 1 + usize::from(!by.is_empty()) + text::width(by),
        Glance::Nothing | Glance::Malformed => 0,
    }
}
