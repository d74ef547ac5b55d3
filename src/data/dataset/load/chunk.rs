//! Consecutive rows of one file as reported by the loader: their offsets, and the samples that they
//! make.
//!
//! Memory: 12 bytes a row, 4 bytes a sample and 4 bytes a malformed row, plus the columns: 6 to 15
//! bytes a sample, depending on lengths, and 2 for each label if labels are integers.

use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::ops::{AddAssign, Range};
use std::sync::OnceLock;

use foldhash::quality::FixedState;

use super::row_predicate::ResponseMask;
use crate::dataset::Dataset;
use crate::model::{ResponseSet, Verdict};
use crate::schema::{DecidingLabel, Schema};
use crate::table::{AnnotationColumn, ColumnData, ColumnId, Values, WordColumn};

/// Maximum number of rows of a dataset: 32-bit row numbers, less one that means none.
pub const MAX_ROWS: u64 = u32::MAX as u64 - 1;
/// Bytes of memory a row, at most: its offset, hash, labels and counts. Measured: 19 to 31 on files
/// of ten and a hundred million rows. Filters and sorts need more.
pub const ROW_BYTES: u64 = 32;

/// Rows of one sample, numbered over the whole dataset from 0, never empty: one row with all
/// responses, one row for each response, or one with all responses for each annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRows<'c> {
    rows: &'c [u32],
    /// Whether each row has all responses.
    is_by_annotator: bool,
}

impl<'c> SampleRows<'c> {
    /// Returns the row of response A, or of the whole sample.
    pub fn first(self) -> u32 {
        self.rows.first().copied().unwrap_or(u32::MAX)
    }

    /// Returns the row of a response, by index: the first row if that has all responses.
    pub fn of_response(self, place: usize) -> u32 {
        self.rows
            .get(place)
            .filter(|_| !self.is_by_annotator)
            .copied()
            .unwrap_or_else(|| self.first())
    }

    /// Returns the index of the first response on a row, given the row's index among these.
    pub(in crate::dataset) const fn response_at(self, row: usize) -> usize {
        if self.is_by_annotator { 0 } else { row }
    }

    /// Returns the number of rows that add responses.
    pub(in crate::dataset) const fn with_responses(self) -> usize {
        if self.is_by_annotator {
            1
        } else {
            self.rows.len()
        }
    }

    /// Returns the number of rows.
    pub fn count(self) -> usize {
        self.rows.len()
    }

    /// Returns the first `count` rows; `None` if `count` is 0.
    pub(in crate::dataset) fn first_rows(self, count: usize) -> Option<Self> {
        let rows = self.rows.get(..count).filter(|rows| !rows.is_empty())?;
        Some(Self { rows, ..self })
    }

    /// Iterates over the rows in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = u32> + Clone {
        self.rows.iter().copied()
    }
}

/// Table cells allowed for each response in it.
const SPARSE: usize = 8;
/// Table cells that are always allowed.
const FREE_CELLS: usize = 1 << 20;

/// The rows of consecutive samples.
#[derive(Debug, Default)]
pub struct SampleList {
    rows: Vec<u32>,
    /// End of each sample in `rows`.
    ends: Vec<u32>,
    /// Whether each row has all responses of its sample.
    is_by_annotator: bool,
}

impl SampleList {
    pub fn of(schema: &Schema) -> Self {
        Self {
            is_by_annotator: schema.definition().is_row_by_annotator(),
            ..Self::default()
        }
    }

    /// Adds the next sample; `rows` is not empty.
    pub fn push(&mut self, rows: &[u32]) {
        self.rows.extend_from_slice(rows);
        self.ends.push(self.rows.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, sample: usize) -> Option<SampleRows<'_>> {
        let end = *self.ends.get(sample)? as usize;
        let start = sample
            .checked_sub(1)
            .and_then(|last| self.ends.get(last))
            .map_or(0, |&start| start as usize);
        let rows = self.rows.get(start..end)?;
        let is_by_annotator = self.is_by_annotator;
        Some(SampleRows {
            rows,
            is_by_annotator,
        })
    }

