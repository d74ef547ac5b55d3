//! The query language: which samples to show, and in which order.
//!
//! [`parse`] reads a query by a [`Catalog`] of the dataset's fields, [`Query::spelled`] writes it
//! in its canonical form, [`complete`] tells what can be typed next, and [`find`] and [`sort`]
//! answer it over a dataset's columns, over what reviewers said ([`Remarks`]) and, where it asks
//! for text, over the rows themselves.

mod asked;
mod ast;
mod catalog;
mod complete;
mod edit;
mod engine;
mod help;
mod lex;
mod numbers;
mod parse;
mod print;
mod ranges;
mod remarks;
mod telling;
mod terms;
mod words;

#[cfg(test)]
mod tests;

pub use asked::Asked;
pub use ast::{
    Arithmetic, Category, CategoryTest, Citing, Comparison, Expr, Feature, Field, Name, Number,
    Part, Pattern, Query, Shape, SortBy, SortKey, TextTerm, View,
};
pub use catalog::{Catalog, CatalogLabel};
pub use complete::{Completion, Completions, complete, is_open};
pub use engine::{
    Bin, Bins, Cell, Found, Histogram, Known, Memory, Sides, Value, cell, chance, depends_on_all,
    find, histogram, is_quick, sort, tally,
};
pub use help::{FieldHelp, FieldKind, HelpSection};
pub use parse::{MOST_BYTES, MOST_NESTED, QueryError, parse};
pub use print::Spelled;
pub use remarks::{Remark, Remarks};
pub use telling::{speaks_of_remarks, tells_labels};
pub use words::nearest;
