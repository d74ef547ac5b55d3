//! The file of a journal: reading it, and adding to it.

use std::path::{Path, PathBuf};

use super::entry::{Entry, Header};

/// A journal on disk. Nothing is created before something is added.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
}

/// What reading found.
#[derive(Debug, Default)]
pub struct Opened {
    /// The header, where there is one.
    pub header: Option<Header>,
    /// Entries that are new since the last reading (or adding), in order; own ones are not among them.
    pub entries: Vec<Entry>,
    /// What a person should know, one sentence each: lines that do not read, with their numbers, a torn last line, acts of a later version.
    pub troubles: Vec<String>,
}

/// Why a journal could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The journal.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl JournalFile {
    /// A journal at a place, whether there is a file yet or not.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads what is new: at first everything.
    ///
    /// # Errors
    /// When there is a file and it cannot be read.
    pub fn read(&mut self) -> Result<Opened, JournalError> {
        todo!()
    }

    /// Whether the file has changed since it was last read or added to: cheap enough to be asked each second.
    pub fn has_news(&self) -> bool {
        todo!()
    }

    /// Adds entries, in one piece and in order, behind a header if the file is new; they are on disk when this returns. Gives what others added meanwhile.
    ///
    /// # Errors
    /// When they could not all be written and synced; then none of them is in the file, as far as the system lets it be so.
    pub fn add(&mut self, header: &Header, entries: &[Entry]) -> Result<Opened, JournalError> {
        let _ = (header, entries);
        todo!()
    }
}
