//! Large pages of texts of a Parquet file, in parts that are pages themselves: some programs write
//! pages of a hundred megabytes, which need not all be in memory at once.
//!
//! Cut are those that zstd packed and that spell texts out one behind the other, as they can be
//! unpacked bit by bit; all others are handed on whole.

use std::io::{BufRead, BufReader, Read, Take};
use std::sync::{Arc, Mutex, PoisonError};

use byte_buffer::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::parquet_rows::{PlacedFile, PlacedReader};

/// Unpacked bytes of a part, where its texts are smaller than that.
const PART: usize = if cfg!(test) { 256 } else { 512 << 10 };
/// Packed bytes read at a time.
const STEP: usize = 128 << 10;

/// The pages of a column of a row group, large ones in parts.
pub(super) struct PageParts {
    headers: SerializedPageReader<PageHeaders>,
    pages: Arc<PageHeaders>,
    /// Whether rows may have no text.
    is_optional: bool,
    /// The page that is handed on in parts.
    cut: Option<CutPage>,
}

impl PageParts {
    /// Whether pages of a column can be cut: a text a row or none, packed by zstd, and not looked up
    /// in a dictionary.
    pub(super) fn can_cut(column: &ColumnChunkMetaData) -> bool {
        let mut encodings = column.encodings();
        matches!(column.compression(), Compression::ZSTD(_))
            && encodings.all(|encoding| matches!(encoding, Encoding::PLAIN | Encoding::RLE))
            && column.column_descr().max_def_level() <= 1
            && column.column_descr().max_rep_level() == 0
    }

    /// The pages of a column of a row group with so many rows, where [`Self::can_cut`] holds.
    ///
    /// # Errors
    /// When the column cannot be in the file.
    pub(super) fn open(
        file: &PlacedFile,
        column: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Self, ParquetError> {
        let is_optional = column.column_descr().max_def_level() > 0;
        let pages = Arc::new(PageHeaders {
            file: file.clone(),
            last: Mutex::default(),
        });
        // As if nothing were packed: the library shall read headers and unpack no page.
        let column = column.clone().into_builder();
        let column = column.set_compression(Compression::UNCOMPRESSED).build()?;
        Ok(Self {
            headers: SerializedPageReader::new(Arc::clone(&pages), &column, rows, None)?,
            pages,
            is_optional,
            cut: None,
        })
    }

    /// The next page or part of one; `None` behind the last.
    ///
    /// # Errors
    /// When it cannot be read or unpacked, or ends before all of its texts.
    pub(super) fn next(&mut self) -> Result<Option<Page>, ParquetError> {
        loop {
            if let Some(cut) = self.cut.as_mut().filter(|cut| cut.left > 0) {
                return cut.next_part().map(Some);
            }
            let Some(header) = self.headers.get_next_page()? else {
                return Ok(None);
            };
            self.cut = self.cut(&header)?;
            if self.cut.is_none() {
                return self.whole(header).map(Some);
            }
        }
    }

    /// Begins to cut the page of a header; `None` where it must stay whole.
    fn cut(&self, header: &Page) -> Result<Option<CutPage>, ParquetError> {
        let Page::DataPage {
            num_values,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            ..
        } = header
        else {
            return Ok(None);
        };
        let mut unpacked = zstd::Decoder::with_buffer(self.pages.packed())?;
        if self.is_optional {
            let mut length = [0; 4];
            unpacked.read_exact(&mut length)?;
            let mut levels = Vec::new();
            let length = u32::from_le_bytes(length).into();
            (&mut unpacked).take(length).read_to_end(&mut levels)?;
            if levels != present_levels(*num_values) {
                return Ok(None);
            }
        }
        Ok(Some(CutPage {
            unpacked,
            texts: *num_values,
            left: *num_values,
            is_optional: self.is_optional,
            rest: Vec::new(),
        }))
    }

    /// The page of a header, unpacked.
    fn whole(&self, mut header: Page) -> Result<Page, ParquetError> {
        let mut packed = self.pages.packed();
        let mut bytes = Vec::new();
        let (levels, is_packed) = match &header {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                (levels, *is_compressed)
            }
            Page::DataPage { .. } | Page::DictionaryPage { .. } => (0, true),
        };
        packed.by_ref().take(levels).read_to_end(&mut bytes)?;
        // A page of nulls alone has nothing behind its levels.
        if is_packed && !packed.fill_buf()?.is_empty() {
            zstd::Decoder::with_buffer(packed)?.read_to_end(&mut bytes)?;
        } else {
            packed.read_to_end(&mut bytes)?;
        }
        let (Page::DataPage { buf, .. }
        | Page::DataPageV2 { buf, .. }
        | Page::DictionaryPage { buf, .. }) = &mut header;
        *buf = bytes.into();
        Ok(header)
    }
}

