//! Detects changes to an open file: other programs append to, rewrite and replace files while they
//! are being read.

use std::cmp::Ordering;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::open::open;

/// How a file differs from its state when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    /// The file is shorter.
    Shrunk,
    /// The file is longer.
    Grown,
    /// The file has the same length but was written to.
    Modified,
    /// The path leads to another file.
    Replaced,
    /// The path no longer exists.
    Gone,
}

/// The state of a file when it was opened.
#[derive(Debug, Clone)]
pub(super) struct FileStamp {
    /// `None` for standard input.
    pub(super) path: Option<PathBuf>,
    /// Device and inode.
    identity: (u64, u64),
    len: u64,
    /// Number of hard links.
    links: u64,
    /// `None` if the file never stopped changing.
    times: Option<Times>,
}

/// The time of the last write and of the last change (including times and names), in seconds and
/// nanoseconds of the file system's clock, which may be another machine's. A writer can set back
/// the first time but not the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Times {
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The clock of file time stamps or, on other systems, one that never lags it.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::RealtimeCoarse;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Realtime;

/// How often, and for how long each time, to wait for a file that was just written to.
const SETTLING: u32 = 16;
const MOMENT: Duration = Duration::from_millis(1);
/// The longest tick of the file system's clock: a kernel with 100 ticks per second.
const TICK: Duration = Duration::from_millis(10);

impl FileStamp {
    /// Records the state of an open file. If it was written to in the current tick of the clock,
    /// waits for the next tick (a few milliseconds), because a later write in the same tick would
    /// get the same time and go undetected.
    ///
    /// # Errors
    /// If the file's metadata cannot be read.
    pub(super) fn new(file: &File, path: Option<&Path>) -> io::Result<Self> {
        let began = Instant::now();
        let mut settling = Settling::default();
        let mut metadata = file.metadata()?;
        for _ in 0..SETTLING {
            if settling.is_settled(times(&metadata), clock(), began.elapsed()) {
                break;
            }
            thread::sleep(MOMENT);
            metadata = file.metadata()?;
        }
        let now = times(&metadata);
        Ok(Self {
            path: path.map(Path::to_owned),
            identity: identity(&metadata),
            len: metadata.len(),
            links: metadata.nlink(),
            times: settling
                .is_settled(now, clock(), began.elapsed())
                .then_some(now),
        })
    }

    /// Returns the device and the inode, which are the same under any name.
    pub(super) fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Returns the size in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns how the file at the path differs now, if it does. One `stat`. Counts as unchanged: a
    /// path that cannot be examined for another reason than absence, and input without a path.
    pub(super) fn change(&self) -> Option<FileChange> {
        match fs::metadata(self.path.as_ref()?) {
            Ok(now) => self.change_to(&now),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Some(FileChange::Gone)
            }
            Err(_) => None,
        }
    }

    /// Opens the file at the path, which may have changed.
    pub(super) fn open(&self) -> io::Result<File> {
        open(self.path.as_deref().ok_or(io::ErrorKind::NotFound)?)
    }

    /// Fills `room` from a file that is opened only for this.
    ///
    /// # Errors
    /// [`io::ErrorKind::StaleNetworkFileHandle`] if it was rewritten or replaced.
    pub(super) fn read_exact_at(&self, room: &mut [u8], at: u64) -> io::Result<()> {
        let file = self.open()?;
        file.read_exact_at(room, at)?;
        match self.change_of(&file) {
            None | Some(FileChange::Grown) => Ok(()),
            Some(_) => Err(io::ErrorKind::StaleNetworkFileHandle.into()),
        }
    }

    /// Returns how an open file differs now, if it does, wherever its path leads. One `fstat`.
    pub(super) fn change_of(&self, file: &File) -> Option<FileChange> {
        // Without metadata, the content cannot be trusted.
        file.metadata()
            .map_or(Some(FileChange::Modified), |now| self.change_to(&now))
    }

    fn change_to(&self, now: &Metadata) -> Option<FileChange> {
        match now.len().cmp(&self.len) {
            _ if identity(now) != self.identity => Some(FileChange::Replaced),
            Ordering::Less => Some(FileChange::Shrunk),
            Ordering::Greater => Some(FileChange::Grown),
            Ordering::Equal => (!self.is_as_written(now)).then_some(FileChange::Modified),
        }
    }

    /// True if a file of the same length was not written to. If only the change time differs, a
    /// program may have written and set back the write time; the file is trusted only if a new,
    /// moved or lost name explains the difference. A change of permissions or owner does not.
    fn is_as_written(&self, now: &Metadata) -> bool {
        let Some(before) = self.times else {
            return false;
        };
        let times = times(now);
        let has_other_names = || {
            let leads_here = |path: &PathBuf| {
                fs::metadata(path).is_ok_and(|found| identity(&found) == self.identity)
            };
            now.nlink() != self.links || self.path.as_ref().is_some_and(|path| !leads_here(path))
        };
        times.modified == before.modified && (times.changed == before.changed || has_other_names())
    }
}

/// Waits until later writes to the file will get another time.
#[derive(Debug, Default)]
struct Settling {
    /// The times that were found, and when they were found first.
    found: Option<(Times, Duration)>,
}

impl Settling {
    /// True if the file's clock has ticked since its last change. `clock` is this machine's,
    /// `elapsed` grows between calls. The file's clock may run ahead of this machine's, so times
    /// that stay the same for a tick suffice.
    fn is_settled(&mut self, times: Times, clock: (i64, i64), elapsed: Duration) -> bool {
        let (_, since) = *self.found.insert(match self.found {
            Some((found, since)) if found == times => (found, since),
            _ => (times, elapsed),
        });
        times.changed < clock || elapsed > since + TICK
    }
}

