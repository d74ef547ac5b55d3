//! `visavis diff`: how two versions of a dataset differ.

use super::loading::{LoadedFiles, RowUse, load};
use super::{DataSource, Notes};
use crate::export::{difference_as_json, difference_as_text};
use crate::profile::Difference;

/// How two datasets differ, in words or as JSON.
#[derive(Debug)]
pub struct ComparedFiles {
    /// What to print.
    pub text: String,
    /// Whether they say the same.
    pub is_same: bool,
    /// What a person should know of the files.
    pub notes: Notes,
}

/// Compares two files, the old one first; of changes of each kind so many are listed.
///
/// # Errors
/// When one of them cannot be opened or understood, or is written to meanwhile.
pub fn diff(
    [old, new]: &[DataSource; 2],
    most: usize,
    as_json: bool,
) -> anyhow::Result<ComparedFiles> {
    let files = |source| -> anyhow::Result<LoadedFiles> { load("", source, RowUse::ReadAgain) };
    let (old, new) = (files(old)?, files(new)?);
    let difference = Difference::of(&old.dataset, &new.dataset);
    let text = match as_json {
        true => difference_as_json(&difference, most),
        false => difference_as_text(&difference, most),
    };
    let is_same = difference.is_none();
    // What was compared must be of the same content to the end.
    old.dataset.check_unchanged()?;
    new.dataset.check_unchanged()?;
    let mut notes = Notes::default();
    for files in [old, new] {
        let name = files.dataset.files().first();
        let name = name.map_or("", |file| file.source.name()).to_owned();
        let of_file = Notes::of(&files.dataset, files.troubles);
        let remarks = of_file.remarks.into_iter();
        let remarks = remarks.map(|remark| format!("{name}: {remark}"));
        notes.remarks.extend(remarks);
        notes.troubles.extend(of_file.troubles);
    }
    Ok(ComparedFiles {
        text,
        is_same,
        notes,
    })
}
