//! Scans one segment of a file: offsets of rows, malformed rows, rows with the prompt of the row
//! before, and values.
//!
//! The segments of a [wave](super::waves) are scanned independently in parallel, and joined in order
//! by [`super::group`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use memchr::memchr;

use super::chunk::{LenientRows, row_hash};
use super::row_batch::RowBatch;
use super::row_predicate::{ResponseMask, RowPredicate};
use crate::model::ReadWarning;
use crate::schema::{CapturedRow, RepairedLine, RowStats, Schema, repair, same_text};
use crate::source::lines;
use crate::table::{ColumnId, CountedColumns};

/// The result for a segment.
#[derive(Debug, Default)]
pub struct Scan {
    /// Offset of each row from the beginning of the wave.
    pub starts: Vec<u32>,
    /// Hash of each row's line.
    pub hashes: Vec<u32>,
    /// (row, number of blank lines before it), at each row where that number grows.
    pub blanks: Vec<(u32, u32)>,
    pub malformed: Vec<u32>,
    /// Rows that were read leniently.
    pub lenient: LenientRows,
    /// Indexes of the [paths](crate::schema::Definition::places_of_texts) at which a row has a text.
    pub texts: BTreeSet<usize>,
    /// Whether each row is well-formed and has the prompt of the well-formed row before it in this
    /// segment; empty if prompts are not compared.
    pub same: Vec<bool>,
    /// Whether rows are joined by prompt; otherwise prompts are not compared.
    joins_by_prompt: bool,
    /// Whether rows have a group key.
    groups_by_key: bool,
    /// Group key of each row, if rows have one; `None` for a malformed row.
    pub group_keys: Vec<Option<u64>>,
    /// Each row's result for the predicate; empty without one.
    pub answers: Vec<ResponseMask>,
    /// Values of the rows.
    pub packed: RowBatch,
    /// The first well-formed row's prompt as spelled in the file, for joining segments.
    pub first_prompt: Option<String>,
    /// The last well-formed row's prompt as spelled in the file.
    pub last_prompt: Option<String>,
}

/// How the rows of a file are read, and what is computed for each.
#[derive(Debug, Clone, Copy)]
pub struct FileRows<'f> {
    pub schema: &'f Schema,
    pub predicate: Option<&'f dyn RowPredicate>,
    /// Columns to keep.
    pub kept: &'f Arc<KeptColumns>,
    /// Whether rows can be read again, which needs their hashes.
    pub is_read_again: bool,
}

/// How the rows of a file are scanned.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Predicate to evaluate for each row.
    pub predicate: Option<Arc<dyn RowPredicate>>,
    /// Columns to keep; `None` means all.
    pub kept: Option<Arc<KeptColumns>>,
    /// Whether rows can be read again. If not, their bytes are not kept, and reading one later is
    /// an error.
    pub is_read_again: bool,
}

impl Default for ScanOptions {
    /// No predicate, all columns.
    fn default() -> Self {
        Self {
            predicate: None,
            kept: None,
            is_read_again: true,
        }
    }
}

/// The columns kept from the rows of a schema. Facts, verdicts and annotators' values are always
/// kept.
#[derive(Debug, Default)]
pub struct KeptColumns {
    /// Counts to keep.
    pub(super) counted: CountedColumns,
    /// Indexes in the schema of the kept labels and scores, ascending.
    pub(super) labels: Box<[usize]>,
}

impl KeptColumns {
    /// Keeps every column that rows of the schema can have.
    pub fn all(schema: &Schema) -> Self {
        Self::only(schema, |_| true)
    }

    /// Keeps only the columns for which `is_asked` is true. Reading any other column panics.
    pub fn only(schema: &Schema, is_asked: impl Fn(ColumnId) -> bool) -> Self {
        let labels = schema
            .columns()
            .iter()
            .take(schema.labels().len())
            .enumerate()
            .filter(|(_, label)| is_asked(label.id));
        Self {
            counted: schema.counted().only(&is_asked),
            labels: labels.map(|(place, _)| place).collect(),
        }
    }
}

