//! Many lines, one after the other, each read by what the one before was like: those that stand
//! together in memory, and those that stand anywhere.

use std::cell::RefCell;

use super::fast_scan::{RecordLayout, scan_record};
use super::reader::{CapturedRow, Schema};
use super::repair;
use super::serde_scan::CapturedValue;

/// Reads lines that stand together in memory, and allocates nothing for each.
#[derive(Debug)]
pub struct LineReader<'s, 'r> {
    schema: &'s Schema,
    /// All of them; `None` where they are not UTF-8, which is told line by line.
    lines: Option<&'r str>,
    layout: RecordLayout,
    /// Room for the values of the next row.
    values: Vec<Option<CapturedValue<'r>>>,
}

impl Schema {
    /// A reader of lines that stand together.
    pub fn read_lines<'r>(&self, lines: &'r [u8]) -> LineReader<'_, 'r> {
        LineReader {
            schema: self,
            lines: simdutf8::basic::from_utf8(lines).ok(),
            layout: RecordLayout::default(),
            values: Vec::new(),
        }
    }
}

/// The row that begins at a byte of some lines, read by the layout of the row before, and where its
/// line ends; `values` is room for what is captured.
fn row_at<'s, 'r>(
    schema: &'s Schema,
    layout: &mut RecordLayout,
    lines: &'r str,
    start: usize,
    mut values: Vec<Option<CapturedValue<'r>>>,
) -> Option<(CapturedRow<'s, 'r>, usize)> {
    let tree = schema.tree();
    values.resize(tree.slots(), None);
    let record = scan_record(tree, layout, lines, start, &mut values)?;
    let line = lines.as_bytes().get(start..record.end)?;
    let row = schema.captured_row(line, values, record.items).ok()?;
    Some((row, record.end))
}

impl<'s, 'r> LineReader<'s, 'r> {
    /// The row of the line that begins at a byte, and where the line ends, before its break or with
    /// the last one; as [`Schema::row`] would read it. `None` where that is to be asked: of what is not
    /// JSON, or not as it should be.
    pub fn row_at(&mut self, start: usize) -> Option<(CapturedRow<'s, 'r>, usize)> {
        let values = std::mem::take(&mut self.values);
        row_at(self.schema, &mut self.layout, self.lines?, start, values)
    }

    /// Takes the memory of a row back for the next one.
    pub fn take_back(&mut self, row: CapturedRow<'_, 'r>) {
        self.values = row.into_values();
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
    fn quickly<'r>(&self, line: &'r [u8]) -> Option<CapturedRow<'s, 'r>> {
        let text = simdutf8::basic::from_utf8(line).ok()?;
        let mut layout = self.layout.borrow_mut();
        let (row, end) = row_at(self.schema, &mut layout, text, 0, Vec::new())?;
        (end == line.len()).then_some(row)
    }
}
