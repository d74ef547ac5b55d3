//! CSV and TSV → a JSON object a record, one a line, by the names in the header; recognised by how a text
//! begins.
//!
//! Cells are texts, whatever is in them: what is a number is for a schema to say. A record with another
//! number of fields than the header becomes a line that no reader takes for one
//! ([`super::lines::refusal`]), with what can be read of it.

use std::collections::{HashMap, HashSet};

use csv_core::{ReadRecordResult, ReaderBuilder};
use memchr::memchr2;

use super::json_string::push_string;
use super::lines;
use crate::text::grouped;

/// What separates cells, the likelier first where several would do.
const SEPARATORS: [u8; 4] = [b'\t', b',', b';', b'|'];
/// A header and its first records are looked for in so many bytes.
const MOST_HEAD: usize = 16 << 20;
/// Records that are compared with the header.
const MOST_LOOKED_AT: usize = 8;
/// Characters of a column's name, and of one that cannot be prose.
const MOST_NAME: usize = 256;
const MOST_SHORT_NAME: usize = 64;
/// Words of a name that cannot be prose.
const MOST_WORDS: usize = 4;
/// Bytes of a record: a quote that is not closed takes all that follows.
const MOST_RECORD: usize = 256 << 20;
/// Fields of a record that are kept beyond those of the header.
const MOST_MORE: usize = 16;
/// Columns of a table.
const MOST_COLUMNS: usize = 1 << 20;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableDialect {
    /// What separates cells.
    pub separator: u8,
    /// Bytes before the header: a byte order mark, a line like `sep=;`, comments.
    pub(super) skipped: usize,
    /// Whether blanks after a separator are no part of the cell.
    pub(super) trims: bool,
    /// Whether the first record names the columns, and is not a row itself.
    pub(super) has_header: bool,
}

/// Leaves out the blanks before cells.
struct BlankFilter {
    separator: u8,
    place: CellPlace,
    out: Vec<u8>,
    /// Blanks were left out before a cell, and before one in quotes.
    is_found: bool,
    is_before_quote: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum CellPlace {
    Start,
    Blank,
    Bare,
    Quoted,
    /// Behind a quote in a quoted cell, which ends it unless another quote follows.
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

/// Records of a text that comes in pieces.
struct Records {
    core: csv_core::Reader,
    fields: Vec<u8>,
    /// Bytes in `fields`, and where each field ends in them.
    filled: usize,
    ends: Vec<usize>,
    count: usize,
    /// Fields of a record that are kept, and how many were not.
    most: usize,
    dropped: usize,
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
            most: MOST_COLUMNS,
            dropped: 0,
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
                ReadRecordResult::OutputEndsFull if self.ends.len() > self.most => self.drop_rest(),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
            }
        }
    }

    /// Forgets the fields that are too many.
    fn drop_rest(&mut self) {
        self.dropped += self.count - self.most;
        self.count = self.most;
        self.filled = self.ends[self.most - 1];
    }

    /// How many fields the record has.
    fn len(&self) -> usize {
        self.count + self.dropped
    }

    /// The fields of the record that was read, as far as they were kept.
    fn record(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        let kept = match self.dropped {
            0 => self.count,
            _ => self.most,
        };
        let ends = &self.ends[..kept];
        (0..ends.len()).map(|at| {
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            &self.fields[start..ends[at]]
        })
    }

    /// How many fields the record has if those are no fields that are empty and follow the last of so
    /// many columns, as where lines end in separators.
    fn len_in(&self, columns: usize) -> usize {
        let is_blank = self.dropped == 0 && self.record().skip(columns).all(<[u8]>::is_empty);
        match is_blank {
            true => self.len().min(columns),
            false => self.len(),
        }
    }

    fn clear(&mut self) {
        (self.filled, self.count, self.dropped) = (0, 0, 0);
    }
}

