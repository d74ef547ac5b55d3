//! The rating strip: a drawer at the bottom with a row for each question.

use super::Canvas;
use crate::app::{Action, Area, KeyHints, RatingAction, RatingRow, verdict_steps};
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
    cells: u16,
    has_bar: bool,
    given: Option<[&'static str; 2]>,
}

impl ValueCell {
    const fn new(cells: u16, has_bar: bool, given: Option<[&'static str; 2]>) -> Self {
        Self {
            cells,
            has_bar,
            given,
        }
    }
}

impl Canvas<'_> {
    pub(super) fn rating(&mut self) {
        let drawer = self.browser.geometry().drawer;
        if drawer.is_empty() {
            return;
        }
        let end = drawer.right();
        let mut x = self.begin_drawer(drawer, " your rating ");
        if self.review.mask(self.browser).hidden && self.review.is_seen(self.browser) {
            let (words, finding) = (
                format!("{} seen before, so not blind ", self.glyphs.separator),
                self.theme.finding,
            );
            x = self.put(x, drawer.y, end, &words, finding);
        }
        let rows = self.review.rate_rows(self.browser, self.views);
        let height = usize::from(drawer.height.saturating_sub(1));
        let asked = rows.iter().position(is_asked).unwrap_or(0);
        let about = match rows.get(asked) {
            Some(RatingRow::Label { about, .. }) if !about.is_empty() => {
                format!("{} {about} ", self.glyphs.separator)
            }
            _ => String::new(),
        };
        self.cut(
            x,
            drawer.y,
            end.saturating_sub(1),
            &text::one_line(&about, 400),
            self.theme.dim,
        );
        let top = (asked + 1).saturating_sub(height);
        for (row, y) in rows.iter().skip(top).take(height).zip(drawer.y + 1..) {
            let area = drawer.row(y);
            match row {
                RatingRow::Label {
                    name,
                    range,
                    own,
                    given,
                    asked,
                    others,
                    ..
                } => {
                    let x = self.label_row(area, name, *range, [own, given], *asked);
                    let each = others.iter().map(|(name, values)| {
                        let values = values.iter().map(|value| value.map_or("–".into(), number));
                        let values: Vec<String> = values.collect();
                        format!("{} {}", text::one_line(name, OTHER), values.join(" "))
                    });
                    self.others(area, x, &each.collect::<Vec<_>>());
                }
                RatingRow::Verdict { .. } => self.verdict_row(area, row),
            }
        }
    }

    fn row_name(&mut self, area: Area, name: &str, most: usize, asked: bool) -> u16 {
        let end = area.right();
        let (strong, dim) = (self.theme.strong, self.theme.dim);
        let sign = if asked { self.glyphs.selected } else { " " };
        self.put(area.x, area.y, end, sign, strong);
        let room = most.min(usize::from(area.width) / 4);
        let style = if asked { strong } else { dim };
        self.cut(
            area.x + 2,
            area.y,
            area.x + 2 + room as u16,
            &text::one_line(name, 60),
            style,
        );
        area.x + 3 + room as u16
    }

    fn label_row(
        &mut self,
        area: Area,
        name: &str,
        range: [i64; 2],
        values: [&[Option<f64>]; 2],
        asked: Option<usize>,
    ) -> u16 {
        let end = area.right();
        let mut x = self.row_name(area, name, NAME, asked.is_some());
        let [own, given] = values;
        let shows_given = given.iter().any(Option::is_some);
        // One side is never shown without the other: they say less before that.
        let cells = if shows_given { CELLS } else { BARE_CELLS };
        let both = own.len().min(2) as u16;
        let room = end.saturating_sub(x);
        let fits = |cell: &&ValueCell| cell.cells * both <= room + 1;
        let Some(cell) = cells.iter().find(fits).or(cells.last()) else {
            return x;
        };
        // The one that is asked about is in sight, however many there are.
        let fitting = usize::from(room / cell.cells).max(usize::from(both));
        let from = asked.map_or(0, |asked| (asked + 1).saturating_sub(fitting));
        for (at, value) in own.iter().enumerate().skip(from).take(fitting) {
            let here = asked == Some(at);
            let letter = match ResponseId::new(at).filter(|_| own.len() > 1) {
                Some(response) => response.letter(),
                None => " ",
            };
            let style = ResponseId::new(at).map(|response| self.theme.response(response));
            let from = x;
            x = self.put(x, area.y, end, letter, style.unwrap_or(self.theme.dim)) + 1;
            if cell.has_bar {
                x = self.value_bar(x, area.y, end, *value, range) + 1;
            }
            x = self.value(x, area.y, end, *value, here);
            let given = given.get(at).copied().flatten();
            if let Some((given, [before, behind])) = given.zip(cell.given) {
                let same = *value == Some(given);
                let words = format!("{before}{}{behind}", number(given));
                let style = if same || value.is_none() {
                    self.theme.dim
                } else {
                    self.theme.finding
                };
                self.put(x, area.y, end, &words, style);
            }
            x = from + cell.cells;
        }
        if asked.is_some() {
            let words = format!("{} to {}", range[0], range[1]);
            x = self.put(x + 1, area.y, end, &words, self.theme.faint);
        }
        x
    }

