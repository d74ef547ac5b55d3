//! Background jobs. Each kind of job has a [`JobQueue`] that runs one job at a time, the newest. A
//! new request cancels the running job, which checks its [`CancelToken`] in every long loop, and
//! the waiting ones. Results carry the generation of their request, so that outdated ones can be
//! recognised. Queues are joined when the program ends. Work of low priority pauses at a
//! [`Throttle`].

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::parallel::KeepGoing;

/// Jobs of one kind. Dropping the queue cancels them without waiting for its thread; [`Self::join`]
/// waits.
#[derive(Debug)]
pub struct JobQueue {
    kind: &'static str,
    newest: Arc<AtomicU64>,
    /// Sends jobs to the thread; both exist once a job was started.
    sender: Option<Sender<QueuedJob>>,
    thread: Option<JoinHandle<()>>,
    /// Number of jobs requested, and of jobs started.
    #[cfg(test)]
    counts: Arc<[AtomicUsize; 2]>,
}

type QueuedJob = Box<dyn FnOnce() + Send>;

/// Lets a job check whether it is cancelled.
#[derive(Debug, Clone)]
pub struct CancelToken {
    generation: u64,
    newest: Arc<AtomicU64>,
}

impl CancelToken {
    /// Returns the number of the request; each is one greater than the last.
    #[cfg(test)]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// False once the job is cancelled, also by a newer request.
    pub fn keep_going(&self) -> bool {
        self.newest.load(Ordering::Acquire) == self.generation
    }
}

impl JobQueue {
    /// Poll interval of [`Self::join`].
    const POLL_INTERVAL: Duration = Duration::from_millis(1);

    /// Creates an empty queue; `kind` is the name of its thread.
    pub fn new(kind: &'static str) -> Self {
        Self {
            kind,
            newest: Arc::default(),
            sender: None,
            thread: None,
            #[cfg(test)]
            counts: Arc::default(),
        }
    }

    /// Returns the kind of its jobs.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Cancels the running job, then runs `work` unless it is cancelled by then. Returns the
    /// generation of the request.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn start(&mut self, work: impl FnOnce(CancelToken) + Send + 'static) -> io::Result<u64> {
        let generation = self.newest.fetch_add(1, Ordering::AcqRel) + 1;
        let token = CancelToken {
            generation,
            newest: Arc::clone(&self.newest),
        };
        #[cfg(test)]
        let counts = Arc::clone(&self.counts);
        #[cfg(test)]
        counts[0].fetch_add(1, Ordering::Relaxed);
        let run: QueuedJob = Box::new(move || {
            if token.keep_going() {
                #[cfg(test)]
                counts[1].fetch_add(1, Ordering::Relaxed);
                work(token);
            }
        });
        let sender = match &self.sender {
            Some(sender) => sender,
            None => {
                let (sender, jobs) = mpsc::channel::<QueuedJob>();
                let run_jobs = move || {
                    for job in jobs {
                        // The panic hook has reported the panic.
                        let _ = panic::catch_unwind(AssertUnwindSafe(job));
                    }
                };
                let thread = thread::Builder::new().name(self.kind.to_owned());
                self.thread = Some(thread.spawn(run_jobs)?);
                self.sender.insert(sender)
            }
        };
        // The thread runs as long as there is a sender.
        let _ = sender.send(run);
        Ok(generation)
    }

    /// Returns the number of jobs requested, and of jobs started.
    #[cfg(test)]
    pub fn counts(&self) -> [usize; 2] {
        [0, 1].map(|at| self.counts[at].load(Ordering::Relaxed))
    }

    /// Cancels the running job and those that wait.
    pub fn cancel(&self) {
        self.newest.fetch_add(1, Ordering::AcqRel);
    }

    /// Cancels all jobs and waits for them until the deadline. Returns true if they have ended.
    pub fn join(&mut self, deadline: Instant) -> bool {
        self.cancel();
        self.sender = None;
        while !self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Self::POLL_INTERVAL);
        }
        true
    }
}

impl Drop for JobQueue {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Pauses work of low priority while urgent work runs.
#[derive(Debug, Clone, Default)]
pub struct Throttle {
    /// Number of urgent tasks that run.
    urgent: Arc<AtomicUsize>,
}

/// Urgent work, which runs until this is dropped.
#[derive(Debug)]
pub struct UrgentWork(Arc<AtomicUsize>);

impl Throttle {
    /// Poll interval of waiting jobs.
    const POLL_INTERVAL: Duration = Duration::from_millis(1);

