//! Parses the bytes of a terminal into events. crossterm's parser waits forever for the rest of an
//! unknown sequence and holds back every key after it, ^C included; this one ends every sequence.

use std::time::Duration;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::capabilities::{Background, Capabilities, background_of};
use super::sequence::{self, Token};

/// How long a sequence may pause. Terminals write one at once; a network rarely splits it for
/// longer.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long pasted text may pause: it arrives at the speed of the line, and its rest must not be
/// parsed as keys.
const PASTE_PATIENCE: Duration = Duration::from_secs(1);
/// Longer sequences are meaningless, and what follows their beginnings is not kept.
const LONGEST: usize = 4096;

const PASTE_END: &[u8] = b"\x1b[201~";

/// Parses bytes, in pieces as they arrive, into events.
///
/// The reader calls [`patience`](Self::patience) after each [`feed`](Self::feed), and
/// [`time_out`](Self::time_out) if nothing arrives in that time.
#[derive(Debug, Default)]
pub struct InputParser {
    /// The beginning of a sequence, or of a character.
    pending: Vec<u8>,
    /// The text of an unfinished paste.
    paste: Option<Vec<u8>>,
    /// What the terminal reported.
    pub(super) known: Capabilities,
    /// True once the terminal identified itself (DA1).
    pub(super) is_identified: bool,
}

impl InputParser {
    /// Returns the events that these bytes complete, without key releases and unknown sequences.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let (mut events, mut rest) = (Vec::new(), &pending[..]);
        while let Some(after) = self.take(rest, &mut events) {
            rest = after;
        }
        self.pending = rest[..rest.len().min(LONGEST)].to_vec();
        events
    }

    /// Returns how long to wait for the rest of a sequence; `None` if none has begun.
    pub fn patience(&self) -> Option<Duration> {
        match (&self.paste, &self.pending[..]) {
            (None, []) => None,
            // The rest of a reply must not be parsed as keys.
            (Some(_), _) | (None, [0x1b, b'[', b'?', ..]) => Some(PASTE_PATIENCE),
            (None, _) => Some(PATIENCE),
        }
    }

    /// Returns the colour scheme that the terminal changed to (mode 2031), or its background in
    /// reply to OSC 11, if it reported one.
    pub(super) fn take_background(&mut self) -> Option<Background> {
        self.known.background.take()
    }

    /// Ends what has begun: a single escape is the key, also before a character that begins
    /// sequences; an unfinished paste is delivered, and anything else is dropped.
    pub fn time_out(&mut self) -> Vec<Event> {
        let pending = std::mem::take(&mut self.pending);
        if let Some(mut text) = self.paste.take() {
            text.extend(pending);
            return vec![paste(&text)];
        }
        let escape = key(KeyCode::Esc, KeyModifiers::NONE);
        match pending[..] {
            [0x1b] => vec![escape],
            [0x1b, typed_next] if typed_next.is_ascii() => {
                vec![escape, typed(typed_next.into(), KeyModifiers::NONE)]
            }
            _ => Vec::new(),
        }
    }

    /// Parses the first token; returns the remaining bytes, or `None` if more are needed.
    fn take<'b>(&mut self, bytes: &'b [u8], events: &mut Vec<Event>) -> Option<&'b [u8]> {
        if let Some(text) = &mut self.paste {
            return match bytes
                .windows(PASTE_END.len())
                .position(|window| window == PASTE_END)
            {
                Some(end) => {
                    text.extend_from_slice(&bytes[..end]);
                    events.extend(self.paste.take().map(|text| paste(&text)));
                    Some(&bytes[end + PASTE_END.len()..])
                }
                None => {
                    // The end marker may be split over two pieces.
                    let kept = (1..PASTE_END.len())
                        .rev()
                        .find(|kept| bytes.ends_with(&PASTE_END[..*kept]));
                    let text_ends = bytes.len() - kept.unwrap_or(0);
                    text.extend_from_slice(&bytes[..text_ends]);
                    (text_ends > 0).then(|| &bytes[text_ends..])
                }
            };
        }
        let (token, length) = sequence::first(bytes)?;
        let known = &mut self.known;
        match token {
            Token::Control(b"200", b'~') => self.paste = Some(Vec::new()),
            Token::Control(b"?997;1", b'n') => known.background = Some(Background::Dark),
            Token::Control(b"?997;2", b'n') => known.background = Some(Background::Light),
            Token::System(text) if text.starts_with(b"11;") => {
                known.background = background_of(text).or(known.background);
            }
            Token::Control([b'?', ..], b'u') => known.has_keyboard_protocol = true,
            // Set (1) or reset (2); otherwise unknown (0) or fixed.
            Token::Control(b"?1007;1$", b'y') => known.wheel_sends_arrows = Some(true),
            Token::Control(b"?1007;2$", b'y') => known.wheel_sends_arrows = Some(false),
            // Set (1, 3); otherwise reset (2, 4) or unknown (0).
            Token::Control([b'8', b';', setting, b'$'], b'y') => {
                known.reorders_rows = Some(matches!(setting, b'1' | b'3'));
            }
            Token::Control([b'?', ..], b'c') => self.is_identified = true,
            token => events.extend(event(token)),
        }
        Some(&bytes[length..])
    }
}

