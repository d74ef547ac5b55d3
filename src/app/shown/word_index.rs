//! The index of words for searches, which a job builds once searches are to be expected.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::app::job::Job;
use crate::app::state::OpenData;
use crate::app::{App, Effect, Loading, texts};
use crate::jobs::{Throttle, UrgentWork};
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

/// Marks building as ended when its job is dropped, even after a panic or if it never began.
struct IndexEnd(Arc<GrowingIndex>);

impl Drop for IndexEnd {
    fn drop(&mut self) {
        self.0.change(|state| state.is_over = true);
    }
}

/// The index for a search. Pauses building until the search waits for more, or ends.
#[derive(Debug)]
pub(super) struct SearchedIndex {
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

/// The word index of the shown dataset. A clone shares it.
#[derive(Debug, Clone, Default)]
pub struct WordIndex {
    /// Memory limit in bytes, including building; `None` chooses automatically.
    pub memory: Option<u64>,
    /// `None` until it is needed.
    growing: Option<Arc<GrowingIndex>>,
    /// Pauses building while a search runs, because the search needs all cores.
    throttle: Throttle,
}

impl WordIndex {
    /// Drops the index of another dataset.
    pub(crate) fn forget(&mut self) {
        self.growing = None;
    }

    /// True if it is not being built.
    pub fn is_over(&self) -> bool {
        let mut growing = self.growing.iter();
        growing.all(|index| locked(&index.state).is_over)
    }

    /// Returns how many samples it covers so far.
    pub(super) fn samples(&self) -> usize {
        let growing = self.growing.as_ref();
        growing.map_or(0, |index| locked(&index.state).index.samples())
    }

    /// Returns the index for a search. Building pauses until the search waits for more, or drops
    /// it.
    pub(super) fn feed(&self) -> Option<SearchedIndex> {
        Some(SearchedIndex {
            shared: Arc::clone(self.growing.as_ref()?),
            paused: Mutex::new(Some(self.throttle.urgent())),
        })
    }

    /// Returns the job that builds it, once for each dataset.
    fn job(&mut self, data: &OpenData) -> Option<Job> {
        if self.growing.is_some() || data.loading != Loading::Done {
            return None;
        }
        let files = data.dataset.files().iter();
        let text: u64 = files.map(|file| file.source.extent().len).sum();
        let most = self
            .memory
            .unwrap_or((text / 4).clamp(MIN_MEMORY, MAX_MEMORY));
        let growing = Arc::<GrowingIndex>::default();
        self.growing = Some(Arc::clone(&growing));
        let (end, throttle) = (IndexEnd(growing), self.throttle.clone());
        let most = usize::try_from(most).ok().filter(|most| *most > 0)?;
        let job = Job::new(
            "index",
            data,
            most,
            false,
            move |most, of| {
                let (mut index, growing) = (Index::default(), &end.0);
                let keep_going = || throttle.pass(of.keep_going);
                let is_whole = index.extend(of.dataset, *most, &keep_going, &mut |index| {
                    growing.change(|state| state.index = index.clone());
                });
                let is_full = !is_whole && (of.keep_going)();
                is_full
                    .then(|| full_notice(index.samples(), of.dataset.samples(), *most))
                    .flatten()
            },
            |app, _, notice| app.say(notice),
        );
        Some(job.kept().optional())
    }
}

impl App {
    /// Starts building the index if everything is loaded and there is none yet. Users who never
    /// search do not pay for it.
    pub(crate) fn build_index(&mut self) {
        let mut index = std::mem::take(&mut self.data.word_index);
        let job = index.job(&self.data);
        self.data.word_index = index;
        if let Some(job) = job {
            self.request(Effect::Job(job));
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
        let growing = Arc::<GrowingIndex>::default();
        let end = IndexEnd(growing.clone());
        let index = WordIndex {
            growing: Some(growing),
            ..WordIndex::default()
        };
        let searched = index.feed().expect("an index");
        let is_paused = || searched.paused.lock().is_ok_and(|paused| paused.is_some());
        assert_eq!(searched.so_far().samples(), 0);
        assert!(is_paused() && !index.is_over());
        assert!(searched.beyond(0, &|| false).is_none(), "cancelled");
        assert!(!is_paused());
        let waiting = std::thread::spawn(move || searched.beyond(0, &|| true).is_none());
        drop(end);
        assert!(waiting.join().is_ok_and(|none| none), "nothing more comes");
        assert!(index.is_over());
    }
}