/// How a text that begins like this is written, where it is a table: `Some(None)` if it is none, `None`
/// while that needs more of it.
pub(super) fn look(text: &[u8], ended: bool) -> Option<Option<TableDialect>> {
    let is_full = text.len() >= MOST_HEAD;
    let Preamble { separator, headers } = Preamble::of(text, ended || is_full)?;
    let separators = separator.map_or(SEPARATORS.to_vec(), |separator| vec![separator]);
    let widest = |skipped: usize| -> Option<Option<(usize, TableDialect)>> {
        let mut found: Option<(usize, TableDialect)> = None;
        for &separator in &separators {
            let table = table_at(&text[skipped..], separator, (ended, is_full))?;
            let Some((columns, dialect)) = table else {
                continue;
            };
            if found.is_none_or(|(most, _)| columns > most) {
                found = Some((columns, TableDialect { skipped, ..dialect }));
            }
        }
        Some(found)
    };
    let first = headers[0];
    for skipped in headers {
        if let Some((_, dialect)) = widest(skipped)? {
            return Some(Some(dialect));
        }
    }
    // A title above the header of a table that is hardly anything else.
    let Some(skipped) = after_title(&text[first..], ended || is_full)? else {
        return Some(None);
    };
    let table = widest(first + skipped)?.filter(|(columns, _)| *columns > 2);
    Some(table.map(|(_, dialect)| dialect))
}

/// Where a text goes on after a first line with one cell and the blank lines below it; `Some(None)` without
/// such a line, `None` while that needs more of the text.
fn after_title(text: &[u8], is_all: bool) -> Option<Option<usize>> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || SEPARATORS.contains(byte);
    let end = match memchr2(b'\n', b'\r', text) {
        None if is_all => return Some(None),
        end => end?,
    };
    let title = text[..end].trim_ascii_end();
    let cell = title
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(0, |last| last + 1);
    if cell == 0 || title[..cell].iter().any(|byte| SEPARATORS.contains(byte)) {
        return Some(None);
    }
    let rest = &text[end..];
    let next = rest.iter().position(|byte| !is_blank(byte));
    match next {
        None => is_all.then_some(None),
        // A cell without a name is no blank line.
        Some(next) => {
            let line = rest[..next]
                .iter()
                .rposition(|byte| matches!(byte, b'\n' | b'\r'));
            Some(line.map(|line| end + line + 1))
        }
    }
}

/// What is before the header.
struct Preamble {
    /// The separator, where a line says so.
    separator: Option<u8>,
    /// Where the header can begin, the likelier first.
    headers: Vec<usize>,
}

