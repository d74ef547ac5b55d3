//! Time of a search with and without the index, and the cost of the index.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use common::corpus::{Corpus, HELPSTEER2_ROWS};
use criterion::{BenchmarkId, Criterion};
use visavis::{Dataset, Index, Needle, SearchRequest, SearchScope, search};

fn main() {
    let mut criterion = common::criterion();
    searches(&mut criterion);
    criterion.final_summary();
}

/// Returns the number of hits, and the milliseconds until the first batch.
fn find(needle: &Needle, dataset: &Dataset, index: Option<&Index>) -> (usize, f64) {
    let asked = SearchRequest {
        needle,
        scope: SearchScope::Everything,
        among: None,
    };
    let (start, mut hits, mut first) = (Instant::now(), 0, None);
    let index = index.map(|index| index as _);
    let answered = search(&asked, dataset, index, &|| true, &mut |found, _| {
        first.get_or_insert_with(|| start.elapsed().as_secs_f64() * 1e3);
        hits += found.len();
        ControlFlow::Continue(())
    });
    assert!(answered.is_continue());
    (hits, first.unwrap_or_default())
}

fn built(dataset: &Dataset) -> Index {
    let mut index = Index::default();
    assert!(index.extend(dataset, usize::MAX, &|| true, &mut |_| {}));
    index
}

/// Decodes everything with serde on one thread: the reference for building the index.
fn decoded(rows: &[u8]) -> usize {
    let lines = rows
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| {
            serde_json::from_slice::<serde_json::Value>(line)
                .expect("JSON")
                .as_object()
                .map_or(0, serde_json::Map::len)
        })
        .sum()
}

fn searches(criterion: &mut Criterion) {
    let rows = Corpus::new(1).helpsteer2(HELPSTEER2_ROWS);
    let file = common::file(&rows);
    let dataset = common::load(&common::loader(&file));
    let mut group = criterion.benchmark_group("search");
    group.sample_size(20);
    group.bench_function("serde", |bencher| {
        bencher.iter(|| decoded(black_box(&rows)));
    });
    group.bench_function("build", |bencher| {
        bencher.iter(|| built(black_box(&dataset)).samples());
    });
    let index = built(&dataset);
    println!(
        "index: {} of {} bytes, {:.1} %",
        index.bytes(),
        rows.len(),
        index.bytes() as f64 / rows.len() as f64 * 100.0
    );
    for (name, text) in [
        ("3 letters", "gra"),
        ("6 letters", "gravid"),
        ("12 letters", "gravidosenta"),
        ("2 words", "gravi tosen"),
        ("2 exact words", "'ga 'te"),
        ("rare word", "'zuzuzozu"),
        ("no match", "qqqxyzzy"),
        ("phrase", "\"ga te\""),
        ("regex", r"/\w+ga\s+te\w+/"),
    ] {
        let needle = Needle::parse(text).expect("a needle");
        for (way, index) in [("index", Some(&index)), ("read", None)] {
            let (hits, first) = find(&needle, &dataset, index);
            println!("{name} {way}: {hits} hits, the first piece after {first:.2} ms");
            group.bench_function(BenchmarkId::new(name, way), |bencher| {
                bencher.iter(|| find(black_box(&needle), &dataset, index).0);
            });
        }
    }
    group.finish();
}
