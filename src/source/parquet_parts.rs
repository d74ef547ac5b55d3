//! Large pages of texts of a Parquet file, in parts that are pages themselves: some programs write
//! pages of a hundred megabytes, which need not all be in memory at once.
//!
//! Cut are those that zstd packed and that spell out a text for each row, as they can be unpacked
//! bit by bit; all others are left to the library. A page that is damaged is noticed where it is,
//! behind texts that were handed on: without checksums zstd cannot tell whether these are right.

use std::io::{self, BufReader, Read, Take};
use std::sync::{Arc, Mutex, PoisonError};

use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;

use super::parquet_rows::{Bytes, PlacedFile, PlacedReader};
use super::zstd_decoder::{ZstdDecoder, zstd_decoder};

/// Unpacked bytes of a part, where its texts are smaller than that.
const PART: usize = if cfg!(test) { 256 } else { 512 << 10 };
/// Packed bytes read at a time.
const STEP: usize = 128 << 10;

/// The pages of a column of a row group, large ones in parts.
pub(super) struct PageParts {
    file: PlacedFile,
    column: ColumnChunkMetaData,
    rows: usize,
    headers: SerializedPageReader<PageHeaders>,
    places: Arc<PageHeaders>,
    /// The page that is handed on in parts.
    cut: Option<CutPage>,
}

impl PageParts {
    /// Whether a column has pages that can be cut, as far as its metadata tell: a text in each row,
    /// packed by zstd, and not looked up in a dictionary.
    pub(super) fn can_cut(column: &ColumnChunkMetaData) -> bool {
        let mut encodings = column.encodings();
        let nulls = column.statistics().and_then(Statistics::null_count_opt);
        matches!(column.compression(), Compression::ZSTD(_))
            && encodings.all(|encoding| matches!(encoding, Encoding::PLAIN | Encoding::RLE))
            && column.column_descr().max_rep_level() == 0
            && match column.column_descr().max_def_level() {
                0 => true,
                1 => nulls == Some(0),
                _ => false,
            }
    }

