//! Highlighting: the characters of a text that a needle matches.

use std::ops::Range;

use super::needle::Needle;
use super::prepared::{PreparedNeedle, PreparedTerm, TextMatcher};
use super::word::{MatchTier, WordTerm, tier};
use crate::parallel::{KeepGoing, continue_if};

/// Most words of a text that are highlighted as inexact matches of a term.
const MAX_NEAR: usize = 256;
/// Words between checks for cancellation.
const STEPS: usize = 2048;

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
        self.marks_while(text, &|| true).unwrap_or_default()
    }

    /// Like [`Self::marks`]; `None` if cancelled. `keep_going` is called every few thousand words, or
    /// few hundred places of a phrase.
    pub fn marks_while(&self, text: &str, keep_going: &dyn KeepGoing) -> Option<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        for term in self.0.terms.iter().filter(|term| !term.negated) {
            ranges.extend(self.of_term(term, text, keep_going)?);
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut marks: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match marks.last_mut() {
                Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
                _ => marks.push(range),
            }
        }
        Some(marks)
    }

    fn of_term(
        &self,
        term: &PreparedTerm,
        text: &str,
        keep_going: &dyn KeepGoing,
    ) -> Option<Vec<Range<usize>>> {
        let marks = match &term.matcher {
            TextMatcher::Characters(characters) => characters.marks(text, keep_going)?,
            TextMatcher::Word(word) => self.of_word(word, text, keep_going)?,
        };
        keep_going().then_some(marks)
    }

    fn of_word(
        &self,
        matcher: &WordTerm,
        text: &str,
        keep_going: &dyn KeepGoing,
    ) -> Option<Vec<Range<usize>>> {
        let mut words = 0_usize;
        let mut goes_on = || {
            words += 1;
            !words.is_multiple_of(STEPS) || keep_going()
        };
        let (mut exact, mut near, mut mistyped, mut scratch) =
            (Vec::new(), Vec::new(), Vec::new(), String::new());
        matcher.candidates(text, &self.0.fuzzy, &mut scratch, &mut |word, fit| {
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
            continue_if(goes_on())
        });
        // A cancelled result is incomplete.
        if !keep_going() {
            return None;
        }
        let words = [exact, near, mistyped]
            .into_iter()
            .find(|words| !words.is_empty())
            .unwrap_or_default();
        let mut marks = Vec::new();
        for word in &words {
            if !goes_on() {
                return None;
            }
            let places = matcher.places(word.written, &self.0.fuzzy);
            let start = word.range.start;
            let places = places.into_iter();
            marks.extend(places.map(|place| start + place.start..start + place.end));
        }
        Some(marks)
    }
}

impl std::fmt::Debug for HitMarker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Marker of {} terms", self.0.terms.len())
    }
}
