//! The page of a sample: its texts laid out for the panes, marks in them, and where they are.

pub(super) mod geometry;
pub(super) mod hits;
pub(super) mod label_card;
pub(super) mod page;
pub(super) mod page_diff;
pub(super) mod pane_text;
pub(super) mod screen_layout;
pub(super) mod typesetter;
