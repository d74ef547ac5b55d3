//! Finds values of a JSON line by path, without decoding or checking what it skips.
//!
//! A property test compares it with serde_json, which keeps the last of several members with equal
//! keys.

use std::borrow::Cow;

use memchr::{memchr2, memchr3};

use super::unescape::unescaped;
use crate::table::Path;

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the index of the first byte that is not white space, from `at`.
fn next(bytes: &[u8], mut at: usize) -> Option<usize> {
    while is_blank(*bytes.get(at)?) {
        at += 1;
    }
    Some(at)
}

/// Returns the end of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// Returns the end of the object or list that begins at `at`.
fn container_end(bytes: &[u8], mut at: usize, [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        at += memchr3(b'"', open, close, bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => at = string_end(bytes, at)?,
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
        b'"' => string_end(bytes, at),
        // In valid JSON, brackets of the other kind are paired inside.
        b'{' => container_end(bytes, at, [b'{', b'}']),
        b'[' => container_end(bytes, at, [b'[', b']']),
        _ => {
            let rest = bytes[at..].iter();
            let ends = |byte: &u8| is_blank(*byte) || matches!(byte, b',' | b'}' | b']' | b':');
            let length = rest.take_while(|byte| !ends(byte)).count();
            (length > 0).then_some(at + length)
        }
    }
}

/// Calls `show` with each member of an object: the inside of the key, and the value. `None` if it
/// is not JSON.
pub(super) fn members<'r>(
    object: &'r [u8],
    show: &mut dyn FnMut(&'r [u8], &'r [u8]),
) -> Option<()> {
    let mut at = next(object, 1)?;
    while object[at] != b'}' {
        if object[at] == b',' {
            at = next(object, at + 1)?;
        }
        let key_end = (object[at] == b'"').then(|| string_end(object, at))??;
        let colon = next(object, key_end).filter(|&colon| object[colon] == b':')?;
        let start = next(object, colon + 1)?;
        let end = value_end(object, start)?;
        show(&object[at + 1..key_end - 1], &object[start..end]);
        at = next(object, end)?;
        if !matches!(object[at], b',' | b'}') {
            return None;
        }
    }
    Some(())
}

/// Calls `show` with each element of a list until it returns false. `None` if it is not JSON.
pub(super) fn elements<'r>(list: &'r [u8], show: &mut dyn FnMut(&'r [u8]) -> bool) -> Option<()> {
    let mut at = next(list, 1)?;
    while list[at] != b']' {
        if list[at] == b',' {
            at = next(list, at + 1)?;
        }
        let end = value_end(list, at)?;
        if !show(&list[at..end]) {
            return Some(());
        }
        at = next(list, end)?;
        if !matches!(list[at], b',' | b']') {
            return None;
        }
    }
    Some(())
}

/// Returns the elements of a captured list as spelled; `None` for other values.
pub(super) fn elements_of(list: &str) -> Option<Vec<&str>> {
    let (list, mut all) = (list.strip_prefix('[').map(|_| list)?, Vec::new());
    elements(list.as_bytes(), &mut |item| {
        all.push(std::str::from_utf8(item).ok());
        true
    })?;
    all.into_iter().collect()
}

/// Returns the members of a captured object, with values as spelled; `None` for other values.
pub(super) fn members_of(object: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let (object, mut all) = (object.strip_prefix('{').map(|_| object)?, Vec::new());
    members(object.as_bytes(), &mut |key, value| {
        all.push(decoded(key).zip(std::str::from_utf8(value).ok()));
    })?;
    all.into_iter().collect()
}

/// Decodes the inside of a string.
pub(super) fn decoded(inside: &[u8]) -> Option<Cow<'_, str>> {
    Some(unescaped(std::str::from_utf8(inside).ok()?)?.0)
}

/// Calls `show` with the values at a path. `element` is the index for the first `*` of a list;
/// other `*`, or all without it, match all elements or members. `None` if the part of the line that
/// was read is not JSON.
pub(super) fn values_at<'r>(
    value: &'r [u8],
    steps: &[String],
    element: Option<usize>,
    show: &mut dyn FnMut(&'r [u8]),
) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        show(value);
        return Some(());
    };
    match value.first()? {
        b'{' => {
            let (mut found, mut is_sound) = (None, Some(()));
            members(value, &mut |key, member| {
                if step == Path::EACH {
                    is_sound = is_sound.and(values_at(member, rest, element, show));
                } else if decoded(key).is_some_and(|key| key == *step) {
                    found = Some(member);
                }
            })?;
            found.map_or(is_sound, |found| values_at(found, rest, element, show))
        }
        b'[' => {
            let is_each = step == Path::EACH;
            let (wanted, element) = match is_each {
                true => (element, None),
                false => (Some(step.parse().unwrap_or(usize::MAX)), element),
            };
            let (mut at, mut is_sound) = (0, Some(()));
            elements(value, &mut |item| {
                if wanted.is_none_or(|wanted| wanted == at) {
                    is_sound = is_sound.and(values_at(item, rest, element, show));
                }
                at += 1;
                wanted.is_none_or(|wanted| at <= wanted)
            })?;
            is_sound
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
