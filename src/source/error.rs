//! What can be wrong with an input: one line that names the file and says what to do next.

use std::io;

use thiserror::Error;

use crate::text::counted;

/// Why an input, or the rest of it, cannot be read. Fields without a name are the
/// name of the file. Names are as the user wrote them, not sanitised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SourceError {
    /// There is no such file.
    #[error("{0}: no such file; check the spelling and the folder")]
    NotFound(String),
    /// A directory.
    #[error("{name} {what}")]
    IsDirectory {
        /// The directory.
        name: String,
        /// What it is, and what to do about it.
        what: String,
    },
    /// The system does not let this user read it.
    #[error("{0}: permission denied; ask its owner, or try: ls -l {0}")]
    Permission(String),
    /// Zero bytes, as it is or decoded.
    #[error("{0} is empty; look whether its download or export went wrong")]
    Empty(String),
    /// It is followed, and its writer has not written a line yet.
    #[error(
        "{0} has no whole line yet, which --follow begins with; start again once its writer has written one"
    )]
    NoLineYet(String),
    /// What is appended to it cannot be read by itself.
    #[error(
        "{0} cannot be followed: it is no file of plain JSON lines (--follow is for those; a pipe is read as its rows come)"
    )]
    NotFollowed(String),
    /// Another format, known by its first bytes.
    #[error("{name} is {what}; {}", advice_on(advice, name))]
    NotText {
        /// The file.
        name: String,
        /// What it is, with its article.
        what: &'static str,
        /// What to do about it; `FILE` is its name.
        advice: &'static str,
    },
    /// Compressed data that does not decode to its end; what was decoded before stays readable.
    #[error(
        "{name}: the compressed data {damage}; the first {kept} decoded bytes are kept; fetch the file again"
    )]
    Decode {
        /// The file.
        name: String,
        /// How it is damaged: what is said of it.
        damage: String,
        /// Decoded bytes that are readable.
        kept: u64,
    },
    /// A JSON document that has no list where it was looked for.
    #[error("{name}: {what}; name another with --rows-at, or leave that out to have it found")]
    NoList {
        /// The file.
        name: String,
        /// Where none is.
        what: String,
    },
    /// A document or a table that cannot be read to its end; the rows before stay readable.
    #[error(
        "{name}: {what}; {}fetch the file again, or mend it there", kept_before(*kept, unit)
    )]
    Broken {
        /// The file.
        name: String,
        /// What is wrong, and where.
        what: String,
        /// How many rows are readable.
        kept: u64,
        /// What one of them is called.
        unit: &'static str,
    },
    /// The system failed.
    #[error("{name}: {what}; try again, or copy the file to another disk first")]
    Io {
        /// The file.
        name: String,
        /// What the system said.
        what: String,
    },
    /// There is no room for the decoded bytes.
    #[error(
        "{name}: no room for its decoded bytes ({what}); set TMPDIR to a folder with enough space"
    )]
    Spool {
        /// The file.
        name: String,
        /// What the system said.
        what: String,
    },
    /// Bytes that were there when it was opened are gone.
    #[error("{0} is shorter than when it was opened; read it again (R) once nothing writes to it")]
    Shrunk(String),
    /// Other bytes are there than when it was opened.
    #[error("{0} was changed since it was opened; read it again (R) once nothing writes to it")]
    Changed(String),
}

/// Advice with the name of the file in its command, where that needs no quotes in a shell.
fn advice_on(advice: &str, name: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "._-/+=,@%".contains(sign);
    match !name.is_empty() && !name.starts_with('-') && name.chars().all(is_plain) {
        true => advice.replace("FILE", name),
        false => advice.to_owned(),
    }
}

/// What is said of the rows before the one that is broken, if there are any.
fn kept_before(kept: u64, unit: &str) -> String {
    match kept {
        0 => String::new(),
        1 => format!("the {unit} before it is kept; "),
        _ => format!("the {} before it are kept; ", counted(kept as usize, unit)),
    }
}

impl SourceError {
    /// Whether the file is not what it was, so that nothing read of it may be told.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Shrunk(_) | Self::Changed(_))
    }

    /// What an error of opening means.
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

    /// What an error of reading means.
    pub(super) fn of_io(name: &str, error: &io::Error) -> Self {
        Self::Io {
            name: name.to_owned(),
            what: error.to_string(),
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
