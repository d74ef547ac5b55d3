//! Questions that are put to rows while they are scanned: where one is known before files are loaded,
//! rows need not be read again for it.

use std::sync::Arc;

use super::{Chunk, Dataset, SampleRows};
use crate::model::ResponseId;
use crate::parallel::in_parallel;
use crate::schema::CapturedRow;

/// A question to single rows; asked on several threads at once.
pub trait RowPredicate: Send + Sync + std::fmt::Debug {
    /// What a row answers; `same_prompt` is what the row before did, where their prompts are the same.
    /// `scratch` is where texts with escapes are decoded.
    fn of_row(
        &self,
        row: &CapturedRow<'_, '_>,
        same_prompt: Option<RowAnswer>,
        scratch: &mut String,
    ) -> RowAnswer;

    /// What a malformed row answers.
    fn of_malformed(&self, line: &[u8]) -> RowAnswer;
}

/// What a sample answers to a question: a bit for each of its responses, one for what belongs to
/// all of them (the prompt, a fact), and one that says that it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowAnswer(u32);

impl RowAnswer {
    /// That it holds for what belongs to all responses: the prompt, or a malformed row.
    pub const SHARED: Self = Self(1 << ResponseId::MOST);
    /// That it is known.
    pub const KNOWN: Self = Self(Self::SHARED.0 << 1);
    const RESPONSES: u32 = Self::SHARED.0 - 1;

    /// That it holds for a response, by its place.
    pub const fn of(response: usize) -> Self {
        Self(1 << response)
    }

    /// As it is kept in a number.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// What [`Self::bits`] kept.
    pub const fn of_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// What it is of the sample to which it belongs as the row at a place, from 0: a row of several is
    /// one response of it, and the prompt is that of the first.
    const fn of_row_at(self, place: usize) -> Self {
        match place {
            0 => self,
            _ => Self((self.0 & Self::RESPONSES) << place & Self::RESPONSES),
        }
    }

    /// Both answers.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether anything of another answer is in this one.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it is known at all.
    pub const fn is_known(self) -> bool {
        self.has(Self::KNOWN)
    }

    /// Whether it holds for a response, by its place.
    pub const fn is_of(self, response: usize) -> bool {
        self.has(Self::of(response))
    }

    /// Whether it holds for any response.
    pub const fn is_of_any(self) -> bool {
        self.0 & Self::RESPONSES != 0
    }

    /// Whether it holds for each of the first so many responses.
    pub const fn is_of_all(self, count: usize) -> bool {
        let all = (1 << count) - 1;
        self.0 & all == all
    }

    /// Whether it holds for what belongs to all responses.
    pub const fn is_shared(self) -> bool {
        self.has(Self::SHARED)
    }
}

impl Dataset {
    /// What the rows of each sample answered to the [predicate](RowPredicate) that was put to them
    /// while they were scanned; not [known](RowAnswer::KNOWN) where none was.
    pub fn row_answers(&self) -> Vec<RowAnswer> {
        let of_chunk = |chunk: &Arc<Chunk>| -> Vec<_> {
            let of_sample = |rows| self.answer_of_rows(chunk, rows).unwrap_or_default();
            chunk.samples.iter().map(of_sample).collect()
        };
        in_parallel(self.chunks(), of_chunk).concat()
    }

    /// What the rows of a sample answered that a chunk completes; `None` where one was not asked.
    fn answer_of_rows(&self, chunk: &Chunk, rows: SampleRows<'_>) -> Option<RowAnswer> {
        let mut rows = rows.iter().enumerate();
        rows.try_fold(RowAnswer::KNOWN, |all, (place, row)| {
            // Nearly all stand in the chunk itself.
            let answer = match row.checked_sub(chunk.first_row) {
                Some(within) => chunk.answers.get(within as usize)?,
                None => {
                    let (earlier, within) = self.chunk_of_row(row)?;
                    earlier.answers.get(within)?
                }
            };
            Some(all.with(answer.of_row_at(place)))
        })
    }
}
