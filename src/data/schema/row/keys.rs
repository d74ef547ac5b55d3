//! Keys of rows: what groups them into samples, their ids, and the field that matches rows of two
//! files.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memmem;

use super::path::values_at;
use super::reader::CapturedRow;
use super::values::{plain, scalar, string};
use crate::json::{decoded, elements_of, items};
use crate::schema::guess::is_id_name;
use crate::table::Path;

impl<'r> CapturedRow<'_, 'r> {
    /// Returns the prompt as spelled in the file, or a hash of its parts: of the turns before the
    /// last one if it is part of the response. Compare with [`same_text`].
    pub fn prompt_spelling(&self) -> Option<Cow<'r, str>> {
        let Some(prompt) = &self.schema.slots.prompt else {
            let turns = self.value(self.responses().next()?.text.slot)?;
            let mut turns = elements_of(turns)?;
            turns.pop()?;
            let mut hasher = DefaultHasher::new();
            turns.hash(&mut hasher);
            return Some(Cow::Owned(format!("{:x}", hasher.finish())));
        };
        if let Some(only) = prompt.only_value() {
            return self.value(only.slot).map(Cow::Borrowed);
        }
        Some(Cow::Owned(format!("{:x}", self.prompt_hash())))
    }

    /// Hashes the values that rows of one group share; `None` if one is missing, which makes the
    /// row a group by itself. Rows by annotators also share the prompt and the responses, a pair in
    /// either order.
    pub fn group_key(&self) -> Option<u64> {
        let slots = &self.schema.slots.group;
        let is_there = slots.iter().all(|&slot| self.is_there(slot));
        let key = || self.hash(slots.iter().copied());
        is_there.then(|| {
            if self.schema.definition().is_row_by_annotator() {
                let mut responses = self.response_hashes();
                if let [_, _] = responses[..] {
                    responses.sort_unstable();
                }
                let mut hasher = DefaultHasher::new();
                (key(), self.prompt_hash(), responses).hash(&mut hasher);
                hasher.finish()
            } else {
                key()
            }
        })
    }

    fn response_hashes(&self) -> Vec<u64> {
        self.responses()
            .map(|response| response.text.slot)
            .map(|slot| self.hash(std::iter::once(slot)))
            .collect()
    }

    /// True if a pair is in the second of its two orders (annotators may see either).
    pub fn is_reversed(&self) -> bool {
        matches!(self.response_hashes()[..], [a, b] if a > b)
    }
}

/// Calls `show` with each id of a row.
pub fn each_id(line: &[u8], show: &mut dyn FnMut(&str)) {
    // Cheap test that most rows without an id fail.
    let is_there = |ending: &[u8]| memmem::find(line, ending).is_some();
    if !(is_there(b"id\"") || is_there(b"Id\"") || is_there(b"ID\"")) {
        return;
    }
    // An error ends the search: after it there is no valid JSON.
    for (key, value) in items(line).flatten() {
        if is_id(key)
            && !matches!(value.first(), Some(b'{' | b'['))
            && let Some(id) = scalar(value)
        {
            show(&id);
        }
    }
}

/// True if a key, as spelled in the file, names an id of samples.
fn is_id(key: &[u8]) -> bool {
    // Cheap test first: splitting a name into words allocates.
    let ends_so = |key: &[u8]| {
        key.last_chunk()
            .is_some_and(|end: &[u8; 2]| end.eq_ignore_ascii_case(b"id"))
    };
    if !ends_so(key) {
        return false;
    }
    is_id_name(&decoded(key).unwrap_or_default())
}

/// Hashes the value at a path of a line, to match rows of two files. Strings are hashed decoded, so
/// a number equals the same number in a string (tools write keys both ways). `None` as of
/// [`value_at`].
pub fn hash_at(path: &Path, line: &[u8]) -> Option<u64> {
    let spelling = value_at(path, line)?;
    let mut hasher = DefaultHasher::new();
    plain(&spelling).0.hash(&mut hasher);
    Some(hasher.finish())
}

/// Returns the value at a path of a line, as spelled. `None` if the value is missing or null, or
/// the line is not JSON.
pub fn value_at(path: &Path, line: &[u8]) -> Option<String> {
    let mut found = None;
    values_at(line, path.steps(), None, &mut |value| {
        let spelling = std::str::from_utf8(value).ok();
        found = spelling.filter(|it| *it != "null").map(str::to_owned);
    })?;
    found
}

/// True if two captured strings are the same text, even if their escapes differ.
pub fn same_text(a: &str, b: &str) -> bool {
    std::ptr::eq(a, b)
        || a == b
        || (differ_at_an_escape(a.as_bytes(), b.as_bytes())
            && matches!((string(a), string(b)), (Ok(a), Ok(b)) if a.0 == b.0))
}

/// True if there is an escape at the first difference of two spellings. Otherwise, the texts
/// differ.
fn differ_at_an_escape(a: &[u8], b: &[u8]) -> bool {
    /// Length of `\u00e9` without its last byte.
    const LONGEST: usize = 5;
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let around = same.saturating_sub(LONGEST)..same + 1;
    [a, b].iter().any(|text| {
        text.get(around.clone())
            .is_some_and(|around| around.contains(&b'\\'))
    })
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
            // Excluded: these reveal the winner, and blind reviewers see ids.
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

    #[test]
    fn keys_are_the_same_however_they_are_spelled() {
        let hash = |line: &str| hash_at(&"/meta/id".into(), line.as_bytes());
        let first = hash(r#"{"meta": {"id": "é1"}}"#);
        assert!(first.is_some());
        assert_eq!(
            first,
            hash(r#"{"x": [{}], "meta": {"y": 2, "id": "\u00e91"}}"#)
        );
        assert_eq!(
            hash(r#"{"meta": {"id": 12}}"#),
            hash(r#"{"meta": {"id": "12"}}"#)
        );
        assert_ne!(first, hash(r#"{"meta": {"id": "e1"}}"#));
        assert_eq!(hash(r#"{"r": NaN, "meta": {"id": "é1"}}"#), first);
        for line in [r#"{"meta": {}}"#, r#"{"meta": {"id": null}}"#, "{", "[]"] {
            assert_eq!(hash(line), None, "{line}");
        }
    }

    #[test]
    fn the_same_text_in_two_spellings() {
        for (a, b, same) in [
            (r#""é""#, r#""\u00e9""#, true),
            (r#""a/b""#, r#""a\/b""#, true),
            (r#""a\\u""#, r#""a\\u""#, true),
            (r#""a""#, r#""b""#, false),
            (r#""\\u00e9""#, r#""é""#, false),
            (r#""x\ud83d\ude00""#, r#""x😀""#, true),
            (r#""\u00e9""#, r#""\u00e8""#, false),
            (r#""\u00E9""#, r#""\u00e9""#, true),
            (r#""a""#, r#""a\n""#, false),
        ] {
            assert_eq!(same_text(a, b), same, "{a} {b}");
        }
    }
}
