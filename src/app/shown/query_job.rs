//! Filters and searches as jobs that are answered in batches: a search is a filter with a rank.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::selection::ShownSamples;
use super::word_index::WordIndex;
use crate::app::job::Job;
use crate::app::sample::hits::SearchTerms;
use crate::app::{App, Loading};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::query::{self, FindingRules, Query, QueryContext, QueryResult, ReviewIndex, ScanCache};
use crate::search::{self, Hit, IndexFeed, SearchRequest};
use crate::text::named_enum;

named_enum! {
    /// The two kinds of query; the filter comes first because a search looks among its results.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum QueryKind {
        /// Which samples to show, and in which order.
        Filter "filter",
        /// Which of the filtered samples contain a text, and how well they match.
        Search "search",
    }
}

/// The request that a job and its batches answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    /// Filter or search.
    pub kind: QueryKind,
    /// Number of the request, increasing by one for each of its kind.
    pub number: u64,
}

/// Maximum number of samples for which a filter over columns is answered before the next frame
/// (some milliseconds).
const BRIEF_SAMPLES: usize = 1_000_000;
/// Maximum number of samples for which a sorted answer is given before the next frame.
const BRIEF_SORTED: usize = 50_000;
/// Maximum number of samples for which an indexed search is answered before the next frame.
const BRIEF_SEARCHED: usize = 20_000;

/// Positions to examine for a filter or a search.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryJob {
    /// The request to answer.
    pub request: RequestId,
    /// For a filter, samples of the dataset; for a search, positions in the filter's result.
    pub positions: Range<usize>,
    /// The condition.
    pub terms: QueryTerms,
}

/// The condition for each sample.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryTerms {
    /// A filter holds.
    Filter {
        /// The filter and the order of its result.
        query: Arc<Query>,
        /// The current reviews.
        remarks: Arc<ReviewIndex>,
    },
    /// The texts contain a needle.
    Search {
        /// The needle and the texts to search.
        terms: SearchTerms,
        /// The samples that can match, known from an earlier search; `None`: all of them.
        among: Option<Arc<Vec<Hit>>>,
    },
}

/// The data that a job needs.
#[derive(Debug, Clone)]
pub struct QueryInputs {
    /// The dataset.
    pub dataset: Dataset,
    /// The samples to search.
    pub searched: SearchedSamples,
    /// Cached results of scanning rows; each filter adds to it.
    pub scanned: Arc<ScanCache>,
    /// The rules of findings.
    pub rules: Arc<FindingRules>,
    /// True if labels are hidden.
    pub is_blind: bool,
    /// The word index, as far as it is built.
    pub index: WordIndex,
}

/// The samples that a search examines. Lists of them can be long, so they are made on demand.
#[derive(Debug, Clone)]
pub enum SearchedSamples {
    /// All samples of the dataset.
    All,
    /// Those at a range of positions.
    At(ShownSamples, Range<usize>),
    /// The hits of an earlier search.
    Found(Arc<Vec<Hit>>),
}

impl SearchedSamples {
    /// Returns their numbers in ascending order; `None` means all samples.
    pub fn ascending(&self) -> Option<Vec<u32>> {
        match self {
            Self::All => None,
            Self::At(shown, positions) => Some(shown.ascending(positions.clone())),
            Self::Found(hits) => {
                let mut samples: Vec<_> = hits.iter().map(|hit| hit.sample).collect();
                samples.sort_unstable();
                Some(samples)
            }
        }
    }

    /// Returns how many there are in a dataset of `samples` samples.
    pub fn count(&self, samples: usize) -> usize {
        match self {
            Self::All => samples,
            Self::At(shown, positions) => shown
                .len()
                .min(positions.end)
                .saturating_sub(positions.start),
            Self::Found(hits) => hits.len(),
        }
    }
}

/// The results in a batch.
#[derive(Debug)]
pub enum BatchResults {
    /// Of a filter: in its order, or in dataset order.
    Samples(QueryResult),
    /// Of a search: sorted by sample number.
    Hits(Vec<Hit>),
}

/// A batch of the answer to a [`QueryJob`].
#[derive(Debug)]
pub struct QueryBatch {
    /// The request that it answers.
    pub request: RequestId,
    /// The results since the last batch. If a filter [depends on all
    /// samples](query::depends_on_all), all of them come with the last batch.
    pub found: BatchResults,
    /// Positions examined so far, including those of earlier jobs.
    pub looked: usize,
    /// Whether it is the last batch.
    pub done: bool,
}

/// Receives results and the number of the job's samples examined so far.
type ResultSink<'t> = dyn FnMut(BatchResults, usize) -> ControlFlow<()> + 't;

