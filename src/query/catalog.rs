//! Which fields there are to ask for.

use std::collections::BTreeSet;

use super::ast::{Aggregate, Category, Expr, NumberName, Pattern, Query, TextTarget, TextTerm};
use super::words::{self, KEYS, KEYWORDS, VIEWS, nearest};
use crate::schema::{LabelKind, Schema};

/// The fields of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    labels: Vec<CatalogLabel>,
    facts: Vec<CatalogFact>,
}

/// A label or score that can be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogLabel {
    /// Its name in the schema, as in [`NumberName::Label`].
    pub name: String,
    /// How a query spells it; `label.` goes before it only where the plain word means something
    /// else.
    pub spelled: String,
    /// Whether values are whole numbers.
    pub kind: LabelKind,
    /// Least and greatest value, both included, over all schemas; `None` where one sets no bounds.
    pub range: Option<[f64; 2]>,
    /// What it means in this dataset; can be empty.
    pub about: String,
    ident: String,
}

/// A fact that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CatalogFact {
    pub(super) name: String,
    pub(super) spelled: String,
    pub(super) about: String,
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

/// A field that every dataset has.
pub(super) struct BuiltIn {
    pub(super) spelled: &'static str,
    pub(super) known: Meaning,
    pub(super) about: &'static str,
}

const fn number(spelled: &'static str, name: NumberName, about: &'static str) -> BuiltIn {
    BuiltIn {
        spelled,
        known: Meaning::Number(name),
        about,
    }
}

const fn category(spelled: &'static str, category: Category, about: &'static str) -> BuiltIn {
    BuiltIn {
        spelled,
        known: Meaning::Category(category),
        about,
    }
}

pub(super) static BUILT_IN: [BuiltIn; 11] = [
    number(
        "len.response",
        NumberName::ResponseLength,
        "characters of the response",
    ),
    number(
        "len.prompt",
        NumberName::PromptLength,
        "characters of the whole prompt",
    ),
    number("turns", NumberName::Turns, "turns of the prompt"),
    number(
        "quotes",
        NumberName::Quotes,
        "how many quotes the response has",
    ),
    number("row", NumberName::Row, "row number in its file, from 1"),
    number("line", NumberName::Line, "line number in its file, from 1"),
    number("sample", NumberName::Sample, "number of the sample, from 1"),
    number(
        "margin",
        NumberName::Margin,
        "by how much A wins (negative: B), where the dataset says so",
    ),
    category("verdict", Category::Verdict, "who wins"),
    category("file", Category::File, "the file's name, as opened"),
    BuiltIn {
        spelled: TAG,
        known: Meaning::Tags,
        about: "the tags that reviewers gave the sample",
    },
];

/// How a query spells the field of tags.
pub(super) const TAG: &str = "tag";

/// Another way to say `len.response`.
const LENGTH: &str = "len";

/// What a label or a fact cannot be called without `label.` or `fact.` before it, besides fields
/// and views.
const TAKEN: [&str; 5] = [LENGTH, "label", "fact", "random", "sort"];

