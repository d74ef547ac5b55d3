//! CSV and TSV → a JSON object a record, one a line, by the names in the header; told by how a text
//! begins.
//!
//! Cells are texts, whatever stands in them: what is a number is for a schema to say. A record with
//! another number of fields than the header becomes a line that no reader takes for one
//! ([`super::lines::refusal`]), with what stands in it.

use std::collections::HashSet;

use csv_core::{ReadRecordResult, ReaderBuilder};

use super::json_string::push_string;
use super::lines;

/// What stands between cells, the likelier first where several would do.
const SEPARATORS: [u8; 3] = [b'\t', b',', b';'];
/// A header and its first records are looked for in so many bytes.
const MOST_HEADER: usize = 64 << 10;
const MOST_HEAD: usize = 4 << 20;
/// Records that are compared with the header.
const MOST_LOOKED_AT: usize = 3;
/// Characters of a column's name.
const MOST_NAME: usize = 256;
/// Bytes of a record: a quote that is not closed takes all that follows.
const MOST_RECORD: usize = 256 << 20;

/// Records of a text that comes in pieces.
struct Records {
    core: csv_core::Reader,
    fields: Vec<u8>,
    /// Bytes in `fields`, and where each field ends in them.
    filled: usize,
    ends: Vec<usize>,
    count: usize,
}

/// What became of a piece.
enum RecordProgress {
    Record,
    /// It is used up.
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

    /// Reads on to the end of the next record; an empty piece is the end of the text.
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
                ReadRecordResult::OutputFull if self.filled >= MOST_RECORD => {
                    return RecordProgress::TooLong;
                }
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
        }
    }

    /// The fields of the record that was read.
    fn record(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let ends = &self.ends[..self.count];
        (0..ends.len()).map(|at| {
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            &self.fields[start..ends[at]]
        })
    }

    fn clear(&mut self) {
        (self.filled, self.count) = (0, 0);
    }
}

/// The separator of a text that begins like this, where it is a table; `None` while that needs more
/// of it. The text begins with neither white space nor a bracket.
pub(super) fn look(text: &[u8], ended: bool) -> Option<Option<u8>> {
    for separator in SEPARATORS {
        if is_table(text, separator, ended)? {
            return Some(Some(separator));
        }
    }
    Some(None)
}

