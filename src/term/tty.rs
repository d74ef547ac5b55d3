//! The terminal device and the changes made to it: one process-wide record, so that any exit path
//! can undo them.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::OFlags;
use rustix::io::{Errno, retry_on_intr};
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp, tcsetattr,
};

use super::Modes;
use super::fault::{self, SavedKeyboard};
use super::{job, signals};

/// Alternate screen, cleared; cursor hidden; bracketed paste; no arrow keys for the wheel, which
/// would step through samples; reports of colour scheme changes.
const TAKE: &[u8] = b"\x1b[?1049h\x1b[0m\x1b[2J\x1b[H\x1b[?25l\x1b[?2004h\x1b[?1007l\x1b[?2031h";
/// Undoes every mode visavis may have set, in any state, even in the middle of a frame: ends the
/// synchronized update, then resets text style, colour scheme reports, mouse and bracketed paste.
/// [`conditional`] comes in between; the shell's screen and cursor come last.
const GIVE_BACK: [&[u8]; 2] = [
    b"\x1b[?2026l\x1b[0m\x1b[?2031l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?2004l",
    b"\x1b[?1049l\x1b[?25h",
];
/// Pushes and pops a mode of the kitty keyboard protocol on the alternate screen. The mode is
/// "disambiguate": Esc and keys with modifiers are unambiguous, text is sent as usual.
const KEYBOARD_PUSH: &[u8] = b"\x1b[>1u";
const KEYBOARD_POP: &[u8] = b"\x1b[<u";
/// Arrow keys for the wheel, the default of nearly all terminals that know the mode. Few can save
/// and restore it (CSI ? s, CSI ? r), and some take the latter for scroll margins.
const WHEEL_ARROWS: &[u8] = b"\x1b[?1007h";
/// Presses and drags, in the encoding without the limit of 223 columns.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// How long restoring waits for a frame in progress, and then for the terminal to accept a byte. A
/// stuck terminal must not keep the program from ending.
const PATIENCE: Duration = Duration::from_millis(200);

/// Most columns and rows that are drawn: no real screen has more, and cells for the largest size a
/// terminal can claim exceed memory.
const MAX_CELLS: u16 = 1000;

/// True while the terminal is taken: otherwise nothing is written to it.
static TAKEN: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Whether a mode of the kitty keyboard protocol was pushed.
static KEYBOARD_PUSHED: AtomicBool = AtomicBool::new(false);
/// Whether the terminal sent no arrow keys for the wheel before it was taken.
static WHEEL_WAS_SILENT: AtomicBool = AtomicBool::new(false);
/// Held during each write, so that no part of a frame follows the restoring bytes.
static WRITING: Mutex<()> = Mutex::new(());
/// Held while keys are read, so that a job about to stop or end can wait for the reader.
static READING: Mutex<()> = Mutex::new(());
static KEYBOARD: Mutex<Option<Keyboard>> = Mutex::new(None);

/// The keyboard device and its previous settings.
struct Keyboard {
    device: &'static OwnedFd,
    shell: Termios,
    /// Whether we put it in raw mode.
    is_raw: bool,
}

/// True if the error means that the terminal is gone (a closed window, a lost connection): the
/// program should then end silently.
pub fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|code| {
        [
            Errno::IO,
            Errno::NXIO,
            Errno::PIPE,
            Errno::BADF,
            Errno::NODEV,
        ]
        .contains(&Errno::from_raw_os_error(code))
    })
}

pub(super) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Sets raw mode, the alternate screen and these modes. Changes nothing on an error.
pub(super) fn take(modes: Modes) -> io::Result<()> {
    set_raw()?;
    SCREEN.get_or_init(open_screen);
    // Already taken, but stopped in between: switch to the shell's screen first, because entering
    // the alternate one again would save our cursor as the shell's.
    let taken = take_screen(modes, TAKEN.swap(true, Ordering::SeqCst));
    if taken.is_err() {
        let _ = give_back();
    }
    taken
}

