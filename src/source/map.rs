//! Scans plain files in place: a memory map that is read only while a read lease blocks writers.
//!
//! Bytes borrowed from a map must not change, but other processes can write to a file or truncate
//! it at any time. A read lease (`fcntl(2)`, `F_SETLEASE`) closes that gap. The kernel grants it
//! only while no process has the file open for writing or mapped writable. Then a process that
//! opens the file for writing or truncates it waits until the lease is released. The lease is taken
//! with the first piece in use and released with the last one. Once a writer waits, no further
//! piece is lent; the rest of the file is copied with `pread`, and
//! [`Source::check_unchanged`](super::Source::check_unchanged) reports what the writer changed.
//!
//! Limits:
//! - The kernel breaks a lease after `/proc/sys/fs/lease-break-time` (usually 45 s). A process
//!   stopped for longer within a piece (`SIGSTOP`, a debugger, a frozen container) can see changed
//!   bytes; [`pause`] prevents that for `^Z`.
//! - Opening with `O_RDONLY | O_TRUNC`, which POSIX leaves undefined, truncates on Linux without
//!   waiting. Reading a missing page raises `SIGBUS`, which ends the program.
//! - On overlayfs, writing to the layers below a mounted overlay, which its documentation forbids,
//!   does not wait.
//! - Programs that open with `O_NONBLOCK` get `EAGAIN` while the lease is held.
//! - A disk that fails after a page was loaded and evicted raises `SIGBUS`.

#![allow(unsafe_code)] // Memory that other processes can write to: each block says why it is sound.

use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use memmap2::{MmapOptions, MmapRaw};

use crate::parallel::locked;

/// Longer pieces are copied, so that writers wait only the 3 ms of scanning this many bytes.
const MAX_BYTES: u64 = 16 << 20;

/// True if plain files may be mapped: the setting `map`.
static IS_ALLOWED: AtomicBool = AtomicBool::new(true);
/// Locked for reading by every piece in use, and for writing by [`pause`].
static IN_USE: RwLock<()> = RwLock::new(());

/// Allows or forbids mapping of files opened later: the setting `map`.
pub fn allow(is_allowed: bool) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
}

/// Waits for the mapped pieces in use. While the guard exists, pieces are copied and the process
/// holds no lease.
pub fn pause() -> RwLockWriteGuard<'static, ()> {
    IN_USE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Why an input is copied instead of scanned in place.
pub type CopyReason = &'static str;

/// The input is compiled into the program.
pub const PART_OF_PROGRAM: CopyReason = "part of the program";
/// The system refused the map, the lease or a page.
const REFUSED: CopyReason = "the system refused to map or lease it";
/// The file became shorter.
const SHRUNK: CopyReason = "it became shorter";

/// An open file with its memory map, if one is safe.
#[derive(Debug)]
pub(super) struct PlainFile {
    pub(super) file: File,
    /// Size in bytes when it was opened.
    pub(super) len: u64,
    state: Mutex<LeaseState>,
}

#[derive(Debug)]
struct LeaseState {
    /// The whole file, or why further pieces are copied.
    map: Result<Arc<MmapRaw>, CopyReason>,
    /// Number of pieces in use; the lease is held while it is above 0.
    pieces: usize,
}

impl PlainFile {
    /// Maps the first `len` bytes of a file, unless `reason` forbids it. Takes no lease yet.
    pub(super) fn new(file: File, len: u64, reason: Option<CopyReason>) -> Self {
        let reason = match IS_ALLOWED.load(Ordering::Relaxed) {
            true => reason,
            false => Some("map = never"),
        };
        let map = match reason {
            None => lease::check_support(&file).and_then(|()| mapped(&file, len)),
            Some(reason) => Err(reason),
        };
        let state = Mutex::new(LeaseState { map, pieces: 0 });
        Self { file, len, state }
    }

    /// Returns why pieces are copied; `None` if they are lent.
    pub(super) fn copy_reason(&self) -> Option<CopyReason> {
        locked(&self.state).map.as_ref().err().copied()
    }

