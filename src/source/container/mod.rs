//! The container of rows in a text, recognised by its first bytes: lines, a JSON list or a table.

pub mod json;
pub mod parquet;
pub mod table;

use std::fmt;
use std::sync::Arc;

use json::{JsonRows, document};
use table::{TableDialect, head};

use super::lines;

/// The container of rows in a text. Other containers than lines are decoded to lines while reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RowContainer {
    /// One JSON record per line, valid or not.
    #[default]
    Lines,
    /// Values of a JSON document.
    Json(JsonRows),
    /// Records of a table with a header: CSV, TSV.
    Table(TableDialect),
    /// Rows of a Parquet file.
    Parquet {
        /// Columns of media, which are skipped.
        left_out: Vec<String>,
    },
}

impl RowContainer {
    /// Describes where the rows were found; `None` if they are the whole text.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Lines => None,
            Self::Json(rows) => Some(match rows {
                JsonRows::At(pointer) if pointer.is_empty() => "JSON list".to_owned(),
                JsonRows::At(pointer) => format!("JSON list {pointer}"),
                JsonRows::Splits(_) => "JSON lists by split".to_owned(),
                JsonRows::Lists => "JSON lists".to_owned(),
                JsonRows::Columns => "JSON columns".to_owned(),
                JsonRows::Values => "JSON".to_owned(),
            }),
            Self::Table(dialect) if dialect.separator == b'\t' => Some("TSV".to_owned()),
            Self::Table(_) => Some("CSV".to_owned()),
            Self::Parquet { left_out } if left_out.is_empty() => Some("Parquet".to_owned()),
            Self::Parquet { left_out } => Some(format!("Parquet without {}", left_out.join(", "))),
        }
    }

    /// Returns the unit that is counted from 1.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::Json(JsonRows::At(_) | JsonRows::Splits(_) | JsonRows::Lists) => "element",
            Self::Json(JsonRows::Values) => "record",
            Self::Json(JsonRows::Columns) | Self::Table(_) | Self::Parquet { .. } => "row",
        }
    }
}

/// Tests if a line can be parsed as a row.
type LineTest = dyn Fn(&[u8]) -> bool + Send + Sync;

/// How to find the rows of a text.
#[derive(Clone)]
pub struct RowSearch {
    /// JSON pointer to the list of rows, if the user gave one.
    pub(super) pointer: Option<String>,
    is_row: Arc<LineTest>,
}

impl fmt::Debug for RowSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowSearch")
            .field("pointer", &self.pointer)
            .finish_non_exhaustive()
    }
}

impl Default for RowSearch {
    /// Accepts no line as a row.
    fn default() -> Self {
        Self::new(|_| false)
    }
}

impl RowSearch {
    /// `is_row` tests if a line is a row, because a list of two responses may be one.
    pub fn new(is_row: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self {
            pointer: None,
            is_row: Arc::new(is_row),
        }
    }

    /// Detects the container from the beginning of a text; `None` if more text is needed. The
    /// result does not depend on how much of the text is available.
    pub(super) fn container(&self, head: &[u8], ended: bool) -> Option<RowContainer> {
        if parquet::is_parquet(head) {
            let left_out = Vec::new();
            return Some(RowContainer::Parquet { left_out });
        }
        let text = lines::trim_start(head);
        let is_document = match text.first() {
            None if ended => return Some(RowContainer::Lines),
            // No document begins with this many blank bytes.
            None => return (head.len() >= document::MAX_BYTES).then_some(RowContainer::Lines),
            Some(first) => matches!(first, b'[' | b'{'),
        };
        if !is_document {
            let table = head::detect(head, ended)?;
            return Some(table.map_or(RowContainer::Lines, RowContainer::Table));
        }
        let rows = match &self.pointer {
            Some(pointer) => Some(JsonRows::At(pointer.clone())),
            None => document::detect(text, ended, &*self.is_row)?,
        };
        Some(rows.map_or(RowContainer::Lines, RowContainer::Json))
    }
}
