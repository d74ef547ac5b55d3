//! Restores the terminal when a signal ends the program that the loop cannot handle: a fault, an
//! abort, a system limit.
//!
//! Otherwise the user would be left in a shell with a raw keyboard on the alternate screen. The
//! handler writes prepared bytes, restores the keyboard's settings, and lets the signal take its
//! normal effect, so that the exit status and any core dump remain those of the signal.
#![allow(unsafe_code)] // These handlers cannot be written in safe Rust; each block explains why it is sound.

use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use rustix::termios::Termios;

use super::tty;

/// Raised by a memory access or an instruction. The standard library handles the first two to
/// report a stack overflow.
const FAULTS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];
/// Sent by abort(), by the kernel at a limit, or by users.
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

/// The previous actions of the faults, in the order of [`FAULTS`]; read by the handler.
static PREVIOUS: [OnceLock<libc::sigaction>; 4] = [const { OnceLock::new() }; 4];

/// The settings of a keyboard in raw mode; null if none is.
static SAVED: AtomicPtr<SavedKeyboard> = AtomicPtr::new(ptr::null_mut());

/// A keyboard and its settings to restore.
pub(super) struct SavedKeyboard {
    pub(super) device: &'static OwnedFd,
    pub(super) shell: Termios,
}

/// Sets the keyboard settings that a fault restores. Leaks about a hundred bytes per call, because
/// a handler may be reading them at any time, and calls are rare. The descriptor is the first
/// keyboard's: a program has one.
///
/// # Errors
/// If no descriptor is available.
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

/// Clears the settings after the keyboard was restored.
pub(super) fn forget() {
    SAVED.store(ptr::null_mut(), Ordering::Release);
}

/// Returns the settings that a fault must restore.
pub(super) fn saved() -> Option<&'static SavedKeyboard> {
    // SAFETY: the pointer is null or points to a box that is never freed or modified.
    unsafe { SAVED.load(Ordering::Acquire).as_ref() }
}

/// Makes the signals that end a program at once (SEGV BUS ILL FPE ABRT XCPU USR1 USR2) restore the
/// terminal first.
///
/// # Errors
/// If the system rejects a handler.
pub fn install_fault_handler() -> io::Result<()> {
    static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
    let signals = FAULTS.into_iter().chain(SENT).chain(SENT_ON_LINUX);
    let install = || signals.clone().try_for_each(install);
    INSTALLED
        .get_or_init(install)
        .map_err(io::Error::from_raw_os_error)
}

/// Makes a write beyond the file size limit fail (EFBIG, reported like any disk error) instead of
/// ending the program.
pub fn survive_file_limits() {
    // SAFETY: no handler is installed, and ignoring a signal touches no memory.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Reads unmapped memory, to test the fault handler. Only in debug builds.
#[cfg(debug_assertions)]
pub fn fault_drill() {
    // SAFETY: page 1 is never mapped, so this ends the program before anything is read.
    unsafe { ptr::without_provenance::<u8>(4096).read_volatile() };
}

fn install(signal: libc::c_int) -> Result<(), i32> {
    // SAFETY: a zeroed sigaction is a valid value, and the handler has the signature that
    // SA_SIGINFO requires and only does what a handler may. All pointers outlive the calls.
    unsafe {
        let mut previous: libc::sigaction = mem::zeroed();
        require(libc::sigaction(signal, ptr::null(), &raw mut previous))?;
        if let Some(place) = FAULTS.iter().position(|fault| *fault == signal) {
            // Before our handler is installed, because it reads this.
            PREVIOUS[place].get_or_init(|| previous);
        }
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(_, _, _) as usize;
        // The alternate stack if the thread has one: the fault may be a stack overflow.
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
    // Atomics and system calls only: the interrupted thread may hold any lock, and the heap may be
    // corrupt.
    tty::give_back_in_handler();
    // SAFETY: the kernel passes a valid siginfo to a handler with SA_SIGINFO.
    let sent = unsafe { (*info).si_code <= 0 };
    let previous = FAULTS
        .iter()
        .position(|fault| *fault == signal)
        .and_then(|place| PREVIOUS[place].get());
    // SAFETY: sigaction, signal and raise may be called in a handler. On return the access faults
    // again, or the signal raised here arrives (it is blocked until then) and meets the previous
    // action.
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
