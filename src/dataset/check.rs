//! What a line is known by when it is read again.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

/// A hash of a row's line, 32 bits: of another line in its place it is another one, but for a
/// chance of one to four billion. Only for this run of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Check(u32);

impl Check {
    /// Of a line without what surrounds it.
    pub(super) fn of(line: &[u8]) -> Self {
        Self(hash(line) as u32)
    }
}

/// A hash of some bytes, 64 bits. Only for this run of the program.
pub(super) fn hash(bytes: &[u8]) -> u64 {
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
            assert_ne!(Check::of(&other), Check::of(&line), "byte {at}");
        }
        assert_ne!(Check::of(&line[1..]), Check::of(&line));
        assert_eq!(Check::of(&line.clone()), Check::of(&line));
    }
}
