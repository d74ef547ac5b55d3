//! Time of queries: over columns alone, over texts, and with sorting.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::fmt::Write;
use std::hint::black_box;
use std::ops::ControlFlow;

use common::corpus::{Corpus, HELPSTEER2_ROWS};
use criterion::{BenchmarkId, Criterion, Throughput};
use visavis::{
    Catalog, Dataset, FindingRules, Query, QueryContext, QueryResult, ReviewIndex, SampleRemark,
    ScanCache, find_samples as find, parse_query as parse, sort_samples as sort,
};

const MILLION: usize = 1_000_000;

fn main() {
    let mut criterion = common::criterion();
    queries(&mut criterion);
    criterion.final_summary();
}

/// Rows with hardly any text: columns are as large as in real files.
fn short_rows(rows: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut label = || {
        // Constants of Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 5
    };
    let mut out = String::with_capacity(rows * 128);
    for row in 0..rows {
        write!(
            out,
            r#"{{"prompt": "p{}", "response": "r{row}", "helpfulness": {}, "#,
            row / 2,
            label()
        )
        .expect("memory");
        let (b, c, d, e) = (label(), label(), label(), label());
        writeln!(
            out,
            r#""correctness": {b}, "coherence": {c}, "complexity": {d}, "verbosity": {e}}}"#
        )
        .expect("memory");
    }
    out.into_bytes()
}

fn read(text: &str, dataset: &Dataset) -> Query {
    let schemas = dataset.files().iter().map(|file| &*file.schema);
    parse(text, &Catalog::of(schemas)).expect("a query")
}

fn answer(query: &Query, dataset: &Dataset) -> QueryResult {
    answer_with(query, dataset, &ReviewIndex::default())
}

fn answer_with(query: &Query, dataset: &Dataset, remarks: &ReviewIndex) -> QueryResult {
    let mut all = QueryResult::default();
    // No result is cached between iterations.
    let known = QueryContext {
        is_blind: false,
        memory: &ScanCache::default(),
        remarks,
        rules: &FindingRules::default(),
    };
    let samples = 0..dataset.samples();
    let answered = find(query, dataset, samples, known, &|| true, &mut |found, _| {
        all.extend(&found);
        ControlFlow::Continue(())
    });
    assert!(answered.is_continue());
    all
}

/// Reviews by busy reviewers: every fifth sample has one.
fn said(samples: usize) -> ReviewIndex {
    let mut remarks = ReviewIndex::default();
    for sample in (0..samples as u32).step_by(5) {
        let tags = vec![
            "wrong label".into(),
            if sample % 3 == 0 { "rude" } else { "fine" }.into(),
        ];
        let notes = vec![format!("Number {sample} is rated too high for the way it ends.").into()];
        remarks.set(
            sample,
            SampleRemark {
                marked: sample % 2 == 0,
                rated: true,
                tags,
                notes,
                ..SampleRemark::default()
            },
        );
    }
    remarks
}

fn queries(criterion: &mut Criterion) {
    let real = common::file(&Corpus::new(1).helpsteer2(HELPSTEER2_ROWS));
    let million = common::file(&short_rows(MILLION));
    let real = common::load(&common::loader(&real));
    let million = common::load(&common::loader(&million));
    let mut group = criterion.benchmark_group("query");
    group.sample_size(20);
    for (name, text) in [
        ("labels", "helpfulness>=3 verbosity<=1"),
        ("sides", "gap.helpfulness>=2 a.verbosity<=1"),
        (
            "arithmetic",
            "(a.helpfulness + b.helpfulness) / 2 >= mean.correctness",
        ),
    ] {
        for (size, dataset) in [("20k", &real), ("1M", &million)] {
            let query = read(text, dataset);
            group.throughput(Throughput::Elements(dataset.rows() as u64));
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter(|| answer(black_box(&query), dataset).samples.len());
            });
        }
    }
    for (name, text) in [
        ("word", "nowherezzq"),
        ("phrase", "\"the way of\""),
        ("phrase nowhere", "\"perenniale\""),
        ("regex", r"/\w+ing\s+\w+ed/"),
        ("digits", "/[0-9]{4}/"),
        ("alternation", "/(error|warning|panic)/"),
    ] {
        let query = read(text, &real);
        group.throughput(Throughput::Elements(real.rows() as u64));
        group.bench_function(BenchmarkId::new(name, "20k"), |bencher| {
            bencher.iter(|| answer(black_box(&query), &real).samples.len());
        });
    }
    let remarks = said(million.samples());
    for (name, text) in [
        ("tag", "tag:rude -is:marked"),
        ("note", "note:\"the way of\""),
    ] {
        let query = read(text, &million);
        group.throughput(Throughput::Elements(million.rows() as u64));
        group.bench_function(BenchmarkId::new(name, "1M"), |bencher| {
            bencher.iter(|| {
                answer_with(black_box(&query), &million, &remarks)
                    .samples
                    .len()
            });
        });
    }
    for (size, dataset) in [("20k", &real), ("1M", &million)] {
        let query = read("sort:-gap.helpfulness sort:-len.response", dataset);
        let found = answer(&query, dataset);
        group.bench_function(BenchmarkId::new("sort", size), |bencher| {
            bencher.iter_batched_ref(
                || found.clone(),
                |found| {
                    sort(
                        black_box(&query),
                        dataset,
                        &ReviewIndex::default(),
                        found,
                        &|| true,
                    )
                },
                criterion::BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}
