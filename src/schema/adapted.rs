//! Schemas adapted to what is done with a file: joined to another, or read with one as a dataset.

use super::definition::{RowGrouping, Turns};
use super::path::Path;
use super::reader::Schema;

impl Schema {
    /// The same schema with turns of a prompt marked so; `None` where that changes nothing, or
    /// prompts are told by what transcripts share.
    pub fn with_turns(&self, turns: Option<Turns>) -> Option<Self> {
        let mut definition = self.definition().clone();
        definition.turns = Some(turns.filter(|_| definition.prompt.is_some())?);
        Self::new(definition).ok()
    }

    /// The same schema where all rows that agree in these fields, or without any in their prompt,
    /// are a sample wherever they stand; `None` where rows are samples themselves.
    pub fn grouped(&self, fields: &[Path]) -> Option<Self> {
        let mut definition = self.definition().clone();
        let prompt = definition.prompt.as_ref().filter(|_| self.joins_rows())?;
        definition.group = match fields {
            [] => prompt.path.clone(),
            fields => fields.to_vec(),
        };
        definition.rows = RowGrouping::Groups;
        Self::new(definition).ok()
    }
}