    /// Iterates over the rows of each sample, in order.
    pub fn iter(&self) -> impl Iterator<Item = SampleRows<'_>> {
        (0..self.len()).filter_map(|sample| self.get(sample))
    }

    /// Splits the samples into parts, each stored as one table with a column for each response of
    /// its largest sample. Without this, one sample with thousands of responses among thousands of
    /// pairs would create millions of empty cells. `responses` returns a sample's number of
    /// responses.
    pub fn even_parts(
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

    pub fn part(&self, samples: Range<usize>) -> Self {
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

/// Consecutive rows of one file and the samples that they complete.
#[derive(Debug, Default)]
pub struct Chunk {
    /// Index of its file in the dataset.
    pub(in crate::dataset) file: usize,
    /// Number in the dataset of its first row, from 0.
    pub(in crate::dataset) first_row: u32,
    /// Number in its file of its first row, from 0.
    pub(in crate::dataset) first_row_in_file: u64,
    /// Number in the dataset of its first sample, from 0.
    pub(in crate::dataset) first_sample: u32,
    /// Number in its file of its first physical line, from 0.
    pub(super) first_line: u64,
    /// File offset of the wave, to which row offsets are relative; no line begins before it.
    pub(in crate::dataset) base: u64,
    /// File offset of the end of its last line.
    pub(in crate::dataset) end: u64,
    /// Offset of each row from `base`, in bytes.
    pub(in crate::dataset) starts: Vec<u32>,
    /// Hash of each row's line, to detect changes when it is read again.
    pub(in crate::dataset) hashes: Vec<u32>,
    /// (row from the chunk's first, number of blank lines before it in this chunk), at each row
    /// where that number grows.
    pub(super) blanks: Vec<(u32, u32)>,
    /// Completed samples; the first ones can begin in an earlier chunk.
    pub(in crate::dataset) samples: SampleList,
    /// Malformed rows, from the chunk's first, ascending.
    pub(super) malformed: Vec<u32>,
    /// Rows that were read leniently.
    pub(in crate::dataset) lenient: LenientRows,
    /// Indexes of the [paths](crate::schema::Definition::places_of_texts) at which a row has a text.
    pub(in crate::dataset) texts: BTreeSet<usize>,
    /// Columns of its samples.
    pub(in crate::dataset) columns: ChunkColumns,
    /// Each row's result for the predicate; empty without one.
    pub(super) answers: Vec<ResponseMask>,
}

/// Returns a 32-bit hash of a row's trimmed line, valid in this process only. Misses a change with a
/// probability of one in four billion.
pub fn row_hash(line: &[u8]) -> u32 {
    hash(line) as u32
}

/// Hashes bytes to 64 bits, valid in this process only.
pub fn hash(bytes: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(bytes)
}

/// Number of well-formed rows that were read leniently, by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LenientRows {
    /// Rows with a value outside its allowed range, which counts as missing.
    pub odd_values: usize,
    /// Rows with other flaws only, such as half a character.
    pub others: usize,
}

impl AddAssign for LenientRows {
    fn add_assign(&mut self, more: Self) {
        self.odd_values += more.odd_values;
        self.others += more.others;
    }
}

impl Chunk {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// Returns the number of samples that it completes.
    pub fn samples(&self) -> usize {
        self.samples.len()
    }

    /// Returns the number of malformed rows.
    pub fn malformed(&self) -> usize {
        self.malformed.len()
    }

    /// Returns the index of its file in the dataset.
    pub fn file(&self) -> usize {
        self.file
    }

    /// Returns the number in the dataset of the first sample that it completes, from 0.
    pub fn first_sample(&self) -> usize {
        self.first_sample as usize
    }

    /// Returns the rows of a sample, by index in the chunk. Those of the first samples can begin in
    /// an earlier chunk.
    pub fn sample_rows(&self, within: usize) -> Option<SampleRows<'_>> {
        self.samples.get(within)
    }

    /// Returns the columns of its samples, in order.
    pub fn columns(&self) -> &ChunkColumns {
        &self.columns
    }

    /// Returns the number of responses of a sample of the chunk; 0 if the row is malformed.
    pub fn responses_of(&self, within: usize) -> usize {
        self.columns
            .responses
            .get(within)
            .copied()
            .map_or(0, usize::from)
    }

    /// True if any annotator voted or excluded the comparison in any of its samples.
    pub fn has_votes(&self) -> bool {
        let excluded = self.columns.of_samples(ColumnId::EXCLUDED_VOTES);
        let is_excluded = |place| excluded.and_then(|counts| counts.get(place)) > Some(0.0);
        let votes = self.columns.get(ColumnId::VOTES);
        votes.is_some_and(ColumnData::has_any) || (0..self.samples()).any(is_excluded)
    }

    /// Returns the bytes of a row in its file, including blank lines after it.
    pub(in crate::dataset) fn bytes(&self, row: usize) -> Range<u64> {
        let at = |row: usize| {
            self.starts
                .get(row)
                .map_or(self.end, |&start| self.base + u64::from(start))
        };
        at(row)..at(row + 1)
    }

    /// Returns the line number of a row in its file, from 0.
    pub(in crate::dataset) fn line(&self, row: usize) -> u64 {
        let blank = self
            .blanks
            .partition_point(|&(before, _)| before as usize <= row)
            .checked_sub(1)
            .map_or(0, |last| self.blanks[last].1);
        self.first_line + row as u64 + u64::from(blank)
    }
}

