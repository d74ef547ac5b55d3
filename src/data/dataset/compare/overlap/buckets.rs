//! Numbers sorted bucket by bucket, so that sorting many millions can be cancelled.

use crate::parallel::{KeepGoing, in_parallel};

/// Number of buckets. For 30 million items, each sorts in a few milliseconds.
const COUNT: usize = 256;

/// Items in buckets by the highest bits of a uniformly distributed key.
#[derive(Debug)]
pub struct Buckets<T>(Vec<Vec<T>>);

impl<T> Default for Buckets<T> {
    fn default() -> Self {
        Self((0..COUNT).map(|_| Vec::new()).collect())
    }
}

impl<T: Ord + Copy + Send + Sync> Buckets<T> {
    /// Distributes the items of a list by their keys.
    pub fn of(items: Vec<T>, key: impl Fn(&T) -> u64) -> Self {
        let mut all = Self::default();
        for item in items {
            all.push(key(&item), item);
        }
        all
    }

    /// Adds an item. Keys must be monotonic in the order of the items.
    pub fn push(&mut self, key: u64, item: T) {
        self.0[(key >> (64 - COUNT.ilog2())) as usize].push(item);
    }

    /// Sorts and deduplicates each bucket and maps it; `None` if cancelled.
    pub fn sorted<U: Send>(
        &self,
        keep_going: &dyn KeepGoing,
        work: impl Fn(&[T]) -> U + Sync + Send,
    ) -> Option<Vec<U>> {
        in_parallel(&self.0, |bucket| {
            keep_going().then(|| {
                let mut items = bucket.clone();
                items.sort_unstable();
                items.dedup();
                work(&items)
            })
        })
        .into_iter()
        .collect()
    }
}
