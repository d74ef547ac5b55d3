//! Searches raw JSON lines for a phrase, so that most texts need not be decoded.
//!
//! A part of the phrase is searched for as bytes. A line without it can match only through an
//! escape, or a character beyond ASCII, that folds to a letter of the part or to nothing.

use std::sync::atomic::{AtomicU8, Ordering};

use regex::bytes;

use super::fold::Folding;
use super::raw_escapes::EscapeFinder;
use crate::json::ESCAPE_LENGTH;

/// A phrase compiled for raw JSON.
#[derive(Debug)]
pub struct RawPhrase {
    part: bytes::Regex,
    escapes: EscapeFinder,
    folding: Folding,
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
    pub fn new(parts: &[String], folding: Folding) -> Option<Self> {
        let has_escape = |c: char| matches!(c, '"' | '\\' | '/') || c.is_control();
        let part = parts
            .iter()
            .flat_map(|part| part.split(has_escape))
            .filter(|part| !part.is_empty())
            .max_by_key(|part| part.len())?;
        let literal = |byte: u8| format!(r"\x{byte:02X}");
        let regex = bytes::RegexBuilder::new(&part.bytes().map(literal).collect::<String>())
            .case_insensitive(!folding.case)
            .unicode(false)
            .build();
        Some(Self {
            part: regex.ok()?,
            escapes: EscapeFinder::new(),
            folding,
            letters: part.chars().collect(),
            known: (0..KNOWN).map(|_| AtomicU8::default()).collect(),
        })
    }

    /// True if a text in a raw line can contain the phrase.
    pub fn may_be_in(&self, line: &[u8]) -> bool {
        let fits = |text: &str| {
            beyond_ascii(text).any(|(at, c)| self.is_special(c) && self.fits(text, at, c))
        };
        self.part.is_match(line)
            || (self.escapes).any(line, |c| can_become(&self.folded(c), &self.letters))
            || std::str::from_utf8(line).map_or(true, fits)
    }

    fn folded(&self, c: char) -> Vec<char> {
        let mut folded = Vec::new();
        self.folding.character(c, &mut |c| folded.push(c));
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
        let is_escaped =
            before.len() >= ESCAPE_LENGTH && before[at - ESCAPE_LENGTH..].starts_with(br"\u");
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
            _ => true,
        }
    }
}

/// True if a folded character is nothing, or has one of these letters.
fn can_become(folded: &[char], letters: &[char]) -> bool {
    folded.is_empty() || folded.iter().any(|c| letters.contains(c))
}

/// Iterates over the characters beyond ASCII with their positions; blocks without any are skipped
/// at once.
fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.as_bytes()
        .chunks(BLOCK)
        .enumerate()
        .filter(|(_, block)| !block.is_ascii())
        .flat_map(|(place, block)| {
            block
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte >= 0xC0)
                .map(move |(at, _)| place * BLOCK + at)
        })
        .filter_map(|at| Some((at, text[at..].chars().next()?)))
}
