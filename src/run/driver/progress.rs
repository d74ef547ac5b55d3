//! How far the queries are.

use std::time::Instant;

use super::Driver;
use crate::app::Message;

impl Driver {
    /// Since when a thread has been at work on the filter or the search in force, and what to say
    /// once that takes long; `None` after it was said.
    pub(in crate::run) fn asked(&self) -> Option<(Message, Instant)> {
        let (request, since) = self.queries.unreported(&self.app)?;
        Some((Message::StillQuerying(request), since))
    }
}
