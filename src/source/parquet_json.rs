//! Columns of a Parquet row group → rows as JSON.
//!
//! Numbers stay numbers and texts texts; NaN becomes null, decimals are numbers, dates and times
//! texts, maps objects. Bytes that are no text stay in the file.
//!
//! Most of a file is texts that stand in a column of their own: these are copied from the decoded
//! page into the line and touched nowhere between. A text there that is no UTF-8 stays as it is: its
//! reader tells of that row. Everything else goes the library's way, value by value
//! ([`parquet::record::reader::Reader`]).

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::record::Field;
use parquet::record::reader::{Reader, TreeBuilder};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, TypePtr};

use super::json_string::push_string;

/// Days that a date is spelled of; beyond, its number stands.
const MOST_DAYS: i64 = 3_000_000;

/// The columns of a row group, on the way to its next row.
pub(super) struct Columns {
    /// Each behind its name, as JSON with what stands before it and a colon.
    columns: Vec<(Vec<u8>, Column)>,
    batch: usize,
}

enum Column {
    Texts(Box<TextColumn>),
    Any(Reader),
}

impl Columns {
    /// The wanted columns of a row group, of which `batch` rows are decoded at a time. `ahead` gives
    /// the pages of a column where they are read elsewhere.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(super) fn open(
        wanted: &Arc<SchemaDescriptor>,
        group: &dyn RowGroupReader,
        batch: usize,
        ahead: impl Fn(usize) -> Option<Box<dyn PageReader>>,
    ) -> Result<Self, ParquetError> {
        let tree = TreeBuilder::new().with_batch_size(batch);
        let Reader::GroupReader(_, _, readers) = tree.build(Arc::clone(wanted), group)? else {
            return Err(unexpected_end());
        };
        let mut columns = Vec::with_capacity(readers.len());
        for reader in readers {
            let mut name = vec![if columns.is_empty() { b'{' } else { b',' }];
            push_string(
                type_of(&reader).map_or("", |kind| kind.name()).as_bytes(),
                &mut name,
            );
            name.push(b':');
            let text = text_column(&reader, group).map(|column| {
                let pages = ahead(column);
                TextColumn::open(group, column, pages)
            });
            let column = match text {
                Some(texts) => Column::Texts(Box::new(texts?)),
                None => {
                    let mut reader = reader;
                    advance(&mut reader)?;
                    Column::Any(reader)
                }
            };
            columns.push((name, column));
        }
        Ok(Self { columns, batch })
    }

    /// Appends the next row.
    ///
    /// # Errors
    /// When it cannot be read, or there is none; something of it may have been appended.
    pub(super) fn push_row(&mut self, out: &mut Vec<u8>) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            out.push(b'{');
        }
        for (name, column) in &mut self.columns {
            out.extend_from_slice(name);
            match column {
                Column::Texts(texts) => texts.push_next(self.batch, out)?,
                Column::Any(reader) => push_value(reader, out)?,
            }
        }
        out.push(b'}');
        Ok(())
    }
}

/// The leaf that a column of texts is, if this is one: a text a row, or none.
fn text_column(reader: &Reader, group: &dyn RowGroupReader) -> Option<usize> {
    let kind = match reader {
        Reader::PrimitiveReader(kind, _) => kind,
        Reader::OptionReader(_, inner) => match &**inner {
            Reader::PrimitiveReader(kind, _) => kind,
            _ => return None,
        },
        _ => return None,
    };
    let is_text = kind.get_physical_type() == PhysicalType::BYTE_ARRAY
        && TextKind::of(kind.get_basic_info().converted_type()).is_some();
    let columns = group.metadata().columns().iter().enumerate();
    let mut named = columns.filter(|(_, column)| column.column_path().parts() == [kind.name()]);
    // Of two with one name it cannot be told here which of them this is.
    match (named.next(), named.next()) {
        (Some((place, _)), None) if is_text => Some(place),
        _ => None,
    }
}

/// What stands in a column of bytes.
#[derive(Clone, Copy)]
pub(super) enum TextKind {
    Text,
    /// What nobody said to be text.
    Bytes,
}

