//! Work in the background: what a job is for, the work, and how its result changes the state.
//! Threads, printed frames and state tests run the same jobs; brief ones run before the next frame.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::state::OpenData;
use super::{App, Effect};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;

/// Samples of more bytes are read and laid out on a separate thread: the slowest text (tables)
/// takes about 0.2 ms per kilobyte.
pub(super) const BRIEF_BYTES: u64 = 64 << 10;
/// Maximum number of samples, and of their bytes, whose texts are read for statistics and findings
/// before the next frame.
pub(super) const BRIEF_TEXTS: (usize, u64) = (100, 512 << 10);
/// Maximum number of samples, and of their bytes, that are searched before the next frame.
const BRIEF_SCAN: (usize, u64) = (2_000, 8 << 20);

/// True if a number of samples, and their bytes, do not exceed these maxima.
pub(super) fn is_small(dataset: &Dataset, samples: usize, (most, bytes): (usize, u64)) -> bool {
    let rest = |left: u64, sample| left.checked_sub(dataset.sample_bytes(sample));
    samples <= most && (0..samples).try_fold(bytes, rest).is_some()
}

/// True if all samples can be searched within a frame.
pub(super) fn is_brief_scan(dataset: &Dataset) -> bool {
    is_small(dataset, dataset.samples(), BRIEF_SCAN)
}

/// Applies the result of a job to the state.
pub struct Apply(pub(super) Box<dyn FnOnce(&mut App) + Send>);

impl fmt::Debug for Apply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Apply")
    }
}

/// Identifies what a job computes. Jobs of one kind with equal keys are the same job.
trait JobKey: Any + Send + Sync {
    fn is(&self, other: &dyn JobKey) -> bool;
}

impl<K: Any + PartialEq + Send + Sync> JobKey for K {
    fn is(&self, other: &dyn JobKey) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// What the work of a job can use.
pub(super) struct JobContext<'a, R> {
    pub(super) dataset: &'a Dataset,
    /// Returns false after cancellation; checked in every long loop.
    pub(super) keep_going: &'a dyn KeepGoing,
    /// Receives results before the final one.
    pub(super) tell: &'a dyn Fn(R),
}

/// Does the work until it is cancelled, and sends changes before the final one.
type Work = dyn Fn(&dyn KeepGoing, &dyn Fn(Apply)) -> Option<Apply> + Send + Sync;

/// A job that reads, counts or searches the dataset. It owns its inputs, so that any thread can run
/// it; a clone shares them.
#[derive(Clone)]
pub struct Job {
    /// The name of its thread. One job of a kind runs at a time, the newest.
    pub kind: &'static str,
    /// True if it takes less than a frame.
    pub is_brief: bool,
    /// True if only the screen needs the result; the job is cancelled when the screen no longer
    /// does.
    pub is_for_screen: bool,
    /// True if its result decides what else the screen needs.
    pub is_query: bool,
    /// False if nothing is lost where no thread can do it.
    pub is_required: bool,
    /// What makes it invalid, and the key.
    key: Arc<dyn JobKey>,
    work: Arc<Work>,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.key.is(&*other.key)
    }
}

impl Job {
    /// Creates a job for the screen. `work` returns `None` if there is no result or it was
    /// cancelled; `take` applies each result, unless the dataset was replaced in the meantime.
    pub(super) fn new<K: Any + Clone + PartialEq + Send + Sync, R: Send + 'static>(
        kind: &'static str,
        data: &OpenData,
        key: K,
        is_brief: bool,
        work: impl Fn(&K, &JobContext<'_, R>) -> Option<R> + Send + Sync + 'static,
        take: fn(&mut App, K, R),
    ) -> Self {
        Self::valid_for(
            |data| data.generation,
            (kind, data, key, is_brief),
            work,
            take,
        )
    }

