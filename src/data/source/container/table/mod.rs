//! Converts CSV and TSV to one JSON object per record and line, with the header's names: [`detect`],
//! [`rows`].
//!
//! Cells are texts; a schema decides what is a number. A record with another number of fields than
//! the header becomes an invalid line ([`lines::refusal`]) with its readable part.

mod head;

use std::collections::{HashMap, HashSet};

use csv_core::{ReadRecordResult, ReaderBuilder};
pub use head::detect;

use super::output::RowOutput;
use crate::json::push_string;
use crate::source::charset::TableText;
use crate::source::read_ahead::PieceReader;
use crate::source::{SourceError, lines};
use crate::text::grouped;

/// Maximum bytes of a record: an unclosed quote takes everything after it.
const MAX_RECORD: usize = 256 << 20;
/// Fields of a record kept beyond those of the header.
const MAX_MORE: usize = 16;
/// Maximum number of fields of a record.
const MAX_COLUMNS: usize = 1 << 20;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableDialect {
    /// The separator of cells.
    pub separator: u8,
    /// Bytes before the header: a byte order mark, a line like `sep=;`, comments.
    skipped: usize,
    /// True if blanks after a separator are not part of the cell.
    trims: bool,
    /// True if the first record has the column names and is not a row.
    has_header: bool,
    /// Columns at the end of the header that rows lack, as in results of Mechanical Turk.
    missing: usize,
}

/// Publishes the records of a table as lines.
pub fn rows(
    dialect: TableDialect,
    pieces: &mut PieceReader,
    out: &RowOutput,
) -> Result<(), SourceError> {
    let mut table = TableLines::new(dialect);
    let (mut text, mut decoded, mut lines) = (TableText::new(), Vec::new(), Vec::new());
    let mut ended = false;
    while !ended {
        let piece = pieces.next();
        ended = piece.is_none();
        let piece = table.without_preamble(piece.unwrap_or_default());
        let fed = table.feed(text.take(piece, ended, &mut decoded), &mut lines);
        if let Some(page) = text.code_page() {
            out.spool.charset.get_or_init(|| page);
        }
        if ended {
            table.finish(&mut lines);
        }
        out.publish(&lines)?;
        lines.clear();
        fed.map_err(|what| out.broken(what, table.rows, "row"))?;
    }
    Ok(())
}

/// Removes blanks before cells.
struct BlankFilter {
    separator: u8,
    place: CellPlace,
    out: Vec<u8>,
    /// True if blanks were removed before a cell; before a quoted one.
    is_found: bool,
    is_before_quote: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum CellPlace {
    Start,
    Blank,
    Bare,
    Quoted,
    /// After a quote in a quoted cell, which ends the cell unless another quote follows.
    Closed,
}

impl BlankFilter {
    fn new(separator: u8) -> Self {
        Self {
            separator,
            place: CellPlace::Start,
            out: Vec::new(),
            is_found: false,
            is_before_quote: false,
        }
    }

    fn take(&mut self, piece: &[u8]) -> &[u8] {
        self.out.clear();
        for &byte in piece {
            let is_end = byte == self.separator || matches!(byte, b'\n' | b'\r');
            self.place = match (self.place, byte) {
                (CellPlace::Start | CellPlace::Blank, b' ') => {
                    (self.is_found, self.place) = (true, CellPlace::Blank);
                    continue;
                }
                (CellPlace::Start | CellPlace::Blank, b'"') => {
                    self.is_before_quote |= self.place == CellPlace::Blank;
                    CellPlace::Quoted
                }
                (CellPlace::Quoted, b'"') => CellPlace::Closed,
                (CellPlace::Closed, b'"') | (CellPlace::Quoted, _) => CellPlace::Quoted,
                _ if is_end => CellPlace::Start,
                _ => CellPlace::Bare,
            };
            self.out.push(byte);
        }
        &self.out
    }
}

/// Parses the records of a text that arrives in pieces.
struct Records {
    core: csv_core::Reader,
    fields: Vec<u8>,
    /// Bytes used in `fields`, and the end of each field.
    filled: usize,
    ends: Vec<usize>,
    count: usize,
}

/// The result of parsing a piece.
enum RecordProgress {
    Record,
    /// The piece is used up.
    Piece,
    TooLong,
}

impl Records {
    fn new(separator: u8) -> Self {
        Self {
            core: ReaderBuilder::new().delimiter(separator).build(),
            fields: vec![0; 4 << 10],
            filled: 0,
            ends: vec![0; 32],
            count: 0,
        }
    }

    /// Reads to the end of the next record; an empty piece ends the text.
    fn next(&mut self, piece: &mut &[u8]) -> RecordProgress {
        loop {
            let (result, read, written, ended) = self.core.read_record(
                piece,
                &mut self.fields[self.filled..],
                &mut self.ends[self.count..],
            );
            *piece = &piece[read..];
            self.filled += written;
            self.count += ended;
            match result {
                ReadRecordResult::Record => return RecordProgress::Record,
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    return RecordProgress::Piece;
                }
                _ if self.filled >= MAX_RECORD || self.count >= MAX_COLUMNS => {
                    return RecordProgress::TooLong;
                }
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
        }
    }

