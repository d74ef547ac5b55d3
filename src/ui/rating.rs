//! The rating form: a strip below the responses with a column for each label.

use ratatui::style::Style;

use super::Canvas;
use super::card::bold;
use super::row::Row;
use crate::app::{Action, Area, KeyHints, RatingAction, RatingRow, step_words, verdict_steps};
use crate::model::{ResponseId, Verdict};
use crate::text::{self, number, width};

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
/// Name of the verdict question.
const WINNER: &str = "winner";
/// Shown if the winner was derived from labels.
const BY_LABELS: &str = "by labels";

impl Canvas<'_> {
    /// Draws the strip: a column for each label with a row for each response, the question above,
    /// and the ends of the scale below.
    pub fn rating(&mut self) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let rows = self.review.rate_rows(self.browser, self.views);
        let (theme, shown) = (self.theme, self.shown_responses());
        let asked = rows.iter().position(is_asked);
        let question = asked.and_then(|asked| rows.get(asked));
        let about = match question {
            _ if self.review.is_seen_before(self.browser) => "seen before, so not blind".to_owned(),
            Some(RatingRow::Label { about, name, .. }) if about.is_empty() => name.to_string(),
            Some(RatingRow::Label { about, .. }) => about.clone(),
            Some(RatingRow::Verdict { .. }) => "Who wins?".to_owned(),
            None => "your rating".to_owned(),
        };
        self.clear_area(drawer);
        let mut row = self.rule(drawer.top(1), theme.border_focus);
        row.end = row.end.saturating_sub(1);
        row.cut(
            &format!(" {} ", text::one_line(&about, 400)),
            theme.title_focus,
        );
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
        let widths: Vec<u16> = rows.iter().map(column_width).collect();
        let needed = |from: usize, to: usize| -> u16 {
            widths[from..to].iter().map(|cells| cells + GAP).sum()
        };
        let last = asked.map_or(rows.len(), |asked| asked + 1);
        let first = (0..last).find(|first| needed(*first, last) <= grid.width);
        let first = first.unwrap_or(last.saturating_sub(1));
        let mut column = grid;
        for (label, cells) in rows.iter().zip(&widths).skip(first) {
            if column.width < *cells {
                break;
            }
            let style = match is_asked(label) {
                true => theme.strong,
                false => theme.dim,
            };
            let width = *cells;
            let mut cell = Area { width, ..column };
            self.row(cell).text(&question_name(label), style);
            for id in &shown {
                cell = cell.below(1);
                if !cell.is_empty() && (*id == shown[0] || matches!(label, RatingRow::Label { .. }))
                {
                    self.row(cell).answers(label, *id);
                }
            }
            column = column.right_of(cells + GAP);
        }
        let Some(question) = question.filter(|_| !line.is_empty()) else {
            return;
        };
        let answers = self.possible_answers(question);
        let mut row = self.row(line);
        row.put(&format!("{}  ", asked_words(question)), theme.dim);
        row.cut(&answers, theme.text);
        row.skip(GAP.into());
        row.cut(&others_words(question), theme.dim);
    }

    /// Returns the shown responses, by their letters on the screen.
    fn shown_responses(&self) -> Vec<ResponseId> {
        let page = self.browser.page();
        let mut shown = page.map_or_else(Vec::new, |page| page.pair.to_vec());
        shown.dedup();
        shown
    }

    /// Returns the possible answers: the ends of the scale, or each verdict with its digit.
    fn possible_answers(&self, row: &RatingRow) -> String {
        match row {
            RatingRow::Label {
                range: [low, high],
                ends,
                ..
            } => match ends {
                Some([lowest, highest]) => {
                    let ellipsis = self.glyphs.ellipsis;
                    let [lowest, highest] = [lowest, highest].map(|end| text::one_line(end, 400));
                    format!("{low} {lowest} {ellipsis} {high} {highest}")
                }
                None => format!("{low} to {high}"),
            },
            RatingRow::Verdict {
                responses,
                strengths,
                ..
            } => {
                let steps = verdict_steps(*responses, strengths.len());
                let words = |step| step_words(step, strengths, *responses);
                let steps = steps.into_iter().map(words).zip(1..);
                let steps = steps.map(|(words, at)| match at {
                    digit @ 1..10 => format!("{digit} {words}"),
                    _ => words,
                });
                steps.collect::<Vec<_>>().join("  ")
            }
        }
    }
}

