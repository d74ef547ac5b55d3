//! The labels panel: a drawer at the bottom with a row for each label and each count.

use ratatui::style::Style;

use super::Canvas;
use super::row::Row;
use super::status::KeyHint;
use crate::answer::FEWEST;
use crate::app::{
    Action, Area, Chart, Panel, PanelAction, RowPlaces, Toggle, VIEW_WIDTH, view_word,
};
use crate::query::{Aggregate, Bin};
use crate::text::{self, counted, grouped, number};

/// Key hints of the panel, most useful first. For pairs of actions, both keys are shown.
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
        let drawer = self.app.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let (dim, separator) = (self.theme.dim, self.glyphs.separator);
        let counts = match panel.rows.get(panel.chosen) {
            Some(row) if !row.column.is_of_responses() => "samples",
            Some(row) if row.view == Aggregate::Gap => "pairs",
            _ => "responses",
        };
        // A filter for one response also shows the other one, but does not count it.
        let is_nothing = self.app.shown().is_empty();
        let scale = match self.app.filter.active() {
            _ if panel.rows.is_empty() => "These files have no labels and no counts. ".to_owned(),
            Some(_) if is_nothing => "No sample matches. Backspace clears a row. ".to_owned(),
            Some(_) => format!("matching {counts}, tick: before the filter; bars 0-100 % of all "),
            None => format!("{counts}; bars 0-100 % of all, dim: fewer than {FEWEST} "),
        };
        let mut row = self.begin_drawer(drawer, " labels and counts ");
        row.cut(&format!("{separator} {scale}"), dim);
        let height = usize::from(drawer.height.saturating_sub(1));
        let folded = panel.folded();
        if panel.shown > height {
            // Some rows are above or below.
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
        let style = if at == panel.chosen {
            theme.strong
        } else {
            theme.dim
        };
        let (chart, are_counted) = (panel.chart(at), panel.has_charts());
        let places = panel.places(area, at);
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
        line.x = places.view + VIEW_WIDTH + 1;
        match chart {
            Some(chart) => self.bins(at, chart, &places, area.y),
            None if are_counted => line.put("no values", theme.faint),
            None => line.put("counting…", theme.faint),
        }
    }

    fn bins(&mut self, row: usize, chart: &Chart, places: &RowPlaces, y: u16) {
        let bins = &chart.histogram;
        let widest = |words: &dyn Fn(&Bin) -> String| {
            bins.iter()
                .map(|bin| text::width(&words(bin)))
                .max()
                .unwrap_or(1)
        };
        let sum = |of: fn(&Bin) -> usize| bins.iter().map(of).sum::<usize>().max(1);
        let chosen = self
            .views
            .panel()
            .and_then(|panel| panel.chosen_bins(row, self.app));
        let scale = BinScale {
            value: widest(&|bin| number(bin.low)),
            count: widest(&|bin| grouped(bin.shown)),
            most: bins.iter().map(|bin| bin.all).max().unwrap_or(0).max(1),
            all: sum(|bin| bin.all),
            is_marked: bins.iter().any(|bin| bin.shown != bin.all),
        };
        let is_chosen = |at: usize| {
            chosen
                .as_ref()
                .is_none_or(|chosen| chosen.get(at).copied().unwrap_or(false))
        };
        let (dim, key) = (self.theme.dim, self.theme.status_key);
        let width = places.bin_width;
        let mut row = self.row(Area::new(places.bins, y, 0, 1));
        if let Some([low, high]) = &places.ends {
            row.end = row.x;
            row.x = row.x.saturating_sub(text::width(low) as u16);
            row.put(low, dim);
            row.end = u16::MAX;
            row.x = places.bins + width * bins.len() as u16 + 2;
            row.put(high, dim);
        }
        // A bin's cell also contains the bracket of the previous bin.
        for (at, bin) in bins.iter().enumerate() {
            let x = places.bins + width * at as u16;
            (row.x, row.end) = (x + 1, x + width);
            row.bin(bin, &scale, is_chosen(at), places.ends.is_some());
            for (x, is_end, sign) in [
                (x, at == 0 || !is_chosen(at - 1), "["),
                (x + width, at + 1 == bins.len() || !is_chosen(at + 1), "]"),
            ] {
                if chosen.is_some() && is_chosen(at) && is_end {
                    (row.x, row.end) = (x, x + 1);
                    row.put(sign, key);
                }
            }
        }
    }

    /// Returns the key hints of the panel, with the key that closes it first.
    pub fn panel_hints(&self) -> Vec<KeyHint> {
        let key = |action| self.key(action);
        HINTS
            .iter()
            .filter_map(|&(action, other, what)| {
                let keys = match other {
                    Some(other) => key(action)
                        .zip(key(other))
                        .map(|(one, other)| format!("{one} {other}")),
                    None => key(action),
                };
                Some((keys?, what))
            })
            .collect()
    }
}

impl Row<'_> {
    /// Draws a bin: value, bar and count. With little room the bar is left out first, then the
    /// count. With the ends of the row beside it, a column shows the count.
    fn bin(&mut self, bin: &Bin, scale: &BinScale, chosen: bool, has_ends: bool) {
        let theme = self.theme;
        let (value_style, count_style) = if chosen {
            (theme.text, theme.dim)
        } else {
            (theme.faint, theme.faint)
        };
        let (room, value) = (self.room(), number(bin.low));
        let step = self.glyphs.column(bin.shown, scale.most);
        if has_ends || room < scale.value {
            return self.put(step, value_style);
        }
        self.put(&format!("{value:>0$}", scale.value), value_style);
        let (left, count) = (room.saturating_sub(scale.value + 1), grouped(bin.shown));
        if left < scale.count {
            return self.put(step, count_style);
        }
        self.skip(1);
        if left > scale.count + SHORTEST_BAR {
            let cells = (left - scale.count - 1).min(LONGEST_BAR);
            let share = |count: usize| count as f64 / scale.all as f64;
            let style = if chosen && bin.shown >= FEWEST {
                theme.text
            } else {
                theme.dim
            };
            let mark = scale.is_marked.then(|| share(bin.all));
            self.bar(cells, share(bin.shown), mark, style);
            self.skip(1);
        }
        self.put(&format!("{count:>0$}", scale.count), count_style);
    }
}

/// Common properties of a row's bins.
struct BinScale {
    /// Widths of the widest value and of the widest count, in cells.
    value: usize,
    count: usize,
    /// Maximum of all values in a bin, and their total over all bins.
    most: usize,
    all: usize,
    /// True if a filter hides some values, so that a tick marks the share of all values.
    is_marked: bool,
}

/// Minimum and maximum length of a bar, in cells.
const SHORTEST_BAR: usize = 3;
const LONGEST_BAR: usize = 24;
