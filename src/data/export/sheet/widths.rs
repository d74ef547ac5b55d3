//! Tables with aligned columns, for the screen.

use std::borrow::Cow;
use std::io::Write;

use serde_json::Value;

use super::super::ExportError;
use super::columns::ListedColumn;
use super::plain;
use crate::text::{number, one_line, width};

/// Lines of a table that determine the column widths.
const MEASURED: usize = 500;
/// Maximum width of a column that is not text, if there is room, and if not.
const ROOMY: usize = 60;
const WIDEST: usize = 24;
/// Minimum width of another column before one is omitted: enough digits of a key to identify a
/// sample.
const SHORTEST: usize = 9;
/// Cells kept of a heading that is cut.
const NAME: usize = 6;
/// Maximum width of a text before the last column.
const TEXT: usize = 40;
/// Minimum width of a cut text, and of the last column if it is that long.
const LEAST: usize = 16;
/// A width that fits any value.
const WHOLE: usize = u32::MAX as usize;
/// Cells between two columns.
const GAP: usize = 2;

/// A table that buffers its first lines until the column widths are known.
pub(super) struct Table<'t> {
    columns: &'t [ListedColumn],
    width: Option<usize>,
    waiting: Vec<Vec<String>>,
    /// Width of each column with its heading, and without.
    widest: Vec<[usize; 2]>,
    /// The visible columns (index and width).
    layout: Option<Vec<(usize, usize)>>,
    out: &'t mut dyn Write,
}

impl<'t> Table<'t> {
    pub fn new(columns: &'t [ListedColumn], width: Option<usize>, out: &'t mut dyn Write) -> Self {
        let most = width.map_or(WHOLE, |_| ROOMY);
        let names = columns.iter().map(|column| one_line(column.name(), most));
        Self {
            columns,
            width,
            waiting: vec![names.collect()],
            widest: Vec::new(),
            layout: None,
            out,
        }
    }

    pub fn add(&mut self, values: &[Value]) -> Result<(), ExportError> {
        let cells = values.iter().zip(self.columns).map(|(value, column)| {
            let most = match self.width {
                Some(width) if column.is_text() => width.max(LEAST),
                Some(_) => ROOMY,
                None => WHOLE,
            };
            one_line(&shown(value), most)
        });
        self.waiting.push(cells.collect());
        if self.layout.is_none() && self.waiting.len() <= MEASURED {
            Ok(())
        } else {
            self.write_waiting()
        }
    }

    /// Writes the buffered lines. Returns the names of the omitted columns.
    pub fn finish(mut self) -> Result<Vec<String>, ExportError> {
        self.write_waiting()?;
        let layout = self.layout.unwrap_or_default();
        let is_shown = |at: usize| layout.iter().any(|(shown, _)| *shown == at);
        let left_out = self
            .columns
            .iter()
            .enumerate()
            .filter(|(at, _)| !is_shown(*at));
        Ok(left_out
            .map(|(_, column)| column.name().to_owned())
            .collect())
    }

