//! Work on all cores: the one place that knows how it is spread.
//!
//! [`in_parallel`] is the entry point; [`KeepGoing`] is how long work asks whether it is still wanted.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rayon::prelude::*;

/// Asked in every long loop: false once nobody waits for the result any more.
pub trait KeepGoing: Fn() -> bool + Sync {}

impl<F: Fn() -> bool + Sync> KeepGoing for F {}

/// What a lock guards, also where a thread panicked with it: all who hold one leave whole what it guards.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `work` makes of each item, in their order; one item alone is done on this thread. Items are
/// handed out one by one as cores are free, so each should be worth a few microseconds.
pub fn in_parallel<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync + Send) -> Vec<U> {
    match items {
        // Waking the other cores for so little takes longer than the work.
        [only] => vec![work(only)],
        // Pieces of several items could not be shared once begun: at the end one core would wait.
        several => several.par_iter().with_max_len(1).map(work).collect(),
    }
}

/// Runs `here` on this thread, which may start work on the other cores meanwhile; returns when all of
/// that has ended too. Not for a thread of the pool: who waits there keeps a core from the work.
pub fn with_other_cores<'s, R>(here: impl FnOnce(OtherCores<'_, 's>) -> R) -> R {
    debug_assert!(rayon::current_thread_index().is_none());
    rayon::in_place_scope(|scope| here(OtherCores(scope)))
}

/// The cores beside that of this thread.
#[derive(Clone, Copy)]
pub struct OtherCores<'c, 's>(&'c rayon::Scope<'s>);

impl<'s> OtherCores<'_, 's> {
    /// Starts work on each item as cores are free: in their order, and behind what was started
    /// earlier. Each is a job of its own: one that waited for others would do later ones meanwhile.
    pub fn start_each<T: Send + 's, U: Send + 's>(
        self,
        items: Vec<T>,
        work: impl Fn(T) -> U + Send + Sync + 's,
    ) -> PendingResults<U> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let is_wanted = Arc::new(AtomicBool::new(true));
        let made = items.iter().map(|_| None).collect();
        let shared = Arc::new(SharedWork {
            work,
            is_wanted: Arc::clone(&is_wanted),
            made: Mutex::new((items.len(), made)),
            sender,
        });
        for (place, item) in items.into_iter().enumerate() {
            let shared = Arc::clone(&shared);
            self.0.spawn(move |_| shared.do_one(place, item));
        }
        PendingResults {
            receiver,
            is_wanted,
        }
    }
}

/// Work on several items, and what came of it so far.
struct SharedWork<F, U> {
    work: F,
    is_wanted: Arc<AtomicBool>,
    /// How many are not made yet, and the others at their places.
    made: Mutex<(usize, Vec<Option<U>>)>,
    sender: mpsc::SyncSender<Vec<U>>,
}

impl<F, U> SharedWork<F, U> {
    fn do_one<T>(&self, place: usize, item: T)
    where
        F: Fn(T) -> U,
    {
        if !self.is_wanted.load(Ordering::Relaxed) {
            return;
        }
        let one = (self.work)(item);
        let mut made = locked(&self.made);
        made.1[place] = Some(one);
        made.0 -= 1;
        if made.0 == 0 {
            let all = std::mem::take(&mut made.1);
            // Nobody may want it any more.
            let _ = self.sender.send(all.into_iter().flatten().collect());
        }
    }
}

/// What was started on other cores, and may not have ended yet. Dropping this keeps what was not begun
/// from beginning and waits for the rest: behind that, nothing of it goes on.
pub struct PendingResults<U> {
    receiver: mpsc::Receiver<Vec<U>>,
    is_wanted: Arc<AtomicBool>,
}

impl<U> PendingResults<U> {
    /// Waits for what comes of the items, in their order; `None` where work on one panicked, as whoever
    /// called [`with_other_cores`] then does.
    pub fn wait(&self) -> Option<Vec<U>> {
        self.receiver.recv().ok()
    }
}

impl<U> Drop for PendingResults<U> {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
        // Until the last of them has gone and taken its sender along.
        while self.receiver.recv().is_ok() {}
    }
}

/// How many cores work is spread over.
pub fn cores() -> u32 {
    u32::try_from(rayon::current_num_threads())
        .unwrap_or(1)
        .max(1)
}

/// What `work` makes of each item, in their order, each on a thread of its own. For work that is
/// long or waits: what is spread by [`in_parallel`] meanwhile need not stand in line behind it.
pub fn on_threads<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let work = &work;
    thread::scope(|scope| {
        let start = |item| {
            (
                item,
                thread::Builder::new()
                    .name("long".to_owned())
                    .spawn_scoped(scope, move || work(item)),
            )
        };
        let started: Vec<_> = items.iter().map(start).collect();
        let ended = started.into_iter().map(|(item, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system has no more threads: this one does it.
            Err(_) => work(item),
        });
        ended.collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn what_comes_back_is_in_order() {
        for count in [0, 1, 2, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(in_parallel(&items, |item| item * 2), doubled);
        }
        assert_eq!(on_threads(&[1, 2, 3], |item| item * 2), [2, 4, 6]);
    }

    #[test]
    fn what_was_started_comes_in_order() {
        with_other_cores(|cores| {
            let pending: Vec<_> = (0..5)
                .map(|first| cores.start_each((first..first + 50).collect(), |item| item * 2))
                .collect();
            for (first, pending) in pending.iter().enumerate() {
                let doubled: Vec<usize> = (first..first + 50).map(|item| item * 2).collect();
                assert_eq!(pending.wait(), Some(doubled));
            }
        });
    }

    #[test]
    fn nothing_goes_on_behind_what_was_dropped() {
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        with_other_cores(|cores| {
            let pending = cores.start_each((0..1000).collect(), |_: usize| {
                begun.fetch_add(1, Ordering::SeqCst);
                thread::yield_now();
                ended.fetch_add(1, Ordering::SeqCst);
            });
            drop(pending);
            let when_dropped = begun.load(Ordering::SeqCst);
            assert_eq!(ended.load(Ordering::SeqCst), when_dropped);
            cores.start_each(vec![()], |()| ()).wait();
            assert_eq!(begun.load(Ordering::SeqCst), when_dropped);
        });
    }

    #[test]
    fn a_panic_of_another_core_goes_on_where_it_was_started() {
        let caught = std::panic::catch_unwind(|| {
            with_other_cores(|cores| {
                let work = |item: usize| {
                    assert_ne!(item, 3, "broken");
                    item
                };
                let fine = cores.start_each(vec![1, 2], work);
                let broken = cores.start_each(vec![2, 3, 4], work);
                assert_eq!((fine.wait(), broken.wait()), (Some(vec![1, 2]), None));
            });
        });
        let told = caught.expect_err("it goes on");
        let told = told.downcast_ref::<String>().expect("a sentence");
        assert!(told.contains("broken"), "{told}");
    }
}
