//! The event loop: reads what the screen needs, draws, waits for an event and handles it. The
//! terminal, printed frames and the tests of `run` implement [`Frontend`].

use std::collections::VecDeque;
use std::io;
use std::iter;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::Invocation;
use super::driver::{Driver, LoopEvent, TerminalRequest};
use crate::app::{App, Loading, Message, ScreenSample};
use crate::keymap::{Key, Keymap};

/// Maximum number of messages between two frames.
const BATCH: usize = 256;

/// Why the loop ended.
#[derive(Debug)]
pub enum LoopEnd {
    /// A key requested it, or the awaited condition holds.
    Quit,
    /// A signal.
    Signal(i32),
    /// A thread panicked; the panic hook has reported it.
    Panicked,
    /// There is nothing to show, for this reason.
    Nothing(Arc<str>),
}

/// The interface between the loop and a screen.
pub trait Frontend {
    /// True if a frame is to be drawn in this state.
    fn is_drawn(&self, _app: &App) -> bool {
        true
    }

    /// True if the user sees the frame.
    fn is_shown(&self) -> bool {
        true
    }

    /// Draws a frame.
    ///
    /// # Errors
    /// If the terminal cannot be written.
    fn draw(&mut self, _app: &App) -> io::Result<()> {
        Ok(())
    }

    /// Waits for the next event; returns `None` if only time passed.
    ///
    /// # Errors
    /// If the terminal fails.
    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>>;

    /// Handles an event.
    ///
    /// # Errors
    /// If the terminal fails.
    fn take(&mut self, driver: &mut Driver, event: LoopEvent) -> io::Result<ControlFlow<LoopEnd>> {
        let requests = match event {
            LoopEvent::Message(message) => driver.handle(message),
            LoopEvent::Panicked => return Ok(ControlFlow::Break(LoopEnd::Panicked)),
            LoopEvent::Event(_) | LoopEvent::Line(_) | LoopEvent::Signal(_) => Vec::new(),
        };
        self.perform(driver, requests)
    }

