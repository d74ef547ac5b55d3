//! Matching of a word with a term.

use std::ops::{ControlFlow, Range};

use super::edit::{EDIT_FROM, one_edit};
use super::fuzzy::{Fuzzy, has_in_order};
use super::needle::Literal;
use crate::text::{self, Folding, TextWord, is_of_word, is_spaceless, is_unseen, letters};

/// Quality of a match, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MatchTier {
    /// One letter is wrong, extra or missing.
    MistypedWords = 1,
    /// All letters are there in order, with much in between.
    Loose,
    /// Letters are missing in between, or two neighbours are swapped.
    Near,
    /// Inside a word, or at its end.
    Inside,
    /// At the beginning of a word.
    Prefix,
    /// The whole word.
    Exact,
}

/// Score of a term; 0 is no match.
pub(super) type MatchScore = u8;

/// Bits below the tier: the prompt, and the share of the word.
const TIER: u32 = 5;
const PROMPT: MatchScore = 1 << 4;
const BEST: MatchScore = 15;

/// The best score outside the prompt.
pub(super) const BEST_VALUE: MatchScore = value(MatchTier::Exact, BEST);

/// Returns the score of a match.
pub(super) const fn value(tier: MatchTier, share: MatchScore) -> MatchScore {
    (tier as MatchScore) << TIER | share
}

/// Returns the score of a match in the prompt.
pub(super) const fn in_prompt(value: MatchScore) -> MatchScore {
    value | PROMPT
}

/// Returns the tier of a score; 0 without a match.
pub(super) const fn tier(value: MatchScore) -> u8 {
    value >> TIER
}

/// True if the match is in the prompt.
pub(super) const fn is_in_prompt(value: MatchScore) -> bool {
    value & PROMPT != 0
}

/// Returns the matched share of the word, 0 to 15.
pub(super) const fn share(value: MatchScore) -> u8 {
    value & BEST
}

/// Letters and digits, sorted by frequency in English words, rarest first.
const RARE: [u8; 36] = *b"zqxjkvbpygfwmucldrhsnioate9876543210";
/// Least letters of a term that may match inexactly.
pub(super) const FUZZY_FROM: usize = 3;
/// Fractions of a term's score with itself: the least for a match, and for a near one.
const LEAST: f64 = 0.55;
const NEAR: f64 = 0.75;

/// A term that single words can match.
pub(super) struct WordTerm {
    pub(super) loose: String,
    pub(super) letters: u64,
    /// Its rarest letter; `None` without ASCII letters.
    rarest: Option<u8>,
    /// Its folding and text, if it is sensitive to case or accents.
    strict: Option<(Folding, String)>,
    /// Its score with itself, if inexact matches count.
    own_score: Option<i64>,
    /// How to find mistyped words without its rarest letter, if one edit is allowed.
    mistyped: Option<MistypedWords>,
    head: bool,
    tail: bool,
}

/// Finds words that lack a term's rarest letter, because that is the mistyped one, by the letters
/// before or after it.
struct MistypedWords {
    /// Most bytes that a word can be shorter than the term.
    slack: usize,
    /// A part that such words contain, and the index of its rarest letter; `None` if the rarest
    /// letter occurs twice or not at all.
    part: Option<(String, usize)>,
}

impl MistypedWords {
    /// Returns `None` for terms that allow no edit: short ones, numbers, and mixtures of ASCII and
    /// other letters.
    fn new(term: &str, rarest: Option<u8>) -> Option<Self> {
        let is_alike = term.is_ascii() || term.chars().all(|c| !c.is_ascii());
        if term.chars().count() < EDIT_FROM || !is_alike || !term.chars().all(char::is_alphabetic) {
            return None;
        }
        let Some(rarest) = rarest else {
            return Some(Self {
                slack: 4,
                part: None,
            });
        };
        let mut places = term
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == rarest)
            .map(|(at, _)| at);
        let part = places
            .next()
            .filter(|_| places.next().is_none())
            .and_then(|at| {
                let parts = [&term[..at], &term[at + 1..]];
                let found = |letter: u8| {
                    parts
                        .into_iter()
                        .find_map(|part| Some((part, part.bytes().position(|it| it == letter)?)))
                };
                let (part, letter) = RARE.into_iter().find_map(found)?;
                Some((part.to_owned(), letter))
            });
        Some(Self { slack: 1, part })
    }
}

