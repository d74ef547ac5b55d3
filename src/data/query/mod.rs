//! The query language: which samples to show, and in which order.
//!
//! [`parse()`] parses a query with a [`Catalog`] of the dataset's fields, [`Query::spelled`] writes
//! its canonical form, [`complete()`] lists completions, and [`find`] and [`sort`] evaluate it over
//! the columns, over what reviewers said ([`ReviewIndex`]) and, for texts, over the rows.

mod advice;
mod ast;
mod catalog;
mod complete;
mod engine;
mod field;
mod finding_rules;
mod found_fields;
mod help;
mod lex;
mod numbers;
mod parse;
mod print;
mod ranges;
mod rated;
mod remarks;
mod reveals;
mod rule;
mod terms;
mod texts;
mod word_tests;
mod words;

#[cfg(test)]
mod tests;

pub use crate::text::nearest;
pub use ast::{
    Aggregate, Arithmetic, ColumnId, Comparison, Expr, Field, FindingRule, FindingRules, Number,
    NumberTest, Pattern, Query, SortBy, SortKey, TextTarget, TextTerm, WordTest,
    depends_on_remarks,
};
pub use catalog::{Catalog, CatalogColumn};
pub use complete::{Completion, Completions, complete, is_open};
pub use engine::{
    Bin, Bins, FieldCell, FieldValue, Histogram, OrderedNumber, QueryContext, QueryResult,
    ResponseSet, ScanCache, TextPredicate, WordCodes, annotated_columns, asks_for, cell, chance,
    depends_on_all, each_annotation, each_number, either_passes, find, find_findings,
    has_many_words, histogram, is_answered_by_scan, is_quick, is_smart, pushed_test, shown_places,
    sort, tally, word_codes,
};
pub use parse::{MAX_BYTES, QueryError, parse, with_sort};
pub use remarks::{ReviewIndex, SampleJudgment, SampleRemark};
pub use reveals::{reveals_labels, selects_by_labels};
pub use rule::{RuleDefinition, Severity};
pub use texts::FOLLOWS_FROM_LABEL;
