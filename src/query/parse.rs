//! Text → query.

use std::ops::Range;

use thiserror::Error;

use super::ast::Query;
use super::catalog::Catalog;

/// What is wrong with a query, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct QueryError {
    /// The bytes of the query to blame; empty at its end where something is missing.
    pub span: Range<usize>,
    /// What was expected there, for people, in one sentence without a full stop.
    pub message: String,
}

/// Reads a query.
///
/// # Errors
/// When it does not read, or names a field that the dataset does not have.
pub fn parse(text: &str, catalog: &Catalog) -> Result<Query, QueryError> {
    let _ = catalog;
    match text.trim() {
        "" => Ok(Query::default()),
        _ => Err(QueryError { span: 0..text.len(), message: "not there yet".to_owned() }),
    }
}
