//! What belongs to a line and what only surrounds it.

use memchr::memchr;

/// The line without a byte order mark in front and without JSON white space (space, tab, CR, LF)
/// around it.
pub fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = line
        .iter()
        .position(|byte| !space(byte))
        .unwrap_or(line.len());
    let end = line
        .iter()
        .rposition(|byte| !space(byte))
        .map_or(start, |last| last + 1);
    &line[start..end]
}

/// The line of a row: of its bytes, which reach over blank lines to the next row, the first line,
/// trimmed.
pub fn of_row(bytes: &[u8]) -> &[u8] {
    trim(memchr(b'\n', bytes).map_or(bytes, |end| &bytes[..end]))
}

/// Begins a line that stands for a record which could not be made a line: the sign that ASCII has
/// for a substitute, which no JSON begins with.
const REFUSED: u8 = 0x1A;

/// Begins a line for a record that is none, and says why; what can be read of it may follow.
pub(super) fn push_refusal(why: &str, line: &mut Vec<u8>) {
    line.push(REFUSED);
    line.extend_from_slice(why.as_bytes());
    line.push(b'\t');
}

/// Why a line stands for a record that could not be made one, where it does.
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
            // A blank line can hold a byte order mark where files were joined.
            (b"{}\n\xef\xbb\xbf\n", b"{}"),
        ] {
            assert_eq!(of_row(bytes), kept);
        }
    }
}
