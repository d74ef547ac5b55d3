//! Which fields there are to ask for.

use std::collections::BTreeSet;

use super::ast::{Aggregate, Category, Expr, NumberName, Pattern, Query, TextTarget, TextTerm};
use super::words::{self, KEYS, KEYWORDS, VIEWS, nearest};
use crate::schema::Schema;
use crate::table::{BuiltIn, ColumnDef, ColumnKind, ColumnSource, Level};

/// The fields of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The most responses that a sample can have.
    responses: usize,
    labels: Vec<CatalogColumn>,
    facts: Vec<CatalogColumn>,
}

/// A column of the schemas that can be asked for.
#[derive(Debug, Clone)]
pub struct CatalogColumn {
    /// What it is, over all schemas.
    pub def: ColumnDef,
    /// How a query spells it; `label.` or `fact.` goes before it only where the plain word means
    /// something else.
    pub spelled: String,
    ident: String,
}

/// What a name in a query stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Number(NumberName),
    Category(Category),
    /// The tags that reviewers gave a sample.
    Tags,
}

impl Meaning {
    /// What a column that every dataset has is asked for as.
    pub(super) fn of(column: BuiltIn) -> Self {
        match column.def().source {
            ColumnSource::File => Self::Category(Category::File),
            ColumnSource::Verdict => Self::Category(Category::Verdict),
            ColumnSource::Review => Self::Tags,
            _ => Self::Number(NumberName::BuiltIn(column)),
        }
    }
}

/// How a query spells the field of tags.
pub(super) const TAG: &str = "tag";

/// Another way to say [`LENGTH_OF_RESPONSE`].
const LENGTH: &str = "len";
const LENGTH_OF_RESPONSE: &str = "len.response";

/// What a label or a fact cannot be called without `label.` or `fact.` before it, besides fields
/// and views.
const TAKEN: [&str; 5] = [LENGTH, "label", "fact", "random", "sort"];

impl NumberName {
    /// Where its values stand.
    pub fn level(&self) -> Level {
        match self {
            Self::Label(_) => Level::Response,
            Self::BuiltIn(column) => column.def().level,
        }
    }

    /// Whether each response has its own.
    pub fn is_of_responses(&self) -> bool {
        self.level() == Level::Response
    }
}

impl Category {
    /// The column that every dataset has; `None` for a fact.
    pub fn built_in(&self) -> Option<BuiltIn> {
        BuiltIn::all().find(|column| Meaning::of(*column) == Meaning::Category(self.clone()))
    }
}

impl Catalog {
    /// The field that a word of a query is so near to that it may have been meant; such words are
    /// searched for in the texts.
    pub fn meant_field(&self, query: &Query) -> Option<&str> {
        let word = |term: &Expr| match term {
            Expr::Text(TextTerm {
                part: TextTarget::Anywhere,
                pattern: Pattern::Phrase(word),
            }) => Some(word.clone()),
            _ => None,
        };
        query
            .conjuncts()
            .iter()
            .filter_map(word)
            .find_map(|word| nearest(&word, self.names()))
    }

