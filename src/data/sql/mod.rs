//! Translates a query to SQL: a statement for DuckDB or a program for Spark that finds the same
//! samples as [`crate::query::find`].
//!
//! ```text
//! lines of the files, in the order of the arguments, numbered
//!   → fields     a record's values, typed by path without sampling; whether the row is valid
//!   → runs       for joined rows: consecutive rows with the same prompt, without malformed ones
//!   → samples    one row per sample: `a_…` of its first response, `b_…` of its second
//!   → judged     the verdict and the margin
//!   → found      whether the filter holds for A, and for B
//! ```
//!
//! Both engines get the same statement, except for the expressions of [`dialect`] and the reading
//! of files ([`reading`]). Every term is true or false, never null, so that `not` works as in
//! visavis. A term without an equivalent is refused by name, with the reason ([`SqlRefusal`]);
//! differences in unusual lines are noted in a comment of the statement.

mod columns;
mod dialect;
mod filter;
mod layout;
mod numbers;
mod reading;
mod refusal;
mod statement;
mod texts;
mod verdicts;

#[cfg(test)]
mod tests;

pub use dialect::SqlDialect;
pub use reading::SqlFile;
pub use refusal::SqlRefusal;
pub use statement::{SqlOutput, SqlRequest, statement};
