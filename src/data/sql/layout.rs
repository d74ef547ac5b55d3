//! The schemas that SQL supports: each value has a fixed path in its record.

use super::refusal::SqlRefusal;
use crate::schema::{Definition, RatingSource, ResponsePaths, RowGrouping, TurnMarker};

/// How rows form samples, and how many responses a sample has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowLayout {
    /// True if two consecutive rows with the same prompt form a sample.
    pub(super) is_joined: bool,
    /// Maximum number of responses of a sample, 1 or 2.
    pub(super) most: usize,
}

impl RowLayout {
    /// Determines the layout of a schema.
    ///
    /// # Errors
    /// If rows are grouped by a key, have a variable number of responses or more than two, or texts
    /// are joined from several values.
    pub(super) fn of(definition: &Definition) -> Result<Self, SqlRefusal> {
        let refuse = |reason: &str| {
            let schema = format!("the schema {}", definition.name);
            Err(SqlRefusal::new(schema, reason))
        };
        let responses = &definition.responses;
        if definition.rows == RowGrouping::Groups {
            return refuse("its rows are grouped by a key across the whole file");
        }
        if responses.iter().any(ResponsePaths::is_of_each) {
            return refuse("its rows have a variable number of responses");
        }
        if responses.len() > 2 {
            return refuse("its rows have more than two responses");
        }
        let Some(prompt) = &definition.prompt else {
            return refuse(
                "its responses are whole transcripts whose common beginning is the prompt",
            );
        };
        if prompt.path.len() > 1 || prompt.system.is_some() {
            return refuse("its prompt is joined from several values");
        }
        if prompt.json || responses.iter().any(|response| response.json) {
            return refuse("its texts are JSON inside strings");
        }
        if !definition.group.is_empty() {
            return refuse("its rows are grouped by a key");
        }
        if definition.turns.as_ref().is_some_and(|turns| {
            turns.marker != TurnMarker::WholeLine
                || turns.user.is_empty()
                || turns.assistant.is_empty()
        }) {
            return refuse("its turn markers do not fill lines");
        }
        let is_joined = definition.joins_rows();
        if is_joined && responses.len() > 1 {
            return refuse("its rows have the response at different paths");
        }
        Ok(Self {
            is_joined,
            most: if is_joined { 2 } else { responses.len() },
        })
    }
}

/// Returns where a response's label has its value: a path, or a constant.
pub(super) fn rating<'d>(
    definition: &'d Definition,
    response: usize,
    label: &str,
) -> Option<&'d RatingSource> {
    definition.responses.get(response)?.ratings.get(label)
}