impl Row<'_> {
    /// Draws the reviewer's value for a response, or the verdict.
    fn answers(&mut self, row: &RatingRow, id: ResponseId) {
        match row {
            RatingRow::Label {
                own, given, asked, ..
            } => {
                let at = id.index();
                let [own, given] = [own, given].map(|it| it.get(at).copied().flatten());
                let is_same = own.is_none_or(|own| given == Some(own));
                self.answer(own.map(number), *asked == Some(at), self.theme.strong);
                self.given(given.map(number), is_same);
            }
            RatingRow::Verdict {
                strengths,
                own,
                given,
                asked,
                derived,
                ..
            } => {
                let words = own.map(|(verdict, strength)| {
                    let how = strength.and_then(|how| strengths.get(usize::from(how) - 1));
                    let how = how.map(|how| format!(" {}", text::one_line(how, 24)));
                    verdict.letters() + &how.unwrap_or_default()
                });
                let style = own.map_or(self.theme.dim, |(verdict, _)| self.theme.verdict(verdict));
                self.answer(words, *asked, bold(style));
                let is_same =
                    given.is_some_and(|given| own.is_none_or(|(own, _)| own.agrees_with(given)));
                self.given(given.map(Verdict::short_letters), is_same);
                if own.is_some() && *derived && self.room() > width(BY_LABELS) {
                    self.skip(1);
                    self.put(BY_LABELS, self.theme.dim);
                }
            }
        }
    }

    /// Draws an answer, or a placeholder; the current one is highlighted.
    fn answer(&mut self, words: Option<String>, is_asked: bool, style: Style) {
        let (theme, active) = (
            self.theme,
            bold(self.theme.border_focus).patch(self.theme.cursor),
        );
        match (words, is_asked) {
            (Some(words), true) => self.cut(&words, active),
            (Some(words), false) => self.cut(&words, style),
            (None, true) => self.put("_", active),
            (None, false) => self.put(self.glyphs.separator, theme.dim),
        }
    }

    /// Draws the dataset's value, if it is not hidden.
    fn given(&mut self, words: Option<String>, is_same: bool) {
        let style = match is_same {
            true => self.theme.dim,
            false => self.theme.finding,
        };
        if let Some(words) = words {
            self.skip(1);
            self.put(&format!("({words})"), style);
        }
    }
}

/// Returns the subject of the next key, such as `coherence of A`.
fn asked_words(row: &RatingRow) -> String {
    match row {
        RatingRow::Label {
            name, asked, own, ..
        } => {
            let of = asked.filter(|_| own.len() > 1).and_then(ResponseId::new);
            let of = of.map(|of| format!(" of {}", of.letter()));
            text::one_line(name, 60) + &of.unwrap_or_default()
        }
        RatingRow::Verdict { .. } => "who wins".to_owned(),
    }
}

/// Returns the name of a question.
fn question_name(row: &RatingRow) -> String {
    match row {
        RatingRow::Label { name, .. } => text::one_line(name, 60),
        RatingRow::Verdict { .. } => WINNER.to_owned(),
    }
}

/// Returns the answers of other reviewers.
fn others_words(row: &RatingRow) -> String {
    let each: Vec<_> = match row {
        RatingRow::Label { others, .. } => {
            let each = others.iter().map(|(name, values)| {
                let values = values.iter().map(|value| value.map_or("–".into(), number));
                let values: Vec<String> = values.collect();
                format!("{} {}", text::one_line(name, OTHER), values.join(" "))
            });
            each.collect()
        }
        RatingRow::Verdict { others, .. } => {
            let each = others
                .iter()
                .map(|(name, said)| format!("{} {}", text::one_line(name, OTHER), said.letters()));
            each.collect()
        }
    };
    each.join("  ")
}

/// Returns the column width in the strip, in cells: that of the name, or of a value with the
/// dataset's.
fn column_width(row: &RatingRow) -> u16 {
    match row {
        RatingRow::Label { name, .. } => width(&text::one_line(name, 60)).max(5) as u16,
        RatingRow::Verdict { .. } => 12,
    }
}

fn is_asked(row: &RatingRow) -> bool {
    match row {
        RatingRow::Label { asked, .. } => asked.is_some(),
        RatingRow::Verdict { asked, .. } => *asked,
    }
}