    /// What other reviewers said, behind one's own.
    fn others(&mut self, area: Area, x: u16, each: &[String]) {
        let (end, dim) = (area.right(), self.theme.dim);
        if !each.is_empty() {
            let separator = format!(" {} ", self.glyphs.separator);
            self.cut(x + 2, area.y, end, &each.join(&separator), dim);
        }
    }

    fn value_bar(
        &mut self,
        x: u16,
        y: u16,
        end: u16,
        value: Option<f64>,
        [low, high]: [i64; 2],
    ) -> u16 {
        let of = (high - low).clamp(1, 9) as u32;
        let full = value.map_or(0, |value| {
            (value - low as f64).clamp(0.0, f64::from(of)) as u32
        });
        self.bar(x, y, end, full, of)
    }

    /// A number, or an empty place for one.
    fn value(&mut self, x: u16, y: u16, end: u16, value: Option<f64>, here: bool) -> u16 {
        let theme = self.theme;
        let words = value.map_or_else(|| "_".to_owned(), number);
        let style = match (here, value.is_some()) {
            (true, _) => theme.strong.patch(theme.cursor),
            (false, true) => theme.strong,
            (false, false) => theme.faint,
        };
        self.put(x, y, end, &words, style)
    }

    fn verdict_row(&mut self, area: Area, row: &RatingRow) {
        let RatingRow::Verdict {
            responses,
            strengths,
            own,
            derived,
            given,
            asked,
            others,
        } = row
        else {
            return;
        };
        let end = area.right();
        const WHO_WINS: &str = "who wins";
        let most = if area.width < NARROW {
            WHO_WINS.len()
        } else {
            NAME
        };
        let mut x = self.row_name(area, WHO_WINS, most, *asked);
        let steps = steps(*responses, strengths);
        let keys = if *asked { 2 } else { 0 };
        let width = |steps: &[(String, Verdict, Option<u8>)], gap: usize| {
            let widths = steps.iter().map(|step| text::width(&step.0) + gap + keys);
            widths.sum::<usize>()
        };
        let room = usize::from(end.saturating_sub(x));
        // Where words for how strongly do not fit, signs stand for them: A++ A+ tie B+ B++.
        let steps = if width(&steps, 2) > room {
            signs(&steps)
        } else {
            steps
        };
        // What the data says comes behind them.
        let behind = if given.is_some() { DATA } else { 0 };
        let gap: u16 = match width(&steps, 2) + behind > room {
            true => 1,
            false => 2,
        };
        let theme = self.theme;
        let (faint, dim, chosen, finding) =
            (theme.faint, theme.dim, theme.selection, theme.finding);
        for (at, (words, verdict, strength)) in steps.iter().enumerate() {
            let is_own = own.is_some_and(|(own, how)| {
                own == *verdict && (how == *strength || *verdict == Verdict::Tie)
            });
            // Without a word for how strongly, the mildest stands for it.
            let unsaid = own == &Some((*verdict, None)) && *strength == Some(1);
            let style = if is_own || unsaid {
                self.theme.verdict(*verdict).patch(chosen)
            } else {
                dim
            };
            // A second digit would be an answer of its own.
            let key = match at + 1 {
                digit @ 1..10 if *asked => format!("{digit} "),
                _ => String::new(),
            };
            if usize::from(x) + text::width(&key) + text::width(words) + 1 > usize::from(end) {
                break;
            }
            x = self.put(x, area.y, end, &key, faint);
            x = self.put(x, area.y, end, words, style) + gap;
        }
        if own.is_some() && *derived {
            x = self.put(x, area.y, end, "by your labels", faint) + 2;
        }
        if let Some(given) = given {
            let same = own.is_some_and(|(own, _)| own.agrees_with(*given));
            let words = format!("data {}", given.short_letters());
            let style = if same || own.is_none() { dim } else { finding };
            x = self.put(x, area.y, end, &words, style);
        }
        let each = others
            .iter()
            .map(|(name, said)| format!("{} {}", text::one_line(name, OTHER), said.letters()));
        self.others(area, x, &each.collect::<Vec<_>>());
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
    let step = |(verdict, strength): (Verdict, Option<u8>)| {
        let how = strength.and_then(|strength| strengths.get(usize::from(strength) - 1));
        let words = match how {
            Some(how) => format!("{} {}", verdict.letters(), text::one_line(how, 24)),
            None if responses > 2 => verdict.letters(),
            None => verdict.phrase(),
        };
        (words, verdict, strength)
    };
    let steps = verdict_steps(responses, strengths.len());
    steps.into_iter().map(step).collect()
}
