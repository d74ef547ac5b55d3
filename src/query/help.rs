//! What can be asked for, for people.

use super::catalog::{Catalog, CatalogColumn};
use super::words::{self, CHECKS, CITINGS, FEATURES, Keyword, VIEWS, enumerated};
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
        let fields = self
            .fields()
            .into_iter()
            .map(|field| (field.name.clone(), field.note()))
            .collect();
        let views = VIEWS
            .iter()
            .map(|view| (format!("{}.", view.spelled), view.about.to_owned()))
            .collect();
        vec![
            HelpSection {
                title: "Fields",
                entries: fields,
            },
            HelpSection {
                title: "Comparisons",
                entries: owned(COMPARISONS),
            },
            HelpSection {
                title: "Before a field of a response",
                entries: views,
            },
            HelpSection {
                title: "Texts",
                entries: owned(TEXTS),
            },
            HelpSection {
                title: "Kinds",
                entries: [
                    keyed("is", &words::flags(self.has_joined_files())),
                    keyed("has", FEATURES),
                    keyed("cite", CITINGS),
                ]
                .concat(),
            },
            HelpSection {
                title: "What reviewers said",
                entries: [owned(SAID), keyed("check", CHECKS), self.rated_help()].concat(),
            },
            HelpSection {
                title: "Together",
                entries: owned(TOGETHER),
            },
            HelpSection {
                title: "Order",
                entries: owned(SORTS),
            },
        ]
    }
}

fn owned(entries: &[(&str, &str)]) -> Vec<(String, String)> {
    entries
        .iter()
        .map(|(form, meaning)| ((*form).to_owned(), (*meaning).to_owned()))
        .collect()
}

fn keyed<T>(key: &str, table: &[Keyword<T>]) -> Vec<(String, String)> {
    table
        .iter()
        .map(|word| (format!("{key}:{}", word.spelled), word.about.to_owned()))
        .collect()
}

const COMPARISONS: &[(&str, &str)] = &[
    (
        "x>=3",
        "also = != < <= >, with numbers, fields, + - * / and abs() on either side",
    ),
    (
        "x:2..4",
        "from 2 to 4, both included; 2.. and ..4 have one end",
    ),
    ("x in (0, 4)", "one of these"),
    (
        "x=none",
        "has no value; != none: has one. No comparison holds where a value is missing",
    ),
    (
        "word=eli5",
        "is this word; != it is another, : it is within, in (a, b) it is one of these",
    ),
];

const TEXTS: &[(&str, &str)] = &[
    (
        "word",
        "anywhere in the sample; letters match in both cases unless one is upper-case",
    ),
    (
        "\"some words\"",
        "exactly these; \\\" is a quote, \\\\ a backslash, \\n a new line, \\t a tab",
    ),
    ("/reg.x/", "a regular expression; \\/ is a slash"),
    (
        "prompt:x",
        "in the prompt; likewise response:x, quote:x, title:x, with a side as in a.response:x",
    ),
    (
        "rationale:x",
        "in what was written about the responses: rationales, critiques, feedback",
    ),
];

const SAID: &[(&str, &str)] = &[
    (
        "tag=x",
        "has this tag; : has one with x within it, in (x, y) has one of these",
    ),
    (
        "tag!=x",
        "has tags, and not this one; =none has none, !=none has some",
    ),
    (
        "note:x",
        "in a note; likewise note:\"some words\" and note:/reg.x/",
    ),
];

const TOGETHER: &[(&str, &str)] = &[
    (
        "x y",
        "both, of one and the same response; and says the same",
    ),
    ("x or y", "at least one of them"),
    ("-x", "not x; not says the same"),
    ("(x or y) z", "parentheses group"),
];

const SORTS: &[(&str, &str)] = &[
    (
        "sort:x",
        "by this field, the smallest first; several sort ties of those before",
    ),
    ("sort:-x", "the greatest first"),
    (
        "sort:x",
        "without a side: of the response that the filter finds; of both, of the one nearer to the front",
    ),
    ("sort:(a.x - b.x)", "by arithmetic, in parentheses"),
    (
        "sort:random(7)",
        "shuffled, always alike for the same number",
    ),
];
