//! Gives the terminal back when a signal ends the program that no loop can answer: a fault, an
//! abort, a limit of the system.
//!
//! A shell with a raw keyboard on the alternate screen is of no use to whoever has just lost their
//! program. The handler writes what was prepared, puts the keyboard's settings back, and lets the
//! signal do what it would have done without us, so that the exit status, and a core dump, stay the
//! signal's.
#![allow(unsafe_code)] // A handler of these signals has no safe spelling; each block says why it is sound.

use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use rustix::termios::Termios;

use super::tty;

/// Raised by an access or an instruction; the standard library has handlers of its own for the
/// first two, which tell of a stack that overflowed.
const FAULTS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];
/// Sent: by abort(), by the kernel at a limit, by people.
const SENT: [libc::c_int; 9] = [
    libc::SIGABRT,
    libc::SIGXCPU,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGSYS,
    libc::SIGTRAP,
];
/// Signals that end a program on Linux only.
#[cfg(target_os = "linux")]
const SENT_ON_LINUX: [libc::c_int; 3] = [libc::SIGIO, libc::SIGPWR, libc::SIGSTKFLT];
#[cfg(not(target_os = "linux"))]
const SENT_ON_LINUX: [libc::c_int; 0] = [];

/// What the faults met before us, in the order of [`FAULTS`]; read by the handler.
static PREVIOUS: [OnceLock<libc::sigaction>; 4] = [const { OnceLock::new() }; 4];

/// The settings of a keyboard that is in raw mode; null while none is.
static SAVED: AtomicPtr<SavedKeyboard> = AtomicPtr::new(ptr::null_mut());

/// A keyboard and the settings that it is to have again.
pub(super) struct SavedKeyboard {
    pub(super) device: &'static OwnedFd,
    pub(super) shell: Termios,
}

/// From now on a fault gives the keyboard these settings. Keeps a hundred bytes for each call, to
/// the end of the program: a handler may be reading them at any time, and nobody stops a program
/// often. The descriptor is the first keyboard's: a program has one.
///
/// # Errors
/// When there is no descriptor left for it.
pub(super) fn remember(keyboard: &OwnedFd, shell: Termios) -> io::Result<()> {
    static DEVICE: OnceLock<OwnedFd> = OnceLock::new();
    let device = match DEVICE.get() {
        Some(device) => device,
        None => {
            let own = keyboard.try_clone()?;
            DEVICE.get_or_init(|| own)
        }
    };
    SAVED.store(
        Box::into_raw(Box::new(SavedKeyboard { device, shell })),
        Ordering::Release,
    );
    Ok(())
}

/// The keyboard is as it was.
pub(super) fn forget() {
    SAVED.store(ptr::null_mut(), Ordering::Release);
}

/// What a fault has to put back.
pub(super) fn saved() -> Option<&'static SavedKeyboard> {
    // SAFETY: the pointer is null or of a box that is never freed and never written again.
    unsafe { SAVED.load(Ordering::Acquire).as_ref() }
}

/// Makes the signals that end a program at once (SEGV BUS ILL FPE ABRT XCPU USR1 USR2) give the
/// terminal back first.
///
/// # Errors
/// When the system takes no handler.
pub fn install_fault_handler() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let signals = FAULTS.into_iter().chain(SENT).chain(SENT_ON_LINUX);
    let install = || signals.clone().try_for_each(install);
    INSTALLED
        .get_or_init(install)
        .map_err(io::Error::from_raw_os_error)
}

/// Makes a write beyond the limit of a file's size fail (EFBIG, which is told as any other failure
/// of a disk) instead of ending the program.
pub fn survive_file_limits() {
    // SAFETY: no handler is installed, and a disposition of one signal touches no memory.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Reads where nothing is, for the tests of what is done about it. Not in release builds.
#[cfg(debug_assertions)]
pub fn fault_drill() {
    // SAFETY: page 1 is never mapped for a program, so this ends it before anything is read.
    unsafe { ptr::without_provenance::<u8>(4096).read_volatile() };
}

fn install(signal: libc::c_int) -> Result<(), i32> {
    // SAFETY: a zeroed sigaction is a valid value of its type, and ours gets a handler of the
    // signature that SA_SIGINFO promises, which does only what a handler may. All pointers live
    // through the calls.
    unsafe {
        let mut previous: libc::sigaction = mem::zeroed();
        require(libc::sigaction(signal, ptr::null(), &raw mut previous))?;
        if let Some(place) = FAULTS.iter().position(|fault| *fault == signal) {
            // Before ours is there, for it reads it.
            PREVIOUS[place].get_or_init(|| previous);
        }
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(_, _, _) as usize;
        // The alternate stack, if the thread has one: the stack may be what is at fault.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        require(libc::sigaction(signal, &raw const action, ptr::null_mut()))
    }
}

fn require(result: libc::c_int) -> Result<(), i32> {
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or_default())
    }
}

extern "C" fn on_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // Atomics and system calls only: whoever was interrupted may hold any lock, and the heap may be
    // what is broken.
    tty::give_back_in_handler();
    // SAFETY: the kernel hands a valid siginfo to a handler with SA_SIGINFO.
    let sent = unsafe { (*info).si_code <= 0 };
    let previous = FAULTS
        .iter()
        .position(|fault| *fault == signal)
        .and_then(|place| PREVIOUS[place].get());
    // SAFETY: sigaction, signal and raise may be called in a handler. On return the access faults
    // again, or the signal raised here arrives (it is held back until then), and meets what there
    // was before us.
    unsafe {
        match previous.filter(|_| !sent) {
            Some(previous) => {
                libc::sigaction(signal, previous, ptr::null_mut());
            }
            None => {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
        }
    }
}
