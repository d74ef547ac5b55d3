//! A stretch of consecutive rows of one file, as the loader hands it over: where each begins, and
//! which make samples.
//!
//! Memory: 12 bytes a row and 4 bytes a sample, plus 4 bytes for each malformed row, and the columns:
//! 6 to 15 bytes a sample, as lengths need, and 2 for each label, where labels are whole.

use std::collections::BTreeSet;
use std::ops::{AddAssign, Range};

use super::check::Check;
use super::columns::ChunkColumns;
use super::row_predicate::ResponseMask;
use crate::schema::Schema;
use crate::table::{ColumnData, ColumnId};

/// Rows of one sample, counted over the whole dataset from 0: one that has all responses, one for each
/// of them, or one with all of them for each annotator; never none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRows<'c> {
    rows: &'c [u32],
    /// Whether each has all responses.
    is_by_annotator: bool,
}

impl<'c> SampleRows<'c> {
    /// The row of response A, or of the whole sample.
    pub fn first(self) -> u32 {
        self.rows.first().copied().unwrap_or(u32::MAX)
    }

    /// The row of a response, by its place in the sample from 0: the first row where all responses
    /// stand there.
    pub fn of_response(self, place: usize) -> u32 {
        let own = self.rows.get(place).filter(|_| !self.is_by_annotator);
        own.copied().unwrap_or_else(|| self.first())
    }

    /// The place of the first response that a row has, by the row's place among these.
    pub(super) const fn response_at(self, row: usize) -> usize {
        if self.is_by_annotator { 0 } else { row }
    }

    /// How many rows its responses are on.
    pub(super) const fn with_responses(self) -> usize {
        if self.is_by_annotator {
            1
        } else {
            self.rows.len()
        }
    }

    /// How many there are.
    pub fn count(self) -> usize {
        self.rows.len()
    }

    /// Its first so many rows; `None` for none.
    pub(super) fn first_rows(self, count: usize) -> Option<Self> {
        let rows = self.rows.get(..count).filter(|rows| !rows.is_empty())?;
        Some(Self { rows, ..self })
    }

    /// Its rows in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.rows.iter().copied()
    }
}

/// Cells that a table of samples can have for each of their responses.
const SPARSE: usize = 8;
/// Cells that a table of samples can have in any case.
const FREE_CELLS: usize = 1 << 20;

/// The rows of consecutive samples.
#[derive(Debug, Default)]
pub(super) struct SampleList {
    rows: Vec<u32>,
    /// Where the rows of each sample end.
    ends: Vec<u32>,
    /// Whether each row has all responses of its sample.
    is_by_annotator: bool,
}

impl SampleList {
    /// No samples, of files of a schema.
    pub(super) fn of(schema: &Schema) -> Self {
        Self {
            is_by_annotator: schema.definition().is_row_by_annotator(),
            ..Self::default()
        }
    }

    /// Adds the next sample, which has at least one row.
    pub(super) fn push(&mut self, rows: &[u32]) {
        self.rows.extend_from_slice(rows);
        self.ends.push(self.rows.len() as u32);
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows of a sample.
    pub(super) fn get(&self, sample: usize) -> Option<SampleRows<'_>> {
        let end = *self.ends.get(sample)? as usize;
        let before = sample.checked_sub(1).and_then(|last| self.ends.get(last));
        let start = before.map_or(0, |&start| start as usize);
        let rows = self.rows.get(start..end)?;
        let is_by_annotator = self.is_by_annotator;
        Some(SampleRows {
            rows,
            is_by_annotator,
        })
    }

