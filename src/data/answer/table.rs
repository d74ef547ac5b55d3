//! A table of an answer, as JSON, as text and as Markdown.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::text::{aligned, escape_markdown, one_line};

/// Maximum width of a cell of text, in terminal cells. Those of narrow columns are cut before.
const WIDEST: usize = 800;

/// A table: a row for each thing, the same in every form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerTable {
    columns: Vec<[&'static str; 2]>,
    rows: Vec<Vec<AnswerCell>>,
}

/// A column of a table of `T`: its key in JSON (empty if it is for readers only), its heading
/// (empty if it is for programs only), and the cell of a thing.
pub type AnswerColumn<T> = (&'static str, &'static str, fn(&T) -> AnswerCell);

/// A cell: the value for programs, and the words for readers (not sanitised).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerCell {
    /// The value in JSON.
    pub value: Value,
    /// The words in the other forms.
    pub words: String,
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
        Self { value, words }
    }
}

impl AnswerCell {
    /// Makes a cell of a value as it is in JSON; null if it cannot be serialised.
    pub fn of(value: impl Serialize) -> Self {
        serde_json::to_value(value).unwrap_or_default().into()
    }

    /// Makes a cell whose words are not its value.
    pub fn new(value: impl Into<Value>, words: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            words: words.into(),
        }
    }
}

impl AnswerTable {
    /// Makes a table with a row for each thing.
    pub fn of<T>(columns: &[AnswerColumn<T>], things: impl IntoIterator<Item = T>) -> Self {
        let row = |thing: T| columns.iter().map(|(.., cell)| cell(&thing)).collect();
        Self {
            columns: columns.iter().map(|(key, head, _)| [*key, *head]).collect(),
            rows: things.into_iter().map(row).collect(),
        }
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a list with an object for each row.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<AnswerCell>| -> Value {
            let members = self.columns.iter().zip(row);
            let members = members.filter(|([key, _], _)| !key.is_empty());
            let members = members.map(|([key, _], cell)| ((*key).to_owned(), cell.value.clone()));
            members.collect::<Map<_, _>>().into()
        };
        self.rows.iter().map(object).collect()
    }

    /// Returns the rows in aligned columns below their headings, a line each.
    pub fn text(&self) -> String {
        aligned(&self.lines(|words| one_line(words, WIDEST)), &[])
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let mut lines = self.lines(|words| escape_markdown(&one_line(words, WIDEST)));
        let rule = vec!["---".to_owned(); lines[0].len()];
        lines.insert(1, rule);
        let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
        lines.iter().map(line).collect()
    }

    /// Returns the headings, then the words of each row, without columns for programs only.
    fn lines(&self, written: impl Fn(&str) -> String) -> Vec<Vec<String>> {
        let is_read = |at: &usize| !self.columns[*at][1].is_empty();
        let read: Vec<_> = (0..self.columns.len()).filter(is_read).collect();
        let heads = read.iter().map(|at| self.columns[*at][1].to_owned());
        let words =
            |row: &Vec<AnswerCell>| read.iter().map(|at| written(&row[*at].words)).collect();
        let mut lines = vec![heads.collect()];
        lines.extend(self.rows.iter().map(words));
        lines
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_is_the_same_in_every_form() {
        let columns: [AnswerColumn<(&str, u32)>; 4] = [
            ("name", "who", |it| it.0.into()),
            ("n", "", |it| it.1.into()),
            ("", "times", |it| AnswerCell::new((), format!("{}×", it.1))),
            ("of", "of", |_| AnswerCell::default()),
        ];
        let table = AnswerTable::of(&columns, [("a|b\u{1b}", 2), ("ben", 10)]);
        assert_eq!(
            table.json(),
            json!([{"name": "a|b\u{1b}", "n": 2, "of": null}, {"name": "ben", "n": 10, "of": null}])
        );
        assert_eq!(table.text(), "who   times  of\na|b␛  2×\nben   10×\n");
        assert_eq!(
            table.markdown(),
            "| who | times | of |\n| --- | --- | --- |\n| a\\|b␛ | 2× |  |\n| ben | 10× |  |\n"
        );
        assert!(!table.is_empty());
        assert!(AnswerTable::of(&columns, []).is_empty());
    }
}
