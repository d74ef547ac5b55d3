//! Reads a Parquet file as one JSON object per row and line: [`detect`], [`rows`].
//!
//! Columns of media are skipped. Row groups are read by several threads and returned in order.

mod row_json;

use std::cell::Cell;
use std::io::BufReader;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, scope};

use byte_buffer::Bytes;
use parquet::basic::{ConvertedType, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::file::serialized_reader::{ReadOptionsBuilder, SerializedRowGroupReader};
use parquet::record::Row;
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};

use row_json::{ValueForm, push_row};

use super::RowContainer;
use super::output::RowOutput;
use crate::parallel::cores;
use crate::source::SourceError;
use crate::source::read_ahead::PieceReader;
use crate::source::spool_store::PositionReader;
use crate::text::{counted, grouped};

const MARK: &[u8] = b"PAR1";
const ENCRYPTED_MARK: &[u8] = b"PARE";
/// Maximum values of a column per row, averaged over its row group. A file of a few bytes can
/// declare a list of billions of nulls, and rows are decoded as a whole.
const MAX_ROW_VALUES: i64 = if cfg!(test) { 4 << 10 } else { 2 << 20 };
/// Maximum bytes of JSON per byte of the file, and bytes that are always allowed. A dictionary can
/// repeat a long text in every row, so that a file of a kilobyte would fill the disk.
pub const MAX_EXPANSION: u64 = 4096;
pub const FREE_BYTES: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// Target size of rows decoded together, in bytes, assuming rows of similar size.
const BATCH_BYTES: i64 = 4 << 20;
const MAX_BATCH_ROWS: i64 = 1024;
/// Memory of a decoded value in addition to its bytes in the page.
const VALUE_BYTES: i64 = 16;
/// Bytes of JSON passed between threads at a time.
const HANDOVER: usize = 64 << 10;
/// How many such batches a thread may read ahead of the previous group.
const MAX_BATCHES: usize = 512;
const MAX_THREADS: usize = 4;

/// True if a file begins like Parquet.
pub fn detect(head: &[u8]) -> bool {
    head.starts_with(MARK) || head.starts_with(ENCRYPTED_MARK)
}

/// Publishes the rows of a file as lines.
pub fn rows(pieces: &mut PieceReader, out: &RowOutput) -> Result<(), SourceError> {
    // The progress has all bytes of a copy already.
    let is_copy = pieces.file.is_none();
    let whole = pieces.whole().map_err(|error| out.no_room(&error))?;
    let Some(from) = whole else { return Ok(()) };
    let file = ParquetFile::open(from, out)?;
    let left_out = file.left_out.clone();
    let container = RowContainer::Parquet { left_out };
    out.spool.container.get_or_init(|| container);
    file.publish(is_copy, out)
}

/// A part of a file, read by position, because other programs may share its cursor.
#[derive(Clone)]
struct PlacedFile {
    from: PositionReader,
    len: u64,
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
        // Lengths in a damaged file are arbitrary; allocate only for existing bytes.
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
        Ok(bytes.into())
    }
}

/// A file with its metadata.
struct ParquetFile {
    file: PlacedFile,
    reader: SerializedFileReader<PlacedFile>,
    /// The columns to read, and how to write their values.
    columns: SchemaDescPtr,
    forms: Vec<ValueForm>,
    /// The skipped columns.
    left_out: Vec<String>,
    /// Bytes of JSON so far.
    written: AtomicU64,
}

impl ParquetFile {
    /// Opens a file from a position on.
    ///
    /// # Errors
    /// If no row can be read.
    fn open(from: PositionReader, out: &RowOutput) -> Result<Self, SourceError> {
        let name = out.name.clone();
        let len = match from.file.metadata() {
            Ok(metadata) => metadata.len().saturating_sub(from.at),
            Err(error) => return Err(SourceError::of_io(&name, &error)),
        };
        let mut end = [0; 4];
        let last = (from.at + len).saturating_sub(4);
        let is_whole = len > 8 && from.file.read_exact_at(&mut end, last).is_ok();
        let (what, advice) = match is_whole.then_some(&end[..]) {
            Some(MARK) => {
                let file = PlacedFile { from, len };
                return without_panic(|| Self::read(file)).map_err(|error| {
                    let what = error_message(&error);
                    out.broken(format!("the Parquet file is damaged ({what})"), 0, "row")
                });
            }
            Some(ENCRYPTED_MARK) => (
                "an encrypted Parquet file",
                "write it again without encryption first",
            ),
            _ => (
                "a truncated Parquet file (its footer is missing)",
                "fetch it again",
            ),
        };
        Err(SourceError::NotText { name, what, advice })
    }

