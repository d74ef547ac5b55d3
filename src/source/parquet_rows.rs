//! Parquet → a JSON object a row, one a line, row group by row group.
//!
//! Numbers stay numbers and texts texts; NaN becomes null, decimals are numbers, dates and times
//! texts, maps objects. Bytes that are no text stay in the file, and columns of media are not even
//! read.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use byte_buffer::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::record::reader::TreeBuilder;
use parquet::record::{Field, Row};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::table::push_string;

const MARK: &[u8] = b"PAR1";
const ENCRYPTED_MARK: &[u8] = b"PARE";
/// Decoded bytes of the rows that are decoded at a time, at most, where they are alike.
const BATCH: i64 = 4 << 20;
const MOST_ROWS: i64 = 1024;
/// Days that a date is spelled of; beyond, its number stands.
const MOST_DAYS: i64 = 3_000_000;

/// Whether a file begins as Parquet does.
pub(super) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(MARK) || head.starts_with(ENCRYPTED_MARK)
}

/// A part of a file, read by place: its cursor may be shared.
struct PlacedFile {
    file: Arc<File>,
    start: u64,
    len: u64,
}

struct PlacedReader {
    file: Arc<File>,
    at: u64,
}

impl Read for PlacedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Length for PlacedFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for PlacedFile {
    type T = BufReader<PlacedReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let file = Arc::clone(&self.file);
        let at = self.start.saturating_add(start);
        Ok(BufReader::new(PlacedReader { file, at }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // What the file says of lengths is not to be believed.
        let is_there = start
            .checked_add(length as u64)
            .is_some_and(|end| end <= self.len);
        if !is_there {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} of {}",
                self.len
            )));
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, self.start + start)?;
        Ok(bytes.into())
    }
}

/// Why nothing can be read of a file.
#[derive(Debug)]
pub(super) enum OpenFault {
    /// Its end is missing, which says what stands where.
    CutShort,
    Encrypted,
    /// What the library says.
    Damaged(String),
}

/// A file whose end was read.
pub(super) struct ParquetFile {
    reader: SerializedFileReader<PlacedFile>,
    wanted: Arc<SchemaDescriptor>,
    left_out: Vec<String>,
}

