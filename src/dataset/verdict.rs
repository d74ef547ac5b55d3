//! The best responses of a sample according to the dataset.

use super::{Chunk, Dataset};
use crate::model::{ResponseSet, Verdict};
use crate::schema::Schema;
use crate::table::ColumnId;

impl Dataset {
    /// Returns the verdict on a sample from its columns, without reading rows. `None` if there is
    /// no verdict or no such sample.
    pub fn verdict(&self, sample: usize) -> Option<Verdict> {
        let (chunk, within) = self.chunk_of(sample)?;
        let schema = &self.files().get(chunk.file())?.schema;
        chunk.verdict(within, schema)
    }
}

impl Chunk {
    /// Returns the verdict on a sample, by index in the chunk: as stated, or by the deciding label.
    pub fn verdict(&self, within: usize, schema: &Schema) -> Option<Verdict> {
        if let Some(stated) = self.columns().of_samples(ColumnId::VERDICT) {
            return Verdict::of_code(stated.get(within)?);
        }
        let decided = self.with_deciding_values(within, schema, Verdict::of_values);
        Some(decided??.0)
    }

    /// Returns the rated responses of a sample, by index in the chunk: those with a value of the
    /// deciding label, or all if there is no such label.
    pub fn rated(&self, within: usize, schema: &Schema) -> ResponseSet {
        let rated = self.with_deciding_values(within, schema, ResponseSet::rated);
        rated.unwrap_or_else(|| ResponseSet::first(self.responses_of(within)))
    }

    /// Passes the deciding label's value for each response of a sample: higher is better, NaN is
    /// unrated. `None` if no label decides. Allocates only for many responses, since it runs for
    /// each sample.
    fn with_deciding_values<T>(
        &self,
        within: usize,
        schema: &Schema,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<T> {
        let deciding = schema.deciding_label()?;
        let columns = self.columns();
        let count = self.responses_of(within);
        let (mut few, mut many) = ([f64::NAN; 32], Vec::new());
        let values = match few.get_mut(..count) {
            Some(values) => values,
            None => {
                many.resize(count, f64::NAN);
                &mut many
            }
        };
        let label = schema.columns().get(deciding.place)?.id;
        for (value, list) in values.iter_mut().zip(columns.numbers(label)?) {
            *value = list
                .get(within)
                .map_or(f64::NAN, |value| value * deciding.sign);
        }
        Some(take(values))
    }
}
