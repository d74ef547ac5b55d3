//! Questions that are put to rows while they are scanned: where one is known before files are loaded,
//! rows need not be read again for it.

use std::sync::Arc;

use super::{Chunk, Dataset, SampleRows, ScannedRows};
use crate::model::{ResponseSet, ResponseSetBuilder};
use crate::parallel::in_parallel;
use crate::schema::CapturedRow;

/// A question to single rows; asked on several threads at once.
pub trait RowPredicate: Send + Sync + std::fmt::Debug {
    /// What a row answers; `same_prompt` is what the row before did, where their prompts are the same.
    /// `scratch` is where texts with escapes are decoded.
    fn of_row(
        &self,
        row: &CapturedRow<'_, '_>,
        same_prompt: Option<ResponseMask>,
        scratch: &mut String,
    ) -> ResponseMask;

    /// What a malformed row answers.
    fn of_malformed(&self, line: &[u8]) -> ResponseMask;
}

/// What a sample answers to a question: for which of its responses it holds, whether it holds for
/// what belongs to all of them (the prompt, a fact), and whether that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseMask(u32);

impl ResponseMask {
    /// That it is known.
    pub const KNOWN: Self = Self(1 << 31);
    /// That it holds for what belongs to all responses: the prompt, or a malformed row.
    pub const SHARED: Self = Self(1 << 30);

    /// That it holds for a response, by its place.
    pub const fn of(response: usize) -> Self {
        Self(ResponseSet::single(response).code())
    }

    /// As it is kept in a number, which is never [`u32::MAX`].
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// What [`Self::bits`] kept.
    pub const fn of_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The responses that it holds for.
    pub const fn responses(self) -> ResponseSet {
        ResponseSet::of_code(self.0 & ResponseSet::USED_BITS)
    }

    const fn flags(self) -> u32 {
        self.0 & !ResponseSet::USED_BITS
    }

    /// Both answers.
    pub fn with(self, other: Self) -> Self {
        let responses = self.responses().with(other.responses());
        Self(responses.code() | self.flags() | other.flags())
    }

    /// Whether it is known at all.
    pub const fn is_known(self) -> bool {
        self.0 & Self::KNOWN.0 != 0
    }

    /// Whether it holds for a response, by its place.
    pub fn is_of(self, response: usize) -> bool {
        self.responses().has(response)
    }

    /// Whether it holds for what belongs to all responses.
    pub const fn is_shared(self) -> bool {
        self.0 & Self::SHARED.0 != 0
    }

    /// What it says of what belongs to all responses, and nothing else.
    pub const fn shared(self) -> Self {
        Self(self.0 & Self::SHARED.0)
    }
}

/// An answer that is made of several.
#[derive(Debug, Default)]
pub struct ResponseMaskBuilder {
    responses: ResponseSetBuilder,
    flags: u32,
}

impl ResponseMaskBuilder {
    /// Adds an answer, of which each response is so many places later in the sample.
    pub fn add(&mut self, mask: ResponseMask, later: usize) {
        self.responses.insert_all(mask.responses(), later);
        self.flags |= mask.flags();
    }

    /// Whether it has what an answer for a single response, or for what belongs to all, says.
    pub fn has(&self, mask: ResponseMask) -> bool {
        let responses = mask.responses().iter();
        let mut has = responses.map(|id| self.responses.has(id.index()));
        self.flags & mask.flags() != 0 || has.next() == Some(true)
    }

    /// All of it.
    pub fn build(&self) -> ResponseMask {
        ResponseMask(self.responses.build().code() | self.flags)
    }
}

