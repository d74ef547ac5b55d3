//! Where what a terminal sends begins and ends: characters, control keys and escape sequences, told
//! apart and no more.
//!
//! Terminals send more than keys: replies that nobody here asked for, reports that were cut on the
//! way. None of it may keep the keys behind it waiting, so a sequence that cannot go on as it began
//! ends there, and what follows counts again.

const ESC: u8 = 0x1b;

/// The first thing in some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'b> {
    /// A character, control characters included.
    Character(char),
    /// A character behind an escape: typed with Alt.
    Alt(char),
    /// An escape that nothing belongs to.
    Escape,
    /// The last byte of ESC O and a byte: a key of a keypad, or F1 to F4.
    Single(u8),
    /// What stands between ESC [ and the last byte, and that byte.
    Control(&'b [u8], u8),
    /// F1 to F5 of the Linux console, A to E.
    Console(u8),
    /// What the terminal told us in a control string, with its end.
    String(&'b [u8]),
    /// A mouse report of the old kind, bytes that are no UTF-8, or a sequence that broke off: nothing to
    /// act on.
    Nothing,
}

/// What the bytes begin with and how many of them it takes, at least one; `None` where more bytes
/// are needed to know.
pub(super) fn first(bytes: &[u8]) -> Option<(Token<'_>, usize)> {
    match bytes {
        [] => None,
        [ESC, rest @ ..] => escape(rest).map(|(token, length)| (token, 1 + length)),
        _ => character(bytes).map(|(character, length)| {
            (character.map_or(Token::Nothing, Token::Character), length)
        }),
    }
}

/// What an escape and the bytes behind it are; the length is without the escape.
fn escape(rest: &[u8]) -> Option<(Token<'_>, usize)> {
    match rest {
        [] => None,
        [ESC, ..] => Some((Token::Escape, 0)),
        [b'[', rest @ ..] => control(rest).map(|(token, length)| (token, 1 + length)),
        [b'O', rest @ ..] => match rest {
            [] => None,
            [last @ 0x20..=0x7e, ..] => Some((Token::Single(*last), 2)),
            // Not the rest of it: the byte counts for itself.
            _ => Some((Token::Nothing, 1)),
        },
        // Control strings: a device's (P), the operating system's (]), private ones (^ _ X).
        [b'P' | b']' | b'^' | b'_' | b'X', rest @ ..] => {
            string(rest).map(|length| (Token::String(&rest[..length]), 1 + length))
        }
        _ => character(rest)
            .map(|(character, length)| (character.map_or(Token::Nothing, Token::Alt), length)),
    }
}

/// What follows ESC [.
fn control(rest: &[u8]) -> Option<(Token<'_>, usize)> {
    match rest {
        // The mouse in its old way: three bytes of any kind.
        [b'M', _, _, _, ..] => return Some((Token::Nothing, 4)),
        [b'M', ..] => return None,
        [b'[', key @ 0x20..=0x7e, ..] => return Some((Token::Console(*key), 2)),
        [b'['] => return None,
        _ => {}
    }
    let between = rest.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
    Some(match rest[between] {
        last @ 0x40..=0x7e => (Token::Control(&rest[..between], last), between + 1),
        // A control key, an escape or text cut it short, and counts for itself.
        _ => (Token::Nothing, between),
    })
}

/// How long the control string is that the bytes begin with, its end (BEL or ESC \) included.
fn string(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().position(|byte| *byte < 0x20 || *byte == 0x7f)?;
    match rest[end..] {
        [0x07, ..] => Some(end + 1),
        [ESC, b'\\', ..] => Some(end + 2),
        [ESC] => None,
        // Cut short by something that counts for itself.
        _ => Some(end),
    }
}

/// The first character of bytes that are not empty, unless they are no UTF-8; `None` where it is
/// not all there yet.
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
    fn what_comes_first_is_told_from_the_rest() {
        let more: Option<(Token<'_>, usize)> = None;
        let nothing = |length| Some((Token::Nothing, length));
        let string = |text: &'static [u8]| Some((Token::String(text), 2 + text.len()));
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
            // Cut short by a control key, an escape, text.
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
            (b"\x1b]11;rgb:0/0/0\x1b\\q", string(b"11;rgb:0/0/0\x1b\\")),
            (b"\x1b]11;rgb:0/0/0\x07q", string(b"11;rgb:0/0/0\x07")),
            (b"\x1b]11;\x03", string(b"11;")),
            (b"\x1b]11;\x1b[A", string(b"11;")),
            (b"\x1bP>|term 1\x1b\\q", string(b">|term 1\x1b\\")),
            (b"\x1b_Gi=1;OK\x1b\\", string(b"Gi=1;OK\x1b\\")),
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
