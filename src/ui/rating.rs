//! What is rated: a card below the list, with a row for each label, or a strip below the responses,
//! with a column for each.

use ratatui::style::Style;

use super::Canvas;
use super::card::bold;
use crate::app::{Action, Area, KeyHints, RatingAction, RatingRow, verdict_steps};
use crate::model::{ResponseId, Verdict};
use crate::text::{self, number, width};

/// Keys worth a place on the status line, the most useful first.
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
/// Those where the labels have shown after the judgment: nothing else may be done then.
pub(super) const CLOSED_RATING_HINTS: KeyHints = &[
    (Action::Cancel, "close"),
    (Action::Answer(RatingAction::GoOn), "next sample"),
    (Action::Answer(RatingAction::Change), "change"),
    (Action::NextPane, "pane"),
    (Action::Agreement, "agreement"),
];
/// Cells of another reviewer's name.
const OTHER: usize = 12;
/// Cells of a value in a card, with what the dataset says.
const VALUE: u16 = 7;
/// Cells between columns of a strip.
const GAP: u16 = 2;
/// What names the verdict among the labels.
const WINNER: &str = "winner";

impl Canvas<'_> {
    pub(super) fn rating(&mut self) {
        let geometry = self.browser.geometry();
        let rows = self.review.rate_rows(self.browser, self.views);
        if !geometry.drawer.is_empty() {
            self.rating_strip(geometry.drawer, &rows);
        } else if !geometry.card.is_empty() {
            self.rating_card(geometry.card, &rows);
        }
    }

    /// A row for each label with the values for the responses in the panes, and below them what is
    /// asked.
    fn rating_card(&mut self, area: Area, rows: &[RatingRow]) {
        self.wipe(area);
        let end = area.right();
        self.rule(area.x, area.y, end, self.theme.border_focus);
        let title = if self.is_seen_before() {
            " seen before "
        } else {
            " your rating "
        };
        self.put(area.x + 1, area.y, end, title, self.theme.title_focus);
        let columns = [end.saturating_sub(2 * VALUE), end.saturating_sub(VALUE)];
        let shown = self.shown_responses();
        for (x, id) in columns.iter().zip(&shown) {
            let letter = format!(" {} ", id.letter());
            let style = bold(self.response_style(*id));
            self.put(x - 1, area.y, end, &letter, style);
        }
        let asked = rows.iter().position(is_asked);
        // What is asked takes what the rows leave.
        let question = area.height.saturating_sub(rows.len() as u16 + 1);
        let room = usize::from(area.height - 1 - question);
        let top = asked.map_or(0, |asked| (asked + 1).saturating_sub(room));
        for (row, y) in rows.iter().skip(top).zip(area.y + 1..).take(room) {
            let area = area.row(y);
            let name = match row {
                RatingRow::Label { name, .. } => name,
                RatingRow::Verdict { .. } => WINNER,
            };
            let sign = if is_asked(row) {
                self.glyphs.selected
            } else {
                " "
            };
            self.put(area.x, y, end, sign, self.theme.border_focus);
            let name_end = columns[0].saturating_sub(1);
            self.cut(
                area.x + 1,
                y,
                name_end,
                &text::one_line(name, 60),
                self.theme.dim,
            );
            match row {
                RatingRow::Label { .. } => {
                    for (x, id) in columns.iter().zip(&shown) {
                        self.rated_value(*x, area, row, *id);
                    }
                }
                RatingRow::Verdict { .. } => {
                    self.rated_verdict(columns[0], area, row);
                }
            }
        }
        if let Some(row) = asked.and_then(|asked| rows.get(asked)) {
            self.question(area.last(question), row);
        }
    }

    /// What is asked below a card: the meaning of the label, and of the ends of its scale.
    fn question(&mut self, area: Area, row: &RatingRow) {
        if area.height < 2 {
            return;
        }
        let end = area.right();
        self.rule(area.x, area.y, end, self.theme.border);
        let title = format!(" {} ", asked_words(row));
        self.cut(area.x + 1, area.y, end, &title, self.theme.dim);
        let room = usize::from(area.width.saturating_sub(2));
        let mut lines = match row {
            RatingRow::Label { about, .. } => text::folded(&text::one_line(about, 400), room, 3),
            RatingRow::Verdict { .. } => Vec::new(),
        };
        let steps = self.answers(row);
        lines.extend(text::folded(&steps, room, usize::from(area.height)));
        lines.extend(text::folded(&others_words(row), room, 2));
        for (line, y) in lines.iter().zip(area.y + 1..area.bottom()) {
            self.cut(area.x + 1, y, end, line, self.theme.text);
        }
    }

    /// A column for each label with a row for each response, what is asked above them, and the ends of
    /// the scale below.
    fn rating_strip(&mut self, drawer: Area, rows: &[RatingRow]) {
        self.wipe(drawer);
        let end = drawer.right();
        self.rule(drawer.x, drawer.y, end, self.theme.border_focus);
        let asked = rows.iter().position(is_asked);
        let row = asked.and_then(|asked| rows.get(asked));
        let about = match row {
            _ if self.is_seen_before() => "seen before, so not blind".to_owned(),
            Some(RatingRow::Label { about, name, .. }) if about.is_empty() => name.to_string(),
            Some(RatingRow::Label { about, .. }) => about.clone(),
            Some(RatingRow::Verdict { .. }) => "Who wins?".to_owned(),
            None => "your rating".to_owned(),
        };
        let about = format!(" {} ", text::one_line(&about, 400));
        self.cut(
            drawer.x + 1,
            drawer.y,
            end - 1,
            &about,
            self.theme.title_focus,
        );
        let widths: Vec<_> = rows.iter().map(column_width).collect();
        let name = |row: &RatingRow| match row {
            RatingRow::Label { name, .. } => text::one_line(name, 60),
            RatingRow::Verdict { .. } => WINNER.to_owned(),
        };
        let shown = self.shown_responses();
        let letters = shown.iter().map(|id| width(id.letter()) as u16).max();
        let from = drawer.x + 1 + letters.unwrap_or(0) + GAP;
        let room = end.saturating_sub(from);
        // The column that is asked about is in sight, however many there are.
        let needed =
            |from: usize, to: usize| -> u16 { widths[from..to].iter().map(|it| it + GAP).sum() };
        let last = asked.map_or(rows.len(), |asked| asked + 1);
        let first = (0..last)
            .find(|first| needed(*first, last) <= room)
            .unwrap_or(last.saturating_sub(1));
        for (id, y) in shown.iter().zip(drawer.y + 2..drawer.bottom()) {
            let style = bold(self.response_style(*id));
            self.put(drawer.x + 1, y, end, id.letter(), style);
        }
        let mut x = from;
        for (row, cells) in rows.iter().zip(&widths).skip(first) {
            if x + cells > end {
                break;
            }
            let style = if is_asked(row) {
                self.theme.strong
            } else {
                self.theme.dim
            };
            self.put_text(x, drawer.y + 1, end, &name(row), style);
            let area = Area::new(x, drawer.y + 2, *cells, 1);
            match row {
                RatingRow::Label { .. } => {
                    for (id, y) in shown.iter().zip(area.y..drawer.bottom()) {
                        self.rated_value(x, area.row(y), row, *id);
                    }
                }
                RatingRow::Verdict { .. } => self.rated_verdict(x, area, row),
            }
            x += cells + GAP;
        }
        let Some(row) = row else { return };
        let y = drawer.y + 2 + shown.len() as u16;
        if y >= drawer.bottom() {
            return;
        }
        let next = format!("{}  ", asked_words(row));
        let mut x = self.put(drawer.x + 1, y, end, &next, self.theme.dim);
        x = self.cut(x, y, end, &self.answers(row), self.theme.text);
        self.cut(x + GAP, y, end, &others_words(row), self.theme.dim);
    }

    /// Whether the labels of a sample that is judged blind were seen before.
    fn is_seen_before(&self) -> bool {
        self.review.mask(self.browser).hidden && self.review.is_seen(self.browser)
    }

    /// The responses in the panes, by their letters on the screen.
    fn shown_responses(&self) -> Vec<ResponseId> {
        let page = self.browser.page();
        let mut shown = page.map_or_else(Vec::new, |page| page.pair.to_vec());
        shown.dedup();
        shown
    }

    /// The reviewer's value for a response, the active one set off, with what the dataset says where
    /// that may be seen.
    fn rated_value(&mut self, x: u16, area: Area, row: &RatingRow, id: ResponseId) {
        let RatingRow::Label {
            own, given, asked, ..
        } = row
        else {
            return;
        };
        let at = id.index();
        let value = own.get(at).copied().flatten();
        let is_asked = *asked == Some(at);
        let words = match value {
            Some(value) => number(value),
            None if is_asked => "_".to_owned(),
            None => self.glyphs.separator.to_owned(),
        };
        let style = match (is_asked, value) {
            (true, _) => bold(self.theme.border_focus).patch(self.theme.cursor),
            (false, Some(_)) => self.theme.strong,
            (false, None) => self.theme.dim,
        };
        let x = self.put(x, area.y, area.right(), &words, style);
        if let Some(given) = given.get(at).copied().flatten() {
            let is_same = value.is_none_or(|value| value == given);
            let style = if is_same {
                self.theme.dim
            } else {
                self.theme.finding
            };
            self.put(
                x + 1,
                area.y,
                area.right(),
                &format!("({})", number(given)),
                style,
            );
        }
    }

    /// Who wins as the reviewer says, with what the dataset says where that may be seen.
    fn rated_verdict(&mut self, x: u16, area: Area, row: &RatingRow) {
        let RatingRow::Verdict {
            strengths,
            own,
            given,
            asked,
            derived,
            ..
        } = row
        else {
            return;
        };
        let (words, style) = match own {
            Some((verdict, strength)) => {
                let how = strength.and_then(|how| strengths.get(usize::from(how) - 1));
                let how = how.map(|how| format!(" {}", text::one_line(how, 24)));
                let words = verdict.letters() + &how.unwrap_or_default();
                (words, bold(self.theme.verdict(*verdict)))
            }
            None if *asked => ("_".to_owned(), Style::default()),
            None => (self.glyphs.separator.to_owned(), self.theme.dim),
        };
        let style = match asked {
            true => bold(self.theme.border_focus).patch(self.theme.cursor),
            false => style,
        };
        let end = area.right().max(x + words.len() as u16);
        let mut x = self.cut(x, area.y, end, &words, style);
        if own.is_some() && *derived {
            x = self.put(x + 1, area.y, area.right(), "by labels", self.theme.dim);
        }
        if let Some(given) = given {
            let is_same = own.is_none_or(|(own, _)| own.agrees_with(*given));
            let style = if is_same {
                self.theme.dim
            } else {
                self.theme.finding
            };
            let words = format!("({})", given.short_letters());
            self.put(x + 1, area.y, area.right(), &words, style);
        }
    }

    /// What can be answered: the ends of the scale, or each verdict with its digit.
    fn answers(&self, row: &RatingRow) -> String {
        match row {
            RatingRow::Label {
                range: [low, high],
                ends,
                ..
            } => match ends {
                Some([lowest, highest]) => {
                    let ellipsis = self.glyphs.ellipsis;
                    format!("{low} {lowest} {ellipsis} {high} {highest}")
                }
                None => format!("{low} to {high}"),
            },
            RatingRow::Verdict {
                responses,
                strengths,
                ..
            } => {
                let steps = steps(*responses, strengths);
                let steps = steps.iter().enumerate().map(|(at, words)| match at + 1 {
                    digit @ 1..10 => format!("{digit} {words}"),
                    _ => words.clone(),
                });
                steps.collect::<Vec<_>>().join("  ")
            }
        }
    }
}

/// What the next key is about: `coherence of A`.
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

/// What other reviewers say of the same.
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

/// Cells of a column of the strip: its name, or a value with the dataset's.
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

/// What can be said of who wins, in the order of the keys.
fn steps(responses: usize, strengths: &[String]) -> Vec<String> {
    let step = |(verdict, strength): (Verdict, Option<u8>)| {
        let how = strength.and_then(|strength| strengths.get(usize::from(strength) - 1));
        match how {
            Some(how) => format!("{} {}", verdict.letters(), text::one_line(how, 24)),
            None if responses > 2 => verdict.letters(),
            None => verdict.phrase(),
        }
    };
    let steps = verdict_steps(responses, strengths.len());
    steps.into_iter().map(step).collect()
}
