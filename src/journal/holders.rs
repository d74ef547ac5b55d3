//! The reviewers who set a shared mark or tag.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Reviewers who set a mark or a tag of a sample.
///
/// Removing it removes a reviewer's own and leaves those of others, which a blind reviewer cannot
/// see. If the reviewer has not set one, everyone's are removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Holders {
    /// For each reviewer who ever set it: false if another reviewer removed it.
    reviewers: BTreeMap<Arc<str>, bool>,
}

impl Holders {
    /// Sets or removes it for a reviewer.
    pub(super) fn set(&mut self, reviewer: &Arc<str>, on: bool) {
        if on {
            self.reviewers.insert(Arc::clone(reviewer), true);
        } else if self.reviewers.remove(reviewer).is_none() {
            self.reviewers.values_mut().for_each(|holds| *holds = false);
        }
    }

    /// True if at least one reviewer holds it.
    pub(super) fn is_set(&self) -> bool {
        self.reviewers.values().any(|holds| *holds)
    }

    /// True if others hold it, too, so that it would stay if this reviewer removed it.
    pub(super) fn is_set_without(&self, reviewer: &str) -> bool {
        self.reviewers.contains_key(reviewer)
            && self
                .reviewers
                .iter()
                .any(|(who, holds)| **who != *reviewer && *holds)
    }
}
