//! Places of rows, as shown to reviewers and programs.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use crate::dataset::{Dataset, RowPlace};
use crate::model::ResponseId;

/// A row in a file, shown as `file:line`, or as `file row 3` if the file is not made of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePlace<'d> {
    /// Name of the file, as given by the user.
    pub file: &'d str,
    /// Its row there, from 1.
    pub row: u64,
    /// The physical line of the row, from 1; `None` if the file is not made of lines.
    pub line: Option<u64>,
}

impl<'d> FilePlace<'d> {
    /// Describes the place of a row.
    pub fn of(dataset: &'d Dataset, place: &RowPlace) -> Self {
        let file = dataset.files().get(place.file);
        Self {
            file: file.map_or("", |file| file.source.name()),
            row: place.row,
            line: (place.unit == "line").then_some(place.line),
        }
    }

    /// Returns the first row of a sample (counted from 0) if it exists.
    pub fn of_sample(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        let row = dataset.sample_rows(sample)?.first();
        Some(Self::of(dataset, &dataset.place(row)?))
    }

    /// Returns the row of a response, or the row that all responses share. `sample` counts from 0;
    /// `None` if it does not exist.
    pub fn of_response(dataset: &'d Dataset, sample: usize, response: ResponseId) -> Option<Self> {
        let row = dataset.sample_rows(sample)?.of_response(response.index());
        Some(Self::of(dataset, &dataset.place(row)?))
    }

    /// Converts to JSON: `file`, `row` and `line`, null if unknown.
    pub fn as_json(place: Option<&Self>) -> Value {
        json!({
            "file": place.map(|place| place.file),
            "row": place.map(|place| place.row),
            "line": place.and_then(|place| place.line),
        })
    }

    /// Formats the place without its file.
    pub fn within_file(&self) -> String {
        match self.line {
            Some(line) => format!("line {line}"),
            None => format!("row {}", self.row),
        }
    }

    /// Formats a place, also an unknown one.
    pub fn spelled(place: Option<&Self>) -> String {
        place.map_or_else(|| "unknown place".to_owned(), ToString::to_string)
    }
}

impl Display for FilePlace<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}", self.file),
            None => write!(out, "{} row {}", self.file, self.row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_lines_are_placed_by_row() {
        let in_lines = FilePlace {
            file: "a.jsonl",
            row: 3,
            line: Some(5),
        };
        let in_rows = FilePlace {
            file: "a.parquet",
            line: None,
            ..in_lines
        };
        assert_eq!(in_lines.to_string(), "a.jsonl:5");
        assert_eq!(in_rows.to_string(), "a.parquet row 3");
        for (place, spelled, expected) in [
            (
                Some(&in_rows),
                "a.parquet row 3",
                r#"{"file":"a.parquet","row":3,"line":null}"#,
            ),
            (
                None,
                "unknown place",
                r#"{"file":null,"row":null,"line":null}"#,
            ),
        ] {
            assert_eq!(FilePlace::as_json(place).to_string(), expected);
            assert_eq!(FilePlace::spelled(place), spelled);
        }
    }
}
