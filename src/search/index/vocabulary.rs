//! Distinct words, numbered as they come.

/// Words end to end.
#[derive(Debug, Default)]
pub(super) struct Words {
    text: String,
    ends: Vec<u32>,
}

impl Words {
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

    /// How many bytes a word has.
    pub(super) fn bytes_of(&self, number: usize) -> usize {
        (self.ends[number] - number.checked_sub(1).map_or(0, |before| self.ends[before])) as usize
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// Words that know their numbers.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) words: Words,
    /// What a word is told by, and its number. As many as a power of two; a key of 0 has no word.
    slots: Vec<(u64, u32)>,
}

const FIRST_SLOTS: usize = 1 << 14;
/// Words of fewer bytes are their own keys; those of longer ones begin with this byte, and the words themselves are compared.
const SHORT: usize = 8;
const LONG: u64 = 0xff << 56;
/// The fractional part of the golden ratio, made odd.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self { words: Words::default(), slots: vec![(0, 0); FIRST_SLOTS] }
    }

    /// The number of a word, which is a new one if it was not there.
    pub(super) fn number(&mut self, word: &str) -> usize {
        let key = key(word.as_bytes());
        let mut slot = self.slot(key);
        loop {
            let (other, number) = self.slots[slot];
            if other == key && (key < LONG || self.words.get(number as usize) == word) {
                return number as usize;
            }
            if other == 0 {
                break;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = (key, self.words.len() as u32);
        self.words.push(word);
        if self.words.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.words.len() - 1
    }

    /// Where a key is looked for first.
    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(MIX) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![(0, 0); old.len() * 4];
        for entry in old.into_iter().filter(|(key, _)| *key != 0) {
            let mut slot = self.slot(entry.0);
            while self.slots[slot].0 != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = entry;
        }
    }
}

/// What a word is told by; the empty word is a long one, so that no key is 0.
fn key(word: &[u8]) -> u64 {
    match word.len() {
        0 | SHORT.. => LONG | hash(word),
        // Overlapping halves and the length tell a word of four to seven bytes, and so on.
        length @ 4.. => {
            let (Some(first), Some(last)) = (word.first_chunk::<4>(), word.last_chunk::<4>()) else { return LONG };
            let last = u64::from(u32::from_le_bytes(*last)) >> (8 * (8 - length));
            u64::from(u32::from_le_bytes(*first)) | last << 32
        }
        _ => word.iter().rev().fold(0, |key, byte| key << 8 | u64::from(*byte)),
    }
}

/// Mixes eight bytes at a time; the upper bits are the best.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut rest = bytes;
    while let Some((eight, behind)) = rest.split_first_chunk() {
        hash = (hash.rotate_left(29) ^ u64::from_le_bytes(*eight)).wrapping_mul(MIX);
        rest = behind;
    }
    let mut last = 0;
    if let (Some(first), Some(end)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        last = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*end));
    } else {
        for byte in rest {
            last = last << 8 | u64::from(*byte);
        }
    }
    hash = (hash.rotate_left(29) ^ last).wrapping_mul(MIX);
    (hash ^ hash >> 32).wrapping_mul(MIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_numbers() {
        let mut vocabulary = Vocabulary::new();
        let words: Vec<_> = (0..50_000).map(|number| format!("w{}", number * 7)).collect();
        for (number, word) in words.iter().enumerate() {
            assert_eq!(vocabulary.number(word), number);
        }
        for (number, word) in words.iter().enumerate() {
            assert_eq!((vocabulary.number(word), vocabulary.words.get(number)), (number, word.as_str()));
        }
        assert_eq!(vocabulary.words.bytes_of(0), 2);
        let odd: Vec<_> =
            ["", "a", "b", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "\u{e9}"].into();
        let first = vocabulary.words.len();
        for (place, word) in odd.iter().chain(&odd).enumerate() {
            assert_eq!(vocabulary.number(word), first + place % odd.len(), "{word:?}");
        }
    }
}
