//! Files whose schema is told by what stands in them, for the tests of other floors.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dataset::{Dataset, LoadEvent, Loader};
use crate::schema::{Definition, Schema, SchemaChoice};
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
    load_as(inputs, SchemaChoice::default())
}

/// A dataset of one file whose rows are as a schema file's text says.
pub(crate) fn dataset_as(schema: &str, rows: &str) -> Dataset {
    let definition = Definition::parse(schema).expect("a schema");
    let schema = Arc::new(Schema::new(definition).expect("paths that fit"));
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), rows).expect("written");
    load_as(
        vec![Input::Path(file.path().to_owned())],
        SchemaChoice::Ready(schema),
    )
}

fn load_as(inputs: Vec<Input>, choice: SchemaChoice) -> Dataset {
    let mut dataset = Dataset::default();
    let loader = Loader {
        inputs,
        choice,
        ..Loader::default()
    };
    let loaded = loader.run(&mut |report| {
        match report {
            LoadEvent::File(file) => dataset.add_file(file),
            LoadEvent::Chunk(chunk) => dataset.add_chunk(chunk),
            LoadEvent::Joined(file) => dataset.add_joined(file),
            LoadEvent::Trouble(error) => panic!("{error}"),
            LoadEvent::Done => {}
        }
        ControlFlow::Continue(())
    });
    loaded.expect("loaded");
    dataset
}
