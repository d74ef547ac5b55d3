//! Searches raw JSON lines for a phrase, so that most texts need not be decoded.
//!
//! A part of the phrase is searched for as bytes. A line without it can match only through an
//! escape, or a character beyond ASCII, that folds to a letter of the part or to nothing.

use std::sync::atomic::{AtomicU8, Ordering};

use regex::bytes;

use super::fold::Folding;
use super::raw_escapes::EscapeFinder;

/// A phrase compiled for raw JSON.
#[derive(Debug)]
pub(super) struct RawPhrase {
    part: bytes::Regex,
    escapes: EscapeFinder,
    folding: Folding,
    letters: Vec<char>,
    /// Characters below U+10000 that fold to a letter or to nothing: 1 if not, 2 if so, 0 if
    /// unknown. Cached because texts repeat few characters.
    known: Box<[AtomicU8]>,
}

/// Number of cached characters.
const KNOWN: usize = 0x1_0000;

impl RawPhrase {
    /// Returns `None` for a phrase of characters that JSON usually escapes.
    pub(super) fn new(parts: &[String], folding: Folding) -> Option<Self> {
        let has_escape = |c: char| matches!(c, '"' | '\\' | '/') || c.is_control();
        let runs = parts.iter().flat_map(|part| part.split(has_escape));
        let runs = runs.filter(|part| !part.is_empty());
        let part = runs.max_by_key(|part| part.len())?;
        // Matching only ASCII without case is faster, and `K` then has no other spelling.
        let regex = bytes::RegexBuilder::new(&regex::escape(part))
            .case_insensitive(!folding.case)
            .unicode(!part.is_ascii())
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
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        let is_special = |text: &str| text.chars().any(|c| !c.is_ascii() && self.is_special(c));
        self.part.is_match(line)
            || self.escapes.any(line, |c| self.can_become_letter(c))
            || !line.is_ascii() && std::str::from_utf8(line).map_or(true, is_special)
    }

    /// True if a character beyond ASCII can become a letter that the search for the part does not
    /// see. Cached.
    fn is_special(&self, c: char) -> bool {
        let is_special = || self.can_become_letter(c) && !self.is_searched(c);
        let Some(known) = self.known.get(c as usize) else {
            return is_special();
        };
        if known.load(Ordering::Relaxed) == 0 {
            known.store(1 + u8::from(is_special()), Ordering::Relaxed);
        }
        known.load(Ordering::Relaxed) == 2
    }

    /// True if the search for the part finds a character where it is a letter of the part.
    fn is_searched(&self, c: char) -> bool {
        let is_letter = |letter: char| match self.folding.case {
            true => c == letter,
            false => c.to_lowercase().eq([letter]),
        };
        let mut is_searched = false;
        self.folding
            .character(c, &mut |letter| is_searched = is_letter(letter));
        is_searched && self.letters.iter().any(|letter| !letter.is_ascii())
    }

    /// True if a character folds to a letter of the part, or to nothing.
    fn can_become_letter(&self, c: char) -> bool {
        let (mut is_nothing, mut is_letter) = (true, false);
        self.folding.character(c, &mut |c| {
            is_nothing = false;
            is_letter |= self.letters.contains(&c);
        });
        is_nothing || is_letter
    }
}
