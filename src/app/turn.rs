//! What is done for the state before a frame: one way for the screen, a printed frame and the tests.

use std::ops::ControlFlow;

use super::{App, Effect};

/// Rounds of reading before a frame is drawn with what is there: an answer decides what is read, in
/// a page something is found, which can put another response into it, and it can change what the list
/// shows, once.
const ROUNDS: usize = 9;

/// Whoever performs effects: `run`, which has threads and files, or a test, which has neither and
/// stands in for them.
pub trait Performer {
    /// The state.
    fn app(&self) -> &App;

    /// Whether a thread is at work on what the screen needs already.
    fn is_at_work(&self, need: &Effect) -> bool;

    /// Has something done that the screen needs; breaks where nothing else is worth doing.
    fn perform(&mut self, need: Effect) -> ControlFlow<()>;
}

/// Has everything done that the screen needs, until it needs nothing else or others are at work on
/// it; call once after a batch of messages.
pub fn fetch(performer: &mut impl Performer) {
    for _ in 0..ROUNDS {
        let mut needs = performer.app().needs();
        needs.retain(|need| !performer.is_at_work(need));
        if needs.is_empty() {
            return;
        }
        for need in needs {
            if performer.perform(need).is_break() {
                return;
            }
        }
    }
}
