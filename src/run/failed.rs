//! How the program ends, and what it says of that.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::dataset::LoadError;
use crate::export::ExportError;
use crate::source::SourceError;
use crate::text;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All went well.
    Success = 0,
    /// Something failed on the way.
    Failure = 1,
    /// The command line or a file is not right, and nothing was shown.
    Usage = 2,
    /// A file changed while it was read, and nothing was printed.
    Changed = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the program ends early, and with which exit code.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) exit: u8,
    /// What to say; nothing where the one who ended it knows why.
    pub(crate) reason: Option<String>,
}

impl Failed {
    pub(crate) fn usage(reason: impl Display) -> Self {
        Self {
            exit: Exit::Usage as u8,
            reason: Some(reason.to_string()),
        }
    }

    pub(crate) fn on_the_way(reason: impl Display) -> Self {
        Self {
            exit: Exit::Failure as u8,
            reason: Some(reason.to_string()),
        }
    }

    pub(crate) fn changed(reason: impl Display) -> Self {
        Self {
            exit: Exit::Changed as u8,
            reason: Some(reason.to_string()),
        }
    }

    /// Who ended the program knows why.
    pub(crate) fn silently(exit: u8) -> Self {
        Self { exit, reason: None }
    }
}

/// What is wrong with files or the command line. A file that changes while it is read is nobody's
/// slip, and has an exit code of its own.
impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        let is_change = error.downcast_ref().is_some_and(SourceError::is_change)
            || error.downcast_ref().is_some_and(LoadError::is_change);
        match is_change {
            true => Self::changed(format!("{error:#}")),
            false => Self::usage(format!("{error:#}")),
        }
    }
}

impl From<SourceError> for Failed {
    fn from(error: SourceError) -> Self {
        anyhow::Error::from(error).into()
    }
}

/// Why a file was not written: a name that does not do is a slip of whoever typed it, and whoever
/// stops reading has enough.
impl From<ExportError> for Failed {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Exists { .. } | ExportError::Kept { .. } | ExportError::NoFile { .. } => {
                Self::usage(error)
            }
            ExportError::Output(error) if error.kind() == ErrorKind::BrokenPipe => {
                Self::silently(Exit::Success as u8)
            }
            ExportError::Altered(_) => Self::changed(error),
            other => Self::on_the_way(other),
        }
    }
}

/// The exit code of a program that a signal ended, as shells count it.
pub(crate) fn by_signal(number: i32) -> u8 {
    128 + u8::try_from(number).unwrap_or_default()
}

/// The reader may stop early: that is no failure.
pub(crate) fn closed_pipe(error: io::Error) -> Result<(), Failed> {
    match Failed::from(ExportError::Output(error)) {
        Failed { exit: 0, .. } => Ok(()),
        failed => Err(failed),
    }
}

/// Says what is wrong on standard error. A message can quote a file's name or contents: neither may
/// control the terminal.
pub(crate) fn complain(reason: &str) {
    // Not `eprintln`, which panics where nobody reads it.
    let _ = writeln!(io::stderr(), "visavis: {}", text::one_line(reason, 2000));
}
