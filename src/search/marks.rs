//! Which characters of a text a needle matches.

use std::ops::{ControlFlow, Range};

use super::needle::Needle;
use super::prepared::{PreparedNeedle, PreparedTerm, TextMatcher};
use super::word::{MatchTier, WordTerm, tier};
use crate::parallel::KeepGoing;

/// Words of one text that are marked as nearly so, for each term.
const MOST_NEAR: usize = 256;
/// Words after which it is asked whether anybody still wants the marks.
const STEPS: usize = 2048;

/// A needle made ready to mark many texts.
pub struct HitMarker(PreparedNeedle);

impl HitMarker {
    /// Makes a needle ready.
    pub fn new(needle: &Needle) -> Self {
        Self(PreparedNeedle::new(needle))
    }

    /// The bytes of `text` that the needle matches: sorted, apart, between graphemes. Of a word
    /// that is matched fuzzily, the characters that matched; such words are marked only where the
    /// text has nothing better for their term. `!not` terms mark nothing. Where several terms must
    /// match, each marks what it matches, whether the others do or not.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        self.marks_while(text, &|| true).unwrap_or_default()
    }

    /// [`Self::marks`] as long as they are `wanted`, which is asked every few thousand words, or few
    /// hundred places of a phrase; `None` once they are not.
    pub fn marks_while(&self, text: &str, wanted: &dyn KeepGoing) -> Option<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        for term in self.0.terms.iter().filter(|term| !term.negated) {
            ranges.extend(self.of_term(term, text, wanted)?);
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
        wanted: &dyn KeepGoing,
    ) -> Option<Vec<Range<usize>>> {
        let marks = match &term.sought {
            TextMatcher::Characters(characters) => characters.marks(text, wanted)?,
            TextMatcher::Word(word) => self.of_word(word, text, wanted)?,
        };
        wanted().then_some(marks)
    }

    fn of_word(
        &self,
        sought: &WordTerm,
        text: &str,
        wanted: &dyn KeepGoing,
    ) -> Option<Vec<Range<usize>>> {
        let mut words = 0_usize;
        let mut goes_on = || {
            words += 1;
            !words.is_multiple_of(STEPS) || wanted()
        };
        let (mut exact, mut near, mut mistyped, mut scratch) =
            (Vec::new(), Vec::new(), Vec::new(), String::new());
        sought.candidates(text, &self.0.fuzzy, &mut scratch, &mut |word, fit| {
            match fit.map(tier) {
                Some(fit) if fit >= MatchTier::Inside as u8 => exact.push(word),
                Some(fit) if fit == MatchTier::Mistyped as u8 && mistyped.len() < MOST_NEAR => {
                    mistyped.push(word);
                }
                Some(fit) if fit > MatchTier::Mistyped as u8 && near.len() < MOST_NEAR => {
                    near.push(word);
                }
                _ => {}
            }
            if goes_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        // What was looked at when it ended is half an answer, and nobody's.
        if !wanted() {
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
            let places = sought.places(word.written, &self.0.fuzzy);
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
