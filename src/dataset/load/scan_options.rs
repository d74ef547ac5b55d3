//! What is computed for the rows of a file while it is scanned, and which columns are kept: all of
//! them, unless the columns to be read are known in advance.

use std::sync::Arc;

use super::row_predicate::RowPredicate;
use super::scan::FileRows;
use crate::schema::Schema;
use crate::table::{ColumnId, CountedColumns};

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

/// The columns kept from the rows of a schema. Facts, verdicts and annotators' values are always
/// kept.
#[derive(Debug, Default)]
pub struct KeptColumns {
    /// Counts to keep.
    pub(super) counted: CountedColumns,
    /// Indexes in the schema of the kept labels and scores, ascending.
    pub(super) labels: Box<[usize]>,
}

impl KeptColumns {
    /// Keeps every column that rows of the schema can have.
    pub fn all(schema: &Schema) -> Self {
        Self::only(schema, |_| true)
    }

    /// Keeps only the columns for which `is_asked` is true. Reading any other column panics.
    pub fn only(schema: &Schema, is_asked: impl Fn(ColumnId) -> bool) -> Self {
        let labels = schema
            .columns()
            .iter()
            .take(schema.labels().len())
            .enumerate()
            .filter(|(_, label)| is_asked(label.id));
        Self {
            counted: schema.counted().only(&is_asked),
            labels: labels.map(|(place, _)| place).collect(),
        }
    }
}
