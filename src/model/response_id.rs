//! Names of responses, and the order in which they are shown.

use super::Verdict;
use super::interned;

/// One of the responses of a sample, by its place in the file.
///
/// The first 26 are A to Z. In queries and files every response is also `r1`, `r2` and so on; on the
/// screen the 27th is 27.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ResponseId(u32);

/// The letters that people see.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The same letters as files and queries spell them.
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
    /// How many responses have a letter; those after them have numbers.
    pub const LETTERED: usize = LETTERS.len();
    /// No response has this place or one after it.
    const END: usize = 1 << 27;

    /// The response at a place, from 0; `None` beyond any that samples have.
    pub const fn new(place: usize) -> Option<Self> {
        if place < Self::END {
            Some(Self(place as u32))
        } else {
            None
        }
    }

    /// The first so many responses.
    pub fn first(
        count: usize,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count.min(Self::END) as u32).map(Self)
    }

    /// All responses that there can be, to be zipped with those of a sample.
    pub fn all() -> impl ExactSizeIterator<Item = Self> + Clone {
        Self::first(Self::END)
    }

    /// Its place among the responses of the sample, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The letter or number shown to people: `A`, `27`.
    pub fn letter(self) -> &'static str {
        let at = self.index();
        LETTERS
            .get(at..=at)
            .unwrap_or_else(|| &interned::name_of(self.0 + 1)[1..])
    }

    /// The name as files and queries spell it: `a`, `r27`.
    pub fn word(self) -> &'static str {
        let at = self.index();
        WORDS
            .get(at..=at)
            .unwrap_or_else(|| interned::name_of(self.0 + 1))
    }

    /// The response of a name in a file or a query: `a` (not `A`), or `r1` for the same.
    pub fn of_word(word: &str) -> Option<Self> {
        match word.strip_prefix('r').filter(|digits| !digits.is_empty()) {
            Some(digits) => Self::of_number(digits),
            None => Self::new(WORDS.find(word).filter(|_| word.len() == 1)?),
        }
    }

    /// The response with a letter or number as people see it.
    pub fn of_letter(letter: &str) -> Option<Self> {
        match LETTERS.find(letter).filter(|_| letter.len() == 1) {
            Some(place) => Self::new(place),
            None => Self::of_number(letter).filter(|id| id.index() >= Self::LETTERED),
        }
    }

    /// The response with a number from 1, without leading zeros.
    fn of_number(digits: &str) -> Option<Self> {
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
        let number: usize = digits.parse().ok().filter(|_| is_plain)?;
        Self::new(number.checked_sub(1)?)
    }
}

/// In which order the responses of a sample are shown, as who judges blind is to see them: A on the
/// screen is not always A of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseOrder {
    /// For each place on the screen that of the file, up to the last one that differs.
    moved: &'static [u32],
}

impl ResponseOrder {
    /// As they stand in the file.
    pub const OF_FILE: Self = Self { moved: &[] };

    /// This order of the first responses; the others follow as in the file. `None` if one is missing
    /// or named twice.
    pub fn new(responses: &[ResponseId]) -> Option<Self> {
        let mut is_there = vec![false; responses.len()];
        for response in responses {
            *is_there.get_mut(response.index())? = true;
        }
        let is_whole = is_there.iter().all(|is_there| *is_there);
        is_whole.then(|| Self::of_places(responses.iter().map(|response| response.0).collect()))
    }

    fn of_places(mut places: Vec<u32>) -> Self {
        let moved = |(place, of_file): (usize, &u32)| *of_file as usize != place;
        let last = places.iter().enumerate().rposition(moved);
        places.truncate(last.map_or(0, |last| last + 1));
        let moved = match places.is_empty() {
            true => &[],
            false => interned::list_of(interned::number_of(&places)),
        };
        Self { moved }
    }

    /// The order that shows the first so many responses the other way round, from last to first.
    #[must_use]
    pub fn reversed(self, responses: usize) -> Self {
        let all = ResponseId::first(responses.max(self.moved.len()));
        let mut places: Vec<_> = all.map(|shown| self.of_file(shown).0).collect();
        places[..responses].reverse();
        Self::of_places(places)
    }

    /// Whether it is that of the file.
    pub const fn is_of_file(&self) -> bool {
        self.moved.is_empty()
    }

    /// The order as far as a sample with so many responses has them: that of the file where it names
    /// one that the sample lacks.
    #[must_use]
    pub const fn among(self, responses: usize) -> Self {
        if self.moved.len() <= responses {
            self
        } else {
            Self::OF_FILE
        }
    }

    /// The response of the file that is shown under a letter.
    pub fn of_file(self, shown: ResponseId) -> ResponseId {
        let place = self.moved.get(shown.index());
        place.map_or(shown, |place| ResponseId(*place))
    }

    /// The letter under which a response of the file is shown.
    pub fn shown(self, response: ResponseId) -> ResponseId {
        let place = self.moved.iter().position(|place| *place == response.0);
        place.and_then(ResponseId::new).unwrap_or(response)
    }

    /// The verdict by the letters of the screen, from one by those of the file.
    pub fn shown_verdict(self, verdict: Verdict) -> Verdict {
        let shown = verdict.renamed(|response| Some(self.shown(response)));
        shown.unwrap_or(verdict)
    }

    /// The verdict by the letters of the file, from one by those of the screen.
    pub fn verdict_of_file(self, verdict: Verdict) -> Verdict {
        let of_file = verdict.renamed(|shown| Some(self.of_file(shown)));
        of_file.unwrap_or(verdict)
    }

    /// The names as a journal spells them, without those at the end that stand as in the file: `ba`,
    /// `r27a`. Empty where all do.
    pub fn word(&self) -> String {
        self.whole_word(self.moved.len())
    }

    /// The same names for so many responses, whether they stand as in the file or not: `ab`.
    pub fn whole_word(&self, responses: usize) -> String {
        let ids = ResponseId::first(responses);
        ids.map(|shown| self.of_file(shown).word()).collect()
    }

    /// The order that a word of names tells; `None` where it tells none.
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
