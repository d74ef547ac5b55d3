//! The input thread: terminal events, as they come, to whoever asked for them.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rustix::event::PollFlags;
use signal_hook::consts::{SIGHUP, SIGWINCH};

use super::{background, signals, tty};

/// A reply to the background query is shorter; more than this is somebody typing.
const LONGEST_REPLY: usize = 40;
/// The kernel's own SIGHUP comes at once if it comes at all.
const KERNEL_FIRST: Duration = Duration::from_millis(250);
/// crossterm reads nothing at all in no time (0.29 with `use-dev-tty`), so it gets this much to find there is no more.
/// Every key waits for it, so it is short; should it pass before crossterm looked, our own wait returns at once again.
const ALL_READ: Duration = Duration::from_micros(50);
/// How often to look, when there is input that is not ours, whether the terminal is again.
const NOT_OURS_TICK: Duration = Duration::from_millis(20);

/// Starts the thread that reads the keyboard (standard input, or `/dev/tty` when that is a pipe) and passes on every
/// event but key releases, until `on` breaks or reading fails; `on` is dropped then.
///
/// A terminal that went away ends it too, and with it the program: a process that gets no SIGHUP for that (somebody
/// shields it) is sent one here.
///
/// # Errors
/// If there is no keyboard or the thread cannot be made.
pub fn spawn_input(on: impl Fn(Event) -> ControlFlow<()> + Send + 'static) -> io::Result<()> {
    // Makes crossterm listen for resizes now, so that none is lost, and before us, so that it knows when we wake.
    event::poll(Duration::ZERO)?;
    let (resized, sender) = UnixStream::pair()?;
    resized.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGWINCH, sender)?;
    let input = Input { keyboard: tty::open_keyboard()?, resized, late: LateReply::default() };
    thread::Builder::new().name("input".into()).spawn(move || input.run(on))?;
    Ok(())
}

/// Waits by itself and lets crossterm read, because crossterm's own wait goes round at full speed on a terminal that is
/// gone, and reads in the background, which stops a job that is just being killed.
struct Input {
    keyboard: OwnedFd,
    resized: UnixStream,
    late: LateReply,
}

impl Input {
    fn run(mut self, on: impl Fn(Event) -> ControlFlow<()>) {
        while let Ok(Wake::Events) = self.wait() {
            let events = match tty::read_keys(|| self.read()) {
                Some(Ok(events)) => events,
                Some(Err(_)) => break,
                None => {
                    thread::sleep(NOT_OURS_TICK);
                    continue;
                }
            };
            if events.into_iter().any(|event| on(event).is_break()) {
                return;
            }
        }
        thread::sleep(KERNEL_FIRST);
        if !signals::is_ending() {
            let _ = signal_hook::low_level::raise(SIGHUP);
        }
    }

    fn wait(&mut self) -> io::Result<Wake> {
        let [keyboard, resized] = tty::wait_either([self.keyboard.as_fd(), self.resized.as_fd()])?;
        if keyboard.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Ok(Wake::HungUp);
        }
        if !resized.is_empty() {
            while self.resized.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
        }
        Ok(Wake::Events)
    }

    /// All that is there to be read. `on` is not called here: it may wait for a loop that waits for us to stop reading.
    fn read(&mut self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        while event::poll(ALL_READ)? {
            let event = event::read()?;
            if !is_release(&event) {
                events.extend(self.late.sift(event));
            }
        }
        Ok(events)
    }
}

enum Wake {
    Events,
    HungUp,
}

fn is_release(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.kind == KeyEventKind::Release)
}

/// Keeps a reply that came after [`background`](background::background) gave up from being taken for keys, which
/// crossterm makes of it: Alt-], 1 1 ; r g b …
#[derive(Default)]
struct LateReply {
    held: Vec<Event>,
}

impl LateReply {
    /// What of the events so far is to be passed on now.
    fn sift(&mut self, event: Event) -> Vec<Event> {
        if self.held.is_empty() && !background::is_outstanding() {
            return vec![event];
        }
        self.fit(event)
    }

    fn fit(&mut self, event: Event) -> Vec<Event> {
        let key = match &event {
            Event::Key(key) => *key,
            _ => return vec![event], // A resize has nothing to do with it.
        };
        let place = self.held.len();
        self.held.push(event);
        if place > 4 && ends_reply(key) {
            background::forget();
            self.held.clear();
            return Vec::new();
        }
        if place < LONGEST_REPLY && fits_reply(place, key) {
            return Vec::new();
        }
        std::mem::take(&mut self.held)
    }
}

/// BEL, or the backslash of ESC \ however the two were read.
fn ends_reply(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('\\') || (key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL)
}

fn fits_reply(place: usize, key: KeyEvent) -> bool {
    match (place, key.code) {
        (0, KeyCode::Char(c)) => c == ']' && key.modifiers == KeyModifiers::ALT,
        (1 | 2, KeyCode::Char(c)) => c == '1',
        (3, KeyCode::Char(c)) => c == ';',
        (4.., KeyCode::Char(c)) => c.is_ascii_hexdigit() || "rgba:/".contains(c),
        (4.., KeyCode::Esc) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<Event> {
        super::super::typed::keys(text.as_bytes())
    }

    #[test]
    fn late_replies_vanish_and_keys_stay() {
        let cases = [
            ("\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\", ""),
            ("\x1b]11;rgb:1c1c/1c1c/1c1c\x07", ""),
            ("\x1b]11;rgba:ff/ff/ff/ff\x07j", "j"),
            ("j", "j"),
            ("\x1b]j", "\x1b]j"),
            ("\x1b]11;quit", "\x1b]11;quit"),
        ];
        for (typed, wanted) in cases {
            let mut late = LateReply::default();
            let mut passed = Vec::new();
            let mut over = false;
            for event in keys(typed) {
                // As `sift` does while a reply is outstanding, which is a process-wide matter.
                let out = if over { vec![event] } else { late.fit(event) };
                over |= late.held.is_empty() && out.is_empty();
                passed.extend(out);
            }
            assert_eq!(passed, keys(wanted), "{typed:?}");
        }
    }
}
