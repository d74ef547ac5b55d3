//! Numbers of labels in JSON, and documents.

use serde_json::Value;

/// A number, one without a fraction as an integer: 3.0 would make a float column of a label.
pub(super) fn json_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        (value as i64).into()
    } else {
        value.into()
    }
}

/// A number as [`json_number`] has it; null where there is none.
pub(super) fn json_number_or_null(value: Option<f64>) -> Value {
    value.map_or(Value::Null, json_number)
}

/// A document, indented, with a line break at its end.
pub(super) fn json_document(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}
