//! The reason why a query has no SQL equivalent.

use std::fmt;

/// Why a query or a file cannot be translated to SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlRefusal {
    /// The term of the query, the schema or the file, as the user wrote it.
    pub of: String,
    /// The reason and, if there is one, the remedy.
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
        write!(
            f,
            "{} cannot be translated to SQL: {}",
            self.of, self.reason
        )
    }
}

impl std::error::Error for SqlRefusal {}
