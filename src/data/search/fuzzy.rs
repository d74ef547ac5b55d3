//! Fuzzy matching of words and of lines in lists.

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

/// Compares folded words by letters in the same order.
pub(super) struct Fuzzy(SkimMatcherV2);

/// Most letters of a word: longer ones are data, and the time grows with the product of both
/// lengths.
const MAX_LETTERS: usize = 64;

impl Fuzzy {
    pub(super) fn new() -> Self {
        Self(SkimMatcherV2::default().respect_case())
    }

    /// Returns how well a term fits a word, greater is better; `None` if its letters do not occur
    /// in this order.
    pub(super) fn score(&self, word: &str, term: &str) -> Option<i64> {
        (word.len() <= MAX_LETTERS && has_in_order(word, term))
            .then(|| self.0.fuzzy_match(word, term))
            .flatten()
    }

    /// Returns the positions of the matching characters, in characters.
    pub(super) fn places(&self, word: &str, term: &str) -> Vec<usize> {
        let fits = word.len() <= MAX_LETTERS;
        fits.then(|| self.0.fuzzy_indices(word, term))
            .flatten()
            .map_or_else(Vec::new, |(_, places)| places)
    }
}

/// True if a word has all characters of a term in this order.
pub(super) fn has_in_order(word: &str, term: &str) -> bool {
    let mut rest = word.chars();
    term.chars().all(|sought| rest.any(|c| c == sought))
}

/// Finds lines of a list by letters of their names, or by words of their notes.
pub struct LineMatcher {
    fuzzy: Fuzzy,
    /// The typed terms, in lower case.
    terms: Vec<String>,
}

/// Quality of a match; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineScore(i64);

/// Most words of a name whose letters may match far apart: a sentence has any letters in order.
const SCATTERED_WORDS: usize = 3;

/// Weight of the kind of match relative to its fuzzy score.
const MATCH_KIND_WEIGHT: i64 = 10_000;

impl LineMatcher {
    /// Creates a matcher for terms between blanks; all must match.
    pub fn new(typed: &str) -> Self {
        let terms = typed.split_whitespace().map(lower_case).collect();
        Self {
            fuzzy: Fuzzy::new(),
            terms,
        }
    }

    /// Returns the score of a line and the matching characters of its name, from 0; `None` without
    /// a match. Kinds of match from best to worst: the name begins with the term, a word of the
    /// name does, a word of the note does, the name contains it, a short name has its letters in
    /// order, the note contains it. If the term is in the name, a whole word or the whole name
    /// scores higher.
    pub fn find(&self, name: &str, note: &str) -> Option<(LineScore, Vec<usize>)> {
        let (name, note) = (lower_case(name), lower_case(note));
        let (mut score, mut places) = (0, Vec::new());
        for term in &self.terms {
            let in_name = position_of(&name, term);
            let is_joined = || name.replace(' ', "").contains(term);
            let in_note = position_of(&note, term);
            let (way, fit) = match (in_name, in_note) {
                (Some((at, begins)), note) if begins || note.is_none_or(|(_, begins)| !begins) => {
                    places.extend(at..at + term.chars().count());
                    let way = match (at, begins) {
                        (0, _) => 5,
                        (_, true) => 4,
                        (_, false) => 2,
                    };
                    let is_word = name
                        .chars()
                        .nth(at + term.chars().count())
                        .is_none_or(|c| !c.is_alphanumeric());
                    (way, i64::from(is_word) + i64::from(name == *term))
                }
                (_, Some((_, true))) => (3, 0),
                (_, inside) => match (self.fuzzy.score(&name, term), inside) {
                    (Some(fit), _) if name.split(' ').count() <= SCATTERED_WORDS || is_joined() => {
                        places.extend(self.fuzzy.places(&name, term));
                        (1, fit)
                    }
                    (_, Some(_)) => (0, 0),
                    (_, None) => return None,
                },
            };
            score += way * MATCH_KIND_WEIGHT + fit.clamp(0, MATCH_KIND_WEIGHT - 1);
        }
        places.sort_unstable();
        places.dedup();
        Some((LineScore(score), places))
    }
}

/// Lower-cases a text and keeps its number of characters.
fn lower_case(text: &str) -> String {
    let lower_case = |c: char| c.to_lowercase().next().unwrap_or(c);
    text.chars().map(lower_case).collect()
}

/// Returns the character position of a term in a text, and whether a word begins there; prefers
/// beginnings of words.
fn position_of(text: &str, term: &str) -> Option<(usize, bool)> {
    let begins = |at: usize| {
        text[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric())
    };
    let mut places = text.match_indices(term).map(|(at, _)| at);
    let first = places.clone().next()?;
    let at = places.find(|at| begins(*at)).unwrap_or(first);
    Some((text[..at].chars().count(), begins(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_the_likeliest_first() {
        let lines = [
            ("next sample", "next sample; 10j goes ten further"),
            ("toggle markdown", "Markdown styled, or plain text"),
            ("mark", "mark the sample, or no longer"),
            ("next mark", "next marked sample"),
            (":export WHAT FILE", "write result, marks or audit"),
            ("Höhe", "how tall"),
            ("drop the sample or keep", ""),
            ("reform", ""),
            ("training", "DPO, RM"),
        ];
        for (typed, expected) in [
            (
                "",
                &[
                    "next sample",
                    "toggle markdown",
                    "mark",
                    "next mark",
                    ":export WHAT FILE",
                    "Höhe",
                    "drop the sample or keep",
                    "reform",
                    "training",
                ][..],
            ),
            (
                "mark",
                &["mark", "next mark", "toggle markdown", ":export WHAT FILE"],
            ),
            ("nxm", &["next mark", "next sample"]),
            ("MARK tog", &["toggle markdown"]),
            ("ten", &["next sample", "toggle markdown"]),
            ("hö", &["Höhe"]),
            // Not scattered over a sentence.
            ("dpo", &["training"]),
            ("rm", &["training", "reform"]),
            ("zzz", &[]),
        ] {
            let matcher = LineMatcher::new(typed);
            let mut found: Vec<_> = lines
                .iter()
                .filter_map(|(name, note)| Some((matcher.find(name, note)?.0, *name)))
                .collect();
            found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
            let names: Vec<_> = found.into_iter().map(|(_, name)| name).collect();
            assert_eq!(names, expected, "{typed}");
        }
        let places = |typed, name| LineMatcher::new(typed).find(name, "").map(|found| found.1);
        assert_eq!(places("mark", "next mark"), Some(vec![5, 6, 7, 8]));
        assert_eq!(places("nm", "next mark"), Some(vec![0, 5]));
    }
}
