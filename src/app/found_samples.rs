//! What a query found, in the pieces in which it came.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::jobs;
use crate::query::{QueryResult, ResponseSet};

/// Pieces of fewer samples are put together, so that there are not too many of them.
const SMALL: usize = 1 << 16;
/// Samples that are looked at together where one is looked for.
const BLOCK: usize = 1 << 10;
/// Giving the memory of more samples back takes a good part of a frame.
const MANY: usize = 1 << 20;

/// The samples that a query found, by position. What is there is neither copied nor moved when more
/// comes, whoever else holds it: of millions that would take longer than a frame. A clone shares the
/// pieces.
#[derive(Debug, Clone, Default)]
pub struct FoundSamples {
    pieces: Vec<FoundPiece>,
}

/// Samples that came together.
#[derive(Debug, Clone)]
struct FoundPiece {
    /// The position of the first.
    start: usize,
    found: Arc<QueryResult>,
}

impl FoundPiece {
    fn end(&self) -> usize {
        self.start + self.found.samples.len()
    }
}

impl FoundSamples {
    /// Adds what was found behind these.
    pub(super) fn push(&mut self, more: QueryResult) {
        match self.pieces.last_mut() {
            Some(last) if last.found.samples.len() + more.samples.len() <= SMALL => {
                Arc::make_mut(&mut last.found).extend(&more);
            }
            _ if more.samples.is_empty() => {}
            _ => self.pieces.push(FoundPiece {
                start: self.len(),
                found: Arc::new(more),
            }),
        }
    }

    /// How many samples.
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, FoundPiece::end)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sample at a position, with the responses for which the query holds.
    pub fn get(&self, position: usize) -> Option<(u32, ResponseSet)> {
        let at = self.pieces.partition_point(|piece| piece.end() <= position);
        let FoundPiece { start, found } = self.pieces.get(at)?;
        let within = position - start;
        Some((*found.samples.get(within)?, *found.matching.get(within)?))
    }

    /// The pieces, each with the position of its first sample.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (usize, &QueryResult)> {
        let pieces = self.pieces.iter();
        pieces.map(|piece| (piece.start, &*piece.found))
    }

    /// The samples, by position.
    pub fn samples(&self) -> impl Iterator<Item = u32> {
        let pieces = self.pieces();
        pieces.flat_map(|(_, found)| found.samples.iter().copied())
    }

    /// For each sample the responses for which the query holds.
    pub fn matching(&self) -> impl Iterator<Item = ResponseSet> {
        let pieces = self.pieces();
        pieces.flat_map(|(_, found)| found.matching.iter().copied())
    }

    /// The samples at these positions, as far as there are any.
    pub fn samples_at(&self, positions: Range<usize>) -> Vec<u32> {
        let within = |at: usize, start, length| at.clamp(start, start + length) - start;
        let parts = self.pieces().map(|(start, found)| {
            let length = found.samples.len();
            let end = within(positions.end, start, length);
            &found.samples[within(positions.start, start, length).min(end)..end]
        });
        parts.collect::<Vec<_>>().concat()
    }

    /// How many samples come before one, where they ascend.
    pub(super) fn count_before(&self, sample: u32) -> usize {
        let is_before = |piece: &FoundPiece| piece.found.samples.last() < Some(&sample);
        let at = self.pieces.partition_point(is_before);
        self.pieces.get(at).map_or(self.len(), |piece| {
            let samples = &piece.found.samples;
            piece.start + samples.partition_point(|other| *other < sample)
        })
    }

    /// The first position of a sample, in whatever order they are.
    pub(super) fn position_of(&self, sample: u32) -> Option<usize> {
        self.pieces().find_map(|(start, found)| {
            // Without an exit inside, so that the compiler looks at many at once.
            let has = |block: &[u32]| {
                block
                    .iter()
                    .fold(false, |has, other| has | (*other == sample))
            };
            let at = found.samples.chunks(BLOCK).position(has)? * BLOCK;
            let within = found.samples[at..]
                .iter()
                .position(|other| *other == sample)?;
            Some(start + at + within)
        })
    }

    /// All of it in one piece: for jobs, since it copies what came in several.
    pub(super) fn joined(&self) -> Cow<'_, QueryResult> {
        match &*self.pieces {
            [only] => Cow::Borrowed(&only.found),
            _ => Cow::Owned(QueryResult {
                samples: self.samples().collect(),
                matching: self.matching().collect(),
            }),
        }
    }
}

