//! Being a job of a shell: stopping as one, and touching the terminal only when the shell has
//! handed it over.

#![allow(unsafe_code)] // Two system calls that only return a number, which rustix refuses where it is 0.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_current_process_group};

use super::{signals, tty};

/// How long a job that woke up in the background waits for a reason to be awake: `kill %1` sends a
/// TERM and a CONT, and the first must get the chance to be seen.
const GRACE: Duration = Duration::from_millis(200);

/// Why a stopped job goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resumed {
    /// The terminal is ours to take.
    Foreground,
    /// A signal has come to end the program; the terminal is the shell's.
    Ending,
}

/// An error if nobody could continue us: in the group of the session's first process (a terminal
/// window that runs visavis and no shell) a stop would be for ever. The kernel ignores a ^Z there
/// for the same reason.
pub(super) fn ensure_continuable() -> io::Result<()> {
    // SAFETY: it only returns a number. 0, as for a group: the session of another PID namespace.
    if unsafe { libc::getsid(0) } == group() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "no shell to go back to",
        ));
    }
    Ok(())
}

/// The process group; 0 if its first process is in another PID namespace (`unshare --pid`, `nsenter`).
pub(super) fn group() -> libc::pid_t {
    // SAFETY: it takes nothing and cannot fail.
    unsafe { libc::getpgrp() }
}

/// Stops the job, and again for as long as it is continued in the background.
///
/// The whole group is stopped: the shell regards a job as stopped only when all of it is, so that
/// `zcat x | visavis` or a script that runs visavis would hang the shell if only this process
/// stopped. SIGSTOP and not SIGTSTP, whose handler would call us again.
pub(super) fn stop_until_foreground() -> io::Result<Resumed> {
    ensure_continuable()?;
    loop {
        signals::expect_continue();
        kill_current_process_group(Signal::STOP)?;
        // Here again by a SIGCONT only.
        if let Some(woken) = woken_within(GRACE)? {
            return Ok(woken);
        }
    }
}

/// Returns at once in the foreground; in the background (`visavis &`, `bg`) soon stops until that
/// changes. Reading the terminal's settings there would take the shell's line editor for what the
/// user had.
pub(super) fn wait_for_foreground() -> io::Result<Resumed> {
    if let Some(woken) = woken_within(GRACE)? {
        return Ok(woken);
    }
    match ensure_continuable() {
        Ok(()) => stop_until_foreground(),
        // No job control here: go on, the kernel has the last word.
        Err(_) => Ok(Resumed::Foreground),
    }
}

fn woken_within(time: Duration) -> io::Result<Option<Resumed>> {
    let keyboard = tty::open_keyboard()?;
    let deadline = Instant::now() + time;
    loop {
        if tty::is_foreground(&keyboard) {
            return Ok(Some(Resumed::Foreground));
        }
        if signals::is_ending() {
            return Ok(Some(Resumed::Ending));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}
