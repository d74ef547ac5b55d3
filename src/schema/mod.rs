//! Schemas: where the prompt, the responses and what was said of them stand in a record, as data.
//!
//! A [`Definition`] is a TOML file; a [`Schema`] is one made ready to read lines with; a [`Choice`]
//! finds the one that a file has. A new dataset takes a new file in `assets/schemas/` and no Rust.

mod advice;
mod decode;
mod definition;
mod digest;
mod guess;
mod mend;
mod passages;
mod path;
mod reader;
mod registry;
mod skim;
mod strings;
mod turns;
mod unescape;
mod walk;

pub use decode::same_text;
pub use definition::{
    Definition, DefinitionError, Label, LabelKind, Rows, VerdictRule, VerdictTold,
};
pub use digest::Digest;
pub use guess::Map;
pub use mend::{Mended, mend};
pub use passages::{Passage, with_row};
pub use reader::{Row, Schema};
pub use registry::{Choice, ChoiceError, built_in, is_json, summaries};

#[cfg(test)]
mod tests;
