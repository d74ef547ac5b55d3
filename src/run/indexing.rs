//! Builds the index of words for searches.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::driver::{EventSender, LoopEvent, PanicNotifier};
use super::texts;
use crate::app::{App, Loading, Message};
use crate::jobs::{JobQueue, Throttle, UrgentWork};
use crate::parallel::{KeepGoing, locked};
use crate::search::{Index, IndexFeed};
use crate::text;

/// Bounds of the default memory limit of the index, in bytes, which is a quarter of the text's
/// size. It includes the memory used while building.
const MIN_MEMORY: u64 = 64_000_000;
const MAX_MEMORY: u64 = 512_000_000;

/// An index that is being built. A search uses what is there and may wait for more.
#[derive(Debug, Default)]
struct GrowingIndex {
    state: Mutex<IndexState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct IndexState {
    index: Index,
    /// True if building has ended.
    is_over: bool,
}

impl GrowingIndex {
    fn change(&self, change: impl FnOnce(&mut IndexState)) {
        change(&mut locked(&self.state));
        self.changed.notify_all();
    }
}

/// Marks building as ended when it is dropped, even after a panic or if it never began.
struct IndexEnd(Arc<GrowingIndex>);

impl Drop for IndexEnd {
    fn drop(&mut self) {
        self.0.change(|state| state.is_over = true);
    }
}

/// The index for a search. Pauses building until the search waits for more, or ends.
#[derive(Debug)]
struct SearchedIndex {
    shared: Arc<GrowingIndex>,
    paused: Mutex<Option<UrgentWork>>,
}

impl IndexFeed for SearchedIndex {
    fn so_far(&self) -> Index {
        locked(&self.shared.state).index.clone()
    }

    fn beyond(&self, samples: usize, keep_going: &dyn KeepGoing) -> Option<Index> {
        let paused = locked(&self.paused).take();
        drop(paused);
        let mut state = locked(&self.shared.state);
        while state.index.samples() <= samples {
            if state.is_over || !keep_going() {
                return None;
            }
            let waited = self.shared.changed.wait_timeout(state, CANCEL_POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(state.index.clone())
    }
}

/// Poll interval for cancellation while waiting for more.
const CANCEL_POLL: Duration = Duration::from_millis(5);

/// Builds the index on first use.
pub(super) struct Indexer {
    outbox: EventSender,
    pub(super) queue: JobQueue,
    /// Memory limit in bytes, including building; `None` chooses automatically.
    memory: Option<u64>,
    /// The index with its generation of the dataset.
    index: Option<(u64, Arc<GrowingIndex>)>,
    /// Pauses building while a search runs, because the search needs all cores.
    gate: Throttle,
}

impl Indexer {
    /// Returns an indexer with this memory limit in bytes.
    pub(super) fn new(outbox: EventSender, memory: Option<u64>) -> Self {
        Self {
            outbox,
            queue: JobQueue::new("index"),
            memory,
            index: None,
            gate: Throttle::default(),
        }
    }

    /// Starts building if everything is loaded and there is no index yet. This is called at the
    /// first search, so that users who never search do not pay for an index.
    pub(super) fn prepare(&mut self, app: &App) {
        let generation = app.browser.data.generation;
        if self.of(generation).is_some() || app.browser.data.loading != Loading::Done {
            return;
        }
        let text: u64 = app
            .browser
            .data
            .dataset
            .files()
            .iter()
            .map(|file| file.source.extent().len)
            .sum();
        let most = (self.memory).unwrap_or((text / 4).clamp(MIN_MEMORY, MAX_MEMORY));
        let growing = Arc::<GrowingIndex>::default();
        let end = IndexEnd(growing.clone());
        self.index = Some((generation, growing.clone()));
        let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else {
            return;
        };
        let (dataset, outbox, gate) = (
            app.browser.data.dataset.clone(),
            self.outbox.clone(),
            self.gate.clone(),
        );
        // Without a thread, and beyond the memory limit, searches read the texts.
        let _ = self.queue.start(move |token| {
            let (_alarm, _end) = (PanicNotifier(outbox.clone()), end);
            let mut index = Index::default();
            let keep_going = || gate.pass(&token);
            let is_whole = index.extend(&dataset, most, &keep_going, &mut |index| {
                growing.change(|state| state.index = index.clone());
            });
            if !is_whole && token.keep_going() {
                let words = full_notice(index.samples(), dataset.samples(), most);
                if let Some(words) = words {
                    let _ = outbox.send(LoopEvent::Message(Message::Notice(words)));
                }
            }
        });
    }

    fn of(&self, generation: u64) -> Option<&Arc<GrowingIndex>> {
        let index = self.index.as_ref();
        index.and_then(|(made, index)| (*made == generation).then_some(index))
    }

    /// True if the index of a generation is not being built.
    pub(super) fn is_over(&self, generation: u64) -> bool {
        self.of(generation)
            .is_none_or(|index| locked(&index.state).is_over)
    }

    /// Returns the index of a generation for a search. Building pauses until the search waits for
    /// more, or drops it.
    pub(super) fn feed(&self, generation: u64) -> Option<Arc<dyn IndexFeed>> {
        Some(Arc::new(SearchedIndex {
            shared: self.of(generation)?.clone(),
            paused: Mutex::new(Some(self.gate.urgent())),
        }))
    }

    /// Drops the index of an old generation. Builds one for new rows if a search is active.
    pub(super) fn drop_obsolete(&mut self, app: &App) {
        self.index
            .take_if(|(made, _)| *made != app.browser.data.generation);
        if app.browser.search.sought().is_some() {
            self.prepare(app);
        }
    }
}

/// Number of samples without an index that a search reads fast enough without a notice.
const FEW_UNINDEXED: usize = 20_000;

/// Returns a notice if the index covers only `known` samples; `None` if the others are few.
fn full_notice(known: usize, samples: usize, most_bytes: usize) -> Option<String> {
    if samples <= known + FEW_UNINDEXED {
        return None;
    }
    let [known, samples] = [known, samples].map(text::grouped);
    Some(texts::index_full(known, samples, most_bytes / 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_index_says_so() {
        assert_eq!(
            full_notice(3_400_000, 5_000_000, 237_000_000).as_deref(),
            Some(
                "The search index is full: 3,400,000 of 5,000,000 samples in 237 MB; the others are \
                 searched more slowly. The setting search-memory sets the limit."
            )
        );
        assert_eq!(full_notice(0, 63, 9_000), None, "a demo is read in no time");
    }

    #[test]
    fn waiting_for_the_index_resumes_building_and_ends_with_it() {
        let (shared, gate) = (Arc::<GrowingIndex>::default(), Throttle::default());
        let end = IndexEnd(shared.clone());
        let searched = SearchedIndex {
            shared: shared.clone(),
            paused: Mutex::new(Some(gate.urgent())),
        };
        let is_paused = || searched.paused.lock().is_ok_and(|paused| paused.is_some());
        assert_eq!(searched.so_far().samples(), 0);
        assert!(is_paused());
        assert!(searched.beyond(0, &|| false).is_none(), "cancelled");
        assert!(!is_paused());
        let waiting = std::thread::spawn(move || searched.beyond(0, &|| true).is_none());
        drop(end);
        assert!(waiting.join().is_ok_and(|none| none), "nothing more comes");
        assert!(locked(&shared.state).is_over);
    }
}
