//! Selects the columns to keep from scanned rows: all of them, unless the columns to be read are
//! known in advance.

use crate::schema::Schema;
use crate::table::{ColumnId, CountedColumns};

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
        let labels = schema.columns().iter().take(schema.labels().len());
        let labels = labels.enumerate().filter(|(_, label)| is_asked(label.id));
        Self {
            counted: schema.counted().only(&is_asked),
            labels: labels.map(|(place, _)| place).collect(),
        }
    }
}
