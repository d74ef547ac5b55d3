//! How far the filter and the search in force are answered.
//!
//! Both are named by [`App::needs`](super::App::needs) as a [`QueryJob`], and `run` answers it in pieces, in this
//! thread or another. Every request has a number, so that answers to one that is no longer in force
//! are dropped.

use super::query_job::{QueryBatch, QueryFound, QueryJob, QueryKind, RequestId};
use super::{Browser, Loading, Shown};

/// How far a filter or a search is answered.
#[derive(Debug, Default)]
pub struct QueryProgress {
    /// Number of the request in force, growing by one with each.
    pub(super) number: u64,
    /// Positions that were looked at: samples for a filter, what the filter shows for a search.
    pub(super) looked: usize,
    /// Whether somebody is at work on it.
    pub under_way: bool,
    /// Whether that takes so long that progress is worth showing.
    long: bool,
    /// Whether what is shown is still what was shown before this request.
    pub(super) stale: bool,
}

impl QueryProgress {
    /// Positions that were looked at, where looking at all of them takes long.
    pub fn so_far(&self) -> Option<usize> {
        (self.under_way && self.long).then_some(self.looked)
    }

    /// Whether somebody has to look at what is behind, up to this position.
    pub(super) fn is_open(&self, end: usize) -> bool {
        !self.under_way && self.looked < end
    }

    /// Begins anew.
    pub(super) fn restart(&mut self) {
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
    /// How far the filter or the search in force is answered.
    pub fn query_progress(&self, kind: QueryKind) -> &QueryProgress {
        match kind {
            QueryKind::Filter => &self.filter.progress,
            QueryKind::Search => &self.search.progress,
        }
    }

    /// Whether somebody is at work on the filter or the search in force.
    pub fn is_querying(&self) -> bool {
        let mut both = QueryKind::ALL.iter();
        both.any(|kind| self.query_progress(*kind).under_way)
    }

    /// What is to be gone through, if anything: what is shown depends on the answer.
    pub(super) fn query_needed(&self) -> Option<QueryJob> {
        self.filter_job().or_else(|| self.search_job())
    }

    /// What names the filter or the search in force.
    pub(super) fn request_id(&self, kind: QueryKind) -> RequestId {
        let number = self.query_progress(kind).number;
        RequestId { kind, number }
    }

    /// How far a request is answered, where it is the one in force.
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

    /// Takes a piece of an answer, where it is one to what is in force.
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

    /// Whether the filter or the search in force is not answered yet.
    pub(super) fn is_working(&self) -> bool {
        let is_arranged = self.arrangement_needed().is_none();
        self.is_querying() || self.query_needed().is_some() || !is_arranged
    }
}