fn is_table(text: &[u8], separator: u8, ended: bool) -> Option<bool> {
    let unknown = |most: usize| match ended || text.len() >= most {
        true => Some(false),
        false => None,
    };
    let mut records = Records::new(separator);
    let mut rest = text;
    let mut next = |records: &mut Records| {
        records.clear();
        let is_bare = matches!(rest.first(), Some(b'{' | b'['));
        let found = !rest.is_empty() && matches!(records.next(&mut rest), RecordProgress::Record)
            // What ends with the text is a record where the text does.
            || ended && matches!(records.next(&mut &[][..]), RecordProgress::Record);
        found.then_some(!is_bare)
    };
    if next(&mut records).is_none() {
        return unknown(MOST_HEADER);
    }
    let columns = records.count;
    if !is_header(records.record()) {
        return Some(false);
    }
    let mut alike = 0;
    for looked_at in 1..=MOST_LOOKED_AT {
        match next(&mut records) {
            None => return unknown(MOST_HEAD),
            Some(false) => return Some(false),
            Some(true) => alike += usize::from(records.count == columns),
        }
        // The first one, or most.
        if alike * 2 > looked_at {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a record is the names of columns: two or more, each once. The first may have none, as
/// pandas writes its index, and the last, as where lines end in a separator. A name may have any sign
/// but those that text in JSON would have there: of questionnaires it is the question. What ends in a
/// colon is followed by its value, as lists of settings have it.
fn is_header<'f>(names: impl ExactSizeIterator<Item = &'f [u8]>) -> bool {
    let mut seen = HashSet::new();
    let last = names.len().saturating_sub(1);
    let is_name = |(at, name): (usize, &'f [u8])| {
        let Ok(name) = std::str::from_utf8(name) else {
            return false;
        };
        let is_of_name = |sign: char| !sign.is_control() && !"{}\"".contains(sign);
        let reads_as_name = name.chars().any(char::is_alphabetic)
            && name.chars().count() <= MOST_NAME
            && name.trim() == name
            && !name.ends_with(':')
            && name.chars().all(is_of_name);
        seen.insert(name) && (reads_as_name || (name.is_empty() && (at == 0 || at == last)))
    };
    names.len() > 1 && names.enumerate().all(is_name)
}

/// The table's rows as lines. Feed it all of the text, then [`TableLines::finish`] it.
pub(super) struct TableLines {
    records: Records,
    /// The names of columns, as JSON with a colon behind each; `None` until they are read.
    names: Option<Vec<Vec<u8>>>,
    rows: u64,
}

impl TableLines {
    pub(super) fn new(separator: u8) -> Self {
        Self {
            records: Records::new(separator),
            names: None,
            rows: 0,
        }
    }

    /// Rows made.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the next bytes and adds the lines of rows to `out`.
    ///
    /// # Errors
    /// When a row does not end.
    pub(super) fn feed(&mut self, mut piece: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        while !piece.is_empty() {
            match self.records.next(&mut piece) {
                RecordProgress::Record => self.take_record(out),
                RecordProgress::Piece => break,
                RecordProgress::TooLong => {
                    return Err(format!(
                        "row {} is longer than {} MB: a quote in it is not closed",
                        self.rows + 1,
                        MOST_RECORD >> 20
                    ));
                }
            }
        }
        Ok(())
    }

    /// Takes the end of the text, which ends a row that has no line break.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if matches!(self.records.next(&mut &[][..]), RecordProgress::Record) {
            self.take_record(out);
        }
    }

    fn take_record(&mut self, out: &mut Vec<u8>) {
        match &self.names {
            None => {
                let name = |(at, name): (usize, &[u8])| {
                    let unnamed = format!("column_{}", at + 1).into_bytes();
                    let mut json = Vec::new();
                    push_string(if name.is_empty() { &unnamed } else { name }, &mut json);
                    json.push(b':');
                    json
                };
                self.names = Some(self.records.record().enumerate().map(name).collect());
            }
            Some(names) => {
                self.rows += 1;
                let (fields, columns) = (self.records.count, names.len());
                if fields != columns {
                    let fields = match fields {
                        1 => "1 field".to_owned(),
                        many => format!("{many} fields"),
                    };
                    let why = format!("row {} has {fields}, the header {columns}", self.rows);
                    lines::push_refusal(&why, out);
                }
                for (at, field) in self.records.record().enumerate() {
                    out.push(if at == 0 { b'{' } else { b',' });
                    match names.get(at) {
                        Some(name) => out.extend_from_slice(name),
                        None => out.extend_from_slice(format!("\"column_{}\":", at + 1).as_bytes()),
                    }
                    push_string(field, out);
                }
                out.extend_from_slice(b"}\n");
            }
        }
        self.records.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(separator: u8, text: &[u8], piece: usize) -> String {
        let mut table = TableLines::new(separator);
        let mut out = Vec::new();
        for piece in text.chunks(piece) {
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
    fn tables_and_what_is_none() {
        for (text, expected) in [
            ("id,prompt\n1,p\n", Some(b',')),
            ("id\tprompt\n1\tp, q\n", Some(b'\t')),
            (",prompt\n0,p", Some(b',')),
            ("\"id\",\"the prompt\"\r\n\"1\",\"a\nb\"\r\n", Some(b',')),
            // As questionnaires have them, and what this program writes.
            (
                "Which is better?,\"Why, exactly\",is:tie,x#y,\n1,2,3,4,\n",
                Some(b','),
            ),
            (
                "prompt;response;score\nWhy, oh why?;So.;0,5\nHow?;No, never.;1,5\n",
                Some(b';'),
            ),
            ("Well; hello there\nyes you\nboth; of\nus\n", None),
            // A column without a letter, JSON without its brackets, and settings.
            ("prompt,#\n1,2\n", None),
            ("\"prompt: \"\"x\"\"\",b\n1,2\n", None),
            ("Name:\tx\nUmask:\ty\n", None),
            // One ragged record of three.
            ("a,b\n1\n1,2\n1,2\n", Some(b',')),
            ("a,b\n1\n1\n1,2\n", None),
            ("a,b\n", None),
            ("a,b", None),
            ("a,a\n1,2\n", None),
            ("a,,b\n1,2,3\n", None),
            ("1,2\n3,4\n", None),
            ("Well, hello there\nyes, you\n", None),
            ("hello\nworld\n", None),
            ("a,b\n{\"prompt\":\"p\",\"response\":\"r\"}\n", None),
            ("a,b\n\"c\n", None),
            ("", None),
        ] {
            assert_eq!(look(text.as_bytes(), true), Some(expected), "{text}");
            for end in 0..text.len() {
                if let Some(known) = look(&text.as_bytes()[..end], false) {
                    assert_eq!(known, expected, "{}", &text[..end]);
                }
            }
        }
        assert_eq!(look(b"id,prompt\n1,", false), None);
        assert_eq!(look(b"id,prompt\n1,p\n", false), Some(Some(b',')));
        assert_eq!(look(b"hello\n", false), Some(None));
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
            prop_assert_eq!(read, rows);
        }
    }
}
