//! The list of samples: number, labels, columns, and the beginning of the prompt.

use ratatui::style::Style;

use super::Canvas;
use super::row::Row;
use crate::app::{Action, Area, ListCell, ListColumn, ListRemark, ListRow, Pane, RowFlag};
use crate::model::{ResponseId, Verdict};
use crate::query::Severity;
use crate::review::ItemStatus;
use crate::text;

/// Maximum width of a heading in cells, if there is room and if there is not.
const HEADING: usize = 12;
const SHORT_HEADING: usize = 5;
/// Maximum width of a value in cells.
const WIDEST_CELL: usize = 24;
/// Minimum width of the prompt beside more than one column, and beside full headings, in cells.
const PROMPT_LEAST: usize = 6;
const PROMPT_MUCH: usize = 16;

/// Cells of the symbols for the selected row and for warnings.
const SIGNS: u16 = 2;
/// Cells between columns.
const GAP: usize = 2;

/// The columns before the prompt.
struct RowPrefix {
    /// Width of the symbols in cells.
    signs: u16,
    /// Width of the number in cells.
    digits: usize,
    /// Width of the summary in cells; `None` if columns replace it.
    summary: Option<usize>,
    /// The columns with their widths in cells.
    columns: Vec<(ListColumn, usize)>,
    /// True if any row's summary shows the winner.
    shows_winner: bool,
    /// Number of columns that do not fit.
    hidden_columns: usize,
}

