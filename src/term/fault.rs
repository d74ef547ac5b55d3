//! Restores the terminal when a signal ends the program that the loop cannot handle: a fault or an
//! abort.
//!
//! Otherwise the user would be left in a shell with a raw keyboard on the alternate screen. The
//! handler writes prepared bytes, restores the keyboard's settings, and lets the signal take its
//! normal effect, so that the exit status and any core dump remain those of the signal.
#![allow(unsafe_code)] // These handlers cannot be written in safe Rust; each block explains why it is sound.

use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::c_int;
use rustix::termios::Termios;

use super::tty;

/// The settings of a keyboard in raw mode; null if none is.
static SAVED: AtomicPtr<SavedKeyboard> = AtomicPtr::new(ptr::null_mut());

/// A keyboard and its settings to restore.
pub(super) struct SavedKeyboard {
    pub(super) device: &'static OwnedFd,
    pub(super) shell: Termios,
}

/// Sets the keyboard settings that a fault restores. Leaks about a hundred bytes per call, because
/// a handler may be reading them at any time, and calls are rare.
pub(super) fn remember(device: &'static OwnedFd, shell: Termios) {
    let saved = Box::new(SavedKeyboard { device, shell });
    SAVED.store(Box::into_raw(saved), Ordering::Release);
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

/// Makes signals that end the program at once restore the terminal first: those of a mapped file
/// that shrank, an instruction, abort(), a filter of system calls and a breakpoint. SIGSEGV remains
/// the standard library's, which reports a stack overflow. The signal thread handles other signals
/// that end a program (`watch_signals`).
pub fn install_fault_handler() {
    for signal in [
        libc::SIGBUS,
        libc::SIGILL,
        libc::SIGFPE,
        libc::SIGABRT,
        libc::SIGSYS,
        libc::SIGTRAP,
    ] {
        // SAFETY: the handler has the signature of one, and only does what a handler may.
        unsafe { libc::signal(signal, on_signal as extern "C" fn(_) as usize) };
    }
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

extern "C" fn on_signal(signal: c_int) {
    // Atomics and system calls only: the interrupted thread may hold any lock, and the heap may be
    // corrupt.
    tty::give_back_in_handler();
    end_by(signal);
}
