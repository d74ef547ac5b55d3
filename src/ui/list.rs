//! The list of samples: number, labels at a glance, the beginning of the prompt.

use ratatui::style::Style;

use super::{Canvas, Theme};
use crate::app::{Action, Area, Flagged, ListCell, ListColumn, ListRemark, ListRow, Pane};
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};
use crate::review::ItemStatus;
use crate::text;

/// Cells that a heading takes where its values take fewer, where there is room and where there is
/// not.
const HEADING: usize = 12;
const SHORT_HEADING: usize = 5;
/// The most cells that a value takes.
const WIDEST_CELL: usize = 24;
/// Cells of the prompt that columns after the first leave, and that headings in full leave.
const PROMPT_LEAST: usize = 6;
const PROMPT_MUCH: usize = 16;

/// Cells of the sign of the selected row, and of what is wrong with a row.
const SIGNS: u16 = 2;

/// What stands before the prompt in each row.
struct RowPrefix {
    /// Cells of the signs.
    signs: u16,
    /// Cells of the number.
    digits: usize,
    /// Cells of the summary; `None` where columns take its place.
    summary: Option<usize>,
    /// The columns with their cells.
    columns: Vec<(ListColumn, usize)>,
    /// Whether the summary of any row tells who wins.
    tells_winner: bool,
    /// How many columns there is no room for.
    left_out: usize,
}

