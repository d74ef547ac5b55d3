//! The page on screen, and how far its panes are scrolled.

use std::sync::Arc;

use super::{Page, Pane, PaneText};
use crate::export::BlindMask;
use crate::model::ResponseId;

/// How the selected sample is to be shown to the reviewer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Appearance {
    /// What is hidden, and in which order the responses are.
    pub mask: BlindMask,
    /// The seed of the coin that decides their order, where nothing else does.
    pub coin: Option<u32>,
    /// The response that the rating form asks about, where it asks about one of more than two.
    pub asked: Option<ResponseId>,
}

/// The page on screen with the first line shown of each pane.
#[derive(Debug, Default)]
pub struct OpenPage {
    /// The page of the selected sample, or that of the one before until it is read.
    pub page: Option<Arc<Page>>,
    /// First line shown of each pane's text, by [`Pane::index`].
    pub scroll: [usize; Pane::ALL.len()],
    /// The sample whose responses are to be shown from their end, once it is read.
    pub ends: Option<usize>,
    /// How the selected sample is to be shown; up to date after each message.
    pub appearance: Appearance,
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
