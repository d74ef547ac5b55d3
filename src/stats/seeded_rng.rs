//! Chance that is the same on any machine and in any release.
//!
//! The generator is a published cipher and the step from its words to a number is written out here,
//! because the distributions of random number libraries change between their releases, and the
//! intervals of a report are to be the same years later.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of numbers, determined by its seed.
///
/// Its words are the key stream of ChaCha with 8 rounds (Bernstein 2008), in order, 32 bits each:
/// the key is the seed in 8 bytes, the lowest first, and 24 zeros; counter and nonce begin at 0.
#[derive(Debug, Clone)]
pub struct SeededRng(ChaCha8Rng);

impl SeededRng {
    /// The stream of a seed, from its beginning.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A number from 0 up to, but without, the bound, each as likely as any other; 0 where the
    /// bound is 0.
    ///
    /// The high half of word times bound; words that would favour some numbers are passed over
    /// (Lemire 2019, *Fast Random Integer Generation in an Interval*).
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = self.product(bound);
        // The division is dear, and hardly ever needed.
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
