//! A key and its notation: `jj<enter><c-d>`.

use std::fmt;

use crossterm::event::{KeyCode, KeyModifiers};
use thiserror::Error;

/// A key with its modifiers. Shift is part of the character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
    alt: bool,
}

/// An unknown key name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown key <{0}>; use {names}, a character, or <c-x> and <a-x> for Control and Alt", names = names())]
pub struct KeyError(String);

/// Name in key notation, code, and display name.
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
    ("ins", KeyCode::Insert, "Ins"),
];

/// Number of function keys with a name.
const FUNCTION_KEYS: u8 = 12;

fn names() -> String {
    let mut names: Vec<_> = NAMED.iter().map(|(name, ..)| format!("<{name}>")).collect();
    names.push(format!("<f1> to <f{FUNCTION_KEYS}>"));
    names.join(" ")
}

impl Key {
    /// Normalises a key reported by the terminal. Keys that share a byte in the encoding of old
    /// terminals are equal, even if the terminal distinguishes them.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let is_held = |modifier| modifiers.contains(modifier);
        let (mut control, mut alt) = (is_held(KeyModifiers::CONTROL), is_held(KeyModifiers::ALT));
        let code = match code {
            KeyCode::Tab if is_held(KeyModifiers::SHIFT) => KeyCode::BackTab,
            KeyCode::Backspace if control => KeyCode::Char('h'),
            KeyCode::Char(character) if control => match character.to_ascii_lowercase() {
                'i' => KeyCode::Tab,
                'm' => KeyCode::Enter,
                '[' | '3' => KeyCode::Esc,
                '2' | '@' => KeyCode::Char(' '),
                '4' => KeyCode::Char('\\'),
                '5' => KeyCode::Char(']'),
                '6' => KeyCode::Char('^'),
                '7' | '/' => KeyCode::Char('_'),
                lower => KeyCode::Char(lower),
            },
            code => code,
        };
        control &= !matches!(
            code,
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Esc
        );
        alt &= !matches!(code, KeyCode::Esc | KeyCode::BackTab);
        Self { code, control, alt }
    }

    const fn bare(code: KeyCode) -> Self {
        let (control, alt) = (false, false);
        Self { code, control, alt }
    }

    /// Returns the character that it types, if any.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.control && !self.alt => Some(character),
            _ => None,
        }
    }

    /// True if terminals can send this key.
    fn is_sent(self) -> bool {
        let Self { code, control, alt } = self;
        match code {
            KeyCode::Char(character) if control => {
                let is_letter = character.is_ascii_lowercase() && !"im".contains(character);
                is_letter || " \\]^_".contains(character)
            }
            KeyCode::Char(character) => {
                !(character.is_control() || alt && matches!(character, '[' | 'O'))
            }
            KeyCode::Esc | KeyCode::BackTab => !control && !alt,
            KeyCode::Backspace | KeyCode::Enter | KeyCode::Tab => !control,
            _ => true,
        }
    }

    /// Returns its notation in files of keys.
    pub fn spelling(self) -> String {
        let bare = match (
            NAMED.iter().find(|(_, code, _)| *code == self.code),
            self.code,
        ) {
            (Some((name, ..)), _) => format!("<{name}>"),
            (None, KeyCode::F(number)) => format!("<f{number}>"),
            (None, KeyCode::Char(character)) => character.to_string(),
            (None, code) => format!("{code:?}"),
        };
        let modifier = match (self.control, self.alt) {
            (true, _) => "c-",
            (false, true) => "a-",
            (false, false) => return bare,
        };
        let name = bare
            .strip_prefix('<')
            .and_then(|rest| rest.strip_suffix('>'));
        format!("<{modifier}{}>", name.unwrap_or(&bare))
    }

    /// Returns the digit that it types, if any.
    pub fn digit(self) -> Option<u8> {
        self.character()?.to_digit(10)?.try_into().ok()
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

/// Parses key notation: plain characters, `<name>` for named keys, `<c-d>` and `<a-d>` for
/// modifiers.
///
/// # Errors
/// If a name in angle brackets is unknown.
pub fn keys(spelling: &str) -> Result<Vec<Key>, KeyError> {
    let mut found = Vec::new();
    let mut rest = spelling;
    while let Some(character) = rest.chars().next() {
        let bracketed = rest
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .filter(|(name, _)| may_name_a_key(name));
        let (key, left) = match bracketed {
            Some((name, left)) => (named(name).ok_or_else(|| KeyError(name.to_owned()))?, left),
            None => {
                let left = &rest[character.len_utf8()..];
                (Key::bare(KeyCode::Char(character)), left)
            }
        };
        found.push(key);
        rest = left;
    }
    Ok(found)
}

/// True if this could be a key name, even a misspelled one. Text typed into a filter
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

/// Returns the key with this name, in any case. Alt with a capital letter differs from Alt with the
/// small one.
fn named(name: &str) -> Option<Key> {
    let lower = name.to_ascii_lowercase();
    let (control, alt) = (lower.starts_with("c-"), lower.starts_with("a-"));
    if let Some(code) = code(&lower) {
        return Some(Key::bare(code));
    }
    let mut characters = name.get(2..).filter(|_| control || alt)?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => {
            let lower = character.to_ascii_lowercase();
            let code = KeyCode::Char(if control { lower } else { character });
            Some(Key { code, control, alt })
        }
        _ => code(&lower[2..]).map(|code| Key { code, control, alt }),
    }
}

