//! Schemas: where the prompt, the responses, labels and verdicts are in a record, as data.
//!
//! A [`Definition`] is a TOML file, a [`Schema`] is one prepared for reading lines, and a
//! [`SchemaChoice`] finds the schema of a file. A new dataset needs a new file in `assets/schemas/`
//! and no Rust.

mod adapted;
mod advice;
mod catalog;
mod column_paths;
mod decode;
mod definition;
mod explain;
mod fields;
mod guess;
mod json_walk;
mod line_reader;
mod messages;
mod path;
mod rationales;
mod reader;
mod record_scan;
mod registry;
mod repair;
mod row_errors;
mod row_keys;
mod row_stats;
mod row_texts;
mod row_turns;
mod schema_toml;
mod slots;
mod strings;
mod text_path;
mod trial;
mod turns;
mod unescape;
mod values;
mod verdict_keys;
mod vote_path;
mod votes;

pub use catalog::{KnownSchema, SchemaCatalog, built_in};
pub use column_paths::OutcomePaths;
pub use decode::same_text;
pub use definition::{
    BySign, ByValue, Definition, Label, LabelKind, RatingSource, Reduction, ResponsePaths,
    RowGrouping, TurnMarker, VerdictRule,
};
pub use fields::FieldSurvey;
pub use guess::{Choices, FieldChoice, FieldRole, Guess, NamedVerdict, rates};
pub use line_reader::RowReader;
pub use path::Path;
pub use reader::{CapturedRow, DecidingLabel, Schema};
pub use registry::{
    ChosenSchema, JsonRecord, SchemaChoice, SchemaChoiceError, is_json, records_of,
};
pub use repair::{RepairedLine, repair};
pub use row_keys::{hash_at, value_at};
pub use row_stats::RowStats;
pub use row_texts::{RawText, RowText, TextKinds, TextVisitor};
pub use trial::SchemaTrial;
pub use turns::split as turns_of;

#[cfg(test)]
mod tests;
