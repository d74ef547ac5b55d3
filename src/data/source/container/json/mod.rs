//! JSON documents, read as one line per row: [`detect`], [`rows`]. Rows are in lists, columns or values
//! that span several lines.

mod columns;
mod document;
mod list_lines;

use std::io::Write;

use columns::ColumnLines;
pub use document::{MAX_BYTES, SPLITS, detect, is_split};
use list_lines::{DocumentFault, ListLines, ListStarts};

use super::RowSearch;
use super::output::RowOutput;
use crate::source::SourceError;
use crate::source::read_ahead::{FIRST_PIECE, PieceReader};
use crate::source::spool_store::disk_file;

/// Where the rows of a JSON document are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonRows {
    /// The elements of the list (or the values of the object) at this JSON pointer; an empty
    /// pointer is the whole document.
    At(String),
    /// The elements of all lists named after a split (`train`, `test_prefs`) in the object at this
    /// JSON pointer.
    Splits(String),
    /// The elements of all lists of an object.
    Lists,
    /// The lists of an object, or objects by row number, as columns.
    Columns,
    /// Consecutive values that span several lines each.
    Values,
}

/// Publishes the rows of a document; those of columns once it is read.
pub fn rows(rows: &JsonRows, pieces: &mut PieceReader, out: &RowOutput) -> Result<(), SourceError> {
    if *rows != JsonRows::Columns {
        return read(rows, pieces, out, |lines| out.publish(lines)).1;
    }
    let no_room = |error| out.no_room(&error);
    let mut file = disk_file().map_err(no_room)?;
    let mut length = 0;
    let (lists, end) = read(rows, pieces, out, |lines| {
        length += lines.len() as u64;
        file.write_all(lines).map_err(no_room)
    });
    if matches!(end, Err(SourceError::Broken { .. })) {
        return end;
    }
    let mut rows = ColumnLines::new(file, &lists, length);
    let (mut lines, mut is_more) = (Vec::new(), true);
    while is_more && !out.spool.cancelled() {
        is_more = rows.push_next(&mut lines).map_err(no_room)?;
        if !is_more || lines.len() >= FIRST_PIECE {
            out.publish(&lines)?;
            lines.clear();
        }
    }
    end
}

/// Reads a document and passes on its rows as lines. Returns the start of each list and the
/// outcome.
fn read(
    rows: &JsonRows,
    pieces: &mut PieceReader,
    out: &RowOutput,
    mut take: impl FnMut(&[u8]) -> Result<(), SourceError>,
) -> (ListStarts, Result<(), SourceError>) {
    let mut next = |lines: &mut Vec<u8>, piece: Option<&mut Vec<u8>>| {
        take(lines)?;
        lines.clear();
        if let Some(piece) = piece {
            piece.extend_from_slice(pieces.next().unwrap_or_default());
        }
        Ok(())
    };
    let mut list = ListLines::new(rows, &mut next);
    let read = list.read();
    let (kept, lists) = (list.whole(), list.lists());
    let end = match read {
        Err(DocumentFault::Lines(error)) => Err(error),
        Err(DocumentFault::Broken(what)) => Err(out.broken(what, kept, "element")),
        // The caller reports why the document is truncated.
        _ if pieces.trouble.is_some() => Ok(()),
        Err(DocumentFault::NoList(what)) => Err(SourceError::NoList {
            name: out.name.clone(),
            what,
        }),
        Err(DocumentFault::End(what)) => Err(out.broken(what, kept, "element")),
        Ok(()) => Ok(()),
    };
    (lists, end)
}
