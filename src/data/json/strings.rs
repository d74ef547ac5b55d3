//! Scans JSON strings: finds the end, validates, and counts characters.
//!
//! Strings are most of a line, so this makes one pass over blocks of bytes with bit masks, as
//! simdjson does (Langdale and Lemire 2019), and handles single bytes only at escapes other than
//! `\n`, `\"` and `\\`.

#![allow(unsafe_code)] // Bytes that were checked become text: each block says where.

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::byte_block::{BLOCK, BlockVisitor, ByteBlock, RareBytes, with_blocks};
use super::escapes::{code_unit, escaped};

/// A JSON string, not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringScan<'b> {
    /// Bytes of the string with its quotes.
    pub length: usize,
    /// The string with its quotes; `None` if it is not UTF-8.
    pub spelling: Option<&'b str>,
    /// Number of decoded characters; a lone surrogate counts as one.
    pub characters: usize,
    /// Number of decoded line feeds.
    pub line_feeds: usize,
    /// True if it has a lone surrogate.
    pub has_lone_surrogate: bool,
    /// True if it has a `\uXXXX` escape.
    pub has_unicode_escape: bool,
}

/// Scans the JSON string at the start of some bytes. `None` if there is none, it is not closed, or
/// it contains a control character or an invalid escape.
pub fn scan(bytes: &[u8]) -> Option<StringScan<'_>> {
    let inside = bytes.strip_prefix(b"\"")?;
    let mut progress = StringProgress::default();
    let mut unusual = UnusualEscapes::default();
    loop {
        // Unusual escapes are handled outside of the loop over blocks: a call inside it would spill
        // its registers in every block.
        let stop = with_blocks(Blocks {
            bytes: inside,
            progress: &mut progress,
        })?;
        let at = progress.at - BLOCK;
        unusual.take_all(inside, at, stop.unusual)?;
        if stop.quotes != 0 {
            let length = at + stop.quotes.trailing_zeros() as usize;
            let Range { start, end } = progress.beyond_ascii;
            let spelling = bytes.get(..length + 2)?;
            let is_text = start >= end || text(inside.get(start..end.min(length))?).is_some();
            // SAFETY: two quotes, and between them only bytes that `Blocks` scanned. All blocks
            // with a non-ASCII byte are in the range that was just validated. The range begins and
            // ends at blocks or with the string, so its neighbours are ASCII and no character is
            // cut.
            let spelled = || unsafe { str::from_utf8_unchecked(spelling) };
            return Some(StringScan {
                length: spelling.len(),
                spelling: is_text.then(spelled),
                characters: length - progress.surplus - unusual.surplus,
                line_feeds: progress.line_feeds + unusual.line_feeds,
                has_lone_surrogate: unusual.lone_surrogates > 0,
                has_unicode_escape: unusual.surplus > 0,
            });
        }
    }
}

/// Returns bytes as text if they are UTF-8.
pub fn text(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Returns the single digit at the start of some bytes as text; `None` for longer numbers.
#[inline]
pub fn digit(bytes: &[u8]) -> Option<&str> {
    match bytes {
        // SAFETY: a digit is ASCII.
        [b'0'..=b'9', b',' | b'}', ..] => Some(unsafe { str::from_utf8_unchecked(&bytes[..1]) }),
        _ => None,
    }
}

/// Returns the length of the list of whole numbers at the start of some bytes, such as token ids:
/// `[1, 20,300]`, with a comma and at most one space between numbers. `None` for lists with signs,
/// fractions or other white space.
pub fn number_list(bytes: &[u8]) -> Option<usize> {
    let inner = bytes.strip_prefix(b"[")?;
    if !inner.first()?.is_ascii_digit() {
        return None;
    }
    Some(with_blocks(NumberList(inner))? + 2)
}

/// The possible inside of a list of whole numbers, and the bytes after it.
struct NumberList<'b>(&'b [u8]);

