//! Parquet files, written by the library that reads them.

use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::super::container::parquet::{FREE_BYTES, MAX_EXPANSION};
use super::*;

const SCHEMA: &str = "message rows {
    required binary prompt (UTF8);
    optional double score;
    required float share;
    required boolean good;
    required int32 day (DATE);
    required int64 at (TIMESTAMP_MILLIS);
    required int32 price (DECIMAL(9, 2));
    required group image { required binary bytes; required binary path (UTF8); }
    required binary raw;
    required group chosen (LIST) { repeated group list { required group element {
        required binary content (UTF8); required binary role (UTF8); } } }
    required group tags (MAP) { repeated group key_value { required binary key (UTF8); required int32 value; } }
}";

/// Returns a file with this many rows per group, and the expected lines.
fn parquet_file(groups: usize, rows: usize, compression: Compression) -> (Vec<u8>, String) {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let mut file =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
    let mut lines = String::new();
    for group in 0..groups {
        let numbers: Vec<_> = (group * rows..(group + 1) * rows).collect();
        let mut writer = file.next_row_group().expect("a group");
        put(&mut writer, &numbers);
        writer.close().expect("a group");
        lines.extend(numbers.iter().map(|&row| line(row) + "\n"));
    }
    (file.into_inner().expect("a file"), lines)
}

fn put(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, rows: &[usize]) {
    let count = rows.len();
    let text = |text: &dyn Fn(usize) -> String| -> Vec<ByteArray> {
        rows.iter()
            .map(|&row| ByteArray::from(text(row).as_str()))
            .collect()
    };
    // Repeated columns have two values per row.
    let twice = |text: &dyn Fn(usize) -> String| -> Vec<ByteArray> {
        rows.iter()
            .flat_map(|&row| [text(row), text(row + 1)])
            .map(|text| ByteArray::from(&*text))
            .collect()
    };
    let (def, rep) = (vec![1; 2 * count], [0, 1].repeat(count));
    macro_rules! column {
        ($kind:ty, $values:expr, $def:expr, $rep:expr) => {{
            let mut column = group.next_column().expect("a column").expect("one more");
            column
                .typed::<$kind>()
                .write_batch($values, $def, $rep)
                .expect("written");
            column.close().expect("written");
        }};
    }
    column!(
        ByteArrayType,
        &text(&|row| format!("p \"{row}\"\n")),
        None,
        None
    );
    let scores: Vec<f64> = rows
        .iter()
        .filter(|row| *row % 3 > 0)
        .map(|&row| {
            if row % 3 == 1 {
                row as f64 / 4.0
            } else {
                f64::NAN
            }
        })
        .collect();
    let is_there: Vec<i16> = rows.iter().map(|row| i16::from(row % 3 > 0)).collect();
    column!(DoubleType, &scores, Some(&is_there), None);
    column!(FloatType, &vec![0.1; count], None, None);
    column!(BoolType, &vec![true; count], None, None);
    column!(Int32Type, &vec![1; count], None, None);
    column!(
        Int64Type,
        &rows
            .iter()
            .map(|row| if row % 2 == 0 { 1500 } else { i64::MAX })
            .collect::<Vec<_>>(),
        None,
        None
    );
    column!(Int32Type, &vec![-5; count], None, None);
    column!(
        ByteArrayType,
        &vec![ByteArray::from(vec![0xFF_u8; 9]); count],
        None,
        None
    );
    column!(
        ByteArrayType,
        &text(&|row| format!("{row}.png")),
        None,
        None
    );
    column!(
        ByteArrayType,
        &vec![ByteArray::from(vec![0xFF_u8; 9]); count],
        None,
        None
    );
    column!(
        ByteArrayType,
        &twice(&|row| format!("c{row}")),
        Some(&def),
        Some(&rep)
    );
    column!(
        ByteArrayType,
        &twice(&|row| format!("r{row}")),
        Some(&def),
        Some(&rep)
    );
    column!(
        ByteArrayType,
        &twice(&|row| format!("k{row}")),
        Some(&def),
        Some(&rep)
    );
    column!(Int32Type, &[7, 8].repeat(count), Some(&def), Some(&rep));
}

