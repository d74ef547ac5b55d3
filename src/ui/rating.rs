//! The rating strip: a drawer at the bottom with a row for each question.

use ratatui::style::Style;

use super::Canvas;
use super::row::Row;
use crate::app::{Action, KeyHints, RatingAction, RatingRow, step_words, verdict_steps};
use crate::model::{ResponseId, Verdict};
use crate::text::{self, number};

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
/// Cells of the longest name that is shown whole.
const NAME: usize = 16;
/// Columns of a screen below which seven answers have no room beside a long name.
const NARROW: u16 = 72;
/// Cells of what the dataset says of who wins: `data A`.
const DATA: usize = 6;
/// What shows of a side's value, the roomiest first: its cells, whether with a bar, and the words
/// around what the dataset says.
const CELLS: &[ValueCell] = &[
    ValueCell::new(24, true, Some([" data ", ""])),
    ValueCell::new(18, true, Some([" (", ")"])),
    ValueCell::new(12, false, Some([" (", ")"])),
    ValueCell::new(6, false, None),
];
/// As many where the dataset says nothing of it.
const BARE_CELLS: &[ValueCell] = &[
    ValueCell::new(13, true, None),
    ValueCell::new(6, false, None),
];

/// How a side's value is shown.
struct ValueCell {
    cells: usize,
    has_bar: bool,
    given: Option<[&'static str; 2]>,
}

impl ValueCell {
    const fn new(cells: usize, has_bar: bool, given: Option<[&'static str; 2]>) -> Self {
        Self {
            cells,
            has_bar,
            given,
        }
    }
}

impl Canvas<'_> {
    pub fn rating(&mut self) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let Self { theme, glyphs, .. } = *self;
        let is_seen = self.review.mask(self.browser).hidden && self.review.is_seen(self.browser);
        let rows = self.review.rate_rows(self.browser, self.views);
        let height = usize::from(drawer.height.saturating_sub(1));
        let asked = rows.iter().position(is_asked).unwrap_or(0);
        let separator = glyphs.separator;
        let about = match rows.get(asked) {
            Some(RatingRow::Label { about, .. }) if !about.is_empty() => {
                format!("{separator} {about} ")
            }
            _ => String::new(),
        };
        let mut row = self.begin_drawer(drawer, " your rating ");
        if is_seen {
            let words = format!("{separator} seen before, so not blind ");
            row.put(&words, theme.finding);
        }
        row.end = row.end.saturating_sub(1);
        row.cut(&text::one_line(&about, 400), theme.dim);
        let top = (asked + 1).saturating_sub(height);
        for (question, y) in rows.iter().skip(top).take(height).zip(drawer.y + 1..) {
            let mut row = self.begin_row(drawer.row(y), Style::default(), is_asked(question));
            let others: Vec<_> = match question {
                RatingRow::Label { others, .. } => {
                    row.label_question(question);
                    let value = |value: &Option<f64>| value.map_or("–".into(), number);
                    let words = others.iter().map(|(name, values)| {
                        let values: Vec<String> = values.iter().map(value).collect();
                        format!("{} {}", text::one_line(name, OTHER), values.join(" "))
                    });
                    words.collect()
                }
                RatingRow::Verdict { others, .. } => {
                    row.verdict_question(question, drawer.width);
                    let words = others.iter().map(|(name, said)| {
                        format!("{} {}", text::one_line(name, OTHER), said.letters())
                    });
                    words.collect()
                }
            };
            // What other reviewers said, behind one's own.
            row.skip(2);
            row.cut(&others.join(&format!(" {separator} ")), theme.dim);
        }
    }
}

