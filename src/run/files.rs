//! Files that leave the program.

use std::path::PathBuf;

use crate::app::{Export, Selection};
use crate::dataset::Dataset;
use crate::export::{InputFile, Request, Target, to_file, write};
use crate::journal::Ledger;

/// Writes what was asked for; gives what to say of it.
///
/// # Errors
/// In words for people; then no file was changed.
pub(super) fn export(
    export: &Export,
    dataset: &Dataset,
    ledger: &Ledger,
    inputs: &[InputFile],
    journals: &[PathBuf],
    wanted: &dyn Fn(usize) -> bool,
) -> Result<String, String> {
    let path = at_home(&export.path);
    let target = Target { path: &path, overwrite: export.overwrite, inputs, journals };
    let title = match export.selection {
        Selection::Result => "Samples".to_owned(),
        Selection::Marks => "Marked samples".to_owned(),
        Selection::Session => "Samples of an audit".to_owned(),
    };
    let request = Request { dataset, samples: &export.samples, ledger, format: export.format, title };
    let written = to_file(&target, &mut |out| write(&request, out, wanted)).map_err(|error| error.to_string())?;
    let samples = if written.samples == 1 { "1 sample".to_owned() } else { format!("{} samples", written.samples) };
    Ok(format!("{samples} written to {}.", path.display()))
}

/// A path as a shell would have it: `~` is the user's own folder.
fn at_home(path: &str) -> PathBuf {
    let home = path.strip_prefix("~/").and_then(|rest| Some(PathBuf::from(super::environment("HOME")?).join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}
