//! Why there is no statement.

use std::fmt;

/// Why a query or a file cannot be said in SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlRefusal {
    /// What it is about: a term of the query, a schema or a file, as it is written.
    pub of: String,
    /// Why, and what to do instead where there is something.
    pub reason: String,
}

impl SqlRefusal {
    pub(super) fn new(of: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            of: of.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for SqlRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be said in SQL: {}", self.of, self.reason)
    }
}

impl std::error::Error for SqlRefusal {}