impl TextKind {
    /// What a column of bytes holds; `None` for numbers that are kept as bytes.
    pub(super) fn of(converted: ConvertedType) -> Option<Self> {
        match converted {
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Some(Self::Text),
            ConvertedType::BSON | ConvertedType::NONE => Some(Self::Bytes),
            _ => None,
        }
    }
}

/// A column with a text a row, or none.
struct TextColumn {
    reader: ColumnReaderImpl<ByteArrayType>,
    kind: TextKind,
    /// What was decoded and not taken: the texts, from `next_text` on, and for each row whether it
    /// has one, from `next_level` on; no levels where each row has.
    texts: Vec<ByteArray>,
    levels: Option<Vec<i16>>,
    next_text: usize,
    next_level: usize,
    /// Why there is nothing behind them, once that is so.
    trouble: Option<ParquetError>,
}

impl TextColumn {
    fn open(
        group: &dyn RowGroupReader,
        column: usize,
        pages: Option<Box<dyn PageReader>>,
    ) -> Result<Self, ParquetError> {
        let of = group.metadata().column(column).column_descr_ptr();
        let reader = match pages {
            Some(pages) => ColumnReaderImpl::new(Arc::clone(&of), pages),
            None => match group.get_column_reader(column)? {
                ColumnReader::ByteArrayColumnReader(reader) => reader,
                _ => return Err(ParquetError::General(format!("{} is no text", of.name()))),
            },
        };
        Ok(Self::of(&of, reader))
    }

    fn of(column: &ColumnDescriptor, reader: ColumnReaderImpl<ByteArrayType>) -> Self {
        Self {
            reader,
            kind: TextKind::of(column.converted_type()).unwrap_or(TextKind::Bytes),
            texts: Vec::new(),
            levels: (column.max_def_level() > 0).then(Vec::new),
            next_text: 0,
            next_level: 0,
            trouble: None,
        }
    }

    fn push_next(&mut self, batch: usize, out: &mut Vec<u8>) -> Result<(), ParquetError> {
        if self.is_used_up() && self.trouble.is_none() {
            self.decode(batch);
        }
        let mut trouble = || self.trouble.take().unwrap_or_else(unexpected_end);
        if let Some(levels) = &self.levels {
            let level = levels.get(self.next_level).ok_or_else(&mut trouble)?;
            self.next_level += 1;
            if *level == 0 {
                out.extend_from_slice(b"null");
                return Ok(());
            }
        }
        let text = self.texts.get(self.next_text).ok_or_else(trouble)?;
        self.next_text += 1;
        match self.kind {
            TextKind::Text => push_string(text.data(), out),
            TextKind::Bytes => push_bytes(text.data(), out),
        }
        Ok(())
    }

    fn is_used_up(&self) -> bool {
        match &self.levels {
            Some(levels) => self.next_level == levels.len(),
            None => self.next_text == self.texts.len(),
        }
    }

    /// Decodes the next texts; those before trouble count.
    fn decode(&mut self, batch: usize) {
        self.texts.clear();
        (self.next_text, self.next_level) = (0, 0);
        if let Some(levels) = &mut self.levels {
            levels.clear();
        }
        let levels = self.levels.as_mut();
        let read = (self.reader).read_records(batch, levels, None, &mut self.texts);
        self.trouble = read.err();
        if self.trouble.is_some() {
            // The library leaves room for texts that it did not come to.
            let is_text = |text: &&ByteArray| **text != ByteArray::new();
            let decoded = self.texts.iter().take_while(is_text).count();
            self.texts.truncate(decoded);
        }
    }
}

fn unexpected_end() -> ParquetError {
    ParquetError::General("Unexpected end of column data".to_owned())
}

/// What a column is declared as; every column is but the root, which is none.
fn type_of(reader: &Reader) -> Option<&TypePtr> {
    match reader {
        Reader::PrimitiveReader(kind, _)
        | Reader::RepeatedReader(kind, ..)
        | Reader::KeyValueReader(kind, ..) => Some(kind),
        Reader::OptionReader(_, inner) => type_of(inner),
        Reader::GroupReader(kind, ..) => kind.as_ref(),
    }
}

