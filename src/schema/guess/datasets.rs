//! Names of datasets that a guess reads as well as a schema would.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::toml_file;

/// The datasets of `assets/datasets.toml`.
static DATASETS: LazyLock<Vec<NamedDataset>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Datasets {
        dataset: Vec<NamedDataset>,
    }
    toml_file::parse::<Datasets>(include_str!("../../../assets/datasets.toml"))
        .map(|it| it.dataset)
        .unwrap_or_default()
});

/// A dataset that is recognised by its fields.
#[derive(Debug, Deserialize)]
pub struct NamedDataset {
    /// Its name, which files of filters and scripts know.
    pub name: String,
    /// The name to show.
    pub title: String,
    /// Fields that each of its records has, as JSON Pointers without the first slash.
    fields: Vec<String>,
}

/// Returns the dataset of a record.
pub fn of_record(record: &Value) -> Option<&'static NamedDataset> {
    let has = |field: &String| record.pointer(&format!("/{field}")).is_some();
    DATASETS
        .iter()
        .filter(|it| it.fields.iter().all(has))
        .max_by_key(|it| it.fields.len())
}

/// Returns the dataset of this name.
pub fn named(name: &str) -> Option<&'static NamedDataset> {
    DATASETS.iter().find(|it| it.name == name)
}
