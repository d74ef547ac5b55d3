//! The rating form: a strip below the responses with a column for each label.

use super::Canvas;
use super::card::bold;
use super::row::Row;
use crate::app::{Action, Area, KeyHints, RatingAction, RatingValue};
use crate::model::ResponseId;
use crate::text::{self, width};

/// Key hints of the form, most useful first.
pub(super) const RATING_HINTS: KeyHints = &[
    (Action::Cancel, "close"),
    (Action::Answer(RatingAction::GoOn), "next sample"),
    (Action::NextPane, "pane"),
    (Action::Undo, "undo"),
    (Action::Answer(RatingAction::Skip), "skip"),
    (Action::Answer(RatingAction::Defer), "later"),
    (Action::Answer(RatingAction::Clear), "clear"),
    (Action::Agreement, "agreement"),
];
/// Key hints after labels were revealed; other changes are then not possible.
pub(super) const CLOSED_RATING_HINTS: KeyHints = &[
    (Action::Cancel, "close"),
    (Action::Answer(RatingAction::GoOn), "next sample"),
    (Action::Answer(RatingAction::Change), "change"),
    (Action::NextPane, "pane"),
    (Action::Agreement, "agreement"),
];
/// Maximum width of another reviewer's name, in cells.
const OTHER: usize = 12;
/// Cells between columns of a strip.
const GAP: u16 = 2;
/// Shown if the winner was derived from labels.
const BY_LABELS: &str = "by labels";

impl Canvas<'_> {
    /// Draws the strip: a column for each label with a row for each response, the question above,
    /// and the ends of the scale below.
    pub fn rating(&mut self) {
        let drawer = self.app.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let rows = self.app.rate_rows();
        let (theme, shown) = (self.theme, self.shown_responses());
        let asked = rows.iter().position(|row| row.asked.is_some());
        let question = asked.and_then(|asked| rows.get(asked));
        let about = match question {
            _ if self.app.is_seen_before() => "seen before, so not blind",
            Some(question) => &question.question,
            None => "your rating",
        };
        self.clear_area(drawer);
        let mut row = self.rule(drawer.top(1), theme.border_focus);
        row.end = row.end.saturating_sub(1);
        row.cut(&format!(" {about} "), theme.title_focus);
        let mut line = drawer.right_of(1).below(2);
        for id in &shown {
            if line.is_empty() {
                break;
            }
            let style = bold(self.response_style(*id));
            self.row(line.top(1)).put(id.letter(), style);
            line = line.below(1);
        }
        let letters = shown.iter().map(|id| width(id.letter())).max();
        let grid = drawer
            .right_of(1 + letters.unwrap_or(0) as u16 + GAP)
            .below(1);
        // Scroll so that the column of the current question is visible.
        let widths: Vec<u16> = rows
            .iter()
            .map(|row| width(&row.name).max(row.width) as u16)
            .collect();
        let needed = |from: usize, to: usize| -> u16 {
            widths[from..to].iter().map(|cells| cells + GAP).sum()
        };
        let last = asked.map_or(rows.len(), |asked| asked + 1);
        let first = (0..last)
            .find(|first| needed(*first, last) <= grid.width)
            .unwrap_or(last.saturating_sub(1));
        let mut column = grid;
        for (at, (label, cells)) in rows.iter().zip(&widths).enumerate().skip(first) {
            if column.width < *cells {
                let more = format!(" +{}", rows.len() - at);
                self.row(grid).right(&more, theme.dim);
                break;
            }
            let style = match label.asked {
                Some(_) => theme.strong,
                None => theme.dim,
            };
            let width = *cells;
            let mut cell = Area { width, ..column };
            self.row(cell).text(&label.name, style);
            // A verdict has one value.
            for id in shown.iter().take(label.cells.len()) {
                let at = id.index().min(label.cells.len() - 1);
                cell = cell.below(1);
                if !cell.is_empty() {
                    self.row(cell)
                        .answer(&label.cells[at], label.asked == Some(at));
                }
            }
            column = column.right_of(cells + GAP);
        }
        let Some(question) = question.filter(|_| !line.is_empty()) else {
            return;
        };
        let answers = question.answers.replace('…', self.glyphs.ellipsis);
        let others = question
            .others
            .iter()
            .map(|(name, said)| format!("{} {said}", text::one_line(name, OTHER)));
        let mut row = self.row(line);
        row.put(&format!("{}  ", question.subject), theme.dim);
        row.cut(&answers, theme.text);
        row.skip(GAP.into());
        row.cut(&others.collect::<Vec<_>>().join("  "), theme.dim);
    }

    /// Returns the shown responses, by their letters on the screen.
    fn shown_responses(&self) -> Vec<ResponseId> {
        let mut shown = self
            .app
            .page()
            .map_or_else(Vec::new, |page| page.pair.to_vec());
        shown.dedup();
        shown
    }
}

impl Row<'_> {
    /// Draws the reviewer's value or a placeholder, highlighted if the next key gives it, and the
    /// dataset's value.
    fn answer(&mut self, cell: &RatingValue, is_asked: bool) {
        let theme = self.theme;
        let active = bold(theme.border_focus).patch(theme.cursor);
        let style = cell
            .verdict
            .map_or(theme.strong, |verdict| bold(theme.verdict(verdict)));
        match (&cell.own, is_asked) {
            (Some(words), true) => self.cut(words, active),
            (Some(words), false) => self.cut(words, style),
            (None, true) => self.put("_", active),
            (None, false) => self.put(self.glyphs.separator, theme.dim),
        }
        if let Some(given) = &cell.given {
            let style = if cell.is_same {
                theme.dim
            } else {
                theme.finding
            };
            self.skip(1);
            self.put(&format!("({given})"), style);
        }
        if cell.is_derived && self.room() > width(BY_LABELS) {
            self.skip(1);
            self.put(BY_LABELS, theme.dim);
        }
    }
}