impl Preamble {
    /// Reads blank lines, comments, and the line `sep=;` that Excel writes. `None` while that needs more
    /// of the text.
    fn of(text: &[u8], ended: bool) -> Option<Self> {
        let mut at = if text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let (mut separator, mut comment) = (None, None);
        loop {
            let rest = &text[at..];
            let end = memchr2(b'\n', b'\r', rest);
            if end.is_none() && !ended {
                return None;
            }
            let line = &rest[..end.unwrap_or(rest.len())];
            let unquoted = line.strip_prefix(b"\"").unwrap_or(line);
            match (unquoted, line.first()) {
                (
                    [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign]
                    | [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', sign, b'"'],
                    _,
                ) => {
                    separator = Some(*sign);
                }
                (_, Some(b'#')) => comment = Some((at, line.starts_with(b"# "))),
                (_, None) if end.is_some() => {}
                _ => break,
            }
            at += line.len() + usize::from(end.is_some());
        }
        // The last line that begins like a comment can be the header: `#id,prompt`.
        let headers = match comment {
            None => vec![at],
            Some((comment, true)) => vec![at, comment],
            Some((comment, false)) => vec![comment, at],
        };
        Some(Self { separator, headers })
    }
}

/// How many columns the table has that begins here and is separated like this, and how it is written;
/// `Some(None)` if it is none, and `None` while that needs more of a text that has neither ended nor is as long
/// as what is looked at.
fn table_at(
    text: &[u8],
    separator: u8,
    (ended, is_full): (bool, bool),
) -> Option<Option<(usize, TableDialect)>> {
    let unknown = || (ended || is_full).then_some(None);
    let mut records = Records::new(separator);
    let mut rest = text;
    let mut blanks = BlankFilter::new(separator);
    // Line by line, so that what is found does not depend on how much of the text is there.
    let mut next = |records: &mut Records, blanks: &mut BlankFilter| {
        records.clear();
        let is_bare = matches!(rest.first(), Some(b'{' | b'['));
        while !rest.is_empty() {
            let end = memchr2(b'\n', b'\r', rest).map_or(rest.len(), |end| end + 1);
            let mut line = blanks.take(&rest[..end]);
            rest = &rest[end..];
            if matches!(records.next(&mut line), RecordProgress::Record) {
                return Some(!is_bare);
            }
        }
        // What ends with the text is a record where the text does.
        let is_last = ended && matches!(records.next(&mut &[][..]), RecordProgress::Record);
        is_last.then_some(!is_bare)
    };
    if next(&mut records, &mut blanks).is_none() {
        return unknown();
    }
    let (columns, has_blanks) = (records.len(), blanks.is_found);
    if records.dropped > 0 || !is_header(&records.record(), has_blanks) {
        return Some(None);
    }
    let is_strict = is_header(&records.record(), true);
    let first: Vec<_> = records.record().map(<[u8]>::to_vec).collect();
    let mut has_header = true;
    let table = |has_header: bool, trims: bool| {
        let dialect = TableDialect {
            separator,
            skipped: 0,
            trims,
            has_header,
        };
        Some(Some((columns, dialect)))
    };
    let mut alike = 0;
    for looked_at in 1..=MOST_LOOKED_AT {
        match next(&mut records, &mut blanks) {
            // The first record is longer than what is looked at.
            None if is_full && !ended && looked_at == 1 && is_strict => {
                return table(true, has_blanks || blanks.is_before_quote);
            }
            None => return unknown(),
            Some(false) => return Some(None),
            Some(true) => alike += usize::from(records.len_in(columns) == columns),
        }
        if looked_at == 1 {
            has_header = !is_row(&first, records.record());
        }
        // The first one, or most.
        if alike * 2 > looked_at {
            return table(has_header, has_blanks || blanks.is_before_quote);
        }
    }
    Some(None)
}

/// Whether a record is the names of columns: two or more. A name may have any sign but those that text in
/// JSON would have there: of questionnaires it is the question. What ends in a colon is followed by its
/// value, as lists of settings have it. A column may lack its name, as that of the index does in files of
/// pandas. Most names have a letter. Names with a blank before them must not read as prose.
fn is_header<'f>(
    names: &(impl ExactSizeIterator<Item = &'f [u8]> + Clone),
    has_blanks: bool,
) -> bool {
    let is_name = |name: &'f [u8]| {
        let name = String::from_utf8_lossy(name);
        let is_of_name = |sign: char| sign == '\n' || !sign.is_control() && !"{}\"".contains(sign);
        let is_short = name.chars().count() <= MOST_SHORT_NAME
            && name.split_whitespace().count() <= MOST_WORDS
            && !name.ends_with(['.', '?', '!']);
        name.chars().count() <= MOST_NAME
            && !name.ends_with(':')
            && name.chars().all(is_of_name)
            && (is_short || !has_blanks)
    };
    let has_letter = |name: &&'f [u8]| {
        let name = String::from_utf8_lossy(name);
        name.chars().any(char::is_alphabetic)
    };
    let (count, lettered) = (names.len(), names.clone().filter(has_letter).count());
    count > 1 && lettered * 2 >= count && names.clone().all(is_name)
}

/// Whether a first record is certainly a row as the second one is, and no header: it has a text, and where the
/// next has a number or one letter it has one too. Numbers can be names if they are the places of columns.
fn is_row<'f>(first: &[Vec<u8>], second: impl Iterator<Item = &'f [u8]>) -> bool {
    let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.trim().parse::<f64>().ok();
    let is_text = |cell: &Vec<u8>| {
        let words = cell.split(u8::is_ascii_whitespace);
        words.filter(|word| !word.is_empty()).count() > MOST_WORDS
    };
    let is_place = |at: usize, cell: &[u8]| {
        number(cell).is_some_and(|it| it == at as f64 || it == at as f64 + 1.0)
    };
    let is_letter = |cell: &[u8]| matches!(cell, [letter] if letter.is_ascii_alphabetic());
    let are_alike = |(at, (first, second)): (usize, (&Vec<u8>, &[u8]))| {
        let are_numbers = number(first).is_some() && number(second).is_some();
        are_numbers && !is_place(at, first) || is_letter(first) && is_letter(second)
    };
    let mut pairs = first.iter().zip(second).enumerate();
    first.iter().any(is_text) && pairs.any(are_alike)
}

