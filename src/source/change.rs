//! Whether the file behind a path is still what was opened: people append to, rewrite and replace files that are being read.

use std::cmp::Ordering;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How a file differs from what was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is shorter.
    Shrunk,
    /// It is longer.
    Grown,
    /// It is as long as before, but was written to.
    Modified,
    /// Its path leads to another file.
    Replaced,
    /// Its path leads nowhere.
    Gone,
}

/// What a file was like when it was opened.
#[derive(Debug)]
pub(super) struct Stamp {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
    len: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
}

impl Stamp {
    pub(super) fn new(path: &Path, metadata: &Metadata) -> Self {
        Self { path: path.to_owned(), identity: identity(metadata), len: metadata.len(), modified: modified(metadata) }
    }

    /// How the file differs now, if it does. One `stat`; a path that cannot be looked at for another reason than that it
    /// leads nowhere is taken as unchanged.
    pub(super) fn change(&self) -> Option<Change> {
        let now = match fs::metadata(&self.path) {
            Ok(now) => now,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Some(Change::Gone);
            }
            Err(_) => return None,
        };
        if identity(&now) != self.identity {
            return Some(Change::Replaced);
        }
        match now.len().cmp(&self.len) {
            Ordering::Less => Some(Change::Shrunk),
            Ordering::Greater => Some(Change::Grown),
            Ordering::Equal => (modified(&now) != self.modified).then_some(Change::Modified),
        }
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    type Act = fn(&Path);

    #[test]
    fn changes() {
        let modify: Act = |path| {
            let later = SystemTime::now() + Duration::from_secs(9);
            fs::File::options().write(true).open(path).expect("a file").set_modified(later).expect("touched");
        };
        let replace: Act = |path| {
            let other = path.with_extension("new");
            fs::write(&other, "abc").expect("written");
            fs::rename(other, path).expect("renamed");
        };
        let cases: [(Act, Option<Change>); 6] = [
            (|_| {}, None),
            (|path| fs::write(path, "a").expect("written"), Some(Change::Shrunk)),
            (|path| fs::write(path, "abcdef").expect("written"), Some(Change::Grown)),
            (modify, Some(Change::Modified)),
            (replace, Some(Change::Replaced)),
            (|path| fs::remove_file(path).expect("removed"), Some(Change::Gone)),
        ];
        for (act, expected) in cases {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("f.jsonl");
            fs::write(&path, "abc").expect("written");
            let stamp = Stamp::new(&path, &fs::metadata(&path).expect("there"));
            act(&path);
            assert_eq!(stamp.change(), expected);
        }
    }
}
