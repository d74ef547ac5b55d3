//! One key, and how keys are spelled: `jj<enter><c-d>`.

use std::fmt;

use crossterm::event::{KeyCode, KeyModifiers};
use thiserror::Error;

/// A key with its modifiers; Shift is part of the character that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
    alt: bool,
}

/// A spelling that names no key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("<{0}> is no key; there are {names}, characters, and <c-x> or <a-x> for Control and Alt", names = names())]
pub struct KeyError(String);

/// Name in a spelling, code, and what people read.
const NAMED: &[(&str, KeyCode, &str)] = &[
    ("enter", KeyCode::Enter, "Enter"),
    ("esc", KeyCode::Esc, "Esc"),
    ("tab", KeyCode::Tab, "Tab"),
    ("s-tab", KeyCode::BackTab, "S-Tab"),
    ("space", KeyCode::Char(' '), "Space"),
    ("lt", KeyCode::Char('<'), "<"),
    ("bs", KeyCode::Backspace, "Backspace"),
    ("del", KeyCode::Delete, "Del"),
    ("up", KeyCode::Up, "↑"),
    ("down", KeyCode::Down, "↓"),
    ("left", KeyCode::Left, "←"),
    ("right", KeyCode::Right, "→"),
    ("home", KeyCode::Home, "Home"),
    ("end", KeyCode::End, "End"),
    ("pgup", KeyCode::PageUp, "PgUp"),
    ("pgdn", KeyCode::PageDown, "PgDn"),
    ("f1", KeyCode::F(1), "F1"),
];

fn names() -> String {
    NAMED
        .iter()
        .map(|(name, ..)| format!("<{name}>"))
        .collect::<Vec<_>>()
        .join(" ")
}

impl Key {
    /// The key that a terminal reports so.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let code = match code {
            // Terminals differ in whether Shift+Tab is a key of its own.
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            // Both are one byte, which some read so and some so.
            KeyCode::Char('7') if modifiers.contains(KeyModifiers::CONTROL) => KeyCode::Char('_'),
            code => code,
        };
        let (control, alt) = (
            modifiers.contains(KeyModifiers::CONTROL),
            modifiers.contains(KeyModifiers::ALT),
        );
        Self { code, control, alt }
    }

    /// The character that it types, if it is one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.control && !self.alt => Some(character),
            _ => None,
        }
    }

    /// The digit that it types, if it is one.
    pub fn digit(self) -> Option<u8> {
        match self.code {
            KeyCode::Char(digit @ '0'..='9') if !self.control && !self.alt => {
                Some(digit as u8 - b'0')
            }
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.control {
            f.write_str("^")?;
        }
        if self.alt {
            f.write_str("A-")?;
        }
        match (
            NAMED.iter().find(|(_, code, _)| *code == self.code),
            self.code,
        ) {
            (Some((.., shown)), _) => f.write_str(shown),
            (None, KeyCode::Char(character)) => write!(f, "{character}"),
            (None, KeyCode::F(number)) => write!(f, "F{number}"),
            (None, code) => write!(f, "{code:?}"),
        }
    }
}

/// Reads a spelling: characters stand for themselves, `<name>` for named keys, `<c-d>` and `<a-d>`
/// for modifiers.
///
/// # Errors
/// When a name in angle brackets is no key's.
pub fn keys(spelling: &str) -> Result<Vec<Key>, KeyError> {
    let mut found = Vec::new();
    let mut rest = spelling;
    while let Some(character) = rest.chars().next() {
        let bracketed = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let bracketed = bracketed.filter(|(name, _)| may_name_a_key(name));
        let (key, left) = match bracketed {
            Some((name, left)) => (
                named(&name.to_ascii_lowercase()).ok_or_else(|| KeyError(name.to_owned()))?,
                left,
            ),
            None => (
                Key {
                    code: KeyCode::Char(character),
                    control: false,
                    alt: false,
                },
                &rest[character.len_utf8()..],
            ),
        };
        found.push(key);
        rest = left;
    }
    Ok(found)
}

/// Whether this could be a name, well spelled or not: what is typed into a filter
/// (`verbosity<=1<enter>`) could not.
fn may_name_a_key(name: &str) -> bool {
    let letters = name
        .strip_prefix("c-")
        .or(name.strip_prefix("a-"))
        .filter(|rest| rest.chars().count() == 1);
    letters.is_some()
        || (!name.is_empty()
            && name
                .chars()
                .all(|character| character.is_alphanumeric() || character == '-'))
}

fn named(name: &str) -> Option<Key> {
    if let Some(&(_, code, _)) = NAMED.iter().find(|(known, ..)| *known == name) {
        return Some(Key {
            code,
            control: false,
            alt: false,
        });
    }
    let (control, alt) = (name.starts_with("c-"), name.starts_with("a-"));
    let rest = name.get(2..).filter(|_| control || alt)?;
    let mut character = rest.chars();
    match (character.next(), character.next()) {
        (Some(character), None) => Some(Key {
            code: KeyCode::Char(character),
            control,
            alt,
        }),
        _ => NAMED
            .iter()
            .find(|(known, ..)| *known == rest)
            .map(|&(_, code, _)| Key { code, control, alt }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (spelling, shown) in [
            ("jj<enter>", &["j", "j", "Enter"][..]),
            ("<c-d><s-tab>", &["^d", "S-Tab"]),
            ("10G", &["1", "0", "G"]),
            ("<c-left><a-enter>", &["^←", "A-Enter"]),
            ("<lt><space>é", &["<", "Space", "é"]),
            ("a<b", &["a", "<", "b"]),
            ("a<=1<enter>", &["a", "<", "=", "1", "Enter"]),
            ("a<1 b>2", &["a", "<", "1", "Space", "b", ">", "2"]),
            ("<c-_><a-b>", &["^_", "A-b"]),
        ] {
            let shown_keys: Vec<_> = keys(spelling)
                .expect(spelling)
                .iter()
                .map(Key::to_string)
                .collect();
            assert_eq!(shown_keys, shown, "{spelling}");
        }
        let message = keys("<nope>").expect_err("no key").to_string();
        assert!(
            message.starts_with("<nope> is no key; there are <enter>"),
            "{message}"
        );
    }
}