fn line(row: usize) -> String {
    let score = match row % 3 {
        1 => format!("{:?}", row as f64 / 4.0),
        _ => "null".to_owned(),
    };
    let at = match row % 2 {
        0 => "\"1970-01-01 00:00:01.500 +00:00\"".to_owned(),
        _ => i64::MAX.to_string(),
    };
    let next = row + 1;
    format!(
        "{{\"prompt\":\"p \\\"{row}\\\"\\n\",\"score\":{score},\"share\":0.1,\"good\":true,\"day\":\"1970-01-02\",\"at\":{at},\
         \"price\":-0.05,\"image\":{{\"path\":\"{row}.png\"}},\"raw\":\"(9 bytes)\",\
         \"chosen\":[{{\"content\":\"c{row}\",\"role\":\"r{row}\"}},{{\"content\":\"c{next}\",\"role\":\"r{next}\"}}],\
         \"tags\":{{\"k{row}\":7,\"k{next}\":8}}}}"
    )
}

#[test]
fn rows_are_lines_wherever_the_file_comes_from() {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let (raw, lines) = parquet_file(3, 40, zstd);
    for source in containers::ways(&raw) {
        let (bytes, end) = all(&source);
        assert_eq!(String::from_utf8(bytes).expect("text"), lines);
        assert_eq!(end, Ok(()));
        let left_out = vec!["image.bytes".to_owned()];
        assert_eq!(source.container(), RowContainer::Parquet { left_out });
        let progress = source.progress();
        assert!(
            progress.of.is_none_or(|of| of == progress.read),
            "{progress:?}"
        );
    }
}

#[test]
fn every_compression() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ] {
        let (raw, lines) = parquet_file(1, 5, compression);
        let file = test_file(&raw);
        let source = open(&file.path).expect("opened");
        assert!(
            all(&source) == (lines.into_bytes(), Ok(())),
            "{compression:?}"
        );
    }
}

#[test]
fn rows_come_before_the_damage() {
    let (raw, lines) = parquet_file(3, 40, Compression::ZSTD(ZstdLevel::default()));
    // A zstd page in the last group, of a column that is read.
    let is_page = |at: &usize| raw[*at..].starts_with(b"\x28\xb5\x2f\xfd");
    let pages: Vec<_> = (0..raw.len()).filter(is_page).collect();
    let at = pages[pages.len() * 9 / 10];
    let mut flipped = raw.clone();
    flipped[at..at + 4].fill(0xFF);
    let file = test_file(&flipped);
    let (bytes, end) = all(&open(&file.path).expect("opened"));
    let message = end.expect_err("damaged").to_string();
    assert!(
        bytes.len() > lines.len() / 4 && lines.as_bytes().starts_with(&bytes),
        "{} bytes",
        bytes.len()
    );
    assert!(
        message.contains(" cannot be read: ") && message.contains(" rows before it are kept; "),
        "{message}"
    );
    assert!(!message.contains("External"), "{message}");
}

#[test]
fn truncated_parquet_files_are_reported() {
    let (raw, _) = parquet_file(1, 3, Compression::SNAPPY);
    let of_end = |end: &[u8]| [&raw[..raw.len() - 4], end].concat();
    let mut footer = raw.clone();
    let at = footer.len() - 30;
    footer[at..at + 20].fill(0xFF);
    for (raw, says) in [
        (
            raw[..raw.len() / 2].to_vec(),
            "is a truncated Parquet file (its footer is missing); fetch it again",
        ),
        (
            b"PAR1".to_vec(),
            "is a truncated Parquet file (its footer is missing)",
        ),
        (
            of_end(b"PARE"),
            "is an encrypted Parquet file; write it again without",
        ),
        (footer, "the Parquet file is damaged ("),
    ] {
        for source in containers::ways(&raw) {
            let (bytes, end) = all(&source);
            let message = end.expect_err("an error").to_string();
            assert!(bytes.is_empty() && message.contains(says), "{message}");
        }
    }
}

#[test]
fn a_changing_file_is_read_whole_or_reported() {
    let (raw, lines) = parquet_file(4, 2500, Compression::SNAPPY);
    survives_changes(&raw, lines.as_bytes());
}

