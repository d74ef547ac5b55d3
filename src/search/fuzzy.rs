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

/// Finds lines of a list by some letters of their names, or by words of what is said of them.
pub struct LineMatcher {
    fuzzy: Fuzzy,
    /// What was typed, in small letters.
    terms: Vec<String>,
}

/// How well a line fits what was typed; greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineScore(i64);

/// Weight of how a term is found, over how well its letters stand together.
const WAY: i64 = 10_000;

impl LineMatcher {
    /// Of terms between blanks, which all have to be found.
    pub fn new(typed: &str) -> Self {
        let terms = typed.split_whitespace().map(small).collect();
        Self {
            fuzzy: Fuzzy::new(),
            terms,
        }
    }

    /// How well a line fits, and which characters of its name are what was typed, from 0; `None`
    /// where it does not. Best is a name that begins so, then one with a word that does, then one
    /// that has the term, a note with a word that begins so, a name with its letters in this order,
    /// and a note that has the term. Of names that fit alike, one where the term is all of it or a whole
    /// word is better; of others neither.
    pub fn find(&self, name: &str, note: &str) -> Option<(LineScore, Vec<usize>)> {
        let (name, note) = (small(name), small(note));
        let (mut score, mut places) = (0, Vec::new());
        for term in &self.terms {
            let in_name = place_of(&name, term);
            let in_note = place_of(&note, term);
            let (way, fit) = match (in_name, in_note) {
                (Some((at, begins)), _) => {
                    places.extend(at..at + term.chars().count());
                    let way = match (at, begins) {
                        (0, _) => 5,
                        (_, true) => 4,
                        (_, false) => 3,
                    };
                    let after = name.chars().nth(at + term.chars().count());
                    let is_word = after.is_none_or(|c| !c.is_alphanumeric());
                    (way, i64::from(is_word) + i64::from(name == *term))
                }
                (None, Some((_, true))) => (2, 0),
                (None, inside) => match (self.fuzzy.score(&name, term), inside) {
                    (Some(fit), _) => {
                        places.extend(self.fuzzy.places(&name, term));
                        (1, fit)
                    }
                    (None, Some(_)) => (0, 0),
                    (None, None) => return None,
                },
            };
            score += way * WAY + fit.clamp(0, WAY - 1);
        }
        places.sort_unstable();
        places.dedup();
        Some((LineScore(score), places))
    }
}

/// The text in small letters, with as many characters.
fn small(text: &str) -> String {
    let small = |c: char| c.to_lowercase().next().unwrap_or(c);
    text.chars().map(small).collect()
}

/// The character at which a text has a term, and whether a word begins there: of several places one
/// where a word does.
fn place_of(text: &str, term: &str) -> Option<(usize, bool)> {
    let begins = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
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
