//! Phrases over lines as JSON spells them: what a text of a line can have is known before it is
//! decoded.
//!
//! A part of the phrase is sought as it stands. Where a line lacks it, a text of it can have the part
//! only by characters that fold to those of the part or to nothing, or by emphasis inside a word:
//! those are looked for, with what stands beside them, in one pass over the rare bytes of a line.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use memchr::memchr_iter;
use regex::bytes;

use super::fold::{Folding, first_beyond_ascii};
use super::raw_escapes::{self, EscapeFinder};
use super::signs;

/// Finds a phrase in a line as JSON spells it.
#[derive(Debug)]
pub(super) struct RawPhrase {
    part: bytes::Regex,
    letters: PartLetters,
    escapes: EscapeFinder,
}

impl RawPhrase {
    /// `None` for a phrase whose characters JSON spells otherwise as a rule.
    pub(super) fn new(parts: &[String], folding: Folding) -> Option<Self> {
        let has_escape = |c: char| matches!(c, '"' | '\\' | '/') || c.is_control();
        let runs = parts.iter().flat_map(|part| part.split(has_escape));
        let part = runs
            .filter(|part| !part.is_empty())
            .max_by_key(|part| part.len())?;
        let mut pattern = String::new();
        let mut borders = signs::borders(part).peekable();
        for (at, c) in part.char_indices() {
            if borders.next_if_eq(&at).is_some() {
                pattern += signs::IN_JSON;
            }
            push_literal(&mut pattern, c);
        }
        let part_regex = bytes::RegexBuilder::new(&pattern)
            .case_insensitive(!folding.case)
            .unicode(false)
            .build();
        Some(Self {
            part: part_regex.ok()?,
            letters: PartLetters::new(part, folding),
            escapes: EscapeFinder::new(),
        })
    }

    /// Whether a decoded text of a line can have the phrase.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        self.part.is_match(line)
            || self.letters.are_beyond_ascii(line)
            || self
                .escapes
                .any(line, |c, at| self.letters.fits_escaped(line, c, at))
            || self.letters.have_emphasis_inside(line)
    }
}

/// A character of ASCII; of others, which may be anything, a sign that may stand beside any.
fn neighbour(line: &[u8], at: usize) -> Option<char> {
    let byte = line.get(at)?;
    Some(if byte.is_ascii() {
        char::from(*byte)
    } else {
        '\\'
    })
}

/// As a regular expression over bytes has it.
fn push_literal(pattern: &mut String, c: char) {
    let mut bytes = [0; 4];
    let literal = c.encode_utf8(&mut bytes);
    if c.is_ascii() {
        *pattern += &regex::escape(literal);
    } else {
        literal
            .bytes()
            .for_each(|byte| *pattern += &format!(r"\x{byte:02X}"));
    }
}

/// The characters of a part of a phrase, and what in a line may become some of them.
#[derive(Debug)]
struct PartLetters {
    folding: Folding,
    letters: Vec<char>,
    /// Bytes that are one of them, in either case, or of a character that may be.
    bytes: [bool; 256],
    /// What is known of characters below U+10000: one of [`PLAIN`] and [`SPECIAL`], or nothing yet.
    /// Texts repeat few of them, and few are asked for at all.
    known: Box<[AtomicU8]>,
}

/// A character that is itself, or becomes what is not of the part.
const PLAIN: u8 = 1;
/// One that becomes nothing, or something else that is of the part.
const SPECIAL: u8 = 2;
/// Characters that it is remembered of.
const KNOWN: usize = 0x1_0000;

/// What a character becomes when a text is folded.
enum Folded {
    Nothing,
    One(char),
    Several,
}

impl PartLetters {
    fn new(part: &str, folding: Folding) -> Self {
        let letters: Vec<char> = part.chars().collect();
        let mut bytes = [false; 256];
        bytes[0x80..].fill(true);
        for byte in letters.iter().filter_map(|c| u8::try_from(*c).ok()) {
            bytes[usize::from(byte.to_ascii_lowercase())] = true;
            bytes[usize::from(byte.to_ascii_uppercase())] = true;
        }
        Self {
            folding,
            letters,
            bytes,
            known: (0..KNOWN).map(|_| AtomicU8::default()).collect(),
        }
    }

    /// Whether a character can become one of the part, or nothing, or may be a sign that is passed
    /// over.
    fn can_come_of(&self, c: char) -> bool {
        let (mut is_nothing, mut is_of_part) = (true, signs::is_sign(c));
        self.folding.character(c, &mut |folded| {
            is_nothing = false;
            is_of_part |= self.letters.contains(&folded);
        });
        is_nothing || is_of_part
    }

