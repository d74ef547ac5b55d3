//! Which sample is selected, and which one is to be once results are there.

use super::Shown;

/// The selected sample among those that the filter shows.
#[derive(Debug)]
pub(super) struct ListSelection {
    /// Number of the selected sample, from 0.
    pub(super) selected: usize,
    /// Its position among the samples shown, from 0.
    pub(super) position: usize,
    /// What the filter shows.
    pub(super) filtered: Shown,
    /// The sample to stay near while results come and go; `None` means the selected one.
    pub(super) anchor: Option<usize>,
    /// Whether the last sample is selected whichever it becomes.
    pub(super) following: bool,
    /// Whether the first one is, because the order is new.
    pub(super) to_top: bool,
}

impl Default for ListSelection {
    fn default() -> Self {
        Self {
            selected: 0,
            position: 0,
            filtered: Shown::All(0),
            anchor: None,
            following: false,
            to_top: false,
        }
    }
}

impl ListSelection {
    /// Keeps in mind the sample that is selected, unless another one is in mind already.
    pub(super) fn drop_anchor(&mut self) {
        self.anchor = self.anchor.or(Some(self.selected));
    }

    /// The sample to stay near.
    pub(super) fn wanted(&self) -> usize {
        self.anchor.unwrap_or(self.selected)
    }
}
