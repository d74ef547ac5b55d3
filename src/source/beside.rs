//! Names of what visavis writes beside data, which is no data itself.

use std::path::{Path, PathBuf};

const JOURNAL: &str = ".review.jsonl";
const PROVENANCE: &str = ".provenance.jsonl";

/// The journal of a dataset, by its first file.
pub fn journal_path(first: &Path) -> PathBuf {
    beside(first, JOURNAL)
}

/// The file that says where the rows of an exported one come from.
pub fn provenance_path(exported: &Path) -> PathBuf {
    beside(exported, PROVENANCE)
}

/// Whether a file is one of these, by its name.
pub(super) fn is_own(name: &str) -> bool {
    name.ends_with(JOURNAL) || name.ends_with(PROVENANCE)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
