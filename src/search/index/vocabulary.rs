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
    /// A part of the hash and the number of a word; 0 where there is none. As many as a power of two.
    slots: Vec<u64>,
}

const FIRST_SLOTS: usize = 1 << 14;
/// Bits of a slot for a word's number, from 1.
const NUMBER: u64 = u32::MAX as u64;

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self { words: Words::default(), slots: vec![0; FIRST_SLOTS] }
    }

    /// The number of a word, which is a new one if it was not there.
    pub(super) fn number(&mut self, word: &str) -> usize {
        let hash = hash(word.as_bytes());
        let mut slot = self.slot(hash);
        while self.slots[slot] != 0 {
            let (tag, number) = (self.slots[slot] & !NUMBER, (self.slots[slot] & NUMBER) as usize - 1);
            if tag == hash & !NUMBER && self.words.get(number) == word {
                return number;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = hash & !NUMBER | (self.words.len() as u64 + 1);
        self.words.push(word);
        if self.words.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.words.len() - 1
    }

    /// Where a hash is looked for first: by the upper bits, which the tag keeps.
    fn slot(&self, hash: u64) -> usize {
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; old.len() * 4];
        for entry in old.into_iter().filter(|entry| *entry != 0) {
            let mut slot = self.slot(entry);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = entry;
        }
    }
}

/// Mixes eight bytes at a time; the upper bits are the best.
fn hash(bytes: &[u8]) -> u64 {
    // The fractional part of the golden ratio, made odd.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
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
    }
}
