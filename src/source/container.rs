//! What a text keeps its rows in, told by how it begins: one a line, in a JSON list, in a table.

use std::fmt;
use std::sync::Arc;

use super::document::{self, Outlook};
use super::{parquet_rows, table};

/// What a text keeps its rows in. What is not lines is decoded into lines while it is taken in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RowContainer {
    /// One JSON record a line, or what is to be one.
    #[default]
    Lines,
    /// The elements of a JSON list.
    List {
        /// Where in the document the list stands, as a JSON pointer; empty where the document is
        /// the list.
        pointer: String,
    },
    /// The records of a table with a header: CSV, TSV.
    Table {
        /// What stands between cells: a comma or a tab.
        separator: u8,
    },
    /// The rows of a Parquet file.
    Parquet {
        /// Columns of media that are not read.
        left_out: Vec<String>,
    },
}

impl RowContainer {
    /// What was taken for the rows, in a few words; `None` where that is the whole text.
    pub fn note(&self) -> Option<String> {
        match self {
            Self::Lines => None,
            Self::List { pointer } if pointer.is_empty() => Some("JSON list".to_owned()),
            Self::List { pointer } => Some(format!("JSON list {pointer}")),
            Self::Table { separator: b'\t' } => Some("TSV".to_owned()),
            Self::Table { .. } => Some("CSV".to_owned()),
            Self::Parquet { left_out } if left_out.is_empty() => Some("Parquet".to_owned()),
            Self::Parquet { left_out } => Some(format!("Parquet without {}", left_out.join(", "))),
        }
    }

    /// What rows are called that are counted from 1.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::List { .. } => "element",
            Self::Table { .. } | Self::Parquet { .. } => "row",
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
            let separator = table::look(text, ended)?;
            return Some(
                separator.map_or(RowContainer::Lines, |separator| RowContainer::Table {
                    separator,
                }),
            );
        }
        if let Some(pointer) = &self.pointer {
            return Some(RowContainer::List {
                pointer: pointer.clone(),
            });
        }
        match document::look(text, ended, &*self.is_row)? {
            Outlook::Lines => Some(RowContainer::Lines),
            Outlook::List(pointer) => Some(RowContainer::List { pointer }),
        }
    }
}