/// Texts over several groups and pages, some missing, and a column of bytes.
#[test]
fn large_columns_are_read_ahead() {
    let whole = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_data_page_size_limit(64 << 10);
    let (raw, lines) = large_columns(whole.build());
    let given_file = test_file(&raw);
    assert_rows(&open(&given_file.path).expect("opened"), &lines);
    // The thread that reads ahead does not delay dropping the source.
    drop(open(&given_file.path).expect("opened"));
    survives_changes(&raw, lines.as_bytes());
}

/// The same for pages of each version and encoding.
#[test]
fn large_columns_in_pages_of_each_kind() {
    for (version, encoding, limit) in [
        (WriterVersion::PARQUET_1_0, Encoding::PLAIN, 1 << 20),
        (WriterVersion::PARQUET_1_0, Encoding::PLAIN, 1 << 10),
        (WriterVersion::PARQUET_2_0, Encoding::PLAIN, 1 << 20),
        (
            WriterVersion::PARQUET_2_0,
            Encoding::DELTA_BYTE_ARRAY,
            1 << 20,
        ),
    ] {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_writer_version(version)
            .set_column_encoding("text".into(), encoding)
            .set_column_encoding("other".into(), encoding)
            .set_data_page_size_limit(limit);
        let (raw, lines) = large_columns(properties.build());
        let given_file = test_file(&raw);
        assert_rows(&open(&given_file.path).expect("opened"), &lines);
        drop(open(&given_file.path).expect("opened"));
        survives_changes(&raw, lines.as_bytes());
    }
}

/// Columns with many texts, none, and empty ones.
#[test]
fn small_texts_in_large_pages() {
    let schema = parse_message_type("message rows { optional binary a (UTF8); }");
    let schema = Arc::new(schema.expect("a schema"));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_writer_version(version)
            .set_encoding(Encoding::PLAIN);
        let mut file = SerializedFileWriter::new(
            Vec::new(),
            Arc::clone(&schema),
            Arc::new(properties.build()),
        )
        .expect("a writer");
        let mut lines = String::new();
        for group in 0..6 {
            let text = |row: usize| match group {
                0 | 3 => Some(format!("{group} {row}")),
                1 => Some(String::new()),
                2 => None,
                4 => (row != 999).then(|| row.to_string()),
                _ => Some("x".repeat(row % 7 * 50)),
            };
            let texts: Vec<_> = (0..1000).map(text).collect();
            let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
            let values = texts.iter().flatten();
            let values: Vec<_> = values.map(|text| ByteArray::from(&**text)).collect();
            let mut writer = file.next_row_group().expect("a group");
            let mut column = writer.next_column().expect("a column").expect("one more");
            let typed = column.typed::<ByteArrayType>();
            (typed.write_batch(&values, Some(&levels), None)).expect("written");
            column.close().expect("written");
            writer.close().expect("a group");
            for text in &texts {
                let text = text
                    .as_ref()
                    .map_or("null".to_owned(), |text| format!("\"{text}\""));
                lines += &format!("{{\"a\":{text}}}\n");
            }
        }
        let file = test_file(&file.into_inner().expect("a file"));
        assert_rows(&open(&file.path).expect("opened"), &lines);
    }
}

