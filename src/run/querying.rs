//! Answers filters and searches: before the next frame if that is fast, otherwise on a thread.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::driver::{EventSender, LoopEvent, PanicNotifier};
use super::indexing::Indexer;
use crate::app::{App, Message, QueryInputs, QueryJob, QueryKind, QueryTerms, RequestId};
use crate::jobs::{CancelToken, JobQueue};
use crate::query::{self, ScanCache};
use crate::search;

/// Maximum number of samples for which a filter over columns is answered before the next frame
/// (some milliseconds).
const INLINE_SAMPLES: usize = 1_000_000;
/// Maximum number of samples for which a sorted answer is given before the next frame.
const INLINE_SORTED: usize = 50_000;
/// Maximum number of samples for which an indexed search is answered before the next frame.
const INLINE_SEARCHED: usize = 20_000;

/// Runs filters and searches.
pub(super) struct QueryRunner {
    outbox: EventSender,
    /// One for each kind: a search can use partial results of a filter that is still running.
    threads: [QueryThread; 2],
    /// Cached answers from rows, with their generation of the dataset.
    scanned: (u64, Arc<ScanCache>),
    pub(super) indexer: Indexer,
}

/// Answers the requests of one kind.
struct QueryThread {
    kind: QueryKind,
    queue: JobQueue,
    /// The running request and its start.
    asked: Option<(RequestId, Instant)>,
}

impl QueryThread {
    fn new(kind: QueryKind) -> Self {
        Self {
            kind,
            queue: JobQueue::new(kind.name()),
            asked: None,
        }
    }

    fn start(
        &mut self,
        request: RequestId,
        work: impl FnOnce(CancelToken) + Send + 'static,
    ) -> io::Result<()> {
        self.queue.start(work)?;
        // If a request is restarted, its first start counts.
        let known = self.asked.filter(|(asked, _)| *asked == request);
        self.asked = Some(known.unwrap_or_else(|| (request, Instant::now())));
        Ok(())
    }

    fn cancel(&mut self) {
        if self.asked.take().is_some() {
            self.queue.cancel();
        }
    }
}

impl QueryRunner {
    /// Returns a runner whose index may use `memory` bytes; `None` chooses automatically.
    pub(super) fn new(outbox: EventSender, memory: Option<u64>) -> Self {
        Self {
            threads: QueryKind::ALL.map(QueryThread::new),
            scanned: (0, Arc::default()),
            indexer: Indexer::new(outbox.clone(), memory),
            outbox,
        }
    }

    /// Returns the queues of its jobs.
    pub(super) fn queues(&mut self) -> impl Iterator<Item = &mut JobQueue> {
        self.threads
            .iter_mut()
            .map(|thread| &mut thread.queue)
            .chain([&mut self.indexer.queue])
    }

    /// True if the index is not being built.
    pub(super) fn index_is_over(&self, app: &App) -> bool {
        self.indexer.is_over(app.browser.data.generation)
    }

    /// Answers a job at once or on a thread. Returns the messages to handle now.
    pub(super) fn answer(&mut self, app: &App, job: &QueryJob) -> Vec<Message> {
        let inputs = Arc::new(self.inputs(app, job));
        if !is_quick(job, &inputs) && self.start(job, &inputs).is_ok() {
            return vec![Message::Querying(job.request)];
        }
        self.thread(job.request.kind).cancel();
        let mut batches = Vec::new();
        job.answer(&inputs, &|| true, &mut |batch| {
            batches.push(Message::QueryBatch(batch));
            ControlFlow::Continue(())
        });
        batches
    }

    fn inputs(&mut self, app: &App, job: &QueryJob) -> QueryInputs {
        let (mut inputs, generation) = (app.browser.query_inputs(job), app.browser.data.generation);
        match job.request.kind {
            QueryKind::Filter => {
                if self.scanned.0 != generation {
                    self.scanned = (generation, Arc::default());
                }
                inputs.scanned = Arc::clone(&self.scanned.1);
            }
            QueryKind::Search => {
                self.indexer.prepare(app);
                inputs.index = self.indexer.feed(generation);
            }
        }
        inputs
    }

    fn thread(&mut self, kind: QueryKind) -> &mut QueryThread {
        &mut self.threads[kind as usize]
    }

    /// Answers on a thread, in batches.
    fn start(&mut self, job: &QueryJob, inputs: &Arc<QueryInputs>) -> io::Result<()> {
        let (request, outbox) = (job.request, self.outbox.clone());
        let (job, inputs) = (job.clone(), Arc::clone(inputs));
        self.thread(request.kind).start(request, move |token| {
            let _alarm = PanicNotifier(outbox.clone());
            job.answer(&inputs, &|| token.keep_going(), &mut |batch| {
                let message = LoopEvent::Message(Message::QueryBatch(batch));
                if token.keep_going() && outbox.send(message).is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        })
    }

    /// Cancels requests that are obsolete or answered.
    pub(super) fn cancel_obsolete(&mut self, app: &App) {
        for thread in &mut self.threads {
            if !app.browser.query_progress(thread.kind).under_way {
                thread.cancel();
            }
        }
        self.indexer.drop_obsolete(app);
    }

    /// Returns a running request without results so far, and its start.
    pub(super) fn unreported(&self, app: &App) -> Option<(RequestId, Instant)> {
        self.threads.iter().find_map(|thread| {
            let progress = app.browser.query_progress(thread.kind);
            let is_new = progress.under_way && progress.so_far().is_none();
            thread.asked.filter(|_| is_new)
        })
    }
}

/// True if a job is fast enough for a frame to wait for it.
fn is_quick(job: &QueryJob, inputs: &QueryInputs) -> bool {
    match &job.terms {
        QueryTerms::Filter { query, .. } => {
            let most = if query.sort.is_empty() {
                INLINE_SAMPLES
            } else {
                INLINE_SORTED
            };
            job.positions.len() <= most && query::is_quick(query, &inputs.dataset)
        }
        QueryTerms::Search { terms, .. } => {
            let samples = inputs.dataset.samples();
            let count = inputs.searched.count(samples);
            let known = inputs.index.as_ref().map(|index| index.so_far().samples());
            count == 0
                || (count <= INLINE_SEARCHED
                    && known.is_some_and(|known| samples <= known)
                    && search::is_quick(&terms.needle))
        }
    }
}
