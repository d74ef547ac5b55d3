//! Time to sanitise a text, parse it as Markdown and wrap it; at the usual size and at 1 MB. Also
//! the time to compare two texts of 100 kB, which is limited to half a second.

mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::corpus::{Corpus, Script};
use criterion::{BenchmarkId, Criterion, Throughput};
use visavis::{ComparedText, Hidden, StyledText, TextGlyphs, sanitise, word_diff, wrap};

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
    for (name, bytes) in [("5kB", 5_000), ("100kB", 100_000)] {
        diffs(&mut criterion, name, bytes);
    }
    criterion.final_summary();
}

/// Compares texts that are equal, that differ in every twentieth word and in the position of their
/// first half, and that only share common words of the language.
fn diffs(criterion: &mut Criterion, size: &str, bytes: usize) {
    let one = Corpus::new(5).text(bytes, Script::Ascii);
    let changed: Vec<_> = one.split(' ').enumerate().collect();
    let changed = changed
        .into_iter()
        .map(|(at, word)| if at % 20 == 19 { "otherwise" } else { word });
    let changed = changed.collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = changed.lines().collect();
    let (first, last) = lines.split_at(lines.len() / 2);
    let similar = format!("{}\n\n{}", last.join("\n"), first.join("\n"));
    let unrelated = Corpus::new(6).text(bytes, Script::Ascii);
    let compared = |raw: &str| {
        let mut text = ComparedText::default();
        let clean = sanitise(raw, Hidden::Discreet);
        text.push(&StyledText::markdown(clean, TextGlyphs::UNICODE));
        text
    };
    let a = compared(&one);
    let mut group = criterion.benchmark_group("diff");
    for (name, other) in [
        ("identical", &one),
        ("changed", &changed),
        ("moved", &similar),
        ("unrelated", &unrelated),
    ] {
        let b = compared(other);
        let diff = || {
            let until = Instant::now() + Duration::from_millis(500);
            word_diff([&a, &b], until)
        };
        let found = diff();
        let (rough, overlap) = (found.is_rough, found.overlap().unwrap_or_default());
        let [words, others] = [0, 1].map(|side: usize| found.sides[side].words);
        println!(
            "{name} {size}: {words} and {others} words, {overlap:.3} in common, rough: {rough}"
        );
        group.bench_function(BenchmarkId::new(name, size), |bencher| bencher.iter(diff));
    }
    group.finish();
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
        bencher.iter(|| StyledText::markdown(black_box(clean.clone()), TextGlyphs::UNICODE));
    });
    group.bench_function(BenchmarkId::new("wrap", name), |bencher| {
        bencher.iter(|| wrap(black_box(&plain), WIDTH));
    });
    group.finish();
}
