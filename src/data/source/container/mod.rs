//! The container of rows in an input, recognised by its first bytes: lines, a JSON document, a table
//! or a Parquet file.
//!
//! Each container has a module with `detect`, which recognises it, and `rows`, which reads pieces
//! of the input and publishes its rows as lines. A new one is such a module, a variant of
//! [`RowContainer`], an arm of each `match` here, and one in `sql/reading.rs`. A Parquet file is
//! recognised by its mark, but its variant is complete only when it is opened.

pub mod json;
pub mod output;
pub mod parquet;
pub mod table;

use std::fmt;
use std::sync::Arc;

use json::JsonRows;
use output::RowOutput;
use table::TableDialect;

use super::read_ahead::{FIRST_PIECE, PieceReader};
use super::{SourceError, lines, sniff};

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

    /// Publishes all rows; the caller reports errors of `pieces`.
    ///
    /// # Errors
    /// If they cannot be read or stored. The rows before the error are published.
    pub(super) fn rows(self, pieces: &mut PieceReader, out: &RowOutput) -> Result<(), SourceError> {
        if !matches!(self, Self::Parquet { .. }) {
            out.spool.container.get_or_init(|| self.clone());
        }
        match self {
            Self::Lines => {
                while let Some(piece) = pieces.next() {
                    out.publish(piece)?;
                }
                Ok(())
            }
            Self::Json(rows) => json::rows(&rows, pieces, out),
            Self::Table(dialect) => table::rows(dialect, pieces, out),
            Self::Parquet { .. } => parquet::rows(pieces, out),
        }
    }
}

/// Returns the container of a file that is not text, by its first bytes. Such a file is read by
/// position, so a pipe is copied first.
pub(super) fn read_by_position(head: &[u8]) -> Option<RowContainer> {
    let left_out = Vec::new();
    parquet::detect(head).then_some(RowContainer::Parquet { left_out })
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
        if let Some(container) = read_by_position(head) {
            return Some(container);
        }
        let text = lines::trim_start(head);
        let found = match text.first() {
            None if ended => None,
            // No document begins with this many blank bytes.
            None if head.len() >= json::MAX_BYTES => None,
            None => return None,
            Some(b'[' | b'{') => json::detect(text, ended, self)?.map(RowContainer::Json),
            Some(_) => table::detect(head, ended)?.map(RowContainer::Table),
        };
        Some(found.unwrap_or_default())
    }

    /// Detects the container of a text in pieces, and publishes its rows.
    ///
    /// # Errors
    /// Those of [`RowContainer::rows`]; if the input is not text.
    pub(super) fn read(
        &self,
        pieces: &mut PieceReader,
        out: &RowOutput,
    ) -> Result<(), SourceError> {
        let (mut head, mut asked) = (Vec::new(), 0);
        loop {
            let piece = pieces.next();
            let (piece, ended) = (piece.unwrap_or_default(), piece.is_none());
            if head.is_empty() && read_by_position(piece).is_none() {
                sniff::require_text(&out.name, piece)?;
            }
            let is_line_end = piece.contains(&b'\n');
            head.extend_from_slice(piece);
            // A pipe may deliver single bytes; examining the whole text for each would be slow.
            let is_due = (is_line_end || head.len() < 64) && head.len() < 2 * FIRST_PIECE;
            if ended || is_due || head.len() >= 2 * asked {
                asked = head.len();
                if let Some(container) = self.container(&head, ended) {
                    pieces.put_back(head);
                    return container.rows(pieces, out);
                }
            }
        }
    }
}