    /// Returns the number of fields of the record.
    fn len(&self) -> usize {
        self.count
    }

    /// Returns the fields of the record.
    fn record(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        (0..self.count).map(|at| {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.fields[start..self.ends[at]]
        })
    }

    /// Returns the number of fields, without empty ones beyond `columns` (for lines that end in
    /// separators).
    fn len_in(&self, columns: usize) -> usize {
        let is_blank = self.record().skip(columns).all(<[u8]>::is_empty);
        if is_blank {
            self.len().min(columns)
        } else {
            self.len()
        }
    }

    fn clear(&mut self) {
        (self.filled, self.count) = (0, 0);
    }
}

/// Converts a table to lines. Pass the whole text to `feed`, then call [`TableLines::finish`].
struct TableLines {
    /// Bytes before the header still to be skipped.
    skipped: usize,
    blanks: Option<BlankFilter>,
    has_header: bool,
    /// Columns at the end of the header that rows lack.
    missing: usize,
    records: Records,
    /// The column names as JSON, each with a colon; `None` until they are read.
    names: Option<Vec<Vec<u8>>>,
    rows: u64,
}

impl TableLines {
    fn new(dialect: TableDialect) -> Self {
        Self {
            skipped: dialect.skipped,
            blanks: dialect.trims.then(|| BlankFilter::new(dialect.separator)),
            has_header: dialect.has_header,
            records: Records::new(dialect.separator),
            missing: dialect.missing,
            names: None,
            rows: 0,
        }
    }

    /// Appends the lines of the next bytes to `out`.
    ///
    /// # Errors
    /// If a row does not end.
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let mut blanks = self.blanks.take();
        let mut piece = match &mut blanks {
            Some(blanks) => blanks.take(piece),
            None => piece,
        };
        let mut fed = Ok(());
        while !piece.is_empty() && fed.is_ok() {
            match self.records.next(&mut piece) {
                RecordProgress::Record => self.take_record(out),
                RecordProgress::Piece => break,
                RecordProgress::TooLong => {
                    fed = Err(format!(
                        "row {} is longer than {} MB or {} fields: a quote in it is not closed",
                        self.rows + 1,
                        MAX_RECORD >> 20,
                        grouped(MAX_COLUMNS)
                    ));
                }
            }
        }
        self.blanks = blanks;
        fed
    }

    /// Skips the bytes before the header; call it before decoding.
    fn without_preamble<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let skipped = self.skipped.min(piece.len());
        self.skipped -= skipped;
        &piece[skipped..]
    }

    /// Ends the text, and with it a last row without a line break.
    fn finish(&mut self, out: &mut Vec<u8>) {
        if matches!(self.records.next(&mut &[][..]), RecordProgress::Record) {
            self.take_record(out);
        }
    }

    fn take_record(&mut self, out: &mut Vec<u8>) {
        if self.names.is_none() {
            let is_name = self.has_header;
            let header = self
                .records
                .record()
                .map(|cell| if is_name { cell } else { b"" });
            self.names = Some(names(header));
            if is_name {
                return self.records.clear();
            }
        }
        let Some(names) = &self.names else { return };
        // Spreadsheets write such records after the last row.
        if self.records.record().all(<[u8]>::is_empty) {
            self.records.clear();
            return;
        }
        self.rows += 1;
        let (fields, columns) = (self.records.len_in(names.len()), names.len());
        if fields != columns && fields + self.missing != columns {
            let fields = match fields {
                1 => "1 field".to_owned(),
                many => format!("{} fields", grouped(many)),
            };
            let why = format!("row {} has {fields}, the header {columns}", self.rows);
            lines::push_refusal(&why, out);
        }
        let kept = fields.min(columns + MAX_MORE);
        for (at, field) in self.records.record().take(kept).enumerate() {
            out.push(if at == 0 { b'{' } else { b',' });
            match names.get(at) {
                Some(name) => out.extend_from_slice(name),
                None => out.extend_from_slice(format!("\"column_{}\":", at + 1).as_bytes()),
            }
            push_string(field, out);
        }
        out.extend_from_slice(b"}\n");
        self.records.clear();
    }
}

