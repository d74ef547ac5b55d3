//! Numbers that are sorted by and by, so that a sort of many millions can be broken off.

use crate::parallel::{KeepGoing, in_parallel};

/// How many buckets there are: of 30 million items each sorts in some milliseconds.
const COUNT: usize = 256;

/// Items in buckets by the highest bits of a key that looks like chance.
#[derive(Debug)]
pub(super) struct Buckets<T>(Vec<Vec<T>>);

impl<T> Default for Buckets<T> {
    fn default() -> Self {
        Self((0..COUNT).map(|_| Vec::new()).collect())
    }
}

impl<T: Ord + Copy + Send + Sync> Buckets<T> {
    /// The items of a list, each under its key.
    pub(super) fn of(items: Vec<T>, key: impl Fn(&T) -> u64) -> Self {
        let mut all = Self::default();
        for item in items {
            all.push(key(&item), item);
        }
        all
    }

    /// Adds an item under a key: what sorts before another must not have a greater key.
    pub(super) fn push(&mut self, key: u64, item: T) {
        self.0[(key >> (64 - COUNT.ilog2())) as usize].push(item);
    }

    /// What is made of each bucket with its items in order and each once; `None` where that is no
    /// longer `wanted`.
    pub(super) fn sorted<U: Send>(
        &self,
        wanted: &dyn KeepGoing,
        work: impl Fn(&[T]) -> U + Sync + Send,
    ) -> Option<Vec<U>> {
        let made = in_parallel(&self.0, |bucket| {
            wanted().then(|| {
                let mut items = bucket.clone();
                items.sort_unstable();
                items.dedup();
                work(&items)
            })
        });
        made.into_iter().collect()
    }
}
