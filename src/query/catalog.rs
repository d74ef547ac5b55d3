//! Which fields there are to ask for.

use crate::schema::Schema;

/// The fields of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Catalog {}

impl Catalog {
    /// The fields of a dataset whose files have these schemas.
    pub fn of<'s>(schemas: impl IntoIterator<Item = &'s Schema>) -> Self {
        let _ = schemas.into_iter().count();
        Self {}
    }
}
