//! What the status line says of the last key: a notice, and the count typed so far.

use super::view_request::ViewRequest;

/// Counts above this are typing accidents.
const GREATEST_COUNT: usize = 9_999_999_999;

/// The notice and the count.
#[derive(Debug, Default)]
pub struct StatusLine {
    /// Something to tell, until the next key.
    pub notice: Option<String>,
    /// The count typed so far.
    pub count: Option<usize>,
    /// Whether the last key means nothing in the view that it went to.
    pub ignored: bool,
    /// What the view with the keys asks the dispatcher to do, with the count typed before it.
    pub handed_over: Option<(ViewRequest, Option<usize>)>,
    /// Whether a line is being typed.
    pub is_typing: bool,
    /// Whether the last key asked whether the filter is to be dropped.
    pub asked_to_drop: bool,
    /// How many lines there were, counting each as another whenever something is typed.
    pub typed: u64,
}

impl StatusLine {
    /// Adds a digit to the count; a zero begins none.
    pub(super) fn count_on(&mut self, digit: u8) {
        let count = self.count.unwrap_or(0).saturating_mul(10);
        let count = count.saturating_add(usize::from(digit));
        self.count = Some(count.min(GREATEST_COUNT)).filter(|count| *count > 0);
    }
}
