//! Names of the files that visavis writes next to datasets, so that it does not open them as data.

use std::path::{Path, PathBuf};

const JOURNAL: &str = ".review.jsonl";
const PROVENANCE: &str = ".provenance.jsonl";

/// Returns the path of a dataset's journal, next to its first file.
pub fn journal_path(first: &Path) -> PathBuf {
    add_suffix(first, JOURNAL)
}

/// Returns the path of the file that records where exported rows come from.
pub fn provenance_path(exported: &Path) -> PathBuf {
    add_suffix(exported, PROVENANCE)
}

/// True if a file name is one of these.
pub(super) fn is_own(name: &str) -> bool {
    name.ends_with(JOURNAL) || name.ends_with(PROVENANCE)
}

/// Appends a suffix to the name of a file.
pub fn add_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
