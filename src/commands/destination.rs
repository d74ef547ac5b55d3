//! Where a subcommand writes to, and why nothing was written.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{DataSource, Notes, SelectionError};
use crate::cli::OutputArgs;
use crate::export::{ExportError, InputFile, Target, to_file};
use crate::parallel::KeepGoing;

/// Why nothing was exported.
#[derive(Debug)]
pub enum SaveError {
    /// The files, the journal, the command line or the query are not right.
    Selection(SelectionError),
    /// Something failed on the way.
    Export(ExportError),
    /// Something failed on the way, and what a person should know of what was read tells why.
    Noted(Box<Notes>, ExportError),
}

impl From<anyhow::Error> for SaveError {
    fn from(error: anyhow::Error) -> Self {
        Self::Selection(SelectionError::Files(error))
    }
}

impl From<SelectionError> for SaveError {
    fn from(error: SelectionError) -> Self {
        Self::Selection(error)
    }
}

/// Where a subcommand writes to, and what it must not fall upon.
pub(super) struct Destination<'a> {
    pub(super) output: Option<&'a Path>,
    overwrite: bool,
    inputs: Vec<InputFile>,
    journals: Vec<PathBuf>,
}

impl<'a> Destination<'a> {
    /// To be made before the inputs are read: a name can lead elsewhere by the time that something
    /// is written.
    pub(super) fn of(source: &DataSource, saving: &'a OutputArgs) -> Self {
        let journals = source.journal.path.iter();
        let journals = journals.chain(&source.journal.also_read);
        Self {
            output: saving.output.as_deref(),
            overwrite: saving.force,
            inputs: source
                .loader
                .all_inputs()
                .filter_map(InputFile::of)
                .collect(),
            journals: journals.cloned().collect(),
        }
    }

    /// A file that must not fall upon the same.
    pub(super) fn target<'t>(&'t self, path: &'t Path) -> Target<'t> {
        Target {
            path,
            overwrite: self.overwrite,
            inputs: &self.inputs,
            journals: &self.journals,
        }
    }

    /// Whether something can be written there: whoever waits for a million rows is not told behind
    /// them that a file is in the way.
    pub(super) fn check(&self) -> Result<(), SaveError> {
        let target = self.output.map(|path| self.target(path).check());
        target.unwrap_or(Ok(())).map_err(SaveError::Export)
    }

    /// Into a file that is there whole or not at all, or straight to `out`.
    pub(super) fn write<T>(
        &self,
        out: &mut dyn Write,
        wanted: &dyn KeepGoing,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<T, ExportError>,
    ) -> Result<T, SaveError> {
        let Some(path) = self.output else {
            return fill(out)
                .and_then(|given| Ok(out.flush().map(|()| given)?))
                .map_err(SaveError::Export);
        };
        let target = self.target(path);
        let mut fill = |out: &mut dyn Write| {
            let given = fill(out)?;
            // The last look: from here on the file is made.
            if wanted() {
                Ok(given)
            } else {
                Err(ExportError::Stopped)
            }
        };
        if wanted() {
            to_file(&target, &mut fill)
        } else {
            Err(ExportError::Stopped)
        }
        .map_err(SaveError::Export)
    }
}
