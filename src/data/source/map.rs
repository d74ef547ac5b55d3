//! Scans plain files in place: a memory map that is read only while a read lease blocks writers.
//!
//! Bytes borrowed from a map must not change, but other processes can write to a file or truncate
//! it at any time. A read lease (`fcntl(2)`, `F_SETLEASE`) closes that gap. The kernel grants it
//! only while no process has the file open for writing or mapped writable. Then a process that
//! opens the file for writing or truncates it waits until the lease is released. The lease is taken
//! with the first piece in use and released with the last one.
//!
//! A piece may be in use for minutes, since users' regexes run on it. So writers do not wait for
//! pieces: a thread looks for waiting writers ([`WATCH_INTERVAL`]), replaces the pages of all
//! pieces in use by copies in private memory at the same address, and releases the lease. The rest
//! of the file is copied with `pread`, and
//! [`Source::check_unchanged`](super::Source::check_unchanged) reports what the writer changed.
//!
//! Limits:
//! - The kernel breaks a lease after `/proc/sys/fs/lease-break-time` (usually 45 s). If the whole
//!   process is stopped for longer within a piece (`SIGSTOP`, a debugger, a frozen container), that
//!   piece can contain changed bytes; if the file was truncated too, reading it raises `SIGBUS`.
//!   Then no result is reported ([`PlainFile::has_lost_lease`]). [`pause`] prevents both for `^Z`.
//! - Opening with `O_RDONLY | O_TRUNC`, which POSIX leaves undefined, truncates on Linux without
//!   waiting. Reading a missing page raises `SIGBUS`, which ends the program.
//! - Programs that open with `O_NONBLOCK` get `EAGAIN` while the lease is held.
//! - A disk that fails after a page was loaded and evicted raises `SIGBUS`.
//! - A file is mapped only where a writable map of another process prevents the lease. On overlayfs
//!   it does not: the kernel counts such maps at the file of a layer, which containers cannot open.

#![allow(unsafe_code)] // Memory that other processes can write to: each block says why it is sound.

use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError, RwLock, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};

use crate::parallel::locked;

/// Longer pieces are copied, so that writers wait only some milliseconds until those in use are.
const MAX_BYTES: u64 = 16 << 20;
/// How often to look for writers that wait for a piece in use.
const WATCH_INTERVAL: Duration = Duration::from_millis(2);

/// True if plain files may be mapped: the setting `map`.
static IS_ALLOWED: AtomicBool = AtomicBool::new(true);
/// Locked for reading while a piece is lent, and for writing by [`pause`].
static LENDING: RwLock<()> = RwLock::new(());
/// Files whose lease is held.
static LEASED: Mutex<Vec<Arc<PlainFile>>> = Mutex::new(Vec::new());
/// Wakes the watcher once a lease is held.
static IS_LEASED: Condvar = Condvar::new();
/// Lets waiting writers continue. `false` if the thread could not be started.
static WATCHER: LazyLock<bool> = LazyLock::new(|| {
    thread::Builder::new()
        .name("leases".to_owned())
        .spawn(watch_leases)
        .is_ok()
});

/// Allows or forbids mapping of files opened later: the setting `map`.
pub fn allow(is_allowed: bool) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
}

/// Moves the mapped pieces in use to private memory. While the guard exists, pieces are copied and
/// the process holds no lease.
pub fn pause() -> RwLockWriteGuard<'static, ()> {
    let paused = LENDING.write().unwrap_or_else(PoisonError::into_inner);
    let leased = locked(&LEASED).clone();
    for file in leased {
        while !file.move_pieces(true) {
            // Without memory for copies, the pieces in use must end.
            thread::sleep(WATCH_INTERVAL);
        }
    }
    paused
}

/// Releases the leases for which writers wait; never returns.
fn watch_leases() {
    loop {
        let leased = IS_LEASED.wait_while(locked(&LEASED), |leased| leased.is_empty());
        let leased = leased.unwrap_or_else(PoisonError::into_inner).clone();
        for file in leased {
            file.move_pieces(false);
        }
        thread::sleep(WATCH_INTERVAL);
    }
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
    /// Locked for reading while pages are evicted, and for writing while pieces are moved. Taken
    /// before `state`, so that evicting pages, which takes long, does not delay lending.
    pages: RwLock<()>,
    /// True if a lease ended while a piece was in use, which may then have changed.
    pub(super) has_lost_lease: AtomicBool,
}

#[derive(Debug)]
struct LeaseState {
    /// The whole file, or why further pieces are copied.
    map: Result<Arc<MmapRaw>, CopyReason>,
    /// The pieces in use that the lease protects; it is held while there are any.
    lent: Vec<LentRange>,
}

