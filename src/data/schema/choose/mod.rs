//! Which schema a file has: named, detected in the catalog, or guessed; and what to say about it.

pub mod catalog;
pub mod registry;
pub mod trial;
