//! Files whose schema is told by what stands in them, for the tests of other floors.

use std::ops::ControlFlow;

use crate::dataset::{Dataset, Loader, Report};
use crate::source::Input;

/// A dataset of files with these contents.
pub(crate) fn dataset(files: &[String]) -> Dataset {
    let kept: Vec<_> = files
        .iter()
        .map(|text| {
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), text).expect("written");
            file
        })
        .collect();
    load(
        kept.iter()
            .map(|file| Input::Path(file.path().to_owned()))
            .collect(),
    )
}

/// A dataset of files that are there.
pub(crate) fn load(inputs: Vec<Input>) -> Dataset {
    let mut dataset = Dataset::default();
    let loader = Loader {
        inputs,
        ..Loader::default()
    };
    let loaded = loader.run(&mut |report| {
        match report {
            Report::File(file) => dataset.add_file(file),
            Report::Chunk(chunk) => dataset.add_chunk(chunk),
            Report::Trouble(error) => panic!("{error}"),
            Report::Done => {}
        }
        ControlFlow::Continue(())
    });
    loaded.expect("loaded");
    dataset
}
