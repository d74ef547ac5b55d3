//! From text to queries and back: the parser, the printer, completion and advice.

mod advice;
mod comparisons;
pub mod complete;
mod field;
mod finding_rules;
mod lex;
mod numbers;
pub mod parse;
mod print;
pub mod readings;
mod terms;
