//! What is gone through for a filter or a search, and how it is answered, in pieces: a search is a
//! filter with a rank.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::hits::SearchTerms;
use super::result::Shown;
use super::{Browser, Loading};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::query::{self, FindingRules, Query, QueryContext, QueryResult, ReviewIndex, ScanCache};
use crate::search::{self, Hit, IndexFeed, SearchRequest};

/// The two ways to write a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// Which samples to show, and in which order.
    Filter,
    /// Which of these say what was typed, and how well.
    Search,
}

impl QueryKind {
    /// Both; a search looks among what the filter shows.
    pub const ALL: [Self; 2] = [Self::Filter, Self::Search];
}

/// What a job and the pieces of its answer belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    /// Whether it is a filter or a search.
    pub kind: QueryKind,
    /// Its number among those of its kind, growing by one with each.
    pub number: u64,
}

/// Positions to go through for a filter or a search.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryJob {
    /// What is answered.
    pub request: RequestId,
    /// For a filter, samples of the dataset; for a search, positions among what the filter shows.
    pub positions: Range<usize>,
    /// What is asked.
    pub terms: QueryTerms,
}

/// What is asked of each sample.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryTerms {
    /// Whether a filter holds.
    Filter {
        /// The filter, and the order of what it finds.
        query: Arc<Query>,
        /// What reviewers have said by now.
        remarks: Arc<ReviewIndex>,
    },
    /// Whether its texts have what is looked for.
    Search {
        /// What, and in which texts.
        terms: SearchTerms,
        /// The samples that can have it, where a search before tells; `None`: all of them.
        among: Option<Arc<Vec<Hit>>>,
    },
}

/// What a job is answered from.
#[derive(Debug, Clone)]
pub struct QueryInputs {
    /// The samples.
    pub dataset: Dataset,
    /// Those to search.
    pub searched: SearchedSamples,
    /// What rows were found to say; each filter adds to it.
    pub scanned: Arc<ScanCache>,
    /// The rules of findings.
    pub rules: Arc<FindingRules>,
    /// The words of the samples, as far as they are indexed.
    pub index: Option<Arc<dyn IndexFeed>>,
}

/// The samples that a search looks at; a list of them, which may be long, is made by who needs it.
#[derive(Debug, Clone)]
pub enum SearchedSamples {
    /// All of the dataset.
    All,
    /// Those at some positions among what is shown.
    At(Shown, Range<usize>),
    /// Those that a search before found.
    Found(Arc<Vec<Hit>>),
}

impl SearchedSamples {
    /// Their numbers, ascending; `None`: all of the dataset.
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

    /// How many they are, of a dataset with so many.
    pub fn count(&self, samples: usize) -> usize {
        match self {
            Self::All => samples,
            Self::At(shown, positions) => {
                let end = shown.len().min(positions.end);
                end.saturating_sub(positions.start)
            }
            Self::Found(hits) => hits.len(),
        }
    }
}

/// Samples that a piece of an answer brings.
#[derive(Debug)]
pub enum QueryFound {
    /// By a filter: in its order, or else in that of the dataset.
    Samples(QueryResult),
    /// By a search: by ascending numbers of samples.
    Hits(Vec<Hit>),
}

/// A piece of the answer to a [`QueryJob`].
#[derive(Debug)]
pub struct QueryBatch {
    /// What is answered.
    pub request: RequestId,
    /// What was found since the last piece. Of a filter that [depends on all
    /// samples](query::depends_on_all), everything with the last piece and nothing before.
    pub found: QueryFound,
    /// Positions that were looked at, those before this job too.
    pub looked: usize,
    /// Whether it is the last piece.
    pub done: bool,
}

/// Takes what is found, and how far it was looked among the job's own samples.
type Tell<'t> = dyn FnMut(QueryFound, usize) -> ControlFlow<()> + 't;

impl QueryFound {
    /// Leaves out samples for which something does not hold.
    pub fn retain(&mut self, holds: impl Fn(u32) -> bool) {
        match self {
            Self::Samples(found) => found.retain(holds),
            Self::Hits(hits) => hits.retain(|hit| holds(hit.sample)),
        }
    }
}

impl QueryJob {
    /// Goes through the samples and tells what it finds; the last piece says that it is the last.
    /// Gives up when told to, and soon after it is not `wanted` any more. Reads rows, so only `run`
    /// calls it, here or on a thread.
    pub fn answer(
        &self,
        inputs: &QueryInputs,
        wanted: &dyn KeepGoing,
        tell: &mut dyn FnMut(QueryBatch) -> ControlFlow<()>,
    ) {
        let mut piece = |found, looked, done| {
            tell(QueryBatch {
                request: self.request,
                found,
                looked,
                done,
            })
        };
        let mut more = |found, looked| piece(found, looked, false);
        let last = match &self.terms {
            QueryTerms::Filter { query, remarks } => {
                self.filter(query, remarks, inputs, wanted, &mut more)
            }
            QueryTerms::Search { terms, .. } => self.search(terms, inputs, wanted, &mut more),
        };
        if let ControlFlow::Continue(found) = last {
            // Whether anybody still listens makes no difference to the last piece.
            let _ = piece(found, self.positions.end, true);
        }
    }

