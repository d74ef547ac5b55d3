//! A segment of the index: consecutive samples with their words.

use std::ops::Range;

use super::vocabulary::WordArena;
use crate::schema::TextKinds;
use crate::search::engine::{CancelCheck, Hit, SearchScope};
use crate::search::prepared::{PreparedNeedle, TextMatcher, WordPart};
use crate::search::rank::rank;
use crate::search::word::{MatchScore, WordTerm, in_prompt};

/// Bits of a posting for the places of a word: the first bits of [`TextKinds`].
pub(super) const WHERE: u32 = 4;
/// All place bits. Words of malformed rows have none.
pub(super) const PLACES: u32 = (1 << WHERE) - 1;

/// The words of a range of samples, and the samples of each word.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Sample numbers in the dataset.
    pub(super) samples: Range<usize>,
    /// Distinct folded words.
    pub(super) words: WordArena,
    /// Set of letters of each word.
    pub(super) letters: Vec<u64>,
    /// End of each word's forms.
    pub(super) form_ends: Vec<u32>,
    /// Each form as written; empty if equal to the word.
    pub(super) written: WordArena,
    /// Samples and places of each form: differences, in bytes of seven bits.
    pub(super) postings: Vec<u8>,
    /// End of each form's postings.
    pub(super) ends: Vec<u32>,
}

/// Words between checks for cancellation.
const STEP: usize = 512;

/// The answer of a segment.
#[derive(Debug)]
pub(crate) enum SegmentAnswer {
    /// The matching samples.
    Hits(Vec<Hit>),
    /// Samples that may match and must be read; no others match.
    Maybe(Vec<u32>),
}

impl Segment {
    pub(crate) fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// Returns its size in bytes, including the counters of its [`std::sync::Arc`].
    pub(super) fn bytes(&self) -> usize {
        let Self {
            samples: _,
            words,
            letters,
            form_ends,
            written,
            postings,
            ends,
        } = self;
        words.bytes()
            + written.bytes()
            + letters.capacity() * size_of::<u64>()
            + (form_ends.capacity() + ends.capacity()) * size_of::<u32>()
            + postings.capacity()
            + size_of::<(Self, [usize; 2])>()
    }

    /// Answers for all samples, or those in `among`; undefined if cancelled.
    pub(crate) fn answer(
        &self,
        ready: &PreparedNeedle,
        scope: SearchScope,
        among: Option<&[u32]>,
        watch: &CancelCheck<'_>,
    ) -> SegmentAnswer {
        if among.is_some_and(<[u32]>::is_empty) {
            return SegmentAnswer::Hits(Vec::new());
        }
        let (count, terms) = (self.samples.len(), ready.terms.len());
        let mut possible = vec![among.is_none(); count];
        for &sample in among.unwrap_or_default() {
            possible[sample as usize - self.samples.start] = true;
        }
        let mut values = vec![0; count * terms];
        let mut known = true;
        let mut of_term = vec![0; count];
        for (number, term) in ready.terms.iter().enumerate() {
            match &term.matcher {
                TextMatcher::Word(word) => {
                    of_term.fill(0);
                    self.values(word, ready, scope, watch, &mut of_term);
                    for (sample, &value) in of_term.iter().enumerate() {
                        values[sample * terms + number] = value;
                        possible[sample] &= (value > 0) != term.negated;
                    }
                }
                TextMatcher::Characters(characters) => {
                    known = false;
                    if !term.negated {
                        characters
                            .word_parts
                            .iter()
                            .for_each(|piece| self.keep(piece, scope, watch, &mut possible));
                    }
                }
            }
        }
        let possible = possible
            .iter()
            .enumerate()
            .filter(|(_, possible)| **possible)
            .map(|(sample, _)| sample);
        if !known {
            return SegmentAnswer::Maybe(
                possible
                    .map(|sample| (self.samples.start + sample) as u32)
                    .collect(),
            );
        }
        let hits = possible.filter_map(|sample| {
            let rank = rank(ready, &values[sample * terms..][..terms])?;
            Some(Hit {
                sample: (self.samples.start + sample) as u32,
                rank,
            })
        });
        SegmentAnswer::Hits(hits.collect())
    }

    /// Computes the score of a term in each sample.
    fn values(
        &self,
        term: &WordTerm,
        ready: &PreparedNeedle,
        scope: SearchScope,
        watch: &CancelCheck<'_>,
        values: &mut [MatchScore],
    ) {
        for (word, &letters) in self.letters.iter().enumerate() {
            if word % STEP == 0 && !watch.goes_on() {
                return;
            }
            if !term.may_fit(letters, self.words.bytes_of(word)) {
                continue;
            }
            let folded = self.words.get(word);
            if !term.is_strict() {
                let Some(value) = term.fit(folded, folded, letters, &ready.fuzzy) else {
                    continue;
                };
                self.forms(word)
                    .for_each(|form| self.raise(form, value, scope, values));
                continue;
            }
            for form in self.forms(word) {
                let written = match self.written.get(form) {
                    "" => folded,
                    written => written,
                };
                if let Some(value) = term.fit(folded, written, letters, &ready.fuzzy) {
                    self.raise(form, value, scope, values);
                }
            }
        }
    }

    fn forms(&self, word: usize) -> Range<usize> {
        let start = word
            .checked_sub(1)
            .map_or(0, |before| self.form_ends[before]);
        start as usize..self.form_ends[word] as usize
    }

    fn raise(&self, form: usize, value: MatchScore, scope: SearchScope, values: &mut [MatchScore]) {
        let prompt = in_prompt(value);
        self.each_sample(form, |sample, place| {
            if has_place(scope, place) {
                let is_prompt = place & u32::from(TextKinds::PROMPT.bits()) != 0;
                let value = if is_prompt && scope.kinds().intersects(TextKinds::PROMPT) {
                    prompt
                } else {
                    value
                };
                values[sample] = values[sample].max(value);
            }
        });
    }

    fn each_sample(&self, form: usize, mut see: impl FnMut(usize, u32)) {
        let start = form.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (mut posting, mut number, mut shift) = (0, 0, 0);
        for &byte in &self.postings[start as usize..self.ends[form] as usize] {
            number |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                posting = (posting & !PLACES) + number;
                see((posting >> WHERE) as usize, posting & PLACES);
                (number, shift) = (0, 0);
            }
        }
    }

    /// Keeps the samples that have a word with this part.
    fn keep(
        &self,
        piece: &WordPart,
        scope: SearchScope,
        watch: &CancelCheck<'_>,
        possible: &mut [bool],
    ) {
        let mut has = vec![false; possible.len()];
        for (word, &letters) in self.letters.iter().enumerate() {
            if word % STEP == 0 && !watch.goes_on() {
                return;
            }
            if letters & piece.letters == piece.letters && piece.is_of(self.words.get(word)) {
                for form in self.forms(word) {
                    self.each_sample(form, |sample, place| has[sample] |= has_place(scope, place));
                }
            }
        }
        possible
            .iter_mut()
            .zip(has)
            .for_each(|(possible, has)| *possible &= has);
    }
}

/// True if a scope includes one of these places.
fn has_place(scope: SearchScope, place: u32) -> bool {
    scope == SearchScope::Everything || place & u32::from(scope.kinds().bits()) != 0
}
