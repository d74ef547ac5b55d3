//! Needles compiled for searching.

use std::ops::Range;

use super::fuzzy::Fuzzy;
use super::needle::{Literal, Needle, TermKind};
use super::word::{
    BEST_VALUE, FUZZY_FROM, MatchScore, MatchTier, WordTerm, in_prompt, tier, value,
};
use crate::parallel::continue_if;
use crate::text::{self, Finder, Folding, Phrase, TextRegex, is_of_word, is_spaceless};

/// A compiled needle: its terms, and the fuzzy matcher that they share.
pub(super) struct PreparedNeedle {
    pub(super) terms: Vec<PreparedTerm>,
    pub(super) fuzzy: Fuzzy,
}

/// A compiled term.
pub(super) struct PreparedTerm {
    pub(super) negated: bool,
    pub(super) matcher: TextMatcher,
    /// Raw lines without this need not be read.
    raw: Option<Phrase>,
}

/// How a text is searched.
pub(super) enum TextMatcher {
    /// Word by word.
    Word(WordTerm),
    /// As characters that are not one word, or by a regular expression.
    Characters(Box<Characters>),
}

/// Matches characters in their order ([`TextMatcher::Characters`]).
pub(super) struct Characters {
    pub(super) finder: Finder,
    head: bool,
    tail: bool,
    /// Words that every matching text contains.
    pub(super) word_parts: Vec<WordPart>,
}

/// A word, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordPart {
    folded: String,
    pub(super) letters: u64,
    begins: bool,
    ends: bool,
}

/// A match of a term in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermMatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) term: usize,
    pub(super) tier: u8,
}

impl PreparedTerm {
    /// True if single words can match the term.
    pub(super) fn is_word(&self) -> bool {
        matches!(self.matcher, TextMatcher::Word(_))
    }

    /// True if most lines without the term need not be read: it is not fuzzy, and longer than a few
    /// common letters.
    pub(super) fn rules_out_lines(&self) -> bool {
        match &self.matcher {
            TextMatcher::Word(word) if self.raw.is_some() => {
                !self.negated && word.loose.len() >= FUZZY_FROM
            }
            _ => false,
        }
    }
}

impl PreparedNeedle {
    pub(super) fn new(needle: &Needle) -> Self {
        let fuzzy = Fuzzy::new();
        let terms = needle.terms.iter().filter_map(|term| {
            let (matcher, raw) = match &term.kind {
                TermKind::Literal(literal) => matcher(literal, &fuzzy),
                // The parser of needles has compiled it before.
                TermKind::Regex(source) => {
                    let finder = Finder::Regex(Box::new(TextRegex::new(source).ok()?));
                    (Characters::matcher(finder, &Literal::default()), None)
                }
            };
            Some(PreparedTerm {
                negated: term.negated,
                matcher,
                raw,
            })
        });
        Self {
            terms: terms.collect(),
            fuzzy,
        }
    }

    /// True if the texts of these raw lines can match every term.
    pub(super) fn may_be_in(&self, lines: &[&[u8]]) -> bool {
        self.terms.iter().filter(|term| !term.negated).all(|term| {
            match (&term.matcher, &term.raw) {
                (TextMatcher::Word(_), None) => true,
                (_, Some(raw)) => lines.iter().any(|line| raw.may_be_in(line)),
                (TextMatcher::Characters(characters), None) => {
                    lines.iter().any(|line| characters.finder.may_be_in(line))
                }
            }
        })
    }

    /// Searches a text and raises the score of each term that matches better here.
    pub(super) fn look(&self, text: &str, is_prompt: bool, values: &mut [MatchScore]) {
        let here = |value: MatchScore| if is_prompt { in_prompt(value) } else { value };
        for (term, best) in self.terms.iter().zip(values) {
            if *best >= here(BEST_VALUE) {
                continue;
            }
            match &term.matcher {
                TextMatcher::Characters(characters) => {
                    let found = characters.value(text);
                    *best = (*best).max(if found > 0 { here(found) } else { 0 });
                }
                TextMatcher::Word(matcher) => {
                    matcher.candidates(text, &self.fuzzy, &mut |_, found| {
                        *best = (*best).max(found.map_or(0, here));
                        continue_if(*best < here(BEST_VALUE))
                    });
                }
            }
        }
    }

