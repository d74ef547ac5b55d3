//! The labels panel: a drawer at the bottom with a row for each label and each count.

use super::Canvas;
use super::status::KeyHint;
use crate::app::{Action, Area, Chart, Panel, PanelAction, view_word};
use crate::query::{Aggregate, Bin};
use crate::text::{self, grouped, number};

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
    (Action::Handle(PanelAction::Clear), None, "clear"),
    (Action::Handle(PanelAction::NextSample), None, "next sample"),
];

impl Canvas<'_> {
    pub(super) fn panel(&mut self, panel: &Panel) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let end = drawer.right();
        let x = self.begin_drawer(drawer, " labels and counts ");
        let counted = match panel.rows.get(panel.chosen) {
            Some(row) if !row.column.is_of_responses() => "samples",
            Some(row) if row.view == Aggregate::Gap => "pairs",
            _ => "responses",
        };
        // A filter that speaks of one response shows its partner too, and does not count it.
        let which = match self.browser.filter.in_force() {
            Some(_) => "that match",
            None => "shown",
        };
        let words = format!("{} {counted} {which}, of all ", self.glyphs.separator);
        let x = self.put(x, drawer.y, end, &words, self.theme.dim);
        let height = usize::from(drawer.height.saturating_sub(1));
        if panel.rows.len() > height {
            // Some are above or below.
            let place = format!(" {}/{} ", panel.chosen + 1, panel.rows.len());
            let from = end.saturating_sub(text::width(&place) as u16 + 1).max(x);
            self.put(from, drawer.y, end, &place, self.theme.dim);
        }
        let top = panel.top(height);
        for (at, y) in (top..panel.rows.len()).take(height).zip(drawer.y + 1..) {
            self.panel_row(panel, at, drawer.row(y));
        }
    }

    fn panel_row(&mut self, panel: &Panel, at: usize, area: Area) {
        let Some(row) = panel.rows.get(at) else {
            return;
        };
        let chosen = at == panel.chosen;
        let theme = self.theme;
        let (dim, strong, faint) = (theme.dim, theme.strong, theme.faint);
        let (end, y) = (area.right(), area.y);
        let chart = panel.chart(at);
        let places = panel.places(area, chart.map_or(1, |chart| chart.bins.count()));
        let sign = if chosen { self.glyphs.selected } else { " " };
        self.put(area.x, y, end, sign, strong);
        let name = text::one_line(row.column.name, 60);
        self.cut(
            places.name,
            y,
            places.view.saturating_sub(1),
            &name,
            if chosen { strong } else { dim },
        );
        let view_style = match row.view {
            Aggregate::At(response) => self.theme.response(response),
            _ => dim,
        };
        self.put(places.view, y, places.bins, view_word(row), view_style);
        match chart {
            Some(chart) => self.bins(at, chart, places.bins, places.bin_width, y),
            None => {
                let words = if panel.has_charts() {
                    "no values"
                } else {
                    "counting…"
                };
                self.put(places.bins + 1, y, end, words, faint);
            }
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
        for (at, bin) in bins.iter().enumerate() {
            let area = Area::new(x + width * at as u16, y, width, 1);
            if chosen.is_some() && begins(at) {
                self.put(area.x, y, area.x + 1, "[", self.theme.status_key);
            }
            self.bin(
                bin,
                &scale,
                Area {
                    x: area.x + 1,
                    width: width.saturating_sub(2),
                    ..area
                },
                is_chosen(at),
            );
            if chosen.is_some() && ends(at) {
                self.put(
                    (area.x + width).saturating_sub(1),
                    y,
                    area.x + width,
                    "]",
                    self.theme.status_key,
                );
            }
        }
    }

    /// A bin: its value, a bar and how many show. The bar gives way first, then the count; where
    /// there is no room for either, a step of a column says how many.
    fn bin(&mut self, bin: &Bin, scale: &BinScale, area: Area, chosen: bool) {
        let theme = self.theme;
        let (value_style, count_style) = if chosen {
            (theme.text, theme.dim)
        } else {
            (theme.faint, theme.faint)
        };
        let (end, room) = (area.right(), usize::from(area.width));
        let step = self.glyphs.column(bin.shown, scale.most);
        if room <= scale.value {
            let value = number(bin.low);
            // The value itself says more than its height does, where it is one digit.
            let words = if room == scale.value {
                value.as_str()
            } else {
                step
            };
            self.put(area.x, area.y, end, words, value_style);
            return;
        }
        let value = format!("{:>width$}", number(bin.low), width = scale.value);
        let x = self.put(area.x, area.y, end, &value, value_style);
        let (left, count) = (room - scale.value - 1, grouped(bin.shown));
        if left > scale.count + SHORTEST_BAR {
            let length = (left - scale.count - 1).min(LONGEST_BAR);
            let behind = self.panel_bar(
                Area {
                    x: x + 1,
                    width: length as u16,
                    ..area
                },
                bin,
                scale.most,
                chosen,
            );
            self.put(behind + 1, area.y, end, &count, count_style);
        } else if left >= scale.count {
            self.put(x + 1, area.y, end, &count, count_style);
        } else {
            self.put(x, area.y, end, step, count_style);
        }
    }

    /// A bar for all values, its part that shows brighter; returns the column behind it.
    fn panel_bar(&mut self, area: Area, bin: &Bin, most: usize, chosen: bool) -> u16 {
        // What is there at all shows as one cell at least.
        let cells = |count: usize| {
            if count == 0 {
                0
            } else {
                (count * usize::from(area.width) / most).max(1)
            }
        };
        let (all, shown) = (cells(bin.all), cells(bin.shown));
        let on = if chosen {
            self.theme.ramp[3]
        } else {
            self.theme.ramp[0]
        };
        let (off, end) = (self.theme.ramp_empty, area.right());
        let x = self.put(
            area.x,
            area.y,
            end,
            &self.glyphs.chart_full.repeat(shown),
            on,
        );
        self.put(
            x,
            area.y,
            end,
            &self.glyphs.chart_empty.repeat(all.saturating_sub(shown)),
            off,
        )
    }

    /// What keys do in the panel, how to leave it first.
    pub(super) fn panel_hints(&self) -> Vec<KeyHint> {
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