    /// Tells what a filter finds, and gives what is for the last piece.
    fn filter(
        &self,
        query: &Query,
        remarks: &ReviewIndex,
        inputs: &QueryInputs,
        wanted: &dyn KeepGoing,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<(), QueryFound> {
        let (memory, samples) = (&*inputs.scanned, self.positions.clone());
        let known = QueryContext {
            memory,
            remarks,
            rules: &inputs.rules,
        };
        let waits = query::depends_on_all(query);
        let (mut all, dataset) = (QueryResult::default(), &inputs.dataset);
        query::find(
            query,
            dataset,
            samples,
            known,
            wanted,
            &mut |mut found, looked| {
                if waits {
                    all.extend(&std::mem::take(&mut found));
                }
                tell(QueryFound::Samples(found), looked)
            },
        )?;
        query::sort(query, dataset, remarks, &mut all, wanted)?;
        ControlFlow::Continue(QueryFound::Samples(all))
    }

    /// Tells what a search finds; nothing is left for the last piece.
    fn search(
        &self,
        terms: &SearchTerms,
        inputs: &QueryInputs,
        wanted: &dyn KeepGoing,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<(), QueryFound> {
        let among = inputs.searched.ascending();
        let asked = SearchRequest {
            needle: &terms.needle,
            scope: terms.scope,
            among: among.as_deref(),
        };
        let index = inputs.index.as_deref();
        search::search(
            &asked,
            &inputs.dataset,
            index,
            wanted,
            &mut |hits, looked| tell(QueryFound::Hits(hits), self.positions.start + looked),
        )?;
        ControlFlow::Continue(QueryFound::Hits(Vec::new()))
    }
}

impl Browser {
    /// What a job is answered from, with no memory of those before and without an index.
    pub fn query_inputs(&self, job: &QueryJob) -> QueryInputs {
        let (positions, filtered) = (job.positions.clone(), &self.selection.filtered);
        let all =
            matches!(filtered, Shown::All(_)) && positions == (0..self.data.dataset.samples());
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
            scanned: Arc::default(),
            rules: Arc::clone(self.data.catalog.rules()),
            index: None,
        }
    }
}

/// How far a filter or a search is answered.
#[derive(Debug, Default)]
pub struct QueryProgress {
    /// Number of the active request, growing by one with each.
    pub number: u64,
    /// Positions that were looked at: samples for a filter, what the filter shows for a search.
    pub looked: usize,
    /// Whether somebody is at work on it.
    pub under_way: bool,
    /// Whether that takes so long that progress is worth showing.
    long: bool,
    /// Whether what is shown is still what was shown before this request.
    pub stale: bool,
}

impl QueryProgress {
    /// Positions that were looked at, where looking at all of them takes long.
    pub fn so_far(&self) -> Option<usize> {
        (self.under_way && self.long).then_some(self.looked)
    }

    /// Whether somebody has to look at what is behind, up to this position.
    pub fn is_open(&self, end: usize) -> bool {
        !self.under_way && self.looked < end
    }

    /// Begins anew.
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
            (self.under_way, self.long) = (false, false);
        }
    }
}

impl Browser {
    /// How far the active filter or search is answered.
    pub fn query_progress(&self, kind: QueryKind) -> &QueryProgress {
        match kind {
            QueryKind::Filter => &self.filter.progress,
            QueryKind::Search => &self.search.progress,
        }
    }

    /// Whether a job works on the active filter or search.
    pub fn is_querying(&self) -> bool {
        let mut both = QueryKind::ALL.iter();
        both.any(|kind| self.query_progress(*kind).under_way)
    }

    /// What is to be gone through, if anything: what is shown depends on the answer.
    pub(super) fn query_needed(&self) -> Option<QueryJob> {
        self.filter_job().or_else(|| self.search_job())
    }

    /// What names the active filter or search.
    pub(super) fn request_id(&self, kind: QueryKind) -> RequestId {
        let number = self.query_progress(kind).number;
        RequestId { kind, number }
    }

    /// How far a request is answered, if it is the active one.
    pub(super) fn progress_of(&mut self, request: RequestId) -> Option<&mut QueryProgress> {
        let progress = match request.kind {
            QueryKind::Filter => &mut self.filter.progress,
            QueryKind::Search => &mut self.search.progress,
        };
        (progress.number == request.number).then_some(progress)
    }

    /// A request takes long: what was found before would pass for the answer.
    pub(super) fn note_still_querying(&mut self, request: RequestId) {
        let Some(progress) = self.progress_of(request) else {
            return;
        };
        progress.long = true;
        if progress.stale {
            match request.kind {
                QueryKind::Filter => {
                    self.selection.filtered = Shown::nothing();
                    self.filter.progress.stale = false;
                    self.search_again();
                }
                QueryKind::Search => self.show_no_hits(),
            }
            self.reselect();
        }
    }

    /// Takes a piece of an answer, if it belongs to the active request.
    pub(super) fn take_query_batch(&mut self, mut batch: QueryBatch) {
        let Some(progress) = self.progress_of(batch.request) else {
            return;
        };
        progress.take(&batch);
        if self.is_blind() {
            // The text of a malformed row is its line, with labels and all.
            let dataset = &self.data.dataset;
            let is_malformed = |sample: u32| dataset.responses_of(sample as usize) == Some(0);
            batch.found.retain(|sample| !is_malformed(sample));
        }
        match batch.found {
            QueryFound::Samples(found) => self.take_samples(found, batch.done),
            QueryFound::Hits(hits) => self.take_hits(hits, batch.done),
        }
    }

    /// Whether more samples may come to be shown by themselves.
    pub(super) fn is_growing(&self) -> bool {
        self.data.loading != Loading::Done || self.is_working()
    }

    /// Whether the active filter or search is not answered yet.
    pub(super) fn is_working(&self) -> bool {
        let is_arranged = self.arrangement_needed().is_none();
        self.is_querying() || self.query_needed().is_some() || !is_arranged
    }
}
