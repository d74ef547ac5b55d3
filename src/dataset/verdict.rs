//! Which responses of a sample are best, as the dataset says itself.

use super::{Chunk, Dataset};
use crate::model::{ResponseSet, Verdict};
use crate::schema::Schema;
use crate::table::ColumnId;

impl Dataset {
    /// The verdict on a sample, from columns: no row is read. `None` if the dataset has none, or there
    /// is no sample with that number.
    pub fn verdict(&self, sample: usize) -> Option<Verdict> {
        let (chunk, within) = self.chunk_of(sample)?;
        let schema = &self.files().get(chunk.file())?.schema;
        chunk.verdict(within, schema)
    }
}

impl Chunk {
    /// The verdict on the sample at a place: as its rows state it, or by the label that decides in
    /// their schema.
    pub fn verdict(&self, within: usize, schema: &Schema) -> Option<Verdict> {
        if let Some(stated) = self.columns().of_samples(ColumnId::VERDICT) {
            return Verdict::of_code(stated.get(within)?);
        }
        let decided = self.with_deciding_values(within, schema, Verdict::of_values);
        Some(decided??.0)
    }

    /// The rated responses of the sample at a place: those with a value of the label that decides, or
    /// all of them if no label does.
    pub fn rated(&self, within: usize, schema: &Schema) -> ResponseSet {
        let responses = self.columns().responses.get(within).copied();
        let rated = self.with_deciding_values(within, schema, ResponseSet::rated);
        rated.unwrap_or_else(|| ResponseSet::first(responses.map_or(0, usize::from)))
    }

    /// Passes on the value of the label that decides for each response of a sample: higher is better
    /// and NaN is unrated. `None` if no label decides. Runs for each sample, so it allocates nothing
    /// unless there are many responses.
    fn with_deciding_values<T>(
        &self,
        within: usize,
        schema: &Schema,
        take: impl FnOnce(&[f64]) -> T,
    ) -> Option<T> {
        let deciding = schema.deciding_label()?;
        let columns = self.columns();
        let count = usize::from(*columns.responses.get(within)?);
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
