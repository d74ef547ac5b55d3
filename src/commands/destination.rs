//! Where a subcommand writes to, and what stops it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::data::OutputArgs;
use super::loading::DataSource;
use super::output::onto_stdout;
use crate::export::{ExportError, InputFile, Target, to_file};
use crate::run::{Failed, by_signal};
use crate::term::Ending;

/// Where a subcommand writes to, and what it must not fall upon.
pub(super) struct Destination<'a> {
    pub(super) output: Option<&'a Path>,
    overwrite: bool,
    inputs: Vec<InputFile>,
    journals: &'a [PathBuf],
    /// What tells whether a signal asks to stop. Until that is first looked at signals end the
    /// process as ever: there is nothing to be cleared away.
    stop: OnceLock<Option<Ending>>,
}

impl<'a> Destination<'a> {
    /// To be made before the inputs are read: a name can lead elsewhere by the time that something
    /// is written.
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

    /// A file that must not fall upon the same.
    pub(super) fn target<'t>(&'t self, path: &'t Path) -> Target<'t> {
        Target {
            path,
            overwrite: self.overwrite,
            inputs: &self.inputs,
            journals: self.journals,
        }
    }

    /// Whether something can be written there, and beside it: who waits for a million rows is not
    /// told behind them that a file is in the way.
    pub(super) fn check(&self, beside: Option<&Path>) -> Result<(), Failed> {
        let mut paths = self.output.into_iter().chain(beside);
        Ok(paths.try_for_each(|path| self.target(path).check())?)
    }

    /// Whether to go on: what goes to a pipe may end anywhere.
    pub(super) fn is_wanted(&self) -> bool {
        self.output.is_none() || {
            // Without handlers a signal ends the process at once.
            self.stop.get_or_init(|| Ending::watch().ok());
            self.signal().is_none()
        }
    }

    fn signal(&self) -> Option<i32> {
        self.stop.get()?.as_ref()?.signal()
    }

    /// What came of the subcommand, or the exit code of one that a signal ended; what was not
    /// written was said.
    pub(super) fn ended(&self, done: Result<(), Failed>) -> Result<(), Failed> {
        match self.signal() {
            Some(number) => Err(Failed {
                exit: by_signal(number),
                reason: done.err().and_then(|failed| failed.reason),
            }),
            None => done,
        }
    }

    /// Into a file that is there whole or not at all, or straight onto standard output.
    pub(super) fn write<T>(
        &self,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
    ) -> Result<T, ExportError> {
        let Some(path) = self.output else {
            return onto_stdout(|out| {
                let given = fill(out)?;
                out.flush()?;
                Ok(given)
            });
        };
        // The last look is behind all: from there on the file is made.
        self.require_wanted()?;
        to_file(&self.target(path), &mut |out: &mut dyn Write| {
            let given = fill(out)?;
            self.require_wanted()?;
            Ok(given)
        })
    }

    /// Stops where that is asked for.
    pub(super) fn require_wanted(&self) -> Result<(), ExportError> {
        match self.is_wanted() {
            true => Ok(()),
            false => Err(ExportError::Stopped),
        }
    }
}
