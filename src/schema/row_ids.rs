//! Ids of a record: values of the row itself under a key such as `id`, `question_id` or `uuid`.

use memchr::memmem;

use super::fields::scalar;
use super::json_walk::{decoded, members};

/// The last word of a key of ids.
const NAMES: [&str; 4] = ["id", "uid", "uuid", "guid"];
/// Words of keys of ids that are not those of a sample.
const OTHERS: [&str; 11] = [
    "annotator",
    "worker",
    "user",
    "rater",
    "labeler",
    "labeller",
    "reviewer",
    "author",
    "model",
    "judge",
    "token",
];

/// Shows the ids of a row.
pub(super) fn each_id(line: &[u8], show: &mut dyn FnMut(&str)) {
    // Most rows without an id need no more than this.
    if memmem::find(line, b"id\"").is_none() && memmem::find(line, b"ID\"").is_none() {
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
    let key = decoded(key).unwrap_or_default().to_ascii_lowercase();
    let mut words = key.split(['_', '-', '.', ' ']);
    let is_id = words.next_back().is_some_and(|last| NAMES.contains(&last));
    is_id && !words.any(|word| OTHERS.contains(&word))
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
