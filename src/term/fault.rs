//! Restores the terminal when a signal ends the program that the loop cannot handle: a fault or an
//! abort.
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

use libc::c_int;
use rustix::termios::Termios;

use super::tty;

/// Raised by a memory access or an instruction. The standard library handles the first two to
/// report a stack overflow.
const FAULTS: [c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE];
/// Raised by abort(), a filter of system calls, or a breakpoint: nothing can be saved after them.
/// The signal thread handles other signals that end a program (`watch_signals`).
const ABORTS: [c_int; 3] = [libc::SIGABRT, libc::SIGSYS, libc::SIGTRAP];

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

/// Makes [`FAULTS`] and [`ABORTS`], which end the program at once, restore the terminal first.
///
/// # Errors
/// If the system rejects a handler.
pub fn install_fault_handler() -> io::Result<()> {
    FAULTS.into_iter().chain(ABORTS).try_for_each(install)
}

/// Makes a write beyond the file size limit fail (EFBIG, reported like any disk error) instead of
/// ending the program.
pub fn survive_file_limits() {
    // SAFETY: no handler is installed, and ignoring a signal touches no memory.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Ends the program by this signal, for its exit status. Does nothing for requests to end, whose
/// exit code is 128 + the number.
pub fn end_by(signal: c_int) {
    if [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT].contains(&signal) {
        return;
    }
    // SAFETY: both calls may be made anywhere, also in a handler; in that of the same signal, it
    // arrives when the handler returns.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Reads unmapped memory, to test the fault handler. Only in debug builds.
#[cfg(debug_assertions)]
pub fn fault_drill() {
    // SAFETY: page 1 is never mapped, so this ends the program before anything is read.
    unsafe { ptr::without_provenance::<u8>(4096).read_volatile() };
}

fn install(signal: c_int) -> io::Result<()> {
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

fn require(result: c_int) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // Atomics and system calls only: the interrupted thread may hold any lock, and the heap may be
    // corrupt.
    tty::give_back_in_handler();
    // SAFETY: the kernel passes a valid siginfo to a handler with SA_SIGINFO.
    let sent = unsafe { (*info).si_code <= 0 };
    let previous = FAULTS
        .iter()
        .position(|fault| *fault == signal)
        .and_then(|place| PREVIOUS[place].get());
    match previous.filter(|_| !sent) {
        // SAFETY: sigaction may be called in a handler. On return the access faults again and meets
        // the previous action.
        Some(previous) => unsafe {
            libc::sigaction(signal, previous, ptr::null_mut());
        },
        None => end_by(signal),
    }
}
