//! A table of an answer, as JSON, in Markdown and laid out for a width.

use std::borrow::Borrow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::document::LaidAnswer;
use crate::stats::{Figure, Interval, Undefined};
use crate::text::{
    BAR_CELLS, MarkdownTable, StyledText, TextGlyphs, TextStyle, bar, escape_markdown, lay_table,
    one_line, two_decimals,
};

/// Maximum width of words in a cell, in terminal cells.
const WIDEST: usize = 800;
/// Most rows that a reason for missing figures names.
const MAX_NAMED: usize = 10;
/// Words of a cell without a figure.
const NONE: &str = "n/a";

/// A table: a row for each thing, the same in every form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerTable {
    /// The key of each column in JSON.
    keys: Vec<&'static str>,
    /// The heading of each column, in Markdown.
    heads: Vec<String>,
    rows: Vec<Vec<AnswerCell>>,
}

/// A column of a table of `T`: its key in JSON (empty if it is for readers only), its heading
/// (empty if it is for programs only), and the cell of a thing.
pub type AnswerColumn<T> = (&'static str, &'static str, fn(&T) -> AnswerCell);

/// A cell: the value for programs, and the words for readers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerCell {
    /// The value in JSON.
    pub value: Value,
    /// The words in the other forms, in Markdown.
    pub words: String,
    /// Whether it is a number or a figure.
    is_number: bool,
    /// Why there is no figure, for a line below the table.
    why: Option<String>,
    /// The query for its samples, or why there is none.
    query: Option<Result<String, String>>,
}

impl<T: Into<Value>> From<T> for AnswerCell {
    /// Makes a cell whose words are its value.
    fn from(value: T) -> Self {
        let value = value.into();
        let words = match &value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        Self {
            is_number: value.is_number(),
            ..Self::new(value, words)
        }
    }
}

impl AnswerCell {
    /// Makes a cell of a value as it is in JSON; null if it cannot be serialised.
    pub fn of(value: impl Serialize) -> Self {
        serde_json::to_value(value).unwrap_or_default().into()
    }

    /// Makes a cell whose words (not sanitised) are not its value.
    pub fn new(value: impl Into<Value>, words: impl AsRef<str>) -> Self {
        Self {
            value: value.into(),
            words: escape_markdown(&one_line(words.as_ref(), WIDEST)),
            ..Self::default()
        }
    }

    /// Makes a cell of words in Markdown of our own, for readers only.
    pub fn markdown(words: impl Into<String>) -> Self {
        Self {
            words: words.into(),
            ..Self::default()
        }
    }

    /// Makes a cell of a number in these words, for readers only.
    pub fn number(words: impl Into<String>) -> Self {
        Self {
            is_number: true,
            ..Self::markdown(words)
        }
    }

    /// Makes a cell of a number with two decimals, or of the reason why there is none.
    pub fn figure(value: Result<f64, Undefined>) -> Self {
        value.map_or_else(
            |why| Self::missing(&why),
            |value| Self::number(two_decimals(value)),
        )
    }

    /// Makes a cell of a bar for a share, 0 to 1, with its interval; empty if the share is missing.
    pub fn bar(share: Result<f64, Undefined>, interval: Option<[f64; 2]>) -> Self {
        let bar = |share| {
            format!(
                "`{}`",
                bar(share, interval.unwrap_or([share; 2]), None, BAR_CELLS)
            )
        };
        Self::markdown(share.map_or(String::new(), bar))
    }

    /// Makes a cell without a number, for this reason.
    pub fn missing(why: &impl ToString) -> Self {
        Self {
            why: Some(why.to_string()),
            ..Self::number(NONE)
        }
    }

    /// Makes a cell of the 95 % interval of a figure. Without the figure, no reason is given.
    pub fn interval(figure: &Figure) -> Self {
        match figure.interval {
            Some(Ok(Interval { low, high })) => {
                let between = if low < 0.0 { " to " } else { "–" };
                Self::number([two_decimals(low), two_decimals(high)].join(between))
            }
            Some(Err(why)) if figure.value.is_ok() => Self::missing(&format!("95 % {why}")),
            _ => Self::number(NONE),
        }
    }

