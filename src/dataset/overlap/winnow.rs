//! Fingerprints of texts that share a run of words.
//!
//! The fingerprint of each run of [`GRAM_WORDS`] words is the minimum hash of the shorter runs in
//! it (winnowing: Schleimer, Wilkerson and Aiken 2003). Prompts that share 13 consecutive words
//! share that minimum, so none is missed, and overlapping runs mostly share theirs: there are four
//! times fewer fingerprints than runs.

use super::words::HashedWords;

/// Words of a run that counts as a quotation, as in checks for contamination (Brown et al. 2020,
/// appendix C).
pub(super) const GRAM_WORDS: usize = 13;
/// Words of the shorter runs.
const PART_WORDS: usize = 7;
/// Number of shorter runs in a run of 13 words.
const WINDOW: usize = GRAM_WORDS - PART_WORDS + 1;

/// Returns the fingerprint of each run of 13 words, in order; none for a shorter text. `parts` is
/// scratch space that callers should reuse.
pub(super) fn fingerprints<'p>(
    words: &HashedWords,
    parts: &'p mut Vec<u64>,
) -> impl Iterator<Item = u64> + 'p {
    parts.clear();
    if words.count() >= GRAM_WORDS {
        parts.extend(words.runs(PART_WORDS));
    }
    let windows = parts.windows(WINDOW);
    windows.map(|window| window.iter().fold(u64::MAX, |least, part| least.min(*part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_share_thirteen_words_share_a_fingerprint() {
        let mut parts = Vec::new();
        let mut of = |text: &str| {
            let mut words = HashedWords::new();
            words.add(text);
            let all: Vec<_> = fingerprints(&words, &mut parts).collect();
            assert_eq!(all.len(), (words.count() + 1).saturating_sub(GRAM_WORDS));
            all
        };
        let words = |from: usize, count: usize| {
            let words: Vec<_> = (from..from + count)
                .map(|word| format!("w{word}"))
                .collect();
            words.join(" ")
        };
        for start in 0..50 {
            let quoted = words(start, 13);
            let one = of(&format!(
                "{} {quoted} {}",
                words(1000 + start, 9),
                words(2000, 20)
            ));
            let other = of(&format!("{quoted}, {}", words(3000 + start, 40)));
            assert!(one.iter().any(|print| other.contains(print)), "{start}");
        }
        let (one, other) = (of(&words(0, 400)), of(&words(500, 400)));
        assert!(!one.iter().any(|print| other.contains(print)));
        let mut few = one.clone();
        few.dedup();
        assert!(
            (70..=130).contains(&few.len()),
            "{} of {}",
            few.len(),
            one.len()
        );
        assert!(of(&words(0, 12)).is_empty() && of("").is_empty());
    }
}
