//! Phrases over lines as JSON spells them: what a text of a line can have is known before it is
//! decoded.
//!
//! A part of the phrase is sought as it stands. Where a line lacks it, a text of it can have the part
//! only by characters that fold to those of the part or to nothing: those are looked for, with what
//! stands beside them, in one pass over the rare bytes of a line.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use regex::bytes;

use super::byte_pair::{BLOCK, BytePair, PairBlock, PairVisitor, WINDOW, with_pairs};
use super::fold::Folding;
use super::raw_escapes;

/// What is known of a text by how a line spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawMatch {
    /// It does not have what is sought.
    None,
    /// It may, and is to be decoded.
    Possible,
    /// It does, where the text is what the string means and no part of that.
    Certain,
}

/// Finds a phrase in a line as JSON spells it.
#[derive(Debug)]
pub(super) struct RawPhrase {
    part: bytes::Regex,
    word: Option<RawWord>,
    letters: PartLetters,
}

/// Letters of the part that stand in a line as they are wherever the part does but for spelling.
#[derive(Debug)]
struct RawWord {
    letters: Box<[u8]>,
    pair: BytePair,
    in_either_case: bool,
    /// What it has to do with the phrase.
    of: WordOf,
}

/// What a word has to do with its phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordOf {
    /// It is the phrase.
    Phrase,
    /// It is the part of the phrase that is sought.
    Part,
    /// The part has more.
    More,
}

impl RawWord {
    /// The longest of a part; `None` where that has none of two letters.
    fn of(part: &str, phrase: &[String], folding: Folding) -> Option<Self> {
        let runs = part.split(|c: char| !c.is_ascii());
        let word = runs.max_by_key(|run| run.len())?;
        let is_of_letters = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let of = match phrase {
            [only] if only == word && is_of_letters => WordOf::Phrase,
            _ if part == word => WordOf::Part,
            _ => WordOf::More,
        };
        Some(Self {
            letters: word.as_bytes().into(),
            pair: BytePair::of(word.as_bytes(), !folding.case)?,
            in_either_case: !folding.case,
            of,
        })
    }

    /// Whether it stands at a place of a line.
    fn is_at(&self, line: &[u8], at: usize) -> bool {
        let there = line.get(at..at + self.letters.len());
        there.is_some_and(|there| match self.in_either_case {
            true => there.eq_ignore_ascii_case(&self.letters),
            false => *there == *self.letters,
        })
    }

    /// Whether it is read as it stands at a place: none of its letters is of an escape, and no mark
    /// follows it.
    fn is_read_at(&self, line: &[u8], at: usize) -> bool {
        let before = &line[at.saturating_sub(raw_escapes::LENGTH)..at];
        let mut escapes = before
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\\');
        let is_plain = escapes.all(|(at, _)| before.get(at + 1).is_some_and(|next| *next != b'u'));
        let behind = &line[at + self.letters.len()..];
        is_plain && behind.first().is_some_and(u8::is_ascii) && !behind.starts_with(br"\u")
    }
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
        part.chars().for_each(|c| push_literal(&mut pattern, c));
        let part_regex = bytes::RegexBuilder::new(&pattern)
            .case_insensitive(!folding.case)
            .unicode(false)
            .build();
        Some(Self {
            part: part_regex.ok()?,
            word: RawWord::of(part, parts, folding),
            letters: PartLetters::new(part, folding),
        })
    }

    /// Whether a text that stands in a line, or in a string of one with its quotes, can have the
    /// phrase.
    pub(super) fn look(&self, line: &[u8]) -> RawMatch {
        // Of two letters or more something is found faster than by the expression.
        if self.word.is_none() && self.part.is_match(line) {
            return RawMatch::Possible;
        }
        with_pairs(PhraseVisitor { phrase: self, line })
    }
}

/// Goes over a line, looking for what a phrase may come of.
struct PhraseVisitor<'p, 'l> {
    phrase: &'p RawPhrase,
    line: &'l [u8],
}

impl PairVisitor for PhraseVisitor<'_, '_> {
    type Output = RawMatch;

    #[inline(always)]
    fn visit(self, look: impl Fn(&[u8; WINDOW], &BytePair) -> Option<PairBlock>) -> RawMatch {
        let Self { phrase, line } = self;
        let pair = (phrase.word.as_ref()).map_or(BytePair::NEVER, |word| word.pair);
        let mut seen = SeenBytes::default();
        let mut at = 0;
        while let Some(window) = line[at..].first_chunk() {
            let block = look(window, &pair);
            let found = block.and_then(|block| phrase.look_closely(line, at, block, &mut seen));
            if let Some(found) = found {
                return found;
            }
            at += BLOCK;
        }
        // Blanks are of no word and nothing else that is looked for.
        let mut last = [b' '; WINDOW + BLOCK];
        last[..line.len() - at].copy_from_slice(&line[at..]);
        for start in (0..line.len() - at).step_by(BLOCK) {
            let window = last[start..].first_chunk();
            let block = window.and_then(|window| look(window, &pair));
            let at = at + start;
            let found = block.and_then(|block| phrase.look_closely(line, at, block, &mut seen));
            if let Some(found) = found {
                return found;
            }
        }
        RawMatch::None
    }
}

/// Up to where bytes of a line need not be looked at again.
#[derive(Debug, Default)]
struct SeenBytes {
    /// The end of the last character beyond ASCII.
    characters: usize,
    /// Whether the line is known not to have the part as it stands.
    lacks_part: bool,
}

