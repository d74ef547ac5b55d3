//! The input thread, which passes terminal events to a callback.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use rustix::event::PollFlags;
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGWINCH};

use super::parser::InputParser;
use super::{Background, signals, tty};

/// Bytes read at a time; a paste arrives in several pieces.
const CHUNK: usize = 4096;
/// How long to wait for the kernel's own SIGHUP, which comes at once if at all.
const KERNEL_FIRST: Duration = Duration::from_millis(250);
/// Poll interval while the keyboard belongs to another job.
const NOT_OURS_TICK: Duration = Duration::from_millis(20);

/// Characters in one piece of input that no user can have typed one by one.
const BURST: usize = 16;

/// An input event of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A key, a mouse event, a paste or a new size.
    Event(Event),
    /// The terminal's colour scheme changed.
    Background(Background),
    /// Many characters at once, as from a paste by a terminal without bracketed paste.
    Typed(String),
}

/// Joins the characters of one piece of input that were pasted.
fn joined(events: &[Event]) -> impl Iterator<Item = InputEvent> {
    events
        .chunk_by(|one, next| character(one).is_some() && character(next).is_some())
        .flat_map(|run| match run.len() {
            BURST.. => vec![InputEvent::Typed(
                run.iter().filter_map(character).collect(),
            )],
            _ => run.iter().cloned().map(InputEvent::Event).collect(),
        })
}

/// Returns the character of a key without Ctrl and Alt.
fn character(event: &Event) -> Option<char> {
    match event {
        Event::Key(KeyEvent {
            code: KeyCode::Char(typed),
            modifiers: KeyModifiers::NONE | KeyModifiers::SHIFT,
            ..
        }) => Some(*typed),
        _ => None,
    }
}

/// Starts the thread that reads the keyboard (standard input, or `/dev/tty` when that is a pipe)
/// and passes every event except key releases to `on`, until `on` breaks or reading fails; then
/// `on` is dropped.
///
/// It also ends when the terminal is closed, and the program with it: if the kernel's SIGHUP does
/// not reach the process, the thread sends one.
///
/// # Errors
/// If the keyboard cannot be opened or the thread cannot be started.
pub fn spawn_input(on: impl Fn(InputEvent) -> ControlFlow<()> + Send + 'static) -> io::Result<()> {
    let (resized, sender) = UnixStream::pair()?;
    resized.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGWINCH, sender)?;
    let input = TerminalInput {
        keyboard: tty::open_keyboard()?,
        resized,
        parser: InputParser::default(),
    };
    thread::Builder::new()
        .name("input".into())
        .spawn(move || input.run(on))?;
    Ok(())
}

/// Reads and parses without crossterm, which spins on a closed terminal, reads in the background
/// (which stops a job that is just being killed), and waits forever for the end of an unknown
/// sequence.
struct TerminalInput {
    keyboard: OwnedFd,
    resized: UnixStream,
    parser: InputParser,
}

impl TerminalInput {
    fn run(mut self, on: impl Fn(InputEvent) -> ControlFlow<()>) {
        loop {
            let events = match self.wait() {
                Ok(InputWake::Bytes) => match tty::read_keys(|| self.read()) {
                    Some(Ok(events)) => events,
                    Some(Err(_)) => break,
                    None => {
                        thread::sleep(NOT_OURS_TICK);
                        continue;
                    }
                },
                Ok(InputWake::Resized) => match tty::size() {
                    Ok((columns, rows)) => vec![Event::Resize(columns, rows)],
                    Err(_) => break,
                },
                Ok(InputWake::Silence) => self.parser.time_out(),
                Ok(InputWake::HungUp) | Err(_) => break,
            };
            let mut events = self
                .parser
                .take_background()
                .map(InputEvent::Background)
                .into_iter()
                .chain(joined(&events));
            if events.any(|event| on(event).is_break()) {
                return;
            }
        }
        thread::sleep(KERNEL_FIRST);
        if !signals::is_ending() {
            let _ = signal_hook::low_level::raise(SIGHUP);
        }
    }

    /// Waits for input or a wake-up; after the start of a sequence, only as long as it may pause.
    fn wait(&mut self) -> io::Result<InputWake> {
        let devices = [self.keyboard.as_fd(), self.resized.as_fd()];
        let [keyboard, resized] = tty::wait_any(devices, PollFlags::IN, self.parser.patience())?;
        if keyboard.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Ok(InputWake::HungUp);
        }
        if !resized.is_empty() {
            while self.resized.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
            return Ok(InputWake::Resized);
        }
        Ok(if keyboard.is_empty() {
            InputWake::Silence
        } else {
            InputWake::Bytes
        })
    }

    /// Reads what is available. Does not call `on`, which may block on a loop that waits for
    /// reading to stop.
    fn read(&mut self) -> io::Result<Vec<Event>> {
        let mut bytes = [0; CHUNK];
        // Another process may have read it in the meantime, and blocking here would keep the
        // keyboard locked.
        if tty::wait_ready(&self.keyboard, PollFlags::IN, Some(Duration::ZERO))?.is_empty() {
            return Ok(Vec::new());
        }
        match rustix::io::read(&self.keyboard, &mut bytes) {
            Ok(read) => Ok(self.parser.feed(&bytes[..read])),
            Err(Errno::INTR | Errno::AGAIN) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

enum InputWake {
    Bytes,
    Resized,
    /// The rest of a sequence did not arrive.
    Silence,
    HungUp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_pasted_without_brackets_is_joined() {
        let events = InputParser::default().feed(b"Lorem ipsum dolor\rsit\x1b[B\x1b[B\x1b[B");
        let found: Vec<_> = joined(&events).collect();
        assert_eq!(
            found.first(),
            Some(&InputEvent::Typed("Lorem ipsum dolor".to_owned()))
        );
        assert_eq!(found.len(), 1 + 1 + 3 + 3, "the rest are keys: {found:?}");
    }
}
