//! Whether a file on disk is still what was opened.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a file differs from what was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is shorter.
    Shrunk,
    /// It is longer.
    Grown,
    /// It was written to.
    Modified,
    /// Its path leads to another file.
    Replaced,
    /// Its path leads nowhere.
    Gone,
}

/// What a file was like when it was opened.
#[derive(Debug)]
pub(super) struct Origin {
    path: PathBuf,
    identity: (u64, u64),
    len: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
}

impl Origin {
    pub(super) fn new(path: &Path, metadata: &Metadata) -> Self {
        Self {
            path: path.to_owned(),
            identity: (metadata.dev(), metadata.ino()),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// How it differs now.
    pub(super) fn change(&self) -> Option<Change> {
        let Ok(now) = fs::metadata(&self.path) else { return Some(Change::Gone) };
        if (now.dev(), now.ino()) != self.identity {
            return Some(Change::Replaced);
        }
        match now.len().cmp(&self.len) {
            std::cmp::Ordering::Less => Some(Change::Shrunk),
            std::cmp::Ordering::Greater => Some(Change::Grown),
            std::cmp::Ordering::Equal => ((now.mtime(), now.mtime_nsec()) != self.modified).then_some(Change::Modified),
        }
    }
}
