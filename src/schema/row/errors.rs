//! Errors for rows that cannot be read.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::record_scan::MAX_NESTING;
use crate::model::RowError;
use crate::table::Path;

/// Returns the error for a required path that leads to no value.
pub fn missing(path: Option<&Path>) -> RowError {
    let path = path.map(Path::to_string).unwrap_or_default();
    RowError {
        column: 0,
        reason: format!("{path} is missing"),
    }
}

/// Returns the JSON type of a value, for messages.
pub fn kind_of(value: &str) -> &'static str {
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
pub fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.rsplit_once(" at line ")
        .map(|(what, _)| what.to_owned())
        .unwrap_or(said)
}

/// Bytes of a line up to which its error is made as precise as possible.
const MAX_DECODED: usize = 1 << 20;

/// Returns why a line is not JSON, for a user who sees the line next to it.
pub fn syntax_error(line: &[u8]) -> RowError {
    if let Some(why) = crate::source::lines::refusal(line) {
        return RowError {
            column: 0,
            reason: why.to_owned(),
        };
    }
    // Decoding the line gives a more precise error, but takes seconds for 100 MB.
    let decoded = (line.len() <= MAX_DECODED)
        .then(|| serde_json::from_slice::<Value>(line).err())
        .flatten()
        .filter(|error| !without_place(error).starts_with("recursion limit"));
    let Some(error) = decoded.or_else(|| serde_json::from_slice::<IgnoredAny>(line).err()) else {
        return RowError {
            column: 0,
            reason: format!("values are nested deeper than {MAX_NESTING} levels"),
        };
    };
    let said = without_place(&error);
    let reason = if error.is_eof() {
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
        column: error.column(),
        reason,
    }
}
