//! Has an index of the words made for searches.

use std::sync::{Arc, Mutex, PoisonError};

use super::driver::{EventSender, PanicNotifier};
use crate::app::{App, Loading};
use crate::jobs::{JobQueue, Throttle, Urgent};
use crate::search::Index;

/// The most that an index takes where nobody says otherwise, in bytes, besides a quarter of the
/// text.
const MOST_MEMORY: u64 = 512 << 20;

/// An index that somebody makes; a search takes it as it is by then.
#[derive(Clone, Default)]
struct SharedIndex(Arc<Mutex<Index>>);

impl SharedIndex {
    fn so_far(&self) -> Index {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn show(&self, index: &Index) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = index.clone();
    }
}

/// Makes the index when first asked.
pub(super) struct Indexer {
    outbox: EventSender,
    pub(super) queue: JobQueue,
    /// Bytes that the index may take; `None`: as many as seem right.
    memory: Option<u64>,
    /// The index of a generation of the dataset, as far as it is made.
    index: Option<(u64, SharedIndex)>,
    /// Where the making of the index stands still while somebody searches: both cores are the
    /// search's, and its answer is awaited.
    gate: Throttle,
}

impl Indexer {
    /// An index of at most so many bytes.
    pub(super) fn new(outbox: EventSender, memory: Option<u64>) -> Self {
        Self {
            outbox,
            queue: JobQueue::new("index"),
            memory,
            index: None,
            gate: Throttle::default(),
        }
    }

    /// Begins to make the index, where everything is loaded and none is made yet. It begins with
    /// the first search and not with the program: who never searches pays for no index.
    pub(super) fn prepare(&mut self, app: &App) {
        let generation = app.generation();
        if self.of(generation).is_some() || app.loading() != Loading::Done {
            return;
        }
        let files = app.dataset().files().iter();
        let text: u64 = files.map(|file| file.source.extent().len).sum();
        let most = self.memory.unwrap_or((text / 4).min(MOST_MEMORY));
        let growing = SharedIndex::default();
        self.index = Some((generation, growing.clone()));
        let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else {
            return;
        };
        let (dataset, outbox, gate) = (
            app.dataset().clone(),
            self.outbox.clone(),
            self.gate.clone(),
        );
        // Without a thread, and for what goes beyond the memory, the texts themselves are searched.
        let _ = self.queue.start(move |token| {
            let _alarm = PanicNotifier(outbox);
            Index::default().extend(&dataset, most, &|| gate.pass(&token), &mut |index| {
                growing.show(index);
            });
        });
    }

    fn of(&self, generation: u64) -> Option<&SharedIndex> {
        let index = self.index.as_ref();
        index.and_then(|(made, index)| (*made == generation).then_some(index))
    }

    /// The index of a generation, as far as it is made.
    pub(super) fn so_far(&self, generation: u64) -> Option<Index> {
        self.of(generation).map(SharedIndex::so_far)
    }

    /// Has the making of the index stand still as long as what this gives is held.
    pub(super) fn pause(&self) -> Urgent {
        self.gate.urgent()
    }

    /// Of rows that are gone nothing need be known; of those that came meanwhile, what is sought.
    pub(super) fn rest(&mut self, app: &App) {
        self.index.take_if(|(made, _)| *made != app.generation());
        if app.search().sought().is_some() {
            self.prepare(app);
        }
    }
}
