//! How well a word fits a term.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use super::fuzzy::{Fuzzy, has_in_order};
use super::needle::Literal;
use crate::text::{self, Folding, is_of_word, is_spaceless, is_unseen, letters};

/// How a term is met, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// Its letters are there in their order, with much between them.
    Loose = 1,
    /// Letters are missing, or two stand in the other order.
    Near,
    /// Inside a word, or at its end.
    Inside,
    /// At the beginning of a word.
    Prefix,
    /// As a word.
    Exact,
}

/// How a term is met, as a number that grows with it; 0: it is not.
pub(super) type Value = u8;

/// Bits of a value below its tier: the prompt, and how much of the word it is.
const TIER: u32 = 5;
const PROMPT: Value = 1 << 4;
const BEST: Value = 15;

/// The best value outside the prompt.
pub(super) const BEST_VALUE: Value = value(Tier::Exact, BEST);

/// The value of a term that is met.
pub(super) const fn value(tier: Tier, share: Value) -> Value {
    (tier as Value) << TIER | share
}

/// The same, in the prompt.
pub(super) const fn in_prompt(value: Value) -> Value {
    value | PROMPT
}

/// The tier of a value, as a number; 0 where the term is not met.
pub(super) const fn tier(value: Value) -> u8 {
    value >> TIER
}

/// Whether the prompt has it so.
pub(super) const fn is_in_prompt(value: Value) -> bool {
    value & PROMPT != 0
}

/// How much of a word it is, 0 to 15.
pub(super) const fn share(value: Value) -> u8 {
    value & BEST
}

/// Letters and digits, those that fewer English words have first.
const RARE: [u8; 36] = *b"zqxjkvbpygfwmucldrhsnioate9876543210";
/// Letters from which on a term may be nearly so.
const FUZZY_FROM: usize = 3;
/// Of a term's score against itself: what a word must reach, and what is near.
const LEAST: f64 = 0.55;
const NEAR: f64 = 0.75;

/// A term that is met by single words.
pub(super) struct WordTerm {
    pub(super) loose: String,
    pub(super) letters: u64,
    /// The letter of it that the fewest words have; `None` where none is of ASCII.
    rarest: Option<u8>,
    /// As it is compared where it asks for case or accents.
    strict: Option<(Folding, String)>,
    /// Its score against itself, where words that are nearly so will do.
    own_score: Option<i64>,
    head: bool,
    tail: bool,
}

impl WordTerm {
    /// `None` where single words cannot meet it: it has blanks or punctuation, or is of a script without blanks.
    pub(super) fn new(literal: &Literal, fuzzy: &Fuzzy) -> Option<Self> {
        let loose = Folding::LOOSE.fold(&literal.typed).into_owned();
        let is_word = !loose.is_empty() && loose.chars().all(|c| is_of_word(c) && !is_spaceless(c));
        if !is_word || literal.typed.chars().any(is_unseen) {
            return None;
        }
        let folding = Folding::of(&literal.typed);
        let strict = (folding != Folding::LOOSE).then(|| (folding, folding.fold(&literal.typed).into_owned()));
        let long = literal.fuzzy && loose.chars().count() >= FUZZY_FROM;
        let own_score = long.then(|| fuzzy.score(&loose, &loose)).flatten();
        let rarest = RARE.iter().copied().find(|letter| loose.as_bytes().contains(letter));
        Some(Self {
            letters: letters(&loose),
            rarest,
            loose,
            strict,
            own_score,
            head: literal.head,
            tail: literal.tail,
        })
    }

    /// Shows the words of a text that can meet it, not in order, until told to stop.
    pub(super) fn candidates(&self, text: &str, show: &mut impl FnMut(Range<usize>) -> ControlFlow<()>) {
        let mut fitting = |word: text::Word| match self.may_fit(word.letters, word.range.len()) {
            true => show(word.range),
            false => ControlFlow::Continue(()),
        };
        // Whoever stops needs no word of it.
        let _ = match self.rarest {
            Some(letter) => text::words_with(text, letter, &mut fitting),
            None => text::words_beyond_ascii(text, &mut fitting),
        };
    }

    /// Whether a word that is nearly so will do.
    pub(super) fn is_fuzzy(&self) -> bool {
        self.own_score.is_some()
    }

