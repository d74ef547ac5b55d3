//! A stretch of consecutive rows of one file, as the loader hands it over: where each begins, and
//! which make samples.
//!
//! Memory: 8 bytes a row and 8 bytes a sample (a pair or a single), plus 4 bytes for each malformed
//! row, and the columns: 6 to 15 bytes a sample, as lengths need, and 2 for each label, where labels
//! are whole.

use std::ops::Range;

use super::check::Check;
use super::columns::ChunkColumns;

/// Rows of one sample, counted over the whole dataset from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRows {
    /// The row of response A, or of the whole sample.
    pub first: u32,
    /// The row of response B where that is another one; `u32::MAX` means there is none.
    second: u32,
}

impl SampleRows {
    /// A sample on one row.
    pub const fn single(row: u32) -> Self {
        Self {
            first: row,
            second: u32::MAX,
        }
    }

    /// A sample on two rows.
    pub const fn pair(first: u32, second: u32) -> Self {
        Self { first, second }
    }

    /// The second row, if the sample has one.
    pub fn second(self) -> Option<u32> {
        (self.second != u32::MAX).then_some(self.second)
    }

    /// Its rows in order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        std::iter::once(self.first).chain(self.second())
    }
}

/// Consecutive rows of one file with the samples that they complete.
#[derive(Debug)]
pub struct Chunk {
    /// Place of the file in the dataset.
    pub(super) file: usize,
    /// Number in the dataset of the first row, from 0.
    pub(super) first_row: u32,
    /// Number in its file of the first row, from 0.
    pub(super) first_row_in_file: u64,
    /// Number in the dataset of the first sample, from 0.
    pub(super) first_sample: u32,
    /// Number in its file of the first physical line, from 0.
    pub(super) first_line: u64,
    /// Byte offset in the file of the first line.
    pub(super) base: u64,
    /// Byte offset in the file behind the last line.
    pub(super) end: u64,
    /// Where each row begins, in bytes from `base`.
    pub(super) starts: Box<[u32]>,
    /// What each row's line came to, so that it is known again when it is read anew.
    pub(super) checks: Box<[Check]>,
    /// (row from the chunk's first, number of blank lines before it in this chunk), where that
    /// number grows.
    pub(super) blanks: Box<[(u32, u32)]>,
    /// The samples completed by this chunk; the first can begin in an earlier one.
    pub(super) samples: Box<[SampleRows]>,
    /// Malformed rows, counted from the chunk's first, ascending.
    pub(super) malformed: Box<[u32]>,
    /// How many well-formed rows have a value that its field cannot have.
    pub(super) odd_rows: usize,
    /// What its samples say.
    pub(super) columns: ChunkColumns,
}

impl Chunk {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// Number of samples completed by it.
    pub fn samples(&self) -> usize {
        self.samples.len()
    }

    /// Number of malformed rows.
    pub fn malformed(&self) -> usize {
        self.malformed.len()
    }

    /// Number of well-formed rows with a value that its field cannot have, and that counts as none.
    pub fn odd_rows(&self) -> usize {
        self.odd_rows
    }

    /// Place of its file in the dataset.
    pub fn file(&self) -> usize {
        self.file
    }

    /// Number in the dataset of the first sample that it completes, from 0.
    pub fn first_sample(&self) -> usize {
        self.first_sample as usize
    }

    /// The rows of the samples that it completes, in order; those of the first ones can begin in an
    /// earlier chunk.
    pub fn sample_rows(&self) -> &[SampleRows] {
        &self.samples
    }

    /// What those samples say, packed, in the same order.
    pub fn columns(&self) -> &ChunkColumns {
        &self.columns
    }

    /// Bytes of the file that a row takes, blank lines behind it included.
    pub(super) fn bytes(&self, row: usize) -> Range<u64> {
        let at = |row: usize| {
            self.starts
                .get(row)
                .map_or(self.end, |&start| self.base + u64::from(start))
        };
        at(row)..at(row + 1)
    }

    /// Physical line number of a row in its file, from 0.
    pub(super) fn line(&self, row: usize) -> u64 {
        let known = self
            .blanks
            .partition_point(|&(before, _)| before as usize <= row);
        let blank = known.checked_sub(1).map_or(0, |last| self.blanks[last].1);
        self.first_line + row as u64 + u64::from(blank)
    }
}
