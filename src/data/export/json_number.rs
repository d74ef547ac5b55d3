//! JSON numbers and documents.

use serde_json::Value;

/// Converts a number; whole ones become integers, as 3.0 would make a column of floats.
pub(super) fn json_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// Converts a number like [`json_number`]; null if it is missing.
pub(super) fn json_number_or_null(value: Option<f64>) -> Value {
    value.map_or(Value::Null, json_number)
}

/// Formats a document with indentation and a final line break.
pub(super) fn json_document(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}
