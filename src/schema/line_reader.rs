//! Readers of many lines in turn, which reuse the layout of the previous line: contiguous lines, or
//! lines anywhere in memory.

use std::cell::RefCell;

use super::fast_scan::{RecordLayout, scan_record};
use super::reader::{CapturedRow, Schema};
use super::repair;

/// Reads lines that are contiguous in memory, without allocating for each.
#[derive(Debug)]
pub struct LineReader<'s, 'r> {
    lines: &'r [u8],
    layout: RecordLayout,
    /// The last row.
    row: CapturedRow<'s, 'r>,
}

impl Schema {
    /// Returns a reader of contiguous lines.
    pub fn read_lines<'r>(&self, lines: &'r [u8]) -> LineReader<'_, 'r> {
        LineReader {
            lines,
            layout: RecordLayout::default(),
            row: CapturedRow::of(self),
        }
    }
}

/// Scans the row that begins at `start` by the previous layout, and returns the end of the line.
/// `None` if the fast scan rejects it. The row replaces the previous one.
fn scan_row<'r>(
    row: &mut CapturedRow<'_, 'r>,
    layout: &mut RecordLayout,
    lines: &'r [u8],
    start: usize,
) -> Option<usize> {
    let tree = &row.schema.tree;
    let record = scan_record(tree, layout, lines, start, &mut row.values)?;
    row.check(lines.get(start..record.end)?, record.items)
        .ok()?;
    Some(record.end)
}

impl<'s, 'r> LineReader<'s, 'r> {
    /// Returns the row of the line that begins at `start`, as [`Schema::row`] would, and the end of
    /// the line before its break. `None` if `Schema::row` must read it: it is not JSON, or unusual.
    pub fn row_at(&mut self, start: usize) -> Option<(&CapturedRow<'s, 'r>, usize)> {
        let end = scan_row(&mut self.row, &mut self.layout, self.lines, start)?;
        Some((&self.row, end))
    }
}

/// Reads consecutive rows of a schema. Remembers the layout of the last one, since keys rarely
/// change and then need no lookup.
#[derive(Debug)]
pub struct RowReader<'s> {
    schema: &'s Schema,
    layout: RefCell<RecordLayout>,
}

impl<'s> RowReader<'s> {
    /// Creates a reader for a schema's rows.
    pub fn new(schema: &'s Schema) -> Self {
        let layout = RefCell::default();
        Self { schema, layout }
    }

    /// Returns the schema of the rows.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// Calls `see` with the row of a line, repaired if Python wrote it; `None` if the line is
    /// malformed.
    pub fn with_row<T>(
        &self,
        line: &[u8],
        see: impl FnOnce(&CapturedRow<'_, '_>) -> T,
    ) -> Option<T> {
        if let Some(row) = self.fast_row(line) {
            return Some(see(&row));
        }
        if let Ok(row) = self.schema.row_by_serde(line) {
            return Some(see(&row));
        }
        let repaired = repair(line)?;
        self.schema.row(&repaired.line).ok().map(|row| see(&row))
    }

    /// Reads the row of a well-formed line as [`Schema::row`] does.
    pub(super) fn fast_row<'r>(&self, line: &'r [u8]) -> Option<CapturedRow<'s, 'r>> {
        let mut row = CapturedRow::of(self.schema);
        let end = scan_row(&mut row, &mut self.layout.borrow_mut(), line, 0)?;
        (end == line.len()).then_some(row)
    }
}