impl BlockVisitor for NumberList<'_> {
    type Output = Option<usize>;

    /// Returns the length of the inside if it is a list of whole numbers. Examines the bytes
    /// itself, so that it is compiled with the visitor's instruction set.
    #[inline(always)]
    fn visit(
        self,
        _look: impl Fn(&[u8; BLOCK]) -> ByteBlock,
        _rare: impl Fn(&[u8; BLOCK]) -> RareBytes,
    ) -> Option<usize> {
        let inner = self.0;
        // Each byte of a block with its neighbours.
        let mut at = 0;
        while let Some(block) = inner[at..].first_chunk::<{ BLOCK + 2 }>()
            && is_in_order(block)
        {
            at += BLOCK;
        }
        // Does not search beyond the line.
        let length = at + memchr2(b']', b'\n', &inner[at..])?;
        let is_ended = inner[length] == b']';
        (is_ended && is_in_order(&inner[at..length]) && is_whole_list(&inner[..length]))
            .then_some(length)
    }
}

/// True if each byte except the first and the last may follow its predecessor in a list of whole
/// numbers, and no number has a leading zero.
#[inline(always)]
fn is_in_order(bytes: &[u8]) -> bool {
    let (Some(second), Some(third)) = (bytes.get(1..), bytes.get(2..)) else {
        return true;
    };
    let follows = |before: u8, byte: u8| {
        byte.is_ascii_digit()
            | ((byte == b',') & before.is_ascii_digit())
            | ((byte == b' ') & (before == b','))
    };
    let leading_zero = |before: u8, byte: u8, next: u8| {
        !before.is_ascii_digit() & (byte == b'0') & next.is_ascii_digit()
    };
    // No early exit, so that the compiler can vectorise the loop.
    bytes
        .iter()
        .zip(second)
        .zip(third)
        .fold(true, |good, ((&before, &byte), &next)| {
            good & follows(before, byte) & !leading_zero(before, byte, next)
        })
}

/// True if the inside of a list begins and ends like a list of whole numbers.
fn is_whole_list(inner: &[u8]) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let has_leading_zero = inner.starts_with(b"0") && is_digit(inner.get(1));
    is_digit(inner.first()) && is_digit(inner.last()) && !has_leading_zero
}

/// Scan position in a string, with the counts so far.
#[derive(Debug, Default)]
struct StringProgress {
    at: usize,
    /// Bytes beyond one for each character; for an unusual escape, only its backslash.
    surplus: usize,
    /// Line feeds written as `\n`.
    line_feeds: usize,
    /// 1 if the next byte is escaped by the backslash before it.
    is_escaped: u64,
    /// Byte range of the blocks from the first to the last with a non-ASCII byte.
    beyond_ascii: Range<usize>,
}

/// The block at which the loop stopped.
struct BlockStop {
    /// Bits of the letters of escapes other than `\n`, `\"` and `\\`.
    unusual: u64,
    /// Bits of the quotes; the first ends the string.
    quotes: u64,
}

/// The rest of a line from inside a string, and the scan position.
struct Blocks<'b, 'p> {
    bytes: &'b [u8],
    progress: &'p mut StringProgress,
}

impl BlockVisitor for Blocks<'_, '_> {
    type Output = Option<BlockStop>;

