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
    let _ = (text, catalog, values);
    Completions { span: cursor..cursor, items: Vec::new() }
}