/// Where a value of a column stands: what of its path is there, and which lists go on.
#[derive(Clone, Copy)]
struct Position {
    has_next: bool,
    definition: i16,
    repetition: i16,
}

/// Where the next value of a column stands, by its first leaf.
fn position(reader: &Reader) -> Position {
    match reader {
        Reader::PrimitiveReader(_, leaf) => Position {
            has_next: leaf.has_next(),
            definition: leaf.current_def_level(),
            repetition: leaf.current_rep_level(),
        },
        Reader::OptionReader(_, inner) | Reader::RepeatedReader(_, _, _, inner) => position(inner),
        Reader::KeyValueReader(_, _, _, keys, _) => position(keys),
        Reader::GroupReader(_, _, members) => members.first().map_or(
            Position {
                has_next: false,
                definition: 0,
                repetition: 0,
            },
            position,
        ),
    }
}

/// Goes on to the next value of all leaves.
fn advance(reader: &mut Reader) -> Result<(), ParquetError> {
    match reader {
        Reader::PrimitiveReader(_, leaf) => leaf.read_next().map(drop),
        Reader::OptionReader(_, inner) | Reader::RepeatedReader(_, _, _, inner) => advance(inner),
        Reader::KeyValueReader(_, _, _, keys, values) => {
            advance(keys)?;
            advance(values)
        }
        Reader::GroupReader(_, _, members) => members.iter_mut().try_for_each(advance),
    }
}

/// Where the next value stands.
///
/// # Errors
/// When there is none.
fn next_position(reader: &Reader) -> Result<Position, ParquetError> {
    let position = position(reader);
    position
        .has_next
        .then_some(position)
        .ok_or_else(unexpected_end)
}

/// Appends the next value of a column, and goes on to the one behind it.
fn push_value(reader: &mut Reader, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    match reader {
        Reader::PrimitiveReader(_, leaf) => {
            if !leaf.has_next() {
                return Err(unexpected_end());
            }
            push_field(&leaf.current_value()?, out);
            leaf.read_next().map(drop)
        }
        Reader::OptionReader(level, inner) => {
            if next_position(inner)?.definition > *level {
                return push_value(inner, out);
            }
            out.extend_from_slice(b"null");
            advance(inner)
        }
        Reader::GroupReader(_, level, members) => push_members(members, *level, out),
        Reader::RepeatedReader(_, level, repetition, inner) => {
            let levels = (*level, *repetition);
            if let Some(pushed) = push_leaves(inner, levels, out) {
                return pushed;
            }
            out.push(b'[');
            let mut is_first = true;
            while next_position(inner)?.definition > *level {
                if !std::mem::take(&mut is_first) {
                    out.push(b',');
                }
                push_value(inner, out)?;
                let next = position(inner);
                if !next.has_next || next.repetition <= *repetition {
                    out.push(b']');
                    return Ok(());
                }
            }
            out.push(b']');
            advance(inner)
        }
        Reader::KeyValueReader(_, level, repetition, keys, values) => {
            let levels = (*level, *repetition);
            push_entries(keys, values, levels, out)
        }
    }
}

/// Appends a list of values that each stand alone, as of tokens there are thousands in a row; `None`
/// where they do not. `levels` tell what of the list is there, and whether it goes on.
fn push_leaves(
    element: &mut Reader,
    (level, repetition): (i16, i16),
    out: &mut Vec<u8>,
) -> Option<Result<(), ParquetError>> {
    let (of_missing, leaf) = match element {
        Reader::PrimitiveReader(_, leaf) => (None, leaf),
        Reader::OptionReader(of_missing, optional) => match &mut **optional {
            Reader::PrimitiveReader(_, leaf) => (Some(*of_missing), leaf),
            _ => return None,
        },
        _ => return None,
    };
    let mut push_all = || {
        out.push(b'[');
        let mut is_first = true;
        loop {
            if !leaf.has_next() {
                return Err(unexpected_end());
            }
            let definition = leaf.current_def_level();
            if definition <= level {
                out.push(b']');
                return leaf.read_next().map(drop);
            }
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            match of_missing {
                Some(missing) if definition <= missing => out.extend_from_slice(b"null"),
                _ => push_field(&leaf.current_value()?, out),
            }
            if !leaf.read_next()? || leaf.current_rep_level() <= repetition {
                out.push(b']');
                return Ok(());
            }
        }
    };
    Some(push_all())
}

