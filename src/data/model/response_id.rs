//! Names of responses, and their display order.

use super::Verdict;
use super::interned;

/// A response of a sample, by its position in the file.
///
/// The first 26 are A to Z. In queries and files, every response is also `r1`, `r2` and so on; the
/// 27th is displayed as 27.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ResponseId(u32);

/// The displayed letters.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The same letters in files and queries.
const WORDS: &str = "abcdefghijklmnopqrstuvwxyz";

impl ResponseId {
    /// The first response.
    pub const A: Self = Self(0);
    /// The second response.
    pub const B: Self = Self(1);
    /// The third response.
    pub const C: Self = Self(2);
    /// The fourth response.
    pub const D: Self = Self(3);
    /// Number of responses with a letter; later ones have numbers.
    pub const LETTERED: usize = LETTERS.len();
    /// Limit of indices, exclusive.
    const END: usize = 1 << 27;

    /// Creates the response at an index from 0; `None` beyond the limit.
    pub const fn new(place: usize) -> Option<Self> {
        if place < Self::END {
            Some(Self(place as u32))
        } else {
            None
        }
    }

    /// Iterates the first `count` responses.
    pub fn first(
        count: usize,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count.min(Self::END) as u32).map(Self)
    }

    /// Iterates all possible responses, to be zipped with those of a sample.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + Clone {
        Self::first(Self::END)
    }

    /// Returns its index among the responses of the sample, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the displayed letter or number: `A`, `27`.
    pub fn letter(self) -> &'static str {
        let at = self.index();
        LETTERS
            .get(at..=at)
            .unwrap_or_else(|| &interned::name_of(self.0 + 1)[1..])
    }

    /// Returns the name in files and queries: `a`, `r27`.
    pub fn word(self) -> &'static str {
        let at = self.index();
        WORDS
            .get(at..=at)
            .unwrap_or_else(|| interned::name_of(self.0 + 1))
    }

    /// Parses a name in a file or a query: `a` (not `A`), or `r1` for the same.
    pub fn of_word(word: &str) -> Option<Self> {
        match word.strip_prefix('r').filter(|digits| !digits.is_empty()) {
            Some(digits) => Self::of_number(digits),
            None => Self::new(WORDS.find(word).filter(|_| word.len() == 1)?),
        }
    }

    /// Parses a displayed letter or number.
    pub fn of_letter(letter: &str) -> Option<Self> {
        match LETTERS.find(letter).filter(|_| letter.len() == 1) {
            Some(place) => Self::new(place),
            None => Self::of_number(letter).filter(|id| id.index() >= Self::LETTERED),
        }
    }

    /// Parses a number from 1, without leading zeros.
    fn of_number(digits: &str) -> Option<Self> {
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        let number: usize = digits.parse().ok().filter(|_| is_plain)?;
        Self::new(number.checked_sub(1)?)
    }
}

/// Display order of a sample's responses for blind reviewers: A on the screen is not always A of
/// the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseOrder {
    /// For each display position, the index in the file, up to the last one that differs.
    moved: &'static [u32],
}

impl ResponseOrder {
    /// File order.
    pub const OF_FILE: Self = Self { moved: &[] };

    /// Creates an order that begins with these responses; the others follow in file order. `None`
    /// if one is missing or repeated.
    pub fn new(responses: &[ResponseId]) -> Option<Self> {
        let mut is_there = vec![false; responses.len()];
        for response in responses {
            *is_there.get_mut(response.index())? = true;
        }
        is_there
            .iter()
            .all(|is_there| *is_there)
            .then(|| Self::of_places(responses.iter().map(|response| response.0).collect()))
    }

    fn of_places(mut places: Vec<u32>) -> Self {
        let moved = |(place, of_file): (usize, &u32)| *of_file as usize != place;
        let last = places.iter().enumerate().rposition(moved);
        places.truncate(last.map_or(0, |last| last + 1));
        let moved = if places.is_empty() {
            &[]
        } else {
            interned::list_of(interned::number_of(&places))
        };
        Self { moved }
    }

    /// Returns an order with the first `count` responses reversed.
    #[must_use]
    pub fn reversed(self, responses: usize) -> Self {
        let mut places: Vec<_> = ResponseId::first(responses.max(self.moved.len()))
            .map(|shown| self.of_file(shown).0)
            .collect();
        places[..responses].reverse();
        Self::of_places(places)
    }

    /// True if it is file order.
    pub const fn is_of_file(&self) -> bool {
        self.moved.is_empty()
    }

    /// Returns the order for a sample with `count` responses: file order if it names a response
    /// that the sample lacks.
    #[must_use]
    pub const fn among(self, responses: usize) -> Self {
        if self.moved.len() <= responses {
            self
        } else {
            Self::OF_FILE
        }
    }