    fn write_waiting(&mut self) -> Result<(), ExportError> {
        if self.layout.is_none() {
            self.measure();
            // Without a width nothing is cut: a value wider than most shifts the rest of its line,
            // because one long text would otherwise pad all lines.
            let widest = self.widest.iter().map(|[widest, _]| (*widest).min(ROOMY));
            self.layout = Some(match self.width {
                Some(width) => self.lay_out(width),
                None => widest.enumerate().collect(),
            });
        }
        let layout = self.layout.as_deref().unwrap_or_default();
        for cells in std::mem::take(&mut self.waiting) {
            let mut line = String::new();
            for (at, own) in layout {
                let cell = if self.width.is_some() && width(&cells[*at]) > *own {
                    Cow::Owned(one_line(&cells[*at], *own))
                } else {
                    Cow::Borrowed(cells[*at].as_str())
                };
                line.push_str(&cell);
                line.push_str(&" ".repeat(own.saturating_sub(width(&cell)) + GAP));
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Measures the columns, with their headings and without.
    fn measure(&mut self) {
        let widest = |at: usize, from| {
            let cells = self.waiting.iter().skip(from).map(|line| width(&line[at]));
            cells.max().unwrap_or(0)
        };
        let columns = 0..self.columns.len();
        self.widest = columns.map(|at| [widest(at, 0), widest(at, 1)]).collect();
    }

    /// Chooses the visible columns (index and width). Headings and values other than texts are cut
    /// first; then columns are omitted from the last but one backwards, so that the first (which
    /// sample) and the last (its text) stay.
    fn lay_out(&self, width: usize) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..self.columns.len()).collect();
        loop {
            // Maximum width of other columns and of texts, and 1 if headings are cut.
            let layout = |(most, text, is_cut): (usize, usize, usize)| -> Vec<(usize, usize)> {
                let columns = left.iter().map(|&at| {
                    let most = if self.is_text(at) { text } else { most };
                    let named = self.widest[at][is_cut].max(NAME);
                    (at, self.widest[at][0].min(most).min(named))
                });
                columns.collect()
            };
            let whole = [(ROOMY, TEXT, 0), (WIDEST, TEXT, 0), (WIDEST, LEAST, 0)];
            let cut = (SHORTEST..=WIDEST).rev().map(|most| (most, LEAST, 1));
            let mut layouts = whole.into_iter().chain(cut).map(layout);
            let mut layout = match layouts.find(|layout| self.fits(layout, width)) {
                Some(layout) => layout,
                None if left.len() > 2 => {
                    left.remove(left.len() - 2);
                    continue;
                }
                None => layout((SHORTEST, LEAST, 1)),
            };
            if let [first, last] = layout.as_mut_slice() {
                let room = width.saturating_sub(GAP + self.least(last.0));
                first.1 = first.1.min(room.max(NAME));
            }
            return self.fill_width(layout, width);
        }
    }

    fn is_text(&self, at: usize) -> bool {
        self.columns[at].is_text()
    }

    /// Returns the minimum width of a column in last position.
    fn least(&self, at: usize) -> usize {
        if self.is_text(at) {
            LEAST
        } else {
            self.widest[at][0].min(LEAST)
        }
    }

    fn fits(&self, layout: &[(usize, usize)], width: usize) -> bool {
        layout
            .split_last()
            .is_none_or(|((last, _), before)| cells_of(before) + self.least(*last) <= width)
    }

    /// Text columns share the remaining width, each up to its need; the last column takes the rest.
    fn fill_width(&self, mut layout: Vec<(usize, usize)>, width: usize) -> Vec<(usize, usize)> {
        if let Some(((last, own), before)) = layout.split_last_mut() {
            let room = width.saturating_sub(cells_of(before));
            *own = (*own).min(room).max(self.least(*last));
        }
        let gaps = GAP * layout.len().saturating_sub(1);
        let texts = layout.iter_mut().partition(|(at, _)| self.is_text(*at));
        let (texts, others): (Vec<_>, Vec<_>) = texts;
        let others: usize = others.iter().map(|(_, own)| *own).sum();
        let mut room = width.saturating_sub(gaps + others);
        let texts = texts.into_iter();
        let mut texts: Vec<_> = texts.map(|(at, own)| (self.widest[*at][0], own)).collect();
        // Shortest first: the width that they do not need goes to the others.
        texts.sort_by_key(|(need, _)| *need);
        let count = texts.len();
        for (place, (need, own)) in texts.into_iter().enumerate() {
            *own = (*own).min(LEAST).max(need.min(room / (count - place)));
            room = room.saturating_sub(*own);
        }
        if let Some(((_, own), before)) = layout.split_last_mut() {
            *own = (*own).max(width.saturating_sub(cells_of(before)));
        }
        layout
    }
}

/// Returns the width of all columns, with their gaps.
fn cells_of(columns: &[(usize, usize)]) -> usize {
    columns.iter().map(|(_, own)| own + GAP).sum()
}

/// Formats a value for a table, with the values of several responses in order.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::Number(value) => value.as_f64().map_or_else(|| value.to_string(), number),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(shown).collect();
            let is_text = values
                .iter()
                .any(|value| value.contains(char::is_whitespace));
            values.join(if is_text { " │ " } else { " " })
        }
        other => plain(other),
    }
}