/// Appends the members of a struct of which so much is there.
fn push_members(members: &mut [Reader], level: i16, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    out.push(b'{');
    for (at, member) in members.iter_mut().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let kind = type_of(member);
        push_string(kind.map_or("", |kind| kind.name()).as_bytes(), out);
        out.push(b':');
        let is_optional = kind.is_some_and(|kind| {
            let info = kind.get_basic_info();
            info.has_repetition() && info.repetition() == Repetition::OPTIONAL
        });
        if !is_optional || position(member).definition > level {
            push_value(member, out)?;
        } else {
            out.extend_from_slice(b"null");
            advance(member)?;
        }
    }
    out.push(b'}');
    Ok(())
}

/// Appends the entries of a map, of which levels tell what is there and whether it goes on.
fn push_entries(
    keys: &mut Reader,
    values: &mut Reader,
    (level, repetition): (i16, i16),
    out: &mut Vec<u8>,
) -> Result<(), ParquetError> {
    out.push(b'{');
    let mut is_first = true;
    while next_position(keys)?.definition > level {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        push_key(keys, out)?;
        out.push(b':');
        push_value(values, out)?;
        let next = position(keys);
        if !next.has_next || next.repetition <= repetition {
            out.push(b'}');
            return Ok(());
        }
    }
    out.push(b'}');
    advance(keys)?;
    advance(values)
}

/// Appends the next key of a map: a text, whatever it is.
fn push_key(keys: &mut Reader, out: &mut Vec<u8>) -> Result<(), ParquetError> {
    let mut spelled = Vec::new();
    push_value(keys, &mut spelled)?;
    if spelled.starts_with(b"\"") {
        out.extend_from_slice(&spelled);
    } else {
        push_string(&spelled, out);
    }
    Ok(())
}

/// Appends a single value.
fn push_field(field: &Field, out: &mut Vec<u8>) {
    match field {
        Field::Null => out.extend_from_slice(b"null"),
        Field::Str(text) => push_string(text.as_bytes(), out),
        Field::Bytes(bytes) => push_bytes(bytes.data(), out),
        Field::Float16(value) => push_number(value.to_f32(), out),
        Field::Float(value) => push_number(*value, out),
        Field::Double(value) => push_number(*value, out),
        Field::Decimal(_) => {
            let spelled = field.to_string();
            out.extend_from_slice(spelled.strip_suffix('.').unwrap_or(&spelled).as_bytes());
        }
        Field::Date(days) => push_time(field, i64::from(*days), MOST_DAYS, out),
        Field::TimestampMillis(at) => push_time(field, *at, MOST_DAYS * 86_400_000, out),
        Field::TimestampMicros(at) => push_time(field, *at, MOST_DAYS * 86_400_000_000, out),
        Field::TimeMillis(_) | Field::TimeMicros(_) => {
            push_string(field.to_string().as_bytes(), out);
        }
        Field::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Field::Byte(value) => push_integer((*value).into(), out),
        Field::Short(value) => push_integer((*value).into(), out),
        Field::Int(value) => push_integer((*value).into(), out),
        Field::Long(value) => push_integer(*value, out),
        Field::UByte(value) => push_integer((*value).into(), out),
        Field::UShort(value) => push_integer((*value).into(), out),
        Field::UInt(value) => push_integer((*value).into(), out),
        Field::ULong(value) => out.extend_from_slice(value.to_string().as_bytes()),
        // A leaf has none of these.
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            push_string(field.to_string().as_bytes(), out);
        }
    }
}

/// Appends a number as JSON has it, faster than [`write!`] does.
fn push_integer(value: i64, out: &mut Vec<u8>) {
    // Memory takes everything.
    let _ = serde_json::to_writer(out, &value);
}

/// Appends bytes as the text that they are, or how many there are.
fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match std::str::from_utf8(bytes) {
        Ok(_) => push_string(bytes, out),
        Err(_) => push_string(format!("({} bytes)", bytes.len()).as_bytes(), out),
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
