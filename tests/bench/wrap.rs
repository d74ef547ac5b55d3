//! How long a text takes on its way to the screen: made safe, read as Markdown, wrapped; at the
//! usual size and at 1 MB.

mod common;

use std::hint::black_box;

use common::corpus::{Corpus, Script};
use criterion::{BenchmarkId, Criterion, Throughput};
use visavis::{Hidden, StyledText, TextGlyphs, sanitise, wrap};

/// Columns of a response on a wide terminal.
const WIDTH: u16 = 80;

fn main() {
    let mut criterion = common::criterion();
    for (size, bytes) in [("10kB", 10_000), ("1MB", 1_000_000)] {
        for (name, script) in [("ascii", Script::Ascii), ("mixed", Script::Mixed)] {
            let raw = Corpus::new(4).text(bytes, script);
            text(&mut criterion, &format!("{name}-{size}"), &raw);
        }
    }
    criterion.final_summary();
}

fn text(criterion: &mut Criterion, name: &str, raw: &str) {
    let clean = sanitise(raw, Hidden::Discreet);
    let plain = StyledText::plain(clean.clone());
    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Bytes(raw.len() as u64));
    group.bench_function(BenchmarkId::new("sanitise", name), |bencher| {
        bencher.iter(|| sanitise(black_box(raw), Hidden::Discreet));
    });
    group.bench_function(BenchmarkId::new("markdown", name), |bencher| {
        bencher.iter(|| StyledText::markdown(black_box(&clean), WIDTH, TextGlyphs::UNICODE));
    });
    group.bench_function(BenchmarkId::new("wrap", name), |bencher| {
        bencher.iter(|| wrap(black_box(&plain), WIDTH));
    });
    group.finish();
}
