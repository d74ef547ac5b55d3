//! A lenient second attempt at lines that Python writes and JSON forbids: rewrites the line so that
//! the strict reader accepts it, and reports what changed.

use std::borrow::Cow;

use memchr::memmem;

use crate::json::token;
use crate::model::ReadWarning;

/// A line rewritten as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedLine {
    /// The new line; columns after a change differ from those of the file.
    pub line: Vec<u8>,
    /// What was changed; sorted, without repeats.
    pub warnings: Vec<ReadWarning>,
}

/// Rewrites `NaN` and `Infinity` as null, bytes that are not UTF-8 as U+FFFD, and raw control
/// characters in strings as escapes. `None` if the line has none of these, so its fault is another.
pub fn repair(line: &[u8]) -> Option<RepairedLine> {
    let text = String::from_utf8_lossy(line);
    let has_word = |word: &[u8]| memmem::find(text.as_bytes(), word).is_some();
    let is_control = |byte: &u8| *byte < 0x20;
    // Most faults are others, and a line can have 100 MB.
    if matches!(text, Cow::Borrowed(_))
        && !text.as_bytes().iter().any(is_control)
        && !has_word(b"NaN")
        && !has_word(b"Infinity")
    {
        return None;
    }
    let mut warnings = Vec::new();
    if matches!(text, Cow::Owned(_)) {
        warnings.push(ReadWarning::InvalidUtf8);
    }
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut out = Vec::with_capacity(bytes.len());
    while let Some((first, range)) = token(bytes, at) {
        out.extend_from_slice(&bytes[at..range.start]);
        at = range.end;
        let token = &bytes[range];
        if [&b"NaN"[..], b"Infinity", b"-Infinity"].contains(&token) {
            warnings.push(ReadWarning::NotANumber);
            out.extend_from_slice(b"null");
            continue;
        }
        let mut is_escaped = false;
        for &byte in token {
            if byte < 0x20 && first == b'"' && !is_escaped {
                warnings.push(ReadWarning::RawControl);
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            } else {
                out.push(byte);
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
    }
    out.extend_from_slice(&bytes[at..]);
    warnings.sort_unstable();
    warnings.dedup();
    (!warnings.is_empty()).then_some(RepairedLine {
        line: out,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_repaired() {
        use ReadWarning::{InvalidUtf8, NotANumber, RawControl};
        for (line, expected, warnings) in [
            (
                &b"{\"a\": NaN}"[..],
                &b"{\"a\": null}"[..],
                &[NotANumber][..],
            ),
            (b"[-Infinity, Infinity]", b"[null, null]", &[NotANumber]),
            (
                b"{\"a\": \"NaN\", \"b\": NaN}",
                b"{\"a\": \"NaN\", \"b\": null}",
                &[NotANumber],
            ),
            (
                b"{\"a\": \"\xff\"}",
                "{\"a\": \"\u{fffd}\"}".as_bytes(),
                &[InvalidUtf8],
            ),
            (
                b"{\"a\": \"x\ty\\\"\t\"}",
                b"{\"a\": \"x\\u0009y\\\"\\u0009\"}",
                &[RawControl],
            ),
            (
                b"{\"a\": \"\xe3\", \"b\": NaN}",
                "{\"a\": \"\u{fffd}\", \"b\": null}".as_bytes(),
                &[NotANumber, InvalidUtf8],
            ),
        ] {
            let repaired = repair(line).expect("something to repair");
            assert_eq!(
                (repaired.line.as_slice(), repaired.warnings.as_slice()),
                (expected, warnings)
            );
        }
        for line in [&b"{\"a\": -1,"[..], b"[NaNs, -Infinity1]", b"[\"\\\t\"]"] {
            assert_eq!(repair(line), None);
        }
    }
}
