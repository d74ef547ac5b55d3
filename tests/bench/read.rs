//! How long it takes to read a sample that a person steps to, and to go over all lines of a file by
//! its schema.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;

use common::corpus::Corpus;
use criterion::{Criterion, Throughput};
use visavis::{Buffers, SampleBody, SchemaChoice};

fn main() {
    let mut criterion = common::criterion();
    for (name, bytes) in [
        ("helpsteer2", Corpus::new(2).helpsteer2(2000)),
        ("webgpt-flat", Corpus::new(3).webgpt_flat(500)),
    ] {
        sample(&mut criterion, name, &bytes);
        rows(&mut criterion, name, &bytes);
    }
    criterion.final_summary();
}

/// Each sample in its turn, with buffers that were never used.
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

/// All lines, each captured by the schema and not decoded.
fn rows(criterion: &mut Criterion, name: &str, bytes: &[u8]) {
    let schema = SchemaChoice::named(name)
        .expect("built in")
        .schema(&[])
        .expect("a built-in schema");
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
