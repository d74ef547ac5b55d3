//! Who set what reviewers share: a mark, or a tag.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Reviewers who set a mark or a tag of a sample.
///
/// Taking it away takes one's own away, and leaves what others set: who judges blind does not know
/// of theirs. Only who has set none of their own takes everybody's away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Holders {
    /// By reviewer, whether theirs still holds: another one may have taken it away.
    set: BTreeMap<Arc<str>, bool>,
}

impl Holders {
    /// A reviewer sets it, or takes it away.
    pub(super) fn turn(&mut self, reviewer: &Arc<str>, on: bool) {
        if on {
            self.set.insert(Arc::clone(reviewer), true);
        } else if self.set.remove(reviewer).is_none() {
            self.set.values_mut().for_each(|holds| *holds = false);
        }
    }

    /// Whether anybody's holds.
    pub(super) fn hold(&self) -> bool {
        self.set.values().any(|holds| *holds)
    }

    /// Whether it would still hold if a reviewer took it away: then it is another's as well as
    /// theirs.
    pub(super) fn hold_without(&self, reviewer: &str) -> bool {
        self.set.contains_key(reviewer)
            && self
                .set
                .iter()
                .any(|(who, holds)| **who != *reviewer && *holds)
    }
}