/// Returns this machine's file clock in seconds and nanoseconds.
fn clock() -> (i64, i64) {
    let now = clock_gettime(CLOCK);
    (now.tv_sec, now.tv_nsec)
}

/// Returns the device and the inode of a file.
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn times(metadata: &Metadata) -> Times {
    Times {
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{FileExt, PermissionsExt};
    use std::sync::atomic::{self, AtomicBool, AtomicUsize};
    use std::time::SystemTime;

    use super::*;

    type Act = fn(&Path);

    #[test]
    fn changes() {
        let modify: Act = |path| {
            let later = SystemTime::now() + Duration::from_secs(9);
            fs::File::options()
                .write(true)
                .open(path)
                .expect("a file")
                .set_modified(later)
                .expect("touched");
        };
        let replace: Act = |path| {
            let other = path.with_extension("new");
            fs::write(&other, "abc").expect("written");
            fs::rename(other, path).expect("renamed");
        };
        let in_place: Act = |path| {
            File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.write_all_at(b"x", 1))
                .expect("written");
        };
        // Like `cp -p` and `rsync --inplace --times`.
        let set_back: Act = |path| {
            let before = fs::metadata(path)
                .and_then(|found| found.modified())
                .expect("a time");
            let file = File::options().write(true).open(path).expect("opened");
            file.write_all_at(b"x", 1)
                .and_then(|()| file.set_modified(before))
                .expect("written");
        };
        let rename: Act = |path| fs::rename(path, path.with_extension("old")).expect("renamed");
        let link: Act = |path| fs::hard_link(path, path.with_extension("also")).expect("linked");
        let give_away: Act =
            |path| fs::set_permissions(path, Permissions::from_mode(0o640)).expect("set");
        // Expected changes by path and by open file.
        let cases: [(Act, Option<FileChange>, Option<FileChange>); 11] = [
            (
                set_back,
                Some(FileChange::Modified),
                Some(FileChange::Modified),
            ),
            (rename, Some(FileChange::Gone), None),
            (link, None, None),
            // The change time cannot show what else was done.
            (
                give_away,
                Some(FileChange::Modified),
                Some(FileChange::Modified),
            ),
            (|_| {}, None, None),
            (
                |path| fs::write(path, "a").expect("written"),
                Some(FileChange::Shrunk),
                Some(FileChange::Shrunk),
            ),
            (
                |path| fs::write(path, "abcdef").expect("written"),
                Some(FileChange::Grown),
                Some(FileChange::Grown),
            ),
            (
                modify,
                Some(FileChange::Modified),
                Some(FileChange::Modified),
            ),
            (
                in_place,
                Some(FileChange::Modified),
                Some(FileChange::Modified),
            ),
            (replace, Some(FileChange::Replaced), None),
            (
                |path| fs::remove_file(path).expect("removed"),
                Some(FileChange::Gone),
                None,
            ),
        ];
        for (act, by_path, itself) in cases {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("f.jsonl");
            fs::write(&path, "abc").expect("written");
            let file = File::open(&path).expect("opened");
            let stamp = FileStamp::new(&file, Some(&path)).expect("a stamp");
            // Immediately: in the same tick of the clock if `new` did not wait.
            act(&path);
            assert_eq!((stamp.change(), stamp.change_of(&file)), (by_path, itself));
            let nameless = FileStamp {
                path: None,
                ..stamp
            };
            // Without a name, a change of the change time cannot be explained.
            let is_renamed =
                by_path == Some(FileChange::Gone) && path.with_extension("old").exists();
            let itself = if is_renamed {
                Some(FileChange::Modified)
            } else {
                itself
            };
            assert_eq!(
                (nameless.change(), nameless.change_of(&file)),
                (None, itself)
            );
        }
    }

    #[test]
    fn a_file_is_settled_once_what_is_written_gets_another_time() {
        let at = |milliseconds: i64| (milliseconds / 1000, milliseconds % 1000 * 1_000_000);
        // Milliseconds since the first look, the file's time by its own clock, and this machine's
        // clock.
        type Look = (u64, i64, i64);
        let cases: [(&str, &[Look], bool); 8] = [
            ("written long ago", &[(0, 1000, 90_000)], true),
            ("written in this tick", &[(0, 5000, 5000)], false),
            (
                "the next tick came",
                &[(0, 5000, 5000), (4, 5000, 5004)],
                true,
            ),
            (
                "a server's clock half a second ahead",
                &[(0, 5500, 5000)],
                false,
            ),
            (
                "and it stood for a tick",
                &[(0, 5500, 5000), (5, 5500, 5005), (11, 5500, 5011)],
                true,
            ),
            (
                "and it was written to meanwhile",
                &[(0, 5500, 5000), (5, 5505, 5005), (11, 5505, 5011)],
                false,
            ),
            (
                "a clock a day ahead proves nothing",
                &[(0, 86_405_000, 5000)],
                false,
            ),
            (
                "written to all the time",
                &[(0, 5000, 5000), (4, 5004, 5004), (12, 5012, 5012)],
                false,
            ),
        ];
        for (name, looks, settled) in cases {
            let mut settling = Settling::default();
            let mut last = false;
            for &(elapsed, written, clock) in looks {
                let times = Times {
                    modified: at(written),
                    changed: at(written),
                };
                last = settling.is_settled(times, at(clock), Duration::from_millis(elapsed));
            }
            assert_eq!(last, settled, "{name}");
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
            let stamp = FileStamp::new(&file, None).expect("a stamp");
            let before = count();
            while count() < before + 2 {
                thread::yield_now();
            }
            over.store(true, atomic::Ordering::Relaxed);
            // Either the file never settled, or the later write shows.
            assert_eq!(stamp.change_of(&file), Some(FileChange::Modified));
        });
    }
}