/// The table's rows as lines. Feed it all of the text, then [`TableLines::finish`] it.
pub(super) struct TableLines {
    /// Bytes before the header that are still to come.
    skipped: usize,
    blanks: Option<BlankFilter>,
    has_header: bool,
    records: Records,
    /// The names of columns, as JSON with a colon behind each; `None` until they are read.
    names: Option<Vec<Vec<u8>>>,
    rows: u64,
}

impl TableLines {
    pub(super) fn new(dialect: TableDialect) -> Self {
        Self {
            skipped: dialect.skipped,
            blanks: dialect.trims.then(|| BlankFilter::new(dialect.separator)),
            has_header: dialect.has_header,
            records: Records::new(dialect.separator),
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
    pub(super) fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
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
                        "row {} is longer than {} MB: a quote in it is not closed",
                        self.rows + 1,
                        MOST_RECORD >> 20
                    ));
                }
            }
        }
        self.blanks = blanks;
        fed
    }

    /// Leaves out what is before the header, by its bytes before they are decoded.
    pub(super) fn without_preamble<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let skipped = self.skipped.min(piece.len());
        self.skipped -= skipped;
        &piece[skipped..]
    }

    /// Takes the end of the text, which ends a row that has no line break.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
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
            let names = names(header);
            self.records.most = names.len() + MOST_MORE;
            self.names = Some(names);
            if is_name {
                return self.records.clear();
            }
        }
        let Some(names) = &self.names else { return };
        // As spreadsheets have them behind the last row.
        let is_blank = self.records.dropped == 0 && self.records.record().all(<[u8]>::is_empty);
        if is_blank {
            self.records.clear();
            return;
        }
        self.rows += 1;
        let (fields, columns) = (self.records.len_in(names.len()), names.len());
        if fields != columns {
            let fields = match fields {
                1 => "1 field".to_owned(),
                many => format!("{} fields", grouped(many)),
            };
            let why = format!("row {} has {fields}, the header {columns}", self.rows);
            lines::push_refusal(&why, out);
        }
        for (at, field) in self.records.record().take(fields).enumerate() {
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

/// The names of columns, as JSON with a colon after each. A column without a name is called after its
/// place, and columns with one name are numbered: `score_1`, `score_2`.
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

    /// The separator of a table, where its header begins if not at 0, and `~` if cells have blanks before
    /// them; an empty text for no table.
    fn looked(text: &str, ended: bool) -> Option<String> {
        look(text.as_bytes(), ended).map(|found| {
            let spell = |of: TableDialect| {
                let skipped = Some(of.skipped).filter(|at| *at > 0);
                let blanks = if of.trims { "~" } else { "" };
                let header = if of.has_header { "" } else { "-" };
                let skipped = skipped.map_or(String::new(), |at| at.to_string());
                format!("{}{skipped}{blanks}{header}", char::from(of.separator))
            };
            found.map_or(String::new(), spell)
        })
    }

    #[test]
    fn tables_and_what_is_none() {
        for (text, expected) in [
            ("id,prompt\n1,p\n", ","),
            ("id\tprompt\n1\tp, q\n", "\t"),
            (",prompt\n0,p", ","),
            ("\tprompt\n0\tp", "\t"),
            ("\"id\",\"the prompt\"\r\n\"1\",\"a\nb\"\r\n", ","),
            ("id|prompt\r1|p, q; r\r", "|"),
            ("prompt;a;b\nWhy, oh why;x;y\n", ";"),
            // As questionnaires have them, and what this program writes.
            (
                "Which is better?,\"Why, exactly\",is:tie,x#y,\n1,2,3,4,\n",
                ",",
            ),
            (
                "prompt;response;score\nWhy, oh why?;So.;0,5\nHow?;No, never.;1,5\n",
                ";",
            ),
            // Names that are there twice, that have no letter or a line break, or that are missing.
            ("prompt,a,a\np,1,2\n", ","),
            ("prompt,#\n1,2\n", ","),
            ("prompt,\"answer\nof A\"\n1,2\n", ","),
            ("a,,b\n1,2,3\n", ","),
            // Lines before the header, and a header that begins like one.
            ("sep=;\r\nid;prompt\r\n1;p\r\n", ";7"),
            ("\"sep=|\"\nid|prompt\n1|p\n", "|8"),
            ("\u{feff}sep=,\nid,prompt\n1,p\n", ",9"),
            ("# of May, by Ann\n#\n\nid,prompt\n1,p\n", ",20"),
            ("#id,prompt\n1,p\n", ","),
            ("# one\n#id,prompt\n1,p\n", ",6"),
            ("\n\nid,prompt\n1,p\n", ",2"),
            // A title above the header, and prose above a line with a comma.
            ("May 2024;;;\n\nid;prompt;a\n1;p;x\n", ";13"),
            ("Export of May\nid,prompt,a\n1,p,x\n", ",14"),
            ("Well\nyes, you do\nof, us\n", ""),
            // Rows without a header, and the places of columns as names.
            ("What makes bread rise at all?,x y,3\nHow so?,z,1\n", ",-"),
            ("\"Why, and how is that so?\",x,a\nHow so?,z,b\n", ",-"),
            ("What do you say to this?,Which is better?,A\nx,y,1\n", ","),
            ("What do you say to it all?,2,x\ny,1,z\n", ","),
            // Blanks before cells.
            ("id, prompt\n1, p\n", ",~"),
            (
                "id,prompt\n\"1\", \"p, \"\"q\"\"\", \"r\"\n\"2\", \"p\"\n\"2\", \"p\"\n\"2\", \"p\"\n",
                ",~",
            ),
            ("id,prompt\n1, p\n", ","),
            // Empty cells behind the last column.
            ("id,prompt\n1,p,,\n", ","),
            ("Well; hello there\nyes you\nboth; of\nus\n", ""),
            // JSON without its brackets, and settings.
            ("\"prompt: \"\"x\"\"\",b\n1,2\n", ""),
            ("Name:\tx\nUmask:\ty\n", ""),
            // One ragged record of three.
            ("a,b\n1\n1,2\n1,2\n", ","),
            ("a,b\n1\n1\n1,2\n", ""),
            ("a,b\n", ""),
            ("a,b", ""),
            ("1,2\n3,4\n", ""),
            ("Well, now that is what I said.\nyes, you do.\n", ""),
            ("hello\nworld\n", ""),
            ("# A heading\n\nSome words.\n", ""),
            ("a,b\n{\"prompt\":\"p\",\"response\":\"r\"}\n", ""),
            ("a,b\n\"c\n", ""),
            ("", ""),
        ] {
            assert_eq!(looked(text, true).as_deref(), Some(expected), "{text}");
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                if let Some(known) = looked(&text[..end], false) {
                    assert_eq!(known, expected, "{}", &text[..end]);
                }
            }
        }
        assert_eq!(looked("id,prompt\n1,", false), None);
        assert_eq!(looked("id,prompt\n1,p\n", false).as_deref(), Some(","));
        assert_eq!(looked("hello\n", false).as_deref(), Some(""));
    }

    #[test]
    fn long_headers_and_records() {
        let wide: Vec<_> = (0..20_000).map(|at| format!("feature_{at}")).collect();
        let wide = format!("{}\n{}\n", wide.join(","), ["1"; 20_000].join(","));
        let long = format!("id,prompt\n1,\"{}", "x".repeat(MOST_HEAD));
        for text in [wide, long] {
            assert_eq!(
                looked(&text, false).as_deref(),
                Some(","),
                "{}",
                &text[..20]
            );
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
        assert!(table.records.ends.len() < 100);
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
