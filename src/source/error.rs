//! What can be wrong with an input: which file, and what to do next.

use std::io;

use thiserror::Error;

/// See the module. Names are as the user wrote them, not sanitised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SourceError {
    /// There is no such file.
    #[error("{name}: no such file; check the path")]
    NotFound {
        /// The file.
        name: String,
    },
    /// A directory.
    #[error("{name} is a directory; name the files in it, for instance {name}/*.jsonl")]
    IsDirectory {
        /// The directory.
        name: String,
    },
    /// May not be read.
    #[error("{name}: permission denied; it must be readable by you")]
    Permission {
        /// The file.
        name: String,
    },
    /// Nothing in it.
    #[error("{name} is empty; was its download or export cut short?")]
    Empty {
        /// The file.
        name: String,
    },
    /// Not lines of text.
    #[error("{name} is {what}, not JSON Lines; {hint}")]
    NotText {
        /// The file.
        name: String,
        /// What it is.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The compressed data breaks off.
    #[error("{name}: the compressed data is damaged or cut short ({what}); only the rows before that can be shown")]
    Decode {
        /// The file.
        name: String,
        /// What the decoder said.
        what: String,
    },
    /// The system failed.
    #[error("{name}: {what}")]
    Io {
        /// The file.
        name: String,
        /// What the system said.
        what: String,
    },
    /// Shorter than when it was opened.
    #[error("{name} is shorter than when it was opened; read it again")]
    Shrunk {
        /// The file.
        name: String,
    },
}

impl SourceError {
    pub(super) fn open(name: &str, error: &io::Error) -> Self {
        let name = name.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { name },
            io::ErrorKind::PermissionDenied => Self::Permission { name },
            io::ErrorKind::IsADirectory => Self::IsDirectory { name },
            _ => Self::io(&name, error),
        }
    }

    pub(super) fn io(name: &str, error: &io::Error) -> Self {
        Self::Io { name: name.to_owned(), what: error.to_string() }
    }
}
