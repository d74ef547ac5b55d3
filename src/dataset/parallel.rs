//! Work on all cores: the one place that knows how it is spread.

use rayon::prelude::*;

/// What `work` makes of each item, in their order; one item alone is done on this thread. Items are handed out one by one as
/// cores are free, so each should be worth a few microseconds.
pub fn in_parallel<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync + Send) -> Vec<U> {
    match items {
        // Waking the other cores for so little takes longer than the work.
        [only] => vec![work(only)],
        several => several.par_iter().map(work).collect(),
    }
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
    }
}
