//! A field by its name alone, as lists, draws and suggestions ask for it.

use super::ast::{ColumnName, Field, Number, SortBy};
use super::catalog::Catalog;
use super::parse::{QueryError, parse};
use crate::table::{BuiltIn, ColumnKind};

/// A field whose values are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// A number.
    Number(Field),
    /// A word.
    Word(ColumnName),
}

impl ColumnRef {
    /// How a query spells it, its view before it.
    pub fn spelled(&self, catalog: &Catalog) -> String {
        match self {
            Self::Number(field) => field.spelled(catalog).to_string(),
            Self::Word(name) => name.spelled(catalog).to_string(),
        }
    }

    /// The field of a name, as `sort:` takes it; `None` for what can be sorted by and is no field.
    ///
    /// # Errors
    /// When there is no such name.
    pub fn named(name: &str, catalog: &Catalog) -> Result<Option<Self>, QueryError> {
        if BuiltIn::named(name).is_some_and(|column| column.def().kind == ColumnKind::Flag) {
            return Err(QueryError {
                span: 0..name.len(),
                message: "it holds or does not, and is no field: ask for it in the query"
                    .to_owned(),
            });
        }
        let query = parse(&format!("sort:{name}"), catalog)?;
        let one = query.filter.is_none() && query.sort.len() == 1;
        Ok(query
            .sort
            .into_iter()
            .next()
            .filter(|key| one && !key.descending)
            .and_then(|key| Self::of(key.by)))
    }

    /// The column.
    pub const fn name(&self) -> &ColumnName {
        match self {
            Self::Number(field) => &field.name,
            Self::Word(name) => name,
        }
    }

    /// Whether its values change with what reviewers do.
    pub fn is_of_reviewers(&self) -> bool {
        self.name().is_of_reviewers()
    }

    /// The field that something is sorted by, if it is one.
    pub fn of(by: SortBy) -> Option<Self> {
        match by {
            SortBy::Number(Number::Field(field)) => Some(Self::Number(field)),
            SortBy::Word(name) => Some(Self::Word(name)),
            SortBy::Number(_) | SortBy::Random(_) => None,
        }
    }
}
