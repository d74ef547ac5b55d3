//! The columns that a schema describes.

use super::definition::LabelKind;
use super::reader::Schema;
use crate::table::{Aggregate, ColumnDef, ColumnKind, ColumnSource, Level, Reveals};

impl Schema {
    /// Labels, scores and facts, described.
    pub fn column_defs(&self) -> impl Iterator<Item = ColumnDef> {
        let labels = self.definition().labels.iter().map(|label| ColumnDef {
            name: label.name.clone().into(),
            level: Level::Response,
            kind: match label.kind {
                LabelKind::Label => ColumnKind::Label,
                LabelKind::Score => ColumnKind::Score,
            },
            range: label.range,
            about: label.about.clone().into(),
            reveals: Reveals::Label,
            in_sort_menu: &[Aggregate::Same, Aggregate::Gap],
            source: ColumnSource::Label,
        });
        // A fact can be the name of the model that wrote A.
        let facts = self.definition().facts.iter().map(|fact| ColumnDef {
            name: fact.name.clone().into(),
            level: Level::Sample,
            kind: ColumnKind::Word,
            range: None,
            about: fact.about.clone().into(),
            reveals: Reveals::Label,
            in_sort_menu: &[Aggregate::Same],
            source: ColumnSource::Fact,
        });
        labels.chain(facts)
    }
}
