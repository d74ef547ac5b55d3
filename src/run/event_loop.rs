//! The loop: reads what the screen needs, has it drawn, waits for what happens next and takes it. The
//! terminal, a printed frame and the tests of `run` differ in what they draw and what they wait for.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::driver::{Driver, LoopEvent, TerminalRequest};
use crate::app::{App, Loading, Message, OnScreen};
use crate::keymap::{Key, Keymap};

/// Messages taken before a frame is drawn all the same.
const BATCH: usize = 256;

/// Why the loop ended.
#[derive(Debug)]
pub enum LoopEnd {
    /// A key asked for it, or what was waited for is there.
    Quit,
    /// The system did.
    Signal(i32),
    /// A thread panicked; the panic hook has said so.
    Panicked,
    /// There is nothing to show, for this reason.
    Nothing(Arc<str>),
}

/// What stands before the state.
pub trait Frontend {
    /// Whether a frame is wanted of what there is so far.
    fn is_drawn(&self, _app: &App) -> bool {
        true
    }

    /// Whether a person sees it.
    fn is_shown(&self) -> bool {
        true
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    fn draw(&mut self, _app: &App) -> io::Result<()> {
        Ok(())
    }

    /// Waits for what happens next; `None` when only the clock moved on.
    ///
    /// # Errors
    /// When the terminal fails.
    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>>;

    /// Takes what happened.
    ///
    /// # Errors
    /// When the terminal fails.
    fn take(&mut self, driver: &mut Driver, event: LoopEvent) -> io::Result<ControlFlow<LoopEnd>> {
        let requests = match event {
            LoopEvent::Message(message) => driver.handle(message),
            LoopEvent::Panicked => return Ok(ControlFlow::Break(LoopEnd::Panicked)),
            LoopEvent::Event(_) | LoopEvent::Line(_) | LoopEvent::Signal(_) => Vec::new(),
        };
        for request in requests {
            match request {
                TerminalRequest::Quit => return Ok(ControlFlow::Break(LoopEnd::Quit)),
                TerminalRequest::Fail(reason) => {
                    return Ok(ControlFlow::Break(LoopEnd::Nothing(reason)));
                }
                request => self.ask(driver, request),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes what else is asked for; without a terminal, most of it is left out.
    fn ask(&mut self, _driver: &mut Driver, _request: TerminalRequest) {}
}

/// Turns until something ends it.
///
/// # Errors
/// When the terminal fails.
pub(super) fn run(driver: &mut Driver, frontend: &mut impl Frontend) -> io::Result<LoopEnd> {
    loop {
        let (mut ahead, mut drawn) = (0, None);
        if frontend.is_drawn(&driver.app) {
            driver.fetch();
            if let Some(TerminalRequest::Fail(reason)) = driver.failed() {
                return Ok(LoopEnd::Nothing(reason));
            }
            frontend.draw(&driver.app)?;
            // What waits already was typed ahead of this frame.
            ahead = driver.queued();
            // At once: a quit that waits already would end the run with less than what was seen.
            drawn = frontend.is_shown().then(|| driver.note_drawn());
        }
        if ahead == 0 {
            tell_caught_up(driver, &mut drawn);
        }
        let mut next = match frontend.next(driver)? {
            ControlFlow::Continue(next) => next,
            ControlFlow::Break(end) => return Ok(end),
        };
        for _ in 0..BATCH {
            let Some(event) = next else { break };
            if ahead == 0 {
                tell_caught_up(driver, &mut drawn);
            }
            ahead = ahead.saturating_sub(1);
            if let ControlFlow::Break(end) = frontend.take(driver, event)? {
                return Ok(end);
            }
            next = driver.waiting();
        }
    }
}

/// Tells the state once that keys from now on were typed with a frame in sight.
fn tell_caught_up(driver: &mut Driver, drawn: &mut Option<Option<OnScreen>>) {
    if let Some(drawn) = drawn.take() {
        driver.handle(Message::CaughtUp(drawn));
    }
}

/// Keys of the command line, each played once what the one before it asked for is there.
pub(super) struct KeyPlayer {
    /// Those that are left.
    pub(super) keys: VecDeque<Key>,
    /// What they mean.
    pub(super) keymap: Keymap,
}

impl KeyPlayer {
    /// What the next key asks for, where there is one that means something and all is there.
    pub(super) fn next(&mut self, driver: &Driver) -> Option<Message> {
        if !is_settled(driver) {
            return None;
        }
        while let Some(key) = self.keys.pop_front() {
            match self.keymap.press(key, driver.app.mode()) {
                Some(Message::Unbound(_)) | None => {}
                told => return told,
            }
        }
        None
    }
}

/// Whether nothing is under way any more, and nothing waits to be taken.
pub fn is_settled(driver: &Driver) -> bool {
    driver.queued() == 0
        && driver.app.browser.data.loading == Loading::Done
        && !driver.is_reading()
        && driver.app.review.is_settled()
        && !driver.app.browser.is_beginning()
}

/// Waits so long without a screen until something is so; draws nothing and reads nothing before
/// `is_drawn` says so.
pub(super) struct Until<T, D> {
    /// Whether it is so, or no time is left.
    pub(super) is_over: T,
    /// Whether what the screen needs is read meanwhile.
    pub(super) is_drawn: D,
    /// How long to sleep before it is looked again.
    pub(super) patience: Duration,
}

impl<T: Fn(&Driver) -> bool, D: Fn(&App) -> bool> Frontend for Until<T, D> {
    fn is_drawn(&self, app: &App) -> bool {
        (self.is_drawn)(app)
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        Ok(if (self.is_over)(driver) {
            ControlFlow::Break(LoopEnd::Quit)
        } else {
            ControlFlow::Continue(driver.receive(self.patience))
        })
    }
}
