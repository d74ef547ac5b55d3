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
        let mut labels = self.schema.labels().iter();
        let label = labels.position(|label| label.name == name)?;
        let lists = self.chunk.columns().label(label)?;
        lists.get(response.index())?.get(self.within)
    }

    /// Who wins, where the dataset says so.
    pub fn verdict(&self) -> Option<Verdict> {
        let columns = self.chunk.columns();
        if let Some(stated) = columns.stated_verdicts() {
            return Verdict::of_code(stated.get(self.within)?);
        }
        let deciding = self.schema.deciding_label()?;
        let lists = columns.label(deciding.place)?;
        let mut values = [f64::NAN; ResponseId::MOST];
        for (value, list) in values.iter_mut().zip(lists) {
            *value = list.get(self.within).unwrap_or(f64::NAN) * deciding.sign;
        }
        let responses = usize::from(*columns.responses.get(self.within)?);
        Some(Verdict::of_values(values.get(..responses)?)?.0)
    }
}
