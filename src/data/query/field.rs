//! Fields by name, for lists, draws and suggestions.

use super::ast::{Aggregate, ColumnId, Field, Number, SortBy, SortKey};
use super::catalog::Catalog;
use super::parse::{QueryError, parse};
use super::texts;
use crate::table::{ColumnKind, Level};

impl Field {
    /// A column without a prefix.
    pub const fn of(column: ColumnId) -> Self {
        let view = Aggregate::Same;
        Self { view, column }
    }

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

    /// Returns whether the field has one value per response or per sample.
    pub fn level(&self) -> Level {
        match self.view {
            Aggregate::Same | Aggregate::Any | Aggregate::All => self.column.level,
            _ => Level::Sample,
        }
    }
}

impl SortKey {
    /// The sorted field, if the key is one.
    pub fn field(&self) -> Option<Field> {
        match &self.by {
            SortBy::Value(Number::Field(field)) => Some(*field),
            _ => None,
        }
    }
}