impl ParquetFile {
    /// Opens `len` bytes of a file from `start` on.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub(super) fn open(file: Arc<File>, start: u64, len: u64) -> Result<Self, OpenFault> {
        let mut end = [0; 4];
        let last = (start + len).saturating_sub(4);
        let is_whole = len > 8 && file.read_exact_at(&mut end, last).is_ok();
        if !is_whole || (end != MARK && end != ENCRYPTED_MARK) {
            return Err(OpenFault::CutShort);
        }
        if end == ENCRYPTED_MARK {
            return Err(OpenFault::Encrypted);
        }
        let reader = SerializedFileReader::new(PlacedFile { file, start, len })
            .map_err(|error| OpenFault::Damaged(said(&error)))?;
        let schema = reader.metadata().file_metadata().schema();
        let mut left_out = Vec::new();
        let wanted = without_media(schema, &mut Vec::new(), &mut left_out)
            .ok()
            .flatten()
            .filter(|_| !left_out.is_empty());
        let wanted = match wanted {
            Some(wanted) => Arc::new(SchemaDescriptor::new(Arc::new(wanted))),
            None => {
                left_out.clear();
                reader.metadata().file_metadata().schema_descr_ptr()
            }
        };
        Ok(Self {
            reader,
            wanted,
            left_out,
        })
    }

    /// Columns that are not read.
    pub(super) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Rows that it says to have.
    pub(super) fn rows(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Shows each row to `take`, as a line, until that says that it is enough; `Ok` with how many
    /// there were.
    ///
    /// # Errors
    /// `E` of `take`, or where a row cannot be read; rows before it were shown.
    pub(super) fn each<E>(
        &self,
        mut take: impl FnMut(&[u8]) -> Result<bool, E>,
    ) -> Result<(), RowsFault<E>> {
        let mut line = Vec::new();
        let mut row = 0;
        for group in 0..self.reader.num_row_groups() {
            let broken = |row, error: &ParquetError| RowsFault::Broken {
                row,
                what: format!(
                    "row {} (of row group {}) does not read: {}",
                    row + 1,
                    group + 1,
                    said(error)
                ),
            };
            let reader = self.reader.get_row_group(group);
            let reader = reader.map_err(|error| broken(row, &error))?;
            let metadata = reader.metadata();
            let bytes = (metadata.total_byte_size() / metadata.num_rows().max(1)).max(1);
            let batch = (BATCH / bytes).clamp(1, MOST_ROWS);
            let rows = TreeBuilder::new()
                .with_batch_size(usize::try_from(batch).unwrap_or(1))
                .as_iter(Arc::clone(&self.wanted), &*reader)
                .map_err(|error| broken(row, &error))?;
            for read in rows {
                let read = read.map_err(|error| broken(row, &error))?;
                line.clear();
                push_row(&read, &mut line);
                line.push(b'\n');
                row += 1;
                if !take(&line).map_err(RowsFault::Taker)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Why rows end before they should.
#[derive(Debug)]
pub(super) enum RowsFault<E> {
    /// A row cannot be read.
    Broken {
        /// Rows before it.
        row: u64,
        what: String,
    },
    /// Who took them had trouble.
    Taker(E),
}

/// What the library says, in one line.
fn said(error: &ParquetError) -> String {
    let said = error.to_string().replace('\n', " ");
    said.strip_prefix("Parquet error: ")
        .unwrap_or(&said)
        .to_owned()
}

/// The schema without the bytes of pictures and sounds, as the Hugging Face library keeps them
/// beside their paths; `None` where nothing is left.
fn without_media(
    node: &Type,
    path: &mut Vec<String>,
    left_out: &mut Vec<String>,
) -> Result<Option<Type>, ParquetError> {
    if !node.is_group() {
        let info = node.get_basic_info();
        let is_bare = matches!(info.logical_type_ref(), None | Some(LogicalType::Unknown))
            && info.converted_type() == ConvertedType::NONE;
        let is_media = is_bare
            && node.name() == "bytes"
            && path.len() > 1
            && node.get_physical_type() == PhysicalType::BYTE_ARRAY;
        if is_media {
            left_out.push(path.join("."));
        }
        return Ok((!is_media).then(|| node.clone()));
    }
    let mut fields = Vec::new();
    for field in node.get_fields() {
        path.push(field.name().to_owned());
        let kept = without_media(field, path, left_out)?;
        path.pop();
        fields.extend(kept.map(Arc::new));
    }
    if fields.is_empty() {
        return Ok(None);
    }
    let info = node.get_basic_info();
    let mut group = Type::group_type_builder(node.name())
        .with_converted_type(info.converted_type())
        .with_logical_type(info.logical_type_ref().cloned())
        .with_fields(fields)
        .with_id(info.has_id().then(|| info.id()));
    if info.has_repetition() {
        group = group.with_repetition(info.repetition());
    }
    group.build().map(Some)
}

fn push_row(row: &Row, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, field)) in row.get_column_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_string(name.as_bytes(), out);
        out.push(b':');
        push_field(field, out);
    }
    out.push(b'}');
}

fn push_field(field: &Field, out: &mut Vec<u8>) {
    match field {
        Field::Null => out.extend_from_slice(b"null"),
        Field::Str(text) => push_string(text.as_bytes(), out),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => push_string(text.as_bytes(), out),
            Err(_) => push_string(format!("({} bytes)", bytes.len()).as_bytes(), out),
        },
        Field::Float16(value) => push_number(value.to_f32(), out),
        Field::Float(value) => push_number(*value, out),
        Field::Double(value) => push_number(*value, out),
        Field::Decimal(_) => {
            let spelled = field.to_string();
            out.extend_from_slice(spelled.strip_suffix('.').unwrap_or(&spelled).as_bytes());
        }
        Field::Group(row) => push_row(row, out),
        Field::ListInternal(list) => {
            out.push(b'[');
            for (at, element) in list.elements().iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_field(element, out);
            }
            out.push(b']');
        }
        Field::MapInternal(map) => {
            out.push(b'{');
            for (at, (key, value)) in map.entries().iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_key(key, out);
                out.push(b':');
                push_field(value, out);
            }
            out.push(b'}');
        }
        Field::Date(days) => push_time(field, i64::from(*days), MOST_DAYS, out),
        Field::TimestampMillis(at) => push_time(field, *at, MOST_DAYS * 86_400_000, out),
        Field::TimestampMicros(at) => push_time(field, *at, MOST_DAYS * 86_400_000_000, out),
        Field::TimeMillis(_) | Field::TimeMicros(_) => {
            push_string(field.to_string().as_bytes(), out);
        }
        Field::Bool(_)
        | Field::Byte(_)
        | Field::Short(_)
        | Field::Int(_)
        | Field::Long(_)
        | Field::UByte(_)
        | Field::UShort(_)
        | Field::UInt(_)
        | Field::ULong(_) => out.extend_from_slice(field.to_string().as_bytes()),
    }
}

fn push_key(key: &Field, out: &mut Vec<u8>) {
    match key {
        Field::Str(_) | Field::Bytes(_) => push_field(key, out),
        other => {
            let mut spelled = Vec::new();
            push_field(other, &mut spelled);
            push_string(&spelled, out);
        }
    }
}

/// A number in the fewest digits that tell it from others of its width.
fn push_number<N: Into<f64> + Copy + std::fmt::Debug>(number: N, out: &mut Vec<u8>) {
    if number.into().is_finite() {
        // Memory takes everything.
        let _ = write!(out, "{number:?}");
    } else {
        out.extend_from_slice(b"null");
    }
}

/// A date or a time as text, and its number where no calendar has it.
fn push_time(field: &Field, number: i64, most: i64, out: &mut Vec<u8>) {
    if (-most..=most).contains(&number) {
        push_string(field.to_string().as_bytes(), out);
    } else {
        out.extend_from_slice(number.to_string().as_bytes());
    }
}
