//! Label values: the card below the list, and the label row above the texts.

use ratatui::style::{Modifier, Style};

use super::Canvas;
use super::row::Row;
use crate::app::{CardRow, CardValue};
use crate::text::width;

/// Cells between two labels of a row, and between the values of A and B in a card.
const GAP: usize = 2;

/// Maximum width of a value that the columns of a card make room for, in cells.
const NUMBER: usize = 9;

/// Column widths of a card, in cells.
struct CardColumns {
    name: usize,
    bar: usize,
    /// Width up to the end of A's values, which are right-aligned.
    right: usize,
}

impl CardColumns {
    /// Returns the columns for these rows in `room` cells. Bars are shortened first, then names;
    /// values are kept.
    fn of(rows: &[&CardRow], room: usize) -> Self {
        let (mut name, mut bar, mut value, mut other) = (0, 0, 1, 1);
        // Rows without bars use that room for the name and A's value.
        let (mut bare, mut widest) = (0, 1);
        for row in rows {
            let CardValue::Each { values, bars, .. } = &row.value else {
                continue;
            };
            name = name.max(width(&row.name));
            let [left, right] = [0, 1].map(|at| width(&values[at]));
            // Longer values than numbers do not widen the columns; they extend in their own row.
            if left.max(right) <= NUMBER {
                bare = bare.max(width(&row.name) + 1 + left);
                widest = widest.max(right);
            }
            if let Some((_, of)) = bars {
                bar = bar.max(*of as usize);
                (value, other) = (value.max(left), other.max(right));
            }
        }
        let most = room.saturating_sub(GAP + widest + 1);
        let name = name.min(most.saturating_sub(2 + value));
        let bar = bar.min(room.saturating_sub(name + 2 + value + GAP + other + 1) / 2);
        let right = (name + 2 + bar + value).max(bare.min(most));
        Self { name, bar, right }
    }
}

impl Canvas<'_> {
    /// Draws the card: labels with mirrored bars, then lengths and facts.
    pub fn card(&mut self) {
        let (area, dim) = (self.app.geometry().card, self.theme.dim);
        let Some(page) = self.app.page().filter(|_| !area.is_empty()) else {
            return;
        };
        let rows: Vec<_> = page.card.rows().collect();
        let columns = CardColumns::of(&rows, usize::from(area.width.saturating_sub(1)));
        let styles = self.pair_styles();
        let letters: Vec<_> = page
            .pair
            .iter()
            .zip(styles)
            .filter(|_| !self.app.is_single() && !page.malformed)
            .map(|(id, style)| (id.letter(), bold(style)))
            .collect();
        let mut title = self.rule(area.top(1), self.theme.border);
        if let [(left, left_style), (other, other_style)] = letters[..] {
            title.skip(columns.right.saturating_sub(width(left) + 1));
            title.put(&format!(" {left}"), left_style);
            title.put(&" ".repeat(GAP), left_style);
            title.put(&format!("{other} "), other_style);
        }
        let room = usize::from(area.height.saturating_sub(1));
        // The last row shows how many rows do not fit.
        let fitting = if rows.len() > room {
            room.saturating_sub(1)
        } else {
            room
        };
        let is_single = self.app.is_single();
        let mut line = area.right_of(1).below(1);
        for row in &rows[..fitting.min(rows.len())] {
            self.row(line).card_row(row, &columns, styles, is_single);
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
        columns: &CardColumns,
        styles: [Style; 2],
        is_single: bool,
    ) {
        let theme = self.theme;
        let style = if row.is_finding {
            theme.finding
        } else {
            theme.dim
        };
        let start = self.x;
        let right = start + columns.right as u16;
        // A name never displaces a value.
        let named = match &row.value {
            CardValue::Each { .. } => columns.name.min(columns.right.saturating_sub(2)),
            CardValue::Sample(value) => {
                let room = self.room().saturating_sub(1);
                room - width(value).min(room / 2)
            }
        };
        let end = self.end;
        self.end = end.min(start + named as u16);
        self.cut(&row.name, style);
        self.end = end;
        self.skip(1);
        // Right-aligned, or directly after the name if the value is too long.
        let right_aligned = |row: &mut Self, value: &str, style| {
            row.x = row.x.max(right.saturating_sub(width(value) as u16));
            row.cut(value, style);
        };
        let (values, greater, bars) = match &row.value {
            CardValue::Sample(value) => return right_aligned(self, value, theme.text),
            CardValue::Each {
                values,
                greater,
                bars,
            } => (values, greater, bars),
        };
        let plain = if bars.is_some() || greater.is_some() {
            theme.text
        } else {
            style
        };
        let of = |place| match greater {
            Some(greater) if *greater == place => bold(plain),
            _ => plain,
        };
        right_aligned(self, &values[0], of(0));
        if is_single && bars.is_none() {
            return;
        }
        self.x = self.x.max(right) + GAP as u16;
        if !is_single {
            self.cut(&values[1], of(1));
        }
        let Some((full, of)) = bars else { return };
        let cells = columns.bar.min(*of as usize);
        let scaled = |full: u32| (full as usize * cells).div_ceil((*of as usize).max(1));
        let after = self.x + 1;
        self.x = start + (columns.name + 1 + columns.bar - cells) as u16;
        self.steps(
            [(cells - scaled(full[0]), false), (scaled(full[0]), true)],
            styles[0],
        );
        self.x = after;
        if !is_single && self.room() >= cells {
            self.steps(
                [(scaled(full[1]), true), (cells - scaled(full[1]), false)],
                styles[1],
            );
        }
    }

    /// Draws the parts of a bar, in cells; `true` for filled.
    fn steps(&mut self, parts: [(usize, bool); 2], style: Style) {
        for (cells, is_full) in parts {
            if is_full {
                self.put(&self.glyphs.bar_full.repeat(cells), style);
            } else {
                self.put(&self.glyphs.bar_empty.repeat(cells), self.theme.ramp_empty);
            }
        }
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
                self.put(&values[0], style(0));
                self.put(self.glyphs.divider, theme.dim);
                self.put(&values[1], style(1));
            }
        }
    }
}

fn value_width(value: &CardValue) -> usize {
    match value {
        CardValue::Sample(value) => width(value),
        CardValue::Each { values, .. } => width(&values[0]) + 1 + width(&values[1]),
    }
}

pub(super) fn bold(style: Style) -> Style {
    style.add_modifier(Modifier::BOLD)
}
