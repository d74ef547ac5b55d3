//! Shared code of the benches: generated data, a dataset loaded from it, and measuring times.
//!
//! The texts use invented words, so that no row of a real dataset is needed; their lengths, turns,
//! pairs, escapes and token lists follow HelpSteer2 and WebGPT. The same seed gives the same bytes
//! on every machine.

#![allow(dead_code)] // Every bench is a separate program and uses a part.
#![allow(clippy::expect_used)] // A bench without data cannot run.

pub(crate) mod corpus;

use std::io::Write;
use std::ops::ControlFlow;
use std::time::Duration;

use criterion::Criterion;
use tempfile::NamedTempFile;
use visavis::{Dataset, Input, LoadEvent, Loader};

/// Measures for two seconds each: all benches together take two or three minutes.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args()
}

/// Creates a file with these bytes, deleted when dropped.
pub(crate) fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    file
}

/// Returns a loader of one file.
pub(crate) fn loader(file: &NamedTempFile) -> Loader {
    Loader {
        inputs: vec![Input::Path(file.path().to_owned())],
        ..Loader::default()
    }
}

/// Loads all samples.
pub(crate) fn load(loader: &Loader) -> Dataset {
    let mut dataset = Dataset::default();
    let mut listener = |report| {
        dataset.add(&report);
        if let LoadEvent::Error(error) = report {
            panic!("{error}");
        }
        ControlFlow::Continue(())
    };
    loader.run(&mut listener).expect("a file that loads");
    dataset
}
