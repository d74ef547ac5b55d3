//! Distributes work over all cores.
//!
//! [`in_parallel`] is the entry point; with [`KeepGoing`], work checks for cancellation.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rayon::prelude::*;

/// A cancellation check for long loops: false once the result is no longer needed.
pub trait KeepGoing: Fn() -> bool + Sync {}

impl<F: Fn() -> bool + Sync> KeepGoing for F {}

/// Returns whether a visitor goes on.
pub const fn continue_if(goes_on: bool) -> ControlFlow<()> {
    if goes_on {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Locks a mutex, ignoring poisoning: all code that holds a lock keeps the data consistent even if
/// it panics.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Applies `work` to each item and returns the results in order; a single item is processed on this
/// thread. Items are distributed one by one, so each should take a few microseconds or more.
pub fn in_parallel<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync + Send) -> Vec<U> {
    // Waking the other cores would take longer than the work.
    if let [only] = items {
        return vec![work(only)];
    }
    let made: Vec<_> = items.iter().map(|_| Mutex::new(None)).collect();
    in_pool(items.len(), &|place| {
        *locked(&made[place]) = Some(work(&items[place]));
    });
    made.into_iter()
        .filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// Calls `work` with each number below `count` on all cores. Not generic, so that rayon's iterators
/// are compiled once.
fn in_pool(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let places = (0..count).into_par_iter();
    // One item at a time, since a started batch cannot be split and one core would finish late.
    places.with_max_len(1).for_each(work);
}

/// Runs `here` on this thread, which may start work on the other cores; returns after all of it has
/// ended. Must not be called on a thread of the pool, which would block a core.
pub fn with_other_cores<'s, R>(here: impl FnOnce(OtherCores<'_, 's>) -> R) -> R {
    debug_assert!(rayon::current_thread_index().is_none());
    rayon::in_place_scope(|scope| here(OtherCores(scope)))
}

/// The cores other than that of this thread.
#[derive(Clone, Copy)]
pub struct OtherCores<'c, 's>(&'c rayon::Scope<'s>);

impl<'s> OtherCores<'_, 's> {
    /// Starts work on each item as cores become free, in order and after work started earlier. Each
    /// item is a separate job: a job that waited for others would run later ones meanwhile.
    pub fn start_each<T: Send + 's, U: Send + 's>(
        self,
        items: Vec<T>,
        work: impl Fn(T) -> U + Send + Sync + 's,
    ) -> PendingResults<U> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let is_needed = Arc::new(AtomicBool::new(true));
        let made = items.iter().map(|_| None).collect();
        let shared = Arc::new(SharedWork {
            work,
            is_needed: Arc::clone(&is_needed),
            made: Mutex::new((items.len(), made)),
            sender,
        });
        for (place, item) in items.into_iter().enumerate() {
            let shared = Arc::clone(&shared);
            self.0.spawn(move |_| shared.do_one(place, item));
        }
        PendingResults {
            receiver,
            is_needed,
        }
    }
}

/// Work on several items, and its results so far.
struct SharedWork<F, U> {
    work: F,
    is_needed: Arc<AtomicBool>,
    /// Number of missing results, and the results by index.
    made: Mutex<(usize, Vec<Option<U>>)>,
    sender: mpsc::SyncSender<Vec<U>>,
}

impl<F, U> SharedWork<F, U> {
    fn do_one<T>(&self, place: usize, item: T)
    where
        F: Fn(T) -> U,
    {
        if !self.is_needed.load(Ordering::Relaxed) {
            return;
        }
        let one = (self.work)(item);
        let mut made = locked(&self.made);
        made.1[place] = Some(one);
        made.0 -= 1;
        if made.0 == 0 {
            let all = std::mem::take(&mut made.1);
            // The receiver may be gone.
            let _ = self.sender.send(all.into_iter().flatten().collect());
        }
    }
}

/// Work started on other cores. Dropping this cancels items that have not started and waits for the
/// others.
pub struct PendingResults<U> {
    receiver: mpsc::Receiver<Vec<U>>,
    is_needed: Arc<AtomicBool>,
}

impl<U> PendingResults<U> {
    /// Waits for the results, in order; `None` if work on an item panicked. [`with_other_cores`]
    /// then resumes the panic.
    pub fn wait(&self) -> Option<Vec<U>> {
        self.receiver.recv().ok()
    }
}

impl<U> Drop for PendingResults<U> {
    fn drop(&mut self) {
        self.is_needed.store(false, Ordering::Relaxed);
        // Ends when the last job has dropped its sender.
        while self.receiver.recv().is_ok() {}
    }
}

/// Returns the number of cores used.
pub fn cores() -> u32 {
    u32::try_from(rayon::current_num_threads())
        .unwrap_or(1)
        .max(1)
}

/// Applies `work` to each item on a separate thread and returns the results in order. For work that
/// is long or blocks, so that [`in_parallel`] is not delayed by it.
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
            // No more threads available; run on this one.
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
    fn results_are_in_order() {
        for count in [0, 1, 2, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(in_parallel(&items, |item| item * 2), doubled);
        }
        assert_eq!(on_threads(&[1, 2, 3], |item| item * 2), [2, 4, 6]);
    }

    #[test]
    fn started_results_are_in_order() {
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
    fn dropped_work_does_not_continue() {
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
    fn a_panic_on_another_core_resumes_on_the_caller() {
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
        let payload = caught.expect_err("it goes on");
        let payload = payload.downcast_ref::<String>().expect("a sentence");
        assert!(payload.contains("broken"), "{payload}");
    }
}
