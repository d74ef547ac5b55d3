//! Survives the fault that reading a mapped file raises when the file has shrunk meanwhile (SIGBUS).
//!
//! The handler maps zero pages over what is gone and notes it; whoever scans sees zeros and asks [`Guarded::faulted`]. A
//! fault elsewhere is left to end the program as it would have.
#![allow(unsafe_code)] // A signal handler and a fixed mapping have no safe spelling; each block says why it is sound.

use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maps watched at a time: far more than files that anybody opens together.
const PLACES: usize = 1024;

/// A watched map; the handler may only use atomics.
struct Place {
    /// First address; 0 while the place is free.
    start: AtomicUsize,
    end: AtomicUsize,
    faulted: AtomicBool,
}

static TABLE: [Place; PLACES] =
    [const { Place { start: AtomicUsize::new(0), end: AtomicUsize::new(0), faulted: AtomicBool::new(false) } }; PLACES];

static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// The registration of a map; ends with it.
#[derive(Debug)]
pub(super) struct Guarded {
    place: usize,
}

impl Guarded {
    /// Watches over the map at these addresses.
    pub(super) fn new(start: usize, length: usize) -> io::Result<Self> {
        install()?;
        for (place, entry) in TABLE.iter().enumerate() {
            // Taken with an address that no fault can have, until the rest is written.
            if entry.start.compare_exchange(0, usize::MAX, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                entry.faulted.store(false, Ordering::Relaxed);
                entry.end.store(start + length, Ordering::Relaxed);
                entry.start.store(start, Ordering::Release);
                return Ok(Self { place });
            }
        }
        Err(io::Error::other("too many files are open"))
    }

    /// Whether a part of the map was gone when it was read.
    pub(super) fn faulted(&self) -> bool {
        TABLE[self.place].faulted.load(Ordering::Acquire)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        TABLE[self.place].start.store(0, Ordering::Release);
    }
}

fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: sysconf only reads; the sigaction struct is zeroed, which is a valid value of its type, and gets a handler
        // of the signature that SA_SIGINFO promises; both pointers live through the call.
        unsafe {
            if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE.store(page, Ordering::Relaxed);
            }
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error().raw_os_error().unwrap_or_default());
            }
        }
        Ok(())
    });
    installed.map_err(io::Error::from_raw_os_error)
}

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo to an SA_SIGINFO handler, and for SIGBUS its address field is set.
    let address = unsafe { (*info).si_addr() } as usize;
    if !survive(address) {
        // SAFETY: restoring the default action is async-signal-safe; on return the access faults again and ends the
        // program as it would have without us.
        unsafe {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
        }
    }
}

/// Puts zeros where the fault was, if it was in a watched map.
fn survive(address: usize) -> bool {
    let page = PAGE.load(Ordering::Relaxed);
    for place in &TABLE {
        let (start, end) = (place.start.load(Ordering::Acquire), place.end.load(Ordering::Relaxed));
        if start == 0 || start == usize::MAX || !(start..end).contains(&address) {
            continue;
        }
        let from = address & !(page - 1);
        let length = (end - from).next_multiple_of(page);
        // SAFETY: the pages from the fault to the end of the map are ours: the thread that faulted holds the map, so it is
        // not unmapped meanwhile. Mapping over them is a plain system call, which is async-signal-safe.
        let mapped = unsafe {
            let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(from as *mut libc::c_void, length, libc::PROT_READ, flags, -1, 0)
        };
        place.faulted.store(true, Ordering::Release);
        return mapped != libc::MAP_FAILED;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::map::Map;

    #[test]
    fn a_file_that_shrinks_reads_as_zeros() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&vec![b'x'; 64 << 10]).expect("written");
        let map = std::sync::Arc::new(Map::new(&file, 64 << 10).expect("a map"));
        let view = super::super::View::of_map(&map, 0..64 << 10);
        assert_eq!(view[40_000], b'x');
        assert!(!map.faulted());
        file.set_len(4096).expect("shrunk");
        assert_eq!((view[100], view[40_000], view[65_535]), (b'x', 0, 0));
        assert!(map.faulted());
    }
}
