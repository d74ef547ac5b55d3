//! What stands between two quotes: whether it may stand there, and how many characters it means.
//!
//! Strings are most of a line, so this looks at blocks of bytes without a branch inside, which the
//! compiler turns into vector instructions, and walks only around escapes other than `\n` and `\"`.

use memchr::memmem;

/// Bytes looked at together.
const BLOCK: usize = 64;
/// Strings of no more bytes are looked at byte by byte first.
const SHORT: usize = 20;

/// What the inside of a JSON string means, without its being decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StringScan {
    /// How many characters; half a surrogate pair is one.
    pub(super) characters: usize,
    /// How many of them are line feeds.
    pub(super) line_feeds: usize,
    /// Whether half a surrogate pair is among them.
    pub(super) has_lone_surrogate: bool,
}

/// Goes over the inside of a JSON string of valid UTF-8. `None` where a control character stands
/// in it, or an escape that there is not.
pub(super) fn scan(inside: &[u8]) -> Option<StringScan> {
    // Keys, mostly: blocks are for what is longer.
    if inside.len() <= SHORT
        && inside
            .iter()
            .all(|&byte| matches!(byte, b' '..=b'~') && byte != b'\\')
    {
        return Some(StringScan {
            characters: inside.len(),
            line_feeds: 0,
            has_lone_surrogate: false,
        });
    }
    let (mut at, mut characters) = (0, 0);
    let (mut line_feeds, mut has_lone_surrogate) = (0, false);
    while at < inside.len() {
        let (looked, length) = match inside[at..].first_chunk() {
            Some(block) => (look(block), BLOCK),
            None => {
                let rest = &inside[at..];
                let mut block = [b' '; BLOCK + 1];
                block[..rest.len()].copy_from_slice(rest);
                (look(&block), rest.len())
            }
        };
        if looked.control {
            return None;
        }
        if !looked.odd {
            characters += length - usize::from(looked.surplus);
            line_feeds += usize::from(looked.line_feeds);
            at += length;
            continue;
        }
        let before = inside[at..].iter().position(|&byte| byte == b'\\')?;
        characters += before - continuations(&inside[at..at + before]);
        at += before;
        while inside.get(at) == Some(&b'\\') {
            let length = escape_length(&inside[at..])?;
            has_lone_surrogate |= length == 6 && is_surrogate(&inside[at..]);
            line_feeds += usize::from(is_line_feed(&inside[at..]));
            at += length;
            characters += 1;
        }
    }
    Some(StringScan {
        characters,
        line_feeds,
        has_lone_surrogate,
    })
}

/// What there is in a block, but for its last byte, which is only there to be behind the others.
struct EscapeScan {
    /// How many more bytes than characters, where no escape is odd.
    surplus: u8,
    /// How many escapes are line feeds, where no escape is odd.
    line_feeds: u8,
    /// A control character.
    control: bool,
    /// A backslash with something else behind it than `n` or a quote.
    odd: bool,
}

fn look(block: &[u8; BLOCK + 1]) -> EscapeScan {
    let (mut surplus, mut line_feeds, mut control, mut odd) = (0, 0, 0, 0);
    for at in 0..BLOCK {
        let (byte, behind) = (block[at], block[at + 1]);
        let escape = u8::from(byte == b'\\');
        surplus += escape + u8::from(is_continuation(byte));
        control |= u8::from(byte < 0x20);
        line_feeds += escape & u8::from(behind == b'n');
        odd |= escape & u8::from(behind != b'n') & u8::from(behind != b'"');
    }
    EscapeScan {
        surplus,
        line_feeds,
        control: control != 0,
        odd: odd != 0,
    }
}

/// Whether a byte is one of a character, and not its first.
fn is_continuation(byte: u8) -> bool {
    (byte as i8) < -0x40
}

fn continuations(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| is_continuation(byte)).count()
}

/// Bytes of the escape, or of the two that are the halves of a surrogate pair, at the beginning.
fn escape_length(escape: &[u8]) -> Option<usize> {
    match escape.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let high = code_unit(escape)?;
            let low = escape.get(6..).and_then(code_unit);
            let pair = matches!((high, low), (0xD800..0xDC00, Some(0xDC00..0xE000)));
            Some(if pair { 12 } else { 6 })
        }
        _ => None,
    }
}

/// The UTF-16 code unit of a `\uXXXX` at the beginning of `escape`.
pub(super) fn code_unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    })
}

/// Whether the escape at the beginning is a line feed.
fn is_line_feed(escape: &[u8]) -> bool {
    escape.get(1) == Some(&b'n') || code_unit(escape) == Some(0x0A)
}

/// Whether what the inside of a JSON string means ends in a line feed.
pub(super) fn ends_in_line_feed(inside: &[u8]) -> bool {
    [2, 6].iter().any(|length| {
        let Some(at) = inside.len().checked_sub(*length) else {
            return false;
        };
        let before = inside[..at].iter().rev();
        let is_escaped = before.take_while(|byte| **byte == b'\\').count() % 2 == 1;
        let is_whole = escape_length(&inside[at..]) == Some(*length);
        inside[at] == b'\\' && !is_escaped && is_whole && is_line_feed(&inside[at..])
    })
}

/// Whether the code unit of a `\uXXXX` at the beginning of `escape` is half a surrogate pair.
fn is_surrogate(escape: &[u8]) -> bool {
    code_unit(escape).is_some_and(|unit| (0xD800..0xE000).contains(&unit))
}

/// Whether half a surrogate pair stands in any string of some JSON.
pub(super) fn has_lone_surrogate(json: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = memmem::find(&json[at..], br"\u") {
        at += found;
        let before = json[..at].iter().rev();
        let is_escaped = before.take_while(|byte| **byte == b'\\').count() % 2 == 1;
        let length = match is_escaped {
            true => 2,
            false => escape_length(&json[at..]).unwrap_or(2),
        };
        if length == 6 && is_surrogate(&json[at..]) {
            return true;
        }
        at += length;
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::super::decode;
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
                let text = is_json.then(|| decode::string(&spelling).expect("decoded").0);
                let decoded = text.as_ref().map(|text| text.chars().count());
                if let (Some(text), Some(scan)) = (&text, scan(&inside)) {
                    prop_assert_eq!(scan.line_feeds, text.matches('\n').count());
                    prop_assert_eq!(ends_in_line_feed(&inside), text.ends_with('\n'));
                }
                // Whoever looks for the end of a string finds another quote first.
                if is_json || !inside.contains(&b'"') {
                    let characters = scan(&inside).map(|scan| scan.characters);
                    prop_assert_eq!(characters, decoded, "{}", spelling);
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
            // A backslash, and letters.
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
