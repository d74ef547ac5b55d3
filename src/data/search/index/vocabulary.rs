//! Distinct words, numbered in order of occurrence.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

/// Words in one buffer.
#[derive(Debug, Default, Clone)]
pub(super) struct WordArena {
    text: String,
    ends: Vec<u32>,
}

impl WordArena {
    pub(super) fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.ends.push(self.text.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    /// Returns the length of a word in bytes.
    pub(super) fn bytes_of(&self, number: usize) -> usize {
        (self.ends[number] - number.checked_sub(1).map_or(0, |before| self.ends[before])) as usize
    }

    /// Returns the bytes in use.
    pub(super) fn used(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<u32>()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Distinct words with their numbers, and one more number per word.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) words: WordArena,
    /// For the key of each word: its number, and a number for callers, initially 0.
    slots: HashMap<u128, (u32, u32), RandomState>,
}

/// Shorter words, in bytes, are their own keys; the key of others is a hash after this byte.
const SHORT: usize = 16;
const LONG: u128 = 0xff << 120;

impl Vocabulary {
    /// Returns the size of the table for this many words: a power of two, seven eighths full.
    pub(super) fn slot_bytes(words: usize) -> usize {
        (words * 8 / 7 + 1).next_power_of_two() * (size_of::<(u128, (u32, u32))>() + 1)
    }

    /// Returns the additional bytes needed to grow, if growth is due.
    pub(super) fn growth(&self) -> usize {
        let is_due = self.words.len() + self.words.len() / 4 > self.slots.capacity();
        usize::from(is_due) * 2 * Self::slot_bytes(self.slots.capacity()) + self.words.bytes()
    }

    /// Removes all words and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.words.text.clear();
        self.words.ends.clear();
        self.slots.clear();
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + Self::slot_bytes(self.slots.capacity().saturating_sub(1))
    }

    /// Returns the number of a word, adding it if it is new, and the caller's number.
    pub(super) fn number(&mut self, text: &str, word: Range<usize>) -> (u32, &mut u32) {
        let key = self.key(text.as_bytes(), word.clone());
        let (number, last) = match self.slots.entry(key) {
            Entry::Occupied(slot) => slot.into_mut(),
            Entry::Vacant(slot) => {
                let number = self.words.len() as u32;
                self.words.push(&text[word]);
                slot.insert((number, 0))
            }
        };
        (*number, last)
    }

    /// Returns the key of a word.
    fn key(&self, text: &[u8], word: Range<usize>) -> u128 {
        let length = word.len();
        if length == 0 || length >= SHORT {
            return LONG | u128::from(self.slots.hasher().hash_one(&text[word]));
        }
        let sixteen = text[word.start..].first_chunk().map_or_else(
            || {
                text[word.clone()]
                    .iter()
                    .rev()
                    .fold(0, |key, byte| key << 8 | u128::from(*byte))
            },
            |sixteen| u128::from_le_bytes(*sixteen),
        );
        sixteen & u128::MAX >> (8 * (SHORT - length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_of(vocabulary: &mut Vocabulary, word: &str) -> usize {
        vocabulary.number(word, 0..word.len()).0 as usize
    }

    #[test]
    fn words_keep_their_numbers() {
        let mut vocabulary = Vocabulary::default();
        let words: Vec<_> = (0..50_000)
            .map(|number| format!("w{}", number * 7))
            .collect();
        for (number, word) in words.iter().enumerate() {
            assert_eq!(number_of(&mut vocabulary, word), number);
        }
        for (number, word) in words.iter().enumerate() {
            assert_eq!(
                (
                    number_of(&mut vocabulary, word),
                    vocabulary.words.get(number)
                ),
                (number, word.as_str())
            );
        }
        assert_eq!(vocabulary.words.bytes_of(0), 2);
        let odd: Vec<_> = [
            "",
            "a",
            "b",
            "ab",
            "abc",
            "abcd",
            "abcde",
            "abcdef",
            "abcdefg",
            "abcdefgh",
            "\u{e9}",
            "abcdefghijklmno",
            "abcdefghijklmnop",
            "abcdefghijklmnopq",
        ]
        .into();
        let first = vocabulary.words.len();
        for (place, word) in odd.iter().chain(&odd).enumerate() {
            let expected = first + place % odd.len();
            assert_eq!(number_of(&mut vocabulary, word), expected, "{word:?}");
            let (number, last) =
                vocabulary.number(&format!("x{word}, and more"), 1..1 + word.len());
            assert_eq!(
                (number as usize, *last as usize),
                (expected, place / odd.len() * expected),
                "{word:?}"
            );
            *last = expected as u32;
        }
    }
}
