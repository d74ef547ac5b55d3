//! Whether a file still is what was opened: people append to, rewrite and replace files that are being read.

use std::cmp::Ordering;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

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
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    /// `None` for standard input.
    path: Option<PathBuf>,
    /// Device and inode.
    identity: (u64, u64),
    len: u64,
    /// Seconds and nanoseconds; `None` where it was being written to all the time.
    modified: Option<(i64, i64)>,
}

/// The clock that files are stamped by; where it is not known, one that is never behind it.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Realtime;

/// How often, and how long each time, it is waited for a file that was written to just now.
const SETTLING: u32 = 12;
const MOMENT: Duration = Duration::from_millis(1);

impl Stamp {
    /// The stamp of an open file. One that was written to in this very tick of the clock is waited for, for some milliseconds at most:
    /// what is written in the rest of the tick would get the same time, and would not be told from what is there.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(super) fn new(file: &File, path: Option<&Path>) -> io::Result<Self> {
        let mut metadata = file.metadata()?;
        for _ in 0..SETTLING {
            if is_settled(&metadata) {
                break;
            }
            thread::sleep(MOMENT);
            metadata = file.metadata()?;
        }
        Ok(Self {
            path: path.map(Path::to_owned),
            identity: identity(&metadata),
            len: metadata.len(),
            modified: is_settled(&metadata).then(|| modified(&metadata)),
        })
    }

    /// Bytes of the file.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// How what the path leads to differs now, if it does. One `stat`; a path that cannot be looked at for another reason than that it
    /// leads nowhere is taken as unchanged, and so is what has none.
    pub(super) fn change(&self) -> Option<Change> {
        match fs::metadata(self.path.as_ref()?) {
            Ok(now) if identity(&now) != self.identity => Some(Change::Replaced),
            Ok(now) => self.change_to(&now),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Some(Change::Gone)
            }
            Err(_) => None,
        }
    }

    /// How the open file itself differs now, if it does, wherever its path leads. One `fstat`.
    pub(super) fn change_of(&self, file: &File) -> Option<Change> {
        // A file system that does not tell any more cannot vouch for anything.
        file.metadata().map_or(Some(Change::Modified), |now| self.change_to(&now))
    }

    fn change_to(&self, now: &Metadata) -> Option<Change> {
        match now.len().cmp(&self.len) {
            Ordering::Less => Some(Change::Shrunk),
            Ordering::Greater => Some(Change::Grown),
            Ordering::Equal => (self.modified != Some(modified(now))).then_some(Change::Modified),
        }
    }
}

/// Whether the clock that files are stamped by went on since it was written to. A time in the future is somebody else's clock.
fn is_settled(metadata: &Metadata) -> bool {
    let now = clock_gettime(CLOCK);
    let (seconds, nanoseconds) = modified(metadata);
    (seconds, nanoseconds) < (now.tv_sec, now.tv_nsec) || seconds > now.tv_sec + 1
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::{self, AtomicBool, AtomicUsize};
    use std::time::SystemTime;

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
        let in_place: Act = |path| {
            File::options().write(true).open(path).and_then(|file| file.write_all_at(b"x", 1)).expect("written");
        };
        // What the path tells, and what the open file does.
        let cases: [(Act, Option<Change>, Option<Change>); 7] = [
            (|_| {}, None, None),
            (|path| fs::write(path, "a").expect("written"), Some(Change::Shrunk), Some(Change::Shrunk)),
            (|path| fs::write(path, "abcdef").expect("written"), Some(Change::Grown), Some(Change::Grown)),
            (modify, Some(Change::Modified), Some(Change::Modified)),
            (in_place, Some(Change::Modified), Some(Change::Modified)),
            (replace, Some(Change::Replaced), None),
            (|path| fs::remove_file(path).expect("removed"), Some(Change::Gone), None),
        ];
        for (act, by_path, itself) in cases {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("f.jsonl");
            fs::write(&path, "abc").expect("written");
            let file = File::open(&path).expect("opened");
            let stamp = Stamp::new(&file, Some(&path)).expect("a stamp");
            // At once: in the same tick of the clock, were it not waited for.
            act(&path);
            assert_eq!((stamp.change(), stamp.change_of(&file)), (by_path, itself));
            let nameless = Stamp { path: None, ..stamp };
            assert_eq!((nameless.change(), nameless.change_of(&file)), (None, itself));
        }
    }

    #[test]
    fn a_file_that_is_written_to_all_the_time_is_never_as_it_was() {
        let file = tempfile::tempfile().expect("a file");
        file.write_all_at(b"abc", 0).expect("written");
        let (over, written) = (AtomicBool::new(false), AtomicUsize::new(0));
        let count = || written.load(atomic::Ordering::Acquire);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(atomic::Ordering::Relaxed) {
                    file.write_all_at(b"abc", 0).expect("written");
                    written.fetch_add(1, atomic::Ordering::Release);
                }
            });
            let stamp = Stamp::new(&file, None).expect("a stamp");
            let before = count();
            while count() < before + 2 {
                thread::yield_now();
            }
            over.store(true, atomic::Ordering::Relaxed);
            // Either no moment was quiet, or what was written behind it shows.
            assert_eq!(stamp.change_of(&file), Some(Change::Modified));
        });
    }
}
