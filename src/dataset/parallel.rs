//! Work on all cores: the one place that knows how it is spread.

use std::panic::resume_unwind;
use std::thread;

use rayon::prelude::*;

/// What `work` makes of each item, in their order; one item alone is done on this thread. Items are
/// handed out one by one as cores are free, so each should be worth a few microseconds.
pub fn in_parallel<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync + Send) -> Vec<U> {
    match items {
        // Waking the other cores for so little takes longer than the work.
        [only] => vec![work(only)],
        several => several.par_iter().map(work).collect(),
    }
}

/// Does two things at once: `beside` on the other cores, and `here` on this thread.
pub(super) fn at_once<A: Send, B>(
    beside: impl FnOnce() -> A + Send,
    here: impl FnOnce() -> B,
) -> (Option<A>, B) {
    let mut made = None;
    let done = rayon::in_place_scope(|scope| {
        scope.spawn(|_| made = Some(beside()));
        here()
    });
    (made, done)
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
}