fn take_screen(modes: Modes, again: bool) -> io::Result<()> {
    if again {
        let [first, last] = GIVE_BACK;
        let [keyboard, _] = conditional();
        [first, keyboard, last].into_iter().try_for_each(send)?;
    }
    WHEEL_WAS_SILENT.store(modes.wheel_sends_arrows == Some(false), Ordering::SeqCst);
    send(TAKE)?;
    if modes.keyboard_protocol {
        KEYBOARD_PUSHED.store(true, Ordering::SeqCst);
        send(KEYBOARD_PUSH)?;
    }
    if modes.mouse { set_mouse(true) } else { Ok(()) }
}

/// Returns what restoring sends only if we changed it.
fn conditional() -> [&'static [u8]; 2] {
    let pop = if KEYBOARD_PUSHED.swap(false, Ordering::SeqCst) {
        KEYBOARD_POP
    } else {
        b""
    };
    let wheel = if WHEEL_WAS_SILENT.load(Ordering::SeqCst) {
        b""
    } else {
        WHEEL_ARROWS
    };
    [pop, wheel]
}

/// Undoes everything that `take` and `set_raw` did. Safe at any time, from any thread and
/// repeatedly; a second caller waits for the first, so that neither ends the process during the
/// other's call. A closed terminal is not an error.
pub(super) fn give_back() -> io::Result<()> {
    let writing = lock_patiently(&WRITING);
    let screen = if TAKEN.swap(false, Ordering::SeqCst) {
        write_back()
    } else {
        Ok(())
    };
    let keyboard = set_cooked();
    drop(writing);
    match screen.and(keyboard) {
        Err(error) if is_gone(&error) => Ok(()),
        done => done,
    }
}

/// Restores the settings in the handler of a signal that ends the program. Takes no lock and
/// allocates nothing; the rest of a frame being written is lost.
pub(super) fn give_back_in_handler() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = write_back();
    }
    if let Some(SavedKeyboard { device, shell }) =
        fault::saved().filter(|saved| is_foreground(saved.device))
    {
        if MOUSE.load(Ordering::SeqCst) {
            let _ = tcflush(device, QueueSelector::IFlush);
        }
        let _ = retry_on_intr(|| tcsetattr(device, OptionalActions::Now, shell));
    }
}

/// Writes all of `bytes` to the screen.
///
/// # Errors
/// `NotConnected` if the terminal is not taken; otherwise the device's error.
pub(super) fn send(bytes: &[u8]) -> io::Result<()> {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if !is_taken() {
        return Err(io::Error::new(
            io::ErrorKind::NotConnected,
            "the terminal was given back",
        ));
    }
    match write_all(bytes, None) {
        // It accepts no output while the program ends: nothing visible is lost.
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(()),
        done => done,
    }
}

pub(super) fn set_mouse(is_taken: bool) -> io::Result<()> {
    MOUSE.store(is_taken, Ordering::SeqCst);
    send(if is_taken { MOUSE_ON } else { MOUSE_OFF })
}

/// Puts the keyboard in raw mode: no echo, no line editing, no signals from keys. Returns whether
/// it already was, in which case an outer caller restores it.
pub(super) fn set_raw() -> io::Result<bool> {
    let mut keyboard = lock_keyboard();
    let mut held = match keyboard.take() {
        Some(held) => held,
        None => {
            let device = open_keyboard()?;
            let shell = tcgetattr(&device)?;
            Keyboard {
                // Handlers may use it at any time, and it is opened once.
                device: Box::leak(Box::new(device)),
                shell,
                is_raw: false,
            }
        }
    };
    let was = held.make_raw();
    // Also after an error: it has the shell's settings.
    *keyboard = Some(held);
    was
}

