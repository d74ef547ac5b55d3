//! Some columns of a Parquet file, row by row, as JSON without the braces.

use std::io::{BufRead, Cursor};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, Scope};

use parquet::basic::{Compression, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::parquet_json::{ValueForm, push_row};
use super::parquet_rows::{BrokenRow, ParquetFile, said, without_panic};

/// Decoded bytes of the rows that are decoded together, if rows are of similar size.
const BATCH_BYTES: i64 = 4 << 20;
const MOST_BATCH_ROWS: i64 = 1024;
/// Bytes that a decoded value takes beside those in its page.
const VALUE_BYTES: i64 = 16;
/// Bytes of JSON that are handed from thread to thread together.
const HANDOVER: usize = 64 << 10;
/// How often that is done before the other thread takes them.
const MOST_BATCHES: usize = 16;

/// Some columns of the top level.
pub(super) struct Columns {
    pub(super) schema: Arc<SchemaDescriptor>,
    /// How the values of each are written.
    pub(super) kinds: Vec<ValueForm>,
}

/// The rows of a file, with some columns.
struct ColumnRows<'f> {
    file: &'f ParquetFile,
    columns: &'f Columns,
    /// Row groups that were opened.
    groups: usize,
    /// The rows of the last of them.
    rows: Option<ReaderIter>,
    /// Rows read in total, and of the groups before the last.
    row: u64,
    first_row: u64,
    /// The first error in the last row group, while its rows before the damage are being read.
    damage: Option<String>,
}

impl ColumnRows<'_> {
    /// Appends the next row. Returns `false` after the last one.
    ///
    /// # Errors
    /// When the row cannot be read; nothing was appended.
    fn push_next(&mut self, out: &mut Vec<u8>) -> Result<bool, BrokenRow> {
        let start = out.len();
        let error = match without_panic(|| self.try_push(out)) {
            Ok(is_pushed) if is_pushed || self.damage.is_none() => return Ok(is_pushed),
            Ok(_) => String::new(),
            Err(error) => said(&error),
        };
        out.truncate(start);
        if self.damage.is_none()
            && let Ok(rows) = without_panic(|| self.open_group(true))
        {
            self.rows = Some(rows);
            self.damage = Some(error);
            return self.push_next(out);
        }
        let what = self.damage.take().unwrap_or(error);
        let (row, group) = (self.row + 1, self.groups);
        Err(BrokenRow {
            row: self.row,
            what: format!("row {row} (of row group {group}) does not read: {what}"),
        })
    }

    fn try_push(&mut self, out: &mut Vec<u8>) -> Result<bool, ParquetError> {
        loop {
            let oversized = self
                .groups
                .checked_sub(1)
                .and_then(|group| self.file.oversized(group));
            let is_readable = oversized.is_none_or(|it| self.row - self.first_row < it.row);
            let mut rows = self.rows.as_mut().filter(|_| is_readable);
            if let Some(row) = rows.as_mut().and_then(Iterator::next) {
                push_row(&row?, &self.columns.kinds, out);
                self.row += 1;
                return Ok(true);
            }
            if !is_readable {
                self.row = self.first_row + self.file.rows_of(self.groups - 1);
            }
            let is_last = self.groups == self.file.reader.num_row_groups();
            if is_last || self.damage.is_some() {
                return Ok(false);
            }
            (self.groups, self.first_row) = (self.groups + 1, self.row);
            let is_empty = self
                .file
                .oversized(self.groups - 1)
                .is_some_and(|it| it.row == 0);
            self.rows = match is_empty {
                true => None,
                false => Some(self.open_group(false)?),
            };
        }
    }

    /// The rows of the last row group, from the next one on. In a damaged group each page is unpacked
    /// as far as it can be, and the rows before the damage are decoded one by one.
    fn open_group(&self, is_damaged: bool) -> Result<ReaderIter, ParquetError> {
        let (metadata, group) = (self.file.reader.metadata(), self.groups - 1);
        let pages = metadata.page_index_for_row_group(group);
        let mut file = self.file.file.clone();
        let mut group = metadata.row_group(group).clone();
        let mut batch = batch_rows(&group);
        if is_damaged {
            let (mut chunks, mut most) = (Vec::new(), 0);
            for chunk in group.columns() {
                most = most.max(u64::try_from(chunk.uncompressed_size())?);
                // The library shall take pages as they are: the file unpacks them.
                let chunk = chunk.clone().into_builder();
                chunks.push(chunk.set_compression(Compression::UNCOMPRESSED).build()?);
            }
            group = group.into_builder().set_column_metadata(chunks).build()?;
            (file.unpacked, batch) = (Some(most), 1);
        }
        let properties = Arc::new(ReaderProperties::builder().build());
        let group = SerializedRowGroupReader::new(Arc::new(file), &group, pages, properties)?;
        let rows = TreeBuilder::new().with_batch_size(batch);
        let mut rows = rows.as_iter(Arc::clone(&self.columns.schema), &group)?;
        let known = usize::try_from(self.row - self.first_row)?;
        (rows.by_ref().take(known)).try_for_each(|row| row.map(drop))?;
        Ok(rows)
    }
}