    /// Copies all further pieces for this reason.
    fn refuse(&self, reason: CopyReason) {
        locked(&self.state).map = Err(reason);
    }

    /// Lends a range of the file; `None` if it must be copied.
    pub(super) fn lend(self: &Arc<Self>, range: &Range<u64>) -> Option<MappedBytes> {
        if range.end - range.start > MAX_BYTES {
            return None;
        }
        let within = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        // A thread that already holds a piece would deadlock with a pause that waits for it.
        let in_use = IN_USE.try_read().ok()?;
        let mut state = locked(&self.state);
        let map = Arc::clone(state.map.as_ref().ok()?);
        let is_lent = match state.pieces {
            0 => lease::take(&self.file, map.len() as u64),
            _ => lease::check_held(&self.file),
        };
        if let Err(reason) = is_lent {
            state.map = Err(reason);
            return None;
        }
        state.pieces += 1;
        drop(state);
        let bytes = MappedBytes {
            range: within,
            map,
            file: Arc::clone(self),
            _in_use: in_use,
        };
        // An unreadable page is an error here; later it would be a signal.
        if let Err(reason) = bytes.load() {
            self.refuse(reason);
            return None;
        }
        Some(bytes)
    }

    /// Evicts a range from the process's memory; reading it again loads it again.
    pub(super) fn evict(&self, range: Range<u64>) {
        let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end))
        else {
            return;
        };
        let map = locked(&self.state).map.clone();
        if let Ok(map) = map {
            let length = end.min(map.len()).saturating_sub(start);
            // SAFETY: the pages of a shared file map are those of the page cache. Dropping them
            // changes no byte: a piece that borrows one reads the same byte again.
            let evicted = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, length)
            };
            // On failure the kernel takes them when it needs memory.
            drop(evicted);
        }
    }

    /// True if no writer waits for the pieces in use.
    #[cfg(test)]
    pub(super) fn has_no_writer(&self) -> bool {
        lease::check_held(&self.file).is_ok()
    }
}

/// Maps a file without reading it.
fn mapped(file: &File, len: u64) -> Result<Arc<MmapRaw>, CopyReason> {
    let len = usize::try_from(len).map_err(|_| REFUSED)?;
    let map = MmapOptions::new().len(len).map_raw_read_only(file);
    map.map(Arc::new).map_err(|_| REFUSED)
}

/// A range of a file that does not change while this exists. Not `Send`.
#[derive(Debug)]
pub(super) struct MappedBytes {
    map: Arc<MmapRaw>,
    /// Range within the map.
    range: Range<usize>,
    file: Arc<PlainFile>,
    _in_use: RwLockReadGuard<'static, ()>,
}

impl MappedBytes {
    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        let Range { start, end } = self.range.clone();
        // SAFETY: `load` checked that the range is within the map and its pages readable, and
        // `lend` checked, under the lease, that the file is at least as long as the map. While this
        // exists the lease is held, so no process, this one included, can open the file for
        // writing, and truncating it waits. The module lists what can bypass a lease.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(start), end - start) }
    }

    /// Loads the pages of the range.
    fn load(&self) -> Result<(), CopyReason> {
        let Range { start, end } = self.range.clone();
        if end > self.map.len() {
            return Err(SHRUNK);
        }
        lease::load_pages(&self.map, start, end - start)
    }
}

impl Drop for MappedBytes {
    fn drop(&mut self) {
        let mut state = locked(&self.file.state);
        state.pieces -= 1;
        if state.pieces == 0 {
            lease::release(&self.file.file);
        }
    }
}

#[cfg(target_os = "linux")]
mod lease {
    //! Read leases of the kernel.

    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::sync::LazyLock;

    use memmap2::{Advice, MmapRaw};
    use rustix::fs::fstatfs;
    use rustix::process::{Resource, getrlimit};

    use super::{CopyReason, REFUSED, SHRUNK};

