//! The query language: which samples to show, and in which order.
//!
//! [`parse`] reads a query by a [`Catalog`] of the dataset's fields, `Display` writes it in its canonical form, and [`find`] and
//! [`sort`] answer it over a dataset's columns and, where it asks for text, over the rows themselves.

mod ast;
mod catalog;
mod complete;
mod engine;
mod parse;

pub use ast::{
    Arithmetic, Category, CategoryTest, Citing, Comparison, Expr, Feature, Field, Name, Number, Part, Pattern, Query,
    Shape, SortBy, SortKey, TextTerm, View,
};
pub use catalog::Catalog;
pub use complete::{Asked, Completion, Completions, complete};
pub use engine::{Cell, Found, Sides, cell, find, is_quick, sort, tally};
pub use parse::{QueryError, parse};