/// How many rows of a group are decoded together.
fn batch_rows(group: &RowGroupMetaData) -> usize {
    let rows = group.num_rows().max(1);
    let values = group
        .columns()
        .iter()
        .map(|chunk| chunk.num_values() / rows);
    let bytes = group.total_byte_size() / rows + values.sum::<i64>() * VALUE_BYTES;
    (BATCH_BYTES / bytes.max(1)).clamp(1, MOST_BATCH_ROWS) as usize
}

/// Appends the next row to a buffer. Returns `false` after the last one.
pub(super) type PushRow<'f> = dyn FnMut(&mut Vec<u8>) -> Result<bool, BrokenRow> + 'f;

impl Columns {
    /// Declares texts as bytes. The library then neither checks nor copies them, and a text that is
    /// not UTF-8 is reported when its row is parsed.
    ///
    /// # Errors
    /// When the library refuses the schema.
    pub(super) fn new(columns: &[TypePtr]) -> Result<Self, ParquetError> {
        let mut fields = columns.to_vec();
        let is_text = |field: &&mut TypePtr| ValueForm::of(field) == ValueForm::Text;
        for field in fields.iter_mut().filter(is_text) {
            let bytes = Type::primitive_type_builder(field.name(), PhysicalType::BYTE_ARRAY);
            let bytes = bytes.with_repetition(field.get_basic_info().repetition());
            *field = Arc::new(bytes.build()?);
        }
        let schema = Type::group_type_builder("rows")
            .with_fields(fields)
            .build()?;
        Ok(Self {
            schema: Arc::new(SchemaDescriptor::new(Arc::new(schema))),
            kinds: columns.iter().map(|column| ValueForm::of(column)).collect(),
        })
    }

    /// Reads each row when it is asked for.
    pub(super) fn rows<'f>(&'f self, file: &'f ParquetFile) -> Box<PushRow<'f>> {
        let mut rows = self.start(file);
        Box::new(move |out| rows.push_next(out))
    }

    /// Reads rows ahead on a thread of `scope`, until the result is dropped.
    pub(super) fn rows_ahead<'f>(
        &'f self,
        file: &'f ParquetFile,
        scope: &'f Scope<'f, '_>,
    ) -> Box<PushRow<'f>> {
        let (sender, batches) = sync_channel(MOST_BATCHES);
        let rows = self.start(file);
        let thread = Builder::new().name("visavis-columns".to_owned());
        if thread
            .spawn_scoped(scope, move || send_rows(rows, &sender))
            .is_err()
        {
            // The system has no more threads.
            return self.rows(file);
        }
        let mut batch = Cursor::default();
        Box::new(move |out| {
            // Line feeds in texts are escaped. Reading from memory cannot fail.
            while batch.read_until(b'\n', out).unwrap_or(0) == 0 {
                match batches.recv() {
                    Ok(next) => batch = Cursor::new(next?),
                    Err(_) => return Ok(false),
                }
            }
            out.pop();
            Ok(true)
        })
    }

    fn start<'f>(&'f self, file: &'f ParquetFile) -> ColumnRows<'f> {
        ColumnRows {
            file,
            columns: self,
            groups: 0,
            rows: None,
            row: 0,
            first_row: 0,
            damage: None,
        }
    }
}

/// Sends rows, each with a line feed, until they end or nobody wants them any more.
fn send_rows(mut rows: ColumnRows<'_>, sender: &SyncSender<Result<Vec<u8>, BrokenRow>>) {
    let mut pushed = Ok(true);
    while matches!(pushed, Ok(true)) {
        let mut batch = Vec::with_capacity(HANDOVER + HANDOVER / 4);
        while batch.len() < HANDOVER {
            pushed = rows.push_next(&mut batch);
            if !matches!(pushed, Ok(true)) {
                break;
            }
            batch.push(b'\n');
        }
        if sender.send(Ok(batch)).is_err() {
            return;
        }
    }
    if let Err(broken) = pushed {
        // As above.
        let _ = sender.send(Err(broken));
    }
}
