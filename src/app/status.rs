//! What the status line says of the last key: a notice, and the count typed so far.

use super::Action;

/// Counts above this are typing accidents.
const GREATEST_COUNT: usize = 9_999_999_999;

/// What a view leaves to [`update()`](super::update()), because it can concern anything.
#[derive(Debug)]
pub(super) enum HandOver {
    /// What an action with its count means while one reads.
    Read(Action, Option<usize>),
    /// A command that was typed.
    Type(String),
}

/// The notice and the count.
#[derive(Debug, Default)]
pub(super) struct StatusLine {
    /// Something to tell, until the next key.
    pub(super) notice: Option<String>,
    /// The count typed so far.
    pub(super) count: Option<usize>,
    /// Whether the last key means nothing in the view that it went to.
    pub(super) ignored: bool,
    /// What the view with the keys leaves to be done.
    pub(super) handed_over: Option<HandOver>,
    /// Whether a line is being typed.
    pub(super) is_typing: bool,
    /// Whether the last key asked whether the filter is to be dropped.
    pub(super) asked_to_drop: bool,
    /// How many lines there were, counting each as another whenever something is typed.
    pub(super) typed: u64,
}

impl StatusLine {
    /// Adds a digit to the count; a zero begins none.
    pub(super) fn count_on(&mut self, digit: u8) {
        let count = self.count.unwrap_or(0).saturating_mul(10);
        let count = count.saturating_add(usize::from(digit));
        self.count = Some(count.min(GREATEST_COUNT)).filter(|count| *count > 0);
    }
}
