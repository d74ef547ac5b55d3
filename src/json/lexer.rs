//! Tokens, found without checking or decoding them; and whether a line is JSON at all.

use std::ops::Range;

use memchr::memchr2;
use serde::de::IgnoredAny;

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
