//! What the loader reports, and who receives it.

use std::ops::ControlFlow;
use std::sync::Arc;

use thiserror::Error;

use super::chunk::Chunk;
use super::scan::ScanOptions;
use crate::dataset::{DatasetFile, JoinedFile};
use crate::schema::SchemaChoiceError;
use crate::source::{Source, SourceError};

/// An event of the loader.
#[derive(Debug)]
pub enum LoadEvent {
    /// The next file of the dataset.
    File(DatasetFile),
    /// The next rows.
    Chunk(Arc<Chunk>),
    /// A joined file, matched with all samples; follows their last rows.
    Joined(Arc<JoinedFile>),
    /// A file ends prematurely (a truncated archive, a failing disk), or is unreadable after files
    /// with rows. Earlier rows are kept.
    Error(LoadError),
    /// Loading is complete.
    Done,
}

/// An error after which nothing can be shown.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be opened or read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file's layout is unknown.
    #[error("{name}: {error}")]
    Choice {
        /// The file, as the user wrote it.
        name: String,
        /// The reason.
        error: Box<SchemaChoiceError>,
    },
    /// Rows of a joined file cannot be matched with those of the dataset.
    #[error("{name}: {reason}")]
    JoinedTexts {
        /// The file, as the user wrote it.
        name: String,
        /// What its records lack, and what they contain.
        reason: String,
    },
    /// The rows of a file cannot be joined as requested, with each other or with those of another
    /// file, or exceed the maximum number of rows.
    #[error("{name}: {reason}")]
    Rows {
        /// The file, as the user wrote it.
        name: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The user stopped the load.
    #[error("reading was stopped; the rows so far are kept")]
    Stopped,
}

impl LoadError {
    pub(super) fn rows(source: &Source, reason: String) -> Self {
        let name = source.name().to_owned();
        Self::Rows { name, reason }
    }

    /// True if a file was written to while it was read.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Source(error) if error.is_change())
    }

    /// True if the layout of a file is unknown, so that the user has to describe it.
    pub fn is_unknown_layout(&self) -> bool {
        let Self::Choice { error, .. } = self else {
            return false;
        };
        matches!(**error, SchemaChoiceError::NothingToShow { .. })
    }
}

/// Receives events and cancels the loader.
pub trait Listener {
    /// Handles an event; breaks to cancel.
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()>;

    /// Returns how to scan the rows of the most recently reported file.
    fn scan_options(&mut self, _file: &DatasetFile) -> ScanOptions {
        ScanOptions::default()
    }

    /// Returns false to cancel; polled while waiting for bytes that may never arrive.
    fn keep_going(&self) -> bool {
        true
    }
}

/// Reports an event.
///
/// # Errors
/// [`LoadError::Stopped`] if the listener cancels.
pub fn report(listener: &mut dyn Listener, event: LoadEvent) -> Result<(), LoadError> {
    match listener.on_event(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(LoadError::Stopped),
    }
}

impl<F: FnMut(LoadEvent) -> ControlFlow<()>> Listener for F {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self(report)
    }
}
