//! Datasets with a detected schema, for tests of other modules.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dataset::{Dataset, DatasetFile, Listener, LoadEvent, Loader, ScanOptions};
use crate::schema::{Definition, Schema, SchemaChoice};
use crate::source::Input;

/// Writes files into a folder under fixed names, since queries can contain them.
fn put(folder: &tempfile::TempDir, files: &[&str]) -> Vec<Input> {
    let put = |(place, text): (usize, &&str)| {
        let path = folder.path().join(format!("rows{place}.jsonl"));
        std::fs::write(&path, text).expect("written");
        Input::Path(path)
    };
    files.iter().enumerate().map(put).collect()
}

/// Loads files with these contents.
pub(crate) fn dataset(files: &[String]) -> Dataset {
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<_> = files.iter().map(String::as_str).collect();
    load(put(&folder, &files))
}

/// Loads existing files.
pub(crate) fn load(inputs: Vec<Input>) -> Dataset {
    load_as(inputs, SchemaChoice::default())
}

/// Loads one file with the schema of a schema file's text.
pub(crate) fn dataset_as(schema: &str, rows: &str) -> Dataset {
    let definition = Definition::parse(schema).expect("a schema");
    let schema = Arc::new(Schema::new(definition));
    let folder = tempfile::tempdir().expect("a folder");
    load_as(put(&folder, &[rows]), SchemaChoice::Ready(schema))
}

fn load_as(inputs: Vec<Input>, choice: SchemaChoice) -> Dataset {
    load_with(&Loader {
        inputs,
        choice,
        ..Loader::default()
    })
}

/// Loads the dataset of a loader; panics on errors.
pub(crate) fn load_with(loader: &Loader) -> Dataset {
    let mut dataset = Dataset::default();
    let loaded = loader.run(&mut |report| {
        dataset.add(&report);
        if let LoadEvent::Error(error) = report {
            panic!("{error}");
        }
        ControlFlow::Continue(())
    });
    loaded.expect("loaded");
    dataset
}

/// Loads one file with these contents, scanned with options made from its schema.
pub(crate) fn dataset_scanned(text: &str, options: impl Fn(&Schema) -> ScanOptions) -> Dataset {
    let folder = tempfile::tempdir().expect("a folder");
    let mut scanning = Scanning {
        dataset: Dataset::default(),
        options,
    };
    let loader = Loader {
        inputs: put(&folder, &[text]),
        ..Loader::default()
    };
    loader.run(&mut scanning).expect("loaded");
    scanning.dataset
}

struct Scanning<O> {
    dataset: Dataset,
    options: O,
}

impl<O: Fn(&Schema) -> ScanOptions> Listener for Scanning<O> {
    fn on_event(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.dataset.add(&report);
        ControlFlow::Continue(())
    }

    fn scan_options(&mut self, file: &DatasetFile) -> ScanOptions {
        (self.options)(&file.schema)
    }
}