    /// The pages of a column of a row group with so many rows.
    ///
    /// # Errors
    /// When the column cannot be in the file.
    pub(super) fn open(
        file: &PlacedFile,
        column: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Self, ParquetError> {
        let places = Arc::new(PageHeaders {
            file: file.clone(),
            last: Mutex::default(),
        });
        // As if nothing were packed: the library shall read headers and unpack no page.
        let bare = column.clone().into_builder();
        let bare = bare.set_compression(Compression::UNCOMPRESSED).build()?;
        Ok(Self {
            file: file.clone(),
            column: column.clone(),
            rows,
            headers: SerializedPageReader::new(Arc::clone(&places), &bare, rows, None)?,
            places,
            cut: None,
        })
    }

    /// The next page or part of one; `None` behind the last.
    ///
    /// # Errors
    /// When it cannot be read or unpacked, or ends before all of its texts.
    pub(super) fn next(&mut self) -> Result<Option<Page>, ParquetError> {
        if let Some(cut) = self.cut.as_mut().filter(|cut| cut.left > 0) {
            return cut.next_part().map(Some);
        }
        let Some(header) = self.headers.get_next_page()? else {
            return Ok(None);
        };
        let place = self.places.last();
        self.cut = self.begin(&header, place)?;
        match &mut self.cut {
            Some(cut) => cut.next_part().map(Some),
            None => self.whole(place),
        }
    }

    /// Begins to cut a page; `None` where it must stay whole.
    fn begin(&self, header: &Page, place: PagePlace) -> Result<Option<CutPage>, ParquetError> {
        let Page::DataPage {
            num_values: texts @ 1..,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            ..
        } = *header
        else {
            return Ok(None);
        };
        let Some(size) = self.places.unpacked_size(place)? else {
            return Ok(None);
        };
        let is_optional = self.column.column_descr().max_def_level() > 0;
        let mut unpacked = zstd_decoder(self.places.packed(place))?.take(size);
        if is_optional {
            let levels = levels(texts);
            let mut there = vec![0; levels.len()];
            unpacked.read_exact(&mut there)?;
            if there != levels {
                return Ok(None);
            }
        }
        Ok(Some(CutPage {
            unpacked,
            texts,
            left: texts,
            is_optional,
            rest: Vec::new(),
        }))
    }

    /// A page as the library reads it.
    fn whole(&self, place: PagePlace) -> Result<Option<Page>, ParquetError> {
        // As if it were the only one of its column.
        let (start, end) = (place.header, place.start + place.length as u64);
        let alone = self.column.clone().into_builder();
        let alone = alone
            .set_dictionary_page_offset(None)
            .set_data_page_offset(i64::try_from(start)?)
            .set_total_compressed_size(i64::try_from(end - start)?)
            .build()?;
        let file = Arc::new(self.file.clone());
        SerializedPageReader::new(file, &alone, self.rows, None)?.get_next_page()
    }
}

/// A page of texts, none of them missing, that is unpacked part by part.
struct CutPage {
    /// Up to the size that the page says to have.
    unpacked: Take<ZstdDecoder<PackedPage>>,
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
        // The levels come before the texts, but tell how many of them follow.
        let mut bytes = Vec::with_capacity(MOST_LEVELS + self.rest.len() + PART);
        bytes.resize(MOST_LEVELS, 0);
        bytes.append(&mut self.rest);
        let (mut texts, mut end) = (0, MOST_LEVELS);
        while texts < self.left {
            match end_of_text(&bytes, end) {
                Some(next) => (texts, end) = (texts + 1, next),
                None if texts > 0 && bytes.len() >= PART => break,
                // Not as many bytes as a length says, which may be anything.
                None => {
                    let mut more = self.unpacked.by_ref().take(PART as u64);
                    if more.read_to_end(&mut bytes)? == 0 {
                        return Err(self.cut_short(texts));
                    }
                }
            }
        }
        self.left -= texts;
        if self.left == 0 {
            self.finish()?;
        }
        self.rest.extend_from_slice(&bytes[end..]);
        bytes.truncate(end);
        let mut start = MOST_LEVELS;
        if self.is_optional {
            let levels = levels(texts);
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

    /// Reads what is behind the texts.
    fn finish(&mut self) -> Result<(), ParquetError> {
        io::copy(&mut self.unpacked, &mut io::sink())?;
        // At the end zstd compares checksums, if there are any.
        match self.unpacked.get_mut().read(&mut [0])? {
            0 => Ok(()),
            _ => Err(ParquetError::General(
                "a page has more bytes than its header says".to_owned(),
            )),
        }
    }

    fn cut_short(&self, of_part: u32) -> ParquetError {
        let (there, all) = (self.texts - self.left + of_part, self.texts);
        ParquetError::EOF(format!("a page of {all} texts ends behind {there}"))
    }
}

/// Where a text ends that begins at `start` with its length, if it is there.
fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let (length, text) = bytes.get(start..)?.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    (length <= text.len()).then(|| start + size_of::<u32>() + length)
}

/// Bytes of the longest [`levels`].
const MOST_LEVELS: usize = 4 + 5 + 1;

/// The definition levels of a page with so many rows, each of which has a text: their length, and one
/// run of ones, as writers of Parquet spell that, which is how often, times two, in groups of seven
/// bits, and a one (<https://parquet.apache.org/docs/file-format/data-pages/encodings/#RLE>).
fn levels(rows: u32) -> Vec<u8> {
    let mut levels = vec![0; 4];
    let mut rest = u64::from(rows) << 1;
    while rest > 0x7F {
        levels.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    levels.extend_from_slice(&[rest as u8, 1]);
    let length = levels.len() as u32 - 4;
    levels[..4].copy_from_slice(&length.to_le_bytes());
    levels
}

/// The packed bytes of a page.
type PackedPage = Take<BufReader<PlacedReader>>;

/// Where a page stands in the file.
#[derive(Clone, Copy, Default)]
struct PagePlace {
    /// Its header.
    header: u64,
    /// Its packed bytes.
    start: u64,
    length: usize,
}

/// A file of which the library shall read headers of pages alone; of the pages themselves it gets
/// nothing, and it is noted where they stand.
struct PageHeaders {
    file: PlacedFile,
    last: Mutex<PagePlace>,
}

impl PageHeaders {
    /// Where the page stands whose header was read last.
    fn last(&self) -> PagePlace {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut PagePlace)) {
        change(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn packed(&self, place: PagePlace) -> PackedPage {
        let reader = self.file.reader(place.start);
        BufReader::with_capacity(STEP.min(place.length), reader).take(place.length as u64)
    }

    /// Unpacked bytes of a page, by its header, of which the library does not tell that; `None` where
    /// it is not found there.
    fn unpacked_size(&self, place: PagePlace) -> Result<Option<u64>, ParquetError> {
        let mut header = Vec::new();
        let beginning = self.file.reader(place.header).take(16);
        { beginning }.read_to_end(&mut header)?;
        Ok(unpacked_size(&header))
    }
}

/// The second field of a header of a page: it begins with its type and with its size, unpacked, as
/// numbers in zigzag and groups of seven bits, each behind the byte that says so
/// (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>).
fn unpacked_size(header: &[u8]) -> Option<u64> {
    const NEXT_FIELD_IS_I32: u8 = 0x15;
    let mut bytes = header.iter();
    let mut number = || {
        bytes.next().filter(|byte| **byte == NEXT_FIELD_IS_I32)?;
        let mut number = 0;
        for place in 0..5 {
            let byte = bytes.next()?;
            number |= u64::from(byte & 0x7F) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        // Even numbers are not negative.
        (number % 2 == 0).then_some(number / 2)
    };
    number()?;
    number()
}

impl Length for PageHeaders {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for PageHeaders {
    type T = BufReader<PlacedReader>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.note(|place| place.header = start);
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.file.require(start, length)?;
        self.note(|place| (place.start, place.length) = (start, length));
        Ok(Bytes::new())
    }
}
