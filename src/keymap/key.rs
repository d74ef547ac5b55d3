//! One key, and how keys are spelled: `jj<enter><c-d>`.

use std::fmt;

use crossterm::event::{KeyCode, KeyModifiers};
use thiserror::Error;

use crate::query::nearest;

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
    ("ins", KeyCode::Insert, "Ins"),
];

/// Function keys that have a name.
const FUNCTION_KEYS: u8 = 12;

/// What other programs and people call keys, and what they are called here.
const ALIASES: &[(&str, &str)] = &[
    ("return", "enter"),
    ("cr", "enter"),
    ("ret", "enter"),
    ("escape", "esc"),
    ("backspace", "bs"),
    ("backtab", "s-tab"),
    ("delete", "del"),
    ("insert", "ins"),
    ("pageup", "pgup"),
    ("pagedown", "pgdn"),
    ("spacebar", "space"),
    ("less", "lt"),
];

fn names() -> String {
    let mut names: Vec<_> = NAMED.iter().map(|(name, ..)| format!("<{name}>")).collect();
    names.push(format!("<f1> to <f{FUNCTION_KEYS}>"));
    names.join(" ")
}

impl Key {
    /// The key that a terminal reports so. Keys that share a byte in the encoding of old terminals
    /// are one key, also where the terminal says which of them was pressed.
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

    /// The character that it types, if it is one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.control && !self.alt => Some(character),
            _ => None,
        }
    }

    /// Why no terminal sends it, where none does, and what to write instead.
    fn never_sent(self) -> Option<String> {
        let Self { code, control, alt } = self;
        match code {
            KeyCode::Char(character) if character.is_control() => Some(
                "it is a control character; write <esc>, <tab>, <c-x> and their like".to_owned(),
            ),
            KeyCode::Char('i') if control => Some("a terminal sends <tab> for it".to_owned()),
            KeyCode::Char('m') if control => Some("a terminal sends <enter> for it".to_owned()),
            KeyCode::Char('[') if control => Some("a terminal sends <esc> for it".to_owned()),
            KeyCode::Char(character) if control => {
                let is_sent = character.is_ascii_lowercase() || " \\]^_".contains(character);
                (!is_sent).then(|| {
                    "Control makes a key of its own of a to z, <c-space>, <c-\\>, <c-]>, <c-^> and <c-_> alone"
                        .to_owned()
                })
            }
            KeyCode::Char(sign @ ('[' | 'O')) if alt => Some(format!(
                "Alt and {sign} begin what a terminal sends for other keys"
            )),
            KeyCode::Backspace if control => Some("a terminal sends <c-h> for it".to_owned()),
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Esc if control => {
                Some("a terminal sends the key without Control for it".to_owned())
            }
            KeyCode::Esc | KeyCode::BackTab if alt => {
                Some("a terminal sends the key without Alt for it".to_owned())
            }
            _ => None,
        }
    }

    /// How it is spelled in a file of keys.
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

/// The key of this name, in whichever case; Alt and a capital letter are another key than Alt and the
/// small one.
fn named(name: &str) -> Option<Key> {
    let lower = name.to_ascii_lowercase();
    let (control, alt) = (lower.starts_with("c-"), lower.starts_with("a-"));
    if let Some(code) = code(&lower) {
        return Some(Key::bare(code));
    }
    let rest = name.get(2..).filter(|_| control || alt)?;
    let mut characters = rest.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => {
            let lower = character.to_ascii_lowercase();
            let code = KeyCode::Char(if control { lower } else { character });
            Some(Key { code, control, alt })
        }
        _ => code(&lower[2..]).map(|code| Key { code, control, alt }),
    }
}

/// The key of a name in small letters, without modifiers.
fn code(name: &str) -> Option<KeyCode> {
    let function = || {
        let number = name.strip_prefix('f')?.parse().ok()?;
        (1..=FUNCTION_KEYS)
            .contains(&number)
            .then_some(KeyCode::F(number))
    };
    let known = NAMED.iter().find(|(known, ..)| *known == name);
    known.map(|&(_, code, _)| code).or_else(function)
}