impl BatchResults {
    /// Keeps only samples for which `holds` returns true.
    pub fn retain(&mut self, holds: impl Fn(u32) -> bool) {
        match self {
            Self::Samples(found) => found.retain(holds),
            Self::Hits(hits) => hits.retain(|hit| holds(hit.sample)),
        }
    }
}

impl QueryJob {
    /// True if it is fast enough for a frame to wait for it.
    fn is_brief(&self, inputs: &QueryInputs) -> bool {
        match &self.terms {
            QueryTerms::Filter { query, .. } => {
                let most = if query.sort.is_empty() {
                    BRIEF_SAMPLES
                } else {
                    BRIEF_SORTED
                };
                self.positions.len() <= most && query::is_quick(query, &inputs.dataset)
            }
            QueryTerms::Search { terms, .. } => {
                let samples = inputs.dataset.samples();
                let count = inputs.searched.count(samples);
                count == 0
                    || (count <= BRIEF_SEARCHED
                        && inputs.index.samples() >= samples
                        && search::is_quick(&terms.needle))
            }
        }
    }

    /// Examines the samples, sends batches to `tell` and returns the last one, whose `done` is set.
    /// Stops soon after cancellation.
    pub fn answer(
        &self,
        inputs: &QueryInputs,
        keep_going: &dyn KeepGoing,
        tell: &dyn Fn(QueryBatch),
    ) -> Option<QueryBatch> {
        let batch = |found, looked, done| QueryBatch {
            request: self.request,
            found,
            looked,
            done,
        };
        let mut more = |found, looked| {
            if !keep_going() {
                return ControlFlow::Break(());
            }
            tell(batch(found, looked, false));
            ControlFlow::Continue(())
        };
        let last = match &self.terms {
            QueryTerms::Filter { query, remarks } => {
                self.filter(query, remarks, inputs, keep_going, &mut more)
            }
            QueryTerms::Search { terms, .. } => self.search(terms, inputs, keep_going, &mut more),
        };
        let found = last.continue_value()?;
        Some(batch(found, self.positions.end, true))
    }

    /// Sends the results of a filter and returns those for the last batch.
    fn filter(
        &self,
        query: &Query,
        remarks: &ReviewIndex,
        inputs: &QueryInputs,
        keep_going: &dyn KeepGoing,
        tell: &mut ResultSink<'_>,
    ) -> ControlFlow<(), BatchResults> {
        let (memory, samples) = (&*inputs.scanned, self.positions.clone());
        let known = QueryContext {
            memory,
            remarks,
            rules: &inputs.rules,
            is_blind: inputs.is_blind,
        };
        let waits = query::depends_on_all(query);
        let (mut all, dataset) = (QueryResult::default(), &inputs.dataset);
        query::find(
            query,
            dataset,
            samples,
            known,
            keep_going,
            &mut |mut found, looked| {
                if waits {
                    all.extend(&std::mem::take(&mut found));
                }
                tell(BatchResults::Samples(found), looked)
            },
        )?;
        query::sort(query, dataset, remarks, &mut all, keep_going)?;
        ControlFlow::Continue(BatchResults::Samples(all))
    }

    /// Sends the results of a search; none remain for the last batch.
    fn search(
        &self,
        terms: &SearchTerms,
        inputs: &QueryInputs,
        keep_going: &dyn KeepGoing,
        tell: &mut ResultSink<'_>,
    ) -> ControlFlow<(), BatchResults> {
        let among = inputs.searched.ascending();
        let asked = SearchRequest {
            needle: &terms.needle,
            scope: terms.scope,
            among: among.as_deref(),
        };
        let index = inputs.index.feed();
        search::search(
            &asked,
            &inputs.dataset,
            index.as_ref().map(|index| index as &dyn IndexFeed),
            keep_going,
            &mut |hits, looked| tell(BatchResults::Hits(hits), self.positions.start + looked),
        )?;
        ControlFlow::Continue(BatchResults::Hits(Vec::new()))
    }
}

impl App {
    /// Returns the inputs of a job.
    pub fn query_inputs(&self, job: &QueryJob) -> QueryInputs {
        let (positions, filtered) = (job.positions.clone(), &self.selection.filtered);
        let all = matches!(filtered, ShownSamples::All(_))
            && positions == (0..self.data.dataset.samples());
        let searched = match &job.terms {
            QueryTerms::Search {
                among: Some(found), ..
            } => SearchedSamples::Found(found.clone()),
            QueryTerms::Search { .. } if !all => SearchedSamples::At(filtered.clone(), positions),
            QueryTerms::Search { .. } | QueryTerms::Filter { .. } => SearchedSamples::All,
        };
        QueryInputs {
            dataset: self.data.dataset.clone(),
            searched,
            scanned: Arc::clone(&self.data.scanned),
            rules: Arc::clone(self.data.catalog.rules()),
            is_blind: self.is_blind(),
            index: self.data.word_index.clone(),
        }
    }