    /// Whether a line has characters beyond ASCII that can be of the part though it does not stand
    /// there.
    fn are_beyond_ascii(&self, line: &[u8]) -> bool {
        let mut from = 0;
        while let Some(start) = first_beyond_ascii(&line[from..]) {
            let start = from + start;
            let length = line[start..].iter().position(u8::is_ascii);
            let end = length.map_or(line.len(), |length| start + length);
            let Ok(run) = std::str::from_utf8(&line[start..end]) else {
                return true;
            };
            let beside = |byte: Option<&u8>| byte.map(|byte| char::from(*byte));
            let mut before = start.checked_sub(1).and_then(|at| beside(line.get(at)));
            let mut characters = run.chars().peekable();
            while let Some(c) = characters.next() {
                if self.is_special(c) {
                    let behind = characters.peek().copied();
                    if self.fits(before, c, behind.or_else(|| beside(line.get(end)))) {
                        return true;
                    }
                }
                before = Some(c);
            }
            from = end;
        }
        false
    }

    /// Whether a character beyond ASCII is not itself once folded, and becomes nothing or something of
    /// the part.
    fn is_special(&self, c: char) -> bool {
        let Some(known) = self.known.get(c as usize) else {
            return self.becomes_other(c);
        };
        match known.load(Ordering::Relaxed) {
            0 => {
                let is_special = self.becomes_other(c);
                known.store(if is_special { SPECIAL } else { PLAIN }, Ordering::Relaxed);
                is_special
            }
            known => known == SPECIAL,
        }
    }

    fn becomes_other(&self, c: char) -> bool {
        let is_itself = matches!(self.folded(c), Folded::One(folded) if folded == c);
        !is_itself && self.can_come_of(c)
    }

    fn folded(&self, c: char) -> Folded {
        let mut folded = Folded::Nothing;
        self.folding.character(c, &mut |c| {
            folded = match folded {
                Folded::Nothing => Folded::One(c),
                _ => Folded::Several,
            }
        });
        folded
    }

    /// Whether a special character can be of the part where it stands between two others.
    fn fits(&self, before: Option<char>, c: char, behind: Option<char>) -> bool {
        let letters = &self.letters;
        match self.folded(c) {
            Folded::Nothing => self.join(before, behind),
            Folded::One(folded) => (0..letters.len()).any(|at| {
                let fits_before = at
                    .checked_sub(1)
                    .is_none_or(|at| self.is(before, letters[at]));
                let fits_behind = letters
                    .get(at + 1)
                    .is_none_or(|next| self.is(behind, *next));
                letters[at] == folded && fits_before && fits_behind
            }),
            Folded::Several => true,
        }
    }

    /// Whether a character that a line spells as `\uXXXX` can be of the part where it stands.
    fn fits_escaped(&self, line: &[u8], c: char, at: Range<usize>) -> bool {
        let is_escape = |start: usize| line[start..].starts_with(br"\u");
        let before = match at.start.checked_sub(raw_escapes::LENGTH) {
            // Escapes beside it can be anything: the other one is, as its backslash is a sign.
            Some(start) if is_escape(start) => Some('\\'),
            _ => at.start.checked_sub(1).and_then(|at| neighbour(line, at)),
        };
        let behind = neighbour(line, at.end);
        self.can_come_of(c) && (signs::is_sign(c) || self.fits(before, c, behind))
    }

    /// Whether two characters can be neighbours in the part.
    fn join(&self, before: Option<char>, behind: Option<char>) -> bool {
        let mut pairs = self.letters.windows(2);
        pairs.any(|pair| self.is(before, pair[0]) && self.is(behind, pair[1]))
    }

    /// Whether a character of a line can be this one of the part, or a sign beside it, or nothing.
    fn is(&self, c: Option<char>, letter: char) -> bool {
        c.is_some_and(|c| {
            let (mut is_nothing, mut is_it) = (true, c == letter || signs::is_sign(c));
            self.folding.character(c, &mut |folded| {
                is_nothing = false;
                is_it |= folded == letter;
            });
            is_nothing || is_it
        })
    }

    /// Whether a line may have emphasis between two of them, inside a word.
    fn have_emphasis_inside(&self, line: &[u8]) -> bool {
        let mut from = 0;
        memchr_iter(b'*', line).any(|at| {
            let before = at.checked_sub(1).map_or(b' ', |at| line[at]);
            if at < from || !self.bytes[usize::from(before)] {
                return false;
            }
            let stars = line[at..].iter().take_while(|byte| **byte == b'*').count();
            from = at + stars;
            let behind = line.get(from).copied().unwrap_or(b' ');
            self.bytes[usize::from(behind)] && self.join_bytes(before, behind)
        })
    }

    /// [`Self::join`] of bytes; those beyond ASCII can be of any character.
    fn join_bytes(&self, before: u8, behind: u8) -> bool {
        let is = |byte: u8, c| !byte.is_ascii() || self.is(Some(char::from(byte)), c);
        let mut pairs = self.letters.windows(2);
        pairs.any(|pair| is(before, pair[0]) && is(behind, pair[1]))
    }
}
