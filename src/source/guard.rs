//! Survives the fault (SIGBUS) that reading a mapped file raises when the file has shrunk, or its disk failed, meanwhile.
//!
//! The handler maps zero pages over the rest of the map and notes it; whoever scans sees zeros and asks
//! [`Guarded::faulted`]. A fault anywhere else ends the program as it would have without us.
#![allow(unsafe_code)] // A signal handler and a fixed mapping have no safe spelling; each block says why it is sound.

use std::io;
use std::mem;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};

/// Maps watched at a time: more than the files that anybody opens together. The table takes 32 KiB.
const PLACES: usize = 1024;

static TABLE: [Place; PLACES] = [const { Place::free() }; PLACES];

/// What SIGBUS did before; read by the handler.
static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Bytes of a memory page; a power of two.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

/// A watched map. The handler may come at any time, may not wait, and so may only use atomics.
struct Place {
    taken: AtomicBool,
    /// Grows with every change; odd while the addresses are valid, so that the handler knows when it read half of a change.
    version: AtomicUsize,
    /// First address, a page's.
    start: AtomicUsize,
    /// First address behind the map.
    end: AtomicUsize,
    faulted: AtomicBool,
}

/// The registration of a map; must end before the map does.
#[derive(Debug)]
pub(super) struct Guarded {
    place: usize,
}

impl Guarded {
    /// Watches over the map of `length` bytes from address `start` on, which must be a page's first.
    ///
    /// # Errors
    /// When [`PLACES`] maps are watched already, or the system takes no handler.
    pub(super) fn new(start: usize, length: usize) -> io::Result<Self> {
        install()?;
        let place = TABLE.iter().position(Place::take).ok_or_else(|| io::Error::other("too many files are mapped"))?;
        TABLE[place].watch(start, length);
        Ok(Self { place })
    }

    /// Whether a part of the map was gone when it was read; it reads as zeros since.
    pub(super) fn faulted(&self) -> bool {
        TABLE[self.place].faulted.load(Ordering::Acquire)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let place = &TABLE[self.place];
        place.version.fetch_add(1, Ordering::Release);
        place.taken.store(false, Ordering::Release);
    }
}

impl Place {
    const fn free() -> Self {
        Self {
            taken: AtomicBool::new(false),
            version: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            faulted: AtomicBool::new(false),
        }
    }

    fn take(&self) -> bool {
        self.taken.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Only for whoever took the place.
    fn watch(&self, start: usize, length: usize) {
        // The addresses must not be seen before the even version that makes them invalid.
        fence(Ordering::Release);
        self.start.store(start, Ordering::Relaxed);
        self.end.store(start + length, Ordering::Relaxed);
        self.faulted.store(false, Ordering::Relaxed);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The addresses behind and at `address` up to the end of the map, if it is in this one.
    fn rest_from(&self, address: usize) -> Option<usize> {
        let version = self.version.load(Ordering::Acquire);
        let (start, end) = (self.start.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let valid = version % 2 == 1 && self.version.load(Ordering::Relaxed) == version;
        (valid && (start..end).contains(&address)).then_some(end)
    }
}

/// Installs the handler, once.
///
/// Not with signal-hook: it runs what was there before first, and for SIGBUS that is the standard library's handler, which
/// lets the program die.
fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        // SAFETY: sysconf only reads. A zeroed sigaction is a valid value of its type, and ours gets a handler of the
        // signature that SA_SIGINFO promises, which does only what a handler may. All pointers live through the calls.
        unsafe {
            if let Ok(page) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE.store(page, Ordering::Relaxed);
            }
            let mut previous: libc::sigaction = mem::zeroed();
            require(libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut previous))?;
            // Before ours is there, for it reads it.
            PREVIOUS.get_or_init(|| previous);
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = on_fault as extern "C" fn(_, _, _) as usize;
            // The alternate stack, if the thread has one: a stack that overflowed raises SIGBUS too on some systems.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            require(libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()))
        }
    });
    installed.map_err(io::Error::from_raw_os_error)
}

fn require(result: libc::c_int) -> Result<(), i32> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().raw_os_error().unwrap_or_default()) }
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo to a handler with SA_SIGINFO; for a SIGBUS its address field is readable.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    // Sent by a process and not raised by an access: then the address means nothing, and nothing faults again.
    let sent = code <= 0 || code == libc::SI_USER;
    if !sent && survive(address) {
        return;
    }
    // SAFETY: sigaction and raise may be called in a handler, and PREVIOUS was set before the handler was installed. On
    // return the access faults again, or the signal raised here arrives, and meets what there was before us.
    unsafe {
        if let Some(previous) = PREVIOUS.get() {
            libc::sigaction(signal, previous, ptr::null_mut());
        } else {
            libc::signal(signal, libc::SIG_DFL);
        }
        if sent {
            libc::raise(signal);
        }
    }
}