impl From<QueryResult> for FoundSamples {
    fn from(found: QueryResult) -> Self {
        let mut all = Self::default();
        all.push(found);
        all
    }
}

/// Whether both are the same samples for the same responses, in whatever pieces.
impl PartialEq for FoundSamples {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.samples().eq(other.samples())
            && self.matching().eq(other.matching())
    }
}

impl Eq for FoundSamples {}

impl Drop for FoundSamples {
    fn drop(&mut self) {
        let is_last = |piece: &FoundPiece| Arc::strong_count(&piece.found) == 1;
        if self.len() > MANY && self.pieces.iter().any(is_last) {
            jobs::drop_beside(std::mem::take(&mut self.pieces));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn result(samples: &[u32]) -> QueryResult {
        let matching = samples.iter().map(|at| ResponseSet::of([*at as usize % 7]));
        QueryResult {
            samples: samples.to_vec(),
            matching: matching.collect(),
        }
    }

    /// In pieces as they are, without any being put together.
    fn in_pieces(pieces: &[Vec<u32>]) -> FoundSamples {
        let mut all = FoundSamples::default();
        for samples in pieces.iter().filter(|samples| !samples.is_empty()) {
            all.pieces.push(FoundPiece {
                start: all.len(),
                found: Arc::new(result(samples)),
            });
        }
        all
    }

    proptest! {
        #[test]
        fn pieces_say_what_one_list_says(
            pieces in vec(vec(0_u32..50, 0..6), 0..6),
            (start, end) in (0_usize..30, 0_usize..30),
            sample in 0_u32..50,
        ) {
            let all = pieces.concat();
            let found = in_pieces(&pieces);
            let whole = result(&all);
            prop_assert_eq!(found.len(), all.len());
            prop_assert_eq!(&*found.joined(), &whole);
            prop_assert_eq!(&found, &FoundSamples::from(whole.clone()));
            for position in 0..all.len() + 2 {
                let expected = all.get(position).map(|at| (*at, whole.matching[position]));
                prop_assert_eq!(found.get(position), expected);
            }
            let cut = start.min(all.len()).min(end)..end.min(all.len());
            prop_assert_eq!(found.samples_at(start..end), &all[cut]);
            let first = all.iter().position(|other| *other == sample);
            prop_assert_eq!(found.position_of(sample), first);
            // Ascending ones.
            let mut ascending = all;
            ascending.sort_unstable();
            let mut rest = &*ascending;
            let sorted: Vec<_> = pieces.iter().map(|piece| {
                let (own, more) = rest.split_at(piece.len());
                rest = more;
                own.to_vec()
            }).collect();
            let before = ascending.partition_point(|other| *other < sample);
            prop_assert_eq!(in_pieces(&sorted).count_before(sample), before);
        }
    }

    #[test]
    fn what_others_hold_stays_as_it_is_and_small_pieces_are_put_together() {
        let mut found = FoundSamples::from(result(&[1, 2]));
        let held = found.clone();
        found.push(result(&[5]));
        found.push(QueryResult::default());
        assert_eq!((held.len(), found.len()), (2, 3));
        assert_eq!(found.pieces.len(), 1);
        let many: Vec<u32> = (10..10 + SMALL as u32).collect();
        found.push(result(&many));
        found.push(result(&[999_999]));
        assert_eq!(found.pieces.len(), 3);
        assert_eq!(
            found.get(SMALL + 3).map(|(sample, _)| sample),
            Some(999_999)
        );
        assert!(matches!(found.joined(), Cow::Owned(_)));
        assert!(matches!(held.joined(), Cow::Borrowed(_)));
    }
}
