//! Background work, one slot for each kind: a new request makes the old one unwanted, and every report carries the
//! generation of its request so that late ones can be told from current ones. Work that can wait stands at a [`Gate`].

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

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

/// Has work that can wait stand still while some that cannot is under way.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    inner: Arc<GateInner>,
}

#[derive(Debug, Default)]
struct GateInner {
    /// Urgent pieces of work under way; changed under the lock only, so that nobody misses the last one's end.
    urgent: AtomicUsize,
    lock: Mutex<()>,
    opened: Condvar,
}

/// Urgent work: under way until this is dropped.
#[derive(Debug)]
pub struct Urgent(Arc<GateInner>);

impl Gate {
    /// Whoever waits looks this often at whether it is still wanted, of which nobody tells it.
    const LOOK: Duration = Duration::from_millis(5);

    /// Closes it for as long as what this gives is held.
    pub fn urgent(&self) -> Urgent {
        let _lock = self.inner.lock();
        self.inner.urgent.fetch_add(1, Ordering::AcqRel);
        Urgent(Arc::clone(&self.inner))
    }

    /// Waits until nothing urgent is under way, or the work with this ticket is not wanted any more; gives whether it is.
    pub fn pass(&self, ticket: &Ticket) -> bool {
        if self.inner.urgent.load(Ordering::Acquire) > 0 {
            let mut lock = self.inner.lock();
            while self.inner.urgent.load(Ordering::Acquire) > 0 && ticket.wanted() {
                let waited = self.inner.opened.wait_timeout(lock, Self::LOOK);
                lock = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        ticket.wanted()
    }
}

impl GateInner {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        let _lock = self.0.lock();
        self.0.urgent.fetch_sub(1, Ordering::AcqRel);
        self.0.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
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

    #[test]
    fn what_can_wait_waits_for_what_cannot() {
        let (gate, over, mut slot) = (Gate::default(), Arc::new(AtomicBool::new(false)), Slot::default());
        let (told, passed) = mpsc::channel();
        let work = |gate: Gate, over: Arc<AtomicBool>| {
            let told = told.clone();
            move |ticket: Ticket| {
                let passed = gate.pass(&ticket);
                told.send((passed, over.load(Ordering::Acquire))).expect("a listener");
            }
        };
        let (one, other) = (gate.urgent(), gate.urgent());
        slot.start("test", work(gate.clone(), Arc::clone(&over))).expect("a thread");
        drop(one);
        over.store(true, Ordering::Release);
        drop(other);
        assert_eq!(passed.recv(), Ok((true, true)), "nobody passes before the last one is over");

        let urgent = gate.urgent();
        slot.start("test", work(gate.clone(), over)).expect("a thread");
        slot.cancel();
        assert_eq!(passed.recv(), Ok((false, true)), "what nobody wants does not wait");
        drop(urgent);
        slot.start("test", work(gate, Arc::default())).expect("a thread");
        assert_eq!(passed.recv(), Ok((true, false)), "the gate is open again");
    }
}