    /// Adds the query for its samples, or why there is none; `None` if it leads nowhere.
    #[must_use]
    pub fn found_by(self, query: Option<Result<String, String>>) -> Self {
        Self { query, ..self }
    }
}

impl AnswerTable {
    /// Makes a table with a row for each thing.
    pub fn of<T>(
        columns: &[AnswerColumn<T>],
        things: impl IntoIterator<Item = impl Borrow<T>>,
    ) -> Self {
        let cells = |thing: &T| columns.iter().map(|(.., cell)| cell(thing)).collect();
        Self {
            keys: columns.iter().map(|(key, ..)| *key).collect(),
            heads: columns
                .iter()
                .map(|(_, head, _)| (*head).to_owned())
                .collect(),
            rows: (things.into_iter())
                .map(|thing| cells(thing.borrow()))
                .collect(),
        }
    }

    /// Makes a table for readers with these headings in Markdown.
    pub fn with_heads(heads: &[impl ToString], rows: Vec<Vec<AnswerCell>>) -> Self {
        Self {
            keys: vec![""; heads.len()],
            heads: heads.iter().map(ToString::to_string).collect(),
            rows,
        }
    }

    /// Makes a table of one in Markdown.
    pub fn of_markdown(MarkdownTable { rows, numbers }: MarkdownTable) -> Self {
        let mut rows = rows.into_iter();
        let heads = rows.next().unwrap_or_default();
        let cell = |(words, is_number): (String, &bool)| AnswerCell {
            is_number: *is_number,
            ..AnswerCell::markdown(words)
        };
        let row = |row: Vec<String>| {
            let mut cells: Vec<_> = row.into_iter().zip(&numbers).map(cell).collect();
            cells.resize(heads.len(), AnswerCell::default());
            cells
        };
        Self::with_heads(&heads, rows.map(row).collect())
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a list with an object for each row.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<AnswerCell>| -> Value {
            let members = self.keys.iter().zip(row);
            let members = members.filter(|(key, _)| !key.is_empty());
            let members = members.map(|(key, cell)| ((*key).to_owned(), cell.value.clone()));
            members.collect::<Map<_, _>>().into()
        };
        self.rows.iter().map(object).collect()
    }

