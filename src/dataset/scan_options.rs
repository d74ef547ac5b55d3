//! What is computed for the rows of a file while it is scanned.

use std::sync::Arc;

use super::kept_columns::KeptColumns;
use super::row_predicate::RowPredicate;
use super::scan::FileRows;
use crate::schema::Schema;

/// How the rows of a file are scanned.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Predicate to evaluate for each row.
    pub predicate: Option<Arc<dyn RowPredicate>>,
    /// Columns to keep; `None` means all.
    pub kept: Option<Arc<KeptColumns>>,
    /// Whether rows can be read again. If not, their bytes are not kept, and reading one later is
    /// an error.
    pub is_read_again: bool,
}

impl Default for ScanOptions {
    /// No predicate, all columns.
    fn default() -> Self {
        Self {
            predicate: None,
            kept: None,
            is_read_again: true,
        }
    }
}

impl ScanOptions {
    pub(super) fn rows<'f>(
        &'f self,
        schema: &'f Schema,
        kept: &'f Arc<KeptColumns>,
    ) -> FileRows<'f> {
        FileRows {
            schema,
            predicate: self.predicate.as_deref(),
            kept,
            is_read_again: self.is_read_again,
        }
    }
}
