//! The labels panel: a drawer at the bottom with a row for each label and each count.

use ratatui::style::Style;

use super::Canvas;
use super::row::Row;
use super::status::KeyHint;
use crate::app::{Action, Area, Chart, Panel, PanelAction, Toggle, view_word};
use crate::query::{Aggregate, Bin};
use crate::text::{self, counted, grouped, number};

/// Keys worth a place on the status line while the panel has them, the most useful first: of pairs,
/// both are shown.
const HINTS: &[(Action, Option<Action>, &str)] = &[
    (Action::Cancel, None, "back"),
    (Action::Zoom, None, "keep"),
    (Action::NextSample, Some(Action::PreviousSample), "row"),
    (
        Action::Handle(PanelAction::LowDown),
        Some(Action::Handle(PanelAction::LowUp)),
        "lower end",
    ),
    (
        Action::Handle(PanelAction::HighDown),
        Some(Action::Handle(PanelAction::HighUp)),
        "upper end",
    ),
    (Action::Handle(PanelAction::NextView), None, "side"),
    (Action::Toggle(Toggle::Folds), None, "counts"),
    (Action::Handle(PanelAction::Clear), None, "clear"),
    (Action::Handle(PanelAction::NextSample), None, "next sample"),
];

impl Canvas<'_> {
    pub fn panel(&mut self, panel: &Panel) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let (dim, separator) = (self.theme.dim, self.glyphs.separator);
        let counts = match panel.rows.get(panel.chosen) {
            Some(row) if !row.column.is_of_responses() => "samples",
            Some(row) if row.view == Aggregate::Gap => "pairs",
            _ => "responses",
        };
        // A filter that speaks of one response shows its partner too, and does not count it.
        let which = match self.browser.filter.active() {
            Some(_) => "that match",
            None => "shown",
        };
        let mut row = self.begin_drawer(drawer, " labels and counts ");
        row.put(&format!("{separator} {counts} {which}, of all "), dim);
        let height = usize::from(drawer.height.saturating_sub(1));
        let folded = panel.folded();
        if panel.shown > height {
            // Some are above or below.
            row.end = row.end.saturating_sub(1);
            row.right(&format!(" {}/{} ", panel.chosen + 1, panel.shown), dim);
        }
        let top = panel.top(height);
        for (at, y) in (top..panel.shown).take(height).zip(drawer.y + 1..) {
            self.panel_row(panel, at, drawer.row(y));
        }
        if folded > 0 && panel.shown < height {
            let key = self.key(Action::Toggle(Toggle::Folds)).unwrap_or_default();
            let more = counted(folded, "more count");
            let words = format!("{} {more}, {key} unfolds", self.glyphs.ellipsis);
            let mut row = self.row(drawer.row(drawer.bottom() - 1));
            row.skip(2);
            row.cut(&words, dim);
        }
    }

    fn panel_row(&mut self, panel: &Panel, at: usize, area: Area) {
        let Some(row) = panel.rows.get(at) else {
            return;
        };
        let theme = self.theme;
        let style = match at == panel.chosen {
            true => theme.strong,
            false => theme.dim,
        };
        let (chart, are_counted) = (panel.chart(at), panel.has_charts());
        let places = panel.places(area, chart.map_or(1, |chart| chart.bins.count()));
        let name = text::one_line(row.column.name, 60);
        let mut line = self.begin_row(area, Style::default(), at == panel.chosen);
        line.x = places.name;
        let cells = places.view.saturating_sub(places.name + 1);
        line.column(cells.into(), 1, |line| line.cut(&name, style));
        let view_style = match row.view {
            Aggregate::At(response) => theme.response(response),
            _ => theme.dim,
        };
        line.put(view_word(row), view_style);
        line.x = places.bins + 1;
        match chart {
            Some(chart) => self.bins(at, chart, places.bins, places.bin_width, area.y),
            None if are_counted => line.put("no values", theme.faint),
            None => line.put("counting…", theme.faint),
        }
    }

    fn bins(&mut self, row: usize, chart: &Chart, x: u16, width: u16, y: u16) {
        let bins = &chart.histogram.bins;
        let widest = |words: &dyn Fn(&Bin) -> String| {
            bins.iter()
                .map(|bin| text::width(&words(bin)))
                .max()
                .unwrap_or(1)
        };
        let scale = BinScale {
            value: widest(&|bin| number(bin.low)),
            count: widest(&|bin| grouped(bin.shown)),
            most: bins.iter().map(|bin| bin.all).max().unwrap_or(0).max(1),
        };
        let chosen = self.views.panel();
        let chosen = chosen.and_then(|panel| panel.chosen_bins(row, self.browser));
        let is_chosen = |at: usize| {
            chosen
                .as_ref()
                .is_none_or(|chosen| chosen.get(at).copied().unwrap_or(false))
        };
        let begins = |at: usize| is_chosen(at) && (at == 0 || !is_chosen(at - 1));
        let ends = |at: usize| is_chosen(at) && (at + 1 == bins.len() || !is_chosen(at + 1));
        let key = self.theme.status_key;
        let mut row = self.row(Area::new(x, y, 0, 1));
        for (at, bin) in (0..).zip(bins) {
            let end = row.end + width;
            (row.x, row.end) = (row.end, end);
            if chosen.is_some() && begins(at) {
                row.put("[", key);
            }
            (row.x, row.end) = (end - width + 1, end.saturating_sub(1));
            row.bin(bin, &scale, is_chosen(at));
            (row.x, row.end) = (end.saturating_sub(1), end);
            if chosen.is_some() && ends(at) {
                row.put("]", key);
            }
        }
    }

    /// What keys do in the panel, how to leave it first.
    pub fn panel_hints(&self) -> Vec<KeyHint> {
        let key = |action| self.key(action);
        let hints = HINTS.iter().filter_map(|&(action, other, what)| {
            let keys = match other {
                Some(other) => key(action)
                    .zip(key(other))
                    .map(|(one, other)| format!("{one} {other}")),
                None => key(action),
            };
            Some((keys?, what))
        });
        hints.collect()
    }
}

