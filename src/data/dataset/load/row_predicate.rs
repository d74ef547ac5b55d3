//! Predicates evaluated on rows during the scan. If a query is known before loading, rows need not
//! be read again for it.

use std::sync::Arc;

use crate::dataset::{Chunk, Dataset, SampleRows};
use crate::model::{ResponseSet, ResponseSetBuilder};
use crate::parallel::in_parallel;
use crate::schema::CapturedRow;

/// A predicate on single rows, called on several threads.
pub trait RowPredicate: Send + Sync + std::fmt::Debug {
    /// Evaluates a row. `same_prompt` is the previous row's result if their prompts are equal;
    /// `scratch` is a buffer for decoding texts.
    fn of_row(
        &self,
        row: &CapturedRow<'_, '_>,
        same_prompt: Option<ResponseMask>,
        scratch: &mut String,
    ) -> ResponseMask;

    /// Evaluates a malformed row.
    fn of_malformed(&self, line: &[u8]) -> ResponseMask;
}

/// The result of a predicate for a sample: the responses for which it holds, whether it holds for
/// the shared part (the prompt, a fact), and whether the result is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseMask(u32);

impl ResponseMask {
    /// The result is known.
    pub const KNOWN: Self = Self(1 << 31);
    /// The predicate holds for the shared part: the prompt, or a malformed row.
    pub const SHARED: Self = Self(1 << 30);

    /// Creates a mask with one response, by index.
    pub const fn of(response: usize) -> Self {
        Self(ResponseSet::single(response).code())
    }

    /// Returns the bits, which never equal [`u32::MAX`].
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Restores a mask from [`Self::bits`].
    pub const fn of_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the responses for which the predicate holds.
    pub const fn responses(self) -> ResponseSet {
        ResponseSet::of_code(self.0 & ResponseSet::USED_BITS)
    }

    const fn flags(self) -> u32 {
        self.0 & !ResponseSet::USED_BITS
    }

    /// Returns the union of two masks.
    pub fn with(self, other: Self) -> Self {
        let responses = self.responses().with(other.responses());
        Self(responses.code() | self.flags() | other.flags())
    }

    /// True if the result is known.
    pub const fn is_known(self) -> bool {
        self.0 & Self::KNOWN.0 != 0
    }

    /// True if the predicate holds for a response, by index.
    pub fn is_of(self, response: usize) -> bool {
        self.responses().has(response)
    }

    /// True if the predicate holds for the shared part.
    pub const fn is_shared(self) -> bool {
        self.0 & Self::SHARED.0 != 0
    }

    /// Returns the mask without responses and other flags than [`Self::SHARED`].
    pub const fn shared(self) -> Self {
        Self(self.0 & Self::SHARED.0)
    }
}

/// Combines masks.
#[derive(Debug, Default)]
pub struct ResponseMaskBuilder {
    responses: ResponseSetBuilder,
    flags: u32,
}

impl ResponseMaskBuilder {
    /// Adds a mask, shifting its responses by `later`.
    pub fn add(&mut self, mask: ResponseMask, later: usize) {
        self.responses.insert_all(mask.responses(), later);
        self.flags |= mask.flags();
    }

    /// True if it contains any response or flag of `mask`.
    pub fn has(&self, mask: ResponseMask) -> bool {
        let responses = mask.responses().iter();
        let mut has = responses.map(|id| self.responses.has(id.index()));
        self.flags & mask.flags() != 0 || has.next() == Some(true)
    }

    /// Returns the combined mask.
    pub fn build(&self) -> ResponseMask {
        ResponseMask(self.responses.build().code() | self.flags)
    }
}

impl Dataset {
    /// Returns the result of the [predicate](RowPredicate) of the scan for each sample; not
    /// [known](ResponseMask::KNOWN) if there was none.
    pub fn row_answers(&self) -> Vec<ResponseMask> {
        let of_chunk = |chunk: &Arc<Chunk>| -> Vec<_> {
            let of_sample = |rows| self.answer_of_rows(chunk, rows).unwrap_or_default();
            chunk.samples.iter().map(of_sample).collect()
        };
        in_parallel(self.chunks(), of_chunk).concat()
    }

    /// Combines the results of a sample's rows; `None` if a row was not evaluated.
    fn answer_of_rows(&self, chunk: &Chunk, rows: SampleRows<'_>) -> Option<ResponseMask> {
        let mut all = ResponseMaskBuilder::default();
        all.add(ResponseMask::KNOWN, 0);
        for (place, row) in rows.iter().enumerate() {
            // Nearly all rows are in the chunk itself.
            let answer = match row.checked_sub(chunk.first_row) {
                Some(within) => chunk.answers.get(within as usize)?,
                None => {
                    let (earlier, within) = self.chunk_of_row(row)?;
                    earlier.answers.get(within)?
                }
            };
            // The first row provides the prompt of a sample.
            let of_responses = ResponseMask(answer.responses().code());
            let answer = if place == 0 { *answer } else { of_responses };
            all.add(answer, rows.response_at(place));
        }
        Some(all.build())
    }
}
