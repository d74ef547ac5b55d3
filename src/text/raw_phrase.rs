//! Searches raw JSON lines for a phrase, so that most texts need not be decoded.
//!
//! A part of the phrase is searched for as bytes. A line without it can match only through an
//! escape, or a character beyond ASCII, that folds to a letter of the part or to nothing.

use std::sync::atomic::{AtomicU8, Ordering};

use memchr::memmem;
use regex::bytes;

use super::fold::Folding;

/// A phrase compiled for raw JSON.
#[derive(Debug)]
pub(super) struct RawPhrase {
    part: bytes::Regex,
    /// The folding of a typed phrase; literals of regular expressions ignore case only.
    folding: Option<Folding>,
    letters: Vec<char>,
    /// Whether characters below U+10000 are special: 1 if not, 2 if so, 0 if unknown. Cached because
    /// texts repeat few characters.
    known: Box<[AtomicU8]>,
}

/// Number of cached characters.
const KNOWN: usize = 0x1_0000;
/// Bytes that are searched at once for characters beyond ASCII.
const BLOCK: usize = 64;

impl RawPhrase {
    /// Returns `None` for a phrase of characters that JSON usually escapes.
    pub(super) fn new(parts: &[String], case: bool, folding: Option<Folding>) -> Option<Self> {
        let runs = parts.iter().flat_map(|part| part.split(has_escape));
        let runs = runs.filter(|part| !part.is_empty());
        let part = runs.max_by_key(|part| part.len())?;
        let literal = |byte: u8| format!(r"\x{byte:02X}");
        let regex = bytes::RegexBuilder::new(&part.bytes().map(literal).collect::<String>())
            .case_insensitive(!case)
            .unicode(false)
            .build();
        Some(Self {
            part: regex.ok()?,
            folding,
            letters: part.chars().collect(),
            known: (0..KNOWN).map(|_| AtomicU8::default()).collect(),
        })
    }

    /// True if a text in a raw line can contain the phrase.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        let fits = |text: &str| {
            beyond_ascii(text).any(|(at, c)| self.is_special(c) && self.fits(text, at, c))
        };
        self.part.is_match(line)
            || escaped(line).any(|c| can_become(&self.folded(c), &self.letters))
            || std::str::from_utf8(line).map_or(true, fits)
    }

    fn folded(&self, c: char) -> Vec<char> {
        let Some(folding) = self.folding else {
            return c.to_uppercase().flat_map(char::to_lowercase).collect();
        };
        let mut folded = Vec::new();
        folding.character(c, &mut |c| folded.push(c));
        folded
    }

    /// True if a character folds to another letter of the part, or to nothing.
    fn is_special(&self, c: char) -> bool {
        let compute = || {
            let folded = self.folded(c);
            folded != [c] && can_become(&folded, &self.letters)
        };
        let Some(known) = self.known.get(c as usize) else {
            return compute();
        };
        if known.load(Ordering::Relaxed) == 0 {
            known.store(1 + u8::from(compute()), Ordering::Relaxed);
        }
        known.load(Ordering::Relaxed) == 2
    }

    /// True if a special character at a position of a line can belong to the part between the
    /// characters beside it.
    fn fits(&self, line: &str, at: usize, c: char) -> bool {
        let before = &line.as_bytes()[..at];
        let is_escaped = before.len() >= LENGTH && before[at - LENGTH..].starts_with(br"\u");
        let before = line[..at].chars().next_back().filter(|_| !is_escaped);
        let after = line[at + c.len_utf8()..].chars().next();
        // After an escape, or before one, there can be any character.
        let can_be = |beside: Option<char>, letter: Option<&char>| {
            let beside = beside.filter(|beside| *beside != '\\');
            beside.zip(letter).is_none_or(|(beside, letter)| {
                let is_same = letter.eq_ignore_ascii_case(&beside);
                is_same || !beside.is_ascii() && can_become(&self.folded(beside), &[*letter])
            })
        };
        let letters = &self.letters;
        match self.folded(c)[..] {
            [] => letters
                .windows(2)
                .any(|beside| can_be(before, beside.first()) && can_be(after, beside.last())),
            [only] => (0..letters.len()).any(|place| {
                letters[place] == only
                    && can_be(before, letters.get(place.wrapping_sub(1)))
                    && can_be(after, letters.get(place + 1))
            }),
            // Regular expressions fold letters one to one.
            _ => self.folding.is_some(),
        }
    }
}

/// True if JSON usually escapes a character.
pub(super) fn has_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '/') || c.is_control()
}

/// True if a folded character is nothing, or has one of these letters in either case.
fn can_become(folded: &[char], letters: &[char]) -> bool {
    let is_letter = |c: &char| letters.iter().any(|letter| letter.eq_ignore_ascii_case(c));
    folded.is_empty() || folded.iter().any(is_letter)
}

/// Iterates over the characters beyond ASCII with their positions; blocks without any are skipped
/// at once.
fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    let blocks = text.as_bytes().chunks(BLOCK).enumerate();
    let blocks = blocks.filter(|(_, block)| !block.is_ascii());
    let starts = blocks.flat_map(|(place, block)| {
        let starts = block.iter().enumerate().filter(|(_, byte)| **byte >= 0xC0);
        starts.map(move |(at, _)| place * BLOCK + at)
    });
    starts.filter_map(|at| Some((at, text[at..].chars().next()?)))
}

/// Bytes of one escape.
const LENGTH: usize = 6;

/// Iterates over the characters of a line that are spelled `\uXXXX`. Half a surrogate pair, or an
/// invalid escape, counts as U+FFFD, as in decoded text.
fn escaped(line: &[u8]) -> impl Iterator<Item = char> {
    // The second half of a pair is also read alone; this matters only for U+FFFD.
    memmem::find_iter(line, r"\u").map(move |at| character(&line[at..]))
}

/// Decodes an escape, or the two of a surrogate pair.
fn character(spelling: &[u8]) -> char {
    let character = match code_unit(spelling) {
        Some(high @ 0xD800..0xDC00) => spelling
            .get(LENGTH..)
            .and_then(code_unit)
            .filter(|low| (0xDC00..0xE000).contains(low))
            .and_then(|low| char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))),
        unit => unit.and_then(char::from_u32),
    };
    character.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the UTF-16 code unit of a `\uXXXX` at the beginning.
pub fn code_unit(spelling: &[u8]) -> Option<u32> {
    let digits = spelling.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, digit| {
        char::from(*digit)
            .to_digit(16)
            .map(|digit| unit << 4 | digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_in_any_spelling() {
        for (line, expected) in [
            (r"a\u0065b", 'e'),
            (r"\u00E9", 'é'),
            (r"\u00e9", 'é'),
            (r"\uD83D\ude00", '😀'),
            (r"\\\u20ac", '€'),
            (r"\ud83d x", '\u{FFFD}'),
            (r"\udE00", '\u{FFFD}'),
            (r"\ud83d\u0041", 'A'),
            (r"\u12", '\u{FFFD}'),
            (r"\u+123", '\u{FFFD}'),
        ] {
            let escaped: Vec<_> = escaped(line.as_bytes()).collect();
            assert!(escaped.contains(&expected), "{line}");
            assert!(!escaped.contains(&'u'), "{line}");
        }
    }
}
