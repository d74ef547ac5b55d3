//! Finds tokens, and the items of an object or a list, without decoding or checking what it skips;
//! checks whether a line is JSON at all.
//!
//! A property test of `schema::row::path` compares the items with serde_json.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memchr3};
use serde::de::IgnoredAny;

use super::escapes::unescaped;

/// True for white space between tokens.
pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// True if a byte can be part of a number or a literal, or of what Python writes for them.
pub const fn is_of_word(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"')
}

/// Returns the index of the first byte that is not white space, from `at`.
pub fn after_blanks(bytes: &[u8], mut at: usize) -> Option<usize> {
    while is_blank(*bytes.get(at)?) {
        at += 1;
    }
    Some(at)
}

/// Returns the next token after white space, with its first byte. A string that is not closed ends
/// with the text.
pub fn token(bytes: &[u8], from: usize) -> Option<(u8, Range<usize>)> {
    let start = after_blanks(bytes, from)?;
    let end = token_end(bytes, start).unwrap_or(bytes.len());
    Some((bytes[start], start..end))
}

/// Returns the end of the token that begins at `at`: a string, a word, or a single sign. `None` if
/// it is a string that is not closed.
pub fn token_end(bytes: &[u8], at: usize) -> Option<usize> {
    if *bytes.get(at)? == b'"' {
        return string_end(bytes, at);
    }
    let word = bytes[at..].iter().take_while(|byte| is_of_word(**byte));
    Some(at + word.count().max(1))
}

/// Returns the end of the string that begins at `at`; `None` if it is not closed.
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

/// True if the line is one JSON value in UTF-8 (serde_json does not check UTF-8 in values that it
/// ignores).
pub fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| serde_json::from_str::<IgnoredAny>(line).is_ok())
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
        // In valid JSON, brackets of the other kind are paired inside.
        b'{' => container_end(bytes, at, [b'{', b'}']),
        b'[' => container_end(bytes, at, [b'[', b']']),
        b'}' | b']' | b',' | b':' => None,
        _ => token_end(bytes, at),
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
    let mut start = after_blanks(bytes, before)?;
    match bytes[start] {
        b'}' if is_object => return Some(None),
        b']' if !is_object => return Some(None),
        b',' => start = after_blanks(bytes, start + 1)?,
        _ if before > 1 => return None,
        _ => {}
    }
    let mut key = &bytes[..0];
    if is_object {
        let key_end = (bytes[start] == b'"').then(|| string_end(bytes, start))??;
        key = &bytes[start + 1..key_end - 1];
        let colon = after_blanks(bytes, key_end).filter(|&colon| bytes[colon] == b':')?;
        start = after_blanks(bytes, colon + 1)?;
    }
    let end = value_end(bytes, start)?;
    Some(Some(((key, &bytes[start..end]), end)))
}

/// Returns the elements of a captured list as spelled; `None` for other values.
pub fn elements_of(list: &str) -> Option<Vec<&str>> {
    list.strip_prefix('[')?;
    items(list.as_bytes())
        .map(|item| std::str::from_utf8(item?.1).ok())
        .collect()
}

/// Returns the members of a captured object, with values as spelled; `None` for other values.
pub fn members_of(object: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    object.strip_prefix('{')?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        for (text, tokens) in [
            (
                r#" {"a\"" : -1.5e3,true}"#,
                &["{", r#""a\"""#, ":", "-1.5e3", ",", "true", "}"][..],
            ),
            ("[NaN\t\"x\n\\\\\"]", &["[", "NaN", "\"x\n\\\\\"", "]"]),
            // A string that is not closed ends with the text.
            (r#"é"\"#, &["é", r#""\"#]),
            (" ", &[]),
        ] {
            let (mut at, mut found) = (0, Vec::new());
            while let Some((first, range)) = token(text.as_bytes(), at) {
                assert_eq!(first, text.as_bytes()[range.start]);
                at = range.end;
                found.push(&text[range]);
            }
            assert_eq!(found, tokens, "{text}");
        }
    }
}