impl Keyboard {
    fn make_raw(&mut self) -> io::Result<bool> {
        // The shell may have changed its settings while we were stopped, but raw mode may be our
        // own.
        let now = tcgetattr(self.device)?;
        if now.local_modes.contains(LocalModes::ICANON) {
            self.shell = now;
        }
        let mut raw = self.shell.clone();
        raw.make_raw();
        if self.is_raw {
            retry_on_intr(|| tcsetattr(self.device, OptionalActions::Now, &raw))?;
            return Ok(true);
        }
        fault::remember(self.device, self.shell.clone());
        retry_on_intr(|| tcsetattr(self.device, OptionalActions::Now, &raw))?;
        self.is_raw = true;
        Ok(false)
    }
}

/// Keeps the input thread from reading while the guard exists. The thread never reads for long.
pub(super) fn pause_input() -> Option<MutexGuard<'static, ()>> {
    lock_patiently(&READING)
}

/// Runs `read` on the keyboard if it is raw and in the foreground. In the background, reading would
/// stop the job; input typed after restoring belongs to the shell.
pub(super) fn read_keys<T>(read: impl FnOnce() -> T) -> Option<T> {
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    is_ours().then(read)
}

fn is_ours() -> bool {
    lock_keyboard()
        .as_ref()
        .is_some_and(|held| held.is_raw && is_foreground(held.device))
}

/// Returns the real cause of a drawing error: crossterm determines the size in several ways
/// (finally by running `tput`) and returns the last error, although the device would report that it
/// is gone.
pub(super) fn real_error(error: io::Error) -> io::Error {
    match tcgetattr(io::stdout()) {
        Ok(_) => error,
        Err(real) => real.into(),
    }
}

/// Restores the keyboard's settings if we put it in raw mode.
pub(super) fn set_cooked() -> io::Result<()> {
    let mut keyboard = lock_keyboard();
    let Some(held) = keyboard.as_mut().filter(|held| held.is_raw) else {
        return Ok(());
    };
    held.is_raw = false;
    fault::forget();
    // In the background the settings are the shell's, and changing them would stop us.
    if !is_foreground(held.device) {
        return Ok(());
    }
    if MOUSE.swap(false, Ordering::SeqCst) {
        // Unread reports would be typed into the shell.
        let _ = tcflush(held.device, QueueSelector::IFlush);
    }
    retry_on_intr(|| tcsetattr(held.device, OptionalActions::Now, &held.shell))?;
    Ok(())
}

/// Opens the keyboard device: standard input, or `/dev/tty` if that is a pipe. crossterm does the
/// same.
pub(super) fn open_keyboard() -> io::Result<OwnedFd> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return stdin.as_fd().try_clone_to_owned();
    }
    Ok(File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")?
        .into())
}

/// True if our job has the terminal, or the terminal has no job control.
pub(super) fn is_foreground(device: impl AsFd) -> bool {
    tcgetpgrp(device).map_or(true, |group| group.as_raw_pid() == job::group())
}

/// Waits until `device` is ready for one of `events` and returns which; none on a timeout. Without
/// `patience` it waits forever.
pub(super) fn wait_ready(
    device: impl AsFd,
    events: PollFlags,
    patience: Option<Duration>,
) -> io::Result<PollFlags> {
    wait_any([device.as_fd()], events, patience).map(|[ready]| ready)
}

