//! Finds values of a JSON line by path, without decoding or checking what it skips.
//!
//! A property test compares it with serde_json, which keeps the last of several members with equal
//! keys.

use std::borrow::Cow;

use memchr::memchr3;

use super::unescape::unescaped;
use crate::table::Path;
use crate::text::{is_json_blank, json_string_end};

/// Returns the index of the first byte that is not white space, from `at`.
fn next(bytes: &[u8], mut at: usize) -> Option<usize> {
    while is_json_blank(*bytes.get(at)?) {
        at += 1;
    }
    Some(at)
}

/// Returns the end of the object or list that begins at `at`.
fn container_end(bytes: &[u8], mut at: usize, [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        at += memchr3(b'"', open, close, bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => at = json_string_end(bytes, at)?,
            byte => {
                at += 1;
                depth = if byte == open { depth + 1 } else { depth - 1 };
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

/// Returns the end of the value that begins at `at`; `None` if the text ends first.
fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => json_string_end(bytes, at),
        // In valid JSON, brackets of the other kind are paired inside.
        b'{' => container_end(bytes, at, [b'{', b'}']),
        b'[' => container_end(bytes, at, [b'[', b']']),
        _ => {
            let rest = bytes[at..].iter();
            let ends =
                |byte: &u8| is_json_blank(*byte) || matches!(byte, b',' | b'}' | b']' | b':');
            let length = rest.take_while(|byte| !ends(byte)).count();
            (length > 0).then_some(at + length)
        }
    }
}

/// Iterates over the members of an object or the elements of a list: the inside of the key, empty in
/// a list, and the value. The last item is `None` if it is not JSON.
pub fn items(container: &[u8]) -> impl Iterator<Item = Option<JsonItem<'_>>> {
    let mut at = Some(1);
    std::iter::from_fn(move || match item_after(container, at.take()?) {
        None => Some(None),
        Some(found) => found.map(|(item, end)| {
            at = Some(end);
            Some(item)
        }),
    })
}

/// The inside of a key, and a value.
pub type JsonItem<'r> = (&'r [u8], &'r [u8]);

/// Returns the item after this byte and its end; `Some(None)` at the end of the container, `None` if
/// it is not JSON.
fn item_after(bytes: &[u8], before: usize) -> Option<Option<(JsonItem<'_>, usize)>> {
    let is_object = bytes.first() == Some(&b'{');
    let mut start = next(bytes, before)?;
    match bytes[start] {
        b'}' if is_object => return Some(None),
        b']' if !is_object => return Some(None),
        b',' => start = next(bytes, start + 1)?,
        _ if before > 1 => return None,
        _ => {}
    }
    let mut key = &bytes[..0];
    if is_object {
        let key_end = (bytes[start] == b'"').then(|| json_string_end(bytes, start))??;
        key = &bytes[start + 1..key_end - 1];
        let colon = next(bytes, key_end).filter(|&colon| bytes[colon] == b':')?;
        start = next(bytes, colon + 1)?;
    }
    let end = value_end(bytes, start)?;
    Some(Some(((key, &bytes[start..end]), end)))
}

/// Returns the elements of a captured list as spelled; `None` for other values.
pub fn elements_of(list: &str) -> Option<Vec<&str>> {
    let list = list.strip_prefix('[').map(|_| list)?;
    items(list.as_bytes())
        .map(|item| std::str::from_utf8(item?.1).ok())
        .collect()
}

/// Returns the members of a captured object, with values as spelled; `None` for other values.
pub fn members_of(object: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let object = object.strip_prefix('{').map(|_| object)?;
    items(object.as_bytes())
        .map(|item| {
            let (key, value) = item?;
            Some((decoded(key)?, std::str::from_utf8(value).ok()?))
        })
        .collect()
}

/// Decodes the inside of a string.
pub fn decoded(inside: &[u8]) -> Option<Cow<'_, str>> {
    Some(unescaped(std::str::from_utf8(inside).ok()?)?.0)
}

