//! Background jobs. A [`JobQueue`] for each kind of job: it runs one at a time, on one thread, and
//! holds one more. A newer request takes the place of the one that waits and cancels the one that
//! runs, which asks its [`CancelToken`] in every long loop; reports carry the generation of their
//! request, so that late ones can be told from current ones. Queues are closed and their threads
//! joined when the program ends. Work that can wait stands at a [`Throttle`].

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The jobs of one kind. Dropped, it cancels them and lets its thread end by itself; [`Self::join`]
/// waits for that.
#[derive(Debug)]
pub struct JobQueue {
    kind: &'static str,
    shared: Arc<QueueShared>,
    /// Started with the first job, and again with the next one after a job that panicked.
    thread: Option<JoinHandle<()>>,
}

/// What a job holds to know whether it is still wanted.
#[derive(Debug, Clone)]
pub struct CancelToken {
    generation: u64,
    newest: Arc<AtomicU64>,
}

/// What a queue has done so far, in jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Asked for.
    pub requested: usize,
    /// Begun; a request that was replaced or cancelled before its turn never is.
    pub begun: usize,
    /// Come to their end, cancelled or not.
    pub ended: usize,
}

type Job = Box<dyn FnOnce(CancelToken) + Send>;

#[derive(Debug, Default)]
struct QueueShared {
    newest: Arc<AtomicU64>,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    waiting: Option<(CancelToken, Job)>,
    counts: JobCounts,
    is_closed: bool,
    has_thread: bool,
}

impl CancelToken {
    /// The number of the request, growing by one with each.
    #[cfg(test)]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether no newer request was made, and none was cancelled.
    pub fn wanted(&self) -> bool {
        self.newest.load(Ordering::Acquire) == self.generation
    }
}

impl JobQueue {
    /// An empty queue; `kind` names its thread.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            shared: Arc::default(),
            thread: None,
        }
    }

    /// What its jobs are.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Cancels the job that runs, forgets the one that waits, and has `work` run once the thread is
    /// free. Gives the generation of the request.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(&mut self, work: impl FnOnce(CancelToken) + Send + 'static) -> io::Result<u64> {
        let generation = self.shared.newest.fetch_add(1, Ordering::AcqRel) + 1;
        let token = CancelToken {
            generation,
            newest: Arc::clone(&self.shared.newest),
        };
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        state.counts.requested += 1;
        let replaced = state.waiting.replace((token, Box::new(work)));
        let spawned = if state.has_thread {
            Ok(())
        } else {
            self.spawn(&mut state)
        };
        drop(state);
        // What a job holds may take its time to let go of.
        drop(replaced);
        self.shared.changed.notify_all();
        spawned.map(|()| generation)
    }

    fn spawn(&mut self, state: &mut QueueState) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        match thread::Builder::new()
            .name(self.kind.to_owned())
            .spawn(move || shared.run_jobs())
        {
            Ok(thread) => {
                (state.has_thread, state.is_closed) = (true, false);
                self.thread = Some(thread);
                Ok(())
            }
            Err(error) => {
                state.waiting = None;
                Err(error)
            }
        }
    }

    /// Cancels the job that runs and forgets the one that waits.
    pub fn cancel(&self) {
        self.shared.newest.fetch_add(1, Ordering::AcqRel);
        let forgotten = self.shared.lock().waiting.take();
        drop(forgotten);
    }

    /// Cancels what there is and has the thread end.
    pub fn close(&self) {
        self.cancel();
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }

    /// Closes the queue and waits until its thread has ended, at most until the deadline; whether
    /// it has.
    pub fn join(&mut self, deadline: Instant) -> bool {
        self.close();
        let mut state = self.shared.lock();
        while state.has_thread {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self
                .shared
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        drop(state);
        // It is past its last job; a job that panicked has said so elsewhere.
        self.thread.take().map(JoinHandle::join);
        true
    }

    /// What it has done so far.
    #[cfg(test)]
    pub fn counts(&self) -> JobCounts {
        self.shared.lock().counts
    }
}

impl Drop for JobQueue {
    fn drop(&mut self) {
        self.close();
    }
}

/// Says that the thread is gone, also where a job panicked.
struct ThreadExit<'a>(&'a QueueShared);

impl Drop for ThreadExit<'_> {
    fn drop(&mut self) {
        self.0.lock().has_thread = false;
        self.0.changed.notify_all();
    }
}

impl QueueShared {
    fn run_jobs(&self) {
        let _gone = ThreadExit(self);
        while let Some((token, job)) = self.next() {
            job(token);
            self.lock().counts.ended += 1;
        }
    }

    /// Waits for the next job; `None` once the queue is closed.
    fn next(&self) -> Option<(CancelToken, Job)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(next) = state.waiting.take() {
                state.counts.begun += 1;
                return Some(next);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for QueueState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("counts", &self.counts)
            .field("is_closed", &self.is_closed)
            .finish_non_exhaustive()
    }
}

/// Has work that can wait stand still while some that cannot is under way.
#[derive(Debug, Clone, Default)]
pub struct Throttle {
    inner: Arc<GateInner>,
}

#[derive(Debug, Default)]
struct GateInner {
    /// Urgent pieces of work under way; changed under the lock only, so that nobody misses the last
    /// one's end.
    urgent: AtomicUsize,
    lock: Mutex<()>,
    opened: Condvar,
}

/// Urgent work: under way until this is dropped.
#[derive(Debug)]
pub struct Urgent(Arc<GateInner>);

impl Throttle {
    /// Whoever waits looks this often at whether it is still wanted, of which nobody tells it.
    const LOOK: Duration = Duration::from_millis(5);