impl Canvas<'_> {
    pub(super) fn list(&mut self) {
        let mut area = self.browser.geometry().inside(Pane::List);
        let shown = self.browser.shown();
        let height = self.browser.list_height();
        let window = self.browser.list.window(height, shown.len());
        let samples: Vec<_> = shown.samples(window).collect();
        let laid = self.lay_columns(&samples, area.width);
        if self.browser.has_list_heading() {
            self.list_heading(area, &laid);
            self.left_out_columns(laid.left_out);
            area = area.below(1);
        }
        let top = self.browser.list.top;
        for ((&sample, y), position) in samples.iter().zip(area.y..).zip(top..) {
            self.list_row(area.row(y), (sample, position), &laid);
        }
        self.scroll_bar(Pane::List, self.browser.list.top, shown.len(), height);
    }

    /// Which columns there is room for beside some of the prompt, and how wide each is.
    fn lay_columns(&self, samples: &[usize], room: u16) -> RowPrefix {
        let digits = self.number_digits();
        let signs = SIGNS + u16::from(self.app.has_reviews());
        let room = room.saturating_sub(digits as u16 + 1 + signs);
        let summaries = samples
            .iter()
            .filter_map(|&sample| self.browser.list.entry(sample));
        let asked = self.browser.columns();
        // Between headings it is as wide as one; otherwise its own goes on above the prompts.
        let least = if asked.is_empty() { 0 } else { SHORT_HEADING };
        let tells_winner = |entry: &ListRow| matches!(entry.summary, ListCell::Winner(..));
        let tells_winner = summaries.clone().any(tells_winner);
        let widest = summaries.map(|entry| cell_width(&entry.summary)).max();
        let summary = self
            .browser
            .shows_summary()
            .then(|| widest.unwrap_or(3).max(least));
        let room = usize::from(room).saturating_sub(summary.map_or(0, |width| width + 1));
        let named = asked.into_iter().map(|column| {
            let entries = samples
                .iter()
                .filter_map(|&sample| self.browser.list.entry(sample));
            let cells = entries
                .filter_map(|entry| cell_of(entry, &column))
                .map(cell_width);
            let widest = cells.max().unwrap_or(0).min(WIDEST_CELL);
            (column, widest)
        });
        let named: Vec<_> = named.collect();
        // Names in full where that leaves much of the prompt, else as much of them as tells them
        // apart.
        let width = |(column, widest): &(ListColumn, usize), most: usize| {
            (*widest).max(text::width(&column.name).min(most))
        };
        let all = |most: usize| {
            named
                .iter()
                .map(|column| width(column, most) + 1)
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
            used += width + 1;
            if used + PROMPT_LEAST > room && !columns.is_empty() {
                break;
            }
            columns.push((column.0.clone(), width));
        }
        let left_out = named.len() - columns.len();
        RowPrefix {
            signs,
            digits,
            summary,
            columns,
            tells_winner,
            left_out,
        }
    }

    /// Names what stands in each column, number and prompt included.
    fn list_heading(&mut self, area: Area, laid: &RowPrefix) {
        let (dim, end) = (self.theme.dim, area.right());
        let mut x = area.x + laid.signs;
        self.put(x, area.y, end, &format!("{:>1$}", "#", laid.digits), dim);
        x += laid.digits as u16 + 1;
        if let Some(width) = laid.summary {
            let last = laid.columns.is_empty();
            let name = self.summary_heading(laid, last);
            // What stands last has the cells above the prompts as well.
            let width = if last { usize::from(area.width) } else { width };
            self.cut(x, area.y, (x + width as u16).min(end), &name, dim);
            if last && !name.is_empty() {
                return;
            }
            x += if name.is_empty() { 0 } else { width as u16 + 1 };
        }
        for (column, width) in &laid.columns {
            let name = text::one_line(&column.name, HEADING);
            self.cut(x, area.y, (x + *width as u16).min(end), &name, dim);
            x += *width as u16 + 1;
        }
        self.cut(x, area.y, end, "prompt", dim);
    }

    /// What the summary of each row is: the label whose values it shows, or that it tells who wins.
    fn summary_heading(&self, laid: &RowPrefix, whole: bool) -> String {
        let divider = self.glyphs.divider;
        // Of more than two the best and the worst value stand there.
        let is_pair = self.browser.page().is_none_or(|page| page.responses <= 2);
        match self.browser.summarised() {
            Some(column) if whole && is_pair => {
                format!("{} A{divider}B", text::one_line(&column.name, WIDEST_CELL))
            }
            Some(column) => text::one_line(&column.name, HEADING),
            None if laid.tells_winner => "winner".to_owned(),
            None => String::new(),
        }
    }

    /// Says at the upper border that columns which were asked for have no room.
    fn left_out_columns(&mut self, left_out: usize) {
        let key = self
            .browser
            .key_for(Action::WidenList)
            .filter(|_| left_out > 0);
        let Some(key) = key else { return };
        let frame = self.browser.geometry().frame(Pane::List);
        let words = format!(" {} hidden: {key} ", text::counted(left_out, "column"));
        let end = frame.x + frame.width.saturating_sub(1);
        let x = end.saturating_sub(text::width(&words) as u16);
        self.put(x.max(frame.x + 1), frame.y, end, &words, self.theme.warning);
    }

    fn list_row(&mut self, area: Area, (sample, position): (usize, usize), laid: &RowPrefix) {
        let theme = self.theme;
        let row = match (
            position == self.browser.selection.position,
            self.browser.layout.focus == Pane::List,
        ) {
            (false, _) => Style::default(),
            (true, true) => theme.selection,
            (true, false) => theme.selection_dim,
        };
        let end = area.right();
        let entry = self.browser.list.entry(sample);
        let x = self.begin_row(area, row, position == self.browser.selection.position);
        let (sign, sign_style) = self.list_sign(entry);
        let mut x = self.put(x, area.y, end, sign, Theme::on_row(row, sign_style));
        if self.app.has_reviews() {
            let (sign, style) = self.remark_sign(sample, position);
            x = self.put(x, area.y, end, sign, Theme::on_row(row, style));
        }
        // Of an audit, the place in it: where a sample stands in the file is nothing to judge by.
        let counted = if self.review.running().is_some() {
            position
        } else {
            sample
        };
        let number = format!("{:>1$} ", counted + 1, laid.digits);
        let (dim, text_style, finding) = (self.theme.dim, self.theme.text, self.theme.finding);
        x = self.put(x, area.y, end, &number, Theme::on_row(row, dim));
        let malformed = entry.is_some_and(|entry| entry.malformed);
        let entry = entry.filter(|_| !(malformed && self.browser.is_blind()));
        // What is wrong with a row takes the place of what it does not have.
        if !malformed {
            if let Some((entry, width)) = entry.zip(laid.summary) {
                self.cell(x, area.y, end, &entry.summary, row);
                x += width as u16 + 1;
            }
            for (column, width) in &laid.columns {
                let cell_end = (x + *width as u16).min(end);
                if let Some(cell) = entry.and_then(|entry| cell_of(entry, column)) {
                    self.cell(x, area.y, cell_end, cell, row);
                }
                x += *width as u16 + 1;
            }
        }
        let Some(entry) = entry else { return };
        let style = if malformed { finding } else { text_style };
        let column = self.cut(x, area.y, end, &entry.text, Theme::on_row(row, style));
        let is_cut = text::width(&entry.text) > usize::from(end.saturating_sub(x));
        let room = column.saturating_sub(x + u16::from(is_cut));
        for (from, piece) in self.browser.entry_hits(entry) {
            let Ok(from) = u16::try_from(from) else { break };
            if from < room {
                let style = Theme::on_row(row, style).patch(self.theme.hit);
                self.put_text(x + from, area.y, x + room, &piece, style);
            }
        }
    }

    /// What a sample has of a column; of two values, the greater one has its side's colour.
    fn cell(&mut self, x: u16, y: u16, end: u16, cell: &ListCell, row: Style) {
        let theme = self.theme;
        let on = |style| Theme::on_row(row, style);
        let (plain, dim, faint) = (on(theme.text), on(theme.dim), on(theme.faint));
        match cell {
            ListCell::Nothing => {}
            ListCell::One(value) => {
                let value = text::one_line(value, WIDEST_CELL);
                self.cut(x, y, end, &value, plain);
            }
            ListCell::Pair([a, b], greater) => {
                let style = |response| match *greater {
                    Some(greater) if greater == response => on(theme.response(response)),
                    _ => dim,
                };
                let (a_style, b_style) = (style(ResponseId::A), style(ResponseId::B));
                let x = self.put(x, y, end, a, a_style);
                let x = self.put(x, y, end, self.glyphs.divider, faint);
                self.put(x, y, end, b, b_style);
            }
            ListCell::Winner(verdict, by) => {
                let word = match verdict {
                    Verdict::Best(_) => verdict.short_letters(),
                    Verdict::Tie => self.glyphs.tie.to_owned(),
                };
                let x = self.put(x, y, end, &word, on(theme.verdict(*verdict)));
                self.put(x + 1, y, end, by, dim);
            }
        }
    }

    /// Digits of the greatest number in the list.
    fn number_digits(&self) -> usize {
        let counted = match self.review.running() {
            Some(_) => self.browser.shown().len(),
            None => self.browser.data.dataset.samples(),
        };
        counted.to_string().len()
    }

    /// What reviewers said of a sample; of an audit's, how it stands.
    fn remark_sign(&self, sample: usize, position: usize) -> (&'static str, Style) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        let review = self.review;
        if let Some(running) = review.running() {
            return match running.stand(position) {
                Some(ItemStatus::Done) => (glyphs.judged, theme.gain),
                Some(ItemStatus::Begun) => (glyphs.begun, theme.text),
                Some(ItemStatus::Skipped | ItemStatus::Withdrawn) => (glyphs.skipped, theme.dim),
                Some(ItemStatus::Deferred | ItemStatus::Again) => (glyphs.deferred, theme.dim),
                Some(ItemStatus::Open | ItemStatus::Gone) | None => (" ", theme.text),
            };
        }
        match self.review.remark_in_list(sample, self.browser) {
            Some(ListRemark::Marked) => (glyphs.mark, theme.mark),
            Some(ListRemark::Checked(verdict)) => match verdict {
                SpotCheckVerdict::Right => ("y", theme.gain),
                SpotCheckVerdict::Wrong => ("n", theme.loss),
                SpotCheckVerdict::Unclear => ("?", theme.dim),
            },
            Some(ListRemark::Noted) => (glyphs.note, theme.mark),
            Some(ListRemark::Rated) => (glyphs.judged, theme.gain),
            None => (" ", theme.text),
        }
    }

    /// What is wrong with a row, or to be looked at in it.
    fn list_sign(&self, entry: Option<&ListRow>) -> (&'static str, Style) {
        let (theme, glyphs) = (self.theme, self.glyphs);
        match entry {
            Some(ListRow {
                malformed: true, ..
            }) => (glyphs.malformed, theme.error),
            Some(ListRow {
                flagged: Flagged::Yes,
                ..
            }) => (glyphs.finding, theme.finding),
            Some(ListRow {
                flagged: Flagged::ByLabels,
                ..
            }) if !self.browser.is_blind() => (glyphs.finding, theme.finding),
            _ => (" ", theme.text),
        }
    }

    /// Writes text that ends in an ellipsis where it does not fit; returns the column behind it.
    pub(super) fn cut(&mut self, x: u16, y: u16, end: u16, words: &str, style: Style) -> u16 {
        let room = usize::from(end.saturating_sub(x));
        if text::width(words) <= room {
            return self.put_text(x, y, end, words, style);
        }
        if room == 0 {
            return x;
        }
        let ellipsis = self.glyphs.ellipsis;
        let x = self.put_text(x, y, end - 1, words, style);
        self.put(x, y, end, ellipsis, style)
    }
}

fn cell_width(cell: &ListCell) -> usize {
    match cell {
        ListCell::Nothing => 0,
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

/// What an entry has of a column, if it was read for it.
fn cell_of<'e>(entry: &'e ListRow, column: &ListColumn) -> Option<&'e ListCell> {
    entry
        .cells
        .iter()
        .find(|(own, _)| own == column)
        .map(|(_, cell)| cell)
}
