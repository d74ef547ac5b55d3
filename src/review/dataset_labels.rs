//! What a dataset says itself of a sample, from its columns.

use crate::dataset::{Chunk, Dataset};
use crate::model::{Side, Verdict};
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
    pub fn label(&self, name: &str, side: Side) -> Option<f64> {
        self.value(
            self.schema
                .labels()
                .iter()
                .position(|label| label.name == name)?,
            side,
        )
    }

    /// Who wins, where the dataset says so.
    pub fn verdict(&self) -> Option<Verdict> {
        if let Some(signs) = self.chunk.columns().stated_verdicts() {
            return signs.get(self.within).map(Verdict::of_margin);
        }
        let deciding = self.schema.deciding_label()?;
        Some(Verdict::of_margin(
            self.value(deciding, Side::A)? - self.value(deciding, Side::B)?,
        ))
    }

    fn value(&self, label: usize, side: Side) -> Option<f64> {
        self.chunk.columns().label(label)?[side.index()].get(self.within)
    }
}