    /// Advances to the next block with the end of the string or an unusual escape.
    #[inline(always)]
    fn visit(
        self,
        look: impl Fn(&[u8; BLOCK]) -> ByteBlock,
        rare: impl Fn(&[u8; BLOCK]) -> RareBytes,
    ) -> Option<BlockStop> {
        let Self { bytes, progress } = self;
        let StringProgress {
            mut at,
            mut surplus,
            mut line_feeds,
            mut is_escaped,
            ref mut beyond_ascii,
        } = *progress;
        while at < bytes.len() {
            // Pads the last block with spaces, which do not count and end nothing.
            let mut last = [b' '; BLOCK];
            let bytes_of_block = bytes[at..].first_chunk().unwrap_or_else(|| {
                let rest = &bytes[at..];
                last[..rest.len()].copy_from_slice(rest);
                &last
            });
            let block = look(bytes_of_block);
            let escaped;
            (escaped, is_escaped) = escaped_bytes(block.backslashes, is_escaped);
            let quotes = block.quotes & !escaped;
            // All bits below the first quote's; all bits if there is no quote.
            let inside = quotes.wrapping_sub(1) & !quotes;
            if block.has_rare {
                let rare = rare(bytes_of_block);
                if rare.controls & inside != 0 {
                    return None;
                }
                surplus += (rare.continuations & inside).count_ones() as usize;
                if rare.beyond_ascii & inside != 0 {
                    if beyond_ascii.end == 0 {
                        beyond_ascii.start = at;
                    }
                    beyond_ascii.end = at + BLOCK;
                }
            }
            // Branch-free, since escapes in 64 bytes of text are unpredictable.
            let escaped = escaped & inside;
            surplus += escaped.count_ones() as usize;
            line_feeds += (escaped & block.ns).count_ones() as usize;
            let unusual = escaped & !(block.ns | block.quotes | block.backslashes);
            if quotes | unusual != 0 {
                progress.at = at + BLOCK;
                progress.surplus = surplus;
                progress.line_feeds = line_feeds;
                progress.is_escaped = is_escaped;
                return Some(BlockStop { unusual, quotes });
            }
            at += BLOCK;
        }
        None
    }
}

/// Returns the bytes that are escaped by the backslash before them, and 1 if the first byte of the
/// next block is. `is_escaped` is 1 if the first byte of this block is.
#[inline(always)]
fn escaped_bytes(backslashes: u64, is_escaped: u64) -> (u64, u64) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let starts = backslashes & !is_escaped;
    // Subtracting flips every second bit of a run of backslashes and the bit after it, whether the
    // run starts at an even or an odd bit.
    let turned = ((starts << 1 | ODD).wrapping_sub(starts)) ^ ODD;
    let escaped = turned ^ (backslashes | is_escaped);
    (escaped, (turned & backslashes) >> 63)
}

/// Escapes that are longer than two bytes or rare.
#[derive(Default)]
struct UnusualEscapes {
    /// Bytes beyond one for each character, not counting backslashes.
    surplus: usize,
    line_feeds: usize,
    lone_surrogates: usize,
    /// End of the last escape of a high surrogate.
    high_end: usize,
}

impl UnusualEscapes {
    /// Handles the escapes whose letters have a bit set, from `at`. `None` if one is invalid.
    #[inline(always)]
    fn take_all(&mut self, bytes: &[u8], at: usize, mut letters: u64) -> Option<()> {
        while letters != 0 {
            self.take(bytes, at + letters.trailing_zeros() as usize)?;
            letters &= letters - 1;
        }
        Some(())
    }

    /// Handles the escape whose letter is at this index.
    #[inline(never)]
    fn take(&mut self, bytes: &[u8], letter: usize) -> Option<()> {
        match bytes.get(letter)? {
            b'/' | b'b' | b'f' | b'r' | b't' => return Some(()),
            b'u' => {}
            _ => return None,
        }
        // The `u` and four digits are one character.
        self.surplus += 4;
        let start = letter - 1;
        match code_unit(&bytes[start..])? {
            0x0A => self.line_feeds += 1,
            0xD800..0xDC00 => {
                self.lone_surrogates += 1;
                self.high_end = start + 6;
            }
            0xDC00..0xE000 if self.high_end == start && start > 0 => {
                // A surrogate pair is one character.
                self.surplus += 1;
                self.lone_surrogates -= 1;
                self.high_end = 0;
            }
            0xDC00..0xE000 => self.lone_surrogates += 1,
            _ => {}
        }
        Some(())
    }
}

/// True if the inside of a JSON string, decoded, ends in a line feed.
pub fn ends_in_line_feed(inside: &str) -> bool {
    // Nearly all texts use the first form.
    let escapes = [r"\n", r"\u000a", r"\u000A"];
    (escapes.iter()).any(|escape| without_escape(inside, escape).is_some())
}

/// Returns the inside of a JSON string without this escape at the end; `None` if it does not end in
/// it.
pub fn without_escape<'i>(inside: &'i str, escape: &str) -> Option<&'i str> {
    let before = inside.strip_suffix(escape)?;
    is_even_run_of_backslashes(before.as_bytes()).then_some(before)
}