fn paste(text: &[u8]) -> Event {
    Event::Paste(String::from_utf8_lossy(text).into_owned())
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

fn event(token: Token<'_>) -> Option<Event> {
    let none = KeyModifiers::NONE;
    match token {
        Token::Character(character) => Some(typed(character, none)),
        Token::Alt(character) => Some(typed(character, KeyModifiers::ALT)),
        Token::Escape => Some(key(KeyCode::Esc, none)),
        Token::Single(b'M') => Some(key(KeyCode::Enter, none)),
        Token::Single(last) => letter(last).map(|code| key(code, none)),
        Token::Console(last @ b'A'..=b'E') => Some(key(KeyCode::F(1 + last - b'A'), none)),
        Token::Control(between, last) => control(between, last),
        Token::Console(_) | Token::System(_) | Token::Nothing => None,
    }
}

/// Returns the key for a character, with known modifiers.
fn typed(character: char, modifiers: KeyModifiers) -> Event {
    let control = modifiers | KeyModifiers::CONTROL;
    let (code, modifiers) = match character {
        '\r' => (KeyCode::Enter, modifiers),
        '\t' => (KeyCode::Tab, modifiers),
        '\x7f' => (KeyCode::Backspace, modifiers),
        '\x1b' => (KeyCode::Esc, modifiers),
        '\0' => (KeyCode::Char(' '), control),
        '\x01'..='\x1a' => (KeyCode::Char(shifted(character, 'a', '\x01')), control),
        '\x1c'..='\x1f' => (KeyCode::Char(shifted(character, '4', '\x1c')), control),
        c if c.is_uppercase() => (KeyCode::Char(c), modifiers | KeyModifiers::SHIFT),
        c => (KeyCode::Char(c), modifiers),
    };
    key(code, modifiers)
}

/// Maps a character's offset from `from` to the same offset from `to`; all are ASCII.
fn shifted(character: char, to: char, from: char) -> char {
    char::from(to as u8 + (character as u8 - from as u8))
}

/// Returns the key whose sequence ends in this letter.
fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(1 + last - b'P'),
        _ => return None,
    })
}

/// Returns the key whose sequence is this number and a tilde.
fn numbered(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        // The gaps were other keys on old terminals.
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

/// Parses ESC [ with these bytes.
fn control(between: &[u8], last: u8) -> Option<Event> {
    if let [b'<', report @ ..] = between {
        return mouse(report, last);
    }
    let parameters = Parameters::parse(between)?;
    let code = match last {
        b'u' => return parameters.character(0, 1),
        // xterm's format for keys without a sequence.
        b'~' if parameters.number(0) == Some(27) => return parameters.character(2, 1),
        b'~' => numbered(parameters.number(0)?)?,
        b'Z' => {
            let modifiers = parameters.modifiers(1)? | KeyModifiers::SHIFT;
            return Some(key(KeyCode::BackTab, modifiers));
        }
        // A cursor position report, which looks like F3 but is a reply.
        b'R' => return None,
        _ => letter(last)?,
    };
    Some(key(code, parameters.modifiers(1)?))
}

/// Returns the keypad key of a number in the kitty keyboard protocol.
fn keypad(number: char) -> Option<KeyCode> {
    const CHARACTERS: &[u8] = b"0123456789./*-+\r=,";
    const KEYS: [KeyCode; 10] = [
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Insert,
        KeyCode::Delete,
    ];
    let place = (number as usize).checked_sub(57_399)?;
    match CHARACTERS.get(place) {
        Some(b'\r') => Some(KeyCode::Enter),
        Some(character) => Some(KeyCode::Char((*character).into())),
        None => KEYS.get(place - CHARACTERS.len()).copied(),
    }
}

/// Numbers separated by semicolons, each with subparameters after colons.
struct Parameters<'b>(Vec<&'b str>);