    /// Returns the jobs of the filter and of the search. A search can use partial results of a
    /// filter that is still running.
    pub(crate) fn query_jobs(&self) -> Vec<Job> {
        let asked = [self.filter_job(), self.search_job()];
        let jobs = asked.into_iter().flatten().map(|asked| {
            let inputs = self.query_inputs(&asked);
            let progress = self.query_progress(asked.request.kind);
            Job::of_query(
                asked.request.kind.name(),
                &self.data,
                // A running job goes on as more samples arrive.
                (asked.request, progress.from),
                asked.is_brief(&inputs),
                move |_, of| asked.answer(&inputs, of.keep_going, of.tell),
                |app, _, batch| app.take_query_batch(batch),
            )
        });
        jobs.collect()
    }
}

/// Progress of answering a filter or a search.
#[derive(Debug, Default)]
pub struct QueryProgress {
    /// Number of the active request, increasing by one with each.
    pub number: u64,
    /// Positions that completed jobs examined: samples for a filter, positions in the filter's
    /// result for a search.
    pub from: usize,
    /// Positions examined, including those of the running job.
    pub looked: usize,
    /// Whether the request takes long enough to show progress.
    long: bool,
    /// Whether the screen still shows the result from before this request.
    pub stale: bool,
}

impl QueryProgress {
    /// Starts a new request.
    pub fn restart(&mut self) {
        *self = Self {
            number: self.number + 1,
            stale: true,
            ..Self::default()
        };
    }

    fn take(&mut self, batch: &QueryBatch) {
        self.looked = batch.looked;
        if batch.done {
            (self.from, self.long) = (batch.looked, false);
        }
    }
}

impl App {
    /// Returns the progress of the active filter or search.
    pub fn query_progress(&self, kind: QueryKind) -> &QueryProgress {
        match kind {
            QueryKind::Filter => &self.filter.progress,
            QueryKind::Search => &self.search.progress,
        }
    }

    /// Returns the positions that the active filter or search has examined, if it takes long.
    pub fn looked_so_far(&self, kind: QueryKind) -> Option<usize> {
        let progress = self.query_progress(kind);
        (progress.long && self.is_open(kind)).then_some(progress.looked)
    }

    /// True if samples remain to be examined by the active filter or search.
    pub fn is_querying(&self) -> bool {
        QueryKind::ALL.iter().any(|kind| self.is_open(*kind))
    }

    /// True if samples remain to be examined by the active filter, or the active search.
    pub fn is_open(&self, kind: QueryKind) -> bool {
        match kind {
            QueryKind::Filter => self.filter_is_open(),
            QueryKind::Search => self.search_is_open(),
        }
    }

    /// Returns the id of the active filter or search.
    pub(crate) fn request_id(&self, kind: QueryKind) -> RequestId {
        let number = self.query_progress(kind).number;
        RequestId { kind, number }
    }

    /// Returns the progress of a request if it is the active one.
    pub(crate) fn progress_of(&mut self, request: RequestId) -> Option<&mut QueryProgress> {
        let progress = match request.kind {
            QueryKind::Filter => &mut self.filter.progress,
            QueryKind::Search => &mut self.search.progress,
        };
        (progress.number == request.number).then_some(progress)
    }

    /// Handles a request that takes long: results of the previous one must not pass for the answer.
    pub(crate) fn note_slow_query(&mut self, request: RequestId) {
        let Some(progress) = self.progress_of(request) else {
            return;
        };
        progress.long = true;
        if progress.stale {
            match request.kind {
                QueryKind::Filter => {
                    self.selection.filtered = ShownSamples::nothing();
                    self.filter.progress.stale = false;
                    self.search_again();
                }
                QueryKind::Search => self.show_no_hits(),
            }
            self.reselect();
        }
    }

    /// Takes a batch if it belongs to the active request.
    pub(crate) fn take_query_batch(&mut self, mut batch: QueryBatch) {
        let Some(progress) = self.progress_of(batch.request) else {
            return;
        };
        progress.take(&batch);
        if self.is_blind() {
            // The text of a malformed row is its whole line, which may contain labels.
            let dataset = &self.data.dataset;
            let is_malformed = |sample: u32| dataset.responses_of(sample as usize) == Some(0);
            batch.found.retain(|sample| !is_malformed(sample));
        }
        match batch.found {
            BatchResults::Samples(found) => self.take_samples(found, batch.done),
            BatchResults::Hits(hits) => self.take_hits(hits, batch.done),
        }
    }

    /// True if more samples may still appear without user action.
    pub(crate) fn is_growing(&self) -> bool {
        self.data.loading != Loading::Done || self.is_working()
    }

    /// True if the active filter or search is not completely answered.
    pub(crate) fn is_working(&self) -> bool {
        self.is_querying() || self.arrangement_needed().is_some()
    }
}
