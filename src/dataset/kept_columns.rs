//! Which columns are kept of the rows of a file: all of them, but where it is known beforehand what
//! will be asked.

use crate::schema::Schema;
use crate::table::{ColumnId, CountedColumns};

/// The columns that are kept of the rows of a schema. Facts, verdicts and what annotators said always
/// are.
#[derive(Debug)]
pub struct KeptColumns {
    /// What is counted of them.
    pub(super) counted: CountedColumns,
    /// Labels and scores, by their places in the schema, ascending.
    pub(super) labels: Box<[usize]>,
}

impl KeptColumns {
    /// All that rows of a schema can have.
    pub fn all(schema: &Schema) -> Self {
        Self::only(schema, |_| true)
    }

    /// Those of them that somebody will ask for, and no others: nobody may ask for the rest.
    pub fn only(schema: &Schema, is_asked: impl Fn(ColumnId) -> bool) -> Self {
        let labels = schema.columns().iter().take(schema.labels().len());
        let labels = labels.enumerate().filter(|(_, label)| is_asked(label.id));
        Self {
            counted: schema.counted().only(&is_asked),
            labels: labels.map(|(place, _)| place).collect(),
        }
    }
}
