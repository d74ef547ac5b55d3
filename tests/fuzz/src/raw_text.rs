//! Arbitrary regular expressions, phrases and texts: a line of JSON is never ruled out if its text
//! matches, however it is escaped.

use visavis::{Finder, Phrase, TextRegex};

/// Parts of patterns; every second one does not open or close anything.
const PATTERNS: &[&str] = &[
    "a",
    "b",
    "k",
    "s",
    "S",
    "é",
    "ß",
    "漢",
    "😀",
    "0",
    " ",
    "/",
    "\"",
    r"\\",
    r"\n",
    r"\t",
    r"\x{1b}",
    r"\x{FFFD}",
    "ſ",
    "\u{212a}",
    "'",
    "_",
    ".",
    "(?s:.)",
    r"\w",
    r"\W",
    r"\d",
    r"\D",
    r"\s",
    r"\S",
    "[a-k]",
    "[^a]",
    "[^é]",
    r"[^\x00-\x7F]",
    r"\p{Greek}",
    r"\pL",
    "[é-ü]",
    "[😀-😎]",
    "[a😀]",
    r#"["\\/]"#,
    "^",
    "$",
    r"\b",
    r"\B",
    "(?m:^)",
    "(?m:$)",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "|",
    "(",
    "(?:",
    "(?i:",
    "(?-i:",
    "(?s:",
    ")",
    ")",
    ")?",
    ")+",
    ")*",
    "x",
    ")",
];
/// Characters of phrases and texts.
const CHARACTERS: &[char] = &[
    'a', 'b', 'e', 'k', 's', 'A', 'E', 'K', 'S', '0', '2', '.', '_', ' ', ' ', '\n', '\t', '\u{8}',
    '\u{1b}', '"', '\'', '\\', '/', '*', '*', '`', '[', '>', 'é', 'É', 'ß', 'æ', 'ſ', '\u{212a}',
    '\u{301}', '\u{ad}', '\u{200b}', '\u{fe0f}', '’', '“', '…', '²', 'ﬁ', 'ａ', '\u{a0}',
    '\u{2028}', 'λ', 'Σ', 'ς', 'Д', 'д', '漢', '한', 'か', '😀', '𝐛', '\u{fffd}',
];
/// Bytes of an input that are used: long patterns compile slowly.
const MAX_BYTES: usize = 24;
/// Ways to escape a text.
const WAYS: u8 = 5;

/// Builds a pattern or a phrase, and texts with all escapes, and searches the texts.
pub fn raw_text(data: &[u8]) {
    let Some((how, data)) = data.split_first() else {
        return;
    };
    let (sought, rest) = data.split_at(data.len().min(MAX_BYTES / 2));
    let finder = if how.is_multiple_of(2) {
        let parts = sought.iter().map(|byte| one_of(PATTERNS, *byte));
        let mut pattern: String = parts.collect();
        // Most would not compile.
        let open = pattern.matches('(').count();
        let close = pattern.matches(')').count();
        pattern.extend(std::iter::repeat_n(')', open.saturating_sub(close)));
        match TextRegex::new(&pattern) {
            Ok(regex) => Finder::Regex(Box::new(regex)),
            Err(reason) => return assert!(!reason.is_empty()),
        }
    } else {
        // Usually a part of the first text, so that it matches.
        let from = if how % 8 == 1 { sought } else { rest };
        let from = &from[from.len().min(usize::from(how >> 4))..];
        let typed = from.iter().map(|byte| one_of(CHARACTERS, *byte));
        let typed: String = typed.take(1 + usize::from(how >> 3 & 3)).collect();
        let typed = if how % 4 == 1 {
            typed
        } else {
            typed.to_lowercase()
        };
        Finder::Phrase(Box::new(Phrase::new(&typed)))
    };
    for bytes in rest.chunks(MAX_BYTES).take(8) {
        let text: String = bytes.iter().map(|byte| one_of(CHARACTERS, *byte)).collect();
        let is_in = finder.is_in(&text);
        for way in 0..=WAYS {
            let spelling = spelling(&text, bytes, way);
            let line = format!(r#"{{"prompt": {spelling}, "n": 3}}"#);
            assert!(
                !is_in || finder.may_be_in(line.as_bytes()),
                "{finder:?} is in {text:?} and not in {line}"
            );
        }
    }
}

fn one_of<T: Copy>(of: &[T], byte: u8) -> T {
    of[usize::from(byte) % of.len()]
}

/// Writes a text as a JSON string; the last way mixes the others.
fn spelling(text: &str, bytes: &[u8], way: u8) -> String {
    let mut line = String::from("\"");
    for (at, c) in text.chars().enumerate() {
        let way = if way == WAYS { bytes[at] / 51 } else { way };
        let escape = match c {
            '"' | '\\' => Some(c),
            '\n' => Some('n'),
            '\t' => Some('t'),
            '\u{8}' => Some('b'),
            '/' if way == 1 => Some('/'),
            _ => None,
        };
        match (way, escape) {
            // The only way for other control characters, and used by programs that write only
            // ASCII.
            (2..=4, _) => push_units(&mut line, c, way),
            (_, Some(escape)) => line.extend(['\\', escape]),
            _ if c < ' ' => push_units(&mut line, c, 2),
            // Half a surrogate pair is read as this character.
            (1, _) if c == char::REPLACEMENT_CHARACTER => line += "\\udc00",
            _ => line.push(c),
        }
    }
    line + "\""
}

fn push_units(line: &mut String, c: char, way: u8) {
    for &mut unit in c.encode_utf16(&mut [0; 2]) {
        *line += &match way {
            2 => format!("\\u{unit:04x}"),
            3 => format!("\\u{unit:04X}"),
            _ => format!("\\u{:02X}{:02x}", unit >> 8, unit & 0xFF),
        };
    }
}