/// A list of nulls is a few bytes in the file and any number of values in memory.
#[test]
fn rows_with_too_many_values_are_refused() {
    // At the limit for tests, and one more, in each of two rows of the second group.
    for (values, is_read) in [(4 << 10, true), ((4 << 10) + 1, false)] {
        let schema = parse_message_type(
            "message rows { required int32 n; optional group tokens (LIST) {
                repeated group list { optional int64 element; } } }",
        );
        let schema = Arc::new(schema.expect("a schema"));
        let mut file =
            SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a writer");
        for values in [3, values, 3] {
            let mut group = file.next_row_group().expect("a group");
            let mut column = group.next_column().expect("a column").expect("one more");
            let typed = column.typed::<Int32Type>();
            typed.write_batch(&[7, 8], None, None).expect("written");
            column.close().expect("written");
            let mut column = group.next_column().expect("a column").expect("one more");
            let mut goes_on = vec![1; 2 * values];
            (goes_on[0], goes_on[values]) = (0, 0);
            let levels = vec![2; 2 * values];
            let typed = column.typed::<Int64Type>();
            (typed.write_batch(&[], Some(&levels), Some(&goes_on))).expect("written");
            column.close().expect("written");
            group.close().expect("a group");
        }
        let file = test_file(&file.into_inner().expect("a file"));
        let (bytes, end) = all(&open(&file.path).expect("opened"));
        let lines = |values: usize| {
            let nulls = vec!["null"; values].join(",");
            [7, 8]
                .map(|n| format!("{{\"n\":{n},\"tokens\":[{nulls}]}}\n"))
                .concat()
        };
        let (small, large) = (lines(3), lines(values));
        let message = end.err().map(|error| error.to_string());
        let expected = match is_read {
            true => [&*small, &large, &small].concat(),
            false => small,
        };
        assert!(
            bytes == expected.as_bytes(),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        let refused = "row 3 (of row group 2) cannot be read: more than 4,096 values per row in column \
                       tokens.list.element; the 2 rows before it are kept; ";
        let is_refused = |message: &str| message.contains(refused);
        assert_eq!(
            message.as_deref().map(is_refused),
            (!is_read).then_some(true),
            "{message:?}"
        );
    }
}

/// A dictionary can mean gigabytes of text in a file of about a kilobyte; here it means less.
#[test]
fn a_dictionary_that_expands_without_measure_is_refused() {
    let schema = parse_message_type("message rows { required binary text (UTF8); }");
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let schema = Arc::new(schema.expect("a schema"));
    let mut file =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    let mut column = group.next_column().expect("a column").expect("one more");
    let rows = vec![ByteArray::from(vec![b'x'; 64 << 10]); 256];
    let typed = column.typed::<ByteArrayType>();
    typed.write_batch(&rows, None, None).expect("written");
    column.close().expect("written");
    group.close().expect("a group");
    let bytes = file.into_inner().expect("a file");
    assert!(bytes.len() < 2_000, "{}", bytes.len());
    let (read, end) = all(&open(&test_file(&bytes).path).expect("opened"));
    let message = end.expect_err("refused").to_string();
    let most = FREE_BYTES + MAX_EXPANSION * bytes.len() as u64;
    assert!(message.contains("bytes expands to over"), "{message}");
    assert!(read.len() as u64 <= most, "{}", read.len());
}

/// Times as pandas writes them.
#[test]
fn nanoseconds_are_times() {
    const TIMES: &str = "message rows {
        required int64 at (TIMESTAMP(NANOS, false)); required int64 n;
        required group in { required int64 at (TIMESTAMP(NANOS, true)); required int64 n; }
        required group of (LIST) { repeated group list { required int64 element (TIMESTAMP(NANOS, false)); } }
        required group by (MAP) { repeated group key_value {
            required int64 key; required int64 value (TIMESTAMP(NANOS, false)); } }
        repeated int64 old (TIMESTAMP(NANOS, false)); }";
    let schema = Arc::new(parse_message_type(TIMES).expect("a schema"));
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    while let Some(mut column) = group.next_column().expect("a column") {
        let typed = column.typed::<Int64Type>();
        // Of a repeated column, the first value of each of two rows.
        (typed.write_batch(
            &[1_714_694_400_000_000_000, -1],
            Some(&[1, 1]),
            Some(&[0, 0]),
        ))
        .expect("written");
        column.close().expect("written");
    }
    group.close().expect("a group");
    let file = test_file(&file.into_inner().expect("a file"));
    let (bytes, end) = all(&open(&file.path).expect("opened"));
    let line = |number: &str, time: &str| {
        format!(
            "{{\"at\":\"{time}\",\"n\":{number},\"in\":{{\"at\":\"{time}\",\"n\":{number}}},\
             \"of\":[\"{time}\"],\"by\":{{\"{number}\":\"{time}\"}},\"old\":[\"{time}\"]}}\n"
        )
    };
    let lines = line("1714694400000000000", "2024-05-03 00:00:00.000000 +00:00")
        + &line("-1", "1969-12-31 23:59:59.999999 +00:00");
    assert_eq!((&*String::from_utf8_lossy(&bytes), end), (&*lines, Ok(())));
}

