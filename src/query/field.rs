//! A field by its name alone, as lists, draws and suggestions ask for it.

use super::ast::{Aggregate, ColumnId, Field, Number, SortBy, SortKey};
use super::catalog::Catalog;
use super::parse::{QueryError, parse};
use crate::table::{ColumnKind, Level};

impl Field {
    /// A column, of the response that the query speaks of.
    pub const fn of(column: ColumnId) -> Self {
        let view = Aggregate::Same;
        Self { view, column }
    }

    /// The field of a name, as `sort:` takes it.
    ///
    /// # Errors
    /// When there is no such name, or it is no field's.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Self, QueryError> {
        let wrong = |message: String| QueryError::new(0..name.len(), message);
        if ColumnId::named(name).is_some_and(|column| column.kind == ColumnKind::Flag) {
            let message = "it holds or does not, and is no field: ask for it in the query";
            return Err(wrong(message.to_owned()));
        }
        catalog.search_field(name);
        // Nothing can be put in order by a list of words, but it can be listed.
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
        .ok_or_else(|| wrong(format!("{name} is no field")))
    }

    /// Whether it is one number a response, or one a sample.
    pub fn level(&self) -> Level {
        match self.view {
            Aggregate::Same | Aggregate::Any | Aggregate::All => self.column.level,
            _ => Level::Sample,
        }
    }
}

impl SortKey {
    /// The field that is sorted by, if it is one.
    pub fn field(&self) -> Option<Field> {
        match &self.by {
            SortBy::Value(Number::Field(field)) => Some(*field),
            _ => None,
        }
    }
}
