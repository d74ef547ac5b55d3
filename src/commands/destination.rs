//! The output of a subcommand, and its cancellation by signals.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::data::OutputArgs;
use super::loading::DataSource;
use super::output::with_stdout;
use crate::export::{ExportError, InputFile, Target, to_file};
use crate::run::{Failure, signal_exit_code};
use crate::term::Ending;

/// The output of a subcommand, and the files that it must not overwrite.
pub(super) struct Destination<'a> {
    pub(super) output: Option<&'a Path>,
    overwrite: bool,
    inputs: Vec<InputFile>,
    journals: &'a [PathBuf],
    /// Signal handlers, installed on first use. Until then signals end the process as usual, since
    /// there is nothing to clean up.
    stop: OnceLock<Option<Ending>>,
}

impl<'a> Destination<'a> {
    /// Records the inputs. Call this before reading them, because a name may refer to another file
    /// by the time the output is written.
    pub(super) fn of(source: &'a DataSource, saving: &'a OutputArgs) -> Self {
        Self {
            output: saving.output.as_deref(),
            overwrite: saving.force,
            inputs: source
                .loader
                .all_inputs()
                .filter_map(InputFile::of)
                .collect(),
            journals: &source.journal.paths,
            stop: OnceLock::new(),
        }
    }

    /// Returns the target for `path`, protected against overwriting the same files.
    pub(super) fn target<'t>(&'t self, path: &'t Path) -> Target<'t> {
        Target {
            path,
            overwrite: self.overwrite,
            inputs: &self.inputs,
            journals: self.journals,
        }
    }

    /// Checks that the output (and the file beside it) can be written, so that a long export does
    /// not fail at its end because a file already exists.
    pub(super) fn check(&self, beside: Option<&Path>) -> Result<(), Failure> {
        let mut paths = self.output.into_iter().chain(beside);
        Ok(paths.try_for_each(|path| self.target(path).check())?)
    }

    /// True if no signal requests to stop. Always true for a pipe, which may end anywhere.
    pub(super) fn keep_going(&self) -> bool {
        self.output.is_none() || {
            // Without handlers a signal ends the process at once.
            self.stop.get_or_init(|| Ending::watch().ok());
            self.signal().is_none()
        }
    }

    fn signal(&self) -> Option<i32> {
        self.stop.get()?.as_ref()?.signal()
    }

    /// Returns the result of the subcommand, or the exit code for the signal that ended it.
    pub(super) fn finish(&self, done: Result<(), Failure>) -> Result<(), Failure> {
        match self.signal() {
            Some(number) => Err(Failure {
                exit: signal_exit_code(number),
                reason: done.err().and_then(|failed| failed.reason),
            }),
            None => done,
        }
    }

    /// Writes a file atomically, or streams to standard output.
    pub(super) fn write<T>(
        &self,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
    ) -> Result<T, ExportError> {
        let Some(path) = self.output else {
            return with_stdout(|out| {
                let result = fill(out)?;
                out.flush()?;
                Ok(result)
            });
        };
        // Last check for signals: a file is created from here on.
        self.check_cancelled()?;
        to_file(&self.target(path), &mut |out: &mut dyn Write| {
            let result = fill(out)?;
            self.check_cancelled()?;
            Ok(result)
        })
    }

    /// Returns [`ExportError::Stopped`] if a signal requests to stop.
    pub(super) fn check_cancelled(&self) -> Result<(), ExportError> {
        if self.keep_going() {
            Ok(())
        } else {
            Err(ExportError::Stopped)
        }
    }
}
