//! The same query as SQL: a statement for DuckDB, or a program for Spark, that finds the samples which
//! [`crate::query::find`] does.
//!
//! ```text
//! lines of the files, in the order of the arguments, each with its number
//!   → fields     a record's values, typed by name and never by a sample; whether the row reads
//!   → runs       where rows are joined: consecutive rows with one prompt, malformed ones left out
//!   → samples    one row a sample: `a_…` of its first response, `b_…` of its second
//!   → judged     who wins, and by how much
//!   → found      whether the filter holds for A, and whether it does for B
//! ```
//!
//! Both engines get the same statement but for the expressions of [`dialect`] and the reading of files
//! ([`reading`]). Every term is true or false and never null, so that `not` means what it means here.
//! What an engine cannot say is refused, by the name of the term and with the reason
//! ([`SqlRefusal`]); what it reads otherwise in odd lines stands as a remark in the statement.

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
