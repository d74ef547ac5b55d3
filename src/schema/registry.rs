//! Which schema a file has: the known ones, by name or by looking at the first lines, and otherwise a guess.

use std::borrow::Cow;
use std::path::Path as FilePath;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use serde::de::IgnoredAny;
use thiserror::Error;

use super::definition::{Definition, DefinitionError};
use super::guess::{self, Map};
use super::{Schema, mend};

/// Every file in there is a schema; a new dataset is one more file.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/schemas");

/// How the schema of a file is chosen.
#[derive(Debug, Clone, Default)]
pub enum Choice {
    /// By content.
    #[default]
    Detect,
    /// By name, or by the path of a schema file.
    Named(String),
    /// By paths given on the command line.
    Mapped(Map),
}

/// Why no schema could be chosen.
#[derive(Debug, Error)]
pub enum ChoiceError {
    /// `--schema` named none.
    #[error("no schema is called `{name}`; there are {known}, or give the path of a .toml file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The schema file cannot be read.
    #[error("cannot read the schema file {path}: {error}")]
    File {
        /// Its path.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The schema file is not a schema.
    #[error("{path} is not a schema: {error}")]
    Definition {
        /// Its path.
        path: String,
        /// What is wrong in it.
        error: Box<DefinitionError>,
    },
    /// None of the first lines is JSON.
    #[error("not JSON Lines: {reason}")]
    NotJson {
        /// What the first line has instead, and what to do.
        reason: String,
    },
    /// JSON, but nothing that looks like a prompt with responses.
    #[error(
        "no prompt and responses found in its records, which have {keys}; \
         say where they stand, for instance --map prompt=PATH,a=PATH,b=PATH"
    )]
    NothingToShow {
        /// The keys of the first record.
        keys: String,
    },
}

/// The built-in schemas, by name.
pub fn built_in() -> Vec<Definition> {
    let mut all: Vec<_> = BUILT_IN.files().filter_map(|file| Definition::parse(file.contents_utf8()?).ok()).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

impl Choice {
    /// Checks what can be checked before any data is there.
    ///
    /// # Errors
    /// When the named schema does not exist or is none.
    pub fn check(&self) -> Result<(), ChoiceError> {
        match self {
            Self::Named(name) => named(name).map(drop),
            Self::Detect | Self::Mapped(_) => Ok(()),
        }
    }

    /// Chooses the schema for a file that begins with these lines (none of them blank).
    ///
    /// # Errors
    /// When none can be chosen; see [`ChoiceError`].
    pub fn schema(&self, lines: &[&[u8]]) -> Result<Arc<Schema>, ChoiceError> {
        match self {
            Self::Named(name) => named(name),
            Self::Mapped(map) => prepared(map.definition(), "--map"),
            Self::Detect if lines.is_empty() => prepared(Map::default().definition(), "an empty file"),
            Self::Detect => detect(lines),
        }
        .map(Arc::new)
    }
}

fn prepared(definition: Definition, path: &str) -> Result<Schema, ChoiceError> {
    Schema::new(definition).map_err(|error| ChoiceError::Definition { path: path.to_owned(), error: Box::new(error) })
}

fn named(name: &str) -> Result<Schema, ChoiceError> {
    let all = built_in();
    if let Some(definition) = all.iter().find(|definition| definition.name == name) {
        return prepared(definition.clone(), name);
    }
    if FilePath::new(name).extension().is_none_or(|extension| extension != "toml") {
        let known = all.into_iter().map(|definition| definition.name).collect::<Vec<_>>().join(", ");
        return Err(ChoiceError::Unknown { name: name.to_owned(), known });
    }
    let path = name.to_owned();
    let text = std::fs::read_to_string(name).map_err(|error| ChoiceError::File { path: path.clone(), error })?;
    Definition::parse(&text)
        .and_then(Schema::new)
        .map_err(|error| ChoiceError::Definition { path, error: Box::new(error) })
}

/// How well a schema fits: rows that it reads, then values that it finds in them.
type Fit = (usize, usize);

fn detect(lines: &[&[u8]]) -> Result<Schema, ChoiceError> {
    let lines: Vec<Cow<'_, [u8]>> = lines.iter().map(|line| readable(line)).collect();
    let compound = lines.iter().filter(|line| matches!(line.first(), Some(b'{' | b'[')) && is_json(line)).count();
    if compound == 0 {
        return Err(ChoiceError::NotJson { reason: not_json(&lines) });
    }
    let best = built_in()
        .into_iter()
        .filter_map(|definition| Schema::new(definition).ok())
        .map(|schema| (fit(&schema, &lines), schema))
        .max_by_key(|(fit, _)| *fit);
    match best {
        // A schema that reads only a few of the rows is not theirs; one out-of-range row must not disturb it.
        Some(((rows, _), schema)) if rows * 2 > compound => Ok(schema),
        _ => guessed(&lines),
    }
}

fn guessed(lines: &[Cow<'_, [u8]>]) -> Result<Schema, ChoiceError> {
    let records: Vec<serde_json::Value> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    match guess::definition(&records) {
        Some(definition) => prepared(definition, "the guess"),
        None if is_document(lines) => Err(ChoiceError::NotJson { reason: not_json(lines) }),
        None => Err(ChoiceError::NothingToShow { keys: guess::keys(&records) }),
    }
}

/// The line, mended if that makes JSON of it.
fn readable(line: &[u8]) -> Cow<'_, [u8]> {
    if is_json(line) { Cow::Borrowed(line) } else { mend(line).map_or(Cow::Borrowed(line), |m| Cow::Owned(m.line)) }
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn fit(schema: &Schema, lines: &[Cow<'_, [u8]>]) -> Fit {
    let mut fit = (0, 0);
    for row in lines.iter().filter_map(|line| schema.row(line).ok()) {
        if row.is_rated() || schema.labels().is_empty() {
            fit.0 += 1;
            fit.1 += row.filled();
        }
    }
    fit
}

/// Whether the first line opens what further lines close.
fn is_document(lines: &[Cow<'_, [u8]>]) -> bool {
    lines.first().is_some_and(|first| matches!(**first, [b'[' | b'{'] | [b'[', b'[' | b'{']))
}

fn not_json(lines: &[Cow<'_, [u8]>]) -> String {
    if is_document(lines) {
        return "it looks like one JSON document over many lines; make it lines first: jq -c '.[]' FILE".to_owned();
    }
    "its first lines are no JSON objects; each line must hold one record".to_owned()
}