impl RawPhrase {
    /// Looks at what stands in a block of a line, from `at` on; `None` where a text of the line cannot
    /// have the phrase by that.
    #[inline(never)]
    fn look_closely(
        &self,
        line: &[u8],
        at: usize,
        block: PairBlock,
        seen: &mut SeenBytes,
    ) -> Option<RawMatch> {
        if let Some(word) = self.word.as_ref().filter(|_| !seen.lacks_part) {
            let found = places(block.pairs, at).find(|&at| word.is_at(line, at));
            match (found, word.of) {
                (None, _) => {}
                (Some(at), WordOf::Phrase) if word.is_read_at(line, at) => {
                    return Some(RawMatch::Certain);
                }
                (Some(_), WordOf::More) if !self.part.is_match(line) => seen.lacks_part = true,
                (Some(_), _) => return Some(RawMatch::Possible),
            }
        }
        let letters = &self.letters;
        let is_possible = places(block.beyond_ascii, at).any(|at| {
            at >= seen.characters && letters.is_beyond_ascii(line, at, &mut seen.characters)
        }) || places(block.unicode_escapes, at).any(|at| {
            let (character, bytes) = raw_escapes::escaped_at(line, at);
            letters.fits_escaped(line, character, bytes)
        });
        is_possible.then_some(RawMatch::Possible)
    }
}

/// The places of the bits of a mask, of which the first is at a byte.
fn places(mut mask: u64, at: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(at + bit)
    })
}

/// The character at a place, where it is one.
fn character_at(line: &[u8], at: usize) -> Option<char> {
    let length = match line.get(at)? {
        0..0x80 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    let bytes = line.get(at..at + length)?;
    std::str::from_utf8(bytes).ok()?.chars().next()
}

/// The character that ends before a place.
fn character_before(line: &[u8], at: usize) -> Option<char> {
    let is_first = |at: &usize| !(0x80..0xC0).contains(&line[*at]);
    let start = (at.saturating_sub(4)..at).rev().find(is_first)?;
    character_at(line, start)
}

/// Stands for a character that can be any.
const ANY: char = '\0';

/// A character of ASCII; [`ANY`] for others, and for a backslash, which may start an escape.
fn neighbour(line: &[u8], at: usize) -> Option<char> {
    let byte = line.get(at)?;
    let is_plain = byte.is_ascii() && *byte != b'\\';
    Some(if is_plain { char::from(*byte) } else { ANY })
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

impl PartLetters {
    fn new(part: &str, folding: Folding) -> Self {
        let letters: Vec<char> = part.chars().collect();
        Self {
            folding,
            letters,
            known: (0..KNOWN).map(|_| AtomicU8::default()).collect(),
        }
    }

    /// What a character becomes when a text is folded.
    fn folded(&self, c: char) -> Vec<char> {
        let mut folded = Vec::new();
        self.folding.character(c, &mut |c| folded.push(c));
        folded
    }

    /// Whether a character can become one of the part, or nothing.
    fn can_come_of(&self, c: char) -> bool {
        let folded = self.folded(c);
        folded.is_empty() || folded.iter().any(|c| self.letters.contains(c))
    }

    /// Whether the character beyond ASCII at a place of a line can be of the part though that does not
    /// stand there; where it is none, anything can. `end` is where it ends.
    fn is_beyond_ascii(&self, line: &[u8], at: usize, end: &mut usize) -> bool {
        let Some(c) = character_at(line, at) else {
            return true;
        };
        *end = at + c.len_utf8();
        self.is_special(c) && self.fits(character_before(line, at), c, character_at(line, *end))
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
        self.folded(c) != [c] && self.can_come_of(c)
    }

    /// Whether a special character can be of the part where it stands between two others.
    fn fits(&self, before: Option<char>, c: char, behind: Option<char>) -> bool {
        let letters = &self.letters;
        match self.folded(c)[..] {
            [] => self.join(before, behind),
            [folded] => (0..letters.len()).any(|at| {
                let fits_before = at
                    .checked_sub(1)
                    .is_none_or(|at| self.is(before, letters[at]));
                let fits_behind = letters
                    .get(at + 1)
                    .is_none_or(|next| self.is(behind, *next));
                letters[at] == folded && fits_before && fits_behind
            }),
            _ => true,
        }
    }

    /// Whether a character that a line spells as `\uXXXX` can be of the part where it stands.
    fn fits_escaped(&self, line: &[u8], c: char, at: Range<usize>) -> bool {
        let is_escape = |start: usize| line[start..].starts_with(br"\u");
        let before = match at.start.checked_sub(raw_escapes::LENGTH) {
            Some(start) if is_escape(start) => Some(ANY),
            _ => at.start.checked_sub(1).and_then(|at| neighbour(line, at)),
        };
        let behind = neighbour(line, at.end);
        self.can_come_of(c) && self.fits(before, c, behind)
    }

    /// Whether two characters can be neighbours in the part.
    fn join(&self, before: Option<char>, behind: Option<char>) -> bool {
        let mut pairs = self.letters.windows(2);
        pairs.any(|pair| self.is(before, pair[0]) && self.is(behind, pair[1]))
    }

    /// Whether a character of a line can be this one of the part, or nothing.
    fn is(&self, c: Option<char>, letter: char) -> bool {
        c.is_some_and(|c| match c {
            ANY => true,
            c if c.is_ascii() => {
                c == letter || (!self.folding.case && c.to_ascii_lowercase() == letter)
            }
            c => {
                let folded = self.folded(c);
                c == letter || folded.is_empty() || folded.contains(&letter)
            }
        })
    }
}
