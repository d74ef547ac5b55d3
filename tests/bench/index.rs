//! Time from a file to all its samples: splitting lines, comparing prompts, making pairs; compared
//! with counting newlines.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;
use std::io::Write;

use common::corpus::{Corpus, HELPSTEER2_ROWS};
use criterion::{BenchmarkId, Criterion, Throughput};
use flate2::Compression;
use flate2::write::GzEncoder;

fn main() {
    let mut criterion = common::criterion();
    index(&mut criterion);
    criterion.final_summary();
}

fn index(criterion: &mut Criterion) {
    let bytes = Corpus::new(1).helpsteer2(HELPSTEER2_ROWS);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).expect("memory");
    let (plain, gz) = (
        common::file(&bytes),
        common::file(&encoder.finish().expect("memory")),
    );

    let mut group = criterion.benchmark_group("index");
    // Always of the decoded bytes, so that the three can be compared.
    group
        .throughput(Throughput::Bytes(bytes.len() as u64))
        .sample_size(10);
    group.bench_function("newlines", |bencher| {
        bencher.iter(|| memchr::memchr_iter(b'\n', black_box(&bytes)).count());
    });
    for (name, file) in [("plain", &plain), ("gzip", &gz)] {
        let loader = common::loader(file);
        assert_eq!(common::load(&loader).rows(), HELPSTEER2_ROWS);
        group.bench_function(BenchmarkId::new("load", name), |bencher| {
            bencher.iter(|| common::load(&loader));
        });
    }
    group.finish();
}
