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
