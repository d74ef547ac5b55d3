//! Lines of one file that stand anywhere in memory, each read by what the one before was like.

use std::cell::RefCell;

use super::fast_scan::RecordLayout;
use super::line_reader::row_at;
use super::reader::{CapturedRow, Schema};
use super::repair;

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
    fn quickly<'r>(&self, line: &'r [u8]) -> Option<CapturedRow<'s, 'r>> {
        let text = simdutf8::basic::from_utf8(line).ok()?;
        let mut layout = self.layout.borrow_mut();
        let (row, end) = row_at(self.schema, &mut layout, text, 0, Vec::new())?;
        (end == line.len()).then_some(row)
    }
}