    /// Pauses other work while the returned value exists.
    pub fn urgent(&self) -> UrgentWork {
        self.urgent.fetch_add(1, Ordering::AcqRel);
        UrgentWork(Arc::clone(&self.urgent))
    }

    /// Waits until no urgent work runs, or `keep_going` returns false. Returns what that returns.
    pub fn pass(&self, keep_going: &dyn KeepGoing) -> bool {
        while self.urgent.load(Ordering::Acquire) > 0 && keep_going() {
            thread::sleep(Self::POLL_INTERVAL);
        }
        keep_going()
    }
}

impl Drop for UrgentWork {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A job that reports its start and ends once it is cancelled, checking as a long loop does.
    fn endless(report: &mpsc::Sender<u64>) -> impl FnOnce(CancelToken) + Send + 'static {
        let report = report.clone();
        move |token| {
            report.send(token.generation()).expect("a listener");
            while token.keep_going() {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn one_job_at_a_time_and_the_newest_wins() {
        let mut queue = JobQueue::new("test");
        let (report, begun) = mpsc::channel();
        let at_work = Arc::new(AtomicUsize::new(0));
        let (enter, entered) = mpsc::channel();
        let (leave, left) = mpsc::channel::<()>();
        // The first job does not check its token until it is released; meanwhile 49 more are
        // requested.
        queue
            .start(move |token| {
                enter.send(()).expect("a listener");
                left.recv().expect("a word");
                assert!(!token.keep_going(), "a newer request cancels it");
            })
            .expect("a thread");
        entered.recv().expect("begun");
        for number in 2..=50 {
            let (report, at_work) = (report.clone(), Arc::clone(&at_work));
            let work = move |token: CancelToken| {
                assert_eq!(at_work.fetch_add(1, Ordering::AcqRel), 0, "one at a time");
                report
                    .send((token.generation(), token.keep_going()))
                    .expect("a listener");
                at_work.fetch_sub(1, Ordering::AcqRel);
            };
            assert_eq!(queue.start(work).expect("a thread"), number);
        }
        leave.send(()).expect("a listener");
        assert_eq!(begun.recv(), Ok((50, true)), "only the newest is begun");
        assert!(queue.join(Instant::now() + Duration::from_secs(60)));
        assert!(begun.try_recv().is_err());
    }

    #[test]
    fn cancelled_and_closed_jobs_end() {
        let mut queue = JobQueue::new("test");
        let (report, begun) = mpsc::channel();
        for generation in [1, 3] {
            queue.start(endless(&report)).expect("a thread");
            assert_eq!(begun.recv(), Ok(generation));
            queue.cancel();
        }
        queue.start(endless(&report)).expect("a thread");
        begun.recv().expect("begun");
        assert!(queue.join(Instant::now() + Duration::from_secs(60)));
        assert!(
            JobQueue::new("idle").join(Instant::now()),
            "without a thread there is nothing to wait for"
        );
    }

    #[test]
    fn a_hanging_job_is_reported_at_the_deadline() {
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
    fn a_panic_does_not_end_the_queue() {
        let mut queue = JobQueue::new("test");
        let (report, begun) = mpsc::channel();
        queue
            .start(|_| std::panic::resume_unwind(Box::new("a drill")))
            .expect("a thread");
        queue.start(endless(&report)).expect("a thread");
        assert_eq!(begun.recv(), Ok(2));
    }

    #[test]
    fn low_priority_work_waits_for_urgent_work() {
        let (gate, over, mut queue) = (
            Throttle::default(),
            Arc::new(AtomicBool::new(false)),
            JobQueue::new("test"),
        );
        let (report, passed) = mpsc::channel();
        let work = |gate: Throttle, over: Arc<AtomicBool>| {
            let report = report.clone();
            move |token: CancelToken| {
                let passed = gate.pass(&|| token.keep_going());
                report
                    .send((passed, over.load(Ordering::Acquire)))
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
            "waits until the last urgent work ends"
        );

        let urgent = gate.urgent();
        let (enter, entered) = mpsc::channel();
        let pass = work(gate.clone(), over);
        queue
            .start(move |token| {
                enter.send(()).expect("a listener");
                pass(token);
            })
            .expect("a thread");
        entered.recv().expect("begun");
        queue.cancel();
        assert_eq!(
            passed.recv(),
            Ok((false, true)),
            "a cancelled job does not wait"
        );
        drop(urgent);
        queue.start(work(gate, Arc::default())).expect("a thread");
        assert_eq!(passed.recv(), Ok((true, false)), "the gate is open again");
    }
}
