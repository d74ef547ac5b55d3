//! Time to compare all samples with each other, and to evaluate all rules of findings.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;
use std::ops::ControlFlow;

use common::corpus::{Corpus, HELPSTEER2_ROWS};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use visavis::{
    Catalog, Dataset, QueryContext, ReviewIndex, RuleSet, ScanCache, find_samples as find,
    parse_query as parse,
};

fn main() {
    let mut criterion = common::criterion();
    comparisons(&mut criterion);
    criterion.final_summary();
}

/// Returns the number of samples that match a query.
fn count(text: &str, dataset: &Dataset) -> usize {
    let catalog = Catalog::of_dataset(dataset).with_rules(&RuleSet::default().definitions());
    let query = parse(text, &catalog).expect("a query");
    let known = QueryContext {
        is_blind: false,
        memory: &ScanCache::default(),
        remarks: &ReviewIndex::default(),
        rules: catalog.rules(),
    };
    let (mut all, samples) = (0, 0..dataset.samples());
    let answered = find(
        &query,
        dataset,
        samples,
        known,
        &|| true,
        &mut |found, _| {
            all += found.samples.len();
            ControlFlow::Continue(())
        },
    );
    assert!(answered.is_continue());
    all
}

fn comparisons(criterion: &mut Criterion) {
    let rows = common::file(&Corpus::new(1).helpsteer2(HELPSTEER2_ROWS));
    let loader = common::loader(&rows);
    for (group, queries) in [
        (
            "overlap",
            &[
                ("prompts", "overlap!=none"),
                ("responses", "is:contradicted or is:relabelled"),
            ][..],
        ),
        ("findings", &[("all", "findings>=1")]),
    ] {
        let mut group = criterion.benchmark_group(group);
        group.sample_size(10);
        group.throughput(Throughput::Elements(HELPSTEER2_ROWS as u64));
        for (name, query) in queries {
            group.bench_function(BenchmarkId::new(*name, "20k"), |bencher| {
                // Results are cached in a dataset, so a new one is used each time.
                bencher.iter_batched_ref(
                    || common::load(&loader),
                    |dataset| count(black_box(query), dataset),
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
}
