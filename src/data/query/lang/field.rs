//! Fields by name, for lists, draws and suggestions.

use super::parse::{QueryError, parse};
use crate::query::ast::{ColumnId, Field};
use crate::query::{Catalog, texts};
use crate::table::ColumnKind;

impl Field {
    /// Parses a field name as `sort:` does.
    ///
    /// # Errors
    /// If the name is unknown or not a field.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Self, QueryError> {
        let wrong = |message: String| QueryError::new(0..name.len(), message);
        if ColumnId::named(name).is_some_and(|column| column.kind == ColumnKind::Flag) {
            return Err(wrong(texts::FLAG_AS_FIELD.to_owned()));
        }
        catalog.search_field(name);
        // A list of words cannot be sorted by, but it can be shown.
        let words = catalog
            .find(name)
            .filter(|column| column.kind == ColumnKind::Words);
        if let Some(words) = words.filter(|column| column.source.field().is_some()) {
            return Ok(Self::of(words));
        }
        let query = parse(&format!("sort:{name}"), catalog)?;
        match query.sort.as_slice() {
            [key] if query.filter.is_none() && !key.descending => key.field(),
            _ => None,
        }
        .ok_or_else(|| wrong(texts::not_a_field(name)))
    }
}
