//! JSON strings → text, quickly, for whoever goes over all texts of a file.
//!
//! What comes in was checked by whoever captured it. A property test holds this against serde_json.

use memchr::memchr;

use super::strings::code_unit;

/// The inside of a captured string; `None` for any other value.
pub(super) fn inside(spelling: &str) -> Option<&str> {
    match spelling.as_bytes() {
        [b'"', .., b'"'] => spelling.get(1..spelling.len() - 1),
        _ => None,
    }
}

/// Appends the text that the inside of a string means. `None` at half a surrogate pair or a wrong
/// escape; then something of it has been appended, and [`super::decode::string`] knows more.
pub(super) fn unescape(inside: &str, text: &mut String) -> Option<()> {
    let mut rest = inside;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (before, escape) = rest.split_at_checked(at)?;
        text.push_str(before);
        let (character, length) = escaped(escape.as_bytes())?;
        text.push(character);
        rest = escape.get(length..)?;
    }
    text.push_str(rest);
    Some(())
}

/// The character that an escape means, and how many bytes it takes.
fn escaped(escape: &[u8]) -> Option<(char, usize)> {
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
            return match pair(escape) {
                Some(character) => Some((character, 12)),
                None => Some((char::from_u32(code_unit(escape)?)?, 6)),
            };
        }
        _ => return None,
    };
    Some((character, 2))
}

/// The character of two escapes that are the halves of a surrogate pair.
fn pair(escape: &[u8]) -> Option<char> {
    let high = code_unit(escape).filter(|unit| (0xD800..0xDC00).contains(unit))?;
    let low = code_unit(escape.get(6..)?).filter(|unit| (0xDC00..0xE000).contains(unit))?;
    char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::decode;
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
            let (decoded, warning) = decode::string(&spelling).expect("decoded");
            let mut text = "before ".to_owned();
            match unescape(inside, &mut text) {
                Some(()) => prop_assert_eq!(text, format!("before {decoded}"), "{}", spelling),
                None => prop_assert!(warning.is_some(), "{}", spelling),
            }
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
