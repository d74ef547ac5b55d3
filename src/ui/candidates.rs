//! What an input line offers: completions, readings of a filter with the number of samples, and
//! lines typed before.

use super::Canvas;
use super::histogram::Histogram;
use super::row::Row;
use crate::app::{
    Action, Area, CANDIDATES, Chart, Context, InputLine, MatchCount, SUGGESTIONS, Suggestions,
};
use crate::text::{self, grouped};

/// Maximum width of a suggestion, and of its note, in cells.
const TEXT: usize = 60;
const NOTE: usize = 120;
/// Minimum width of a note beside a chart, in cells.
const MIN_NOTE: usize = 8;
/// Cells that a longer suggestion leaves to the meaning of a query.
const LEAST_NOTE: usize = 18;
/// Width of the bar of a share, and of one on a wide screen.
const BAR: usize = 12;
const WIDE_BAR: usize = 20;
/// Maximum rows of a message without suggestions.
const MESSAGE: usize = 3;
/// Screen width from which bars are wide.
const WIDE_FROM: u16 = 112;
/// Cells of a number of samples, and of a share.
const COUNT: usize = 9;
const SHARE: usize = 6;

impl Canvas<'_> {
    /// Draws the suggestions of a line in row `line`: below a line in the header, above a line in the
    /// last row.
    pub(super) fn suggestions(&mut self, prompt: &InputLine, list: &Suggestions, line: u16) {
        let (geometry, width) = (self.app.geometry(), self.app.layout.size.0);
        let is_below = self.is_in_header(prompt);
        let responses = geometry.a.y.max(geometry.b.y);
        let most = match is_below {
            true => usize::from(responses.saturating_sub(line + 1).max(3)),
            false => usize::from(line),
        };
        let rows = most.min(SUGGESTIONS).min(list.items.len()) as u16;
        let y = if is_below { line + 1 } else { line - rows };
        self.candidates(prompt, list, Area::new(0, y, width, rows));
    }

    /// Draws the error, the warning and the suggestions of a filter line into the rows below the
    /// header, or above the line in row `line` where there is no header.
    pub(super) fn beside_filter_line(&mut self, prompt: &InputLine, line: u16) {
        let (theme, filter) = (self.theme, &prompt.filter);
        let listed = prompt.suggestions.as_ref();
        // An unfinished text is no mistake: the list says how it goes on.
        let error = prompt.error.as_ref();
        let error = error.filter(|error| error.fix.is_some() || listed.is_none());
        let message = match (error, self.app.notice()) {
            (Some(error), _) => {
                // The cure comes first; it is never cut.
                let cure = error.fix.as_ref().map(|fix| {
                    let key = self.app.key_in(Context::Line, Action::Complete);
                    let takes = key
                        .map(|key| format!(" {key} takes it."))
                        .unwrap_or_default();
                    format!("Did you mean {fix}?{takes} ")
                });
                let reason = error
                    .message
                    .split("; did you mean")
                    .next()
                    .unwrap_or_default();
                Some((cure.unwrap_or_default() + &first_upper(reason), theme.error))
            }
            (None, Some(notice)) => Some((notice.to_owned(), theme.dim)),
            (None, None) => {
                (filter.warning.clone()).map(|words| (first_upper(&words), theme.warning))
            }
        };
        let width = self.app.layout.size.0;
        let room = usize::from(width.saturating_sub(3));
        let most = if listed.is_some() { 2 } else { MESSAGE };
        let folded = |(words, _): &(String, _)| text::folded(words, room, most);
        let lines = message.as_ref().map(folded).unwrap_or_default();
        let candidates = self.app.geometry().candidates;
        let area = if candidates.is_empty() {
            let items = listed.map_or(0, |list| list.items.len().min(CANDIDATES.into()));
            let rows = ((lines.len() + items) as u16).min(line);
            Area::new(0, line - rows, width, rows)
        } else {
            candidates
        };
        self.clear_area(area);
        self.tint(area, self.theme.popup);
        let mut rest = area;
        for words in lines {
            let mut row = self.begin_row(rest.top(1), theme.popup, false);
            row.skip(1);
            row.put(
                &words,
                message.as_ref().map_or(theme.text, |(_, style)| *style),
            );
            rest = rest.below(1);
        }
        if let Some(list) = listed {
            self.candidates(prompt, list, rest);
        }
    }

    /// Draws as many suggestions as there are rows, the chosen one among them.
    fn candidates(&mut self, prompt: &InputLine, list: &Suggestions, area: Area) {
        let (items, chosen, theme) = (&list.items, list.chosen, self.theme);
        let rows = usize::from(area.height).min(items.len());
        let top = chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(rows));
        let shown = items.iter().enumerate().skip(top).take(rows);
        let widest = |of: fn(&crate::query::Completion) -> &str| {
            let widths = shown
                .clone()
                .map(|(_, item)| text::width(of(item)).min(TEXT));
            widths.max().unwrap_or(0)
        };
        let charts: Vec<_> = shown
            .clone()
            .map(|(_, item)| self.app.chart_named(&item.text))
            .collect();
        let cells = |chart: &&Chart| usize::from(chart.narrow_slot()) * chart.bins.count();
        let bins = charts.iter().flatten().map(cells);
        let samples = self.app.data.dataset.samples();
        let mut columns = CandidateColumns {
            text: widest(|item| &item.text),
            note: widest(|item| &item.note),
            bins: bins.max().unwrap_or(0),
            bar: if area.width < WIDE_FROM {
                BAR
            } else {
                WIDE_BAR
            },
            count: match list.has_counts() {
                true => COUNT + SHARE,
                false => 0,
            },
            samples,
        };
        columns.fit(usize::from(area.width.saturating_sub(3)));
        for (((at, item), chart), y) in shown.zip(&charts).zip(area.y..) {
            let is_chosen = chosen == Some(at);
            let base = if is_chosen {
                theme.selection
            } else {
                theme.popup
            };
            self.clear_area(area.row(y));
            let mut row = self.begin_row(area.row(y), base, is_chosen);
            row.end = row.end.saturating_sub(1);
            // More follow, or come before.
            let is_last = usize::from(y - area.y) + 1 == rows;
            let sign = match () {
                () if is_last && at + 1 < items.len() => row.glyphs.below,
                () if y == area.y && top > 0 => row.glyphs.above,
                () => " ",
            };
            row.put(sign, theme.dim);
            // Values come from files and are not sanitised.
            let [words, note] =
                [(&item.text, TEXT), (&item.note, NOTE)].map(|(it, most)| text::one_line(it, most));
            row.column(columns.text, 2, |row| row.cut(&words, theme.text));
            if columns.bins > 0 {
                row.column(columns.bins, 2, |row| {
                    if let Some(chart) = chart {
                        row.histogram(&Histogram {
                            chart,
                            slot: chart.narrow_slot(),
                            own: None,
                            sides: [theme.side_a, theme.side_b],
                            is_swapped: false,
                            chosen: None,
                        });
                    }
                });
            }
            let count = prompt.count(at);
            if let Some(count) = count {
                row.count(count, &columns);
            }
            if count.is_some() || row.room() >= MIN_NOTE {
                row.cut(&note, theme.dim);
            }
        }
        if list.queries_are_unknown() && (1..items.len()).contains(&rows) {
            let counted = format!(" {}/{} ", chosen.map_or(0, |at| at + 1), items.len());
            let last = area.row(area.y + rows as u16 - 1);
            self.row(last).right(&counted, theme.popup.patch(theme.dim));
        }
    }
}

