//! Who wins a sample, as the dataset says itself.

use super::{Chunk, Dataset};
use crate::model::Verdict;
use crate::schema::Schema;

impl Dataset {
    /// Who wins a sample, from its columns: no row is read. `None` where nothing says it, or there is no
    /// sample with that number.
    pub fn verdict(&self, sample: usize) -> Option<Verdict> {
        let (chunk, within) = self.chunk_of(sample)?;
        let schema = &self.files().get(chunk.file())?.schema;
        chunk.verdict(within, schema)
    }
}

impl Chunk {
    /// Who wins the sample at a place of it: as its rows state it, or by the label that decides in their
    /// schema.
    pub fn verdict(&self, within: usize, schema: &Schema) -> Option<Verdict> {
        let columns = self.columns();
        if let Some(stated) = columns.stated_verdicts() {
            return Verdict::of_code(stated.get(within)?);
        }
        let deciding = schema.deciding_label()?;
        let responses = usize::from(*columns.responses.get(within)?);
        let lists = columns.label(deciding.place)?.iter().take(responses);
        let values = lists.map(|list| {
            let value = list.get(within);
            value.map_or(f64::NAN, |value| value * deciding.sign)
        });
        let (verdict, _) = Verdict::of_values(&values.collect::<Vec<_>>())?;
        Some(verdict)
    }
}
