//! The page on screen, and how far its panes are scrolled.

use std::sync::Arc;

use super::{Page, Pane, PaneText};

/// The page on screen with the first line shown of each pane.
#[derive(Debug, Default)]
pub(super) struct OpenPage {
    /// The page of the selected sample, or that of the one before until it is read.
    pub(super) page: Option<Arc<Page>>,
    /// First line shown of each pane's text, by [`Pane::index`].
    pub(super) scroll: [usize; Pane::ALL.len()],
}

impl OpenPage {
    /// Whether it has one response.
    pub(super) fn is_single(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.sides.len() == 1)
    }

    /// Lines of a pane's text.
    pub(super) fn lines(&self, pane: Pane) -> usize {
        let stack = self.page.as_ref().and_then(|page| page.stack(pane));
        stack.map_or(0, PaneText::len)
    }
}