    /// Closes it for as long as what this gives is held.
    pub fn urgent(&self) -> Urgent {
        let _lock = self.inner.lock();
        self.inner.urgent.fetch_add(1, Ordering::AcqRel);
        Urgent(Arc::clone(&self.inner))
    }

    /// Waits until nothing urgent is under way, or the work with this token is not wanted any more;
    /// gives whether it is.
    pub fn pass(&self, token: &CancelToken) -> bool {
        if self.inner.urgent.load(Ordering::Acquire) > 0 {
            let mut lock = self.inner.lock();
            while self.inner.urgent.load(Ordering::Acquire) > 0 && token.wanted() {
                let waited = self.inner.opened.wait_timeout(lock, Self::LOOK);
                lock = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        token.wanted()
    }
}

impl GateInner {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        let _lock = self.0.lock();
        self.0.urgent.fetch_sub(1, Ordering::AcqRel);
        self.0.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    use super::*;

    /// A job that says when it begins and ends once it is cancelled, having looked as a long loop
    /// does.
    fn endless(told: &mpsc::Sender<u64>) -> impl FnOnce(CancelToken) + Send + 'static {
        let told = told.clone();
        move |token| {
            told.send(token.generation()).expect("a listener");
            while token.wanted() {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn one_job_at_a_time_and_the_newest_wins() {
        let mut queue = JobQueue::new("test");
        let (told, begun) = mpsc::channel();
        let at_work = Arc::new(AtomicUsize::new(0));
        let (enter, entered) = mpsc::channel();
        let (leave, left) = mpsc::channel::<()>();
        // The first does not look at its token until it is let go: meanwhile forty-nine more are
        // asked for.
        queue
            .start(move |token| {
                enter.send(()).expect("a listener");
                left.recv().expect("a word");
                assert!(!token.wanted(), "a newer request cancels it");
            })
            .expect("a thread");
        entered.recv().expect("begun");
        for number in 2..=50 {
            let (told, at_work) = (told.clone(), Arc::clone(&at_work));
            let work = move |token: CancelToken| {
                assert_eq!(at_work.fetch_add(1, Ordering::AcqRel), 0, "one at a time");
                told.send((token.generation(), token.wanted()))
                    .expect("a listener");
                at_work.fetch_sub(1, Ordering::AcqRel);
            };
            assert_eq!(queue.start(work).expect("a thread"), number);
        }
        leave.send(()).expect("a listener");
        assert_eq!(begun.recv(), Ok((50, true)), "only the newest is begun");
        assert!(queue.join(Instant::now() + Duration::from_secs(60)));
        assert_eq!(
            queue.counts(),
            JobCounts {
                requested: 50,
                begun: 2,
                ended: 2
            }
        );
    }

    #[test]
    fn cancelled_and_closed_jobs_end() {
        let mut queue = JobQueue::new("test");
        let (told, begun) = mpsc::channel();
        for generation in [1, 3] {
            queue.start(endless(&told)).expect("a thread");
            assert_eq!(begun.recv(), Ok(generation));
            queue.cancel();
        }
        queue.start(endless(&told)).expect("a thread");
        begun.recv().expect("begun");
        assert!(queue.join(Instant::now() + Duration::from_secs(60)));
        assert_eq!(
            queue.counts(),
            JobCounts {
                requested: 3,
                begun: 3,
                ended: 3
            }
        );
        assert!(
            JobQueue::new("idle").join(Instant::now()),
            "without a thread there is nothing to wait for"
        );
    }

    #[test]
    fn what_hangs_is_told_and_not_waited_for() {
        let mut queue = JobQueue::new("test");
        let (enter, entered) = mpsc::channel();
        let (leave, left) = mpsc::channel::<()>();
        queue
            .start(move |_| {
                enter.send(()).expect("a listener");
                let _ = left.recv();
            })
            .expect("a thread");
        entered.recv().expect("begun");
        assert!(!queue.join(Instant::now()), "it is still at work");
        drop(leave);
        assert!(queue.join(Instant::now() + Duration::from_secs(60)));
    }

    #[test]
    fn a_job_that_panicked_does_not_take_the_queue_along() {
        let mut queue = JobQueue::new("test");
        let (told, begun) = mpsc::channel();
        queue
            .start(|_| std::panic::resume_unwind(Box::new("a drill")))
            .expect("a thread");
        while queue.shared.lock().has_thread {
            thread::yield_now();
        }
        queue.start(endless(&told)).expect("a thread");
        assert_eq!(begun.recv(), Ok(2));
    }

    #[test]
    fn what_can_wait_waits_for_what_cannot() {
        let (gate, over, mut queue) = (
            Throttle::default(),
            Arc::new(AtomicBool::new(false)),
            JobQueue::new("test"),
        );
        let (told, passed) = mpsc::channel();
        let work = |gate: Throttle, over: Arc<AtomicBool>| {
            let told = told.clone();
            move |token: CancelToken| {
                let passed = gate.pass(&token);
                told.send((passed, over.load(Ordering::Acquire)))
                    .expect("a listener");
            }
        };
        let (one, other) = (gate.urgent(), gate.urgent());
        queue
            .start(work(gate.clone(), Arc::clone(&over)))
            .expect("a thread");
        drop(one);
        over.store(true, Ordering::Release);
        drop(other);
        assert_eq!(
            passed.recv(),
            Ok((true, true)),
            "nobody passes before the last one is over"
        );

        let urgent = gate.urgent();
        queue.start(work(gate.clone(), over)).expect("a thread");
        while queue.counts().begun < 2 {
            thread::yield_now();
        }
        queue.cancel();
        assert_eq!(
            passed.recv(),
            Ok((false, true)),
            "what nobody wants does not wait"
        );
        drop(urgent);
        queue.start(work(gate, Arc::default())).expect("a thread");
        assert_eq!(passed.recv(), Ok((true, false)), "the gate is open again");
    }
}
