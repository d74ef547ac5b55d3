//! How the screen is divided: its size, the pane with the keys, and the borders that were dragged.

use super::Pane;

/// What the panes' places depend on, besides the page.
#[derive(Debug)]
pub(super) struct ScreenLayout {
    /// Columns and rows of the terminal.
    pub(super) size: (u16, u16),
    /// The pane with the keys.
    pub(super) focus: Pane,
    /// Whether that pane has the whole screen.
    pub(super) zoomed: bool,
    pub(super) dragged: Dragged,
}

/// What was dragged where.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dragged {
    pub(super) list_width: Option<u16>,
    /// Part of the responses' width that A has, in thousandths.
    pub(super) split: Option<u16>,
    /// The border that the pointer holds.
    pub(super) held: Option<Border>,
}

/// A border that can be dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// Between the list and the panes.
    List,
    /// Between A and B.
    Split,
}

impl ScreenLayout {
    pub(super) fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            focus: Pane::Left,
            zoomed: false,
            dragged: Dragged::default(),
        }
    }
}