/// True if any string of some JSON has a lone surrogate.
pub fn has_lone_surrogate(json: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = memmem::find(&json[at..], br"\u") {
        at += found;
        at += match escaped(&json[at..]) {
            _ if !is_even_run_of_backslashes(&json[..at]) => 2,
            Some((None, _)) => return true,
            Some((_, length)) => length,
            None => 2,
        };
    }
    false
}

/// True if the bytes end in an even number of backslashes, so that the next byte is not escaped.
fn is_even_run_of_backslashes(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count()
        % 2
        == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::super::escapes::unescaped;
    use super::*;

    fn insides() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop_oneof![
            4 => "[a-z é€😀]{0,40}",
            4 => proptest::sample::select(vec![r"\n", r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\r", r"\t"]).prop_map(str::to_owned),
            2 => "\\\\u[0-9a-fA-F]{4}",
            2 => proptest::sample::select(vec![r"\ud83d", r"\ude00", r"\uD83D\uDE00", r"\u00e9", r"\u000a", "u", "\u{7f}"]).prop_map(str::to_owned),
        ];
        proptest::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

        #[test]
        fn as_serde_json_has_it(
            inside in insides(),
            change in proptest::option::weighted(0.3, (any::<proptest::sample::Index>(), proptest::sample::select(b"\\\n\x1fq\" ".to_vec()))),
        ) {
            let mut inside = inside;
            if let (Some((place, byte)), false) = (change, inside.is_empty()) {
                let place = place.index(inside.len());
                inside[place] = byte;
            }
            if let Ok(spelling) = String::from_utf8([b"\"", &inside[..], b"\""].concat()) {
                let is_json = serde_json::from_str::<IgnoredAny>(&spelling).is_ok();
                let line = [spelling.as_bytes(), b", \"more\": \"\\u12\"}"].concat();
                let scanned = scan(&line).filter(|scan| scan.spelling == Some(&*spelling));
                let text = is_json.then(|| unescaped(&spelling[1..spelling.len() - 1]).expect("decoded").0);
                let decoded = text.as_ref().map(|text| text.chars().count());
                if let (Some(text), Some(scan)) = (&text, scanned) {
                    prop_assert_eq!(scan.line_feeds, text.matches('\n').count());
                    let inside = &spelling[1..spelling.len() - 1];
                    prop_assert_eq!(ends_in_line_feed(inside), text.ends_with('\n'));
                }
                if let (true, Some(scan)) = (is_json, scanned) {
                    let json = spelling.as_bytes();
                    prop_assert_eq!(scan.has_lone_surrogate, has_lone_surrogate(json), "{}", spelling);
                    let has_unicode_escape = spelling.replace(r"\\", "").contains(r"\u");
                    prop_assert_eq!(scan.has_unicode_escape, has_unicode_escape, "{}", spelling);
                }
                // Otherwise, the scan stops at an earlier quote.
                if is_json || !inside.contains(&b'"') {
                    let characters = scanned.map(|scan| scan.characters);
                    prop_assert_eq!(characters, decoded, "{}", spelling);
                }
            }
        }
    }

    #[test]
    fn number_lists() {
        for (inner, is_one) in [
            ("0", true),
            ("7", true),
            ("10", true),
            ("1,0", true),
            ("1, 0", true),
            ("1, 20,300", true),
            ("", false),
            ("00", false),
            ("01", false),
            ("1,", false),
            (",1", false),
            ("1 0", false),
            ("1,00", false),
            ("1, 01", false),
            ("01, 1", false),
            ("1,  2", false),
            ("1,,2", false),
            ("1 ,2", false),
            ("1, 2 ", false),
            ("-1", false),
            ("1.5", false),
            ("1\n2", false),
            ("1é", false),
        ] {
            let list = format!("[{inner}]");
            let found = |list: &str| number_list(format!("{list}, [é]").as_bytes());
            assert_eq!(found(&list), is_one.then_some(list.len()), "{list}");
            assert_eq!(number_list(format!("[{inner}").as_bytes()), None);
            // At every position of a block, before and after numbers.
            for length in 0..=BLOCK {
                let (before, after) = ("7".repeat(length + 1), ", 34".repeat(BLOCK / 2));
                for list in [
                    format!("[{before}, {inner}]"),
                    format!("[{before}, {inner}{after}]"),
                ] {
                    assert_eq!(found(&list), is_one.then_some(list.len()), "{list}");
                }
            }
        }
    }

    /// Non-ASCII bytes, valid and invalid, around the borders of blocks.
    fn mixed_bytes() -> impl Strategy<Value = Vec<u8>> {
        let valid = [
            "é",
            "€",
            "😀",
            "\u{80}",
            "\u{7ff}",
            "\u{800}",
            "\u{d7ff}",
            "\u{e000}",
            "\u{10ffff}",
        ];
        let invalid: [&[u8]; 12] = [
            b"\x80",
            b"\xc3",
            b"\xc1\xbf",
            b"\xe2\x82",
            b"\xe0\x9f\xbf",
            b"\xed\xa0\x80",
            b"\xf0\x9f\x98",
            b"\xf0\x8f\xbf\xbf",
            b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80",
            b"\xff",
            b"\x82\xac",
        ];
        let piece = prop_oneof![
            6 => (0..=BLOCK).prop_map(|length| vec![b'x'; length]),
            6 => proptest::sample::select(valid.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
            1 => proptest::sample::select(invalid.to_vec()).prop_map(<[u8]>::to_vec),
            1 => (0x80..=0xFF_u8).prop_map(|byte| vec![byte]),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

        /// As strict as the standard library; bytes after the string do not count.
        #[test]
        fn only_utf8_is_text(inside in mixed_bytes(), next in mixed_bytes()) {
            let spelling = [b"\"", &inside[..], b"\""].concat();
            let line = [&spelling[..], &next[..]].concat();
            let scanned = scan(&line).and_then(|scan| Some((scan.spelling?, scan.characters)));
            let text = std::str::from_utf8(&spelling).ok();
            prop_assert_eq!(scanned, text.map(|text| (text, text.chars().count() - 2)));
        }
    }

    /// Every sequence of up to four bytes that is a character or nearly one, at every position
    /// around the border of two blocks.
    #[test]
    fn characters_at_the_borders_of_blocks() {
        let edges = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf];
        let firsts = [
            0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5,
        ];
        for (first, second) in firsts
            .into_iter()
            .flat_map(|first| edges.map(|second| (first, second)))
        {
            for (third, fourth) in edges
                .into_iter()
                .flat_map(|third| edges.map(|fourth| (third, fourth)))
            {
                for (length, before) in
                    (1..=4).flat_map(|length| (BLOCK - 4..=BLOCK).map(move |at| (length, at)))
                {
                    let sequence = &[first, second, third, fourth][..length];
                    for after in [&b""[..], b"xyz"] {
                        let line =
                            [b"\"", &vec![b'x'; before][..], sequence, after, b"\"}"].concat();
                        let text = std::str::from_utf8(&line[..line.len() - 1]).ok();
                        assert_eq!(
                            scan(&line).and_then(|scan| scan.spelling),
                            text,
                            "{sequence:x?} at {before}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn halves_of_surrogate_pairs() {
        for (line, has) in [
            (r#"{"a": "plain \n \u00e9 \ud55c"}"#, false),
            (r#"{"a": "\ud83d\ude00\uD83D\uDE00"}"#, false),
            (r#"{"a": "\ud83d"}"#, true),
            (r#"{"a": "\ude00\ud83d"}"#, true),
            (r#"{"a": "\ud83d\ud83d\ude00"}"#, true),
            (r#"{"a": "\ud83d\u0041"}"#, true),
            // An escaped backslash, and letters.
            (r#"{"a": "\\ud83d"}"#, false),
            (r#"{"a": "\\ud83d\ude00"}"#, true),
            (r#"{"a": "\\\ud83d\ude00"}"#, false),
            (r#"{"a": "\\\ud83d"}"#, true),
            (r#"{"a": "\u"#, false),
        ] {
            assert_eq!(has_lone_surrogate(line.as_bytes()), has, "{line}");
        }
    }
}
