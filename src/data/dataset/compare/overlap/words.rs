//! The words of a prompt as hashes, so that runs of words can be compared without their texts.

use std::ops::Range;

use crate::dataset::load::chunk::hash;
use crate::model::Role;
use crate::text::{self, Folding};

/// Base of the polynomial: odd, with irregular bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Words are compared without case and compatibility forms, but with accents.
const FOLDING: Folding = Folding {
    case: false,
    accents: true,
    forms: false,
};
/// Eight spaces. Words do not contain spaces, so they serve as padding; their bit also maps ASCII
/// letters to lower case and leaves digits unchanged.
const BLANKS: u64 = 0x2020_2020_2020_2020;

/// Mixes a number: combines both halves of a 128-bit product (as in wyhash).
pub const fn mix(number: u64) -> u64 {
    let product = (number ^ 0xa076_1d64_78bd_642f) as u128 * 0xe703_7ed1_a0b4_28db;
    product as u64 ^ (product >> 64) as u64
}

/// The words of one or more texts, each as a 64-bit hash. The hash of a run of words is a
/// polynomial modulo 2^64, computed from prefix sums (Karp and Rabin 1987).
#[derive(Debug)]
pub struct HashedWords {
    /// Polynomial of the words before each index; one more entry than words.
    sums: Vec<u64>,
    /// Hash of the exact turns.
    exact: u64,
    is_blank: bool,
}

impl HashedWords {
    pub fn new() -> Self {
        Self {
            sums: vec![0],
            exact: 0,
            is_blank: true,
        }
    }

    pub fn clear(&mut self) {
        self.sums.truncate(1);
        (self.exact, self.is_blank) = (0, true);
    }

    /// Adds a turn of a prompt. The system's are skipped, since unrelated questions often share
    /// one.
    pub fn add_turn(&mut self, role: Role, text: &str) {
        if role != Role::System {
            self.exact = mix(self.exact ^ hash(text.as_bytes()));
            self.is_blank &= text.trim().is_empty();
            self.add(text);
        }
    }

    /// Returns a hash of the exact turns; `None` for a blank prompt, which matches nothing.
    pub fn exact(&self) -> Option<u64> {
        (!self.is_blank).then_some(self.exact)
    }

    /// Adds the words of a text: runs of letters and digits, and single letters of scripts written
    /// without spaces. Case and compatibility forms (NFKC) are ignored.
    pub fn add(&mut self, text: &str) {
        let mut sum = self.sums.last().copied().unwrap_or_default();
        text::words(text, |range| {
            let word = &text[range.clone()];
            let number = if word.is_ascii() {
                hash_of(text.as_bytes(), range, BLANKS)
            } else {
                let folded = FOLDING.fold(word);
                hash_of(folded.as_bytes(), 0..folded.len(), 0)
            };
            sum = sum.wrapping_mul(BASE).wrapping_add(number);
            self.sums.push(sum);
        });
    }

    pub fn count(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns a hash of all words.
    pub fn all(&self) -> u64 {
        mix(self.sums.last().copied().unwrap_or_default() ^ self.count() as u64)
    }

    /// Returns the hash of each run of this number of words, in order. A shorter text is one run;
    /// an empty one has none.
    pub fn runs(&self, words: usize) -> impl Iterator<Item = u64> {
        let words = words.min(self.count()).max(1);
        let power = (0..words).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let ends = self.sums.get(words..).unwrap_or_default();
        self.sums
            .iter()
            .zip(ends)
            .map(move |(before, end)| mix(end.wrapping_sub(before.wrapping_mul(power))))
    }
}

/// Hashes a word of a text, eight bytes at a time with these bits set.
fn hash_of(text: &[u8], word: Range<usize>, bits: u64) -> u64 {
    let mut hash = 0;
    for at in word.clone().step_by(8) {
        let kept = u64::MAX >> (64 - 8 * (word.end - at).min(8));
        // Reads beyond the word if the text continues: faster than copying the exact length.
        let eight = match text[at..].first_chunk() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => (text[at..].iter().rev()).fold(0, |all, byte| all << 8 | u64::from(*byte)),
        };
        hash = mix(hash ^ (eight & kept | BLANKS & !kept | bits));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(text: &str) -> HashedWords {
        let mut words = HashedWords::new();
        words.add(text);
        words
    }

    #[test]
    fn words_are_the_same_in_any_case_form_and_punctuation() {
        for (one, other, same) in [
            ("Explain  this, please!", "explain this please", true),
            ("A\nB", "a b", true),
            ("ﬁne ＡＢＣ", "fine abc", true),
            ("École", "e\u{301}cole", true),
            ("École", "ecole", false),
            ("inter\u{200b}national", "international", true),
            ("two words", "twowords", false),
            ("東京", "東 京", true),
            ("internationalization", "Internationalization", true),
            ("abcdefgh i", "abcdefghi", false),
            ("a b", "b a", false),
            ("a a", "a", false),
            ("", "...", true),
        ] {
            assert_eq!(
                hashed(one).all() == hashed(other).all(),
                same,
                "{one:?} {other:?}"
            );
        }
    }

    #[test]
    fn the_hash_of_a_run_is_independent_of_its_position() {
        let (one, other) = (hashed("a b c d e f g"), hashed("x y b C, d. e z"));
        let runs = |words: &HashedWords, of| words.runs(of).collect::<Vec<_>>();
        let shared = |of| {
            let others = runs(&other, of);
            let both = runs(&one, of)
                .into_iter()
                .filter(|run| others.contains(run));
            both.count()
        };
        assert_eq!([1, 2, 3, 4, 5].map(shared), [4, 3, 2, 1, 0]);
        assert_eq!(runs(&one, 3).len(), 5);
        assert_eq!(runs(&one, 7), runs(&one, 13), "fewer words are one run");
        assert!(runs(&hashed(""), 3).is_empty());
        let mut both = hashed("a b c");
        both.add("d e f g");
        assert_eq!(both.all(), one.all(), "turns go on");
        both.clear();
        assert_eq!(both.count(), 0);
    }
}