/// Like [`wait_ready`], for any of several devices.
pub(super) fn wait_any<const N: usize>(
    devices: [BorrowedFd<'_>; N],
    events: PollFlags,
    patience: Option<Duration>,
) -> io::Result<[PollFlags; N]> {
    let deadline = patience.map(|patience| Instant::now() + patience);
    let mut fds = devices.map(|device| PollFd::from_borrowed_fd(device, events));
    loop {
        let left = deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
            .and_then(|left| Timespec::try_from(left).ok());
        match rustix::event::poll(&mut fds, left.as_ref()) {
            Ok(_) => return Ok(fds.map(|fd| fd.revents())),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns the terminal's columns and rows, up to [`MAX_CELLS`] each; 0 if it does not know its
/// size.
pub(super) fn size() -> io::Result<(u16, u16)> {
    let (columns, rows) = crossterm::terminal::size()?;
    Ok((columns.min(MAX_CELLS), rows.min(MAX_CELLS)))
}

/// The screen, opened again if possible, for non-blocking writes: a terminal that accepts no output
/// must not keep the program from ending. On the descriptor shared with the shell, that flag would
/// affect both.
static SCREEN: OnceLock<Option<File>> = OnceLock::new();

fn open_screen() -> Option<File> {
    let own = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    File::options()
        .write(true)
        .custom_flags(own)
        .open("/proc/self/fd/1")
        .ok()
}

/// Waits until the screen accepts output; only briefly without `patience` or if a signal is ending
/// the program.
fn wait_for_room(screen: BorrowedFd<'_>, patience: Option<Duration>) -> io::Result<()> {
    while wait_ready(screen, PollFlags::OUT, Some(PATIENCE))?.is_empty() {
        if patience.is_some() || signals::is_ending() {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
    Ok(())
}

/// Writes the restoring bytes. If the screen accepts none, first discards its pending output.
fn write_back() -> io::Result<()> {
    let [modes, screen] = GIVE_BACK;
    let [keyboard, wheel] = conditional();
    let write = || {
        let mut parts = [modes, keyboard, wheel, screen].into_iter();
        parts.try_for_each(|part| write_all(part, Some(PATIENCE)))
    };
    match write() {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            let _ = tcflush(io::stdout(), QueueSelector::OFlush);
            write()
        }
        done => done,
    }
}

/// Writes to the screen without std's buffer and lock, which a panicking thread may hold.
fn write_all(mut bytes: &[u8], patience: Option<Duration>) -> io::Result<()> {
    let stdout = io::stdout();
    let screen = SCREEN
        .get()
        .and_then(Option::as_ref)
        .map_or(stdout.as_fd(), AsFd::as_fd);
    while !bytes.is_empty() {
        wait_for_room(screen, patience)?;
        match rustix::io::write(screen, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            // There was less room than reported.
            Err(Errno::AGAIN) => thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn lock_keyboard() -> MutexGuard<'static, Option<Keyboard>> {
    KEYBOARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the lock, or `None` if its holder is stuck: restoring continues without it.
fn lock_patiently(mutex: &Mutex<()>) -> Option<MutexGuard<'_, ()>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_terminal_is_distinguished_from_other_errors() {
        let cases = [
            (io::Error::from(Errno::IO), true),
            (io::Error::from(Errno::PIPE), true),
            (io::Error::from(Errno::NOSPC), false),
            (io::ErrorKind::NotConnected.into(), false),
        ];
        for (error, gone) in cases {
            assert_eq!(is_gone(&error), gone, "{error}");
        }
    }

    #[test]
    fn every_mode_taken_is_given_back() {
        let taken = [TAKE, MOUSE_ON].concat();
        let text = String::from_utf8(taken).unwrap();
        let back = [&GIVE_BACK.concat(), WHEEL_ARROWS].concat();
        let back = String::from_utf8(back).unwrap();
        for part in text.split("\x1b[?").skip(1) {
            let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
            let (on, off) = if part[digits.len()..].starts_with('h') {
                ('h', 'l')
            } else {
                ('l', 'h')
            };
            assert!(
                back.contains(&format!("\x1b[?{digits}{off}")),
                "mode {digits}{on} stays"
            );
        }
    }

    #[test]
    fn giving_back_what_was_not_taken_does_nothing() {
        assert!(!is_taken());
        give_back().unwrap();
        give_back().unwrap();
        assert_eq!(send(b"x").unwrap_err().kind(), io::ErrorKind::NotConnected);
    }
}
