//! Files that leave the program.

use std::path::Path;

use crate::app::Export;
use crate::dataset::Dataset;
use crate::export::{Request, to_file, write};
use crate::journal::Ledger;
use crate::review::Places;

/// Writes what was asked for; gives what to say of it.
///
/// # Errors
/// In words for people; then no file was changed.
pub(super) fn export(
    export: &Export,
    dataset: &Dataset,
    ledger: &Ledger,
    places: &Places,
    journal: Option<&Path>,
    wanted: &dyn Fn() -> bool,
) -> Result<String, String> {
    let _ = (export, dataset, ledger, places, journal, wanted);
    todo!()
}
