//! Random numbers that are the same on any machine and in any release.
//!
//! The generator is a published cipher, and the step from its words to a number is written here,
//! because random number libraries change their distributions between releases, and the intervals
//! of a report must be reproducible years later.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, determined by its seed.
///
/// Its words are the key stream of ChaCha with 8 rounds (Bernstein 2008), in order, 32 bits each:
/// the key is the seed in 8 bytes, little-endian, and 24 zeros; counter and nonce begin at 0.
#[derive(Debug, Clone)]
pub struct SeededRng(ChaCha8Rng);

impl SeededRng {
    /// Returns the stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniformly distributed number from 0 to `bound` − 1; 0 if the bound is 0.
    ///
    /// It is the high half of word times bound; biased words are rejected (Lemire 2019, *Fast
    /// Random Integer Generation in an Interval*).
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = self.product(bound);
        // Avoids the slow division in most cases.
        if (product as u32) < bound {
            let favoured = bound.wrapping_neg() % bound;
            while (product as u32) < favoured {
                product = self.product(bound);
            }
        }
        (product >> 32) as u32
    }

    fn product(&mut self, bound: u32) -> u64 {
        u64::from(self.0.next_u32()) * u64::from(bound)
    }
}
