//! What can be typed next.

use std::ops::Range;

use super::ast::{Category, Field};
use super::catalog::Catalog;

/// A field whose values are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// A number.
    Number(Field),
    /// A word.
    Category(Category),
}

/// What can stand at a place of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the query that a completion takes the place of.
    pub span: Range<usize>,
    /// What can stand there, the likeliest first.
    pub items: Vec<Completion>,
}

/// One thing that can stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What to write there.
    pub text: String,
    /// What it means, or how often it is in the dataset; can be empty.
    pub note: String,
}

/// What can stand at the byte `cursor` of a query. `values` gives the values of a field with their counts.
pub fn complete(
    text: &str,
    cursor: usize,
    catalog: &Catalog,
    values: &dyn Fn(&Asked) -> Vec<(String, usize)>,
) -> Completions {
    let _ = (catalog, values);
    // A stand-in until the real one is here.
    let start = text[..cursor].rfind(' ').map_or(0, |at| at + 1);
    let known = [
        ("helpfulness", "0 to 4: how much it helps"),
        ("helpful.thing", "made up"),
        ("correctness", "0 to 4: how right it is"),
        ("verbosity", "0 to 4: how long it is"),
        ("sort:", "by a field"),
    ];
    let items = known.into_iter().filter(|(name, _)| name.starts_with(&text[start..cursor]));
    let items = items.map(|(name, note)| Completion { text: name.to_owned(), note: note.to_owned() });
    Completions { span: start..cursor, items: items.collect() }
}