impl PlainFile {
    /// Maps the first `len` bytes of a file, unless `reason` forbids it. Takes no lease yet.
    pub(super) fn new(file: File, len: u64, reason: Option<CopyReason>) -> Self {
        let reason = if IS_ALLOWED.load(Ordering::Relaxed) {
            reason
        } else {
            Some("map = never")
        };
        let map = match reason {
            None => lease::check_support(&file).and_then(|()| mapped(&file, len)),
            Some(reason) => Err(reason),
        };
        let lent = Vec::new();
        Self {
            file,
            len,
            state: Mutex::new(LeaseState { map, lent }),
            pages: RwLock::default(),
            has_lost_lease: AtomicBool::new(false),
        }
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
        // Waiting for a pause would delay it, since it waits for what this thread has borrowed.
        let _lending = LENDING.try_read().ok()?;
        let mut state = locked(&self.state);
        let map = Arc::clone(state.map.as_ref().ok()?);
        let is_lent = if state.lent.is_empty() {
            lease::take(&self.file, map.len() as u64)
        } else {
            lease::check_held(&self.file)
        };
        if let Err(reason) = is_lent {
            state.map = Err(reason);
            return None;
        }
        let lent = LentRange { map, range: within };
        if state.lent.is_empty() {
            locked(&LEASED).push(Arc::clone(self));
            IS_LEASED.notify_one();
        }
        state.lent.push(lent.clone());
        drop(state);
        let file = Arc::clone(self);
        let bytes = MappedBytes { lent, file };
        // An unreadable page is an error here; later it would be a signal.
        if let Err(reason) = bytes.lent.load() {
            self.refuse(reason);
            return None;
        }
        Some(bytes)
    }

    /// Moves the pieces in use to private memory and releases the lease, if a writer waits or maps
    /// are paused. Returns false if the lease is still held.
    fn move_pieces(self: &Arc<Self>, is_paused: bool) -> bool {
        // Usually no writer waits, and readers and evictions must not wait either.
        if !is_paused && lease::check_held(&self.file).is_ok() {
            return false;
        }
        let _pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        let mut state = locked(&self.state);
        if state.lent.is_empty() {
            return true;
        }
        let held = lease::check_held(&self.file);
        if held.is_ok() && !is_paused {
            return false;
        }
        if state.map.is_ok() {
            // The moved pages no longer show the file.
            state.map = held.and_then(|()| mapped(&self.file, self.len));
        }
        state.lent.retain(|lent| !lent.move_pages());
        if state.lent.is_empty() {
            self.release_lease();
        }
        state.lent.is_empty()
    }

    /// Releases the lease after the last piece that it protected.
    fn release_lease(self: &Arc<Self>) {
        locked(&LEASED).retain(|leased| !Arc::ptr_eq(leased, self));
        if lease::release(&self.file).is_err() {
            self.has_lost_lease.store(true, Ordering::Relaxed);
        }
    }

    /// Evicts a range from the process's memory; reading it again loads it again.
    pub(super) fn evict(&self, range: Range<u64>) {
        let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end))
        else {
            return;
        };
        // Pieces that are moved meanwhile must not be evicted.
        let _pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        // Cloned, so that `state` is not locked meanwhile.
        let map = locked(&self.state).map.clone();
        if let Ok(map) = map {
            let length = end.min(map.len()).saturating_sub(start);
            // SAFETY: no page of this map was replaced, because its file would have another map or
            // none. Dropping pages of a shared file map changes no byte: a piece that borrows one
            // is protected by the lease and reads the same byte again.
            let evicted = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, length)
            };
            // On failure the kernel takes them when it needs memory.
            drop(evicted);
        }
    }

    /// Ends the lease as the kernel does if the process does not run for too long.
    #[cfg(test)]
    pub(super) fn lose_lease(&self) {
        lease::release(&self.file).expect("a lease");
    }
}

/// Maps a file without reading it.
fn mapped(file: &File, len: u64) -> Result<Arc<MmapRaw>, CopyReason> {
    let len = usize::try_from(len).map_err(|_| REFUSED)?;
    let map = MmapOptions::new().len(len).map_raw_read_only(file);
    map.map(Arc::new).map_err(|_| REFUSED)
}

/// A range of a map that is in use.
#[derive(Debug, Clone)]
struct LentRange {
    map: Arc<MmapRaw>,
    range: Range<usize>,
}

impl LentRange {
    /// Loads the pages of the range.
    fn load(&self) -> Result<(), CopyReason> {
        let Range { start, end } = self.range.clone();
        if end > self.map.len() {
            return Err(SHRUNK);
        }
        lease::load_pages(&self.map, start, end - start)
    }

