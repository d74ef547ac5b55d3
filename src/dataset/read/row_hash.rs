//! Hashes to detect that a line changed.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

/// A 32-bit hash of a row's line, valid in this process only. Misses a change with a probability of
/// one in four billion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowHash(u32);

impl RowHash {
    /// Hashes a trimmed line.
    pub fn of(line: &[u8]) -> Self {
        Self(hash(line) as u32)
    }
}

/// Hashes bytes to 64 bits, valid in this process only.
pub fn hash(bytes: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_byte_makes_another_line() {
        let line = vec![b'x'; 700];
        for at in 0..line.len() {
            let mut other = line.clone();
            other[at] ^= 1;
            assert_ne!(RowHash::of(&other), RowHash::of(&line), "byte {at}");
        }
        assert_ne!(RowHash::of(&line[1..]), RowHash::of(&line));
        assert_eq!(RowHash::of(&line.clone()), RowHash::of(&line));
    }
}
