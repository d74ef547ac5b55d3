//! The query language: which samples to show, and in which order.
//!
//! [`parse()`] parses a query with a [`Catalog`] of the dataset's fields, [`Query::spelled`] writes
//! its canonical form, [`complete()`] lists completions, and [`find`] and [`sort`] evaluate it over
//! the columns, over what reviewers said ([`ReviewIndex`]) and, for texts, over the rows.
//!
//! Terms (`ast`) know no dataset. `names` holds what they can name in one, `lang` parses, prints and
//! completes their text, and `engine` evaluates them.

mod ast;
mod engine;
mod lang;
mod names;
mod remarks;
mod rule;
mod texts;
mod words;

#[cfg(test)]
mod tests;

pub use crate::text::nearest;
pub use ast::{
    Aggregate, Arithmetic, ColumnId, Comparison, Expr, Field, FindingRule, FindingRules, Number,
    NumberTest, Pattern, Query, SortBy, SortKey, TextTarget, TextTerm, WordTest,
    depends_on_remarks,
};
pub use engine::{
    Bins, FieldCell, FieldValue, OrderedNumber, QueryContext, QueryResult, ResponseSet, ScanCache,
    TextPredicate, annotated_columns, asks_for, cell, chance, coded_words, dataset_judgment,
    depends_on_all, each_annotation, each_number, either_passes, find, find_findings,
    has_many_words, is_answered_by_scan, is_quick, is_smart, pushed_test, shown_places, sort,
    tally,
};
pub use lang::complete::{Completion, Completions, complete, is_open};
pub use lang::parse::{MAX_BYTES, QueryError, parse, with_sort};
pub use lang::readings::{FilterReading, side_in_words, view_note};
pub use names::catalog::{Catalog, CatalogColumn};
pub use names::reveals::{reveals_labels, selects_by_labels};
pub use remarks::{ReviewIndex, SampleJudgment, SampleRemark};
pub use rule::{RuleDefinition, Severity};
pub use texts::{FOLLOWS_FROM_LABEL, IN_THE_TEXTS};