impl Canvas<'_> {
    pub fn list(&mut self) {
        let mut area = self.app.geometry().list;
        // Keep text that is cut off away from the rule.
        area.width = area.width.saturating_sub(1);
        let shown = self.app.shown();
        let height = self.app.list_height();
        let window = self.app.list.window(height, shown.len());
        let samples: Vec<_> = shown.samples(window).collect();
        let laid = self.lay_columns(&samples, area.width);
        if self.app.has_list_heading() {
            self.list_heading(area, &laid);
            self.show_hidden_columns(laid.hidden_columns);
            area = area.below(1);
        }
        let top = self.app.list.top;
        for ((&sample, y), position) in samples.iter().zip(area.y..).zip(top..) {
            self.list_row(area.row(y), (sample, position), &laid);
        }
    }

    /// Returns the columns that fit beside part of the prompt, with their widths.
    fn lay_columns(&self, samples: &[usize], room: u16) -> RowPrefix {
        let counted = match self.app.running() {
            Some(_) => self.app.shown().len(),
            None => self.app.data.dataset.samples(),
        };
        let digits = counted.to_string().len();
        let signs = SIGNS + u16::from(self.app.has_reviews());
        let room = room.saturating_sub((digits + GAP) as u16 + signs);
        let summaries = samples
            .iter()
            .filter_map(|&sample| self.app.list.entry(sample));
        let asked = self.app.columns();
        // Beside other headings the summary is at least as wide as one; otherwise its heading may
        // extend over the prompts.
        let least = if asked.is_empty() { 0 } else { SHORT_HEADING };
        let shows_winner = |entry: &ListRow| matches!(entry.summary, ListCell::Winner(..));
        let shows_winner = summaries.clone().any(shows_winner);
        let widest = summaries.map(|entry| cell_width(&entry.summary)).max();
        let summary = self
            .app
            .shows_summary()
            .then(|| widest.unwrap_or(3).max(least));
        let room = usize::from(room).saturating_sub(summary.map_or(0, |width| width + GAP));
        let named: Vec<_> = asked
            .into_iter()
            .map(|column| {
                let widest = samples
                    .iter()
                    .filter_map(|&sample| self.app.list.entry(sample))
                    .filter_map(|entry| cell_of(entry, &column))
                    .map(cell_width)
                    .max()
                    .unwrap_or(0)
                    .min(WIDEST_CELL);
                (column, widest)
            })
            .collect();
        // Headings are full if enough room remains for the prompt, otherwise shortened.
        let width = |(column, widest): &(ListColumn, usize), most: usize| {
            (*widest).max(text::width(&column.name).min(most))
        };
        let all = |most: usize| {
            named
                .iter()
                .map(|column| width(column, most) + GAP)
                .sum::<usize>()
        };
        let heading = if all(HEADING) + PROMPT_MUCH <= room {
            HEADING
        } else {
            SHORT_HEADING
        };
        let (mut used, mut columns) = (0, Vec::new());
        for column in &named {
            let width = width(column, heading);
            used += width + GAP;
            if used + PROMPT_LEAST > room && !columns.is_empty() {
                break;
            }
            columns.push((column.0.clone(), width));
        }
        let hidden_columns = named.len() - columns.len();
        RowPrefix {
            signs,
            digits,
            summary,
            columns,
            shows_winner,
            hidden_columns,
        }
    }

    /// Draws the headings of all columns.
    fn list_heading(&mut self, area: Area, laid: &RowPrefix) {
        let (dim, name) = (self.theme.dim, self.summary_heading(laid));
        let mut row = self.row(area);
        row.skip(laid.signs.into());
        row.column(laid.digits, GAP, |row| {
            row.put(&format!("{:>1$}", "#", laid.digits), dim);
        });
        if let Some(width) = laid.summary {
            row.column(width, GAP, |row| row.cut(&name, dim));
        }
        for (column, width) in &laid.columns {
            let name = text::one_line(&column.name, HEADING);
            row.column(*width, GAP, |row| row.cut(&name, dim));
        }
        row.cut("prompt", dim);
    }

    /// Returns the heading of the summary: the values of A and B, or the winner.
    fn summary_heading(&self, laid: &RowPrefix) -> String {
        let divider = self.glyphs.divider;
        // Of more than two responses, the summary shows the greatest and the least value.
        let is_pair = self.app.page().is_none_or(|page| page.responses <= 2);
        match laid.shows_winner {
            true => "win".to_owned(),
            false if is_pair => format!("A{divider}B"),
            false => "best".to_owned(),
        }
    }

    /// Shows in the heading how many chosen columns do not fit.
    fn show_hidden_columns(&mut self, hidden_columns: usize) {
        let key = self
            .app
            .key_for(Action::WidenList)
            .filter(|_| hidden_columns > 0);
        let Some(key) = key else { return };
        let area = self.app.geometry().list;
        let words = format!(" {} hidden: {key}", text::counted(hidden_columns, "column"));
        let warning = self.theme.warning;
        self.row(area).right(&words, warning);
    }

    fn list_row(&mut self, area: Area, (sample, position): (usize, usize), laid: &RowPrefix) {
        let Self { theme, app, .. } = *self;
        let is_selected = position == app.selection.position;
        let base = match (is_selected, app.layout.focus == Pane::List) {
            (false, _) => Style::default(),
            (true, true) => theme.selection,
            (true, false) => theme.selection_dim,
        };
        let entry = app.list.entry(sample);
        let remark = self
            .app
            .has_reviews()
            .then(|| self.remark_sign(sample, position));
        let signs = [Some(self.list_sign(entry)), remark];
        // In an audit, the position in the audit: the position in the file should not influence
        // judgments.
        let counted = match self.app.running() {
            Some(_) => position,
            None => sample,
        };
        let mut row = self.begin_row(area, base, is_selected);
        for (sign, style) in signs.into_iter().flatten() {
            row.put(sign, style);
        }
        row.put(&format!("{:>1$}", counted + 1, laid.digits), theme.dim);
        row.skip(GAP);
        let malformed = entry.is_some_and(|entry| entry.malformed);
        let entry = entry.filter(|_| !(malformed && app.is_blind()));
        let Some(entry) = entry else { return };
        // The error replaces the values of a malformed row.
        if !malformed {
            if let Some(width) = laid.summary {
                row.column(width, GAP, |row| row.cell(&entry.summary));
            }
            for (column, width) in &laid.columns {
                let cell = cell_of(entry, column).unwrap_or(&ListCell::Nothing);
                row.column(*width, GAP, |row| row.cell(cell));
            }
        }
        let style = if malformed { theme.finding } else { theme.text };
        let (x, is_cut) = (row.x, text::width(&entry.text) > row.room());
        row.cut(&entry.text, style);
        row.end = row.x.saturating_sub(u16::from(is_cut));
        for (from, piece) in app.entry_hits(entry) {
            row.x = x.saturating_add(from as u16);
            row.text(&piece, style.patch(theme.hit));
        }
    }

    /// Returns the symbol for review data of a sample; in an audit, for its status.
    fn remark_sign(&self, sample: usize, position: usize) -> (&'static str, Style) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        if let Some(running) = self.app.running() {
            return match running.status(position) {
                Some(ItemStatus::Done) => (glyphs.judged, theme.gain),
                Some(ItemStatus::Begun) => (glyphs.begun, theme.text),
                Some(ItemStatus::Skipped | ItemStatus::Withdrawn) => (glyphs.skipped, theme.dim),
                Some(ItemStatus::Deferred | ItemStatus::Again) => (glyphs.deferred, theme.dim),
                Some(ItemStatus::Open | ItemStatus::Gone) | None => (" ", theme.text),
            };
        }
        match self.app.remark_in_list(sample) {
            Some(ListRemark::Marked) => (glyphs.mark, theme.mark),
            Some(ListRemark::Checked(verdict)) => self.check_sign(verdict),
            Some(ListRemark::Noted) => (glyphs.note, theme.mark),
            Some(ListRemark::Rated) => (glyphs.judged, theme.gain),
            None => (" ", theme.text),
        }
    }

    /// Returns the symbol for errors and findings of a row.
    fn list_sign(&self, entry: Option<&ListRow>) -> (&'static str, Style) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        match entry {
            Some(ListRow {
                malformed: true, ..
            }) => (glyphs.malformed, theme.error),
            Some(ListRow {
                flagged: RowFlag::Yes,
                ..
            }) => (glyphs.finding, theme.finding),
            Some(ListRow {
                flagged: RowFlag::ByLabels,
                ..
            }) if !self.app.is_blind() => (glyphs.finding, theme.finding),
            _ => (" ", theme.text),
        }
    }
}