    /// Returns the sorted matches in a text, at most `most` per term that is not negated.
    pub(super) fn places(&self, text: &str, most: usize) -> Vec<TermMatch> {
        let mut places = Vec::new();
        for (term, ready) in self
            .terms
            .iter()
            .enumerate()
            .filter(|(_, term)| !term.negated)
        {
            let upto = places.len() + most;
            match &ready.matcher {
                TextMatcher::Characters(characters) => {
                    let found = characters.places(text).into_iter().take(most);
                    places.extend(found.map(|(range, tier)| place(range, term, tier as u8)));
                }
                TextMatcher::Word(matcher) => {
                    matcher.candidates(text, &self.fuzzy, &mut |word, fit| {
                        places.extend(fit.map(|fit| place(word, term, tier(fit))));
                        continue_if(places.len() < upto)
                    });
                }
            }
        }
        places.sort_unstable();
        places
    }
}

fn place(range: Range<usize>, term: usize, tier: u8) -> TermMatch {
    TermMatch {
        start: range.start,
        end: range.end,
        term,
        tier,
    }
}

fn matcher(literal: &Literal, fuzzy: &Fuzzy) -> (TextMatcher, Option<Phrase>) {
    let phrase = Phrase::new(&literal.typed);
    match WordTerm::new(literal, fuzzy) {
        Some(word) if word.is_fuzzy() => (TextMatcher::Word(word), None),
        Some(word) => (TextMatcher::Word(word), Some(phrase)),
        None => {
            let finder = Finder::Phrase(Box::new(phrase));
            (Characters::matcher(finder, literal), None)
        }
    }
}

/// Splits a literal into words; the first and last can be parts of words.
fn word_parts(literal: &Literal) -> Vec<WordPart> {
    let typed = &literal.typed;
    let mut word_parts = Vec::new();
    if typed.chars().any(text::is_unseen) {
        return word_parts;
    }
    text::words(typed, |word| {
        let folded = Folding::LOOSE.fold(&typed[word.clone()]);
        let Some(first) = folded.chars().next().filter(|c| !text::continues(*c)) else {
            return;
        };
        let alone = is_spaceless(first);
        let folded = if alone {
            first.to_string()
        } else {
            folded.into_owned()
        };
        let begins = alone || literal.head || word.start > 0;
        let ends = alone || literal.tail || word.end < typed.len();
        word_parts.push(WordPart {
            letters: text::letters(&folded),
            folded,
            begins,
            ends,
        });
    });
    word_parts
}

impl WordPart {
    /// True if a folded word contains the part.
    pub(super) fn is_of(&self, word: &str) -> bool {
        match (self.begins, self.ends) {
            (true, true) => word == self.folded,
            (true, false) => word.starts_with(&self.folded),
            (false, true) => word.ends_with(&self.folded),
            (false, false) => word.contains(&self.folded),
        }
    }
}

impl Characters {
    /// Returns the matcher of a literal, or of a regex with an empty literal.
    fn matcher(finder: Finder, literal: &Literal) -> TextMatcher {
        TextMatcher::Characters(Box::new(Self {
            finder,
            head: literal.head,
            tail: literal.tail,
            word_parts: word_parts(literal),
        }))
    }

    /// Returns the score of a text.
    fn value(&self, text: &str) -> MatchScore {
        match &self.finder {
            finder if !finder.is_in(text) => return 0,
            Finder::Regex(_) => return value(MatchTier::Exact, 0),
            Finder::Phrase(_) => {}
        }
        self.places(text)
            .into_iter()
            .map(|(_, tier)| value(tier, 0))
            .max()
            .unwrap_or(0)
    }

    /// Returns all matches in a text.
    pub(super) fn places(&self, text: &str) -> Vec<(Range<usize>, MatchTier)> {
        self.finder
            .places(text)
            .into_iter()
            .filter_map(|range| Some((range.clone(), self.tier(text, &range)?)))
            .collect()
    }

    /// Returns the tier of a match of the characters; `None` if its word boundaries do not fit.
    fn tier(&self, text: &str, range: &Range<usize>) -> Option<MatchTier> {
        if let Finder::Regex(_) = self.finder {
            return Some(MatchTier::Exact);
        }
        let head = is_border(&text[..range.start], &text[range.start..]);
        let tail = is_border(&text[..range.end], &text[range.end..]);
        let tier = match (head, tail) {
            (true, true) => MatchTier::Exact,
            (true, false) => MatchTier::Prefix,
            (false, _) => MatchTier::Inside,
        };
        ((head || !self.head) && (tail || !self.tail)).then_some(tier)
    }
}

/// True if no word spans the border of two texts.
fn is_border(before: &str, after: &str) -> bool {
    let joins = |c: char| is_of_word(c) && !is_spaceless(c);
    let (last, next) = (
        before.chars().rev().find(|c| !text::is_unseen(*c)),
        after.chars().find(|c| !text::is_unseen(*c)),
    );
    !(last.is_some_and(joins) && next.is_some_and(joins))
}