impl<'b> Parameters<'b> {
    /// Returns `None` if there are other characters: then it is a reply, not a key.
    fn parse(between: &'b [u8]) -> Option<Self> {
        let text = std::str::from_utf8(between).ok()?;
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b';' || byte == b':')
            .then(|| Self(text.split(';').collect()))
    }

    fn number(&self, place: usize) -> Option<u32> {
        self.0.get(place)?.split(':').next()?.parse().ok()
    }

    /// Returns the modifiers at an index, by default none; `None` for a key release.
    fn modifiers(&self, place: usize) -> Option<KeyModifiers> {
        let mut parts = self.0.get(place).copied().unwrap_or_default().split(':');
        let bits = parts
            .next()
            .and_then(|mask| mask.parse::<u32>().ok())
            .unwrap_or(1)
            .saturating_sub(1);
        let kind = parts.next().and_then(|kind| kind.parse::<u32>().ok());
        (kind != Some(3)).then(|| modifiers(bits))
    }

    /// Returns the key of the character code at one index, with the modifiers at another.
    fn character(&self, place: usize, modifiers: usize) -> Option<Event> {
        let modifiers = self.modifiers(modifiers)?;
        let character = self.number(place).and_then(char::from_u32)?;
        match character {
            // Keys without a character are in the private use area (kitty keyboard protocol).
            '\u{e000}'..='\u{f8ff}' => keypad(character).map(|code| key(code, modifiers)),
            '\t' if modifiers.contains(KeyModifiers::SHIFT) => {
                Some(key(KeyCode::BackTab, modifiers))
            }
            '\x08' => Some(key(KeyCode::Backspace, modifiers)),
            // Control is among the modifiers if held; these characters are separate keys.
            '\r' | '\t' | '\x1b' | '\x7f' => Some(typed(character, modifiers)),
            c if c.is_control() => None,
            c if modifiers.contains(KeyModifiers::SHIFT) => {
                Some(typed(c.to_ascii_uppercase(), modifiers))
            }
            c => Some(typed(c, modifiers)),
        }
    }
}

/// Returns the modifiers of a bit mask, Shift lowest.
fn modifiers(bits: u32) -> KeyModifiers {
    [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ]
    .into_iter()
    .enumerate()
    .filter(|(bit, _)| bits & (1 << bit) != 0)
    .map(|(_, modifier)| modifier)
    .collect()
}

