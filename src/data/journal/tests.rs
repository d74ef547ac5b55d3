//! Helpers for the tests of the journal.

mod crash;
mod disk;
mod files;
mod ledger;
mod lines;
mod random;

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::dataset::{Fingerprint, SampleKey};
use crate::model::{ResponseId, ResponseOrder, SpotCheckVerdict, Verdict};

/// Returns a made-up key.
fn key(number: u64) -> SampleKey {
    format!("{number:032x}").parse().expect("a key")
}

fn sample_ref(sample: u64) -> SampleRef {
    SampleRef {
        sample: key(sample),
        file: "train.jsonl.gz".into(),
        row: sample * 2 + 1,
    }
}

fn id(name: &str) -> ActId {
    ActId(name.into())
}

fn header() -> Header {
    Header {
        journal: VERSION,
        visavis: "0.1.0".to_owned(),
        time: "2026-11-21T09:19:05.007Z".to_owned(),
        files: vec!["train.jsonl.gz".to_owned()],
        schema: "helpsteer2".to_owned(),
        first: Some(key(0)),
    }
}

fn entry(name: &str, reviewer: &str, sample: u64, act: Act) -> ActRecord {
    let time = "2026-11-21T09:19:05.007Z".to_owned();
    ActRecord {
        id: id(name),
        time,
        reviewer: reviewer.into(),
        sample_ref: Some(sample_ref(sample)),
        act,
    }
}

/// Returns an act without a sample.
fn bare(name: &str, reviewer: &str, act: Act) -> ActRecord {
    ActRecord {
        sample_ref: None,
        ..entry(name, reviewer, 0, act)
    }
}

fn undo(name: &str, reviewer: &str, of: &str) -> ActRecord {
    bare(name, reviewer, Act::Undo { entry: id(of) })
}

fn redo(name: &str, reviewer: &str, of: &str) -> ActRecord {
    bare(name, reviewer, Act::Redo { entry: id(of) })
}

fn mark(name: &str, reviewer: &str, sample: u64, on: bool) -> ActRecord {
    entry(name, reviewer, sample, Act::Mark { on })
}

fn tag(name: &str, reviewer: &str, sample: u64, tag: &str, on: bool) -> ActRecord {
    entry(
        name,
        reviewer,
        sample,
        Act::Tag {
            tag: tag.into(),
            on,
        },
    )
}

fn note(name: &str, reviewer: &str, sample: u64, text: &str) -> ActRecord {
    note_of_order(name, reviewer, sample, text, Some(ResponseOrder::OF_FILE))
}

fn note_of_order(
    name: &str,
    reviewer: &str,
    sample: u64,
    text: &str,
    order: Option<ResponseOrder>,
) -> ActRecord {
    let text = text.into();
    entry(name, reviewer, sample, Act::Note { text, order })
}

/// Returns orders with which a note may be written.
fn note_orders() -> [Option<ResponseOrder>; 4] {
    let file = ResponseOrder::OF_FILE;
    [
        None,
        Some(file),
        Some(file.reversed(2)),
        Some(file.reversed(3)),
    ]
}

fn check(
    name: &str,
    reviewer: &str,
    sample: u64,
    verdict: Option<SpotCheckVerdict>,
    drawn: CheckDraw,
) -> ActRecord {
    entry(name, reviewer, sample, Act::Check { verdict, drawn })
}

/// Returns a rank in a queue of 200 suspicious samples.
fn suspicion(rank: u64) -> CheckDraw {
    CheckDraw::Suspicion {
        rank,
        of: 200,
        filter: "findings>0".into(),
    }
}

/// Returns a rank in a shuffled queue of 9,000 samples.
fn random(seed: u64, rank: u64) -> CheckDraw {
    CheckDraw::Random {
        seed,
        rank,
        of: 9_000,
        filter: "".into(),
    }
}

fn label(
    name: &str,
    reviewer: &str,
    setting: &Setting,
    label: &str,
    response: ResponseId,
    value: Option<f64>,
) -> ActRecord {
    let rated = Judgment::Label {
        label: label.into(),
        response,
        value,
    };
    entry(
        name,
        reviewer,
        1,
        Act::Rate {
            rated,
            setting: setting.clone(),
        },
    )
}

fn verdict(
    name: &str,
    reviewer: &str,
    setting: &Setting,
    value: Option<Verdict>,
    strength: Option<u8>,
) -> ActRecord {
    entry(
        name,
        reviewer,
        1,
        Act::Rate {
            rated: Judgment::Verdict { value, strength },
            setting: setting.clone(),
        },
    )
}

fn audit() -> Arc<AuditPlan> {
    Arc::new(AuditPlan {
        between: None,
        n: 2,
        seed: u64::MAX,
        by: Some(StratifyBy {
            field: "helpfulness".to_owned(),
            even: true,
        }),
        repeat: 0.1,
        blind: true,
        reveal: Reveal::Never,
        filter: "gap.helpfulness>=2".to_owned(),
        of: 10_162,
        data: Some(Fingerprint {
            rows: 20_324,
            samples: 10_162,
            hash: "0123456789abcdef0123456789abcdef".to_owned(),
        }),
        strata: vec![Stratum {
            value: "4".to_owned(),
            of: 214,
            drawn: 2,
        }],
        queue: vec![
            AuditItem {
                sample_ref: sample_ref(6),
                pass: 1,
                order: crate::model::ResponseOrder::OF_FILE,
            },
            AuditItem {
                sample_ref: sample_ref(9),
                pass: 1,
                order: crate::model::ResponseOrder::OF_FILE.reversed(2),
            },
            AuditItem {
                sample_ref: sample_ref(6),
                pass: 2,
                order: crate::model::ResponseOrder::OF_FILE.reversed(2),
            },
        ],
    })
}

/// Returns a path for a journal in a temporary folder, which is deleted when dropped.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("train.review.jsonl");
    (folder, path)
}

/// Returns a journal that does not sync to disk.
fn quick(path: &std::path::Path) -> JournalFile {
    let mut file = JournalFile::new(path.to_owned());
    file.sync = |_: &File| Ok(());
    file
}

fn text(path: &std::path::Path) -> String {
    fs::read_to_string(path).expect("a text")
}

fn names(entries: &[ActRecord]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.id.0).collect()
}