/// Puts zeros over the rest of the watched map that `address` is in; `false` when it is in none.
fn survive(address: usize) -> bool {
    let Some((place, end)) = TABLE.iter().find_map(|place| Some((place, place.rest_from(address)?))) else {
        return false;
    };
    let page = PAGE.load(Ordering::Relaxed);
    let from = address & !(page - 1);
    // Noted first: whoever sees zeros must be able to know.
    place.faulted.store(true, Ordering::Release);
    // SAFETY: the pages from the fault to the end of the map belong to the map, which stays: the thread that faulted holds
    // it. The file behind them is gone, so nothing is lost. mmap is a plain system call without locks or allocation.
    let mapped = unsafe {
        let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let length = (end - from).next_multiple_of(page);
        libc::mmap(ptr::without_provenance_mut(from), length, libc::PROT_READ, flags, -1, 0)
    };
    mapped != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;
    use std::sync::Arc;
    use std::thread;

    use memmap2::MmapOptions;

    use super::super::map::{Map, View};

    const LENGTH: usize = 64 << 10;

    fn file_of_x() -> std::fs::File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&vec![b'x'; LENGTH]).expect("written");
        file
    }

    #[test]
    fn a_file_that_shrinks_reads_as_zeros() {
        // A whole page and a part of one are left; the part's rest reads as zeros without a fault.
        for (left, first_byte_gone) in [(4096, 4096), (5000, 8192), (0, 0)] {
            let file = file_of_x();
            let map = Arc::new(Map::watched(&file, LENGTH as u64).expect("a map"));
            let view = View::of_map(&map, 0..LENGTH as u64).expect("a view");
            assert!(view.iter().all(|&byte| byte == b'x') && !map.faulted());
            file.set_len(left).expect("shrunk");
            assert_eq!(view[LENGTH - 1], 0);
            assert!(map.faulted());
            assert!(view[first_byte_gone..].iter().all(|&byte| byte == 0));
            assert!(view[..left as usize].iter().all(|&byte| byte == b'x'));
        }
    }

    #[test]
    fn only_the_map_that_faulted_is_marked_and_its_place_is_used_again() {
        let (shrinking, staying) = (file_of_x(), file_of_x());
        for _ in 0..3 {
            shrinking.set_len(LENGTH as u64).expect("grown");
            let faulty = Arc::new(Map::watched(&shrinking, LENGTH as u64).expect("a map"));
            let sound = Map::watched(&staying, LENGTH as u64).expect("a map");
            let view = View::of_map(&faulty, 0..LENGTH as u64).expect("a view");
            shrinking.set_len(0).expect("shrunk");
            assert_eq!(view[0], 0);
            assert!(faulty.faulted() && !sound.faulted());
        }
    }

    #[test]
    fn threads_that_fault_at_once_all_go_on() {
        let file = file_of_x();
        let map = Arc::new(Map::watched(&file, LENGTH as u64).expect("a map"));
        file.set_len(0).expect("shrunk");
        thread::scope(|scope| {
            for from in 0..8 {
                let map = &map;
                scope.spawn(move || {
                    let view = View::of_map(map, from * 8192..LENGTH as u64).expect("a view");
                    assert_eq!(view.iter().map(|&byte| u64::from(byte)).sum::<u64>(), 0);
                });
            }
        });
        assert!(map.faulted());
    }

    /// Runs itself again in a process of its own, which is to die.
    #[test]
    fn a_fault_elsewhere_ends_the_program() {
        const CHILD: &str = "VISAVIS_TEST_FAULT";
        match std::env::var(CHILD).as_deref() {
            Ok(how) => {
                let file = file_of_x();
                let _watched = Map::watched(&file, LENGTH as u64).expect("a map");
                if how == "sent" {
                    // SAFETY: raising a signal touches no memory. Twice: the standard library's handler survives the first.
                    unsafe { [libc::raise(libc::SIGBUS), libc::raise(libc::SIGBUS)] };
                    return;
                }
                let unwatched = MmapOptions::new().len(LENGTH).map_raw_read_only(&file).expect("a map");
                file.set_len(0).expect("shrunk");
                // SAFETY: the address is mapped; that the read faults is what is tested.
                unsafe { unwatched.as_ptr().read_volatile() };
            }
            Err(_) => {
                for how in ["raised", "sent"] {
                    let name = thread::current().name().expect("the test's name").to_owned();
                    let exe = std::env::current_exe().expect("the tests");
                    let arguments = ["--exact", &name, "--test-threads=1"];
                    let output = Command::new(exe).args(arguments).env(CHILD, how).output().expect("a child");
                    assert_eq!(output.status.signal(), Some(libc::SIGBUS), "{how}: {output:?}");
                }
            }
        }
    }
}
