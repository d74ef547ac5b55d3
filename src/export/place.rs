//! Where a row stands, as people and programs are told it.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use crate::dataset::{Dataset, RowPlace};
use crate::model::ResponseId;

/// A row by the name of its file. For people it is `file:line`, or `file row 3` where a file does not
/// have its rows in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FilePlace<'d> {
    /// The name of the file, as it was given.
    pub file: &'d str,
    /// Its row there, from 1.
    pub row: u64,
    /// The physical line of that, from 1; none in a file that does not have its rows in lines.
    pub line: Option<u64>,
}

impl<'d> FilePlace<'d> {
    /// Where a row stands whose place is known.
    pub fn of(dataset: &'d Dataset, place: &RowPlace) -> Self {
        let file = dataset.files().get(place.file);
        Self {
            file: file.map_or("", |file| file.source.name()),
            row: place.row,
            line: (place.unit == "line").then_some(place.line),
        }
    }

    /// Where a sample begins, by its number from 0; `None` when there is no such sample.
    pub fn of_sample(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        let row = dataset.sample_rows(sample)?.first();
        Some(Self::of(dataset, &dataset.place(row)?))
    }

    /// Where the row of a response of a sample stands, by the sample's number from 0: that of all its
    /// responses where they share one. `None` when there is no such sample.
    pub fn of_response(dataset: &'d Dataset, sample: usize, response: ResponseId) -> Option<Self> {
        let row = dataset.sample_rows(sample)?.of_response(response.index());
        Some(Self::of(dataset, &dataset.place(row)?))
    }

    /// `file`, `row` and `line`: null where the place is not known, and `line` where there is none.
    pub fn as_json(place: Option<&Self>) -> Value {
        json!({
            "file": place.map(|place| place.file),
            "row": place.map(|place| place.row),
            "line": place.and_then(|place| place.line),
        })
    }

    /// A place for people, also one that is not known.
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
    fn a_row_that_is_no_line_is_told_as_a_row() {
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
