//! The full screen as the loop uses it: whole frames in single writes, and switching to the shell
//! and back.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use ratatui::{Frame, Terminal};

use super::backend::{DisputedRows, RedrawBackend, ScreenLink};
use super::capabilities::background_query;
use super::job::{self, Resumed};
use super::{signals, tty};

/// A frame of 200 × 50 cells takes 10 to 20 kB; this holds a large screen without growing.
const FRAME_BYTES: usize = 64 * 1024;
/// Synchronized update: the terminal shows everything between the two at once, or ignores both.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";
const BLANK: &[u8] = b"\x1b[0m\x1b[2J";

/// Modes beyond a raw keyboard and the alternate screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Whether visavis gets the mouse: presses, drags and the wheel, but not plain motion, which
    /// would flood a slow line. Otherwise the terminal keeps it, for its own selecting and copying.
    pub mouse: bool,
    /// Whether to enable the kitty keyboard protocol; only if the terminal has it.
    pub keyboard_protocol: bool,
    /// Whether the terminal sent arrow keys for the wheel before; `None` if unknown.
    pub wheel_sends_arrows: Option<bool>,
}

/// The taken terminal: raw keyboard, alternate screen, no cursor, bracketed paste. Dropping it
/// restores everything.
///
/// It belongs to the main thread: `suspend` relies on the kernel delivering a stop to the thread
/// that requested it.
pub struct TerminalGuard {
    terminal: Terminal<RedrawBackend<FrameBuffer>>,
    frame: FrameBuffer,
    rows: DisputedRows,
    modes: Modes,
    /// Whether the next frame starts from a blank screen.
    blank_first: bool,
}

impl TerminalGuard {
    /// Takes the terminal.
    ///
    /// # Errors
    /// If standard output is not a terminal, no keyboard can be opened (standard input, else
    /// `/dev/tty`), the terminal is already taken, or a terminating signal arrives while it waits
    /// in the background (`Interrupted`). The terminal is then unchanged.
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
        let (frame, rows) = (FrameBuffer::default(), DisputedRows::default());
        let terminal = blank_terminal(&frame, &rows)?;
        if job::wait_for_foreground()? == Resumed::Ending {
            return Err(io::ErrorKind::Interrupted.into());
        }
        tty::take(*modes)?;
        Ok(TerminalGuard {
            terminal,
            frame,
            rows,
            modes: *modes,
            blank_first: false,
        })
    }

    /// Draws one frame: the changes since the last one, as one write in one synchronized update.
    /// `links` are cells that link to web addresses.
    ///
    /// # Errors
    /// If the terminal is gone (see [`is_gone`](super::is_gone)), or was restored because a thread
    /// panicked (`NotConnected`): the loop should end. While a signal is ending the program, draws
    /// nothing and succeeds.
    pub fn draw(&mut self, links: &[ScreenLink], f: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if !tty::is_taken() && signals::is_ending() {
            return Ok(());
        }
        // Empty unless a caught panic interrupted the last frame.
        self.frame.clear();
        self.frame.push(BEGIN_FRAME);
        if std::mem::take(&mut self.blank_first) {
            self.frame.push(BLANK);
        }
        self.terminal.backend_mut().expect_links(links);
        let draw = |frame: &mut Frame<'_>| {
            f(frame);
            links.iter().for_each(|link| link.mark(frame.buffer_mut()));
            self.rows.collect(frame.buffer_mut());
        };
        self.terminal.draw(draw).map_err(tty::real_error)?;
        self.frame.push(END_FRAME);
        let sent = self.frame.send();
        self.frame.clear();
        sent
    }

    /// Makes the next draw complete, from a blank screen: for `Event::Resize`, because a terminal
    /// that was briefly smaller has lost content even if we never saw that size, and after anything
    /// else wrote to the screen.
    ///
    /// # Errors
    /// If the terminal's size cannot be determined.
    pub fn repaint(&mut self) -> io::Result<()> {
        // A new one remembers no cells. `Terminal::clear` would query the cursor, and the input
        // thread would swallow the answer.
        self.rows.clear();
        self.terminal = blank_terminal(&self.frame, &self.rows).map_err(tty::real_error)?;
        self.blank_first = true;
        Ok(())
    }

    /// Takes the mouse, or returns it to the terminal. Returns whether it is taken now.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn toggle_mouse(&mut self) -> io::Result<bool> {
        tty::set_mouse(!self.modes.mouse)?;
        self.modes.mouse = !self.modes.mouse;
        Ok(self.modes.mouse)
    }

    /// Restores the terminal, stops the whole job (`zcat x | visavis` stops as one), and when the
    /// shell continues it in the foreground takes the terminal again; the next draw is complete. If
    /// continued in the background (`bg`) it stops again, unless a terminating signal arrived: then
    /// it returns without the terminal.
    ///
    /// # Errors
    /// `Unsupported`, with the terminal unchanged, if no shell could continue the job (`xterm -e
    /// visavis`); otherwise as for [`enter`](Self::enter).
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

    /// Restores the terminal while another program uses it, then takes it again; the next draw is
    /// complete.
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

    /// Takes the terminal again after a stop that cannot be caught (`kill -STOP`), for
    /// [`Signal::Resume`]: undoes the shell's changes, and the next draw is complete.
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

    /// Returns columns and rows, up to 1000 each; 0 if the terminal does not know its size.
    ///
    /// # Errors
    /// If no terminal can be queried.
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
        // Errors cannot be reported here, and a closed terminal needs no restoring.
        let _ = tty::give_back();
    }
}

/// Makes every panic, on any thread, restore the terminal before the previous hook prints the
/// message, except panics that `is_caught` (called on their thread) reports as caught.
pub fn install_panic_hook(is_caught: fn() -> bool) {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !is_caught() {
            let _ = tty::give_back();
        }
        previous(info);
    }));
}

/// The writer for ratatui: flushing does nothing, because ratatui flushes in the middle of a frame.
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

fn blank_terminal(
    frame: &FrameBuffer,
    rows: &DisputedRows,
) -> io::Result<Terminal<RedrawBackend<FrameBuffer>>> {
    Terminal::new(RedrawBackend::new(frame.clone(), rows.clone()))
}
