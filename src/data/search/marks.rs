//! Highlighting: the characters of a text that a needle matches.

use std::ops::{ControlFlow, Range};

use super::needle::Needle;
use super::prepared::{PreparedNeedle, TextMatcher};
use super::word::{MatchTier, WordTerm, tier};

/// Most words of a text that are highlighted as inexact matches of a term.
const MAX_NEAR: usize = 256;

/// A needle compiled to highlight many texts.
pub struct HitMarker(PreparedNeedle);

impl HitMarker {
    /// Compiles a needle.
    pub fn new(needle: &Needle) -> Self {
        Self(PreparedNeedle::new(needle))
    }

    /// Returns the bytes of `text` that the needle matches: sorted, disjoint, at grapheme
    /// boundaries. Fuzzy matches highlight single characters, and only if the text has no better
    /// match of their term. `!not` terms highlight nothing. Each term is highlighted even if others
    /// do not match.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let terms = self.0.terms.iter().filter(|term| !term.negated);
        let mut ranges: Vec<_> = terms
            .flat_map(|term| match &term.matcher {
                TextMatcher::Characters(characters) => characters
                    .places(text)
                    .into_iter()
                    .map(|(range, _)| range)
                    .collect(),
                TextMatcher::Word(word) => self.of_word(word, text),
            })
            .collect();
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut marks: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match marks.last_mut() {
                Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                _ => marks.push(range),
            }
        }
        marks
    }

    fn of_word(&self, matcher: &WordTerm, text: &str) -> Vec<Range<usize>> {
        let (mut exact, mut near, mut mistyped) = (Vec::new(), Vec::new(), Vec::new());
        matcher.candidates(text, &self.0.fuzzy, &mut |word, fit| {
            match fit.map(tier) {
                Some(fit) if fit >= MatchTier::Inside as u8 => exact.push(word),
                Some(fit) if fit == MatchTier::MistypedWords as u8 && mistyped.len() < MAX_NEAR => {
                    mistyped.push(word);
                }
                Some(fit) if fit > MatchTier::MistypedWords as u8 && near.len() < MAX_NEAR => {
                    near.push(word);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        let words = [exact, near, mistyped]
            .into_iter()
            .find(|words| !words.is_empty())
            .unwrap_or_default();
        words
            .into_iter()
            .flat_map(|range| {
                matcher
                    .places(&text[range.clone()], &self.0.fuzzy)
                    .into_iter()
                    .map(move |place| range.start + place.start..range.start + place.end)
            })
            .collect()
    }
}

impl std::fmt::Debug for HitMarker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Marker of {} terms", self.0.terms.len())
    }
}
