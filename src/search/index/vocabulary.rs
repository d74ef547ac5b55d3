//! Distinct words, numbered as they come.

use std::ops::Range;

/// Words end to end.
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

    /// Whether a word is this one.
    fn is(&self, number: usize, word: &[u8]) -> bool {
        let end = self.ends[number] as usize;
        end.checked_sub(word.len())
            .is_some_and(|start| self.text.as_bytes()[start..end] == *word)
            && self.bytes_of(number) == word.len()
    }

    /// How many bytes a word has.
    pub(super) fn bytes_of(&self, number: usize) -> usize {
        (self.ends[number] - number.checked_sub(1).map_or(0, |before| self.ends[before])) as usize
    }

    /// Bytes that its words take.
    pub(super) fn used(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<u32>()
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Words that know their numbers, and one more number each.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) words: WordArena,
    /// As many as a power of two.
    slots: Vec<WordSlot>,
}

/// Room for a word: all that is asked of it in one place, because most of the time goes to fetching
/// it.
#[derive(Debug, Clone, Copy, Default)]
struct WordSlot {
    /// What the word is told by; 0 where there is none.
    key: u128,
    number: u32,
    /// For whoever asks; 0 at first.
    last: u32,
}

const FIRST_SLOTS: usize = 1 << 10;
/// Words of fewer bytes are their own keys; those of longer ones begin with this byte, and the
/// words themselves are compared.
const SHORT: usize = 16;
const LONG: u128 = 0xff << 120;
/// The fractional part of the golden ratio, made odd.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            words: WordArena::default(),
            slots: vec![WordSlot::default(); FIRST_SLOTS],
        }
    }
}

impl Vocabulary {
    /// Bytes of the slots for this number of words.
    pub(super) fn slot_bytes(words: usize) -> usize {
        (2 * words).next_power_of_two().max(FIRST_SLOTS) * size_of::<WordSlot>()
    }

    /// Bytes that it takes besides while it grows, if it is about to.
    pub(super) fn growth(&self) -> usize {
        let words = self.words.len() + self.words.len() / 4;
        let is_due = 2 * words > self.slots.len();
        usize::from(is_due) * 2 * self.slots.len() * size_of::<WordSlot>() + self.words.bytes()
    }

    /// Forgets all words and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.words.text.clear();
        self.words.ends.clear();
        self.slots.fill(WordSlot::default());
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.slots.capacity() * size_of::<WordSlot>()
    }

    /// The number of a word of a text, which is a new one if it was not there, and the one that is
    /// kept with it.
    pub(super) fn number(&mut self, text: &str, word: Range<usize>) -> (u32, &mut u32) {
        let key = key(text.as_bytes(), word.clone());
        let mut place = self.place(key);
        loop {
            let slot = &self.slots[place];
            if slot.key == key
                && (key < LONG
                    || self
                        .words
                        .is(slot.number as usize, &text.as_bytes()[word.clone()]))
            {
                break;
            }
            if slot.key == 0 {
                place = self.add(key, &text[word], place);
                break;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let slot = &mut self.slots[place];
        (slot.number, &mut slot.last)
    }

    /// Adds a word where there is room for it; gives its place.
    #[inline(never)]
    fn add(&mut self, key: u128, word: &str, place: usize) -> usize {
        self.slots[place] = WordSlot {
            key,
            number: self.words.len() as u32,
            last: 0,
        };
        self.words.push(word);
        if self.words.len() * 2 <= self.slots.len() {
            return place;
        }
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![WordSlot::default(); old.len() * 2];
        let mut added = 0;
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let mut place = self.place(slot.key);
            while self.slots[place].key != 0 {
                place = (place + 1) & (self.slots.len() - 1);
            }
            if slot.number as usize + 1 == self.words.len() {
                added = place;
            }
            self.slots[place] = slot;
        }
        added
    }

    /// Where a key is looked for first.
    fn place(&self, key: u128) -> usize {
        let mixed = key as u64 ^ ((key >> 64) as u64).wrapping_mul(MIX).rotate_left(32);
        (mixed.wrapping_mul(MIX) >> (64 - self.slots.len().trailing_zeros())) as usize
    }
}

/// What a word is told by; the empty word is a long one, so that no key is 0.
fn key(text: &[u8], word: Range<usize>) -> u128 {
    let length = word.len();
    if length == 0 || length >= SHORT {
        return LONG | u128::from(hash(&text[word]));
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

/// Mixes eight bytes at a time, the last of which may overlap; the upper bits are the best.
fn hash(bytes: &[u8]) -> u64 {
    let (eights, _) = bytes.as_chunks();
    let last = bytes.last_chunk().copied().unwrap_or_default();
    let mixed = eights
        .iter()
        .chain([&last])
        .fold(bytes.len() as u64, |hash, eight| {
            (hash.rotate_left(29) ^ u64::from_le_bytes(*eight)).wrapping_mul(MIX)
        });
    (mixed ^ mixed >> 32).wrapping_mul(MIX)
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