impl NumberName {
    /// Whether each response has its own.
    pub const fn is_of_responses(&self) -> bool {
        matches!(
            self,
            Self::Label(_) | Self::ResponseLength | Self::Quotes | Self::Row | Self::Line
        )
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
            for label in schema.labels() {
                catalog.add_label(CatalogLabel {
                    name: label.name.clone(),
                    spelled: String::new(),
                    kind: label.kind,
                    range: label.range,
                    about: label.about.clone(),
                    ident: String::new(),
                });
            }
            for fact in &schema.definition().facts {
                catalog.add_fact(&fact.name, &fact.about);
            }
        }
        catalog.spell();
        catalog
    }

    /// Labels and scores, in the order of the schemas.
    pub fn labels(&self) -> &[CatalogLabel] {
        &self.labels
    }

    /// Names of all facts, as the schemas give them.
    pub fn fact_names(&self) -> impl Iterator<Item = &str> {
        self.facts.iter().map(|fact| fact.name.as_str())
    }

    pub(super) fn facts(&self) -> &[CatalogFact] {
        &self.facts
    }

    fn add_label(&mut self, label: CatalogLabel) {
        match self
            .labels
            .iter_mut()
            .find(|known| known.name == label.name)
        {
            None => self.labels.push(label),
            Some(known) => {
                let both = known.range.zip(label.range);
                known.range = both.map(|(a, b)| [a[0].min(b[0]), a[1].max(b[1])]);
                if label.kind == LabelKind::Score {
                    known.kind = LabelKind::Score;
                }
                if known.about.is_empty() {
                    known.about = label.about;
                }
            }
        }
    }

    fn add_fact(&mut self, name: &str, about: &str) {
        match self.facts.iter_mut().find(|known| known.name == name) {
            None => self.facts.push(CatalogFact {
                name: name.to_owned(),
                spelled: String::new(),
                about: about.to_owned(),
                ident: String::new(),
            }),
            Some(known) if known.about.is_empty() => known.about = about.to_owned(),
            Some(_) => {}
        }
    }

    fn spell(&mut self) {
        let labels = idents(self.labels.iter().map(|label| label.name.as_str()));
        let facts = idents(self.facts.iter().map(|fact| fact.name.as_str()));
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
            return Some(Meaning::Number(NumberName::ResponseLength));
        }
        if let Some(built_in) = BUILT_IN.iter().find(|built_in| built_in.spelled == spelled) {
            return Some(built_in.known.clone());
        }
        let as_label = spelled.strip_prefix("label.");
        let label = self
            .labels
            .iter()
            .find(|label| label.spelled == spelled || as_label == Some(&label.ident));
        if let Some(label) = label {
            return Some(Meaning::Number(NumberName::Label(label.name.clone())));
        }
        let as_fact = spelled.strip_prefix("fact.");
        let fact = self
            .facts
            .iter()
            .find(|fact| fact.spelled == spelled || as_fact == Some(&fact.ident))?;
        Some(Meaning::Category(Category::Fact(fact.name.clone())))
    }

    /// Whether this is the whole name of a field, with a view or without one.
    pub(super) fn names_field(&self, word: &str) -> bool {
        let (view, name) = split_view(word);
        match self.find(name) {
            Some(Meaning::Number(name)) => view == Aggregate::One || name.is_of_responses(),
            Some(Meaning::Category(_) | Meaning::Tags) => view == Aggregate::One,
            None => false,
        }
    }

    /// How a query spells a number, its view aside.
    pub(super) fn spell_number(&self, name: &NumberName) -> String {
        if let NumberName::Label(name) = name {
            let label = self.labels.iter().find(|label| label.name == *name);
            return label.map_or_else(
                || format!("label.{}", ident(name)),
                |label| label.spelled.clone(),
            );
        }
        let is_it = |built_in: &&BuiltIn| matches!(&built_in.known, Meaning::Number(known) if known == name);
        BUILT_IN
            .iter()
            .find(is_it)
            .map_or_else(String::new, |built_in| built_in.spelled.to_owned())
    }

    /// How a query spells a word's field.
    pub(super) fn spell_category(&self, category: &Category) -> String {
        if let Category::Fact(name) = category {
            let fact = self.facts.iter().find(|fact| fact.name == *name);
            return fact.map_or_else(
                || format!("fact.{}", ident(name)),
                |fact| fact.spelled.clone(),
            );
        }
        let is_it = |built_in: &&BuiltIn| matches!(&built_in.known, Meaning::Category(known) if known == category);
        BUILT_IN
            .iter()
            .find(is_it)
            .map_or_else(String::new, |built_in| built_in.spelled.to_owned())
    }

    /// Every field's name, labels first.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter().map(|label| label.spelled.as_str());
        let facts = self.facts.iter().map(|fact| fact.spelled.as_str());
        labels
            .chain(BUILT_IN.iter().map(|built_in| built_in.spelled))
            .chain(facts)
    }
}

/// The view that a name begins with, and the rest of it.
pub(super) fn split_view(name: &str) -> (Aggregate, &str) {
    let split = name
        .split_once('.')
        .and_then(|(view, rest)| Some((words::meaning(VIEWS, view)?, rest)));
    split.unwrap_or((Aggregate::One, name))
}

fn is_taken(ident: &str) -> bool {
    TAKEN.contains(&ident)
        || KEYWORDS.contains(&ident)
        || VIEWS.iter().any(|view| view.spelled == ident)
        || KEYS.iter().any(|key| key.spelled == ident)
        || BUILT_IN.iter().any(|built_in| built_in.spelled == ident)
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
