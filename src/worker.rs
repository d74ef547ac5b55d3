//! Background work, one slot for each kind: a new request makes the old one unwanted, and every report carries the
//! generation of its request so that late ones can be told from current ones.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The place for one kind of work; only its newest request is wanted.
#[derive(Debug, Default)]
pub struct Slot {
    newest: Arc<AtomicU64>,
}

/// What a piece of work holds to know whether it is still wanted.
#[derive(Debug, Clone)]
pub struct Ticket {
    generation: u64,
    newest: Arc<AtomicU64>,
}

impl Ticket {
    /// The number of the request, growing by one with each.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether no newer request was made, and none was cancelled.
    pub fn wanted(&self) -> bool {
        self.newest.load(Ordering::Acquire) == self.generation
    }
}

impl Slot {
    /// Makes all earlier work of this slot unwanted and starts `work` on a thread of its own.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(&mut self, name: &str, work: impl FnOnce(Ticket) + Send + 'static) -> io::Result<u64> {
        let generation = self.newest.fetch_add(1, Ordering::AcqRel) + 1;
        let ticket = Ticket { generation, newest: Arc::clone(&self.newest) };
        thread::Builder::new().name(name.to_owned()).spawn(move || work(ticket))?;
        Ok(generation)
    }

    /// Makes all work of this slot unwanted.
    pub fn cancel(&mut self) {
        self.newest.fetch_add(1, Ordering::AcqRel);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn only_the_newest_is_wanted() {
        let mut slot = Slot::default();
        let (tickets, arrived) = mpsc::channel();
        for _ in 0..2 {
            let tickets = tickets.clone();
            slot.start("test", move |ticket| tickets.send(ticket).expect("a listener")).expect("a thread");
        }
        let mut held: Vec<_> = arrived.iter().take(2).collect();
        held.sort_by_key(Ticket::generation);
        assert_eq!(held.iter().map(Ticket::wanted).collect::<Vec<_>>(), [false, true]);
        drop(slot);
        assert!(!held[1].wanted());
    }
}