    /// The fields of a dataset whose files have these schemas.
    pub fn of<'s>(schemas: impl IntoIterator<Item = &'s Schema>) -> Self {
        let mut catalog = Self::default();
        for schema in schemas {
            catalog.responses = catalog.responses.max(schema.most_responses());
            for def in schema.column_defs() {
                catalog.add(def);
            }
        }
        catalog.spell();
        catalog
    }

    /// The most responses that a sample of the dataset can have.
    pub fn responses(&self) -> usize {
        self.responses
    }

    /// Labels and scores, in the order of the schemas.
    pub fn labels(&self) -> &[CatalogColumn] {
        &self.labels
    }

    /// Facts, in the order of the schemas.
    pub fn facts(&self) -> &[CatalogColumn] {
        &self.facts
    }

    /// Adds a column of a schema, to the one of this name where there is one.
    fn add(&mut self, def: ColumnDef) {
        let columns = match def.kind.is_number() {
            true => &mut self.labels,
            false => &mut self.facts,
        };
        let Some(known) = columns.iter_mut().find(|known| known.def.name == def.name) else {
            return columns.push(CatalogColumn {
                def,
                spelled: String::new(),
                ident: String::new(),
            });
        };
        let known = &mut known.def;
        let both = known.range.zip(def.range);
        known.range = both.map(|(a, b)| [a[0].min(b[0]), a[1].max(b[1])]);
        if def.kind == ColumnKind::Score {
            known.kind = ColumnKind::Score;
        }
        if known.about.is_empty() {
            known.about = def.about;
        }
    }

    fn spell(&mut self) {
        let labels = idents(self.labels.iter().map(|label| &*label.def.name));
        let facts = idents(self.facts.iter().map(|fact| &*fact.def.name));
        for (label, ident) in self.labels.iter_mut().zip(labels) {
            label.spelled = if is_taken(&ident) {
                format!("label.{ident}")
            } else {
                ident.clone()
            };
            label.ident = ident;
        }
        for (fact, ident) in self.facts.iter_mut().zip(facts) {
            // A label comes first: numbers are what most queries are about.
            let is_label = self.labels.iter().any(|label| label.spelled == ident);
            fact.spelled = if is_label || is_taken(&ident) {
                format!("fact.{ident}")
            } else {
                ident.clone()
            };
            fact.ident = ident;
        }
    }

    /// What a name without a view stands for.
    pub(super) fn find(&self, spelled: &str) -> Option<Meaning> {
        if spelled == LENGTH {
            return self.find(LENGTH_OF_RESPONSE);
        }
        if let Some(column) = BuiltIn::named(spelled) {
            return Some(Meaning::of(column));
        }
        let as_label = spelled.strip_prefix("label.");
        let label = self
            .labels
            .iter()
            .find(|label| label.spelled == spelled || as_label == Some(&label.ident));
        if let Some(label) = label {
            return Some(Meaning::Number(NumberName::Label(
                label.def.name.to_string(),
            )));
        }
        let as_fact = spelled.strip_prefix("fact.");
        let fact = self
            .facts
            .iter()
            .find(|fact| fact.spelled == spelled || as_fact == Some(&fact.ident))?;
        Some(Meaning::Category(Category::Fact(fact.def.name.to_string())))
    }

    /// Whether this is the whole name of a field, with a view or without one.
    pub(super) fn names_field(&self, word: &str) -> bool {
        let (view, name) = split_view(word);
        match self.find(name) {
            Some(Meaning::Number(name)) => view == Aggregate::Same || name.is_of_responses(),
            Some(Meaning::Category(_) | Meaning::Tags) => view == Aggregate::Same,
            None => false,
        }
    }

    /// How a query spells a number, its view aside.
    pub(super) fn spell_number(&self, name: &NumberName) -> String {
        let name = match name {
            NumberName::Label(name) => name,
            NumberName::BuiltIn(column) => return column.def().name.to_string(),
        };
        let label = self.labels.iter().find(|label| label.def.name == **name);
        label.map_or_else(
            || format!("label.{}", ident(name)),
            |label| label.spelled.clone(),
        )
    }

    /// How a query spells a word's field.
    pub(super) fn spell_category(&self, category: &Category) -> String {
        if let Category::Fact(name) = category {
            let fact = self.facts.iter().find(|fact| fact.def.name == **name);
            return fact.map_or_else(
                || format!("fact.{}", ident(name)),
                |fact| fact.spelled.clone(),
            );
        }
        category
            .built_in()
            .map_or_else(String::new, |column| column.def().name.to_string())
    }

    /// Every field's name, labels first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let built_in = BuiltIn::all().map(|column| &*column.def().name);
        let labels = self.labels.iter().map(|label| label.spelled.as_str());
        let facts = self.facts.iter().map(|fact| fact.spelled.as_str());
        labels.chain(built_in).chain(facts)
    }
}

/// The view that a name begins with, and the rest of it.
pub(super) fn split_view(name: &str) -> (Aggregate, &str) {
    let split = name
        .split_once('.')
        .and_then(|(view, rest)| Some((words::aggregate(view)?, rest)));
    split.unwrap_or((Aggregate::Same, name))
}

fn is_taken(ident: &str) -> bool {
    TAKEN.contains(&ident)
        || KEYWORDS.contains(&ident)
        || VIEWS.iter().any(|view| view.spelled == ident)
        || KEYS.iter().any(|key| key.spelled == ident)
        || BuiltIn::named(ident).is_some()
}

/// A name as one word of letters, digits and `_`.
fn ident(name: &str) -> String {
    let mut ident: String = name
        .chars()
        .map(|sign| if is_name_sign(sign) { sign } else { '_' })
        .collect();
    if ident.is_empty() || ident.starts_with(|first: char| first.is_ascii_digit()) {
        ident.insert(0, '_');
    }
    ident
}

pub(super) const fn is_name_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// A word for each name, no two alike: who is called so already keeps it, later ones have a number
/// behind.
fn idents<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
    let mut used: BTreeSet<String> = names
        .clone()
        .filter(|name| ident(name) == **name)
        .map(str::to_owned)
        .collect();
    let mut unused = |name: &str| {
        let plain = ident(name);
        if plain == name || used.insert(plain.clone()) {
            return plain;
        }
        let numbered = (2..).map(|number: usize| format!("{plain}_{number}"));
        numbered
            .into_iter()
            .find(|ident| used.insert(ident.clone()))
            .unwrap_or(plain)
    };
    names.map(&mut unused).collect()
}