    /// Returns the table in Markdown, with the reasons for missing figures below it.
    pub fn markdown(&self) -> String {
        let (rows, numbers) = self.written();
        // In a table, a bar ends a cell even within code.
        let cell = |cell: &String| cell.replace("\\|", "|").replace('|', "\\|");
        let line = |cells: Vec<String>| {
            let cells: Vec<_> = cells.iter().map(cell).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = numbers.iter().map(|it| if *it { "---:" } else { "---" });
        let mut lines = rows.into_iter().map(line);
        let head = lines.next().unwrap_or_default();
        head + &line(rule.map(str::to_owned).collect())
            + &lines.collect::<String>()
            + &self.reasons()
    }

    /// Appends the table to an answer, for `room` terminal cells.
    pub(super) fn lay(&self, room: usize, glyphs: TextGlyphs, laid: &mut LaidAnswer) {
        let (rows, numbers) = self.written();
        let shown = self.read();
        let of = lay_table(&rows, &numbers, room, glyphs);
        let start = laid.text.add(&of.text, TextStyle::NONE).start;
        // A list has no row of headings.
        let headless = of.cells.len() - self.rows.len();
        for (row, cells) in self.rows.iter().zip(&of.cells[headless..]) {
            let read = shown.iter().map(|at| &row[*at].query).zip(cells);
            laid.spots.extend(read.filter_map(|(query, cell)| {
                Some((start + cell.start..start + cell.end, query.clone()?))
            }));
        }
        let reasons = StyledText::document(&self.reasons(), glyphs);
        laid.text.add(&reasons, TextStyle::NONE);
    }

    /// Returns the columns for readers: without those for programs, and of theirs without empty ones.
    fn read(&self) -> Vec<usize> {
        let is_read = |at: &usize| match (self.keys[*at], &*self.heads[*at]) {
            ("", _) => self.rows.iter().any(|row| !row[*at].words.is_empty()),
            (_, head) => !head.is_empty(),
        };
        (0..self.heads.len()).filter(is_read).collect()
    }

    /// Returns the headings and the words of each row for readers, and which columns are numbers.
    fn written(&self) -> (Vec<Vec<String>>, Vec<bool>) {
        let read = self.read();
        let of_row = |row: &Vec<AnswerCell>| read.iter().map(|at| row[*at].words.clone()).collect();
        let heads = read.iter().map(|at| self.heads[*at].clone()).collect();
        let is_number = |at: &usize| {
            let cells = self.rows.iter().map(|row| &row[*at]);
            let mut written = cells.filter(|cell| !cell.words.is_empty()).peekable();
            written.peek().is_some() && written.all(|cell| cell.is_number)
        };
        let rows = [heads].into_iter().chain(self.rows.iter().map(of_row));
        (rows.collect(), read.iter().map(is_number).collect())
    }

    /// Returns the reasons for missing figures, with the rows of each, as a list.
    fn reasons(&self) -> String {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for row in &self.rows {
            let names = row
                .iter()
                .filter(|cell| !cell.is_number && !cell.words.is_empty());
            let mut names = names.map(|cell| &*cell.words);
            let first = names.next().unwrap_or_default();
            let others: Vec<_> = names.collect();
            let name = match &*others {
                [] => first.to_owned(),
                others => format!("{first} ({})", others.join(", ")),
            };
            for why in row.iter().filter_map(|cell| cell.why.as_deref()) {
                match reasons.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, rows)) if rows.last() == Some(&name) => {}
                    Some((_, rows)) => rows.push(name.clone()),
                    None => reasons.push((why, vec![name.clone()])),
                }
            }
        }
        let line = |(why, rows): &(&str, Vec<String>)| {
            let more = match rows.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named: Vec<_> = rows.iter().take(MAX_NAMED).map(|row| &**row).collect();
            format!("- {why}: for {}{more}\n", named.join(", "))
        };
        let lines: String = reasons.iter().map(line).collect();
        if lines.is_empty() {
            lines
        } else {
            format!("\n{lines}")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_is_the_same_in_every_form() {
        let columns: [AnswerColumn<(&str, u32)>; 5] = [
            ("name", "who", |it| it.0.into()),
            ("n", "", |it| it.1.into()),
            ("", "times", |it| AnswerCell::new((), format!("{}×", it.1))),
            ("", "κ", |it| {
                AnswerCell::figure(Err(Undefined::Nothing)).found_by(Some(Ok(it.0.to_owned())))
            }),
            ("of", "of", |_| AnswerCell::default()),
        ];
        let table = AnswerTable::of(&columns, [("a|b\u{1b}", 2), ("ben", 10)]);
        assert_eq!(
            table.json(),
            json!([{"name": "a|b\u{1b}", "n": 2, "of": null}, {"name": "ben", "n": 10, "of": null}])
        );
        assert_eq!(
            table.clone().text(),
            "who   times    κ  of\na|b␛  2×     n/a\nben   10×    n/a\n\n\
             - n/a: nothing to compare: for a|b␛ (2×), ben (10×)\n"
        );
        assert_eq!(
            table.markdown(),
            "| who | times | κ | of |\n| --- | --- | ---: | --- |\n| a\\|b␛ | 2× | n/a |  |\n\
             | ben | 10× | n/a |  |\n\n- n/a: nothing to compare: for a\\|b␛ (2×), ben (10×)\n"
        );
        let mut laid = LaidAnswer::default();
        table.lay(10, TextGlyphs::UNICODE, &mut laid);
        assert!(
            laid.text
                .text()
                .starts_with("- who: a|b␛\n  times: 2×\n  κ: n/a\n")
        );
        assert_eq!(laid.spots.len(), 2);
        for (range, _) in laid.spots {
            assert_eq!(&laid.text.text()[range], "n/a");
        }
        assert!(!table.is_empty());
        assert!(AnswerTable::of(&columns, [("", 0); 0]).is_empty());
    }
}
