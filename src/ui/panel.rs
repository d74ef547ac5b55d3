//! The labels panel: a drawer at the bottom with a row for each label.

use ratatui::style::Style;

use super::{Canvas, grouped};
use crate::app::{Action, Area, Chart, Context, Handle, Panel, label, number, view_word};
use crate::keymap::key_in;
use crate::query::{Bin, View};
use crate::text;

/// Keys worth a place on the status line while the panel has them, the most useful first.
const HINTS: &[(Action, &str)] = &[
    (Action::Handle(Handle::LowUp), "from"),
    (Action::Handle(Handle::HighDown), "to"),
    (Action::Digit(3), "only 3"),
    (Action::Handle(Handle::NextView), "side"),
    (Action::Handle(Handle::Clear), "clear"),
    (Action::Handle(Handle::NextSample), "next sample"),
    (Action::LabelsPanel, "close"),
];

impl Canvas<'_> {
    pub(super) fn panel(&mut self, panel: &Panel) {
        let drawer = self.app.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        self.wipe(drawer);
        let (line, title) = (self.look.theme.border_focus, self.look.theme.title_focus);
        let end = drawer.x + drawer.width;
        let rule = self.look.glyphs.border.horizontal_top.repeat(usize::from(drawer.width));
        self.put(drawer.x, drawer.y, end, &rule, line);
        self.put(drawer.x + 1, drawer.y, end, " labels ", title);
        let height = usize::from(drawer.height.saturating_sub(1));
        let top = panel.top(height);
        for (at, y) in (top..panel.rows().len()).take(height).zip(drawer.y + 1..) {
            self.panel_row(panel, at, Area { y, height: 1, ..drawer });
        }
    }

    fn panel_row(&mut self, panel: &Panel, at: usize, area: Area) {
        let Some(row) = panel.rows().get(at) else { return };
        let chosen = at == panel.chosen();
        let theme = &self.look.theme;
        let (dim, strong, faint) = (theme.dim, theme.strong, theme.faint);
        let (end, y) = (area.x + area.width, area.y);
        let chart = self.app.chart(at);
        let places = panel.places(area, chart.map_or(1, |chart| chart.bins.count));
        let sign = if chosen { self.look.glyphs.selected } else { " " };
        self.put(area.x, y, end, sign, strong);
        let name = text::one_line(label(row), 60);
        self.cut(places.name, y, places.view.saturating_sub(1), &name, if chosen { strong } else { dim });
        let view_style = match row.view {
            View::A => self.look.theme.side_a,
            View::B => self.look.theme.side_b,
            _ => dim,
        };
        self.put(places.view, y, places.bins, view_word(row.view), view_style);
        match chart {
            Some(chart) => self.bins(at, chart, places.bins, places.bin_width, y),
            None => {
                let words = if self.app.charts().is_some() { "no values" } else { "counting…" };
                self.put(places.bins + 1, y, end, words, faint);
            }
        }
    }

    fn bins(&mut self, row: usize, chart: &Chart, x: u16, width: u16, y: u16) {
        let bins = &chart.histogram.bins;
        let shown_values: Vec<_> = bins.iter().map(|bin| number(bin.low)).collect();
        let value_width = shown_values.iter().map(|value| text::width(value)).max().unwrap_or(1);
        let counts: Vec<_> = bins.iter().map(|bin| grouped(bin.shown)).collect();
        let count_width = counts.iter().map(|count| text::width(count)).max().unwrap_or(1);
        let most = bins.iter().map(|bin| bin.all).max().unwrap_or(0).max(1);
        let chosen = self.app.chosen_bins(row);
        let is_chosen = |at: usize| chosen.as_ref().is_none_or(|chosen| chosen.get(at).copied().unwrap_or(false));
        let first = (0..bins.len()).find(|&at| is_chosen(at));
        let last = (0..bins.len()).rev().find(|&at| is_chosen(at));
        let (key, faint, dim, plain) =
            (self.look.theme.status_key, self.look.theme.faint, self.look.theme.dim, self.look.theme.text);
        for (at, bin) in bins.iter().enumerate() {
            let from = x + width * at as u16;
            let end = from + width;
            let (value_style, count_style) = if is_chosen(at) { (plain, dim) } else { (faint, faint) };
            if chosen.is_some() && first == Some(at) {
                self.put(from, y, end, "[", key);
            }
            let inner = usize::from(width.saturating_sub(2));
            let (value, count) = (&shown_values[at], &counts[at]);
            let at_value = self.put(from + 1, y, end, &format!("{value:>value_width$}"), value_style);
            let left = inner.saturating_sub(value_width + 1);
            // The bar gives way first, then the count; where there is no room for either, a step of a column says how many.
            if left >= count_width + 1 + SHORTEST_BAR {
                let bar = left - count_width - 1;
                let behind = self.panel_bar(at_value + 1, y, end, bin, most, bar.min(LONGEST_BAR), is_chosen(at));
                self.put(behind + 1, y, end, count, count_style);
            } else if left >= count_width {
                self.put(at_value + 1, y, end, count, count_style);
            } else if inner > value_width {
                let step = self.look.glyphs.column(bin.shown, most);
                self.put(at_value, y, end, step, count_style);
            }
            if chosen.is_some() && last == Some(at) {
                self.put(end.saturating_sub(1), y, end, "]", key);
            }
        }
    }

    /// A bar for all values, its part that shows brighter; returns the column behind it.
    #[allow(clippy::too_many_arguments)] // A place, a length and what to draw there.
    fn panel_bar(&mut self, x: u16, y: u16, end: u16, bin: &Bin, most: usize, length: usize, chosen: bool) -> u16 {
        // What is there at all shows as one cell at least.
        let cells = |count: usize| if count == 0 { 0 } else { (count * length / most).max(1) };
        let (all, shown) = (cells(bin.all), cells(bin.shown));
        let on: Style = if chosen { self.look.theme.ramp[3] } else { self.look.theme.ramp[0] };
        let off = self.look.theme.ramp_empty;
        let x = self.put(x, y, end, &self.look.glyphs.chart_full.repeat(shown), on);
        self.put(x, y, end, &self.look.glyphs.chart_empty.repeat(all.saturating_sub(shown)), off)
    }

    /// What keys do in the panel, with their styles.
    pub(super) fn panel_hints(&mut self, from: u16, y: u16, end: u16) {
        let key = |action| match action {
            Action::Digit(digit) => Some(digit.to_string()),
            action => key_in(Context::Panel, action).or_else(|| key_in(Context::Read, action)),
        };
        let (key_style, style) = (self.look.theme.status_key, self.look.theme.status);
        let mut x = from;
        for &(action, what) in HINTS {
            let pair = match action {
                Action::Handle(Handle::LowUp) => Some((Handle::LowDown, Handle::LowUp)),
                Action::Handle(Handle::HighDown) => Some((Handle::HighDown, Handle::HighUp)),
                _ => None,
            };
            let keys = match pair {
                Some((down, up)) => {
                    key(Action::Handle(down)).zip(key(Action::Handle(up))).map(|(a, b)| format!("{a} {b}"))
                }
                None => key(action),
            };
            let Some(keys) = keys else { continue };
            if usize::from(x) + text::width(&keys) + what.len() + 1 > usize::from(end) {
                break;
            }
            x = self.put(x, y, end, &keys, key_style);
            x = self.put(x + 1, y, end, what, style) + 2;
        }
    }
}

/// Cells of the shortest and of the longest bar.
const SHORTEST_BAR: usize = 3;
const LONGEST_BAR: usize = 24;