impl Row<'_> {
    /// Draws a cell. The value of the winner, or the greater one, has the colour of its response.
    fn cell(&mut self, cell: &ListCell) {
        let theme = self.theme;
        match cell {
            ListCell::Nothing => {}
            ListCell::Suspicion(weight) => {
                for (at, (severity, count)) in Severity::counts(*weight).enumerate() {
                    self.skip(usize::from(at > 0));
                    let words = format!("{}{count}", self.glyphs.severity(severity));
                    self.text(&words, theme.severity(severity));
                }
            }
            ListCell::One(value) => self.cut(&text::one_line(value, WIDEST_CELL), theme.text),
            ListCell::Pair([a, b], greater) => {
                let style = |response| match *greater {
                    Some(greater) if greater == response => theme.response(response),
                    _ => theme.dim,
                };
                self.put(a, style(ResponseId::A));
                self.put(self.glyphs.divider, theme.faint);
                self.put(b, style(ResponseId::B));
            }
            ListCell::Winner(verdict, by) => {
                let word = match verdict {
                    Verdict::Best(_) => verdict.short_letters(),
                    Verdict::Tie => self.glyphs.tie.to_owned(),
                };
                self.put(&word, theme.verdict(*verdict));
                self.skip(1);
                self.put(by, theme.dim);
            }
        }
    }
}

fn cell_width(cell: &ListCell) -> usize {
    match cell {
        ListCell::Nothing => 0,
        ListCell::Suspicion(weight) => Severity::counts(*weight)
            .map(|(_, count)| 2 + text::width(&count.to_string()))
            .sum::<usize>()
            .saturating_sub(1),
        ListCell::One(value) => text::width(value),
        ListCell::Pair([a, b], _) => text::width(a) + 1 + text::width(b),
        ListCell::Winner(verdict, by) => {
            let letters = match verdict {
                Verdict::Best(_) => text::width(&verdict.short_letters()),
                Verdict::Tie => 1,
            };
            letters + usize::from(!by.is_empty()) + text::width(by)
        }
    }
}

/// Returns a cell of a row, if the row was read for the column.
fn cell_of<'e>(entry: &'e ListRow, column: &ListColumn) -> Option<&'e ListCell> {
    entry
        .cells
        .iter()
        .find(|(own, _)| own == column)
        .map(|(_, cell)| cell)
}
