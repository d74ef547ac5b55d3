//! The full screen as the loop holds it: whole frames in single writes, and the way out of and back
//! into the shell.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use ratatui::{Frame, Terminal};

use super::backend::{RedrawBackend, ScreenLink};
use super::capabilities::background_query;
use super::job::{self, Resumed};
use super::{signals, tty};

/// A frame of 200 × 50 cells is 10 to 20 kB; this holds one of a big screen without growing.
const FRAME_BYTES: usize = 64 * 1024;
/// Synchronized update: the terminal shows what is between the two at once, or ignores both.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";
const BLANK: &[u8] = b"\x1b[0m\x1b[2J";

/// What is asked of the terminal beyond a raw keyboard and the alternate screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Whether the mouse is visavis's: presses, drags and the wheel are reported; plain motion is not,
    /// it would flood a slow line. Otherwise the terminal keeps it: selecting and copying work as the
    /// reader is used to.
    pub mouse: bool,
    /// Whether to ask for the kitty keyboard protocol; only if the terminal has it.
    pub keyboard_protocol: bool,
    /// Whether the terminal sent arrow keys for the wheel before; `None` if that is unknown.
    pub wheel_sends_arrows: Option<bool>,
}

/// The terminal, taken: raw keyboard, alternate screen, no cursor, bracketed paste. Dropping it
/// gives everything back.
///
/// It belongs to the main thread: `suspend` relies on the kernel delivering a stop to the thread
/// that asked for it.
pub struct TerminalGuard {
    terminal: Terminal<RedrawBackend<FrameBuffer>>,
    frame: FrameBuffer,
    modes: Modes,
    /// The next frame starts from a blank screen.
    blank_first: bool,
}

