//! How the screen is divided: its size, the pane with the keys, the list, and the borders that were
//! dragged.

use super::geometry::WIDE_FROM;
use super::{Browser, ListDisplay, Pane};

/// Columns by which a key widens or narrows the list.
const WIDTH_STEP: u16 = 4;
/// What the panes' places depend on, besides the page.
#[derive(Debug, Default)]
pub struct ScreenLayout {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The pane with the keys.
    pub focus: Pane,
    /// The response that last had the keys.
    pub side: Pane,
    /// Whether that pane has the whole screen.
    pub zoomed: bool,
    /// Whether panes are read one behind the other, whatever has the screen.
    pub is_linear: bool,
    /// Whether the list stands beside the texts.
    pub list: ListDisplay,
    pub dragged: Dragged,
    /// Rows of what is open below the panes, and whether a line says what is suspicious in the sample; up to
    /// date after each message.
    pub drawer_height: u16,
    /// Rows of the card that is rated on, in place of that of the labels; 0 while none is.
    pub rating_card: u16,
    pub has_sentence: bool,
    /// How the list and its columns were set for good.
    pub set_list: (ListDisplay, Option<u16>),
}

/// What was dragged where.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dragged {
    pub list_width: Option<u16>,
    /// Part of the responses' width that A has, in thousandths.
    pub split: Option<u16>,
    /// The border that the pointer holds.
    pub held: Option<Border>,
}

/// A border that can be dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// Between the list and the panes.
    List,
    /// Between A and B.
    Split,
}

impl Browser {
    /// Whether the list is beside the texts, so that a card has a place below it.
    pub(super) fn has_list_beside(&self) -> bool {
        !self.layout.zoomed
            && !self.layout.is_linear
            && self.layout.list.is_beside(self.layout.size.0)
    }

    /// Whether what is rated has its place below the list: there is one, and it has room for values.
    pub(super) fn has_rating_card(&self) -> bool {
        const LEAST: u16 = 24;
        let is_wide = |columns: u16| columns >= LEAST;
        self.has_list_beside() && self.layout.dragged.list_width.is_none_or(is_wide)
    }

    /// Sets whether the list stands beside the texts, and its columns; `None`: a part of the screen.
    pub fn set_list(&mut self, list: ListDisplay, columns: Option<u16>) {
        self.layout.list = list;
        self.layout.dragged.list_width = columns;
        self.layout.set_list = (list, columns);
    }

    /// Shows the list, or takes it away; where one pane shows at a time, goes to it and back.
    pub(super) fn toggle_list(&mut self) {
        let geometry = self.geometry();
        let is_narrow = self.layout.size.0 < WIDE_FROM || self.layout.zoomed;
        if !is_narrow {
            self.layout.list = match geometry.list.is_empty() {
                true => ListDisplay::Shown,
                false => ListDisplay::Hidden,
            };
        }
        let has_keys = self.layout.focus == Pane::List;
        if has_keys {
            self.focus_on(Pane::Left);
        } else if is_narrow {
            self.layout.zoomed = false;
            self.focus_on(Pane::List);
        }
    }

    /// Makes the list wider or narrower by so many steps, and shows it where it is not.
    pub(super) fn resize_list(&mut self, wider: bool, steps: usize) {
        if self.layout.size.0 < WIDE_FROM || self.layout.zoomed {
            self.say("One pane shows at a time here.");
            return;
        }
        self.layout.list = ListDisplay::Shown;
        let by = u16::try_from(steps)
            .unwrap_or(u16::MAX)
            .saturating_mul(WIDTH_STEP);
        let columns = self.geometry().list.width;
        self.layout.dragged.list_width = Some(match wider {
            true => columns.saturating_add(by),
            false => columns.saturating_sub(by),
        });
        // What is chosen is what there is room for: the next key goes on from there.
        self.layout.dragged.list_width = Some(self.geometry().list.width);
    }
}
