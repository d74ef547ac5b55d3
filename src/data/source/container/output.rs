//! What containers hand their rows to.

use std::io;
use std::sync::Arc;

use crate::source::SourceError;
use crate::source::spool::Spool;

/// Takes the rows of an input as lines.
pub struct RowOutput {
    /// The name of the input, for errors.
    pub name: String,
    /// Knows if rows are still wanted, and counts raw bytes for the progress bar.
    pub spool: Arc<Spool>,
}

impl RowOutput {
    /// Publishes lines.
    ///
    /// # Errors
    /// If there is no space for them.
    pub fn publish(&self, lines: &[u8]) -> Result<(), SourceError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.spool
            .append(lines)
            .map_err(|error| self.no_room(&error))
    }

    /// Returns the error for damage after `kept` rows.
    pub fn broken(&self, what: String, kept: u64, unit: &'static str) -> SourceError {
        SourceError::Broken {
            name: self.name.clone(),
            what,
            kept,
            unit,
        }
    }

    /// Returns the error for decoded bytes that could not be stored.
    pub fn no_room(&self, error: &io::Error) -> SourceError {
        match SourceError::of_io(&self.name, error) {
            SourceError::Io { name, what } => SourceError::Spool { name, what },
            other => other,
        }
    }
}
