//! Work on all cores: the one place that knows how it is spread.

use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread;

use rayon::prelude::*;

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
/// that has ended too.
pub(super) fn with_other_cores<'s, R>(here: impl FnOnce(OtherCores<'_, 's>) -> R) -> R {
    rayon::in_place_scope(|scope| here(OtherCores(scope)))
}

/// The cores beside that of this thread.
#[derive(Clone, Copy)]
pub(super) struct OtherCores<'c, 's>(&'c rayon::Scope<'s>);

impl<'s> OtherCores<'_, 's> {
    /// Starts work as soon as a core is free; what was started earlier goes first.
    pub(super) fn start<T: Send + 's>(
        self,
        work: impl FnOnce() -> T + Send + 's,
    ) -> PendingResult<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.0.spawn(move |_| {
            // Nobody may want it any more.
            let _ = sender.send(work());
        });
        PendingResult(receiver)
    }
}

/// What was started on another core, and may not have ended yet.
pub(super) struct PendingResult<T>(mpsc::Receiver<T>);

impl<T> PendingResult<T> {
    /// Waits for the result; `None` where the work panicked, as whoever called [`with_other_cores`]
    /// then does.
    pub(super) fn wait(self) -> Option<T> {
        self.0.recv().ok()
    }
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
    fn a_panic_of_another_core_goes_on_where_it_was_started() {
        let caught = std::panic::catch_unwind(|| {
            with_other_cores(|cores| {
                let (fine, broken) = (cores.start(|| 1), cores.start(|| panic!("broken")));
                assert_eq!((fine.wait(), broken.wait()), (Some(1), None::<()>));
            });
        });
        let told = caught.expect_err("it goes on");
        assert_eq!(told.downcast_ref::<&str>(), Some(&"broken"));
    }
}
