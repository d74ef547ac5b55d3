//! Jobs that make what the screen needs: one of a kind at a time, as long as it is needed.

use std::ops::{Index, IndexMut};

use crate::app::Effect;
use crate::jobs::{CancelToken, JobQueue};

/// The jobs of one kind, and what the last of them makes.
#[derive(Debug)]
pub(super) struct ScreenJob {
    pub(super) queue: JobQueue,
    /// What a thread makes, or has made, until that is not needed any more.
    need: Option<Effect>,
}

impl ScreenJob {
    pub(super) fn new(kind: &'static str) -> Self {
        Self {
            queue: JobQueue::new(kind),
            need: None,
        }
    }

    /// Has a thread make what is needed, in place of what was needed before.
    ///
    /// # Errors
    /// When the system has no thread left; it is not asked for again as long as it is needed.
    pub(super) fn start(
        &mut self,
        need: Effect,
        work: impl FnOnce(CancelToken) + Send + 'static,
    ) -> std::io::Result<u64> {
        self.need = Some(need);
        self.queue.start(work)
    }

    /// Whether a thread makes this.
    pub(super) fn is_for(&self, need: &Effect) -> bool {
        self.need.as_ref() == Some(need)
    }

    /// Cancels what is made, if anything is.
    pub(super) fn cancel(&mut self) {
        if self.need.take().is_some() {
            self.queue.cancel();
        }
    }

    /// Cancels what is made where it is not, or no longer, among what the screen needs.
    pub(super) fn cancel_unless(&mut self, needs: &[Effect]) {
        if self.need.as_ref().is_some_and(|need| !needs.contains(need)) {
            self.cancel();
        }
    }
}

/// What is made for the screen on threads of its own; of each kind one thing at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScreenJobKind {
    /// Reads and lays out a sample.
    Page,
    /// Finds what is searched for in a page.
    Hits,
    /// Compares the responses of a page.
    WordDiff,
    /// Reads a raw record.
    Record,
    /// Puts hits in order.
    Arrangement,
    /// Counts for the labels panel.
    Charts,
    /// Counts statistics.
    Statistics,
    /// Looks for findings.
    Findings,
    /// Counts how far people agree.
    Agreement,
}

impl ScreenJobKind {
    const ALL: [Self; 9] = [
        Self::Page,
        Self::Hits,
        Self::WordDiff,
        Self::Record,
        Self::Arrangement,
        Self::Charts,
        Self::Statistics,
        Self::Findings,
        Self::Agreement,
    ];

    /// The name of its thread.
    const fn thread_name(self) -> &'static str {
        match self {
            Self::Page => "reader",
            Self::Hits => "marker",
            Self::WordDiff => "differ",
            Self::Record => "records",
            Self::Arrangement => "arranger",
            Self::Charts => "charts",
            Self::Statistics => "statistics",
            Self::Findings => "findings",
            Self::Agreement => "agreement",
        }
    }
}

/// The jobs for the screen, one of each kind.
#[derive(Debug)]
pub(super) struct ScreenJobs([ScreenJob; ScreenJobKind::ALL.len()]);

impl Default for ScreenJobs {
    fn default() -> Self {
        Self(ScreenJobKind::ALL.map(|kind| ScreenJob::new(kind.thread_name())))
    }
}

impl ScreenJobs {
    pub(super) fn iter(&self) -> impl Iterator<Item = &ScreenJob> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut ScreenJob> {
        self.0.iter_mut()
    }
}

impl Index<ScreenJobKind> for ScreenJobs {
    type Output = ScreenJob;

    fn index(&self, kind: ScreenJobKind) -> &ScreenJob {
        &self.0[kind as usize]
    }
}

impl IndexMut<ScreenJobKind> for ScreenJobs {
    fn index_mut(&mut self, kind: ScreenJobKind) -> &mut ScreenJob {
        &mut self.0[kind as usize]
    }
}