    fn read(file: PlacedFile) -> Result<Self, ParquetError> {
        let reader = SerializedFileReader::new(file.clone())?;
        let stored = reader.metadata().file_metadata().schema().get_fields();
        let (mut columns, mut left_out) = (Vec::new(), Vec::new());
        for column in stored {
            columns.extend(without_media(column, column.name(), &mut left_out));
        }
        if columns.is_empty() {
            columns.extend_from_slice(stored);
            left_out.clear();
        }
        let options = ReadOptionsBuilder::new().with_parquet_schema(with_texts_as_bytes(stored)?);
        Ok(Self {
            reader: SerializedFileReader::new_with_options(file.clone(), options.build())?,
            forms: columns.iter().map(|column| ValueForm::of(column)).collect(),
            columns: with_texts_as_bytes(&columns)?,
            file,
            left_out,
            written: AtomicU64::new(0),
        })
    }

    /// Counts bytes of JSON.
    ///
    /// # Errors
    /// If they are too many for the size of the file.
    fn count_written(&self, bytes: usize) -> Result<(), ParquetError> {
        let all = self.written.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if all <= FREE_BYTES + MAX_EXPANSION.saturating_mul(self.file.len) {
            return Ok(());
        }
        Err(ParquetError::General(format!(
            "the text of this file of {} expands to over {}",
            counted(self.file.len as usize, "byte"),
            counted(all as usize, "byte"),
        )))
    }

    /// Estimates the size of rows, stored by column, from their mean size in bytes.
    fn bytes_of(&self, rows: u64) -> u64 {
        let all = self.reader.metadata().file_metadata().num_rows().max(1);
        (self.file.len as f64 * (rows as f64 / all as f64).min(1.0)) as u64
    }

    /// Publishes the rows in order.
    ///
    /// # Errors
    /// If a row cannot be read or stored; the rows before it are published.
    fn publish(&self, is_copy: bool, out: &RowOutput) -> Result<(), SourceError> {
        let groups = self.reader.num_row_groups();
        let threads = groups.clamp(1, MAX_THREADS.min(cores() as usize));
        let mut row = 0;
        let broken = |row, what| Err(out.broken(what, row, "row"));
        scope(|scope| {
            let mut parts = Vec::new();
            for first in 0..threads {
                let (sender, receiver) = sync_channel(MAX_BATCHES);
                let read = move || {
                    (first..groups)
                        .step_by(threads)
                        .all(|group| GroupRows::new(self, group, &sender).send());
                };
                let thread = Builder::new().name("visavis-rows".to_owned());
                if let Err(error) = thread.spawn_scoped(scope, read) {
                    return broken(row, error.to_string());
                }
                parts.push(receiver);
            }
            for group in 0..groups {
                loop {
                    match parts[group % threads].recv() {
                        Ok(Ok(Some((lines, rows)))) => {
                            row += rows;
                            if !is_copy {
                                out.spool.count_to(self.bytes_of(row));
                            }
                            out.publish(&lines)?;
                            if out.spool.cancelled() {
                                return Ok(());
                            }
                        }
                        Ok(Ok(None)) => break,
                        Ok(Err(what)) => {
                            let (next, group) = (row + 1, group + 1);
                            let place = format!("row {next} (of row group {group})");
                            return broken(row, format!("{place} cannot be read: {what}"));
                        }
                        Err(_) => return broken(row, "reading stopped unexpectedly".to_owned()),
                    }
                }
            }
            Ok(())
        })
    }

    /// Iterates the rows of a row group.
    fn rows_of(&self, number: usize) -> Result<ReaderIter, ParquetError> {
        let metadata = self.reader.metadata();
        let group = metadata.row_group(number);
        let most = group.num_rows().saturating_mul(MAX_ROW_VALUES);
        let is_oversized = |chunk: &&ColumnChunkMetaData| {
            chunk.num_values() > most && !self.left_out.contains(&chunk.column_path().string())
        };
        if let Some(chunk) = group.columns().iter().find(is_oversized) {
            let (most, path) = (grouped(MAX_ROW_VALUES as usize), chunk.column_path());
            let what = format!(
                "more than {most} values per row in column {}",
                path.string()
            );
            return Err(ParquetError::General(what));
        }
        let pages = metadata.page_index_for_row_group(number);
        let properties = Arc::new(ReaderProperties::builder().build());
        let rows = TreeBuilder::new().with_batch_size(batch_rows(group));
        let file = Arc::new(self.file.clone());
        let group = SerializedRowGroupReader::new(file, group, pages, properties)?;
        rows.as_iter(Arc::clone(&self.columns), &group)
    }
}