impl WordTerm {
    /// Returns `None` if single words cannot match: the term has blanks or punctuation, or its
    /// script has no blanks.
    pub(super) fn new(literal: &Literal, fuzzy: &Fuzzy) -> Option<Self> {
        let loose = Folding::LOOSE.fold(&literal.typed).into_owned();
        let is_word = !loose.is_empty() && loose.chars().all(|c| is_of_word(c) && !is_spaceless(c));
        if !is_word || literal.typed.chars().any(is_unseen) {
            return None;
        }
        let folding = Folding::of(&literal.typed);
        let strict = (folding != Folding::LOOSE)
            .then(|| (folding, folding.fold(&literal.typed).into_owned()));
        let long = literal.fuzzy && loose.chars().count() >= FUZZY_FROM;
        let own_score = long.then(|| fuzzy.score(&loose, &loose)).flatten();
        let rarest = RARE
            .iter()
            .copied()
            .find(|letter| loose.as_bytes().contains(letter));
        Some(Self {
            letters: letters(&loose),
            mistyped: if long {
                MistypedWords::new(&loose, rarest)
            } else {
                None
            },
            rarest,
            loose,
            strict,
            own_score,
            head: literal.head,
            tail: literal.tail,
        })
    }

    /// Passes the words of a text that can match to `show`, with their score, until it breaks.
    /// Words are not in order.
    pub(super) fn candidates(
        &self,
        text: &str,
        fuzzy: &Fuzzy,
        show: &mut impl FnMut(Range<usize>, Option<MatchScore>) -> ControlFlow<()>,
    ) {
        // A break needs no handling.
        let _ = self.each_candidate(text, &mut |word| {
            let written = &text[word.range.clone()];
            let folded = Folding::LOOSE.fold(written);
            let fit = self.fit(&folded, written, word.letters, fuzzy);
            show(word.range, fit)
        });
    }

    fn each_candidate(
        &self,
        text: &str,
        show: &mut impl FnMut(TextWord) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut fitting = |word: TextWord| {
            if self.may_fit(word.letters, word.range.len()) {
                show(word)
            } else {
                ControlFlow::Continue(())
            }
        };
        let Some(letter) = self.rarest else {
            return text::words_beyond_ascii(text, &mut fitting);
        };
        text::words_with(text, letter, &mut fitting)?;
        match self
            .mistyped
            .as_ref()
            .and_then(|mistyped| mistyped.part.as_ref())
        {
            Some((part, rarest)) => text::words_with_part(text, part, *rarest, &mut |word| {
                // Words with that letter were passed before.
                if text::has_letter(word.letters, letter) {
                    ControlFlow::Continue(())
                } else {
                    fitting(word)
                }
            }),
            None => ControlFlow::Continue(()),
        }
    }

    /// True if inexact matches count.
    pub(super) fn is_fuzzy(&self) -> bool {
        self.own_score.is_some()
    }

    /// True if the term is sensitive to case or accents.
    pub(super) fn is_strict(&self) -> bool {
        self.strict.is_some()
    }

    /// True if a word with these letters and this length in bytes can match.
    pub(super) fn may_fit(&self, letters: u64, bytes: usize) -> bool {
        let lacking = self.letters & !letters;
        match &self.mistyped {
            None => lacking == 0 && (bytes >= self.loose.len() || letters == u64::MAX),
            // At most one letter can be missing.
            Some(mistyped) => {
                lacking & lacking.wrapping_sub(1) == 0
                    && (bytes + mistyped.slack >= self.loose.len() || letters == u64::MAX)
            }
        }
    }

    /// Returns the score of a word, given as folded and as written, with its letters; `None`
    /// without a match.
    pub(super) fn fit(
        &self,
        folded: &str,
        written: &str,
        letters: u64,
        fuzzy: &Fuzzy,
    ) -> Option<MatchScore> {
        if self.letters & !letters != 0 {
            return self.mistyped(folded, written);
        }
        match &self.strict {
            None => self
                .fit_folded(folded, &self.loose)
                .or_else(|| self.nearly(folded, fuzzy)),
            Some((folding, term)) => {
                let word = folding.fold(written);
                self.fit_folded(&word, term).or_else(|| {
                    let nearly = self.nearly(folded, fuzzy)?;
                    (has_in_order(&word, term) || swapped(&word, term)).then_some(nearly)
                })
            }
        }
        .or_else(|| self.mistyped(folded, written))
    }

    fn mistyped(&self, folded: &str, written: &str) -> Option<MatchScore> {
        self.mistyped.as_ref()?;
        let letters = edited(folded, &self.loose)?;
        if let Some((folding, term)) = &self.strict {
            edited(&folding.fold(written), term)?;
        }
        // A whole word ranks before a longer one.
        let share = if letters == folded.len() {
            BEST
        } else {
            part(letters, folded.len()).min(BEST - 1)
        };
        Some(value(MatchTier::MistypedWords, share))
    }

