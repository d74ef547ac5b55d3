//! What a dataset says itself of a sample, from its columns.

use crate::dataset::{Chunk, Dataset};
use crate::model::{ResponseId, Verdict};
use crate::schema::Schema;

/// The labels and the verdict that the dataset has for one sample, from its columns: no row is
/// read.
#[derive(Debug, Clone, Copy)]
pub struct DatasetLabels<'d> {
    chunk: &'d Chunk,
    within: usize,
    schema: &'d Schema,
}

impl<'d> DatasetLabels<'d> {
    /// Of a sample; `None` when there is none with that number.
    pub fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        let (chunk, within) = dataset.chunk_of(sample)?;
        Some(Self {
            chunk,
            within,
            schema: &dataset.files().get(chunk.file())?.schema,
        })
    }

    /// The value of a label for a response.
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

    /// Who wins, where the dataset says so.
    pub fn verdict(&self) -> Option<Verdict> {
        self.chunk.verdict(self.within, self.schema)
    }
}
