//! Jobs that make what the screen needs: one of a kind at a time, as long as it is needed.

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
