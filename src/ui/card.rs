//! Label values: the card below the list, and the label row above the texts.

use ratatui::style::{Modifier, Style};

use super::Canvas;
use super::histogram::{Histogram, has_head};
use super::row::Row;
use crate::app::{CardRow, CardValue, Chart, LabelPlaces, LabelWidths, MISSING};
use crate::text::width;

/// Cells between two labels of a row.
const GAP: usize = 2;

impl Canvas<'_> {
    /// Draws the card: labels with their histograms, then lengths and facts.
    pub fn card(&mut self) {
        let (area, dim) = (self.app.geometry().card, self.theme.dim);
        let Some(page) = self.app.page().filter(|_| !area.is_empty()) else {
            return;
        };
        let rows: Vec<_> = page.card.rows().collect();
        let fields: Vec<_> = rows.iter().map(|row| self.app.field_of_row(row)).collect();
        // Glyphs would be read aloud with each sample.
        let is_drawn = !self.app.layout.is_linear;
        let charts: Vec<_> = fields
            .iter()
            .map(|field| self.app.chart((*field)?).filter(|_| is_drawn))
            .collect();
        let each = rows.iter().zip(&charts);
        let widest = |of: &dyn Fn(&CardRow, &Option<&Chart>) -> usize| {
            let widths = each.clone().map(|(row, chart)| of(row, chart));
            widths.max().unwrap_or(0)
        };
        let names = widest(&|row, _| match row.value {
            CardValue::Each { .. } => width(&row.name),
            CardValue::Sample(_) => 0,
        });
        // Rows with few values have the slots of the panel; the others come after their values.
        let pairs = widest(&|row, chart| match chart {
            Some(chart) if chart.has_slots() => value_width(&row.value),
            _ => 3,
        });
        let widths = LabelWidths {
            names,
            pairs,
            wide: None,
        };
        let places = LabelPlaces::of(area, widths);
        let beside = widest(&|row, chart| match chart {
            Some(chart) if !chart.has_slots() => value_width(&row.value),
            _ => 0,
        });
        let title = format!(" {} ", self.app.pair_words_of_panes());
        let is_compared = !self.app.is_single() && !page.malformed;
        let slot = |chart: &Chart| places.slot_width(chart);
        let head = charts.iter().flatten().copied().next();
        let head = head.filter(|chart| has_head(chart, slot(chart)));
        let mut row = self.rule(area.top(1), self.theme.border);
        row.put(" labels ", dim);
        if is_compared {
            row.x = places.pair - 1;
            row.put(&title, dim);
        }
        if let Some(chart) = head {
            row.x = places.slots - 1;
            row.put(" ", dim);
            row.histogram_head(chart, slot(chart));
        }
        let room = usize::from(area.height.saturating_sub(1));
        // The last row shows how many rows do not fit.
        let fitting = if rows.len() > room {
            room.saturating_sub(1)
        } else {
            room
        };
        let (is_single, styles) = (self.app.is_single(), self.pair_styles());
        let is_swapped = self.app.are_sides_swapped();
        let mut line = area.right_of(1).below(1);
        for ((row, chart), field) in each.zip(fields).take(fitting) {
            let own = chart
                .zip(field)
                .and_then(|(chart, field)| self.own_bins(field, chart));
            let mut cells = self.row(line);
            cells.card_row(row, &places, styles, is_single);
            if let Some(chart) = chart {
                let (slot, after) = (slot(chart), places.pair + beside as u16 + 2);
                let from = if slot > 1 {
                    places.slots
                } else {
                    places.slots.max(after)
                };
                // Half a histogram says something else.
                if from >= cells.x && from + slot * chart.bins.count() as u16 <= cells.end {
                    cells.x = from;
                    cells.histogram(&Histogram {
                        chart,
                        slot,
                        own,
                        sides: styles,
                        is_swapped,
                        chosen: None,
                    });
                }
            }
            line = line.below(1);
        }
        if rows.len() > fitting && room > 0 {
            let more = format!("+{} more", rows.len() - fitting);
            self.row(line).put(&more, dim);
        }
    }

    /// Draws the labels in a row: as many as fit completely, and the number of the others.
    pub fn labels_row(&mut self) {
        let area = self.app.geometry().labels.without_margins();
        let Some(page) = self.app.page().filter(|_| !area.is_empty()) else {
            return;
        };
        let (styles, is_single) = (self.pair_styles(), self.app.is_single());
        let labels: Vec<_> = page
            .card
            .labels
            .iter()
            .filter(|label| !label.name.is_empty())
            .collect();
        let mut row = self.row(area);
        for (at, label) in labels.iter().enumerate() {
            let more = format!("+{}", labels.len() - at);
            let reserved = match labels.len() - at {
                1 => 0,
                _ => width(&more) + GAP,
            };
            if width(&label.name) + 1 + value_width(&label.value) + reserved > row.room() {
                return row.put(&more, row.theme.dim);
            }
            row.text(&label.name, row.theme.dim);
            row.skip(1);
            row.label_value(&label.value, styles, is_single);
            row.skip(GAP);
        }
    }

    /// Returns the colours of the responses in the panes.
    pub fn pair_styles(&self) -> [Style; 2] {
        self.app
            .page()
            .map(|page| page.pair)
            .map_or_else(Default::default, |pair| {
                pair.map(|id| self.response_style(id))
            })
    }
}

impl Row<'_> {
    fn card_row(
        &mut self,
        row: &CardRow,
        places: &LabelPlaces,
        styles: [Style; 2],
        is_single: bool,
    ) {
        let style = if row.is_finding {
            self.theme.finding
        } else {
            self.theme.dim
        };
        // A name never displaces a value; a short name leaves its room to a long value.
        let names = usize::from(places.pair - places.name - 1);
        let values = self.room().saturating_sub(value_width(&row.value) + 1);
        let name = width(&row.name)
            .min(values.max(self.room() / 2))
            .max(names.min(values));
        self.column(name, 1, |cells| cells.cut(&row.name, style));
        self.label_value(&row.value, styles, is_single);
    }

    fn label_value(&mut self, value: &CardValue, styles: [Style; 2], is_single: bool) {
        let theme = self.theme;
        match value {
            CardValue::Sample(value) => self.cut(value, theme.text),
            CardValue::Each { values, .. } if is_single => self.cut(&values[0], theme.text),
            CardValue::Each {
                values, greater, ..
            } => {
                let style = |place: usize| match greater {
                    Some(greater) if *greater == place => bold(styles[place]),
                    _ => theme.text,
                };
                let [left, right] = values.each_ref().map(|value| match value.as_str() {
                    "" => MISSING,
                    value => value,
                });
                self.put(left, style(0));
                self.put(self.glyphs.divider, theme.dim);
                self.put(right, style(1));
            }
        }
    }
}

fn value_width(value: &CardValue) -> usize {
    match value {
        CardValue::Sample(value) => width(value),
        CardValue::Each { values, .. } => {
            let widths = values.each_ref().map(|value| width(value).max(1));
            widths[0] + 1 + widths[1]
        }
    }
}

pub(super) fn bold(style: Style) -> Style {
    style.add_modifier(Modifier::BOLD)
}