/// Keys in a file: as [`keys`] reads them, with blanks between them or none. What is probably not
/// meant so, and what no terminal sends, is refused.
///
/// # Errors
/// In words for whoever wrote it, with what to write instead.
pub fn sequence(spelling: &str) -> Result<Vec<Key>, String> {
    let mut found = Vec::new();
    for word in spelling.split_whitespace() {
        if let Some(meant) = meant(word) {
            return Err(format!("`{word}` is spelled otherwise here: write {meant}"));
        }
        let pressed = keys(word).map_err(|error| error.to_string())?;
        for key in pressed {
            if let Some(why) = key.never_sent() {
                return Err(format!("no terminal sends {}: {why}", key.spelling()));
            }
            found.push(key);
        }
    }
    if found.is_empty() {
        return Err("a key was expected, for instance \"g d\"; a blank is <space>".to_owned());
    }
    Ok(found)
}

/// The spelling of a key that a word is meant for, if it is one in another program's spelling, or
/// misspelled.
fn meant(word: &str) -> Option<String> {
    let inside = word
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    if word.chars().count() < 2 || inside.is_some_and(|name| named(name).is_some()) {
        return None;
    }
    let lower = inside.unwrap_or(word).to_ascii_lowercase();
    let modifiers = [
        ("ctrl", "c-"),
        ("control", "c-"),
        ("c", "c-"),
        ("^", "c-"),
        ("alt", "a-"),
        ("meta", "a-"),
        ("m", "a-"),
        ("a", "a-"),
        ("shift", "s-"),
        ("s", "s-"),
    ];
    let parts = modifiers.iter().find_map(|(name, short)| {
        let rest = lower.strip_prefix(name)?;
        let rest = match (*name, rest.strip_prefix(['-', '+'])) {
            ("^", None) => rest,
            (_, rest) => rest?,
        };
        (!rest.is_empty()).then(|| (*short, rest.to_owned()))
    });
    let (modifier, name) = parts.unwrap_or(("", lower.clone()));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let known = alias.map_or(name.as_str(), |(_, known)| known);
    let is_single = known.chars().count() == 1;
    if modifier == "s-" && is_single {
        return Some(known.to_uppercase());
    }
    let spelled = format!("{modifier}{known}");
    if (code(known).is_some() || (is_single && !modifier.is_empty())) && named(&spelled).is_some() {
        return Some(format!("<{spelled}>"));
    }
    // In brackets it can only be a name, and nearly one.
    inside?;
    let all = NAMED.iter().map(|(name, ..)| *name);
    nearest(&lower, all).map(|near| format!("<{near}>"))
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
            message.starts_with("<nope> is no key; there are <enter>"),
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
        for (spelling, says) in [
            ("ctrl-d", "`ctrl-d` is spelled otherwise here: write <c-d>"),
            (
                "g Ctrl+D",
                "`Ctrl+D` is spelled otherwise here: write <c-d>",
            ),
            ("^d", "`^d` is spelled otherwise here: write <c-d>"),
            ("Enter", "`Enter` is spelled otherwise here: write <enter>"),
            (
                "<return>",
                "`<return>` is spelled otherwise here: write <enter>",
            ),
            (
                "PageDown",
                "`PageDown` is spelled otherwise here: write <pgdn>",
            ),
            ("M-x", "`M-x` is spelled otherwise here: write <a-x>"),
            ("<S-a>", "`<S-a>` is spelled otherwise here: write A"),
            ("S-Tab", "`S-Tab` is spelled otherwise here: write <s-tab>"),
            (
                "<entr>",
                "`<entr>` is spelled otherwise here: write <enter>",
            ),
            ("F5", "`F5` is spelled otherwise here: write <f5>"),
            (
                "<c-i>",
                "no terminal sends <c-i>: a terminal sends <tab> for it",
            ),
            (
                "<c-enter>",
                "no terminal sends <c-enter>: a terminal sends the key without Control for it",
            ),
            (
                "<c-1>",
                "no terminal sends <c-1>: Control makes a key of its own of a to z, <c-space>, \
                 <c-\\>, <c-]>, <c-^> and <c-_> alone",
            ),
            (
                " ",
                "a key was expected, for instance \"g d\"; a blank is <space>",
            ),
        ] {
            assert_eq!(sequence(spelling).expect_err(says), says);
        }
        assert!(sequence("<f13>").is_err());
    }
}
