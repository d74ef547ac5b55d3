//! How far the queries and the index of words are.

use std::time::Instant;

use super::Driver;
use crate::app::Message;

impl Driver {
    /// Whether nobody is at work on the index of words any more.
    pub fn index_is_over(&self) -> bool {
        self.queries.index_is_over(&self.app)
    }

    /// Since when a thread has been at work on the filter or the search in force, and what to say
    /// once that takes long; `None` after it was said.
    pub fn asked(&self) -> Option<(Message, Instant)> {
        let (request, since) = self.queries.unreported(&self.app)?;
        Some((Message::StillQuerying(request), since))
    }
}
