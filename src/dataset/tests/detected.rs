//! Files whose schema is told by what stands in them, for the tests of other floors.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dataset::{
    Dataset, DatasetFile, Listener, LoadEvent, Loader, RowPredicate, ScanOptions,
};
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
    load_with(&Loader {
        inputs,
        choice,
        ..Loader::default()
    })
}

/// The dataset that a loader loads without trouble.
pub(crate) fn load_with(loader: &Loader) -> Dataset {
    let mut dataset = Dataset::default();
    let loaded = loader.run(&mut |report| {
        dataset.add(&report);
        if let LoadEvent::Trouble(error) = report {
            panic!("{error}");
        }
        ControlFlow::Continue(())
    });
    loaded.expect("loaded");
    dataset
}

/// A dataset of one file with these contents whose rows are asked a predicate while they are scanned.
pub(crate) fn dataset_asked(text: &str, predicate: Arc<dyn RowPredicate>) -> Dataset {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("written");
    let mut asking = Asking {
        dataset: Dataset::default(),
        predicate,
    };
    let loader = Loader {
        inputs: vec![Input::Path(file.path().to_owned())],
        ..Loader::default()
    };
    loader.run(&mut asking).expect("loaded");
    asking.dataset
}

struct Asking {
    dataset: Dataset,
    predicate: Arc<dyn RowPredicate>,
}

impl Listener for Asking {
    fn tell(&mut self, report: LoadEvent) -> ControlFlow<()> {
        self.dataset.add(&report);
        ControlFlow::Continue(())
    }

    fn scan_options(&mut self, _: &DatasetFile) -> ScanOptions {
        ScanOptions {
            predicate: Some(Arc::clone(&self.predicate)),
            ..ScanOptions::default()
        }
    }
}
