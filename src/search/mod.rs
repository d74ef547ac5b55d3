//! Search: which samples say what was typed, the likeliest first, and which characters say it.
//!
//! A [`Needle`] is split at blanks into terms; each is looked for among the *words* of the texts,
//! exactly, as a beginning, inside a word, fuzzily (fuzzy-matcher) or with one letter wrong, extra
//! or missing. An [`Index`] knows the distinct words of a dataset and the samples that have them;
//! before it is there, and for what it leaves out, the texts themselves are gone through.

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
