//! The data half of visavis: files, schemas, queries, statistics, reviews and exports, without
//! screen, keys and command line. The documentation of the program lists its modules and layers.
//!
//! A package of its own, so that a change of the screen does not compile it again. Its modules are
//! public for the program only; no other package is meant to use them.

pub mod answer;
pub mod dataset;
pub mod export;
pub mod findings;
pub mod journal;
pub mod json;
pub mod model;
pub mod parallel;
pub mod profile;
pub mod query;
pub mod review;
pub mod schema;
pub mod search;
pub mod source;
pub mod sql;
pub mod stats;
pub mod table;
pub mod text;
pub mod toml_file;
