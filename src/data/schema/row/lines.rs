//! From lines to rows: readers that reuse the layout of the previous line, a lenient second attempt
//! at lines that Python writes and JSON forbids, and errors for other lines.

use std::borrow::Cow;
use std::cell::RefCell;

use memchr::memmem;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::reader::{CapturedRow, Schema};
use super::record_scan::{MAX_NESTING, RecordLayout};
use crate::json::token;
use crate::model::{ReadWarning, RowError};
use crate::source::lines::refusal;
use crate::table::Path;

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

/// A line rewritten as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedLine {
    /// The new line; columns after a change differ from those of the file.
    pub line: Vec<u8>,
    /// What was changed; sorted, without repeats.
    pub warnings: Vec<ReadWarning>,
}

/// Rewrites `NaN` and `Infinity` as null, bytes that are not UTF-8 as U+FFFD, and raw control
/// characters in strings as escapes. `None` if the line has none of these, so its fault is another.
pub fn repair(line: &[u8]) -> Option<RepairedLine> {
    let text = String::from_utf8_lossy(line);
    let has_word = |word: &[u8]| memmem::find(text.as_bytes(), word).is_some();
    let is_control = |byte: &u8| *byte < 0x20;
    // Most faults are others, and a line can have 100 MB.
    if matches!(text, Cow::Borrowed(_))
        && !text.as_bytes().iter().any(is_control)
        && !has_word(b"NaN")
        && !has_word(b"Infinity")
    {
        return None;
    }
    let mut warnings = Vec::new();
    if matches!(text, Cow::Owned(_)) {
        warnings.push(ReadWarning::InvalidUtf8);
    }
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut out = Vec::with_capacity(bytes.len());
    while let Some((first, range)) = token(bytes, at) {
        out.extend_from_slice(&bytes[at..range.start]);
        at = range.end;
        let token = &bytes[range];
        if [&b"NaN"[..], b"Infinity", b"-Infinity"].contains(&token) {
            warnings.push(ReadWarning::NotANumber);
            out.extend_from_slice(b"null");
            continue;
        }
        let mut is_escaped = false;
        for &byte in token {
            if byte < 0x20 && first == b'"' && !is_escaped {
                warnings.push(ReadWarning::RawControl);
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            } else {
                out.push(byte);
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
    }
    out.extend_from_slice(&bytes[at..]);
    warnings.sort_unstable();
    warnings.dedup();
    (!warnings.is_empty()).then_some(RepairedLine {
        line: out,
        warnings,
    })
}

/// Returns the error for a required path that leads to no value.
pub fn missing(path: Option<&Path>) -> RowError {
    let path = path.map(Path::to_string).unwrap_or_default();
    RowError {
        column: 0,
        reason: format!("{path} is missing"),
    }
}

/// Returns the JSON type of a value, for messages.
pub fn kind_of(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'"') => "text",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// Returns serde_json's message without " at line 1 column 17": the position is shown separately.
fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.rsplit_once(" at line ")
        .map(|(what, _)| what.to_owned())
        .unwrap_or(said)
}

/// Bytes of a line up to which its error is made as precise as possible.
const MAX_DECODED: usize = 1 << 20;

/// Returns why a line is not JSON, for a user who sees the line next to it.
fn syntax_error(line: &[u8]) -> RowError {
    if let Some(why) = refusal(line) {
        return RowError {
            column: 0,
            reason: why.to_owned(),
        };
    }
    // Decoding the line gives a more precise error, but takes seconds for 100 MB.
    let decoded = (line.len() <= MAX_DECODED)
        .then(|| serde_json::from_slice::<Value>(line).err())
        .flatten()
        .filter(|error| !without_place(error).starts_with("recursion limit"));
    let Some(error) = decoded.or_else(|| serde_json::from_slice::<IgnoredAny>(line).err()) else {
        return RowError {
            column: 0,
            reason: format!("values are nested deeper than {MAX_NESTING} levels"),
        };
    };
    let said = without_place(&error);
    let reason = if error.is_eof() {
        format!("the line is cut off ({said})")
    } else if line
        .first()
        .is_some_and(|first| !matches!(first, b'{' | b'['))
    {
        "not a JSON object".to_owned()
    } else {
        format!("not JSON: {said}")
    };
    RowError {
        column: error.column(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_repaired() {
        use ReadWarning::{InvalidUtf8, NotANumber, RawControl};
        for (line, expected, warnings) in [
            (
                &b"{\"a\": NaN}"[..],
                &b"{\"a\": null}"[..],
                &[NotANumber][..],
            ),
            (b"[-Infinity, Infinity]", b"[null, null]", &[NotANumber]),
            (
                b"{\"a\": \"NaN\", \"b\": NaN}",
                b"{\"a\": \"NaN\", \"b\": null}",
                &[NotANumber],
            ),
            (
                b"{\"a\": \"\xff\"}",
                "{\"a\": \"\u{fffd}\"}".as_bytes(),
                &[InvalidUtf8],
            ),
            (
                b"{\"a\": \"x\ty\\\"\t\"}",
                b"{\"a\": \"x\\u0009y\\\"\\u0009\"}",
                &[RawControl],
            ),
            (
                b"{\"a\": \"\xe3\", \"b\": NaN}",
                "{\"a\": \"\u{fffd}\", \"b\": null}".as_bytes(),
                &[NotANumber, InvalidUtf8],
            ),
        ] {
            let repaired = repair(line).expect("something to repair");
            assert_eq!(
                (repaired.line.as_slice(), repaired.warnings.as_slice()),
                (expected, warnings)
            );
        }
        for line in [&b"{\"a\": -1,"[..], b"[NaNs, -Infinity1]", b"[\"\\\t\"]"] {
            assert_eq!(repair(line), None);
        }
    }
}
