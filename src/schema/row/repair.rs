//! A lenient second attempt at lines that Python writes and JSON forbids: rewrites the line so that
//! the strict reader accepts it, and reports what changed.

use std::borrow::Cow;

use memchr::memmem;

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
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut in_string = false;
    while let Some(&byte) = rest.first() {
        let mut taken = 1;
        match byte {
            b'"' => {
                in_string = !in_string;
                out.push(byte);
            }
            b'\\' if in_string => {
                taken = rest.len().min(2);
                out.extend_from_slice(&rest[..taken]);
            }
            0..=0x1F if in_string => {
                warnings.push(ReadWarning::RawControl);
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            }
            b'N' | b'I' | b'-' if !in_string => match not_a_number(rest) {
                Some(length) => {
                    taken = length;
                    warnings.push(ReadWarning::NotANumber);
                    out.extend_from_slice(b"null");
                }
                None => out.push(byte),
            },
            _ => out.push(byte),
        }
        rest = &rest[taken..];
    }
    warnings.sort_unstable();
    warnings.dedup();
    (!warnings.is_empty()).then_some(RepairedLine {
        line: out,
        warnings,
    })
}

/// Returns the length of a leading word that Python's json writes for a float that JSON lacks.
fn not_a_number(rest: &[u8]) -> Option<usize> {
    [&b"NaN"[..], b"Infinity", b"-Infinity"]
        .into_iter()
        .find(|word| rest.starts_with(word))
        .map(<[u8]>::len)
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
        assert_eq!(repair(b"{\"a\": -1,"), None);
    }
}