/// Returns the column names as JSON, each with a colon. An unnamed column is named after its
/// position, and equal names are numbered: `score_1`, `score_2`.
fn names<'f>(header: impl Iterator<Item = &'f [u8]>) -> Vec<Vec<u8>> {
    let header: Vec<_> = header.map(<[u8]>::trim_ascii).collect();
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    header
        .iter()
        .for_each(|name| *counts.entry(*name).or_default() += 1);
    let is_alone = |name: &&[u8]| !name.is_empty() && counts.get(*name) == Some(&1);
    let mut taken: HashSet<Vec<u8>> = header
        .iter()
        .filter(|it| is_alone(it))
        .map(|it| it.to_vec())
        .collect();
    let name = |(at, name): (usize, &&'f [u8])| {
        let numbered = |number: usize| [*name, format!("_{number}").as_bytes()].concat();
        let name = match name {
            [] => format!("column_{}", at + 1).into_bytes(),
            name if is_alone(name) => name.to_vec(),
            _ => (1..)
                .map(numbered)
                .find(|it| taken.insert(it.clone()))
                .unwrap_or_default(),
        };
        let mut json = Vec::new();
        push_string(&name, &mut json);
        json.push(b':');
        json
    };
    header.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(separator: u8, text: &[u8], piece: usize) -> String {
        lines_in(plain(separator), text, piece)
    }

    fn plain(separator: u8) -> TableDialect {
        TableDialect {
            separator,
            skipped: 0,
            trims: false,
            has_header: true,
            missing: 0,
        }
    }

    fn lines_in(dialect: TableDialect, text: &[u8], piece: usize) -> String {
        let mut table = TableLines::new(dialect);
        let mut out = Vec::new();
        for piece in text.chunks(piece) {
            let piece = table.without_preamble(piece);
            table.feed(piece, &mut out).expect("rows");
        }
        table.finish(&mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn records_become_objects() {
        for (separator, text, lines) in [
            (
                b',',
                "a,b\n1,2\r\n\r\n3,\n",
                "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"3\",\"b\":\"\"}\n",
            ),
            (
                b',',
                ",b\n0,\"x \"\"y\"\"\n, \\\té\"",
                "{\"column_1\":\"0\",\"b\":\"x \\\"y\\\"\\n, \\\\\\té\"}\n",
            ),
            (
                b'\t',
                "a\tb\n1,2\t\u{1}",
                "{\"a\":\"1,2\",\"b\":\"\\u0001\"}\n",
            ),
            (
                b',',
                "a,b\n1\n1,2,3\n",
                "\u{1a}row 1 has 1 field, the header 2\t{\"a\":\"1\"}\n\
                 \u{1a}row 2 has 3 fields, the header 2\t{\"a\":\"1\",\"b\":\"2\",\"column_3\":\"3\"}\n",
            ),
            (b',', "a,b\n", ""),
        ] {
            for piece in [1, 2, 5, 1000] {
                assert_eq!(lines_of(separator, text.as_bytes(), piece), lines, "{text}");
            }
        }
    }

    #[test]
    fn names_cells_and_records_as_spreadsheets_write_them() {
        let trimmed = TableDialect {
            skipped: 6,
            trims: true,
            ..plain(b',')
        };
        for (dialect, text, lines) in [
            (
                trimmed,
                "# x,y\nid, the prompt\n 1,  \"p, \"\"q\"\"  r\"\n",
                "{\"id\":\"1\",\"the prompt\":\"p, \\\"q\\\"  r\"}\n",
            ),
            (
                plain(b','),
                "a,a, a ,,a_2\n1,2,3,4,5\n",
                "{\"a_1\":\"1\",\"a_3\":\"2\",\"a_4\":\"3\",\"column_4\":\"4\",\"a_2\":\"5\"}\n",
            ),
            (
                plain(b';'),
                "a;b\n1;2;;\n;;\n;\n",
                "{\"a\":\"1\",\"b\":\"2\"}\n",
            ),
        ] {
            for piece in [1, 2, 5, 1000] {
                assert_eq!(lines_in(dialect, text.as_bytes(), piece), lines, "{text}");
            }
        }
        let many = format!("a,b\n1{}\n1,2\n", ",3".repeat(99_999));
        let mut table = TableLines::new(plain(b','));
        let mut out = Vec::new();
        for piece in many.as_bytes().chunks(1000) {
            table.feed(piece, &mut out).expect("rows");
        }
        let lines = String::from_utf8(out).expect("text");
        assert!(
            lines.starts_with(
                "\u{1a}row 1 has 100,000 fields, the header 2\t{\"a\":\"1\",\"b\":\"3\""
            )
        );
        assert!(
            lines.len() < 1000 && lines.ends_with("}\n{\"a\":\"1\",\"b\":\"2\"}\n"),
            "{lines}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]
        #[test]
        fn cells_are_what_was_written(
            rows in proptest::collection::vec(proptest::collection::vec("[a\",\\\\\\n\\r\\t é]{0,6}", 3), 1..8),
            piece in 1..30_usize,
        ) {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(["x", "y", "z"]).expect("memory");
            for row in &rows {
                writer.write_record(row).expect("memory");
            }
            let text = writer.into_inner().expect("memory");
            let read: Vec<Vec<String>> = lines_of(b',', &text, piece)
                .lines()
                .map(|line| {
                    let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
                    ["x", "y", "z"].map(|name| record[name].as_str().expect("text").to_owned()).to_vec()
                })
                .collect();
            let mut rows = rows;
            rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
            prop_assert_eq!(read, rows);
        }
    }
}
