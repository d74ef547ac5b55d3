//! Pages of texts that are cut into parts, each written byte by byte.

use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::Page;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;

use super::super::parquet_parts::PageParts;
use super::super::parquet_rows::PlacedFile;
use super::*;

/// A page of a column of texts; all but `packed` is what its header says.
struct TextPage {
    is_optional: bool,
    texts: u32,
    size: usize,
    packed: Vec<u8>,
}

impl TextPage {
    /// One that says the truth of texts which may each be missing.
    fn optional(texts: &[String]) -> Self {
        let mut page = levels(texts.len());
        page.extend(plain(texts));
        Self {
            is_optional: true,
            texts: texts.len() as u32,
            size: page.len(),
            packed: zstd(&page),
        }
    }

    /// The same where none can be missing: a page without levels.
    fn required(texts: &[String]) -> Self {
        let page = plain(texts);
        Self {
            is_optional: false,
            texts: texts.len() as u32,
            size: page.len(),
            packed: zstd(&page),
        }
    }

    /// Its parts, and how they ended.
    fn parts(&self) -> (Vec<Page>, Option<ParquetError>) {
        const NUMBER: u8 = 0x15;
        let mut raw = b"PAR1".to_vec();
        // The fields of a `PageHeader`, in Thrift's compact protocol: type, size, size when packed,
        // and a `DataPageHeader` of values and three encodings.
        for field in [0, self.size, self.packed.len()] {
            raw.push(NUMBER);
            raw.extend(groups_of_seven((field as u64) << 1));
        }
        raw.extend([0x2C, NUMBER]);
        raw.extend(groups_of_seven(u64::from(self.texts) << 1));
        raw.extend([NUMBER, 0, NUMBER, 6, NUMBER, 6, 0, 0]);
        raw.extend(&self.packed);
        let file = tempfile::tempfile().expect("a file");
        (&file).write_all(&raw).expect("written");
        let placed = PlacedFile {
            file: Arc::new(file),
            start: 0,
            len: raw.len() as u64,
        };
        let column = self.column(raw.len());
        assert!(PageParts::can_cut(&column));
        let rows = self.texts as usize;
        let mut pages = PageParts::open(&placed, &column, rows).expect("opened");
        let mut parts = Vec::new();
        loop {
            match pages.next() {
                Ok(Some(part)) => parts.push(part),
                Ok(None) => return (parts, None),
                Err(error) => return (parts, Some(error)),
            }
        }
    }

    fn column(&self, end: usize) -> ColumnChunkMetaData {
        let schema = match self.is_optional {
            true => "message rows { optional binary a (UTF8); }",
            false => "message rows { required binary a (UTF8); }",
        };
        let schema = parse_message_type(schema).expect("a schema");
        let schema = SchemaDescriptor::new(Arc::new(schema));
        ColumnChunkMetaData::builder(schema.column(0))
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE])
            .set_num_values(i64::from(self.texts))
            .set_data_page_offset(4)
            .set_total_compressed_size(end as i64 - 4)
            .set_statistics(Statistics::byte_array(None, None, None, Some(0), false))
            .build()
            .expect("a column")
    }

    /// What is said of it, which gives no text that it does not have.
    fn fault(&self) -> String {
        let (parts, end) = self.parts();
        let texts: usize = parts
            .iter()
            .map(|part| texts(part, self.is_optional).len())
            .sum();
        assert!(texts <= self.texts as usize);
        end.expect("a fault").to_string()
    }
}

