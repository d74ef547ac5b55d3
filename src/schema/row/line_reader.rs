//! Readers of many lines in turn, which reuse the layout of the previous line: contiguous lines, or
//! lines anywhere in memory.

use std::cell::RefCell;

use super::errors::syntax_error;
use super::reader::{CapturedRow, Schema};
use super::record_scan::RecordLayout;
use super::repair::repair;
use crate::model::RowError;

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

impl<'s, 'r> LineReader<'s, 'r> {
    /// Returns the row of the line that begins at `start`, as [`Schema::row`] would, and the end of
    /// the line before its break. `None` if [`Schema::row`] rejects it.
    pub fn row_at(&mut self, start: usize) -> Option<(&CapturedRow<'s, 'r>, usize)> {
        let record = self.row.scan(&mut self.layout, self.lines, start)?;
        let line = self.lines.get(start..record.end)?;
        self.row.check(line, record.items).ok()?;
        Some((&self.row, record.end))
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
        if let Ok(row) = self.row(line) {
            return Some(see(&row));
        }
        let repaired = repair(line)?;
        self.row(&repaired.line).ok().map(|row| see(&row))
    }

    /// Reads a row as [`Schema::row`] does.
    pub(super) fn row<'r>(&self, line: &'r [u8]) -> Result<CapturedRow<'s, 'r>, RowError> {
        let (mut row, items) = self.captured(line)?;
        row.check(line, items).map(|()| row)
    }

    /// Captures the needed values of a line without checking them; also returns its length if it is
    /// a list.
    pub(in crate::schema) fn captured<'r>(
        &self,
        line: &'r [u8],
    ) -> Result<(CapturedRow<'s, 'r>, Option<usize>), RowError> {
        let mut row = CapturedRow::of(self.schema);
        let record = row.scan(&mut self.layout.borrow_mut(), line, 0);
        let record = record
            .filter(|record| record.end == line.len())
            .ok_or_else(|| syntax_error(line))?;
        Ok((row, record.items))
    }
}