fn assert_rows(source: &Source, lines: &str) {
    let (bytes, end) = all(source);
    assert!(bytes == lines.as_bytes());
    assert_eq!(end, Ok(()));
}

/// Returns a file with columns of megabytes, and the expected lines.
fn large_columns(properties: WriterProperties) -> (Vec<u8>, String) {
    const LARGE: &str = "message rows {
        optional binary text (UTF8); required binary other (UTF8); required binary raw; required int32 number; }";
    let schema = Arc::new(parse_message_type(LARGE).expect("a schema"));
    let mut file =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
    let (mut lines, word) = (String::new(), "a \u{e9}".repeat(5000));
    for group in 0..3 {
        let numbers: Vec<i32> = (group * 300..(group + 1) * 300).collect();
        // In the last group all rows have a text.
        let has_text = |number: &i32| number % 7 > 0 || group == 2;
        let text = |number: i32| format!("{number}\n{word}");
        let mut writer = file.next_row_group().expect("a group");
        macro_rules! column {
            ($kind:ty, $values:expr, $levels:expr) => {{
                let mut column = writer.next_column().expect("a column").expect("one more");
                let typed = column.typed::<$kind>();
                typed.write_batch($values, $levels, None).expect("written");
                column.close().expect("written");
            }};
        }
        let texts = |of: &dyn Fn(&i32) -> bool| -> Vec<ByteArray> {
            let numbers = numbers.iter().filter(|number| of(number));
            numbers
                .map(|&number| ByteArray::from(&*text(number)))
                .collect()
        };
        let levels: Vec<i16> = numbers
            .iter()
            .map(|number| has_text(number).into())
            .collect();
        column!(ByteArrayType, &texts(&has_text), Some(&levels));
        column!(ByteArrayType, &texts(&|_| true), None);
        let raw = |number: &i32| match number % 2 {
            0 => ByteArray::from("r"),
            _ => ByteArray::from(vec![0xFF_u8; 3]),
        };
        column!(
            ByteArrayType,
            &numbers.iter().map(raw).collect::<Vec<_>>(),
            None
        );
        column!(Int32Type, &numbers, None);
        writer.close().expect("a group");
        for number in &numbers {
            let other = format!("\"{number}\\n{word}\"");
            let text = if has_text(number) { &*other } else { "null" };
            let raw = if number % 2 == 0 { "r" } else { "(3 bytes)" };
            lines += &format!(
                "{{\"text\":{text},\"other\":{other},\"raw\":\"{raw}\",\"number\":{number}}}\n"
            );
        }
    }
    (file.into_inner().expect("a file"), lines)
}

/// Lists: missing, empty, and with missing elements.
#[test]
fn lists_of_numbers() {
    let schema = parse_message_type(
        "message rows {
            optional group tokens (LIST) { repeated group list { optional int64 element; } }
            required group small (LIST) { repeated group list { required int32 element (UINT_8); } }
            repeated int64 bare (UINT_64);
            optional group texts (LIST) { repeated group list { optional binary element (UTF8); } }
        }",
    );
    let schema = Arc::new(schema.expect("a schema"));
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    macro_rules! column {
        ($kind:ty, $values:expr, $levels:expr, $goes_on:expr) => {{
            let mut column = group.next_column().expect("a column").expect("one more");
            let typed = column.typed::<$kind>();
            let levels = (Some(&$levels[..]), Some(&$goes_on[..]));
            typed
                .write_batch($values, levels.0, levels.1)
                .expect("written");
            column.close().expect("written");
        }};
    }
    let (levels, goes_on) = ([3, 2, 3, 1, 0, 2, 3], [0, 1, 1, 0, 0, 0, 0]);
    column!(Int64Type, &[i64::MIN, -1, i64::MAX], levels, goes_on);
    column!(
        Int32Type,
        &[255, 0, 7],
        [1, 1, 0, 0, 1, 0],
        [0, 1, 0, 0, 0, 0]
    );
    column!(Int64Type, &[-1, 0], [1, 0, 1, 0, 0], [0; 5]);
    let texts = ["a", "\"", ""].map(ByteArray::from);
    column!(ByteArrayType, &texts, levels, goes_on);
    group.close().expect("a group");
    let file = test_file(&file.into_inner().expect("a file"));
    let lines = r#"{"tokens":[-9223372036854775808,null,-1],"small":[255,0],"bare":[18446744073709551615],"texts":["a",null,"\""]}
{"tokens":[],"small":[],"bare":[],"texts":[]}
{"tokens":null,"small":[],"bare":[0],"texts":null}
{"tokens":[null],"small":[7],"bare":[],"texts":[null]}
{"tokens":[9223372036854775807],"small":[],"bare":[],"texts":[""]}
"#;
    assert_eq!(
        String::from_utf8(all(&open(&file.path).expect("opened")).0).expect("UTF-8"),
        lines
    );
}