/// Parses a mouse report: button and modifiers, column and row from 1; the last byte distinguishes
/// presses from releases.
fn mouse(report: &[u8], last: u8) -> Option<Event> {
    let mut numbers = std::str::from_utf8(report)
        .ok()?
        .split(';')
        .map(str::parse::<u16>);
    let (bits, column, row) = (
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
    );
    let button = [MouseButton::Left, MouseButton::Middle, MouseButton::Right]
        .get(usize::from(bits & 0b11))
        .copied();
    let wheel = [
        MouseEventKind::ScrollUp,
        MouseEventKind::ScrollDown,
        MouseEventKind::ScrollLeft,
        MouseEventKind::ScrollRight,
    ];
    let kind = match (bits & 0b1100_0000, bits & 0b0010_0000 != 0, last) {
        (0, true, _) => button.map_or(MouseEventKind::Moved, MouseEventKind::Drag),
        (0, false, b'M') => MouseEventKind::Down(button?),
        (0, false, b'm') => MouseEventKind::Up(button?),
        (0b0100_0000, false, b'M') => wheel[usize::from(bits & 0b11)],
        _ => return None,
    };
    let place = |number: u16| number.checked_sub(1);
    Some(Event::Mouse(MouseEvent {
        kind,
        column: place(column)?,
        row: place(row)?,
        modifiers: modifiers(u32::from(bits >> 2 & 0b111)),
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<Event> {
        let mut parser = InputParser::default();
        let mut events: Vec<_> = pieces.iter().flat_map(|piece| parser.feed(piece)).collect();
        events.extend(parser.time_out());
        events
    }

    fn plain(code: KeyCode) -> Event {
        key(code, KeyModifiers::NONE)
    }

    fn pointed(kind: MouseEventKind, column: u16, row: u16) -> Event {
        Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        })
    }

    #[test]
    fn bytes_become_keys() {
        use KeyCode::{
            BackTab, Backspace, Char, Delete, Down, End, Enter, Esc, F, Home, PageDown, Right, Tab,
            Up,
        };
        let (none, shift, alt, control) = (
            KeyModifiers::NONE,
            KeyModifiers::SHIFT,
            KeyModifiers::ALT,
            KeyModifiers::CONTROL,
        );
        let cases: &[(&str, &[(KeyCode, KeyModifiers)])] = &[
            ("q", &[(Char('q'), none)]),
            ("G\r", &[(Char('G'), shift), (Enter, none)]),
            (
                "\x03\n\0\x1c\x1f",
                &[('c', ""), ('j', ""), (' ', ""), ('4', ""), ('7', "")]
                    .map(|(c, _)| (Char(c), control)),
            ),
            ("\t\x7f", &[(Tab, none), (Backspace, none)]),
            ("é漢", &[(Char('é'), none), (Char('漢'), none)]),
            ("\x1b", &[(Esc, none)]),
            ("\x1b\x1b", &[(Esc, none), (Esc, none)]),
            (
                "\x1bx\x1b\x7f\x1b\x02",
                &[
                    (Char('x'), alt),
                    (Backspace, alt),
                    (Char('b'), alt | control),
                ],
            ),
            (
                "\x1b[A\x1bOB\x1b[C",
                &[(Up, none), (Down, none), (Right, none)],
            ),
            (
                "\x1b[H\x1b[4~\x1b[6~\x1b[3~",
                &[(Home, none), (End, none), (PageDown, none), (Delete, none)],
            ),
            ("\x1b[1;5C\x1b[3;2~", &[(Right, control), (Delete, shift)]),
            (
                "\x1bOP\x1b[[B\x1b[15~\x1b[24~",
                &[(F(1), none), (F(2), none), (F(5), none), (F(12), none)],
            ),
            ("\x1b[Z", &[(BackTab, shift)]),
            // Keyboards that report presses, repeats and releases.
            (
                "\x1b[99;5u\x1b[97;2u\x1b[27u\x1b[9;2u",
                &[
                    (Char('c'), control),
                    (Char('A'), shift),
                    (Esc, none),
                    (BackTab, shift),
                ],
            ),
            (
                "\x1b[1;1:1A\x1b[1;1:2A\x1b[1;1:3A\x1b[57358u",
                &[(Up, none), (Up, none)],
            ),
            ("\x1b[27;5;99~", &[(Char('c'), control)]),
            // The keypad in the kitty keyboard protocol.
            (
                "\x1b[57400u\x1b[57414u\x1b[57420u\x1b[57424u\x1b[57426;5u",
                &[
                    (Char('1'), none),
                    (Enter, none),
                    (Down, none),
                    (End, none),
                    (Delete, control),
                ],
            ),
        ];
        for (bytes, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(code, modifiers)| key(*code, *modifiers))
                .collect();
            assert_eq!(all(&[bytes.as_bytes()]), expected, "{bytes:?}");
            // In any pieces.
            let pieces: Vec<_> = bytes.as_bytes().chunks(1).collect();
            assert_eq!(all(&pieces), expected, "{bytes:?}, byte by byte");
        }
    }

    /// Sequences that terminals send without a key, complete and truncated.
    const STRAY: [&[u8]; 22] = [
        b"\x1b[?2026;2$y",
        b"\x1b[?997;1n",
        b"\x1b[?u",
        b"\x1b[?1u",
        b"\x1b[?62;22c",
        b"\x1b[>1;10;0c",
        b"\x1b[12;40R",
        b"\x1b[I",
        b"\x1b[8;24;80t",
        b"\x1b]11;rgb:dede/dede/dede\x1b\\",
        b"\x1bP>|term 1\x1b\\",
        b"\x1b_Gi=1;OK\x1b\\",
        b"\x1b[201~",
        b"\x1b[<0;0;0M",
        b"\x1b[<0;10",
        b"\x1b[M!\"",
        b"\x1b[1",
        b"\x1b]11;rgb:de",
        b"\x1bP>",
        b"\xe6\xbc",
        b"\xff\xfe",
        b"\x1b[99999999999;9999999~",
    ];

    #[test]
    fn what_is_no_key_leaves_the_keys_alone() {
        for stray in STRAY {
            let mut parser = InputParser::default();
            assert_eq!(parser.feed(stray), [], "{stray:?}");
            assert_eq!(parser.time_out(), [], "{stray:?}");
            assert_eq!(parser.patience(), None, "{stray:?}");
            assert_eq!(parser.feed(b"q\x03"), all(&[b"q\x03"]), "{stray:?}");
        }
    }

    #[test]
    fn escape_before_a_character_that_begins_sequences_is_the_key() {
        for typed in ['[', ']', 'O', 'P', 'X', '^', '_'] {
            let mut parser = InputParser::default();
            assert_eq!(parser.feed(format!("\x1b{typed}").as_bytes()), []);
            let expected = [KeyCode::Esc, KeyCode::Char(typed)];
            let events: Vec<_> = parser.time_out();
            let codes = events.iter().map(|event| match event {
                Event::Key(key) => key.code,
                other => panic!("{other:?}"),
            });
            assert_eq!(codes.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_changed_colour_scheme_is_kept_until_it_is_taken() {
        let mut parser = InputParser::default();
        assert_eq!(parser.feed(b"\x1b[?997;2nq"), [plain(KeyCode::Char('q'))]);
        assert_eq!(parser.take_background(), Some(Background::Light));
        assert_eq!(parser.take_background(), None);
        let replies = b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\q\x1b]11;nonsense\x07";
        assert_eq!(parser.feed(replies), [plain(KeyCode::Char('q'))]);
        assert_eq!(parser.take_background(), Some(Background::Dark));
    }

    #[test]
    fn control_c_is_not_waited_for() {
        for stray in [
            &b"\x1b[<0;10"[..],
            b"\x1b[",
            b"\x1b]11;rgb:de",
            b"\x1bP",
            b"\xe6\xbc",
            b"\x1bO",
        ] {
            let mut parser = InputParser::default();
            parser.feed(stray);
            assert_eq!(
                parser.feed(b"\x03"),
                [key(KeyCode::Char('c'), KeyModifiers::CONTROL)],
                "{stray:?}"
            );
        }
    }

    #[test]
    fn pasted_text_is_one_event() {
        let pasted = |text: &str| Event::Paste(text.to_owned());
        let cases: &[(&[&[u8]], &[Event])] = &[
            (
                &[b"\x1b[200~q\x03\x1b[A\x1b[201~j"],
                &[pasted("q\x03\x1b[A"), plain(KeyCode::Char('j'))],
            ),
            (
                &["\x1b[200~漢".as_bytes(), b"\x1b[20", b"1~"],
                &[pasted("漢")],
            ),
            (&[b"\x1b[200~a\xe6", b"\xbc\xa2\x1b[201~"], &[pasted("a漢")]),
            (&[b"\x1b[200~\x1b[201~"], &[pasted("")]),
            // The end never arrives.
            (&[b"\x1b[200~abc\x1b[20"], &[pasted("abc\x1b[20")]),
        ];
        for (pieces, expected) in cases {
            assert_eq!(all(pieces), *expected, "{pieces:?}");
        }
    }

    #[test]
    fn the_mouse_says_what_and_where() {
        use MouseButton::{Left, Right};
        use MouseEventKind::{Down, Drag, Moved, ScrollDown, ScrollUp, Up};
        for (report, expected) in [
            ("\x1b[<0;5;7M", pointed(Down(Left), 4, 6)),
            ("\x1b[<2;1;1m", pointed(Up(Right), 0, 0)),
            ("\x1b[<32;300;2M", pointed(Drag(Left), 299, 1)),
            ("\x1b[<35;1;1M", pointed(Moved, 0, 0)),
            ("\x1b[<64;1;1M", pointed(ScrollUp, 0, 0)),
            ("\x1b[<65;1;1M", pointed(ScrollDown, 0, 0)),
        ] {
            assert_eq!(all(&[report.as_bytes()]), [expected], "{report:?}");
        }
    }

    #[test]
    fn what_never_ends_takes_no_memory() {
        let mut parser = InputParser::default();
        parser.feed(b"\x1b]");
        for _ in 0..100 {
            assert_eq!(parser.feed(&[b'0'; 1000]), []);
        }
        assert!(parser.pending.len() <= LONGEST);
        assert_eq!(parser.feed(b"\x07q"), [plain(KeyCode::Char('q'))]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        /// After any input and a short pause, a key is recognised again.
        #[test]
        fn keys_survive_any_bytes(
            pieces in prop::collection::vec(prop::collection::vec(prop_oneof![any::<u8>(), Just(0x1b), Just(b'[')], 0..12), 0..6),
        ) {
            let mut parser = InputParser::default();
            for piece in &pieces {
                parser.feed(piece);
            }
            if parser.patience().is_some() {
                parser.time_out();
            }
            prop_assert_eq!(parser.patience(), None);
            prop_assert_eq!(parser.feed(b"q"), [plain(KeyCode::Char('q'))]);
        }

        /// The result does not depend on where pieces are split.
        #[test]
        fn pieces_do_not_matter(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0x1b), Just(b'[')], 0..24)) {
            let pieces: Vec<_> = bytes.chunks(1).collect();
            prop_assert_eq!(all(&pieces), all(&[&bytes]));
        }
    }
}