    /// Creates a job that answers a query. It goes on, and its results are applied, as long as the
    /// samples keep their numbers.
    pub(super) fn of_query<K: Any + Clone + PartialEq + Send + Sync, R: Send + 'static>(
        kind: &'static str,
        data: &OpenData,
        key: K,
        is_brief: bool,
        work: impl Fn(&K, &JobContext<'_, R>) -> Option<R> + Send + Sync + 'static,
        take: fn(&mut App, K, R),
    ) -> Self {
        Self {
            is_query: true,
            ..Self::valid_for(
                |data| data.numbering,
                (kind, data, key, is_brief),
                work,
                take,
            )
        }
    }

    fn valid_for<K: Any + Clone + PartialEq + Send + Sync, R: Send + 'static>(
        version: fn(&OpenData) -> u64,
        (kind, data, key, is_brief): (&'static str, &OpenData, K, bool),
        work: impl Fn(&K, &JobContext<'_, R>) -> Option<R> + Send + Sync + 'static,
        take: fn(&mut App, K, R),
    ) -> Self {
        let (valid, dataset) = (version(data), data.dataset.clone());
        let own = key.clone();
        let work = move |keep_going: &dyn KeepGoing, tell: &dyn Fn(Apply)| {
            let apply = |result| {
                let key = own.clone();
                Apply(Box::new(move |app: &mut App| {
                    if version(&app.data) == valid {
                        take(app, key, result);
                    }
                }))
            };
            let context = JobContext {
                dataset: &dataset,
                keep_going,
                tell: &|result| tell(apply(result)),
            };
            work(&own, &context).map(apply)
        };
        Self {
            kind,
            is_brief,
            is_for_screen: true,
            is_query: false,
            is_required: true,
            key: Arc::new((valid, key)),
            work: Arc::new(work),
        }
    }

    /// Lets the job go on when the screen no longer needs its result.
    pub(super) fn kept(self) -> Self {
        Self {
            is_for_screen: false,
            ..self
        }
    }

    /// Leaves the job out where no thread can be started.
    pub(super) fn optional(self) -> Self {
        Self {
            is_required: false,
            ..self
        }
    }

    /// Returns an equal job that does nothing, and so holds no data.
    pub fn without_work(&self) -> Self {
        Self {
            work: Arc::new(|_, _| None),
            ..self.clone()
        }
    }

    /// Does the work and returns the change; `None` if there is none or the job was cancelled.
    /// `tell` receives changes before the final one.
    pub fn run(&self, keep_going: &dyn KeepGoing, tell: &dyn Fn(Apply)) -> Option<Apply> {
        (self.work)(keep_going, tell)
    }

    /// Returns the key if it has this type.
    #[cfg(test)]
    pub(crate) fn key<K: Any>(&self) -> Option<&K> {
        let key = (&*self.key as &dyn Any).downcast_ref::<(u64, K)>();
        key.map(|(_, key)| key)
    }
}

/// Maximum number of rounds of reading before a frame is drawn: a query's result decides which page
/// is read, a hit in the page can put another response into it, and the list can change once.
const ROUNDS: usize = 9;

/// Performs effects: `run` with threads and files, tests without either.
pub trait Performer {
    fn app(&self) -> &App;

    /// True if a thread is already working on this need.
    fn is_at_work(&self, need: &Effect) -> bool;

    /// Performs an effect that the screen needs; breaks if no other need is worth performing.
    fn perform(&mut self, need: Effect) -> ControlFlow<()>;
}

/// Performs the effects that the screen needs until none are left or threads are working on the
/// rest. Call once after a batch of messages.
pub fn fetch(performer: &mut impl Performer) {
    for _ in 0..ROUNDS {
        let mut needs = performer.app().needs();
        needs.retain(|need| !performer.is_at_work(need));
        if needs.is_empty() {
            return;
        }
        // The answer decides what is shown; waiting for it saves needless reads.
        if let [Effect::Job(first), ..] = &*needs
            && first.is_query
            && first.is_brief
        {
            needs.truncate(1);
        }
        for need in needs {
            if performer.perform(need).is_break() {
                return;
            }
        }
    }
}
