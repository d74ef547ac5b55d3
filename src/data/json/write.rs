//! Writes JSON strings for rows of tables and Parquet files.

use std::io::Write;

/// Bytes searched for an escape together, which is faster than one by one.
const BLOCK: usize = 32;

/// Appends a text as a JSON string, including quotes. Invalid UTF-8 is kept; the parser of the row
/// reports it.
pub fn push_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = first_escaped(rest) {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            sign @ (b'"' | b'\\') => out.extend_from_slice(&[b'\\', sign]),
            // Writing to memory cannot fail.
            control => drop(write!(out, "\\u{control:04x}")),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Returns the position of the first byte that JSON strings must escape.
fn first_escaped(text: &[u8]) -> Option<usize> {
    let is_escaped = |byte: &u8| (*byte < b' ') | (*byte == b'"') | (*byte == b'\\');
    let has_none = |block: &&[u8]| !block.iter().fold(false, |any, byte| any | is_escaped(byte));
    let plain = text.chunks(BLOCK).take_while(has_none).count() * BLOCK;
    let found = text.get(plain..)?.iter().position(is_escaped)?;
    Some(plain + found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
        #[test]
        fn as_serde_json_reads_it(
            before in "[a-z]{0,3}",
            text in proptest::collection::vec(
                prop_oneof![8 => 0x20..0x7F_u8, 1 => proptest::sample::select(b"\"\\\x1f\n\r\t\0\x08\x0c".to_vec())],
                0..300,
            ),
        ) {
            let text = String::from_utf8(text).expect("ASCII");
            let mut out = before.clone().into_bytes();
            push_string(text.as_bytes(), &mut out);
            let json = String::from_utf8(out).expect("ASCII");
            let json = json.strip_prefix(&before).expect("what stood there");
            prop_assert_eq!(serde_json::from_str::<String>(json).expect("a string"), text);
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        for length in [0, 1, 31, 62, 63, 64, 65, 127, 128, 200] {
            let text = [&b"\xff\xc3".repeat(length)[..], b"\x80\xa9"].concat();
            let mut out = Vec::new();
            push_string(&text, &mut out);
            assert_eq!(out, [b"\"", &text[..], b"\""].concat());
        }
    }
}