    /// Replaces the pages of the range by copies in private memory; false on failure. The lease must
    /// be held.
    fn move_pages(&self) -> bool {
        // Also fails where `lend` is about to find an unreadable page.
        self.load().is_ok() && lease::replace_pages(&self.map, &self.range).is_ok()
    }
}

impl PartialEq for LentRange {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.map, &other.map) && self.range == other.range
    }
}

/// A range of a file that does not change while this exists.
#[derive(Debug)]
pub(super) struct MappedBytes {
    lent: LentRange,
    file: Arc<PlainFile>,
}

impl MappedBytes {
    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        let LentRange { map, range } = &self.lent;
        // SAFETY: `load` checked that the range is within the map and its pages readable, and
        // `lend` checked, under the lease, that the file is at least as long as the map. While the
        // lease is held, no process, this one included, can open the file for writing, and
        // truncating it waits. Before it is released, the pages are replaced by private ones with
        // the same bytes at the same address. The module lists what can bypass a lease.
        unsafe { std::slice::from_raw_parts(map.as_ptr().add(range.start), range.len()) }
    }
}

impl Drop for MappedBytes {
    fn drop(&mut self) {
        let mut state = locked(&self.file.state);
        let place = state.lent.iter().position(|lent| *lent == self.lent);
        // Otherwise it was moved.
        if let Some(place) = place {
            state.lent.swap_remove(place);
            if state.lent.is_empty() {
                self.file.release_lease();
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod lease {
    //! Read leases of the kernel.

    use std::fs::{self, File};
    use std::io;
    use std::mem;
    use std::ops::Range;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::ptr;
    use std::sync::LazyLock;

    use memmap2::{Advice, MmapMut, MmapRaw};
    use rustix::fs::fstatfs;
    use rustix::param::page_size;
    use rustix::process::{Resource, getrlimit};

    use super::{CopyReason, REFUSED, SHRUNK};

    /// `F_SETSIG` of `fcntl.h`, missing in libc.
    const F_SETSIG: libc::c_int = 10;
    /// File systems whose leases were tested: ext4, XFS, Btrfs, tmpfs.
    const LOCAL: [u32; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994];
    /// Grants leases although another process can write through a map.
    const OVERLAY: u32 = 0x794C_7630;
    /// A shorter lease could end while a thread that is not scheduled holds a piece.
    const MIN_SECONDS: u64 = 5;

    /// Seconds that the kernel lets a writer wait; 0 if unknown.
    static BREAK_SECONDS: LazyLock<u64> = LazyLock::new(|| {
        fs::read_to_string("/proc/sys/fs/lease-break-time")
            .unwrap_or_default()
            .trim()
            .parse()
            .unwrap_or(0)
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
        match kind {
            OVERLAY => Err("on an overlay file system"),
            local if LOCAL.contains(&local) && *super::WATCHER => Ok(()),
            _ => Err("not on a local file system"),
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
            let _ = release(file);
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

    /// Releases the lease; a waiting writer continues. Fails if the kernel has already ended it.
    /// `F_GETLEASE` cannot tell that from a waiting writer.
    pub(super) fn release(file: &File) -> io::Result<()> {
        fcntl(file, libc::F_SETLEASE, libc::F_UNLCK).map(drop)
    }

    /// Loads pages of a map and reports unreadable ones.
    pub(super) fn load_pages(map: &MmapRaw, at: usize, length: usize) -> Result<(), CopyReason> {
        map.advise_range(Advice::PopulateRead, at, length)
            .map_err(|_| REFUSED)
    }

    /// Replaces the loaded pages of a range by copies in private memory.
    pub(super) fn replace_pages(map: &MmapRaw, range: &Range<usize>) -> io::Result<()> {
        let start = range.start / page_size() * page_size();
        let length = (range.end - start).next_multiple_of(page_size());
        let mut pages = MmapMut::map_anon(length)?;
        // SAFETY: `start` is within the map, and the last page of a map is accessible to its end.
        // The new pages do not overlap it, and nothing else uses them. The kernel replaces the old
        // pages at once: other threads read equal bytes from either, and the map unmaps both.
        let moved = unsafe {
            let old = map.as_mut_ptr().add(start);
            ptr::copy_nonoverlapping(old, pages.as_mut_ptr(), length);
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            libc::mremap(pages.as_mut_ptr().cast(), length, length, flags, old)
        };
        if moved == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        mem::forget(pages); // They belong to the map now.
        Ok(())
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
    use std::io;
    use std::ops::Range;

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

    pub(super) fn release(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn load_pages(_: &MmapRaw, _: usize, _: usize) -> Result<(), CopyReason> {
        Err("read leases need Linux")
    }

    pub(super) fn replace_pages(_: &MmapRaw, _: &Range<usize>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
