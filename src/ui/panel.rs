//! The labels panel: a drawer at the bottom with a row for each label and each count.

use ratatui::style::Style;

use super::Canvas;
use super::histogram::{Histogram, has_head};
use super::status::KeyHint;
use crate::app::{
    Action, Area, Chart, HistogramPlace, LabelPlaces, Panel, PanelAction, Toggle, side_of_row,
};
use crate::query::{Aggregate, Field};
use crate::text::{self, counted, grouped, number};

/// Key hints of the panel, most useful first. For pairs of actions, both keys are shown.
const HINTS: &[(Action, Option<Action>, &str)] = &[
    (Action::Cancel, None, "undo"),
    (Action::Zoom, None, "keep"),
    (Action::NextSample, Some(Action::PreviousSample), "label"),
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
    (Action::Toggle(Toggle::Folds), None, "more"),
    (Action::Handle(PanelAction::Clear), None, "all values"),
    (Action::Handle(PanelAction::NextSample), None, "next sample"),
];

impl Canvas<'_> {
    /// Draws the panel: below the panes, or in place of the card, whose columns it has.
    pub fn panel(&mut self, panel: &Panel) {
        let area = self.app.geometry().panel();
        if area.is_empty() {
            return;
        }
        let (dim, places) = (self.theme.dim, self.app.label_places(panel, area));
        let in_panes = self.app.pair_words_of_panes();
        self.begin_drawer(area, " labels ");
        let charts: Vec<_> = panel.rows.iter().map(|row| self.app.chart(*row)).collect();
        // Rows with other values than these have their ends beside the slots.
        let slot = |chart: &Chart| places.slot_width(chart);
        let head = charts[..panel.shown].iter().flatten().copied().next();
        let head = head.filter(|chart| has_head(chart, slot(chart)));
        let has_sides = charts.iter().flatten().any(|chart| chart.sides.is_some());
        let heads = area.row(places.first_row(area) - 1);
        let mut row = self.row(heads);
        if let Some(side) = places.side {
            row.x = places.pair;
            row.put("this pair", dim);
            row.x = side;
            row.put("whose", dim);
        } else {
            row.x = places.pair.saturating_sub(1);
            row.put(&format!(" {in_panes} "), dim);
        }
        if let Some(chart) = head {
            row.x = places.slots;
            row.histogram_head(chart, slot(chart));
        }
        if has_sides && places.side.is_some() {
            row.right_if_it_fits("pairs like it ", dim);
            let mut title = self.row(area);
            title.end = title.end.saturating_sub(1);
            title.right(" responses: A left, B right ", dim);
        }
        let (top, first) = (panel.top(area), places.first_row(area));
        let height = usize::from(area.height.saturating_sub(2));
        let rows = (top..panel.shown).take(height);
        for (at, y) in rows.zip(first..) {
            let line = LabelLine {
                field: panel.rows[at],
                is_selected: at == panel.chosen,
                chosen: panel.chosen_bins(at, self.app),
                head,
            };
            self.label_line(&line, places, area.row(y));
        }
        let mut last = area.row(area.bottom() - 1);
        if places.side.is_none() {
            let words = self.panel_words(panel);
            self.row(last.right_of(1)).cut(&words, dim);
            last = area.row(area.bottom().saturating_sub(2));
        }
        let folded = &panel.rows[panel.shown..];
        if !folded.is_empty() && usize::from(last.y.saturating_sub(first)) >= panel.shown - top {
            let key = self.key(Action::Toggle(Toggle::Folds)).unwrap_or_default();
            let names: Vec<_> = folded.iter().map(|row| row.column.name).collect();
            let names = text::one_line(&names.join(", "), usize::from(area.width));
            let words = format!("{key} {} more: {names}", folded.len());
            self.row(last.right_of(1)).cut(&words, dim);
        }
    }

    /// Says what the filter asks of the selected row, or how many pairs have the values of this one.
    fn panel_words(&self, panel: &Panel) -> String {
        let Some((field, chart)) = panel
            .rows
            .get(panel.chosen)
            .and_then(|field| Some((field, self.app.chart(*field)?)))
        else {
            return String::new();
        };
        let chosen = panel.chosen_bins(panel.chosen, self.app);
        let chosen = chosen.unwrap_or_default();
        let ends = chosen
            .iter()
            .position(|is| *is)
            .zip(chosen.iter().rposition(|is| *is));
        let responses = self.app.data.catalog.responses();
        let side = side_of_row(field, responses);
        match (ends, self.own_bins(*field, chart)) {
            (Some((low, high)), _) => {
                let [low, high] = [chart.bins.ends(low).0, chart.bins.ends(high).1].map(number);
                let range = if low == high {
                    low
                } else {
                    format!("{low} to {high}")
                };
                let side = if side.is_empty() {
                    side
                } else {
                    format!(", {side}")
                };
                format!(
                    "{range}{side}: {}",
                    counted(self.app.shown().len(), "sample")
                )
            }
            (None, Some([Some(one), Some(other)])) if chart.sides.is_some() => {
                let (like, all) = chart.like([one, other]);
                let pair = self.app.pair_words(*field);
                format!("{pair} in {} of {} pairs", grouped(like), grouped(all))
            }
            (None, None | Some([None, None])) => "no value in this sample".to_owned(),
            _ => side,
        }
    }

    /// Returns the bins of a field's values in the panes; `None` without a sample.
    pub(super) fn own_bins(&self, field: Field, chart: &Chart) -> Option<[Option<usize>; 2]> {
        let values = self.app.values_in_panes(field);
        let bin = |at: usize| chart.bins.of(values.get(at).copied().flatten()?);
        (!values.is_empty()).then(|| [bin(0), bin(1)])
    }

    fn label_line(&mut self, line: &LabelLine<'_>, places: LabelPlaces, area: Area) {
        let (theme, field) = (self.theme, line.field);
        let style = if line.is_selected {
            theme.strong
        } else {
            theme.dim
        };
        let chart = self.app.chart(field);
        let own = chart.and_then(|chart| self.own_bins(field, chart));
        let (pair, sides) = (self.app.pair_words(field), self.pair_styles());
        let is_swapped = self.app.are_sides_swapped();
        let is_counted = self.app.is_charted(field);
        let responses = self.app.data.catalog.responses();
        let place = self.app.histogram_place(field, &places);
        let HistogramPlace { start, slot, .. } = place;
        let mut row = self.begin_row(area, Style::default(), line.is_selected);
        row.x = places.name;
        let name = text::one_line(field.column.name, 60);
        row.column(place.name, 1, |row| row.cut(&name, style));
        row.x = row.x.max(if places.side.is_some() {
            places.pair
        } else {
            0
        });
        if place.shows_pair {
            row.cut(&pair, theme.text);
        }
        if let Some(side) = places.side {
            row.x = side;
            let whose = match field.view {
                Aggregate::At(response) => theme.response(response),
                _ => theme.dim,
            };
            row.put(&side_of_row(&field, responses), whose);
        }
        row.x = start;
        let Some(chart) = chart else {
            let words = if is_counted {
                "no values"
            } else {
                "counting…"
            };
            return row.put(words, theme.faint);
        };
        let is_below_head = line.head.is_some_and(|head| head.bins == chart.bins);
        let ends = [
            chart.bins.ends(0).0,
            chart.bins.ends(chart.bins.count() - 1).1,
        ]
        .map(number);
        if !is_below_head && places.side.is_some() {
            row.x = (places.slots - 2).saturating_sub(text::width(&ends[0]) as u16);
            row.put(&ends[0], theme.dim);
        }
        row.x = start;
        row.histogram(&Histogram {
            chart,
            slot,
            own,
            sides,
            is_swapped,
            chosen: line.chosen.as_deref(),
        });
        match own {
            _ if places.side.is_none() => {}
            _ if !is_below_head => {
                row.skip(usize::from(slot == 1));
                row.cut(&format!(" {}", ends[1]), theme.dim);
            }
            Some([Some(one), Some(other)]) if chart.sides.is_some() => {
                let (like, all) = chart.like([one, other]);
                let words = format!("{} of {} ", grouped(like), grouped(all));
                row.right_if_it_fits(&words, theme.dim);
            }
            _ => {}
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

/// A row of the panel.
struct LabelLine<'l> {
    field: Field,
    is_selected: bool,
    /// The bins that the filter selects; `None` if it does not test the field.
    chosen: Option<Vec<bool>>,
    /// The chart whose values are written above the slots.
    head: Option<&'l Chart>,
}