    /// `F_SETSIG` of `fcntl.h`, missing in libc.
    const F_SETSIG: libc::c_int = 10;
    /// File systems whose leases were tested: ext4, XFS, Btrfs, tmpfs, overlayfs.
    const LOCAL: [u32; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630];
    /// A shorter lease could end while a thread that is not scheduled holds a piece.
    const MIN_SECONDS: u64 = 5;

    /// Seconds that the kernel lets a writer wait; 0 if unknown.
    static BREAK_SECONDS: LazyLock<u64> = LazyLock::new(|| {
        let text = fs::read_to_string("/proc/sys/fs/lease-break-time").unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    });

    /// Checks that leases on this file are reliable and that there is room for a map.
    pub(super) fn check_support(file: &File) -> Result<(), CopyReason> {
        if *BREAK_SECONDS < MIN_SECONDS {
            return Err("fs.lease-break-time is below 5 s");
        }
        if getrlimit(Resource::As).current.is_some() {
            return Err("ulimit -v limits the address space");
        }
        if file.metadata().map_or(0, |found| found.nlink()) == 0 {
            return Err("a file without a name");
        }
        let kind = fstatfs(file).map_or(0, |found| found.f_type as u32);
        match LOCAL.contains(&kind) {
            true => Ok(()),
            false => Err("not on a local file system"),
        }
    }

    /// Takes a read lease on a file that must still have this many bytes.
    pub(super) fn take(file: &File, len: u64) -> Result<(), CopyReason> {
        // The kernel signals a waiting writer. SIGURG is ignored unless handled; SIGIO, which
        // releasing a lease reverts to, would end the process.
        fcntl(file, F_SETSIG, libc::SIGURG).map_err(|_| REFUSED)?;
        fcntl(file, libc::F_SETLEASE, libc::F_RDLCK).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => "another process has it open for writing",
            io::ErrorKind::PermissionDenied => "another user owns the file",
            _ => REFUSED,
        })?;
        // It can no longer be truncated, so check its length now.
        let is_whole = file.metadata().is_ok_and(|now| now.len() >= len);
        if !is_whole {
            release(file);
            return Err(SHRUNK);
        }
        Ok(())
    }

    /// Checks that no writer waits for the lease.
    pub(super) fn check_held(file: &File) -> Result<(), CopyReason> {
        match fcntl(file, libc::F_GETLEASE, 0) {
            Ok(kind) if kind == libc::F_RDLCK => Ok(()),
            _ => Err("another process wants to write to it"),
        }
    }

    /// Releases the lease; a waiting writer continues.
    pub(super) fn release(file: &File) {
        // Fails if the kernel already broke the lease.
        let _ = fcntl(file, libc::F_SETLEASE, libc::F_UNLCK);
    }

    /// Loads pages of a map and reports unreadable ones.
    pub(super) fn load_pages(map: &MmapRaw, at: usize, length: usize) -> Result<(), CopyReason> {
        let loaded = map.advise_range(Advice::PopulateRead, at, length);
        loaded.map_err(|_| REFUSED)
    }

    fn fcntl(file: &File, command: libc::c_int, argument: libc::c_int) -> io::Result<libc::c_int> {
        // SAFETY: these commands take a number and touch no memory of this process; the descriptor
        // is open.
        match unsafe { libc::fcntl(file.as_raw_fd(), command, argument) } {
            -1 => Err(io::Error::last_os_error()),
            done => Ok(done),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod lease {
    //! Other systems have no read leases.

    use std::fs::File;

    use memmap2::MmapRaw;

    use super::CopyReason;

    pub(super) fn check_support(_: &File) -> Result<(), CopyReason> {
        Err("read leases need Linux")
    }

    pub(super) fn take(_: &File, _: u64) -> Result<(), CopyReason> {
        Err("read leases need Linux")
    }

    pub(super) fn check_held(_: &File) -> Result<(), CopyReason> {
        Err("read leases need Linux")
    }

    pub(super) fn release(_: &File) {}

    pub(super) fn load_pages(_: &MmapRaw, _: usize, _: usize) -> Result<(), CopyReason> {
        Err("read leases need Linux")
    }
}
