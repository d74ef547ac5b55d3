//! Decodes JSON strings, fast enough for scans over all texts of a file.
//!
//! The input was validated when it was captured. A property test compares this with serde_json.

use std::borrow::Cow;

use memchr::memchr;

/// Bytes of `\uXXXX`.
pub const ESCAPE_LENGTH: usize = 6;

/// Returns the inside of a captured string; `None` for other values.
pub fn inside(spelling: &str) -> Option<&str> {
    match spelling.as_bytes() {
        [b'"', .., b'"'] => spelling.get(1..spelling.len() - 1),
        _ => None,
    }
}

/// Decodes the inside of a string like [`unescape`].
pub fn unescaped(inside: &str) -> Option<(Cow<'_, str>, bool)> {
    if !inside.contains('\\') {
        return Some((Cow::Borrowed(inside), false));
    }
    let mut text = String::with_capacity(inside.len());
    let has_lone_surrogate = unescape(inside, &mut text)?;
    Some((Cow::Owned(text), has_lone_surrogate))
}

/// Appends the decoded inside of a string, with U+FFFD for each lone surrogate; returns true if it
/// has one. `None` at an invalid escape, after appending a part.
pub fn unescape(inside: &str, text: &mut String) -> Option<bool> {
    let (mut rest, mut has_lone_surrogate) = (inside, false);
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at_checked(at)?;
        text.push_str(before);
        let (character, length) = escaped(escape.as_bytes())?;
        has_lone_surrogate |= character.is_none();
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = escape.get(length..)?;
    }
    text.push_str(rest);
    Some(has_lone_surrogate)
}

/// Returns the character of an escape, or of the two of a surrogate pair, and its length in bytes; no
/// character for a lone surrogate.
pub fn escaped(escape: &[u8]) -> Option<(Option<char>, usize)> {
    let character = match escape.get(1)? {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => {
            let unit = code_unit(escape)?;
            if (0xD800..0xDC00).contains(&unit)
                && let Some(low) = escape.get(ESCAPE_LENGTH..).and_then(code_unit)
                && (0xDC00..0xE000).contains(&low)
            {
                let pair = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return Some((char::from_u32(pair), 2 * ESCAPE_LENGTH));
            }
            return Some((char::from_u32(unit), ESCAPE_LENGTH));
        }
        _ => return None,
    };
    Some((Some(character), 2))
}

/// Returns the UTF-16 code unit of a `\uXXXX` at the beginning.
pub fn code_unit(spelling: &[u8]) -> Option<u32> {
    spelling
        .strip_prefix(br"\u")?
        .get(..4)?
        .iter()
        .try_fold(0, |unit, digit| {
            char::from(*digit)
                .to_digit(16)
                .map(|digit| unit << 4 | digit)
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spellings() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            4 => "[a-z é€😀]{0,5}",
            4 => proptest::sample::select(vec![r#"\n"#, r#"\""#, r"\\", r"\/", r"\b", r"\f", r"\r", r"\t"]).prop_map(str::to_owned),
            2 => "\\\\u[0-9a-fA-F]{4}",
            2 => proptest::sample::select(vec![r"\ud83d", r"\ude00", r"\uD83D\uDE00", r"\u00e9", "u", "d83d"]).prop_map(str::to_owned),
        ];
        proptest::collection::vec(pieces, 0..12)
            .prop_map(|pieces| format!("\"{}\"", pieces.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn as_serde_json_has_it(spelling in spellings()) {
            let inside = inside(&spelling).expect("a string");
            let decoded = serde_json::from_str::<String>(&spelling);
            let mut text = "before ".to_owned();
            let has_lone_surrogate = unescape(inside, &mut text).expect("valid escapes");
            match &decoded {
                Ok(decoded) => prop_assert_eq!(text, format!("before {decoded}"), "{}", spelling),
                Err(_) => prop_assert!(has_lone_surrogate && text.contains('\u{fffd}'), "{}", spelling),
            }
            prop_assert_eq!(has_lone_surrogate, decoded.is_err(), "{}", spelling);
        }
    }

    #[test]
    fn wrong_escapes_are_no_panic() {
        for inside in [
            r"\",
            r"\q",
            r"\u",
            r"\u12",
            r"\u+123",
            r"\ud83d\u",
            r"\é",
            r"\ué999",
        ] {
            assert_eq!(unescape(inside, &mut String::new()), None, "{inside}");
        }
    }
}