/// The widths of the columns of suggestions, in cells.
struct CandidateColumns {
    text: usize,
    note: usize,
    /// Columns of the chart; 0 without charts.
    bins: usize,
    /// The bar of a share; 0 if there is no room.
    bar: usize,
    /// A number of samples with its share; 0 without.
    count: usize,
    /// Number of samples, which is the whole bar.
    samples: usize,
}

impl CandidateColumns {
    /// Leaves out the bar, then shortens the text, so that text and note fit into `room`.
    fn fit(&mut self, room: usize) {
        let chart = if self.bins > 0 { self.bins + 2 } else { 0 };
        let room = room.saturating_sub(chart + self.count + 2);
        if self.text + self.note + self.bar + 2 > room {
            self.bar = 0;
        }
        let left = room.saturating_sub(self.note.min(LEAST_NOTE));
        self.text = self.text.min(left.max(room / 2));
    }
}

impl Row<'_> {
    /// Draws a number of samples with its share at the end of the row, and ends the row before it.
    /// A `+` follows a number that still grows.
    fn count(&mut self, count: MatchCount, columns: &CandidateColumns) {
        let (x, end) = (self.x, self.end);
        let part = count.samples as f64 / columns.samples.max(1) as f64;
        let sign = if count.is_final { " " } else { "+" };
        let share = match part {
            part if part > 0.0 && part < 0.01 => "<1 %".to_owned(),
            part if part > 0.99 && part < 1.0 => ">99 %".to_owned(),
            part => format!("{:.0} %", part * 100.0),
        };
        let share = format!("{share:>5}");
        let words = format!(
            "{:>width$}{sign}",
            grouped(count.samples),
            width = COUNT - 1
        );
        let bar = if columns.bar > 0 { columns.bar + 2 } else { 0 };
        let needed = COUNT + SHARE + bar;
        self.x = end.saturating_sub(needed as u16).max(x);
        let before = self.x;
        if columns.bar > 0 {
            self.bar(columns.bar, part, None, self.theme.progress);
            self.skip(2);
        }
        self.put(&words, self.theme.text);
        self.put(&share, self.theme.dim);
        (self.x, self.end) = (x, before.saturating_sub(1).max(x));
    }
}

/// Begins a sentence with an upper-case letter.
fn first_upper(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
