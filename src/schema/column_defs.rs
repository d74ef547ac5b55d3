//! The columns that a schema describes.

use super::definition::{BlindDisplay, Definition, LabelKind};
use crate::table::{Column, ColumnId, ColumnKind, ColumnSource, Reveals};

impl Definition {
    /// Labels and scores, then facts.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
        let labels = self.labels.iter().map(|label| Column {
            id: ColumnId::of(ColumnSource::Label, &label.name),
            kind: match label.kind {
                LabelKind::Label => ColumnKind::Label,
                LabelKind::Score => ColumnKind::Score,
            },
            range: label.range,
            about: label.about.clone(),
            reveals: Reveals::Label,
        });
        let facts = self.facts.iter().map(|fact| Column {
            id: ColumnId::of(ColumnSource::Fact, &fact.name),
            kind: ColumnKind::Word,
            range: None,
            about: fact.about.clone(),
            reveals: match fact.blind {
                BlindDisplay::Hide => Reveals::Label,
                BlindDisplay::Show => Reveals::Nothing,
            },
        });
        labels.chain(facts)
    }
}
