//! Ids of a record: values of the row itself under a key such as `id`, `question_id` or `uuid`.

use memchr::memmem;

use super::fields::scalar;
use super::guess::is_id_name;
use super::json_walk::{decoded, members};

/// Shows the ids of a row.
pub(super) fn each_id(line: &[u8], show: &mut dyn FnMut(&str)) {
    // Most rows without an id need no more than this.
    let is_there = |ending: &[u8]| memmem::find(line, ending).is_some();
    if !(is_there(b"id\"") || is_there(b"Id\"") || is_there(b"ID\"")) {
        return;
    }
    // What no longer reads as JSON has no further ids.
    let _ = members(line, &mut |key, value| {
        if is_id(key)
            && !matches!(value.first(), Some(b'{' | b'['))
            && let Some(id) = scalar(value)
        {
            show(&id);
        }
    });
}

/// True if a key, as it is spelled, is one of ids of samples.
fn is_id(key: &[u8]) -> bool {
    // Most keys are others, and splitting a name takes memory.
    let ends_so = |key: &[u8]| {
        key.last_chunk()
            .is_some_and(|end: &[u8; 2]| end.eq_ignore_ascii_case(b"id"))
    };
    if !ends_so(key) {
        return false;
    }
    is_id_name(&decoded(key).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_rows() {
        for (line, ids) in [
            (r#"{"id": 17, "prompt": "p"}"#, &["17"][..]),
            (
                r#"{"p": "id\"", "question_id": "q-\u00e9", "UUID": "u", "x": {"id": 1}}"#,
                &["q-é", "u"],
            ),
            (
                r#"{"annotator_id": 3, "valid": "x", "_id": null, "model-id": "m"}"#,
                &[],
            ),
            (
                r#"{"questionId": "q1", "Id": 7, "modelId": "m", "squid": "s"}"#,
                &["q1", "7"],
            ),
            // They say who wins, which is hidden from who judges blind.
            (
                r#"{"better_response_id": 1, "chosen_id": "c", "loser_id": 2}"#,
                &[],
            ),
            (r#"{"ids": ["a"], "id": ["a"], "idx": 2}"#, &[]),
            (r#"{"prompt": "p"}"#, &[]),
            (r#"["id", "x"]"#, &[]),
            ("", &[]),
        ] {
            let mut found = Vec::new();
            each_id(line.as_bytes(), &mut |id| found.push(id.to_owned()));
            assert_eq!(found, ids, "{line}");
        }
    }
}