impl ScannedRows<'_> {
    /// Puts a predicate to its rows, as a scan does.
    pub fn answer(&self, predicate: &dyn RowPredicate, scratch: &mut String) -> ResponseMask {
        let mut all = ResponseMaskBuilder::default();
        for (place, line) in self.lines().iter().enumerate() {
            if self.malformed {
                all.add(predicate.of_malformed(line), 0);
                continue;
            }
            // The prompt of a sample is that of its first row.
            let same_prompt = (place > 0).then(ResponseMask::default);
            let answer = self
                .reader
                .with_row(line, |row| predicate.of_row(row, same_prompt, scratch));
            let at = self.rows.response_at(place);
            all.add(answer.unwrap_or_default(), at);
        }
        all.build()
    }
}

impl Dataset {
    /// What the rows of each sample answered to the [predicate](RowPredicate) that was put to them
    /// while they were scanned; not [known](ResponseMask::KNOWN) where none was.
    pub fn row_answers(&self) -> Vec<ResponseMask> {
        let of_chunk = |chunk: &Arc<Chunk>| -> Vec<_> {
            let of_sample = |rows| self.answer_of_rows(chunk, rows).unwrap_or_default();
            chunk.samples.iter().map(of_sample).collect()
        };
        in_parallel(self.chunks(), of_chunk).concat()
    }

    /// What the rows of a sample answered that a chunk completes; `None` where one was not asked.
    fn answer_of_rows(&self, chunk: &Chunk, rows: SampleRows<'_>) -> Option<ResponseMask> {
        let mut all = ResponseMaskBuilder::default();
        all.add(ResponseMask::KNOWN, 0);
        for (place, row) in rows.iter().enumerate() {
            // Nearly all stand in the chunk itself.
            let answer = match row.checked_sub(chunk.first_row) {
                Some(within) => chunk.answers.get(within as usize)?,
                None => {
                    let (earlier, within) = self.chunk_of_row(row)?;
                    earlier.answers.get(within)?
                }
            };
            // The prompt of a sample is that of its first row.
            let of_responses = ResponseMask(answer.responses().code());
            let answer = if place == 0 { *answer } else { of_responses };
            all.add(answer, rows.response_at(place));
        }
        Some(all.build())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::dataset::tests::dataset;

    /// Answers that everything holds for the row's own response, and for all of them unless the prompt
    /// is known; keeps what it is asked.
    #[derive(Debug, Default)]
    struct Recorder(Mutex<Vec<Option<ResponseMask>>>);

    impl RowPredicate for Recorder {
        fn of_row(
            &self,
            _row: &CapturedRow<'_, '_>,
            same_prompt: Option<ResponseMask>,
            _scratch: &mut String,
        ) -> ResponseMask {
            self.0.lock().expect("no panic").push(same_prompt);
            match same_prompt {
                None => ResponseMask::of(0).with(ResponseMask::SHARED),
                Some(_) => ResponseMask::of(0),
            }
        }

        fn of_malformed(&self, line: &[u8]) -> ResponseMask {
            assert_eq!(line, b"no row");
            ResponseMask::SHARED
        }
    }

    #[test]
    fn rows_that_are_read_again_answer_as_while_they_are_scanned() {
        let row = |prompt: &str, rating: u32| {
            format!(
                r#"{{"prompt": "{prompt}", "response": "r", "helpfulness": {rating}, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}}"#
            )
        };
        let lines = [row("p", 1), row("p", 2), "no row".to_owned(), row("q", 3)];
        let dataset = dataset(&[lines.join("\n")]);
        let (recorder, mut answers) = (Recorder::default(), Vec::new());
        dataset.for_each_sample(0..3, &|_| true, &mut |_, rows| {
            answers.push(rows.answer(&recorder, &mut String::new()));
        });
        let both = ResponseMask::of(0).with(ResponseMask::of(1));
        let alone = ResponseMask::of(0).with(ResponseMask::SHARED);
        assert_eq!(
            answers,
            [both.with(ResponseMask::SHARED), ResponseMask::SHARED, alone]
        );
        let asked = recorder.0.into_inner().expect("no panic");
        assert_eq!(asked, [None, Some(ResponseMask::default()), None]);
    }
}