    /// The rows of all samples, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = SampleRows<'_>> {
        (0..self.len()).filter_map(|sample| self.get(sample))
    }

    /// Cuts the samples into parts that are stored as one table each, with a column for each response
    /// of the largest sample. A sample with thousands of responses beside thousands of pairs would make
    /// a table of millions of empty cells. `responses` is how many a sample has.
    pub(super) fn even_parts(
        &self,
        most: usize,
        responses: impl Fn(SampleRows<'_>) -> usize,
    ) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        let (mut widest, mut all) = (0, 0);
        for (sample, rows) in self.iter().enumerate() {
            let count = responses(rows);
            (widest, all) = (count.max(widest), all + count);
            let is_sparse = widest * (sample + 1 - start) > SPARSE * all + FREE_CELLS;
            if sample > start && (is_sparse || sample - start >= most) {
                parts.push(start..sample);
                (start, widest, all) = (sample, count, count);
            }
        }
        parts.push(start..self.len());
        parts
    }

    /// Some of the samples as a list of their own.
    pub(super) fn part(&self, samples: Range<usize>) -> Self {
        let mut part = Self {
            is_by_annotator: self.is_by_annotator,
            ..Self::default()
        };
        samples
            .filter_map(|sample| self.get(sample))
            .for_each(|sample| part.push(sample.rows));
        part
    }
}

/// Consecutive rows of one file with the samples that they complete.
#[derive(Debug, Default)]
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
    /// Byte offset in the file from which places of rows are counted, where the wave begins: none of
    /// its lines begins before it.
    pub(super) base: u64,
    /// Byte offset in the file behind the last line.
    pub(super) end: u64,
    /// Where each row begins, in bytes from `base`.
    pub(super) starts: Vec<u32>,
    /// What each row's line came to, so that it is known again when it is read anew.
    pub(super) checks: Vec<Check>,
    /// (row from the chunk's first, number of blank lines before it in this chunk), where that
    /// number grows.
    pub(super) blanks: Vec<(u32, u32)>,
    /// The samples completed by this chunk; the first can begin in an earlier one.
    pub(super) samples: SampleList,
    /// Malformed rows, counted from the chunk's first, ascending.
    pub(super) malformed: Vec<u32>,
    /// How many of its rows were read leniently.
    pub(super) lenient: LenientRows,
    /// The [places](crate::schema::Definition::places_of_texts) at which any of its rows has a text.
    pub(super) texts: BTreeSet<usize>,
    /// What its samples say.
    pub(super) columns: ChunkColumns,
    /// What each row answered to the predicate that was put to it; empty where none was.
    pub(super) answers: Vec<ResponseMask>,
}

/// How many well-formed rows were read leniently, by what is told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LenientRows {
    /// A value that its field cannot have, which counts as none.
    pub odd_values: usize,
    /// Something else alone, such as half a character or more annotators than are read.
    pub others: usize,
}

impl AddAssign for LenientRows {
    fn add_assign(&mut self, more: Self) {
        self.odd_values += more.odd_values;
        self.others += more.others;
    }
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

    /// How many of its rows were read leniently.
    pub fn lenient_rows(&self) -> LenientRows {
        self.lenient
    }

    /// Place of its file in the dataset.
    pub fn file(&self) -> usize {
        self.file
    }

    /// Number in the dataset of the first sample that it completes, from 0.
    pub fn first_sample(&self) -> usize {
        self.first_sample as usize
    }

    /// The rows of a sample that it completes, by its place in the chunk from 0; those of the first
    /// ones can begin in an earlier chunk.
    pub fn sample_rows(&self, within: usize) -> Option<SampleRows<'_>> {
        self.samples.get(within)
    }

    /// What those samples say, packed, in the same order.
    pub fn columns(&self) -> &ChunkColumns {
        &self.columns
    }

    /// Whether any annotator says who wins in any of its samples, or that nothing is to be compared.
    pub fn has_votes(&self) -> bool {
        let excluded = self.columns.of_samples(ColumnId::EXCLUDED_VOTES);
        let is_excluded = |place| excluded.and_then(|counts| counts.get(place)) > Some(0.0);
        let votes = self.columns.get(ColumnId::VOTES);
        votes.is_some_and(ColumnData::has_any) || (0..self.samples()).any(is_excluded)
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
