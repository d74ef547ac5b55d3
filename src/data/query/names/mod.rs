//! What queries can name in a dataset: its fields, its reviewers, and the words after keys.

pub mod catalog;
mod found_fields;
pub mod help;
mod rated;
pub mod reveals;