impl Row<'_> {
    fn question_name(&mut self, name: &str, most: usize, asked: bool) {
        let theme = self.theme;
        let cells = most.min((self.room() + 1) / 4);
        let style = if asked { theme.strong } else { theme.dim };
        self.skip(1);
        self.column(cells, |row| row.cut(&text::one_line(name, 60), style));
    }

    fn label_question(&mut self, row: &RatingRow) {
        let RatingRow::Label {
            name,
            range,
            own,
            given,
            asked,
            ..
        } = row
        else {
            return;
        };
        let theme = self.theme;
        self.question_name(name, NAME, asked.is_some());
        let shows_given = given.iter().any(Option::is_some);
        // One side is never shown without the other: they say less before that.
        let cells = if shows_given { CELLS } else { BARE_CELLS };
        let both = own.len().min(2);
        let room = self.room();
        let fits = |cell: &&ValueCell| cell.cells * both <= room + 1;
        let Some(cell) = cells.iter().find(fits).or(cells.last()) else {
            return;
        };
        // The one that is asked about is in sight, however many there are.
        let fitting = (room / cell.cells).max(both);
        let from = asked.map_or(0, |asked| (asked + 1).saturating_sub(fitting));
        for (at, value) in own.iter().enumerate().skip(from).take(fitting) {
            let response = ResponseId::new(at);
            let letter = response.filter(|_| own.len() > 1);
            let letter = letter.map_or(" ", ResponseId::letter);
            let style = response.map_or(theme.dim, |response| theme.response(response));
            let given = given.get(at).copied().flatten();
            let behind = self.x + cell.cells as u16;
            self.put(letter, style);
            self.skip(1);
            if cell.has_bar {
                self.value_bar(*value, *range);
                self.skip(1);
            }
            self.value(*value, *asked == Some(at));
            if let Some((given, [before, behind])) = given.zip(cell.given) {
                let is_other = value.is_some_and(|value| value != given);
                let style = if is_other { theme.finding } else { theme.dim };
                self.put(&format!("{before}{}{behind}", number(given)), style);
            }
            self.x = behind;
        }
        if asked.is_some() {
            self.skip(1);
            self.put(&format!("{} to {}", range[0], range[1]), theme.faint);
        }
    }

    fn value_bar(&mut self, value: Option<f64>, [low, high]: [i64; 2]) {
        let of = (high - low).clamp(1, 9) as u32;
        let full = value.map_or(0, |value| {
            (value - low as f64).clamp(0.0, f64::from(of)) as u32
        });
        self.bar(full, of);
    }

    /// A number, or an empty place for one.
    fn value(&mut self, value: Option<f64>, here: bool) {
        let theme = self.theme;
        let words = value.map_or_else(|| "_".to_owned(), number);
        let style = match (here, value.is_some()) {
            (true, _) => theme.strong.patch(theme.cursor),
            (false, true) => theme.strong,
            (false, false) => theme.faint,
        };
        self.put(&words, style);
    }

    fn verdict_question(&mut self, row: &RatingRow, width: u16) {
        let RatingRow::Verdict {
            responses,
            strengths,
            own,
            derived,
            given,
            asked,
            ..
        } = row
        else {
            return;
        };
        const WHO_WINS: &str = "who wins";
        let most = if width < NARROW { WHO_WINS.len() } else { NAME };
        self.question_name(WHO_WINS, most, *asked);
        let steps = steps(*responses, strengths);
        let keys = if *asked { 2 } else { 0 };
        let width = |steps: &[(String, Verdict, Option<u8>)], gap: usize| {
            let widths = steps.iter().map(|step| text::width(&step.0) + gap + keys);
            widths.sum::<usize>()
        };
        // Where words for how strongly do not fit, signs stand for them: A++ A+ tie B+ B++.
        let steps = match width(&steps, 2) > self.room() {
            true => signs(&steps),
            false => steps,
        };
        // What the data says comes behind them.
        let behind = if given.is_some() { DATA } else { 0 };
        let gap = match width(&steps, 2) + behind > self.room() {
            true => 1,
            false => 2,
        };
        let theme = self.theme;
        for (at, (words, verdict, strength)) in steps.iter().enumerate() {
            let is_own = own.is_some_and(|(own, how)| {
                own == *verdict && (how == *strength || *verdict == Verdict::Tie)
            });
            // Without a word for how strongly, the mildest stands for it.
            let unsaid = own == &Some((*verdict, None)) && *strength == Some(1);
            let style = match is_own || unsaid {
                true => theme.verdict(*verdict).patch(theme.selection),
                false => theme.dim,
            };
            // A second digit would be an answer of its own.
            let key = match at + 1 {
                digit @ 1..10 if *asked => format!("{digit} "),
                _ => String::new(),
            };
            if text::width(&key) + text::width(words) + 1 > self.room() {
                break;
            }
            self.put(&key, theme.faint);
            self.put(words, style);
            self.skip(gap);
        }
        if own.is_some() && *derived {
            self.put("by your labels", theme.faint);
            self.skip(2);
        }
        if let Some(given) = given {
            let is_other = own.is_some_and(|(own, _)| !own.agrees_with(*given));
            let style = if is_other { theme.finding } else { theme.dim };
            self.put(&format!("data {}", given.short_letters()), style);
        }
    }
}

fn is_asked(row: &RatingRow) -> bool {
    match row {
        RatingRow::Label { asked, .. } => asked.is_some(),
        RatingRow::Verdict { asked, .. } => *asked,
    }
}

/// The steps spelled short: the letter of the winner with one `+` for each degree of strength.
fn signs(steps: &[(String, Verdict, Option<u8>)]) -> Vec<(String, Verdict, Option<u8>)> {
    let sign = |(_, verdict, strength): &(String, Verdict, Option<u8>)| {
        let degrees = "+".repeat(usize::from(strength.unwrap_or(0)));
        (verdict.letters() + &degrees, *verdict, *strength)
    };
    steps.iter().map(sign).collect()
}

/// What can be said of who wins: what it is called, and what it means. The order is that of the keys.
fn steps(responses: usize, strengths: &[String]) -> Vec<(String, Verdict, Option<u8>)> {
    let step =
        |step: (Verdict, Option<u8>)| (step_words(step, strengths, responses), step.0, step.1);
    let steps = verdict_steps(responses, strengths.len());
    steps.into_iter().map(step).collect()
}
