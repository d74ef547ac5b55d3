//! The sign of a number names the winner ([`VerdictRule::BySign`](super::VerdictRule::BySign)).

use super::StatedVerdict;
use crate::model::{ResponseId, Verdict};
use crate::schema::CapturedRow;
use crate::schema::layout::definition::includes;
use crate::schema::row::values::{invalid_value, number, outside, says_nothing};
use crate::table::Path;

/// The number, and what its sign means.
#[derive(Debug, Clone, PartialEq)]
pub struct BySign {
    /// Path of the number.
    pub path: Path,
    /// The response that a positive number prefers: `a` or `b`.
    pub positive: ResponseId,
    /// Minimum and maximum, inclusive. Numbers outside name no winner and are reported.
    pub range: Option<[f64; 2]>,
    /// The number that means a tie.
    pub midpoint: f64,
    /// Other numbers that mean a tie, in the range or not.
    pub ties: Vec<f64>,
}

impl BySign {
    pub(super) fn read(&self, row: &CapturedRow<'_, '_>) -> Result<Option<StatedVerdict>, String> {
        let Some(value) = row.verdict_value(0) else {
            return Ok(None);
        };
        let invalid = |what: &str| Err(invalid_value(&self.path.to_string(), value, what));
        let native = match number(value) {
            None if says_nothing(value) => return Ok(None),
            None => return invalid("not a number"),
            Some(native) if self.ties.contains(&native) => 0.0,
            Some(native) if !native.is_finite() => return invalid("too large for a number"),
            Some(native) if !includes(self.range, native) => return invalid(&outside(self.range)),
            Some(native) => native - self.midpoint,
        };
        // `+ 0.0`, since minus zero would print as "-0".
        let margin = if self.positive == ResponseId::A {
            native
        } else {
            -native
        };
        let margin = margin + 0.0;
        Ok(Some((Verdict::of_margin(margin), Some(margin))))
    }
}

/// The message if a positive number cannot prefer this response.
pub fn not_of_two(response: ResponseId) -> String {
    format!(
        "a positive number prefers `a` or `b`, not `{}`",
        response.word()
    )
}
