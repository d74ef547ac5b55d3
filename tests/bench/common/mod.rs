//! What the benches share: data that is made up on the spot, a dataset loaded from it, and how long
//! to measure.
//!
//! The texts are of invented words, so that no row of a real dataset is needed; their lengths,
//! turns, pairs, escapes and token lists follow what is known of HelpSteer2 and WebGPT. The same
//! seed makes the same bytes on every machine.

#![allow(dead_code)] // Every bench is a program of its own and uses a part.
#![allow(clippy::expect_used)] // A bench that cannot have its data has nothing to measure.

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

/// A file with these bytes, gone when it is dropped.
pub(crate) fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    file
}

/// A loader of one file.
pub(crate) fn loader(file: &NamedTempFile) -> Loader {
    Loader {
        inputs: vec![Input::Path(file.path().to_owned())],
        ..Loader::default()
    }
}

/// Everything that a loader finds.
pub(crate) fn load(loader: &Loader) -> Dataset {
    let mut dataset = Dataset::default();
    let mut listener = |report| {
        dataset.add(&report);
        if let LoadEvent::Trouble(error) = report {
            panic!("{error}");
        }
        ControlFlow::Continue(())
    };
    loader.run(&mut listener).expect("a file that loads");
    dataset
}