/// Scans lines that begin `offset` bytes after the start of the wave. The last one may lack its
/// line break.
pub fn scan(rows: FileRows<'_>, lines: &[u8], offset: usize) -> Scan {
    let schema = rows.schema;
    let mut scan = Scan {
        joins_by_prompt: schema.joins_rows() && !schema.groups_by_key(),
        groups_by_key: schema.groups_by_key(),
        packed: RowBatch::new(schema, rows.kept),
        ..Scan::default()
    };
    let mut reader = schema.read_lines(lines);
    let (mut before, mut start) = (PreviousRow::default(), 0);
    while start < lines.len() {
        let end = match reader.row_at(start) {
            Some((row, end)) => {
                let line = lines::trim(&lines[start..end]);
                scan.begin_row(rows, line, offset + start);
                let prompt = scan.prompt_of(row);
                scan.take_row(rows, row, prompt, &[], &mut before);
                end
            }
            None => {
                let end = memchr(b'\n', &lines[start..]).map_or(lines.len(), |at| start + at);
                scan.take_line(rows, &lines[start..end], offset + start, &mut before);
                end
            }
        };
        start = end + 1;
    }
    scan.last_prompt = before.prompt.map(Cow::into_owned);
    scan
}

/// The previous well-formed row.
#[derive(Default)]
struct PreviousRow<'b> {
    /// Its prompt as spelled in the file.
    prompt: Option<Cow<'b, str>>,
    stats: RowStats,
    /// Its result for the predicate.
    answer: ResponseMask,
    /// Buffer for decoding texts.
    scratch: String,
}

impl Scan {
    fn begin_row(&mut self, rows: FileRows<'_>, line: &[u8], start: usize) {
        self.starts.push(start as u32);
        if rows.is_read_again {
            self.hashes.push(row_hash(line));
        }
    }

    /// Processes a line that `LineReader::row_at` rejected: blank, unusual, repairable or
    /// malformed.
    fn take_line<'b>(
        &mut self,
        rows: FileRows<'_>,
        line: &'b [u8],
        start: usize,
        before: &mut PreviousRow<'b>,
    ) {
        let line = lines::trim(line);
        if line.is_empty() {
            let row = self.starts.len() as u32;
            let count = self.blanks.last().map_or(0, |&(_, count)| count) + 1;
            match self.blanks.last_mut() {
                Some(last) if last.0 == row => last.1 = count,
                _ => self.blanks.push((row, count)),
            }
            return;
        }
        self.begin_row(rows, line, start);
        let schema = rows.schema;
        if let Ok(row) = schema.row(line) {
            let prompt = self.prompt_of(&row);
            return self.take_row(rows, &row, prompt, &[], before);
        }
        let mended = repair(line);
        let row = mended
            .as_ref()
            .and_then(|mended| Some((schema.row(&mended.line).ok()?, mended)));
        match row {
            Some((row, RepairedLine { warnings, .. })) => {
                let prompt = self.prompt_of(&row);
                let prompt = prompt.map(|prompt| Cow::Owned(prompt.into_owned()));
                self.take_row(rows, &row, prompt, warnings, before);
            }
            None => {
                if let Some(predicate) = rows.predicate {
                    self.answers.push(predicate.of_malformed(line));
                }
                self.malformed.push(self.starts.len() as u32 - 1);
                self.packed.push_malformed();
                if self.groups_by_key {
                    self.group_keys.push(None);
                }
            }
        }
    }

    /// Returns the prompt to compare with adjacent rows; `None` if prompts are not compared.
    fn prompt_of<'r>(&self, row: &CapturedRow<'_, 'r>) -> Option<Cow<'r, str>> {
        (self.joins_by_prompt.then(|| row.prompt_spelling())).flatten()
    }

    fn take_row<'b>(
        &mut self,
        rows: FileRows<'_>,
        row: &CapturedRow<'_, '_>,
        prompt: Option<Cow<'b, str>>,
        mended: &[ReadWarning],
        before: &mut PreviousRow<'b>,
    ) {
        let same = prompt.is_some_and(|prompt| {
            let last = before.prompt.as_ref();
            let same = last.is_some_and(|last| same_text(last, &prompt));
            self.same.resize(self.starts.len(), false);
            self.same[self.starts.len() - 1] = same;
            if last.is_none() {
                self.first_prompt = Some(prompt.clone().into_owned());
            }
            before.prompt = Some(prompt);
            same
        });
        if let Some(predicate) = rows.predicate {
            let same_prompt = same.then_some(before.answer);
            before.answer = predicate.of_row(row, same_prompt, &mut before.scratch);
            self.answers.push(before.answer);
        }
        if self.groups_by_key {
            self.group_keys.push(row.group_key());
        }
        row.row_stats(&rows.kept.counted, same, &mut before.stats);
        // Repaired values are null in the row now.
        let is_odd =
            before.stats.has_invalid_value || mended.iter().any(ReadWarning::reveals_labels);
        row.find_texts(&mut self.texts);
        before.stats.has_warning |= !mended.is_empty();
        self.lenient += LenientRows {
            odd_values: usize::from(is_odd),
            others: usize::from(before.stats.has_warning && !is_odd),
        };
        self.packed.push(row, &before.stats);
    }
}
