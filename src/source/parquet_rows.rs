//! Reads a Parquet file as one JSON object per row and line.
//!
//! Columns of media are not read.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread;

use byte_buffer::Bytes;
use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::schema::types::{Type, TypePtr};

use super::SourceError;
use super::lines;
use super::parquet_columns::{Columns, PushRow};
use super::parquet_limits::OversizedRow;
use super::spool_store::PositionReader;
use super::zstd_decoder::zstd_decoder;

const MARK: &[u8] = b"PAR1";
const ENCRYPTED_MARK: &[u8] = b"PARE";
/// Bytes unpacked at a time before damage: the step that meets the damage is lost.
const STEP: u64 = 16 << 10;

/// Whether a file begins as Parquet does.
pub(super) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(MARK) || head.starts_with(ENCRYPTED_MARK)
}

/// A part of a file, read by position: other programs may share its cursor.
#[derive(Clone)]
pub(super) struct PlacedFile {
    from: PositionReader,
    len: u64,
    /// Whether bytes are given as zstd unpacks them, as far as they can be, and at most how many.
    pub(super) unpacked: Option<u64>,
}

impl Length for PlacedFile {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for PlacedFile {
    type T = BufReader<PositionReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut rest = self.from.clone();
        rest.at = rest.at.saturating_add(start);
        Ok(BufReader::new(rest))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // Lengths in a damaged file can be anything; memory is taken only for bytes that exist.
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len) {
            let len = self.len;
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} of {len}"
            )));
        }
        let mut bytes = vec![0; length];
        let PositionReader { file, at } = &self.from;
        file.read_exact_at(&mut bytes, at + start)?;
        let Some(most) = self.unpacked else {
            return Ok(bytes.into());
        };
        let (mut unpacked, mut unpacker) = (Vec::new(), zstd_decoder(&*bytes)?.take(most));
        loop {
            match unpacker.by_ref().take(STEP).read_to_end(&mut unpacked) {
                Ok(1..) => {}
                // Nothing of it, or zstd did not pack it.
                Err(error) if unpacked.is_empty() => return Err(error.into()),
                _ => return Ok(unpacked.into()),
            }
        }
    }
}

/// A file whose metadata were read.
pub(super) struct ParquetFile {
    pub(super) file: PlacedFile,
    pub(super) reader: SerializedFileReader<PlacedFile>,
    /// The columns that are read, in the order of the file.
    parts: [Columns; 2],
    /// The columns that are not.
    pub(super) left_out: Vec<String>,
    /// The row of each row group from which on it is not read, once that is known.
    oversized: Vec<OnceLock<Option<OversizedRow>>>,
}

impl ParquetFile {
    /// Opens a file from the byte `start` on. `name` is its name in errors.
    ///
    /// # Errors
    /// When nothing of it can be read.
    pub(super) fn open(name: &str, file: File, start: u64) -> Result<Self, SourceError> {
        let name = name.to_owned();
        let len = match file.metadata() {
            Ok(metadata) => metadata.len().saturating_sub(start),
            Err(error) => return Err(SourceError::of_io(&name, &error)),
        };
        let mut end = [0; 4];
        let last = (start + len).saturating_sub(4);
        let is_whole = len > 8 && file.read_exact_at(&mut end, last).is_ok();
        let (what, advice) = match is_whole.then_some(&end[..]) {
            Some(MARK) => {
                let file = PlacedFile {
                    from: PositionReader {
                        file: Arc::new(file),
                        at: start,
                    },
                    len,
                    unpacked: None,
                };
                return without_panic(|| Self::read(file)).map_err(|error| SourceError::Broken {
                    name,
                    what: format!("the Parquet file is damaged ({})", said(&error)),
                    kept: 0,
                    unit: "row",
                });
            }
            Some(ENCRYPTED_MARK) => (
                "an encrypted Parquet file",
                "write it again without encryption first",
            ),
            _ => (
                "a Parquet file without its end, which says what stands where",
                "it was cut short: fetch it again",
            ),
        };
        Err(SourceError::NotText { name, what, advice })
    }

    fn read(file: PlacedFile) -> Result<Self, ParquetError> {
        let reader = SerializedFileReader::new(file.clone())?;
        let schema = reader.metadata().file_metadata().schema();
        let mut left_out = Vec::new();
        let mut columns = Vec::new();
        for column in schema.get_fields() {
            columns.extend(without_media(column, column.name(), &mut left_out));
        }
        if columns.is_empty() {
            columns.extend_from_slice(schema.get_fields());
            left_out.clear();
        }
        let schema = Columns::new(schema.get_fields())?.schema;
        let options = ReadOptionsBuilder::new().with_parquet_schema(schema);
        let reader = SerializedFileReader::new_with_options(file.clone(), options.build())?;
        let oversized = vec![OnceLock::new(); reader.num_row_groups()];
        let half = first_half(&columns, reader.metadata(), &left_out);
        let (first, second) = columns.split_at(half);
        Ok(Self {
            file,
            reader,
            parts: [Columns::new(first)?, Columns::new(second)?],
            left_out,
            oversized,
        })
    }

    /// The row of a row group from which on it is not read.
    pub(super) fn oversized(&self, group: usize) -> Option<&OversizedRow> {
        let known = self.oversized.get(group)?;
        known.get_or_init(|| self.find_oversized(group)).as_ref()
    }