    /// Whether it matters how a word is written.
    pub(super) fn is_strict(&self) -> bool {
        self.strict.is_some()
    }

    /// Whether a word with these letters and so many bytes can meet it.
    pub(super) fn may_fit(&self, letters: u64, bytes: usize) -> bool {
        letters & self.letters == self.letters && (bytes >= self.loose.len() || letters == u64::MAX)
    }

    /// How well a word fits, folded and as it is written; `None` where it does not.
    pub(super) fn fit(&self, folded: &str, written: &str, fuzzy: &Fuzzy) -> Option<Value> {
        match &self.strict {
            None => self.fit_folded(folded, &self.loose).or_else(|| self.nearly(folded, fuzzy)),
            Some((folding, term)) => {
                let word = folding.fold(written);
                self.fit_folded(&word, term).or_else(|| {
                    let nearly = self.nearly(folded, fuzzy)?;
                    (has_in_order(&word, term) || swapped(&word, term)).then_some(nearly)
                })
            }
        }
    }

    fn fit_folded(&self, word: &str, term: &str) -> Option<Value> {
        let tier = match (self.head, self.tail) {
            _ if word == term => Tier::Exact,
            (true, true) => return None,
            (_, false) if word.starts_with(term) => Tier::Prefix,
            (false, true) if word.ends_with(term) => Tier::Inside,
            (false, false) if word.contains(term) => Tier::Inside,
            _ => return None,
        };
        Some(value(tier, part(term.len(), word.len())))
    }

    fn nearly(&self, word: &str, fuzzy: &Fuzzy) -> Option<Value> {
        let own = self.own_score? as f64;
        if swapped(word, &self.loose) {
            return Some(value(Tier::Near, part(self.loose.len(), word.len())));
        }
        let reached = fuzzy.score(word, &self.loose)? as f64 / own;
        let tier = if reached >= NEAR { Tier::Near } else { Tier::Loose };
        (reached >= LEAST).then(|| value(tier, (reached.min(1.0) * f64::from(BEST)) as Value))
    }

    /// Where a word that fits has it, in bytes of the word as written: wherever it stands, or the characters that fit nearly.
    pub(super) fn places(&self, written: &str, fuzzy: &Fuzzy) -> Vec<Range<usize>> {
        let (folding, term) = match &self.strict {
            None => (Folding::LOOSE, &self.loose),
            Some((folding, term)) => (*folding, term),
        };
        let traced = folding.trace(written);
        let places: Vec<_> = match (self.head, self.tail) {
            (_, true) => traced.text.strip_suffix(term.as_str()).map(str::len).into_iter().collect(),
            (true, false) => traced.text.starts_with(term.as_str()).then_some(0).into_iter().collect(),
            (false, false) => traced.text.match_indices(term.as_str()).map(|(at, _)| at).collect(),
        };
        if !places.is_empty() {
            return places.into_iter().map(|at| traced.origin(written, at..at + term.len())).collect();
        }
        let traced = Folding::LOOSE.trace(written);
        let starts: Vec<_> = traced.text.char_indices().map(|(at, c)| at..at + c.len_utf8()).collect();
        let places = match swapped(&traced.text, &self.loose) {
            true => (0..self.loose.chars().count()).collect(),
            false => fuzzy.places(&traced.text, &self.loose),
        };
        places.into_iter().filter_map(|place| Some(traced.origin(written, starts.get(place)?.clone()))).collect()
    }
}

/// How much of a word a part is, 0 to 15.
fn part(part: usize, word: usize) -> Value {
    (part * usize::from(BEST)).checked_div(word).unwrap_or(0).min(usize::from(BEST)) as Value
}

/// Whether a word, or the beginning of one that is longer than three letters, has two neighbours in the other order than the term.
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

/// A word as it is compared without case and accents.
pub(super) fn folded<'w>(written: &'w str, scratch: &'w mut String) -> Cow<'w, str> {
    if !written.is_ascii() {
        return Folding::LOOSE.fold(written);
    }
    scratch.clear();
    scratch.push_str(written);
    scratch.make_ascii_lowercase();
    Cow::Borrowed(scratch)
}
