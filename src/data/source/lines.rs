//! Lines without the bytes around them.

use memchr::memchr;

use crate::json::{after_blanks, is_blank};

/// Returns the text without a leading byte order mark and JSON white space.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    &text[after_blanks(text, 0).unwrap_or(text.len())..]
}

/// Returns the line without a leading byte order mark and surrounding JSON white space (space, tab,
/// CR, LF).
pub fn trim(line: &[u8]) -> &[u8] {
    let line = trim_start(line);
    let last = line.iter().rposition(|byte| !is_blank(*byte));
    &line[..last.map_or(0, |last| last + 1)]
}

/// Returns the line of a row, trimmed. A row's bytes may include blank lines up to the next row.
pub fn of_row(bytes: &[u8]) -> &[u8] {
    trim(memchr(b'\n', bytes).map_or(bytes, |end| &bytes[..end]))
}

/// Marks a line that replaces a record which could not be converted: ASCII's substitute character,
/// which no JSON begins with.
const REFUSED: u8 = 0x1A;

/// Starts a line for an invalid record, with the reason; the readable part may follow.
pub(super) fn push_refusal(why: &str, line: &mut Vec<u8>) {
    line.push(REFUSED);
    line.extend_from_slice(why.as_bytes());
    line.push(b'\t');
}

/// Returns the reason if a line replaces an invalid record.
pub fn refusal(line: &[u8]) -> Option<&str> {
    let why = line.strip_prefix(&[REFUSED])?;
    let end = memchr(b'\t', why)?;
    std::str::from_utf8(&why[..end])
        .ok()
        .filter(|why| !why.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmed() {
        for (line, kept) in [
            (&b"{}"[..], &b"{}"[..]),
            (b"{}\r\n", b"{}"),
            (b"\xef\xbb\xbf{}", b"{}"),
            (b" \t{} \n\n\r\n", b"{}"),
            (b"\xef\xbb\xbf \n", b""),
            (b"", b""),
        ] {
            assert_eq!(trim(line), kept);
        }
    }

    #[test]
    fn refusals() {
        let mut line = Vec::new();
        push_refusal("row 7 has 5 fields", &mut line);
        line.extend_from_slice(b"{}");
        assert_eq!(refusal(&line), Some("row 7 has 5 fields"));
        for line in [
            &b"{}"[..],
            b"",
            b"\x1a",
            b"\x1aabc",
            b"\x1a\t",
            b"row 7\t{}",
        ] {
            assert_eq!(refusal(line), None);
        }
    }

    #[test]
    fn a_row_ends_with_its_line() {
        for (bytes, kept) in [
            (&b"{}"[..], &b"{}"[..]),
            (b"\xef\xbb\xbf{}\r\n\n \n", b"{}"),
            // Concatenated files can have a byte order mark on a blank line.
            (b"{}\n\xef\xbb\xbf\n", b"{}"),
        ] {
            assert_eq!(of_row(bytes), kept);
        }
    }
}
