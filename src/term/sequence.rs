//! Splits a terminal's bytes into characters, control keys and escape sequences, without
//! interpreting them.
//!
//! Terminals also send replies that were not requested here and truncated reports. These must not
//! delay the keys after them, so a sequence that cannot continue as it began ends there, and the
//! rest is parsed separately.

const ESC: u8 = 0x1b;

/// The first token in some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'b> {
    /// A character, possibly a control character.
    Character(char),
    /// A character after an escape: typed with Alt.
    Alt(char),
    /// A single escape.
    Escape,
    /// The last byte of ESC O and a byte: a key of a keypad, or F1 to F4.
    Single(u8),
    /// The bytes between ESC [ and the last byte, and that byte.
    Control(&'b [u8], u8),
    /// F1 to F5 of the Linux console, A to E.
    Console(u8),
    /// An operating system command (OSC), without its introducer and terminator.
    System(&'b [u8]),
    /// Another control string, an old mouse report, invalid UTF-8, or a truncated sequence: nothing
    /// to act on.
    Nothing,
}

/// Returns the first token and its length, at least one byte; `None` if more bytes are needed.
pub(super) fn first(bytes: &[u8]) -> Option<(Token<'_>, usize)> {
    match bytes {
        [] => None,
        [ESC, rest @ ..] => escape(rest).map(|(token, length)| (token, 1 + length)),
        _ => character(bytes).map(|(character, length)| {
            (character.map_or(Token::Nothing, Token::Character), length)
        }),
    }
}

/// Parses the bytes after an escape; the length excludes the escape.
fn escape(rest: &[u8]) -> Option<(Token<'_>, usize)> {
    match rest {
        [] => None,
        [ESC, ..] => Some((Token::Escape, 0)),
        [b'[', rest @ ..] => control(rest).map(|(token, length)| (token, 1 + length)),
        [b'O', rest @ ..] => match rest {
            [] => None,
            [last @ 0x20..=0x7e, ..] => Some((Token::Single(*last), 2)),
            // Not part of it: the byte is parsed separately.
            _ => Some((Token::Nothing, 1)),
        },
        // Control strings: of the device (P), the operating system (]), private ones (^ _ X).
        [kind @ (b'P' | b']' | b'^' | b'_' | b'X'), rest @ ..] => {
            let (text, length) = string(rest)?;
            let token = match (kind, text) {
                (b']', Some(text)) => Token::System(text),
                _ => Token::Nothing,
            };
            Some((token, 1 + length))
        }
        _ => character(rest)
            .map(|(character, length)| (character.map_or(Token::Nothing, Token::Alt), length)),
    }
}

/// Parses what follows ESC [.
fn control(rest: &[u8]) -> Option<(Token<'_>, usize)> {
    match rest {
        // An old mouse report: three arbitrary bytes.
        [b'M', _, _, _, ..] => return Some((Token::Nothing, 4)),
        [b'M', ..] => return None,
        [b'[', key @ 0x20..=0x7e, ..] => return Some((Token::Console(*key), 2)),
        [b'['] => return None,
        _ => {}
    }
    let between = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
    Some(match rest[between] {
        last @ 0x40..=0x7e => (Token::Control(&rest[..between], last), between + 1),
        // Truncated by a control key, an escape or text, which is parsed separately.
        _ => (Token::Nothing, between),
    })
}

/// Returns the control string at the start, `None` if it was truncated, and its length with its
/// terminator (BEL or ESC \).
fn string(rest: &[u8]) -> Option<(Option<&[u8]>, usize)> {
    let end = rest.iter().position(|byte| *byte < 0x20 || *byte == 0x7f)?;
    match rest[end..] {
        [0x07, ..] => Some((Some(&rest[..end]), end + 1)),
        [ESC, b'\\', ..] => Some((Some(&rest[..end]), end + 2)),
        [ESC] => None,
        // Truncated by something that is parsed separately.
        _ => Some((None, end)),
    }
}

/// Returns the first character of non-empty bytes (`None` inside if they are not UTF-8), or `None`
/// if it is incomplete.
fn character(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    let head = &bytes[..bytes.len().min(4)];
    let (valid, bad) = match std::str::from_utf8(head) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default();
            (valid, Some(error.error_len()))
        }
    };
    match (valid.chars().next(), bad) {
        (Some(character), _) => Some((Some(character), character.len_utf8())),
        (None, Some(Some(length))) => Some((None, length)),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'b> = (&'b [u8], Option<(Token<'b>, usize)>);

    #[test]
    fn the_first_token_is_split_from_the_rest() {
        let more: Option<(Token<'_>, usize)> = None;
        let nothing = |length| Some((Token::Nothing, length));
        let cases: &[Case<'_>] = &[
            (b"", more),
            (b"q\x1b", Some((Token::Character('q'), 1))),
            ("éq".as_bytes(), Some((Token::Character('é'), 2))),
            (b"\xe6\xbc", more),
            ("漢".as_bytes(), Some((Token::Character('漢'), 3))),
            (b"\xffq", nothing(1)),
            (b"\xe6q", nothing(1)),
            (b"\x1b", more),
            (b"\x1b\x1b", Some((Token::Escape, 1))),
            (b"\x1bx", Some((Token::Alt('x'), 2))),
            (b"\x1b\x7f", Some((Token::Alt('\x7f'), 2))),
            (b"\x1b\xff", nothing(2)),
            (b"\x1b[", more),
            (b"\x1b[1;2", more),
            (b"\x1b[1;2Aq", Some((Token::Control(b"1;2", b'A'), 6))),
            (
                b"\x1b[?2026;2$yq",
                Some((Token::Control(b"?2026;2$", b'y'), 11)),
            ),
            // Truncated by a control key, an escape, text.
            (b"\x1b[1;\x03", nothing(4)),
            (b"\x1b[<0;10\x1b[A", nothing(7)),
            ("\x1b[1é".as_bytes(), nothing(3)),
            (b"\x1b[M\x20\x21", more),
            (b"\x1b[M\x20\x03\xffq", nothing(6)),
            (b"\x1b[[", more),
            (b"\x1b[[A", Some((Token::Console(b'A'), 4))),
            (b"\x1bO", more),
            (b"\x1bOP", Some((Token::Single(b'P'), 3))),
            (b"\x1bO\x03", nothing(2)),
            (b"\x1b]11;rgb:1c1c/1c", more),
            (b"\x1b]11;rgb:0/0/0\x1b", more),
            (
                b"\x1b]11;rgb:0/0/0\x1b\\q",
                Some((Token::System(b"11;rgb:0/0/0"), 16)),
            ),
            (
                b"\x1b]11;rgb:0/0/0\x07q",
                Some((Token::System(b"11;rgb:0/0/0"), 15)),
            ),
            (b"\x1b]11;\x03", nothing(5)),
            (b"\x1b]11;\x1b[A", nothing(5)),
            (b"\x1bP>|term 1\x1b\\q", nothing(12)),
            (b"\x1b_Gi=1;OK\x1b\\", nothing(11)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(
                first(bytes),
                *expected,
                "{:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}