/// A panic over a damaged file becomes an error, and hooks can detect it.
#[test]
fn a_panic_of_the_library_is_an_error() {
    use super::super::container::parquet::{is_panic_caught, without_panic};
    let failed = without_panic(|| {
        assert!(is_panic_caught());
        let nested = without_panic::<()>(|| panic!("a drill"));
        assert!(nested.is_err() && is_panic_caught());
        panic!("a drill")
    });
    assert!(failed.map(|(): ()| ()).is_err());
    assert!(!is_panic_caught());
}

/// Invalid UTF-8 is reported for its row only.
#[test]
fn a_text_that_is_no_utf_8_stays_as_it_is() {
    let schema = parse_message_type("message rows { required binary a (UTF8); }");
    let properties = Arc::new(WriterProperties::builder().build());
    let schema = Arc::new(schema.expect("a schema"));
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    let mut column = group.next_column().expect("a column").expect("one more");
    let texts = [&b"x"[..], b"\xFF\"", b"y"].map(|bytes| ByteArray::from(bytes.to_vec()));
    let typed = column.typed::<ByteArrayType>();
    typed.write_batch(&texts, None, None).expect("written");
    column.close().expect("written");
    group.close().expect("a group");
    let file = test_file(&file.into_inner().expect("a file"));
    let (bytes, end) = all(&open(&file.path).expect("opened"));
    assert_eq!(
        bytes,
        b"{\"a\":\"x\"}\n{\"a\":\"\xFF\\\"\"}\n{\"a\":\"y\"}\n"
    );
    assert_eq!(end, Ok(()));
}

/// For every changed byte, the thread ends with rows or an error.
#[test]
fn a_flipped_byte_is_no_end_of_the_program() {
    let (raw, _) = parquet_file(1, 2, Compression::SNAPPY);
    survives_flips(&raw);
}

/// The same for pages of each version with texts compressed by zstd.
#[test]
fn a_flipped_byte_of_a_page_of_texts() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_writer_version(version)
            .set_column_encoding("a".into(), Encoding::PLAIN)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        let schema = parse_message_type("message rows { optional binary a (UTF8); }");
        let schema = Arc::new(schema.expect("a schema"));
        let properties = Arc::new(properties.build());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).expect("a writer");
        let mut writer = file.next_row_group().expect("a group");
        let mut column = writer.next_column().expect("a column").expect("one more");
        let texts: Vec<_> = (0..200)
            .map(|row| ByteArray::from(&*row.to_string()))
            .collect();
        let typed = column.typed::<ByteArrayType>();
        let levels = Some(&[1; 200][..]);
        typed.write_batch(&texts, levels, None).expect("written");
        column.close().expect("written");
        writer.close().expect("a group");
        survives_flips(&file.into_inner().expect("a file"));
    }
}

fn survives_flips(raw: &[u8]) {
    for at in (4..raw.len() - 4).step_by(7) {
        let mut flipped = raw.to_vec();
        flipped[at] ^= 0xA5;
        let bytes = flipped.leak();
        let source = Source::open(&Input::Embedded { name: "f", bytes }).expect("opened");
        let (_, end) = all(&source);
        let said = end.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(!said.contains("stopped unexpectedly"), "byte {at}: {said}");
    }
}