/// Returns the code of a lower-case name without modifiers.
fn code(name: &str) -> Option<KeyCode> {
    let function = || {
        let number = name.strip_prefix('f')?.parse().ok()?;
        (1..=FUNCTION_KEYS)
            .contains(&number)
            .then_some(KeyCode::F(number))
    };
    NAMED
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|&(_, code, _)| code)
        .or_else(function)
}

/// Parses the keys of a file like [`keys`], with optional spaces between them. `None` if a key is
/// unknown or never sent, or if a longer word has no brackets (`ctrl-d`).
pub fn sequence(spelling: &str) -> Option<Vec<Key>> {
    let mut found = Vec::new();
    for word in spelling.split_whitespace() {
        let is_name = word.chars().count() > 2 && !word.contains('<');
        found.extend(keys(word).ok().filter(|_| !is_name)?);
    }
    let is_valid = !found.is_empty() && found.iter().all(|key| key.is_sent());
    is_valid.then_some(found)
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
        for (spelling, key) in [("<C-D>", "<c-d>"), ("<a-D>", "<a-D>"), ("<F12>", "<f12>")] {
            assert_eq!(keys(spelling).expect(spelling)[0].spelling(), key);
        }
        let message = keys("<nope>").expect_err("no key").to_string();
        assert!(
            message.starts_with("unknown key <nope>; use <enter>"),
            "{message}"
        );
    }

    #[test]
    fn keys_that_share_a_byte_are_one_key() {
        let (control, alt) = (KeyModifiers::CONTROL, KeyModifiers::ALT);
        let shifted = control | KeyModifiers::SHIFT;
        for (code, modifiers, spelling) in [
            (KeyCode::Char('['), control, "<esc>"),
            (KeyCode::Char('i'), control, "<tab>"),
            (KeyCode::Char('m'), control, "<enter>"),
            (KeyCode::Char('C'), shifted, "<c-c>"),
            (KeyCode::Char('/'), control, "<c-_>"),
            (KeyCode::Backspace, control, "<c-h>"),
            (KeyCode::Enter, control, "<enter>"),
            (KeyCode::Esc, alt, "<esc>"),
            (KeyCode::Enter, alt, "<a-enter>"),
        ] {
            assert_eq!(Key::new(code, modifiers).spelling(), spelling);
        }
    }

    #[test]
    fn keys_in_files() {
        for (spelling, shown) in [
            ("g d", "g d"),
            ("gd", "g d"),
            ("<space> <C-w> é", "Space ^w é"),
            ("< <lt> ^", "< < ^"),
            ("<a-D>", "A-D"),
            ("<c-\\>", "^\\"),
        ] {
            let keys = sequence(spelling).expect(spelling);
            let keys: Vec<_> = keys.iter().map(Key::to_string).collect();
            assert_eq!(keys.join(" "), shown, "{spelling}");
        }
        for spelling in [
            "ctrl-d",
            "g Ctrl+D",
            "Enter",
            "<return>",
            "<entr>",
            "<f13>",
            "<c-i>",
            "<c-enter>",
            "<c-1>",
            "<a-[>",
            " ",
        ] {
            assert_eq!(sequence(spelling), None, "{spelling}");
        }
    }
}
