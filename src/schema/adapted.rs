//! Schemas adapted to what is done with a file: joined to another, or read with one as a dataset.

use super::definition::{RowGrouping, Turns};
use super::path::Path;
use super::reader::Schema;

impl Schema {
    /// The same schema with turns of a prompt marked so; `None` where that changes nothing, it has
    /// markers of its own, or prompts are told by what transcripts share.
    pub fn with_turns(&self, turns: Option<Turns>) -> Option<Self> {
        let mut definition = self.definition().clone();
        let has_none = definition.prompt.is_some() && definition.turns.is_none();
        definition.turns = Some(turns.filter(|_| has_none)?);
        Self::new(definition).ok()
    }

    /// The same schema where all rows that agree in these fields, or without any in their prompt,
    /// are a sample wherever they stand; `None` where rows have several responses or no prompt.
    pub fn grouped(&self, fields: &[Path]) -> Option<Self> {
        let mut definition = self.definition().clone();
        let prompt = definition.prompt.as_ref();
        let prompt = prompt.filter(|_| self.responses() == 1)?;
        definition.group = match fields {
            [] => prompt.path.clone(),
            fields => fields.to_vec(),
        };
        definition.rows = RowGrouping::Groups;
        Self::new(definition).ok()
    }
}
