//! What a text keeps its rows in, told by how it begins: one a line, in a JSON list, in a table.

use std::fmt;
use std::sync::Arc;

use super::table::TableDialect;
use super::{document, parquet_rows, table_head};

/// What a text keeps its rows in. What is not lines is decoded into lines while it is taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RowContainer {
    /// One JSON record a line, or what is to be one.
    #[default]
    Lines,
    /// Values of a JSON document.
    Json(JsonRows),
    /// The records of a table with a header: CSV, TSV.
    Table(TableDialect),
    /// The rows of a Parquet file.
    Parquet {
        /// Columns of media that are not read.
        left_out: Vec<String>,
    },
}

/// Which values of a JSON document are its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonRows {
    /// The elements of the list at this JSON pointer, or the values of the object there; an empty
    /// pointer is the whole document.
    At(String),
    /// The elements of all lists whose key is the name of a split (`train`, `test_prefs`), in the object at
    /// this JSON pointer.
    Splits(String),
    /// The elements of all lists of an object.
    Lists,
    /// One value of each list of an object, or of each object by row number: the lists are columns.
    Columns,
    /// The values of a text in which each spans several lines.
    Values,
}

impl RowContainer {
    /// What was taken for the rows, in a few words; `None` where that is the whole text.
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

    /// What rows are called that are counted from 1.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::Json(JsonRows::At(_) | JsonRows::Splits(_) | JsonRows::Lists) => "element",
            Self::Json(JsonRows::Values) => "record",
            Self::Json(JsonRows::Columns) | Self::Table(_) | Self::Parquet { .. } => "row",
        }
    }
}

/// Whether a line reads as a row.
type LineTest = dyn Fn(&[u8]) -> bool + Send + Sync;

/// How rows are looked for in a text.
#[derive(Clone)]
pub struct RowSearch {
    /// Where the list of rows stands in a JSON document, where that was said.
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
    /// No single line is known to be a row.
    fn default() -> Self {
        Self::new(|_| false)
    }
}

impl RowSearch {
    /// `is_row` tells whether a line reads as a row: a list of two answers can be one.
    pub fn new(is_row: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self {
            pointer: None,
            is_row: Arc::new(is_row),
        }
    }

    /// What a text that begins like this keeps its rows in; `None` while that needs more of it.
    /// What is found does not depend on how much of the text is there when it is asked for.
    pub(super) fn container(&self, head: &[u8], ended: bool) -> Option<RowContainer> {
        if parquet_rows::is_parquet(head) {
            let left_out = Vec::new();
            return Some(RowContainer::Parquet { left_out });
        }
        let text = document::trim_start(head);
        let is_document = match text.first() {
            None if ended => return Some(RowContainer::Lines),
            // So many blank bytes are no document's beginning.
            None => return (head.len() >= document::MOST_BYTES).then_some(RowContainer::Lines),
            Some(first) => matches!(first, b'[' | b'{'),
        };
        if !is_document {
            let table = table_head::look(head, ended)?;
            return Some(table.map_or(RowContainer::Lines, RowContainer::Table));
        }
        let rows = match &self.pointer {
            Some(pointer) => Some(JsonRows::At(pointer.clone())),
            None => document::look(text, ended, &*self.is_row)?,
        };
        Some(rows.map_or(RowContainer::Lines, RowContainer::Json))
    }
}