impl Row<'_> {
    /// A bin: its value, a bar and how many show. The bar gives way first, then the count; where
    /// there is no room for either, a step of a column says how many.
    fn bin(&mut self, bin: &Bin, scale: &BinScale, chosen: bool) {
        let theme = self.theme;
        let (value_style, count_style) = match chosen {
            true => (theme.text, theme.dim),
            false => (theme.faint, theme.faint),
        };
        let (room, value) = (self.room(), number(bin.low));
        let step = self.glyphs.column(bin.shown, scale.most);
        if room <= scale.value {
            // The value itself says more than its height does, where it is one digit.
            let words = if room == scale.value { &value } else { step };
            return self.put(words, value_style);
        }
        self.put(&format!("{value:>0$}", scale.value), value_style);
        let (left, count) = (room - scale.value - 1, grouped(bin.shown));
        if left < scale.count {
            return self.put(step, count_style);
        }
        self.skip(1);
        if left > scale.count + SHORTEST_BAR {
            self.panel_bar(
                (left - scale.count - 1).min(LONGEST_BAR),
                bin,
                scale.most,
                chosen,
            );
            self.skip(1);
        }
        self.put(&count, count_style);
    }

    /// A bar for all values, its part that shows brighter.
    fn panel_bar(&mut self, length: usize, bin: &Bin, most: usize, chosen: bool) {
        // What is there at all shows as one cell at least.
        let cells = |count: usize| match count {
            0 => 0,
            count => (count * length / most).max(1),
        };
        let (all, shown) = (cells(bin.all), cells(bin.shown));
        let (theme, glyphs) = (self.theme, self.glyphs);
        let on = theme.ramp[if chosen { 3 } else { 0 }];
        self.put(&glyphs.chart_full.repeat(shown), on);
        let rest = all.saturating_sub(shown);
        self.put(&glyphs.chart_empty.repeat(rest), theme.ramp_empty);
    }
}

/// What the bins of a row have in common.
struct BinScale {
    /// Cells of the widest value, and of the widest count.
    value: usize,
    count: usize,
    /// The greatest number of all values in a bin.
    most: usize,
}

/// Cells of the shortest and of the longest bar.
const SHORTEST_BAR: usize = 3;
const LONGEST_BAR: usize = 24;
