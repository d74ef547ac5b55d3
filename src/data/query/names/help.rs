//! Help on queries.

use super::catalog::{Catalog, CatalogColumn};
use crate::model::ResponseId;
use crate::query::ast::{Aggregate, ColumnId, Expr, Field};
use crate::query::words::{CHECKS, TermPrefix, VIEWS, VOCABULARY, about, enumerated};
use crate::table::ColumnKind;

/// Help on a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldHelp {
    /// Its name in a query.
    pub name: String,
    /// Its kind.
    pub kind: ColumnKind,
    /// Its values: `0 to 4`, `a, b or tie`; empty if unbounded.
    pub range: String,
    /// Its meaning in this dataset; can be empty.
    pub about: String,
    /// True if each response has its own value, so the field takes a prefix.
    pub is_of_responses: bool,
}

impl FieldHelp {
    /// Returns range and meaning in one line; empty if both are unknown.
    pub fn note(&self) -> String {
        let about = self.about.trim_end_matches('.');
        match (about.is_empty(), self.range.is_empty()) {
            (_, true) => about.to_owned(),
            (true, false) => self.range.clone(),
            (false, false) => format!("{}: {about}", self.range),
        }
    }
}

/// A section of the help on queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpSection {
    /// Its title.
    pub title: &'static str,
    /// Forms with their meanings.
    pub entries: Vec<(String, String)>,
}

/// A word after a key such as `is:`.
pub(crate) struct Choice {
    pub(crate) spelled: String,
    pub(crate) about: String,
    /// The whole term.
    pub(crate) term: Expr,
}

impl Catalog {
    /// Returns all fields: labels and scores, then built-in fields, then facts.
    pub fn fields(&self) -> Vec<FieldHelp> {
        self.offered_columns()
            .map(|column| self.field_help(column))
            .collect()
    }

    fn field_help(&self, CatalogColumn { def, spelled, .. }: &CatalogColumn) -> FieldHelp {
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

    /// Returns the help on queries, this dataset's fields first.
    pub fn help(&self) -> Vec<HelpSection> {
        let fields = self
            .fields()
            .into_iter()
            .map(|field| (field.name.clone(), field.note()));
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

    /// Returns the words of a group with their meanings.
    fn words_help(&self, group: &str) -> Vec<(String, String)> {
        match TermPrefix::named(group) {
            Some(key) => (self.choices(Aggregate::Same, key).into_iter())
                .map(|choice| (format!("{group}:{}", choice.spelled), choice.about))
                .collect(),
            None if group == "views" => (VIEWS.iter())
                .map(|(view, _)| (format!("{view}."), about(group, view).to_owned()))
                .collect(),
            None => self.rated_help(),
        }
    }

    /// Lists the words that can follow a key with this prefix; none for keys of texts.
    pub(crate) fn choices(&self, view: Aggregate, key: TermPrefix) -> Vec<Choice> {
        let choice = |spelled: &str, about: &str, term| Choice {
            spelled: spelled.to_owned(),
            about: about.to_owned(),
            term,
        };
        match key {
            TermPrefix::Best => ResponseId::first(self.responses().max(2))
                .map(|it| choice(it.word(), "is among the best responses", Expr::Best(it)))
                .collect(),
            TermPrefix::Check => (CHECKS.iter())
                .map(|(word, it)| choice(word, about("check", word), Expr::Check(*it)))
                .collect(),
            TermPrefix::Is | TermPrefix::Has | TermPrefix::Cite => {
                let flags = ColumnId::built_in().filter(|it| it.kind == ColumnKind::Flag);
                flags
                    .filter(|it| self.offers_source(*it))
                    .filter(|it| view == Aggregate::Same || it.is_of_responses())
                    .filter_map(|it| {
                        let word = it.name.strip_prefix(key.name())?.strip_prefix(':')?;
                        let of = Field { view, column: it };
                        Some(choice(word, it.about, Expr::Is(of)))
                    })
                    .collect()
            }
            TermPrefix::Disagrees => (self.disagreements().into_iter())
                .filter_map(|(word, about)| Some(choice(&word, &about, self.disagreement(&word)?)))
                .collect(),
            TermPrefix::Finding => (self.rules().rules.iter())
                .map(|it| {
                    let sentence = &it.definition.sentence;
                    choice(it.name(), sentence, Expr::Finding(it.clone()))
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}