    /// How many rows a row group has.
    pub(super) fn rows_of(&self, group: usize) -> u64 {
        let rows = self.reader.metadata().row_group(group).num_rows();
        u64::try_from(rows).unwrap_or_default()
    }

    /// Bytes that so many rows take, if rows are of similar size: columns are stored one by one.
    pub(super) fn bytes_of(&self, rows: u64) -> u64 {
        let all = self.reader.metadata().file_metadata().num_rows().max(1);
        (self.file.len as f64 * (rows as f64 / all as f64).min(1.0)) as u64
    }

    /// Appends each row to `lines` and calls `take`, which may take them out, until that returns
    /// `false`. A thread reads half of the columns ahead.
    ///
    /// # Errors
    /// When a row cannot be read; the rows before it were appended.
    pub(super) fn each(
        &self,
        lines: &mut Vec<u8>,
        mut take: impl FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<(), BrokenRow> {
        thread::scope(|scope| {
            let [first, second] = &self.parts;
            let mut parts = vec![first.rows(self)];
            if !second.kinds.is_empty() {
                parts.push(second.rows_ahead(self, scope));
            }
            let mut row = 0;
            for group in 0..=self.oversized.len() {
                let oversized = without_panic(|| Ok(self.oversized(group))).unwrap_or_default();
                // The rows of the last group end where its columns do.
                let is_last = group + 1 >= self.oversized.len() && oversized.is_none();
                let rows = if is_last {
                    u64::MAX
                } else {
                    self.rows_of(group)
                };
                for at in 0..rows {
                    row += 1;
                    let pushed = match oversized.filter(|it| it.row <= at) {
                        Some(oversized) => {
                            push_oversized(row, oversized, at, lines);
                            Ok(true)
                        }
                        None => push_parts(&mut parts, lines),
                    };
                    if !matches!(pushed, Ok(true)) || !take(lines) {
                        return pushed.map(drop);
                    }
                }
            }
            Ok(())
        })
    }
}

/// Appends the line of a row that is not read.
fn push_oversized(row: u64, oversized: &OversizedRow, at: u64, lines: &mut Vec<u8>) {
    let what = &oversized.what;
    let why = match at == oversized.row {
        true => format!("row {row} has {what}"),
        false => format!("row {row} is in a row group with a row that has {what}"),
    };
    lines::push_refusal(&why, lines);
    lines.extend_from_slice(b"{}\n");
}

/// Appends the next row of all columns as a line; returns `false` after the last one.
fn push_parts(parts: &mut [Box<PushRow<'_>>], lines: &mut Vec<u8>) -> Result<bool, BrokenRow> {
    let start = lines.len();
    for (at, push_row) in parts.iter_mut().enumerate() {
        lines.push(if at == 0 { b'{' } else { b',' });
        let pushed = push_row(lines);
        if !matches!(pushed, Ok(true)) {
            lines.truncate(start);
            return pushed;
        }
    }
    lines.extend_from_slice(b"}\n");
    Ok(true)
}

/// How many columns have about half of the bytes, measured in the first row group: at least one.
fn first_half(columns: &[TypePtr], metadata: &ParquetMetaData, left_out: &[String]) -> usize {
    let mut sizes = vec![0; columns.len()];
    let groups = metadata.row_groups().iter().take(1);
    for chunk in groups.flat_map(RowGroupMetaData::columns) {
        let path = chunk.column_path();
        let mut names = columns.iter().map(|column| column.name());
        let column = names.position(|name| name == path.parts()[0]);
        if let Some(column) = column.filter(|_| !left_out.contains(&path.string())) {
            sizes[column] += chunk.uncompressed_size();
        }
    }
    let sum = |sizes: &[i64]| sizes.iter().sum::<i64>();
    let imbalance = |&at: &usize| (sum(&sizes[..at]) - sum(&sizes[at..])).abs();
    let half = (1..columns.len()).min_by_key(imbalance);
    half.unwrap_or(columns.len())
}

/// A row that cannot be read.
#[derive(Debug)]
pub(super) struct BrokenRow {
    /// How many rows precede it.
    pub(super) row: u64,
    pub(super) what: String,
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
pub(super) fn said(error: &ParquetError) -> String {
    let said = match error {
        ParquetError::General(said) | ParquetError::EOF(said) => said.clone(),
        ParquetError::External(error) => error.to_string(),
        other => other.to_string(),
    };
    said.replace('\n', " ")
}

/// A column without the bytes of images and sounds, which the Hugging Face library keeps in structs
/// beside their paths. Returns `None` if nothing remains.
fn without_media(node: &TypePtr, path: &str, left_out: &mut Vec<String>) -> Option<TypePtr> {
    let info = node.get_basic_info();
    if !node.is_group() {
        let is_media = node.get_physical_type() == PhysicalType::BYTE_ARRAY
            && info.converted_type() == ConvertedType::NONE
            && node.name() == "bytes"
            && path != "bytes";
        left_out.extend(is_media.then(|| path.to_owned()));
        return (!is_media).then(|| Arc::clone(node));
    }
    let mut fields = Vec::new();
    for field in node.get_fields() {
        fields.extend(without_media(
            field,
            &format!("{path}.{}", field.name()),
            left_out,
        ));
    }
    if fields.is_empty() {
        return None;
    }
    let group = Type::group_type_builder(node.name())
        .with_repetition(info.repetition())
        .with_converted_type(info.converted_type())
        .with_fields(fields);
    Some(group.build().map_or_else(|_| Arc::clone(node), Arc::new))
}
