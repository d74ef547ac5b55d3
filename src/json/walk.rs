//! Iterates over the items of an object or a list, without decoding or checking what it skips.
//!
//! A property test of `schema::row::path` compares it with serde_json.

use std::borrow::Cow;

use memchr::memchr3;

use super::escapes::unescaped;
use super::lexer::{after_blanks, string_end, token_end};

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
