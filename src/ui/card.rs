//! What is said of the responses in the panes: a card below the list, or a row above the texts.

use ratatui::style::{Modifier, Style};

use super::Canvas;
use crate::app::{Area, CardRow, CardValue};
use crate::text::width;

/// Cells between two labels of a row, and between the values of A and B in a card.
const GAP: u16 = 2;

/// Columns of a card, in cells.
struct CardColumns {
    name: u16,
    bar: u16,
    /// Of A's values, right-aligned.
    value: u16,
}

impl Canvas<'_> {
    /// The card: a butterfly of bars for labels, then lengths and facts.
    pub(super) fn card(&mut self) {
        let area = self.browser.geometry().card;
        let Some(page) = self.browser.page().filter(|_| !area.is_empty()) else {
            return;
        };
        let rows: Vec<_> = page.card.rows().collect();
        let area = Area {
            x: area.x + 1,
            width: area.width.saturating_sub(1),
            ..area
        };
        let columns = card_columns(&rows, area.width);
        let right = area.x + columns.name + 1 + columns.bar + 1 + columns.value;
        self.card_title(area, right);
        let room = usize::from(area.height.saturating_sub(1));
        // The last row says how many there is no room for.
        let fitting = if rows.len() > room {
            room.saturating_sub(1)
        } else {
            room
        };
        for (row, y) in rows.iter().zip(area.y + 1..).take(fitting) {
            self.card_row(area.row(y), row, &columns);
        }
        if rows.len() > fitting && room > 0 {
            let more = format!("+{} more", rows.len() - fitting);
            self.put(
                area.x,
                area.bottom() - 1,
                area.right(),
                &more,
                self.theme.dim,
            );
        }
    }

    /// The rule above a card, with the letters above the values.
    fn card_title(&mut self, area: Area, right: u16) {
        let Some(page) = self.browser.page() else {
            return;
        };
        self.rule(area.x - 1, area.y, area.right(), self.theme.border);
        if self.browser.is_single() || page.malformed {
            return;
        }
        let letters = page.pair.map(|id| (id.letter(), self.response_style(id)));
        let [(left, left_style), (other, other_style)] = letters;
        let x = right - width(left) as u16;
        let words = format!(" {left}{}{other} ", " ".repeat(usize::from(GAP)));
        self.put(x - 1, area.y, area.right(), &words, self.theme.border);
        self.put(x, area.y, area.right(), left, bold(left_style));
        self.put(right + GAP, area.y, area.right(), other, bold(other_style));
    }

    fn card_row(&mut self, area: Area, row: &CardRow, columns: &CardColumns) {
        let (y, end) = (area.y, area.right());
        let style = match row.is_finding {
            true => self.theme.finding,
            false => self.theme.dim,
        };
        let name_end = self.cut(area.x, y, end, &row.name, style);
        let right = area.x + columns.name + 1 + columns.bar + 1 + columns.value;
        match &row.value {
            CardValue::Sample(value) => {
                // Right-aligned like A's, unless it is too long for that.
                let from = right.saturating_sub(width(value) as u16);
                let from = from.max(name_end + 1);
                self.cut(from, y, end, value, self.theme.text);
            }
            CardValue::Each {
                values: [left, other],
                greater,
                bars,
            } => {
                let plain = if bars.is_some() || greater.is_some() {
                    self.theme.text
                } else {
                    style
                };
                let value_style = |place| match greater {
                    Some(greater) if *greater == place => bold(plain),
                    _ => plain,
                };
                let from = right.saturating_sub(width(left) as u16);
                let from = from.max(name_end + 1);
                let at = self.cut(from, y, end, left, value_style(0));
                let at = at.max(right) + GAP;
                let at = self.cut(at, y, end, other, value_style(1));
                let Some((full, of)) = bars else { return };
                let cells = columns.bar.min(*of as u16);
                let scaled = |full: u32| (full as u16 * cells).div_ceil((*of as u16).max(1));
                let bar = area.x + columns.name + 1 + columns.bar - cells;
                let [left_style, other_style] = self.pair_styles();
                self.scale_bar(
                    Area::new(bar, y, cells, 1),
                    scaled(full[0]),
                    left_style,
                    true,
                );
                if !self.browser.is_single() && at + 1 + cells <= end {
                    let bar = Area::new(at + 1, y, cells, 1);
                    self.scale_bar(bar, scaled(full[1]), other_style, false);
                }
            }
        }
    }

    /// A bar of one row: its filled cells at the left, or at the right.
    pub(super) fn scale_bar(&mut self, area: Area, full: u16, style: Style, is_mirrored: bool) {
        let empty = usize::from(area.width.saturating_sub(full));
        let full = self
            .glyphs
            .bar_full
            .repeat(usize::from(full.min(area.width)));
        let empty = self.glyphs.bar_empty.repeat(empty);
        let off = self.theme.ramp_empty;
        let parts = match is_mirrored {
            true => [(empty, off), (full, style)],
            false => [(full, style), (empty, off)],
        };
        let mut x = area.x;
        for (cells, style) in parts {
            x = self.put(x, area.y, area.right(), &cells, style);
        }
    }

    /// The labels in a row, as many whole names as fit and how many do not.
    pub(super) fn labels_row(&mut self) {
        let area = self.browser.geometry().labels.aired();
        let Some(page) = self.browser.page().filter(|_| !area.is_empty()) else {
            return;
        };
        let rows: Vec<_> = page
            .card
            .labels
            .iter()
            .filter(|row| !row.name.is_empty())
            .collect();
        let mut x = area.x;
        for (at, row) in rows.iter().enumerate() {
            let left = rows.len() - at;
            let more = format!("+{left}");
            let reserved = if left > 1 { more.len() as u16 + GAP } else { 0 };
            let needed = (width(&row.name) + 1 + value_width(&row.value)) as u16;
            if x + needed + reserved > area.right() {
                self.put(x, area.y, area.right(), &more, self.theme.dim);
                return;
            }
            x = self.put_text(x, area.y, area.right(), &row.name, self.theme.dim) + 1;
            x = self.label_value(x, area, &row.value) + GAP;
        }
    }

    fn label_value(&mut self, x: u16, area: Area, value: &CardValue) -> u16 {
        let (y, end) = (area.y, area.right());
        match value {
            CardValue::Sample(value) => self.cut(x, y, end, value, self.theme.text),
            CardValue::Each { values, .. } if self.browser.is_single() => {
                self.cut(x, y, end, &values[0], self.theme.text)
            }
            CardValue::Each {
                values: [left, other],
                greater,
                ..
            } => {
                let styles = self.pair_styles();
                let style = |place: usize| match greater {
                    Some(greater) if *greater == place => bold(styles[place]),
                    _ => self.theme.text,
                };
                let (left_style, other_style) = (style(0), style(1));
                let x = self.put(x, y, end, left, left_style);
                let x = self.put(x, y, end, self.glyphs.divider, self.theme.dim);
                self.put(x, y, end, other, other_style)
            }
        }
    }

    /// The colours of the responses in the panes.
    pub(super) fn pair_styles(&self) -> [Style; 2] {
        let pair = self.browser.page().map(|page| page.pair);
        pair.map_or_else(Default::default, |pair| {
            pair.map(|id| self.response_style(id))
        })
    }
}

/// The columns that rows need in so many cells; bars give way to names and values.
fn card_columns(rows: &[&CardRow], room: u16) -> CardColumns {
    let labels = rows.iter().filter_map(|row| match &row.value {
        CardValue::Each {
            values,
            bars: Some((_, of)),
            ..
        } => Some((
            row,
            values.each_ref().map(|value| width(value) as u16),
            *of as u16,
        )),
        _ => None,
    });
    let labels: Vec<_> = labels.collect();
    let most =
        |of: &dyn Fn(&(&&CardRow, [u16; 2], u16)) -> u16| labels.iter().map(of).max().unwrap_or(0);
    let names = rows
        .iter()
        .filter(|row| matches!(row.value, CardValue::Each { .. }));
    let name = names.map(|row| width(&row.name) as u16).max().unwrap_or(0);
    let value = most(&|(_, [left, _], _)| *left).max(1);
    let other = most(&|(_, [_, right], _)| *right);
    let bar = most(&|(.., of)| *of);
    let fixed = name + 1 + 1 + value + GAP + other + 1;
    let bar = bar.min(room.saturating_sub(fixed) / 2);
    CardColumns { name, bar, value }
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