/// Calls `show` with the values at a path. `element` is the index for the first `*` of a list;
/// other `*`, or all without it, match all elements or members. `None` if the part of the line that
/// was read is not JSON.
pub fn values_at<'r>(
    value: &'r [u8],
    steps: &[String],
    element: Option<usize>,
    show: &mut dyn FnMut(&'r [u8]),
) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        show(value);
        return Some(());
    };
    let is_each = step == Path::EACH;
    match value.first()? {
        b'{' => {
            let mut found = None;
            for item in items(value) {
                let (key, member) = item?;
                if is_each {
                    values_at(member, rest, element, show)?;
                } else if decoded(key).is_some_and(|key| key == *step) {
                    found = Some(member);
                }
            }
            found.map_or(Some(()), |found| values_at(found, rest, element, show))
        }
        b'[' => {
            let (wanted, element) = if is_each {
                (element, None)
            } else {
                (Some(step.parse().unwrap_or(usize::MAX)), element)
            };
            for (at, item) in items(value).enumerate() {
                let (_, item) = item?;
                if wanted.is_none_or(|wanted| wanted == at) {
                    values_at(item, rest, element, show)?;
                }
                if wanted == Some(at) {
                    break;
                }
            }
            Some(())
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn at(line: &str, path: &[&str], element: Option<usize>) -> Option<Vec<String>> {
        let (steps, mut found): (Vec<String>, _) =
            (path.iter().map(|step| (*step).into()).collect(), Vec::new());
        values_at(line.as_bytes(), &steps, element, &mut |value| {
            found.push(String::from_utf8_lossy(value).into_owned());
        })?;
        Some(found)
    }

    #[test]
    fn values_by_their_paths() {
        let line =
            r#"{"a\n": {"b.c" :[ {"x":1} , {"x": [2,"]"]}, 3 ]}, "d": "\"}", "d": null, "e":{}}"#;
        for (path, element, values) in [
            (
                &["a\n", "b.c", "*", "x"][..],
                None,
                &["1", r#"[2,"]"]"#][..],
            ),
            (&["a\n", "b.c", "*", "x"], Some(1), &[r#"[2,"]"]"#]),
            (&["a\n", "b.c", "*", "x"], Some(2), &[]),
            (&["a\n", "b.c", "0", "x"], None, &["1"]),
            (&["a\n", "b.c", "x"], None, &[]),
            (&["d"], None, &["null"]),
            (&["e"], None, &["{}"]),
            (&["e", "x"], None, &[]),
            (&["none"], None, &[]),
        ] {
            let found = at(line, path, element);
            assert_eq!(
                found,
                Some(values.iter().map(ToString::to_string).collect())
            );
        }
        for broken in [
            "{'a': 1}",
            r#"{"a" 1}"#,
            r#"{"a": "x"#,
            r#"{"b": 1"#,
            "{",
            r#"{"b":}"#,
        ] {
            assert_eq!(at(broken, &["a"], None), None, "{broken}");
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let key = || prop_oneof!["[ab]", r#"[ab.\\"/\n*é]{0,3}"#];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            r#"[a"\\{}\[\],:é\n]{0,6}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, move |inner| {
            let members = prop::collection::vec((key(), inner.clone()), 0..5);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                members.prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    /// Collects all paths of a value with their values.
    fn paths(value: &Value, path: &mut Vec<String>, all: &mut Vec<(Vec<String>, Value)>) {
        all.push((path.clone(), value.clone()));
        let children: Vec<(String, &Value)> = match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, it)| (key.as_str().into(), it))
                .collect(),
            Value::Array(list) => (list.iter().enumerate())
                .map(|(at, it)| (at.to_string(), it))
                .collect(),
            _ => Vec::new(),
        };
        for (step, child) in children {
            path.push(step);
            paths(child, path, all);
            path.pop();
        }
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(value in json(), pretty: bool, twice: bool) {
            let mut line = if pretty {
                serde_json::to_string_pretty(&value).expect("JSON")
            } else {
                value.to_string()
            };
            // Of equal keys, the last one counts.
            if twice && line.len() > 2 && line.starts_with('{') {
                line = format!("{{\"a\":[9],\"b\":\"b\",{}", &line[1..]);
            }
            let value: Value = serde_json::from_str(&line).expect("JSON");
            let mut all = Vec::new();
            paths(&value, &mut Vec::new(), &mut all);
            for (path, wanted) in all {
                let mut found = Vec::new();
                let is_read = values_at(line.as_bytes(), &path, None, &mut |it| found.push(it));
                prop_assert!(is_read.is_some());
                // A step `*` reads all elements of a list.
                if path.iter().any(|step| *step == Path::EACH) {
                    continue;
                }
                prop_assert_eq!(found.len(), 1);
                prop_assert_eq!(serde_json::from_slice::<Value>(found[0]).expect("JSON"), wanted);
            }
        }
    }
}
