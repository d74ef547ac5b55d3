//! Schemas: where the prompt, the responses, labels and verdicts are in a record, as data.
//!
//! A [`Definition`] is a TOML file, a [`Schema`] is one prepared for reading lines, and a
//! [`SchemaChoice`] finds the schema of a file. A new dataset needs a new file in `assets/schemas/`
//! and no Rust.
//!
//! `layout` has the keys of a schema file, `verdict` the rules for who wins, `row` reads lines,
//! `fields` finds what a schema does not name, `choose` finds the schema of a file, and `guess`
//! makes one for unknown records.

mod choose;
mod fields;
mod guess;
mod layout;
mod row;
mod verdict;

pub use crate::json::is_json;
pub use choose::catalog::{KnownSchema, SchemaCatalog, built_in};
pub use choose::registry::{ChosenSchema, JsonRecord, SchemaChoice, SchemaChoiceError, records_of};
pub use choose::trial::SchemaTrial;
pub use fields::FieldSurvey;
pub use guess::{Choices, FieldChoice, FieldRole, Guess, NamedVerdict, Survey, rates};
pub use layout::column_paths::{PathUse, UseKind};
pub use layout::definition::{
    Definition, Label, LabelKind, RatingSource, Reduction, ResponsePaths, RowGrouping, TurnMarker,
};

pub use row::keys::{hash_at, same_text, value_at};
pub use row::lines::{RepairedLine, RowReader, repair};
pub use row::path::Path;
pub use row::reader::{CapturedRow, Schema};
pub use row::stats::RowStats;
pub use row::texts::{RawText, RowText, TextKinds, TextVisitor};
pub use row::turns::split as turns_of;
pub use verdict::{
    BySign, ByValue, DecidingLabel, OutcomePaths, RaterKind, RaterValues, SchemaRater, VerdictRule,
    one_word,
};

#[cfg(test)]
mod tests;