    /// Converts a displayed response to the file's.
    pub fn of_file(self, shown: ResponseId) -> ResponseId {
        let place = self.moved.get(shown.index());
        place.map_or(shown, |place| ResponseId(*place))
    }

    /// Converts a response of the file to the displayed one.
    pub fn shown(self, response: ResponseId) -> ResponseId {
        self.moved
            .iter()
            .position(|place| *place == response.0)
            .and_then(ResponseId::new)
            .unwrap_or(response)
    }

    /// Converts a verdict of the file to displayed letters.
    pub fn shown_verdict(self, verdict: Verdict) -> Verdict {
        verdict
            .renamed(|response| Some(self.shown(response)))
            .unwrap_or(verdict)
    }

    /// Converts a displayed verdict to the file's letters.
    pub fn verdict_of_file(self, verdict: Verdict) -> Verdict {
        verdict
            .renamed(|shown| Some(self.of_file(shown)))
            .unwrap_or(verdict)
    }

    /// Returns the names as in journals, without trailing ones that are in file order: `ba`,
    /// `r27a`. Empty in file order.
    pub fn word(&self) -> String {
        self.whole_word(self.moved.len())
    }

    /// Returns the names of this many responses, even in file order: `ab`.
    pub fn whole_word(&self, responses: usize) -> String {
        ResponseId::first(responses)
            .map(|shown| self.of_file(shown).word())
            .collect()
    }

    /// Parses an order from names; `None` if it is invalid.
    pub fn of_word(word: &str) -> Option<Self> {
        let mut rest = word;
        let mut responses = Vec::new();
        while let Some(first) = rest.chars().next() {
            let is_digit = |letter: char| letter.is_ascii_digit();
            let after = &rest[first.len_utf8()..];
            let digits = after.find(|letter| !is_digit(letter));
            let end = first.len_utf8() + digits.unwrap_or(after.len());
            responses.push(ResponseId::of_word(&rest[..end])?);
            rest = &rest[end..];
        }
        Self::new(&responses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_words_go_both_ways() {
        for (place, letter, word) in [
            (0, "A", "a"),
            (17, "R", "r"),
            (25, "Z", "z"),
            (26, "27", "r27"),
            (9_999, "10000", "r10000"),
        ] {
            let id = ResponseId::new(place).expect("a response");
            assert_eq!((id.letter(), id.word(), id.index()), (letter, word, place));
            assert_eq!(ResponseId::of_word(word), Some(id));
            assert_eq!(ResponseId::of_word(&format!("r{}", place + 1)), Some(id));
            assert_eq!(ResponseId::of_letter(letter), Some(id));
        }
        for word in [
            "",
            "A",
            "ab",
            "é",
            "tie",
            "r0",
            "r01",
            "r+1",
            "r-1",
            "ra",
            "27",
            "r99999999999",
        ] {
            assert_eq!(ResponseId::of_word(word), None, "{word}");
        }
        for letter in ["a", "1", "26", "027", ""] {
            assert_eq!(ResponseId::of_letter(letter), None, "{letter}");
        }
    }

    #[test]
    fn orders_are_permutations_and_go_both_ways() {
        for (word, whole, back) in [
            ("", "abcd", ""),
            ("ba", "bacd", "ba"),
            ("cab", "cabd", "bca"),
            ("dcba", "dcba", "dcba"),
        ] {
            let order = ResponseOrder::of_word(word).expect("an order");
            assert_eq!(
                (order.word(), order.whole_word(4)),
                (word.into(), whole.into())
            );
            assert_eq!(order.is_of_file(), word.is_empty());
            for id in ResponseId::first(40) {
                assert_eq!(order.shown(order.of_file(id)), id);
            }
            let shown: String = ResponseId::first(4)
                .map(|id| order.shown(id).word())
                .collect();
            assert!(shown.starts_with(back), "{word}: {shown}");
        }
        assert_eq!(ResponseOrder::of_word("ab"), Some(ResponseOrder::OF_FILE));
        for word in ["b", "aa", "ac", "Ba", "b a", "r2", "r99999a"] {
            assert_eq!(ResponseOrder::of_word(word), None, "{word}");
        }
        let swapped = ResponseOrder::OF_FILE.reversed(2);
        assert_eq!(
            swapped.among(1),
            ResponseOrder::OF_FILE,
            "a single has no other"
        );
        assert_eq!(
            (swapped.among(2), swapped.reversed(2)),
            (swapped, ResponseOrder::OF_FILE)
        );
        let many = ResponseOrder::OF_FILE.reversed(40);
        assert!(many.word().starts_with("r40r39"), "{}", many.word());
        assert_eq!(ResponseOrder::of_word(&many.word()), Some(many));
        assert_eq!(many.of_file(ResponseId::A).letter(), "40");
    }
}
