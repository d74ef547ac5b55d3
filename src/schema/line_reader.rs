//! Many lines, one after the other, each read by what the one before was like: those that stand
//! together in memory, and those that stand anywhere.

use std::cell::RefCell;

use super::fast_scan::{RecordLayout, scan_record};
use super::reader::{CapturedRow, Schema};
use super::repair;

/// Reads lines that stand together in memory, and allocates nothing for each.
#[derive(Debug)]
pub struct LineReader<'s, 'r> {
    lines: &'r [u8],
    layout: RecordLayout,
    /// The last row that was read.
    row: CapturedRow<'s, 'r>,
}

impl Schema {
    /// A reader of lines that stand together.
    pub fn read_lines<'r>(&self, lines: &'r [u8]) -> LineReader<'_, 'r> {
        LineReader {
            lines,
            layout: RecordLayout::default(),
            row: CapturedRow::of(self),
        }
    }
}

/// Scans the row that begins at a byte of some lines by the layout of the row before, and in its place;
/// returns where the line ends. `None` if the quick way does not take it.
fn scan_row<'r>(
    row: &mut CapturedRow<'_, 'r>,
    layout: &mut RecordLayout,
    lines: &'r [u8],
    start: usize,
) -> Option<usize> {
    let tree = row.schema().tree();
    let record = scan_record(tree, layout, lines, start, &mut row.values)?;
    row.check(lines.get(start..record.end)?, record.items)
        .ok()?;
    Some(record.end)
}

impl<'s, 'r> LineReader<'s, 'r> {
    /// The row of the line that begins at a byte, and where the line ends, before its break or with
    /// the last one; as [`Schema::row`] would read it. `None` where that is to be asked: of what is not
    /// JSON, or not as it should be.
    pub fn row_at(&mut self, start: usize) -> Option<(&CapturedRow<'s, 'r>, usize)> {
        let end = scan_row(&mut self.row, &mut self.layout, self.lines, start)?;
        Some((&self.row, end))
    }
}

/// Reads rows of a schema that follow each other, and remembers how the last one was laid out: keys
/// are nearly always the same, and need not be looked up again.
#[derive(Debug)]
pub struct RowReader<'s> {
    schema: &'s Schema,
    layout: RefCell<RecordLayout>,
}

impl<'s> RowReader<'s> {
    /// Of a schema's rows, none of which was seen yet.
    pub fn new(schema: &'s Schema) -> Self {
        let layout = RefCell::default();
        Self { schema, layout }
    }

    /// The schema of the rows.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// What somebody sees in the row of a line as its schema says, or mended where Python wrote it;
    /// `None` of a malformed one.
    pub fn with_row<T>(
        &self,
        line: &[u8],
        see: impl FnOnce(&CapturedRow<'_, '_>) -> T,
    ) -> Option<T> {
        if let Some(row) = self.quickly(line) {
            return Some(see(&row));
        }
        if let Ok(row) = self.schema.sure_row(line) {
            return Some(see(&row));
        }
        let mended = repair(line)?;
        self.schema.row(&mended.line).ok().map(|row| see(&row))
    }

    /// The row of a line that is as it should be, as [`Schema::row`] reads it.
    pub(super) fn quickly<'r>(&self, line: &'r [u8]) -> Option<CapturedRow<'s, 'r>> {
        let mut row = CapturedRow::of(self.schema);
        let end = scan_row(&mut row, &mut self.layout.borrow_mut(), line, 0)?;
        (end == line.len()).then_some(row)
    }
}
