//! Shell job control: stopping the job, and using the terminal only in the foreground.

#![allow(unsafe_code)] // Two system calls whose result may be 0, which rustix rejects.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_current_process_group};

use super::{signals, tty};

/// How long a job that woke up in the background waits to learn why: `kill %1` sends TERM and CONT,
/// and TERM must be seen first.
const GRACE: Duration = Duration::from_millis(200);

/// Why a stopped job continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resumed {
    /// It is in the foreground and may take the terminal.
    Foreground,
    /// A terminating signal arrived; the terminal belongs to the shell.
    Ending,
}

/// Returns an error if nothing could continue the job: in the group of the session's first process
/// (a terminal window that runs visavis without a shell) a stop would last forever. The kernel
/// ignores ^Z there for the same reason.
pub(super) fn ensure_continuable() -> io::Result<()> {
    // SAFETY: getsid only returns a number; 0 for a session of another PID namespace.
    if unsafe { libc::getsid(0) } == group() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "no shell to return to",
        ));
    }
    Ok(())
}

/// Returns the process group; 0 if its leader is in another PID namespace (`unshare --pid`,
/// `nsenter`).
pub(super) fn group() -> libc::pid_t {
    // SAFETY: getpgrp has no arguments and cannot fail.
    unsafe { libc::getpgrp() }
}

/// Stops the job, repeatedly while it is continued in the background.
///
/// Stops the whole group because the shell regards a job as stopped only when all of it is:
/// otherwise `zcat x | visavis`, or a script that runs visavis, would hang the shell. Uses SIGSTOP
/// because the handler of SIGTSTP would call this function again.
pub(super) fn stop_until_foreground() -> io::Result<Resumed> {
    ensure_continuable()?;
    loop {
        signals::expect_continue();
        kill_current_process_group(Signal::STOP)?;
        // Only a SIGCONT leads here.
        if let Some(woken) = woken_within(GRACE)? {
            return Ok(woken);
        }
    }
}

/// Returns at once in the foreground; in the background (`visavis &`, `bg`) soon stops until that
/// changes. Reading terminal settings in the background would return those of the shell's line
/// editor.
pub(super) fn wait_for_foreground() -> io::Result<Resumed> {
    if let Some(woken) = woken_within(GRACE)? {
        return Ok(woken);
    }
    match ensure_continuable() {
        Ok(()) => stop_until_foreground(),
        // No job control: continue, the kernel has the last word.
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
