//! Many lines, one after the other, each read by what the one before was like.

use super::fast_scan::{RecordLayout, scan_record};
use super::reader::{CapturedRow, Schema};
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
pub(super) fn row_at<'s, 'r>(
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
