//! Time to read and replay a journal.

#![allow(clippy::expect_used)] // See `common`.

mod common;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput};
use visavis::{
    Act, ActId, ActRecord, Header, JOURNAL_VERSION as VERSION, JournalFile, Judgment, Ledger,
    ResponseId, SampleKey, SampleRef, Setting, Verdict,
};

const ACTS: u64 = 100_000;

fn main() {
    let mut criterion = common::criterion();
    replay(&mut criterion);
    criterion.final_summary();
}

/// Acts of three reviewers: mostly ratings (three labels per response and a verdict per sample);
/// one in ten is undone or redone.
fn acts() -> Vec<ActRecord> {
    let name = |number: u64| ActId(Arc::from(format!("5f0c2a17-{number}")));
    let mut acts = Vec::new();
    for number in 0..ACTS {
        let (sample, reviewer) = (number / 10, number / 30_000);
        let setting = Setting {
            audit: Some(name(0)),
            blind: true,
            ..Setting::default()
        };
        let rate = |rated| Act::Rate {
            rated,
            setting: setting.clone(),
        };
        let act = match number % 10 {
            0 => Act::Mark { on: true },
            1 => Act::Note {
                text: "the second one makes the same mistake, only longer".into(),
                order: None,
            },
            2 => rate(Judgment::Verdict {
                value: Some(Verdict::wins(ResponseId::B)),
                strength: Some(2),
            }),
            8 => Act::Undo {
                entry: name(number - 1),
            },
            9 if sample % 2 == 0 => Act::Redo {
                entry: name(number - 2),
            },
            kind => rate(Judgment::Label {
                label: ["helpfulness", "correctness", "coherence"][kind as usize % 3].into(),
                response: [ResponseId::A, ResponseId::B][kind as usize % 2],
                value: Some((number % 5) as f64),
            }),
        };
        // Keys look random.
        let key = u128::from(sample + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let sample: SampleKey = format!("{key:032x}").parse().expect("a key");
        let sample_ref = Some(SampleRef {
            sample,
            file: "train.jsonl.gz".into(),
            row: number / 5 + 1,
        });
        let time = "2026-11-21T09:19:05.007Z".to_owned();
        acts.push(ActRecord {
            id: name(number),
            time,
            reviewer: Arc::from(format!("reviewer {reviewer}")),
            sample_ref,
            act,
        });
    }
    acts
}

fn replay(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("train.review.jsonl");
    let header = Header {
        journal: VERSION,
        visavis: "0.1.0".to_owned(),
        time: String::new(),
        files: Vec::new(),
        schema: String::new(),
        first: None,
    };
    JournalFile::new(path.clone())
        .add(&header, &acts())
        .expect("added");
    let mut group = criterion.benchmark_group("journal");
    group.throughput(Throughput::Elements(ACTS));
    group.bench_function("read/100k", |bencher| {
        bencher.iter(|| {
            JournalFile::new(black_box(path.clone()))
                .read()
                .expect("read")
                .entries
                .len()
        });
    });
    group.bench_function("replay/100k", |bencher| {
        bencher.iter(|| {
            let opened = JournalFile::new(black_box(path.clone()))
                .read()
                .expect("read");
            let mut ledger = Ledger::default();
            opened.entries.iter().for_each(|entry| ledger.apply(entry));
            ledger.remarks().count()
        });
    });
    group.finish();
}
