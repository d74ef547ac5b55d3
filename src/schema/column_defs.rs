//! The columns that a schema describes.

use super::definition::LabelKind;
use super::reader::Schema;
use crate::table::{Aggregate, ColumnDef, ColumnKind, ColumnName, ColumnSource, Requirement};

impl Schema {
    /// Labels, scores and facts, described.
    pub fn column_defs(&self) -> impl Iterator<Item = (ColumnName, ColumnDef)> {
        let labels = self.definition().labels.iter().map(|label| {
            let name = ColumnName::Label(label.name.clone());
            let def = ColumnDef {
                name: label.name.clone().into(),
                level: name.level(),
                kind: match label.kind {
                    LabelKind::Label => ColumnKind::Label,
                    LabelKind::Score => ColumnKind::Score,
                },
                range: label.range,
                about: label.about.clone().into(),
                reveals: name.reveals(),
                in_sort_menu: &[Aggregate::Same, Aggregate::Gap],
                requires: Requirement::Nothing,
                source: ColumnSource::Label,
            };
            (name, def)
        });
        let facts = self.definition().facts.iter().map(|fact| {
            let name = ColumnName::Fact(fact.name.clone());
            let def = ColumnDef {
                name: fact.name.clone().into(),
                level: name.level(),
                kind: ColumnKind::Word,
                range: None,
                about: fact.about.clone().into(),
                reveals: name.reveals(),
                in_sort_menu: &[Aggregate::Same],
                requires: Requirement::Nothing,
                source: ColumnSource::Fact,
            };
            (name, def)
        });
        labels.chain(facts)
    }
}