    /// Performs requests to the terminal.
    ///
    /// # Errors
    /// If the terminal fails.
    fn perform(
        &mut self,
        driver: &mut Driver,
        requests: Vec<TerminalRequest>,
    ) -> io::Result<ControlFlow<LoopEnd>> {
        for request in requests {
            match request {
                TerminalRequest::Quit => return Ok(ControlFlow::Break(LoopEnd::Quit)),
                TerminalRequest::Fail(reason) => {
                    return Ok(ControlFlow::Break(LoopEnd::Nothing(reason)));
                }
                request => self.ask(driver, request)?,
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Performs a request that does not end the loop. By default it is ignored.
    ///
    /// # Errors
    /// If the terminal fails.
    fn ask(&mut self, _driver: &mut Driver, _request: TerminalRequest) -> io::Result<()> {
        Ok(())
    }
}

/// Runs the loop until the user quits, a signal arrives, or there is nothing to show.
///
/// # Errors
/// If the terminal fails.
pub(super) fn run(driver: &mut Driver, frontend: &mut impl Frontend) -> io::Result<LoopEnd> {
    loop {
        let (mut ahead, mut drawn) = (0, None);
        if frontend.is_drawn(&driver.app) {
            driver.fetch();
            if let Some(TerminalRequest::Fail(reason)) = driver.failed.take() {
                return Ok(LoopEnd::Nothing(reason));
            }
            frontend.draw(&driver.app)?;
            // Events queued now were typed before this frame was shown.
            ahead = driver.queued();
            // At once, because a queued quit would end the run before what was seen is recorded.
            drawn = frontend.is_shown().then(|| driver.report_drawn());
        }
        if ahead == 0 {
            send_caught_up(driver, &mut drawn);
        }
        let next = match frontend.next(driver)? {
            ControlFlow::Continue(next) => next,
            ControlFlow::Break(end) => return Ok(end),
        };
        let Some(next) = next else { continue };
        // Receives no event that this batch cannot handle: it would be lost.
        let inbox = driver.inbox.clone();
        for event in iter::once(next).chain(inbox.try_iter().take(BATCH - 1)) {
            if ahead == 0 {
                send_caught_up(driver, &mut drawn);
            }
            ahead = ahead.saturating_sub(1);
            if let ControlFlow::Break(end) = frontend.take(driver, event)? {
                return Ok(end);
            }
        }
    }
}

/// Notifies the state, once, that later keys were typed with this frame on screen.
fn send_caught_up(driver: &mut Driver, drawn: &mut Option<Option<ScreenSample>>) {
    if let Some(drawn) = drawn.take() {
        driver.handle(Message::CaughtUp(drawn));
    }
}

/// Plays the keys of the command line, each after the previous one has finished.
pub(super) struct KeyPlayer {
    /// The remaining keys.
    pub(super) keys: VecDeque<Key>,
    /// The key bindings.
    pub(super) keymap: Keymap,
}

impl KeyPlayer {
    /// Returns a player of the keys of the command line.
    pub(super) fn of(invocation: &Invocation) -> Self {
        Self {
            keys: invocation.keys().iter().copied().collect(),
            keymap: invocation.config.keymap().clone(),
        }
    }

    /// Returns the message of the next bound key if everything is settled.
    pub(super) fn next(&mut self, driver: &Driver) -> Option<Message> {
        if !is_settled(driver) {
            return None;
        }
        while let Some(key) = self.keys.pop_front() {
            match self.keymap.press(key, driver.app.mode()) {
                Some(Message::Unbound(_)) | None => {}
                message => return message,
            }
        }
        None
    }
}

/// True if no work is running and no event is queued.
pub fn is_settled(driver: &Driver) -> bool {
    driver.queued() == 0
        && driver.app.data.loading == Loading::Done
        && !driver.is_reading()
        && driver.app.review.is_settled()
        && !driver.app.is_beginning()
}

/// Waits without a screen until a condition holds; reads nothing before `is_drawn`.
pub(super) struct Until<T> {
    /// True if the condition holds, or the time is up.
    pub(super) is_over: T,
    /// True if what the screen needs is to be read meanwhile.
    pub(super) is_drawn: bool,
    /// Time between two checks.
    pub(super) patience: Duration,
}

impl<T: Fn(&Driver) -> bool> Frontend for Until<T> {
    fn is_drawn(&self, _app: &App) -> bool {
        self.is_drawn
    }

    fn next(&mut self, driver: &mut Driver) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
        Ok(if (self.is_over)(driver) {
            ControlFlow::Break(LoopEnd::Quit)
        } else {
            ControlFlow::Continue(driver.receive(self.patience))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::loaded;
    use super::super::journal_writer::JournalConfig;
    use super::*;

    /// Collects the numbers of lines until none is queued.
    #[derive(Default)]
    struct LineCollector(Vec<usize>);

    impl Frontend for LineCollector {
        fn next(
            &mut self,
            driver: &mut Driver,
        ) -> io::Result<ControlFlow<LoopEnd, Option<LoopEvent>>> {
            Ok(match driver.receive(Duration::ZERO) {
                None => ControlFlow::Break(LoopEnd::Quit),
                event => ControlFlow::Continue(event),
            })
        }

        fn take(&mut self, _: &mut Driver, event: LoopEvent) -> io::Result<ControlFlow<LoopEnd>> {
            if let LoopEvent::Line(line) = event {
                self.0
                    .extend(line.and_then(|line| line.parse::<usize>().ok()));
            }
            Ok(ControlFlow::Continue(()))
        }
    }

    #[test]
    fn all_queued_events_are_handled_in_order() {
        let row = br#"{"prompt": "p", "response": "r", "helpfulness": 1}"#;
        let mut driver = loaded(row, JournalConfig::default());
        for count in [BATCH - 1, BATCH, BATCH + 1, 4 * BATCH] {
            for line in 0..count {
                let event = LoopEvent::Line(Some(line.to_string()));
                driver.outbox().send(event).expect("a receiver");
            }
            let mut lines = LineCollector::default();
            let ended = run(&mut driver, &mut lines);
            assert!(matches!(ended, Ok(LoopEnd::Quit)), "{ended:?}");
            assert!(
                lines.0.iter().copied().eq(0..count),
                "{count}: {:?}",
                lines.0.len()
            );
        }
    }
}
