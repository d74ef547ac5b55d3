//! Errors of inputs: one line with the file's name and the next step.

use std::io;

use thiserror::Error;

use crate::text::counted;

/// Why an input, or the rest of it, cannot be read. Unnamed fields are the file's name. Names are
/// as the user wrote them, not sanitised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The file does not exist.
    #[error("{0}: no such file; check the spelling and the folder")]
    NotFound(String),
    /// The path is a directory.
    #[error("{name} {what}")]
    IsDirectory {
        /// Name of the directory.
        name: String,
        /// What it contains, and what to do next.
        what: String,
    },
    /// The user may not read the file.
    #[error("{0}: permission denied; ask its owner, or try: ls -l {0}")]
    Permission(String),
    /// Zero bytes, raw or decoded.
    #[error("{0} is empty; check its download or export")]
    Empty(String),
    /// A followed file without a complete line.
    #[error("{0} has no complete line yet; start --follow again once its writer has written one")]
    NoLineYet(String),
    /// `--follow` does not support this input.
    #[error(
        "{0} cannot be followed; --follow needs a file of plain JSON lines (pipes need no --follow)"
    )]
    NotFollowed(String),
    /// Another format, recognised by its first bytes.
    #[error("{name} is {what}; {}", advice_on(advice, name))]
    NotText {
        /// Name of the file.
        name: String,
        /// The format, with its article.
        what: &'static str,
        /// What to do next; `FILE` is replaced by the name.
        advice: &'static str,
    },
    /// Damaged compressed data; the bytes before the damage stay readable.
    #[error(
        "{name}: the compressed data {damage}; the first {kept} decoded bytes are kept; fetch the file again"
    )]
    Decode {
        /// Name of the file.
        name: String,
        /// The damage, as a predicate.
        damage: String,
        /// Decoded bytes that stay readable.
        kept: u64,
    },
    /// A JSON document without a list at the given place.
    #[error("{name}: {what}; pass another --rows-at, or omit it to detect the list")]
    NoList {
        /// Name of the file.
        name: String,
        /// What is missing, and where.
        what: String,
    },
    /// A damaged document or table; the rows before the damage stay readable.
    #[error(
        "{name}: {what}; {}fetch the file again, or repair it there", kept_before(*kept, unit)
    )]
    Broken {
        /// Name of the file.
        name: String,
        /// What is wrong, and where.
        what: String,
        /// Number of readable rows.
        kept: u64,
        /// What a row is called.
        unit: &'static str,
    },
    /// An error of the system.
    #[error("{name}: {what}; try again, or copy the file to another disk first")]
    Io {
        /// Name of the file.
        name: String,
        /// The system's message.
        what: String,
    },
    /// No more files can be opened.
    #[error("{0}: too many open files; raise the limit (ulimit -n), or close other programs")]
    TooManyOpen(String),
    /// No space for decoded bytes.
    #[error(
        "{name}: no space for its decoded bytes ({what}); set TMPDIR to a folder with enough space"
    )]
    Spool {
        /// Name of the file.
        name: String,
        /// The system's message.
        what: String,
    },
    /// The file became shorter after it was opened.
    #[error("{0} became shorter after it was opened; read it again once nothing writes to it")]
    Shrunk(String),
    /// The file changed after it was opened.
    #[error("{0} changed after it was opened; read it again once nothing writes to it")]
    Changed(String),
    /// The lease that kept writers off the mapped file ended while its bytes were in use.
    #[error(
        "{0} may have changed while visavis was stopped for too long; read it again, or set map = \"never\""
    )]
    LostLease(String),
}

/// Inserts the file's name into the advice if it needs no quoting in a shell.
fn advice_on(advice: &str, name: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "._-/+=,@%".contains(sign);
    if !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain) {
        advice.replace("FILE", name)
    } else {
        advice.to_owned()
    }
}

/// Describes the rows kept before the damage, if there are any.
fn kept_before(kept: u64, unit: &str) -> String {
    match kept {
        0 => String::new(),
        1 => format!("the {unit} before it is kept; "),
        _ => format!("the {} before it are kept; ", counted(kept as usize, unit)),
    }
}

impl SourceError {
    /// True if the file changed, so that no result from it may be reported.
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Shrunk(_) | Self::Changed(_) | Self::LostLease(_)
        )
    }

    /// Converts an error of opening.
    pub(super) fn of_open(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                Self::NotFound(name.to_owned())
            }
            io::ErrorKind::PermissionDenied => Self::Permission(name.to_owned()),
            io::ErrorKind::IsADirectory => Self::IsDirectory {
                name: name.to_owned(),
                what: "is a directory; name a file in it".to_owned(),
            },
            _ => Self::of_io(name, error),
        }
    }

    /// Converts an error of reading.
    pub(super) fn of_io(name: &str, error: &io::Error) -> Self {
        let (name, what) = (name.to_owned(), error.to_string());
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Shrunk(name),
            // A file that was closed and opened again.
            io::ErrorKind::NotFound | io::ErrorKind::StaleNetworkFileHandle => Self::Changed(name),
            // Temporary files wrap the system's error, so only its text is known.
            _ if what.contains("Too many open files") => Self::TooManyOpen(name),
            _ => Self::Io { name, what },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_one_line_that_names_the_file_and_says_what_to_do() {
        let name = || "train.jsonl".to_owned();
        let what = || "it is so".to_owned();
        for error in [
            SourceError::NotFound(name()),
            SourceError::IsDirectory {
                name: name(),
                what: "is a directory; name a file in it".to_owned(),
            },
            SourceError::Permission(name()),
            SourceError::Empty(name()),
            SourceError::NoLineYet(name()),
            SourceError::NotText {
                name: name(),
                what: "a zip archive",
                advice: "unpack it first",
            },
            SourceError::Decode {
                name: name(),
                damage: what(),
                kept: 12,
            },
            SourceError::NoList {
                name: name(),
                what: what(),
            },
            SourceError::Broken {
                name: name(),
                what: what(),
                kept: 12,
                unit: "element",
            },
            SourceError::Io {
                name: name(),
                what: what(),
            },
            SourceError::Spool {
                name: name(),
                what: what(),
            },
            SourceError::TooManyOpen(name()),
            SourceError::Shrunk(name()),
            SourceError::Changed(name()),
        ] {
            let message = error.to_string();
            assert!(message.starts_with("train.jsonl"), "{message}");
            assert!(message.contains("; "), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
