//! Tokens, found without checking or decoding them.

use memchr::memchr2;
use serde::de::IgnoredAny;

/// True for white space between tokens.
pub const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the end of the string that begins at `at`; `None` if it is not closed.
pub fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
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
