//! What can be asked for, for people.

use super::ast::Aggregate;
use super::catalog::{Catalog, CatalogColumn};
use super::words::{self, TermPrefix, VIEWS, VOCABULARY, enumerated};
use crate::table::ColumnKind;

/// A field, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldHelp {
    /// How a query spells it.
    pub name: String,
    /// What kind of thing it is.
    pub kind: ColumnKind,
    /// What it can be: `0 to 4`, `a, b or tie`; empty where nothing bounds it.
    pub range: String,
    /// What it means in this dataset; can be empty.
    pub about: String,
    /// Whether each response has its own, so that a side can stand before it.
    pub is_of_responses: bool,
}

impl FieldHelp {
    /// Meaning and range in one line; empty where nothing is known.
    pub fn note(&self) -> String {
        let about = self.about.trim_end_matches('.');
        match (about.is_empty(), self.range.is_empty()) {
            (_, true) => about.to_owned(),
            (true, false) => self.range.clone(),
            (false, false) => format!("{}: {about}", self.range),
        }
    }
}

/// Part of the help on queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpSection {
    /// What it is about.
    pub title: &'static str,
    /// What can be written, and what that means.
    pub entries: Vec<(String, String)>,
}

impl Catalog {
    /// Every field: labels and scores first, then what every dataset has, then facts.
    pub fn fields(&self) -> Vec<FieldHelp> {
        let fields = self.fields_in_order();
        fields.map(|column| self.explained(column)).collect()
    }

    /// A column, explained.
    fn explained(&self, CatalogColumn { def, spelled, .. }: &CatalogColumn) -> FieldHelp {
        let range = match (def.range, self.fixed_words(def.id)) {
            (Some([low, high]), _) => format!("{low} to {high}"),
            (None, Some(fixed)) => {
                let fixed: Vec<_> = fixed.iter().map(|(word, _)| *word).collect();
                enumerated(&fixed)
            }
            (None, None) => String::new(),
        };
        FieldHelp {
            name: spelled.clone(),
            kind: def.kind,
            range,
            about: def.about.clone(),
            is_of_responses: def.id.is_of_responses(),
        }
    }

    /// Everything that a query can say, with this dataset's fields first.
    pub fn help(&self) -> Vec<HelpSection> {
        let fields = self.fields().into_iter();
        let fields = fields.map(|field| (field.name.clone(), field.note()));
        let fields = HelpSection {
            title: "Fields",
            entries: fields.collect(),
        };
        let others = VOCABULARY.help.iter().map(|section| HelpSection {
            title: &section.title,
            entries: (section.entries.iter().cloned())
                .chain(
                    section
                        .words
                        .iter()
                        .flat_map(|group| self.words_help(group)),
                )
                .collect(),
        });
        [fields].into_iter().chain(others).collect()
    }

    /// The words of a group with what they mean.
    fn words_help(&self, group: &str) -> Vec<(String, String)> {
        match TermPrefix::named(group) {
            Some(key) => (self.choices(Aggregate::Same, key).into_iter())
                .map(|choice| (format!("{group}:{}", choice.spelled), choice.about))
                .collect(),
            None if group == "views" => (VIEWS.iter())
                .map(|(view, _)| (format!("{view}."), words::about(group, view).to_owned()))
                .collect(),
            None => self.rated_help(),
        }
    }
}
