//! Full-text search: ranking of samples, and highlighting of matches.
//!
//! A [`Needle`] is split at blanks into terms; each is searched for among the *words* of the texts:
//! exactly, as a beginning, inside a word, fuzzily (fuzzy-matcher) or with one letter wrong, extra
//! or missing. An [`Index`] contains the distinct words of a dataset and the samples that have
//! them; texts that are not indexed yet, or cannot be, are read.

mod edit;
mod engine;
mod fuzzy;
mod index;
mod marks;
mod needle;
mod prepared;
mod rank;
#[cfg(test)]
mod tests;
mod word;

pub use engine::{Hit, HitOrder, SearchRequest, SearchScope, is_quick, search};
pub use fuzzy::{LineMatcher, LineScore};
pub use index::{Index, IndexFeed};
pub use marks::HitMarker;
pub use needle::{Needle, NeedleError};
