//! Keys out of raw bytes, for what somebody types while the terminal is being asked something.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// The keys in the bytes of a keyboard, as far as they are typed in the first tenth of a second: text, control keys,
/// Alt and the arrows. Other sequences are dropped whole.
pub(super) fn keys(mut bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some((code, modifiers, length)) = next_key(bytes) {
        bytes = &bytes[length..];
        if let Some(code) = code {
            events.push(Event::Key(KeyEvent::new(code, modifiers)));
        }
    }
    events
}

/// The first key, if it is one we know, and how many bytes it took; nothing at the end.
fn next_key(bytes: &[u8]) -> Option<(Option<KeyCode>, KeyModifiers, usize)> {
    let none = KeyModifiers::NONE;
    let key = match bytes {
        [] => return None,
        [0x1b, b'[' | b'O', rest @ ..] if !rest.is_empty() => {
            let parameters = rest.iter().take_while(|b| !(0x40..=0x7e).contains(*b)).count();
            let length = (2 + parameters + 1).min(bytes.len());
            (arrow(rest), none, length)
        }
        [0x1b, next @ (0x20..=0x7e), ..] => (Some(KeyCode::Char(char::from(*next))), KeyModifiers::ALT, 2),
        [0x1b, ..] => (Some(KeyCode::Esc), none, 1),
        [b'\r' | b'\n', ..] => (Some(KeyCode::Enter), none, 1),
        [b'\t', ..] => (Some(KeyCode::Tab), none, 1),
        [0x7f, ..] => (Some(KeyCode::Backspace), none, 1),
        [control @ 1..=26, ..] => {
            let letter = char::from(control - 1 + b'a');
            (Some(KeyCode::Char(letter)), KeyModifiers::CONTROL, 1)
        }
        _ => {
            let first = bytes.utf8_chunks().next()?;
            match first.valid().chars().next() {
                Some(c) if c.is_uppercase() => (Some(KeyCode::Char(c)), KeyModifiers::SHIFT, c.len_utf8()),
                Some(c) if !c.is_control() => (Some(KeyCode::Char(c)), none, c.len_utf8()),
                Some(c) => (None, none, c.len_utf8()),
                None => (None, none, first.invalid().len().max(1)),
            }
        }
    };
    Some(key)
}

fn arrow(rest: &[u8]) -> Option<KeyCode> {
    Some(match rest {
        [b'A', ..] => KeyCode::Up,
        [b'B', ..] => KeyCode::Down,
        [b'C', ..] => KeyCode::Right,
        [b'D', ..] => KeyCode::Left,
        [b'H', ..] => KeyCode::Home,
        [b'F', ..] => KeyCode::End,
        [b'5', b'~', ..] => KeyCode::PageUp,
        [b'6', b'~', ..] => KeyCode::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case<'a> = (&'a [u8], &'a [(KeyCode, KeyModifiers)]);

    #[test]
    fn typed_bytes_become_keys() {
        let (none, ctrl, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        let cases: &[Case<'_>] = &[
            (b"", &[]),
            (b"q", &[(KeyCode::Char('q'), none)]),
            (b"G\r", &[(KeyCode::Char('G'), KeyModifiers::SHIFT), (KeyCode::Enter, none)]),
            (b"\x03", &[(KeyCode::Char('c'), ctrl)]),
            (b"\x1b", &[(KeyCode::Esc, none)]),
            (b"\x1bx", &[(KeyCode::Char('x'), alt)]),
            (b"\x1b[Bj", &[(KeyCode::Down, none), (KeyCode::Char('j'), none)]),
            (b"\x1b[6~", &[(KeyCode::PageDown, none)]),
            (b"\x1b[?2026;2$yj", &[(KeyCode::Char('j'), none)]),
            ("é".as_bytes(), &[(KeyCode::Char('é'), none)]),
            (b"\xff\xfej", &[(KeyCode::Char('j'), none)]),
            (b"\x1b[1;2", &[]),
        ];
        for (bytes, wanted) in cases {
            let wanted: Vec<Event> =
                wanted.iter().map(|(code, mods)| Event::Key(KeyEvent::new(*code, *mods))).collect();
            assert_eq!(keys(bytes), wanted, "{bytes:?}");
        }
    }
}
