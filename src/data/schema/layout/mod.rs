//! What a schema says: the keys of its file, checked, and what follows from them.

pub mod adapted;
pub mod column_paths;
pub mod definition;
pub mod schema_toml;
pub mod text_path;
pub mod vote_path;
