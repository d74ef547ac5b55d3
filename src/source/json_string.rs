//! A text → a JSON string, as rows of tables and of Parquet files have them.

use crate::text::byte_block::{BLOCK, BlockVisitor, ByteBlock, RareBytes, with_blocks};

/// Appends a text as a JSON string, quotes included. Bytes that are not UTF-8 stay: its reader tells
/// of them.
pub(super) fn push_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    with_blocks(EscapedText { text, out });
    out.push(b'"');
}

/// A text on its way to the inside of a JSON string.
struct EscapedText<'t> {
    text: &'t [u8],
    out: &'t mut Vec<u8>,
}

impl BlockVisitor for EscapedText<'_> {
    type Output = ();

    #[inline(always)]
    fn visit(
        self,
        look: impl Fn(&[u8; BLOCK]) -> ByteBlock,
        rare: impl Fn(&[u8; BLOCK]) -> RareBytes,
    ) {
        let Self { text, out } = self;
        let plain = |block: &[u8; BLOCK]| {
            // Control characters are not rare here: line feeds stand in the text itself.
            let (looked, controls) = (look(block), rare(block).controls);
            (looked.quotes | looked.backslashes | controls).trailing_zeros() as usize
        };
        let (mut at, mut filled) = (0, out.len());
        while at < text.len() {
            let rest = &text[at..];
            // Zeros behind what is filled, so that of each block nothing need be asked but whether
            // there is room; most texts have few escapes.
            if out.len() - filled < ROOM {
                out.resize(filled + rest.len() + rest.len() / 16 + 2 * ROOM, 0);
            }
            let room = &mut out[filled..filled + ROOM];
            let mut last = [b' '; BLOCK];
            let block = match rest.first_chunk() {
                Some(block) => block,
                None => {
                    last[..rest.len()].copy_from_slice(rest);
                    &last
                }
            };
            // A whole block is copied, and what should not be there is written over: a copy of a
            // length that is known beforehand is no call.
            room[..BLOCK].copy_from_slice(block);
            let length = plain(block).min(rest.len());
            // Without branches: whether there is an escape in 64 bytes of text cannot be foreseen.
            // Where there is none, what is put behind the block is written over too.
            let has_escape = usize::from(length < BLOCK.min(rest.len()));
            let byte = block[length % BLOCK];
            let letter = ESCAPES[usize::from(byte)];
            room[length] = b'\\';
            room[length + 1] = letter;
            at += length + has_escape;
            filled += length + 2 * has_escape;
            if letter == b'u' && has_escape == 1 {
                let digits = format!("{byte:04x}");
                room[length + 2..length + 6].copy_from_slice(digits.as_bytes());
                filled += 4;
            }
        }
        out.truncate(filled);
    }
}

/// Bytes that a block and the longest escape behind it take.
const ROOM: usize = BLOCK + 6;

/// The letter of the escape of each byte that a JSON string does not have as it is; `u` where it is
/// spelled by its number.
const ESCAPES: [u8; 256] = {
    let mut escapes = [b' '; 256];
    let mut control = 0;
    while control < 0x20 {
        escapes[control] = b'u';
        control += 1;
    }
    escapes[b'\n' as usize] = b'n';
    escapes[b'\r' as usize] = b'r';
    escapes[b'\t' as usize] = b't';
    escapes[b'"' as usize] = b'"';
    escapes[b'\\' as usize] = b'\\';
    escapes
};

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