/// Output of a thread that reads a row group: lines of the next rows and their number, `None` at its
/// end, or why the next row cannot be read.
type GroupPart = Result<Option<(Vec<u8>, u64)>, String>;

/// Sends the rows of a row group.
struct GroupRows<'f> {
    file: &'f ParquetFile,
    group: usize,
    sender: &'f SyncSender<GroupPart>,
    /// Lines not yet sent, and their number.
    lines: Vec<u8>,
    waiting: u64,
    /// The line of the current row.
    line: Vec<u8>,
}

impl<'f> GroupRows<'f> {
    fn new(file: &'f ParquetFile, group: usize, sender: &'f SyncSender<GroupPart>) -> Self {
        Self {
            file,
            group,
            sender,
            lines: Vec::new(),
            waiting: 0,
            line: Vec::new(),
        }
    }

    /// Sends all rows and their end; returns `false` if the receiver is gone.
    fn send(mut self) -> bool {
        let end = self.read().map_err(|error| error_message(&error));
        self.flush() && self.sender.send(end.map(|()| None)).is_ok()
    }

    /// Reads the rows; of a damaged group, those decoded before the damage.
    fn read(&mut self) -> Result<(), ParquetError> {
        without_panic(|| {
            for row in self.file.rows_of(self.group)? {
                if !self.take(&row?)? {
                    break;
                }
            }
            Ok(())
        })
    }

    fn take(&mut self, row: &Row) -> Result<bool, ParquetError> {
        self.line.clear();
        self.line.push(b'{');
        push_row(row, &self.file.forms, &mut self.line);
        self.line.extend_from_slice(b"}\n");
        self.file.count_written(self.line.len())?;
        self.lines.extend_from_slice(&self.line);
        self.waiting += 1;
        Ok(self.lines.len() < HANDOVER || self.flush())
    }

    fn flush(&mut self) -> bool {
        let lines = std::mem::take(&mut self.lines);
        let rows = std::mem::take(&mut self.waiting);
        self.sender.send(Ok(Some((lines, rows)))).is_ok()
    }
}

/// Returns how many rows of a group to decode together.
fn batch_rows(group: &RowGroupMetaData) -> usize {
    let rows = group.num_rows().max(1);
    let values = group
        .columns()
        .iter()
        .map(|chunk| chunk.num_values() / rows);
    let bytes = group.total_byte_size() / rows + values.sum::<i64>() * VALUE_BYTES;
    (BATCH_BYTES / bytes.max(1)).clamp(1, MAX_BATCH_ROWS) as usize
}

/// Builds a schema that declares texts as bytes. The library then neither checks nor copies them,
/// and invalid UTF-8 is reported when its row is parsed.
fn with_texts_as_bytes(columns: &[TypePtr]) -> Result<SchemaDescPtr, ParquetError> {
    let mut fields = columns.to_vec();
    let is_text = |field: &&mut TypePtr| ValueForm::of(field) == ValueForm::Text;
    for field in fields.iter_mut().filter(is_text) {
        let bytes = Type::primitive_type_builder(field.name(), PhysicalType::BYTE_ARRAY)
            .with_repetition(field.get_basic_info().repetition());
        *field = Arc::new(bytes.build()?);
    }
    let schema = Type::group_type_builder("rows")
        .with_fields(fields)
        .build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(schema))))
}

/// Calls the library and turns a panic, which some damaged files cause, into an error. The objects
/// used must be dropped afterwards.
pub fn without_panic<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let was_caught = PANICS_ARE_CAUGHT.replace(true);
    let caught = catch_unwind(AssertUnwindSafe(read));
    PANICS_ARE_CAUGHT.set(was_caught);
    caught.unwrap_or_else(|_| Err(ParquetError::General("unexpected damage".to_owned())))
}

thread_local! {
    static PANICS_ARE_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// True if a panic of this thread comes from reading a damaged file and becomes an error, so that
/// hooks need not report it.
pub fn is_panic_caught() -> bool {
    PANICS_ARE_CAUGHT.get()
}

/// Returns the library's message in one line, without the error kind.
fn error_message(error: &ParquetError) -> String {
    let error_message = match error {
        ParquetError::General(error_message) | ParquetError::EOF(error_message) => {
            error_message.clone()
        }
        ParquetError::External(error) => error.to_string(),
        other => other.to_string(),
    };
    error_message.replace('\n', " ")
}

/// Removes the bytes of images and sounds, which the Hugging Face library keeps in structs next to
/// their paths. Returns `None` if nothing remains.
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
