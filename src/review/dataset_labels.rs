//! The dataset's own labels of a sample.

use crate::dataset::{Chunk, Dataset};
use crate::model::{ResponseId, Verdict};
use crate::schema::Schema;

/// The dataset's labels and verdict for one sample, from its columns; no rows are read.
#[derive(Debug, Clone, Copy)]
pub struct DatasetLabels<'d> {
    chunk: &'d Chunk,
    within: usize,
    schema: &'d Schema,
}

impl<'d> DatasetLabels<'d> {
    /// Returns the labels of a sample; `None` if there is no such sample.
    pub fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        let (chunk, within) = dataset.chunk_of(sample)?;
        Some(Self {
            chunk,
            within,
            schema: &dataset.files().get(chunk.file())?.schema,
        })
    }

    /// Returns the value of a label for a response.
    pub fn label(&self, name: &str, response: ResponseId) -> Option<f64> {
        let labels = self
            .schema
            .columns()
            .iter()
            .take(self.schema.labels().len());
        let label = labels.map(|label| label.id).find(|id| id.name == name)?;
        let lists = self.chunk.columns().numbers(label)?;
        lists.get(response.index())?.get(self.within)
    }

    /// Returns the dataset's verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.chunk.verdict(self.within, self.schema)
    }
}
