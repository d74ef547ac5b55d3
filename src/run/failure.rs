//! Exit codes and error messages of the program.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::dataset::LoadError;
use crate::export::ExportError;
use crate::source::SourceError;
use crate::text;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Everything succeeded.
    Success = 0,
    /// Something failed while running.
    Failure = 1,
    /// The command line or a file is invalid, and nothing was shown.
    Usage = 2,
    /// A file changed while it was read. Only an export to standard output can have printed rows.
    Changed = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the program ends early, and its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: u8,
    /// The message; `None` if the user knows the reason.
    pub(crate) reason: Option<String>,
}

impl Failure {
    fn of(exit: Exit, reason: impl Display) -> Self {
        Self {
            exit: exit as u8,
            reason: Some(reason.to_string()),
        }
    }

    pub(crate) fn usage(reason: impl Display) -> Self {
        Self::of(Exit::Usage, reason)
    }

    pub(crate) fn runtime(reason: impl Display) -> Self {
        Self::of(Exit::Failure, reason)
    }

    pub(crate) fn changed(reason: impl Display) -> Self {
        Self::of(Exit::Changed, reason)
    }

    /// Fails without a message, because the user knows the reason.
    pub(crate) fn silent(exit: u8) -> Self {
        Self { exit, reason: None }
    }
}

/// Converts errors of files and of the command line. A file that changes while it is read has
/// another exit code, because the command line is not wrong.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let is_change = error.downcast_ref().is_some_and(SourceError::is_change)
            || error.downcast_ref().is_some_and(LoadError::is_change);
        if is_change {
            Self::changed(format!("{error:#}"))
        } else {
            Self::usage(format!("{error:#}"))
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        anyhow::Error::from(error).into()
    }
}

/// Converts errors of writing: a bad file name is a usage error; a closed pipe is a success.
impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Exists { .. }
            | ExportError::Protected { .. }
            | ExportError::NotAFile { .. } => Self::usage(error),
            ExportError::Output(error) if error.kind() == ErrorKind::BrokenPipe => {
                Self::silent(Exit::Success as u8)
            }
            ExportError::Altered(_) => Self::changed(error),
            ExportError::Read(ref read) if read.is_change() => Self::changed(error),
            other => Self::runtime(other),
        }
    }
}

/// Returns the exit code of a program that a signal ended, as in shells.
pub(crate) fn signal_exit_code(number: i32) -> u8 {
    128 + u8::try_from(number).unwrap_or_default()
}

/// Returns success if the reader closed the pipe early.
pub(crate) fn ignore_closed_pipe(error: io::Error) -> Result<(), Failure> {
    match Failure::from(ExportError::Output(error)) {
        Failure { exit: 0, .. } => Ok(()),
        failed => Err(failed),
    }
}

/// Prints a message on standard error. It is sanitised because it may quote a file's name or
/// content.
pub(crate) fn print_stderr(reason: &str) {
    // Not `eprintln`, which panics if standard error is closed.
    let _ = writeln!(io::stderr(), "visavis: {}", text::one_line(reason, 2000));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_shrinks_while_rows_are_written_has_its_own_exit_code() {
        let error = |change| ExportError::Read(change);
        let shrunk = error(SourceError::Shrunk("x.jsonl".to_owned()));
        assert_eq!(Failure::from(shrunk).exit, Exit::Changed as u8);
        let other = error(SourceError::Empty("x.jsonl".to_owned()));
        assert_eq!(Failure::from(other).exit, Exit::Failure as u8);
    }
}
