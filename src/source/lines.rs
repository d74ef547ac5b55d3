//! What belongs to a line and what only surrounds it.

/// The line without a byte order mark in front and without JSON white space (space, tab, CR, LF) around it.
pub fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = line.iter().position(|byte| !space(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|byte| !space(byte)).map_or(start, |last| last + 1);
    &line[start..end]
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
}
