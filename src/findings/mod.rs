//! What is suspicious in a sample.

mod citations;

pub use citations::{Citation, Citing, citations, citing};