    fn fit_folded(&self, word: &str, term: &str) -> Option<MatchScore> {
        let tier = match (self.head, self.tail) {
            _ if word == term => MatchTier::Exact,
            (true, true) => return None,
            (_, false) if word.starts_with(term) => MatchTier::Prefix,
            (false, true) if word.ends_with(term) => MatchTier::Inside,
            (false, false) if word.contains(term) => MatchTier::Inside,
            _ => return None,
        };
        Some(value(tier, part(term.len(), word.len())))
    }

    fn nearly(&self, word: &str, fuzzy: &Fuzzy) -> Option<MatchScore> {
        let own = self.own_score? as f64;
        if swapped(word, &self.loose) {
            return Some(value(MatchTier::Near, part(self.loose.len(), word.len())));
        }
        let reached = fuzzy.score(word, &self.loose)? as f64 / own;
        let tier = if reached >= NEAR {
            MatchTier::Near
        } else {
            MatchTier::Loose
        };
        (reached >= LEAST).then(|| value(tier, (reached.min(1.0) * f64::from(BEST)) as MatchScore))
    }

    /// Returns the matching bytes of a written word: all occurrences, or the characters of an
    /// inexact match.
    pub(super) fn places(&self, written: &str, fuzzy: &Fuzzy) -> Vec<Range<usize>> {
        let (folding, term) = match &self.strict {
            None => (Folding::LOOSE, &self.loose),
            Some((folding, term)) => (*folding, term),
        };
        let traced = folding.trace(written);
        let places: Vec<_> = match (self.head, self.tail) {
            (_, true) => traced
                .text
                .strip_suffix(term.as_str())
                .map(str::len)
                .into_iter()
                .collect(),
            (true, false) => traced
                .text
                .starts_with(term.as_str())
                .then_some(0)
                .into_iter()
                .collect(),
            (false, false) => traced
                .text
                .match_indices(term.as_str())
                .map(|(at, _)| at)
                .collect(),
        };
        if !places.is_empty() {
            return places
                .into_iter()
                .map(|at| traced.origin(written, at..at + term.len()))
                .collect();
        }
        let traced = Folding::LOOSE.trace(written);
        let starts: Vec<_> = traced
            .text
            .char_indices()
            .map(|(at, c)| at..at + c.len_utf8())
            .collect();
        let begins = |bytes: usize| (0..traced.text[..bytes].chars().count()).collect();
        let places: Vec<usize> = if swapped(&traced.text, &self.loose) {
            (0..self.loose.chars().count()).collect()
        } else if self.nearly(&traced.text, fuzzy).is_some() {
            fuzzy.places(&traced.text, &self.loose)
        } else {
            edited(&traced.text, &self.loose).map_or_else(Vec::new, begins)
        };
        places
            .into_iter()
            .filter_map(|place| Some(traced.origin(written, starts.get(place)?.clone())))
            .collect()
    }
}

/// Returns the number of bytes of a word that equal a term after one edit.
fn edited(word: &str, term: &str) -> Option<usize> {
    if word.is_ascii() && term.is_ascii() {
        return one_edit(word.as_bytes(), term.as_bytes());
    }
    let [letters, term_letters] = [word, term].map(|text| text.chars().collect::<Vec<_>>());
    let count = one_edit(&letters, &term_letters)?;
    Some(letters[..count].iter().map(|c| c.len_utf8()).sum())
}

/// Returns the share of a part in a word, 0 to 15.
fn part(part: usize, word: usize) -> MatchScore {
    (part * usize::from(BEST))
        .checked_div(word)
        .unwrap_or(0)
        .min(usize::from(BEST)) as MatchScore
}

/// True if a word has two neighbouring letters swapped relative to the term. The beginning of a
/// word is enough if at least two other letters match.
fn swapped(word: &str, term: &str) -> bool {
    let (mut word, mut term) = (word.chars(), term.chars());
    let mut letters = 0;
    let differing = loop {
        match (word.next(), term.next()) {
            (Some(a), Some(b)) if a == b => letters += 1,
            (Some(a), Some(b)) => break (a, b),
            _ => return false,
        }
    };
    if (word.next(), term.next()) != (Some(differing.1), Some(differing.0)) {
        return false;
    }
    loop {
        match (word.next(), term.next()) {
            (Some(a), Some(b)) if a == b => letters += 1,
            (None, None) => return true,
            (Some(_), None) => return letters >= 2,
            _ => return false,
        }
    }
}
