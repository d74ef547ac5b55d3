//! Parquet → a JSON object a row, one a line, row group by row group.
//!
//! Columns of media are not even read.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

pub(super) use byte_buffer::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::parquet_json::Columns;
use super::parquet_pages::PagesAhead;

const MARK: &[u8] = b"PAR1";
const ENCRYPTED_MARK: &[u8] = b"PARE";
/// Decoded bytes of the rows that are decoded at a time, at most, where they are alike.
const BATCH: i64 = 4 << 20;
const MOST_ROWS: i64 = 1024;

/// Whether a file begins as Parquet does.
pub(super) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(MARK) || head.starts_with(ENCRYPTED_MARK)
}

/// A part of a file, read by place: its cursor may be shared.
#[derive(Clone)]
pub(super) struct PlacedFile {
    pub(super) file: Arc<File>,
    pub(super) start: u64,
    pub(super) len: u64,
}

pub(super) struct PlacedReader {
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

impl PlacedFile {
    /// Its bytes from one on.
    pub(super) fn reader(&self, start: u64) -> PlacedReader {
        PlacedReader {
            file: Arc::clone(&self.file),
            at: self.start.saturating_add(start),
        }
    }

    /// Refuses bytes that are not there: what the file says of lengths is not to be believed.
    pub(super) fn require(&self, start: u64, length: usize) -> Result<(), ParquetError> {
        let end = start.checked_add(length as u64);
        match end.is_some_and(|end| end <= self.len) {
            true => Ok(()),
            false => Err(ParquetError::EOF(format!(
                "{length} bytes at {start} of {}",
                self.len
            ))),
        }
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
        Ok(BufReader::new(self.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.require(start, length)?;
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
    file: PlacedFile,
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
        let file = PlacedFile { file, start, len };
        let reader = SerializedFileReader::new(file.clone())
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
            file,
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

    /// Appends each row to `lines` and shows them to `take`, which may take them out, until that says
    /// that it is enough.
    ///
    /// # Errors
    /// `E` of `take`, or where a row cannot be read; rows before it were appended.
    pub(super) fn each<E>(
        &self,
        lines: &mut Vec<u8>,
        mut take: impl FnMut(&mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<(), RowsFault<E>> {
        thread::scope(|scope| {
            let ahead = PagesAhead::start(&self.file, &self.reader, &self.wanted, scope);
            let mut row = 0;
            for group in 0..self.reader.num_row_groups() {
                if !self.each_of_group(group, &ahead, &mut row, lines, &mut take)? {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Appends the rows of a group; gives whether that was not enough. `row` counts all.
    fn each_of_group<E>(
        &self,
        group: usize,
        ahead: &PagesAhead,
        row: &mut u64,
        lines: &mut Vec<u8>,
        take: &mut impl FnMut(&mut Vec<u8>) -> Result<bool, E>,
    ) -> Result<bool, RowsFault<E>> {
        let broken = |row: u64, error: &ParquetError| RowsFault::Broken {
            row,
            what: format!(
                "row {} (of row group {}) does not read: {}",
                row + 1,
                group + 1,
                said(error)
            ),
        };
        let reader = self.reader.get_row_group(group);
        let reader = reader.map_err(|error| broken(*row, &error))?;
        let metadata = reader.metadata();
        let bytes = (metadata.total_byte_size() / metadata.num_rows().max(1)).max(1);
        let batch = (BATCH / bytes).clamp(1, MOST_ROWS);
        let batch = usize::try_from(batch).unwrap_or(1);
        let columns = without_panic(|| {
            Columns::open(&self.wanted, &*reader, batch, |column| {
                ahead.pages(group, column)
            })
        });
        let mut columns = columns.map_err(|error| broken(*row, &error))?;
        for _ in 0..metadata.num_rows() {
            let start = lines.len();
            if let Err(error) = without_panic(|| columns.push_row(lines)) {
                lines.truncate(start);
                return Err(broken(*row, &error));
            }
            lines.push(b'\n');
            *row += 1;
            if !take(lines).map_err(RowsFault::Taker)? {
                return Ok(false);
            }
        }
        Ok(true)
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

/// What the library gives; where it panics, as it does over some damaged files, an error. What it was
/// asked must not be used after that.
pub(super) fn without_panic<T>(
    read: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    let was_caught = PANICS_ARE_CAUGHT.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(read));
    PANICS_ARE_CAUGHT.set(was_caught);
    caught.unwrap_or_else(|_| {
        Err(ParquetError::General(
            "it is damaged in a way that was not foreseen".to_owned(),
        ))
    })
}

thread_local! {
    static PANICS_ARE_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread, now, is of a library that reads a damaged file, and becomes an
/// error: no hook need tell of it.
pub fn is_panic_caught() -> bool {
    PANICS_ARE_CAUGHT.get()
}

/// What the library says, in one line, without the name of its kind of error.
fn said(error: &ParquetError) -> String {
    let said = match error {
        ParquetError::General(said) | ParquetError::EOF(said) => said.clone(),
        ParquetError::External(error) => error.to_string(),
        other => other.to_string(),
    };
    said.replace('\n', " ")
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
