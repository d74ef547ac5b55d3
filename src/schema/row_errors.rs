//! Errors for rows that cannot be read.

use super::path::Path;
use crate::model::RowError;

/// Returns the error for a required path that leads to no value.
pub(super) fn missing(path: Option<&Path>) -> RowError {
    let path = path.map(Path::to_string).unwrap_or_default();
    RowError {
        column: 0,
        reason: format!("{path} is missing"),
    }
}

/// Returns the JSON type of a value, for messages.
pub(super) fn kind_of(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'"') => "text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Returns serde_json's message without " at line 1 column 17": the position is shown separately.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let what = said
        .rsplit_once(" at line ")
        .map(|(what, _)| what.to_owned());
    what.unwrap_or(said)
}

/// Returns serde_json's syntax error for a user who sees the line next to it.
pub(super) fn syntax_error(error: &serde_json::Error, line: &[u8]) -> RowError {
    let said = without_place(error);
    let refusal = crate::source::lines::refusal(line);
    let reason = if let Some(why) = refusal {
        why.to_owned()
    } else if error.is_eof() {
        format!("the line is cut off ({said})")
    } else if line
        .first()
        .is_some_and(|first| !matches!(first, b'{' | b'['))
    {
        "not a JSON object".to_owned()
    } else {
        format!("not JSON: {said}")
    };
    RowError {
        column: refusal.map_or(error.column(), |_| 0),
        reason,
    }
}
