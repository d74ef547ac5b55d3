//! Time to read the next sample, to scan all lines of a file with its schema, and to load a file
//! that is compressed or has quotes.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;

use common::corpus::Corpus;
use criterion::{Criterion, Throughput};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use visavis::{Buffers, SampleBody, Schema, built_in};

fn main() {
    let mut criterion = common::criterion();
    for (name, bytes) in [
        ("helpsteer2", Corpus::new(2).helpsteer2(2000)),
        ("webgpt-flat", Corpus::new(3).webgpt_flat(500)),
    ] {
        sample(&mut criterion, name, &bytes);
        rows(&mut criterion, name, &bytes);
    }
    loads(&mut criterion);
    criterion.final_summary();
}

/// Loads of compressed files, and of one with quotes. The throughput is that of the decoded text.
fn loads(criterion: &mut Criterion) {
    let text = Corpus::new(2).helpsteer2(2000);
    let quotes = Corpus::new(3).webgpt_flat(500);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).expect("memory");
    let mut group = criterion.benchmark_group("read/load");
    for (name, text, stored) in [
        ("webgpt-flat", &quotes, quotes.clone()),
        ("gzip", &text, gzip.finish().expect("memory")),
        ("zstd", &text, zstd::encode_all(&*text, 3).expect("memory")),
        ("parquet", &text, parquet_file(&text)),
    ] {
        let file = common::file(&stored);
        let loader = common::loader(&file);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(black_box(common::load(&loader)).malformed(), 0));
        });
    }
    group.finish();
}

/// Returns the rows of HelpSteer2 as a Parquet file.
fn parquet_file(lines: &[u8]) -> Vec<u8> {
    let labels = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ];
    let declared: String = (labels.iter())
        .map(|label| format!("required int32 {label};"))
        .collect();
    let texts = "required binary prompt (UTF8); required binary response (UTF8);";
    let schema = parse_message_type(&format!("message rows {{ {texts} {declared} }}"));
    let schema = Arc::new(schema.expect("a schema"));
    let rows: Vec<serde_json::Value> = (lines.split(|&byte| byte == b'\n'))
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).expect("a writer");
    let mut group = file.next_row_group().expect("a group");
    for name in ["prompt", "response"] {
        let text = |row: &serde_json::Value| ByteArray::from(row[name].as_str().expect("a text"));
        let texts: Vec<_> = rows.iter().map(text).collect();
        let mut column = group.next_column().expect("a column").expect("one more");
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&texts, None, None).expect("memory");
        column.close().expect("memory");
    }
    for name in labels {
        let number = |row: &serde_json::Value| row[name].as_i64().expect("a number") as i32;
        let numbers: Vec<_> = rows.iter().map(number).collect();
        let mut column = group.next_column().expect("a column").expect("one more");
        let typed = column.typed::<Int32Type>();
        typed.write_batch(&numbers, None, None).expect("memory");
        column.close().expect("memory");
    }
    group.close().expect("memory");
    file.into_inner().expect("a file")
}

/// Reads samples in sequence, with new buffers.
fn sample(criterion: &mut Criterion, name: &str, bytes: &[u8]) {
    let file = common::file(bytes);
    let dataset = common::load(&common::loader(&file));
    assert_eq!(dataset.malformed(), 0);
    let mut next = 0;
    criterion.bench_function(&format!("read/sample/{name}"), |bencher| {
        bencher.iter(|| {
            let mut buffers = Buffers::default();
            let reading = dataset.read(next, &mut buffers).expect("a sample");
            assert!(matches!(black_box(reading).body, SampleBody::Sample(_)));
            next = (next + 1) % dataset.samples();
        });
    });
}

/// Captures all lines with the schema without decoding them.
fn rows(criterion: &mut Criterion, name: &str, bytes: &[u8]) {
    let mut definitions = built_in().into_iter();
    let definition = definitions.find(|definition| definition.name == name);
    let schema = Schema::new(definition.expect("built in"));
    let mut group = criterion.benchmark_group("read/rows");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for line in bytes
                .split(|&byte| byte == b'\n')
                .filter(|line| !line.is_empty())
            {
                black_box(schema.row(line).expect("a good row"));
            }
        });
    });
    group.finish();
}