fn groups_of_seven(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The levels of texts that are all there.
fn levels(texts: usize) -> Vec<u8> {
    let mut run = groups_of_seven((texts as u64) << 1);
    run.push(1);
    let mut levels = (run.len() as u32).to_le_bytes().to_vec();
    levels.extend(run);
    levels
}

fn plain(texts: &[String]) -> Vec<u8> {
    let mut page = Vec::new();
    for text in texts {
        page.extend((text.len() as u32).to_le_bytes());
        page.extend(text.as_bytes());
    }
    page
}

/// The texts of a part, which must be a page of its own.
fn texts(part: &Page, is_optional: bool) -> Vec<String> {
    let mut rest: &[u8] = part.buffer();
    let count = part.num_values() as usize;
    if is_optional {
        rest = rest.strip_prefix(&*levels(count)).expect("levels");
    }
    let mut texts = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (text, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
        texts.push(String::from_utf8(text.to_vec()).expect("a text"));
        rest = behind;
    }
    assert_eq!(texts.len(), count);
    texts
}

/// Short and long ones, empty ones, and one as long as several parts.
fn some_texts() -> Vec<String> {
    let length = |row: usize| if row == 250 { 5000 } else { row * 31 % 97 };
    (0..500).map(|row| "é".repeat(length(row))).collect()
}

#[test]
fn a_page_comes_in_parts_that_hold_all_of_its_texts() {
    let all = some_texts();
    for page in [TextPage::optional(&all), TextPage::required(&all)] {
        let (parts, end) = page.parts();
        assert!(end.is_none(), "{end:?}");
        assert!(parts.len() > 20, "{}", parts.len());
        let read: Vec<_> = parts
            .iter()
            .flat_map(|part| texts(part, page.is_optional))
            .collect();
        assert_eq!(read, all);
    }
}

/// As `zstd --long=28` packs, beyond what its library unpacks unasked.
#[test]
fn a_window_may_be_large() {
    let all = some_texts();
    let mut page = TextPage::required(&all);
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.window_log(28).expect("a window");
    encoder.write_all(&plain(&all)).expect("memory");
    page.packed = encoder.finish().expect("memory");
    let (parts, end) = page.parts();
    assert!(end.is_none(), "{end:?}");
    assert!(parts.len() > 20, "{}", parts.len());
}

/// What need not have a level of one for each text stays whole.
#[test]
fn a_page_with_other_levels_is_not_cut() {
    let all = some_texts();
    let mut page = TextPage::optional(&all);
    // The same levels bit by bit, in groups of eight, the last of which is cut short.
    let groups = all.len().div_ceil(8);
    let mut bits = groups_of_seven(((groups as u64) << 1) | 1);
    bits.extend(vec![0xFF; groups]);
    let mut unpacked = (bits.len() as u32).to_le_bytes().to_vec();
    unpacked.extend(bits);
    unpacked.extend(plain(&all));
    (page.size, page.packed) = (unpacked.len(), zstd(&unpacked));
    let (parts, end) = page.parts();
    assert!(end.is_none(), "{end:?}");
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].buffer().len(), unpacked.len());
}

#[test]
fn what_a_page_says_of_itself_is_not_believed() {
    let all = some_texts();
    let mut page = TextPage::optional(&all);
    page.texts += 1;
    // Levels for one more would be others: the page is the library's.
    assert_eq!(page.parts().0.len(), 1);
    let mut page = TextPage::required(&all);
    page.texts += 1;
    assert!(page.fault().contains("a page of 501 texts ends behind 500"));
    let mut page = TextPage::required(&all);
    page.size -= 100;
    assert!(page.fault().contains("ends behind 49"));
    let mut page = TextPage::required(&all[..499]);
    page.packed = zstd(&plain(&all));
    assert!(page.fault().contains("more bytes than its header says"));
    let mut page = TextPage::required(&all);
    page.packed.truncate(page.packed.len() / 2);
    assert!(page.fault().contains("incomplete frame"));
}

/// However long a text is said to be, no more is unpacked than the page says to have.
#[test]
fn a_page_that_unpacks_to_far_more_is_refused() {
    let mut page = TextPage::required(&some_texts());
    let mut unpacked = u32::MAX.to_le_bytes().to_vec();
    unpacked.resize(256 << 20, 0);
    page.packed = zstd(&unpacked);
    assert!(page.fault().contains("a page of 500 texts ends behind 0"));
}

#[test]
fn checksums_of_zstd_are_compared() {
    let all = some_texts();
    let mut page = TextPage::required(&all);
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.include_checksum(true).expect("a checksum");
    encoder.write_all(&plain(&all)).expect("memory");
    page.packed = encoder.finish().expect("memory");
    assert!(page.parts().1.is_none());
    *page.packed.last_mut().expect("a byte") ^= 1;
    assert!(page.fault().contains("checksum"));
}