/// A page of texts, none of them missing, that is unpacked part by part.
struct CutPage {
    unpacked: zstd::Decoder<'static, PackedPage>,
    /// How many it has, and how many of them are still to be handed on.
    texts: u32,
    left: u32,
    is_optional: bool,
    /// What was unpacked and not handed on: the beginning of the next text.
    rest: Vec<u8>,
}

impl CutPage {
    /// The next texts as a page.
    fn next_part(&mut self) -> Result<Page, ParquetError> {
        // In front there is room for the levels, which are known once it is known how many texts there are.
        let mut bytes = Vec::with_capacity(MOST_LEVELS + self.rest.len() + PART);
        bytes.resize(MOST_LEVELS, 0);
        bytes.append(&mut self.rest);
        let (mut texts, mut end) = (0, MOST_LEVELS);
        while texts < self.left {
            let length = bytes[end..].first_chunk().copied();
            let next = length
                .map(|length| end + size_of_val(&length) + u32::from_le_bytes(length) as usize);
            match next.filter(|next| *next <= bytes.len()) {
                Some(next) => (texts, end) = (texts + 1, next),
                None if texts > 0 && bytes.len() >= PART => break,
                // Not what a length says, which may be anything.
                None => {
                    let mut more = self.unpacked.by_ref().take(PART as u64);
                    if more.read_to_end(&mut bytes)? == 0 {
                        return Err(self.cut_short(texts));
                    }
                }
            }
        }
        self.rest.extend_from_slice(&bytes[end..]);
        bytes.truncate(end);
        self.left -= texts;
        let mut start = MOST_LEVELS;
        if self.is_optional {
            let levels = present_levels(texts);
            let length = levels.len() as u32;
            let levels = [&length.to_le_bytes()[..], &levels].concat();
            start -= levels.len();
            bytes[start..MOST_LEVELS].copy_from_slice(&levels);
        }
        Ok(Page::DataPage {
            buf: Bytes::from(bytes).slice(start..),
            num_values: texts,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })
    }

    fn cut_short(&self, of_part: u32) -> ParquetError {
        let (there, all) = (self.texts - self.left + of_part, self.texts);
        ParquetError::EOF(format!("a page of {all} texts ends behind {there}"))
    }
}

/// Bytes of the levels of a part, with their length before them: four and those of [`present_levels`].
const MOST_LEVELS: usize = 4 + 6;

/// The definition levels of so many rows that have a text each, one run of ones, as writers of Parquet
/// have them: how often, times two, in groups of seven bits, and a one.
/// <https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE>
fn present_levels(rows: u32) -> Vec<u8> {
    let mut levels = Vec::with_capacity(6);
    let mut rest = u64::from(rows) << 1;
    while rest > 0x7F {
        levels.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    levels.extend_from_slice(&[rest as u8, 1]);
    levels
}

/// The packed bytes of a page.
type PackedPage = Take<BufReader<PlacedReader>>;

/// A file of which the library shall read headers of pages alone; of the pages themselves it gets nothing, and
/// it is noted where they stand.
struct PageHeaders {
    file: PlacedFile,
    /// Where the last page begins, and its length.
    last: Mutex<(u64, usize)>,
}

impl PageHeaders {
    /// The bytes of the page whose header was read last.
    fn packed(&self) -> PackedPage {
        let (start, length) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let reader = self.file.reader(start);
        BufReader::with_capacity(STEP.min(length), reader).take(length as u64)
    }
}

impl Length for PageHeaders {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for PageHeaders {
    type T = BufReader<PlacedReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (start, length);
        Ok(Bytes::new())
    }
}