impl Dataset {
    /// Returns the verdict on a sample from its columns, without reading rows. `None` if there is
    /// no verdict or no such sample.
    pub fn verdict(&self, sample: usize) -> Option<Verdict> {
        let (chunk, within) = self.chunk_of(sample)?;
        let schema = &self.files().get(chunk.file())?.schema;
        chunk.verdict(within, schema)
    }
}

impl Chunk {
    /// Returns the verdict on a sample, by index in the chunk: as stated, or by the deciding label.
    pub fn verdict(&self, within: usize, schema: &Schema) -> Option<Verdict> {
        if let Some(stated) = self.columns().of_samples(ColumnId::VERDICT) {
            return Verdict::of_code(stated.get(within)?);
        }
        let decided = self.with_deciding_values(within, schema, Verdict::of_values);
        Some(decided??.0)
    }

    /// Returns the rated responses of a sample, by index in the chunk: those with a value of the
    /// deciding label, or all if there is no such label.
    pub fn rated(&self, within: usize, schema: &Schema) -> ResponseSet {
        self.with_deciding_values(within, schema, ResponseSet::rated)
            .unwrap_or_else(|| ResponseSet::first(self.responses_of(within)))
    }

    /// Passes the deciding label's value for each response of a sample: higher is better, NaN is
    /// unrated. `None` if no label decides. Allocates only for many responses, since it runs for
    /// each sample.
    fn with_deciding_values<T>(
        &self,
        within: usize,
        schema: &Schema,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<T> {
        self.with_values_of(schema.deciding_label()?, within, schema, take)
    }

    /// Likewise, of any label.
    pub(in crate::dataset) fn with_values_of<T>(
        &self,
        deciding: DecidingLabel,
        within: usize,
        schema: &Schema,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<T> {
        let columns = self.columns();
        let count = self.responses_of(within);
        let (mut few, mut many) = ([f64::NAN; 32], Vec::new());
        let values = match few.get_mut(..count) {
            Some(values) => values,
            None => {
                many.resize(count, f64::NAN);
                &mut many
            }
        };
        let label = schema.columns().get(deciding.place)?.id;
        for (value, list) in values.iter_mut().zip(columns.numbers(label)?) {
            *value = list
                .get(within)
                .map_or(f64::NAN, |value| value * deciding.sign);
        }
        Some(take(values))
    }
}

/// The columns of the samples that a chunk completes: those that queries use most, packed during
/// the scan so that filters on labels never read the text again.
///
/// Each list has one entry a sample, in the order of the chunk's samples, so that comparisons are
/// vectorised. Columns of responses have one list for each response, A's first; samples with fewer
/// responses have no value in the rest. A comparison of pairs thus runs over two lists.
#[derive(Debug, Default)]
pub struct ChunkColumns {
    /// Number of responses of each; 0 for a malformed row.
    pub responses: Box<[u16]>,
    /// Whether any text is composed, that is, not stored in its line verbatim apart from escapes.
    pub(in crate::dataset) is_composed: bool,
    /// Whether any of its rows was read leniently or has a value outside its range; false for
    /// malformed rows.
    pub flagged: Box<[bool]>,
    /// In any order.
    pub(super) columns: Box<[(ColumnId, ColumnData)]>,
    /// Fields and text counts computed on demand, and columns of joined files.
    pub(in crate::dataset) later: LaterColumns,
}

/// Columns read after the scan. Entries are added while other threads read, and never move or
/// change.
#[derive(Debug, Default)]
pub struct LaterColumns(OnceLock<Box<LaterColumn>>);

#[derive(Debug)]
struct LaterColumn {
    id: ColumnId,
    values: ColumnData,
    rest: LaterColumns,
}

impl LaterColumns {
    fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        let mut list = self;
        while let Some(entry) = list.0.get() {
            if entry.id == id {
                return Some(&entry.values);
            }
            list = &entry.rest;
        }
        None
    }

    /// Adds a column, unless another thread already added it (with the same values).
    pub fn add(&self, id: ColumnId, values: ColumnData) {
        let rest = Self::default();
        let (mut list, mut new) = (self, Box::new(LaterColumn { id, values, rest }));
        while let Err(refused) = list.0.set(new) {
            match list.0.get() {
                Some(entry) if entry.id != id => list = &entry.rest,
                _ => return,
            }
            new = refused;
        }
    }
}

impl ChunkColumns {
    /// Returns a column; `None` if the schema lacks it, or if it is counted in texts or of a joined
    /// file and that was not read yet.
    ///
    /// A stated winner ([`crate::model::Verdict::code`]) and margin are columns too.
    pub fn get(&self, id: ColumnId) -> Option<&ColumnData> {
        if id.source.reads_texts() || id.source.is_joined() {
            return self.later.get(id);
        }
        let (_, data) = self.columns.iter().find(|(known, _)| *known == id)?;
        // An omitted column must not pass for an empty one.
        assert!(
            !matches!(data, ColumnData::UnusedSettings),
            "{id:?} is read but was omitted from the columns"
        );
        Some(data)
    }