impl TerminalGuard {
    /// Takes the terminal.
    ///
    /// # Errors
    /// If standard output is not a terminal, no keyboard can be opened (standard input, else
    /// `/dev/tty`), the terminal is already taken, or a signal comes to end the program while it
    /// waits in the background (`Interrupted`). The terminal is then as it was.
    pub fn enter(modes: &Modes) -> io::Result<TerminalGuard> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "standard output is not a terminal",
            ));
        }
        if tty::is_taken() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "the terminal is already taken",
            ));
        }
        let frame = FrameBuffer::default();
        let terminal = blank_terminal(&frame)?;
        if job::wait_for_foreground()? == Resumed::Ending {
            return Err(io::ErrorKind::Interrupted.into());
        }
        tty::take(*modes)?;
        Ok(TerminalGuard {
            terminal,
            frame,
            modes: *modes,
            blank_first: false,
        })
    }

    /// Draws one frame: what changed since the last one, as one write in one synchronized update. Its
    /// `links` are cells that lead to web addresses.
    ///
    /// # Errors
    /// If the terminal is gone (see [`is_gone`](super::is_gone)), or was given back in the meantime
    /// because a thread panicked (`NotConnected`): the loop should end. While a signal is ending
    /// the program nothing is drawn and nothing is wrong.
    pub fn draw(&mut self, links: &[ScreenLink], f: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if !tty::is_taken() && signals::is_ending() {
            return Ok(());
        }
        // Empty, unless the last frame was cut short by a panic that somebody caught.
        self.frame.clear();
        self.frame.push(BEGIN_FRAME);
        if std::mem::take(&mut self.blank_first) {
            self.frame.push(BLANK);
        }
        self.terminal.backend_mut().expect_links(links);
        let draw = |frame: &mut Frame<'_>| {
            f(frame);
            links.iter().for_each(|link| link.mark(frame.buffer_mut()));
        };
        self.terminal.draw(draw).map_err(tty::real_error)?;
        self.frame.push(END_FRAME);
        let sent = self.frame.send();
        self.frame.clear();
        sent
    }

    /// Makes the next draw whole, from a blank screen: for `Event::Resize`, because a terminal that
    /// was smaller for a moment has lost what stood there even if we never saw that size, and for
    /// whatever else wrote over the screen.
    ///
    /// # Errors
    /// If the terminal's size cannot be asked.
    pub fn repaint(&mut self) -> io::Result<()> {
        // A fresh one remembers no cells. `Terminal::clear` would ask the terminal for its cursor,
        // and the input thread would swallow the answer.
        self.terminal = blank_terminal(&self.frame).map_err(tty::real_error)?;
        self.blank_first = true;
        Ok(())
    }

    /// Takes the mouse, or leaves it to the terminal if it was taken; whether it is now.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn toggle_mouse(&mut self) -> io::Result<bool> {
        tty::set_mouse(!self.modes.mouse)?;
        self.modes.mouse = !self.modes.mouse;
        Ok(self.modes.mouse)
    }

    /// Gives the terminal back, stops the whole job (`zcat x | visavis` stops as one), and when the
    /// shell continues it in the foreground takes the terminal again, blank: the next draw is
    /// whole. Continued in the background (`bg`) it stops once more, unless a signal has come to
    /// end it: then it returns without the terminal.
    ///
    /// # Errors
    /// `Unsupported`, with the terminal untouched, if no shell could ever continue the job
    /// (`xterm -e visavis`); otherwise as for [`enter`](Self::enter).
    pub fn suspend(&mut self) -> io::Result<()> {
        job::ensure_continuable()?;
        let paused = tty::pause_input();
        tty::give_back()?;
        let woken = job::stop_until_foreground()?;
        drop(paused);
        match woken {
            Resumed::Foreground => self.retake(),
            Resumed::Ending => Ok(()),
        }
    }

    /// Gives the terminal back for as long as another program needs it, and takes it again, blank:
    /// the next draw is whole.
    ///
    /// # Errors
    /// As for [`enter`](Self::enter).
    pub fn lend<T>(&mut self, borrow: impl FnOnce() -> T) -> io::Result<T> {
        let paused = tty::pause_input();
        tty::give_back()?;
        let done = borrow();
        drop(paused);
        self.retake()?;
        Ok(done)
    }

    /// Sends bytes to the terminal, between frames.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        tty::send(bytes)
    }

    /// Takes the terminal again after a stop that could not be caught (`kill -STOP`), for
    /// [`Signal::Resume`]: whatever the shell did to it meanwhile is undone, and the next draw is
    /// whole.
    ///
    /// # Errors
    /// As for [`enter`](Self::enter).
    ///
    /// [`Signal::Resume`]: super::Signal::Resume
    pub fn resume(&mut self) -> io::Result<()> {
        match job::wait_for_foreground()? {
            Resumed::Foreground => self.retake(),
            Resumed::Ending => Ok(()),
        }
    }

    /// Columns and rows, up to 1000 each; either may be 0 on a terminal that does not know its
    /// size.
    ///
    /// # Errors
    /// If no terminal can be asked.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        tty::size()
    }

    fn retake(&mut self) -> io::Result<()> {
        tty::take(self.modes)?;
        tty::send(background_query())?;
        self.repaint()
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        let _paused = tty::pause_input();
        // There is nobody left to tell, and a terminal that is gone wants nothing.
        let _ = tty::give_back();
    }
}

/// Makes every panic, on whatever thread, give the terminal back before the message is printed by
/// the previous hook; but for those of which `is_caught` says, on their thread, that they are caught.
pub fn install_panic_hook(is_caught: fn() -> bool) {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_caught() {
            let _ = tty::give_back();
        }
        previous(info);
    }));
}

/// Where ratatui writes: flushing does nothing, because it flushes in the middle of a frame.
#[derive(Clone)]
struct FrameBuffer(Rc<RefCell<Vec<u8>>>);

impl Default for FrameBuffer {
    fn default() -> Self {
        FrameBuffer(Rc::new(RefCell::new(Vec::with_capacity(FRAME_BYTES))))
    }
}

impl FrameBuffer {
    fn push(&self, bytes: &[u8]) {
        self.0.borrow_mut().extend_from_slice(bytes);
    }

    fn send(&self) -> io::Result<()> {
        tty::send(&self.0.borrow())
    }

    fn clear(&self) {
        let mut bytes = self.0.borrow_mut();
        bytes.clear();
        bytes.shrink_to(FRAME_BYTES);
    }
}

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn blank_terminal(frame: &FrameBuffer) -> io::Result<Terminal<RedrawBackend<FrameBuffer>>> {
    Terminal::new(RedrawBackend::new(frame.clone()))
}
