//! Words that are nearly so: the one place that knows how that is told.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// Compares words, already folded, by the letters that they have in the same order.
pub(super) struct Fuzzy(SkimMatcherV2);

/// Letters that a word may have: what is longer is data, and comparing takes time that grows with
/// both lengths.
const MOST_LETTERS: usize = 64;

impl Fuzzy {
    pub(super) fn new() -> Self {
        Self(SkimMatcherV2::default().respect_case())
    }

    /// How well a term fits a word: greater is better; `None` where it has not all letters in this
    /// order.
    pub(super) fn score(&self, word: &str, term: &str) -> Option<i64> {
        (word.len() <= MOST_LETTERS && has_in_order(word, term))
            .then(|| self.0.fuzzy_match(word, term))
            .flatten()
    }

    /// The places of the characters that fit, counted in characters.
    pub(super) fn places(&self, word: &str, term: &str) -> Vec<usize> {
        let fits = word.len() <= MOST_LETTERS;
        fits.then(|| self.0.fuzzy_indices(word, term))
            .flatten()
            .map_or_else(Vec::new, |(_, places)| places)
    }
}

/// Whether a word has all the characters of a term, in their order.
pub(super) fn has_in_order(word: &str, term: &str) -> bool {
    let mut rest = word.chars();
    term.chars().all(|wanted| rest.any(|c| c == wanted))
}