    /// Returns the lists of a numeric column: one for samples, or one for each response.
    pub fn numbers(&self, id: ColumnId) -> Option<&[Values]> {
        self.get(id)?.numbers()
    }

    /// Returns a numeric column of samples.
    pub fn of_samples(&self, id: ColumnId) -> Option<&Values> {
        self.numbers(id)?.first()
    }

    /// Returns the lists of a column of words: one for samples, or one for each response.
    pub fn words(&self, id: ColumnId) -> Option<&[WordColumn]> {
        match self.get(id)? {
            ColumnData::Words(lists) => Some(lists),
            _ => None,
        }
    }

    /// Returns the annotators' values: one list for samples, or one for each response.
    pub fn annotations(&self, id: ColumnId) -> Option<&[AnnotationColumn]> {
        match self.get(id)? {
            ColumnData::Annotations(lists) => Some(lists),
            _ => None,
        }
    }

    /// Iterates over the columns packed during the scan.
    pub fn all(&self) -> impl Iterator<Item = (ColumnId, &ColumnData)> {
        self.columns.iter().map(|(id, data)| (*id, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_byte_makes_another_line() {
        let line = vec![b'x'; 700];
        for at in 0..line.len() {
            let mut other = line.clone();
            other[at] ^= 1;
            assert_ne!(row_hash(&other), row_hash(&line), "byte {at}");
        }
        assert_ne!(row_hash(&line[1..]), row_hash(&line));
        assert_eq!(row_hash(&line.clone()), row_hash(&line));
    }
}
