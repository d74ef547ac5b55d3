//! Which schema a file has: the known ones, by name or by looking at the first lines, and otherwise
//! a guess.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::{Arc, OnceLock};

use include_dir::{Dir, include_dir};
use serde::de::IgnoredAny;
use thiserror::Error;

use super::definition::{Definition, DefinitionError};
use super::guess::{self, PathMap};
use super::{Schema, advice, repair};

/// Every file in there is a schema; a new dataset is one more file.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/schemas");

/// How the schema of a file is chosen.
#[derive(Debug, Clone, Default)]
pub enum SchemaChoice {
    /// By content.
    #[default]
    Detect,
    /// By name, or by the path of a schema file.
    Named(String),
    /// By paths given on the command line.
    Mapped(PathMap),
    /// Made ready elsewhere, and taken without a look at the file.
    Ready(Arc<Schema>),
}

/// Why no schema could be chosen.
#[derive(Debug, Error)]
pub enum SchemaChoiceError {
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
         say where they stand, for instance {map}"
    )]
    NothingToShow {
        /// The keys of the first record.
        keys: String,
        /// An option that could say it.
        map: String,
    },
    /// The paths of `--map` or of the named schema are not those of the records.
    #[error("{path} leads nowhere in the first records, which have {keys}")]
    LeadsNowhere {
        /// The first path at which there is nothing.
        path: String,
        /// The keys of the first record.
        keys: String,
    },
    /// What stands at those paths is not what it should be, in any of the first records.
    #[error("`{name}` reads none of the first records: {reason}")]
    ReadsNothing {
        /// The schema's name.
        name: String,
        /// What is wrong with the first of them.
        reason: String,
    },
}

/// The built-in schemas, by name.
pub fn built_in() -> Vec<Definition> {
    let mut all: Vec<_> = BUILT_IN
        .files()
        .filter_map(|file| Definition::parse(file.contents_utf8()?).ok())
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The built-in schemas made ready, by name: made once, since every file that is opened is held
/// against all of them.
fn known() -> &'static [Arc<Schema>] {
    static KNOWN: OnceLock<Vec<Arc<Schema>>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let ready = |definition| Schema::new(definition).ok().map(Arc::new);
        built_in().into_iter().filter_map(ready).collect()
    })
}

/// Name and description of each built-in schema.
pub fn summaries() -> Vec<(String, String)> {
    let definitions = known().iter().map(|schema| schema.definition());
    definitions
        .map(|definition| (definition.name.clone(), definition.about.clone()))
        .collect()
}

impl SchemaChoice {
    /// Checks what can be checked before any data is there.
    ///
    /// # Errors
    /// When the named schema does not exist or is none.
    pub fn check(&self) -> Result<(), SchemaChoiceError> {
        match self {
            Self::Named(name) => named(name).map(drop),
            Self::Detect | Self::Mapped(_) | Self::Ready(_) => Ok(()),
        }
    }

    /// The schema of a file whose first line leaves no doubt: a built-in one reads it, or the one
    /// that was named does.
    pub fn at_once(&self, first: &[u8]) -> Option<Arc<Schema>> {
        let first = readable(first);
        let schema = match self {
            Self::Ready(schema) => return Some(schema.clone()),
            Self::Named(name) => named(name)
                .ok()
                .filter(|schema| schema.row(&first).is_ok())?,
            Self::Mapped(map) => prepared(map.definition(), "--map")
                .ok()
                .filter(|schema| schema.row(&first).is_ok())?,
            Self::Detect => {
                best(std::slice::from_ref(&first))
                    .filter(|((rows, _), _)| *rows == 1)?
                    .1
            }
        };
        Some(schema)
    }

    /// Whether a line, alone in its file, reads as a row.
    pub fn reads(&self, line: &[u8]) -> bool {
        match self {
            Self::Ready(schema) => schema.row(line).is_ok(),
            choice => choice.schema(&[line]).is_ok(),
        }
    }

    /// Chooses the schema for a file that begins with these lines (none of them blank).
    ///
    /// # Errors
    /// When none can be chosen; see [`SchemaChoiceError`].
    pub fn schema(&self, lines: &[&[u8]]) -> Result<Arc<Schema>, SchemaChoiceError> {
        match self {
            Self::Named(name) => named(name).and_then(|schema| proven(schema, lines)),
            Self::Mapped(map) => {
                prepared(map.definition(), "--map").and_then(|schema| proven(schema, lines))
            }
            Self::Ready(schema) => Ok(schema.clone()),
            Self::Detect if lines.is_empty() => {
                prepared(PathMap::default().definition(), "an empty file")
            }
            Self::Detect => detect(lines),
        }
    }
}

/// The schema that a person named, if it reads any of the lines; otherwise what they probably did
/// not mean.
fn proven(schema: Arc<Schema>, lines: &[&[u8]]) -> Result<Arc<Schema>, SchemaChoiceError> {
    let lines: Vec<Cow<'_, [u8]>> = lines.iter().map(|line| readable(line)).collect();
    if lines.is_empty() || lines.iter().any(|line| schema.row(line).is_ok()) {
        return Ok(schema);
    }
    let records = records(&lines);
    if records.is_empty() {
        return Err(SchemaChoiceError::NotJson {
            reason: advice::not_json(&lines),
        });
    }
    if let Some(path) = lines.iter().find_map(|line| schema.leads_nowhere(line)) {
        return Err(SchemaChoiceError::LeadsNowhere {
            path: path.to_string(),
            keys: guess::keys(&records),
        });
    }
    let error = lines
        .iter()
        .filter(|line| is_record(line))
        .find_map(|line| schema.row(line).err());
    Err(SchemaChoiceError::ReadsNothing {
        name: schema.definition().name.clone(),
        reason: error.map(|row_error| row_error.reason).unwrap_or_default(),
    })
}

fn prepared(definition: Definition, path: &str) -> Result<Arc<Schema>, SchemaChoiceError> {
    Schema::new(definition)
        .map(Arc::new)
        .map_err(|error| SchemaChoiceError::Definition {
            path: path.to_owned(),
            error: Box::new(error),
        })
}

fn named(name: &str) -> Result<Arc<Schema>, SchemaChoiceError> {
    let mut all = known().iter();
    if let Some(schema) = all.find(|schema| schema.definition().name == name) {
        return Ok(schema.clone());
    }
    if FilePath::new(name)
        .extension()
        .is_none_or(|extension| extension != "toml")
    {
        let names = known().iter().map(|schema| &*schema.definition().name);
        let known = names.collect::<Vec<_>>().join(", ");
        return Err(SchemaChoiceError::Unknown {
            name: name.to_owned(),
            known,
        });
    }
    let path = name.to_owned();
    let text = std::fs::read_to_string(name).map_err(|error| SchemaChoiceError::File {
        path: path.clone(),
        error,
    })?;
    Definition::parse(&text)
        .and_then(Schema::new)
        .map(Arc::new)
        .map_err(|error| SchemaChoiceError::Definition {
            path,
            error: Box::new(error),
        })
}

/// How well a schema fits: rows that it reads, then values that it finds in them.
type Fit = (usize, usize);

fn detect(lines: &[&[u8]]) -> Result<Arc<Schema>, SchemaChoiceError> {
    let lines: Vec<Cow<'_, [u8]>> = lines.iter().map(|line| readable(line)).collect();
    let compound = lines.iter().filter(|line| is_record(line)).count();
    if compound == 0 {
        return Err(SchemaChoiceError::NotJson {
            reason: advice::not_json(&lines),
        });
    }
    // The first line alone where it will do, as in `Choice::at_once`, so that it does not matter
    // who asks.
    let of_first = best(&lines[..1]).filter(|((rows, _), _)| *rows == 1);
    match of_first.or_else(|| best(&lines).filter(|((rows, _), _)| rows * 2 > compound)) {
        Some((_, schema)) => Ok(schema),
        // A schema that reads only a few of the rows is not theirs; one out-of-range row must not
        // disturb it.
        None => guessed(&lines),
    }
}

/// The built-in schema that fits the lines best.
fn best(lines: &[Cow<'_, [u8]>]) -> Option<(Fit, Arc<Schema>)> {
    let keys: Vec<_> = lines.iter().map(|line| TopLevelKeys::of(line)).collect();
    // A line can have megabytes: it is gone over for those schemas alone whose fields it has.
    let may_fit = |schema: &&Arc<Schema>| keys.iter().any(|keys| keys.has_fields_of(schema));
    let fits = known().iter().filter(may_fit);
    let fits = fits.map(|schema| (fit(schema, lines), schema));
    let (fit, schema) = fits.max_by_key(|(fit, _)| *fit)?;
    Some((fit, schema.clone()))
}

fn guessed(lines: &[Cow<'_, [u8]>]) -> Result<Arc<Schema>, SchemaChoiceError> {
    let records = records(lines);
    match (guess::definition(&records), advice::of_document(lines)) {
        (Some(definition), _) => prepared(definition, "the guess"),
        (None, Some(advice)) => Err(SchemaChoiceError::NotJson {
            reason: advice.to_owned(),
        }),
        (None, None) => Err(SchemaChoiceError::NothingToShow {
            keys: guess::keys(&records),
            map: guess::proposed_map(&records),
        }),
    }
}

fn records(lines: &[Cow<'_, [u8]>]) -> Vec<serde_json::Value> {
    lines
        .iter()
        .filter(|line| is_record(line))
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

/// The line, mended if that makes JSON of it.
fn readable(line: &[u8]) -> Cow<'_, [u8]> {
    if is_json(line) {
        Cow::Borrowed(line)
    } else {
        repair(line).map_or(Cow::Borrowed(line), |m| Cow::Owned(m.line))
    }
}

/// The keys of a record; `None` where it is no object.
struct TopLevelKeys(Option<HashMap<String, IgnoredAny>>);

impl TopLevelKeys {
    fn of(line: &[u8]) -> Self {
        Self(serde_json::from_slice(line).ok())
    }

    /// Whether a record with these keys can have what a schema cannot do without.
    fn has_fields_of(&self, schema: &Schema) -> bool {
        let Some(keys) = &self.0 else {
            return true;
        };
        let mut fields = schema.definition().required_keys();
        fields.all(|field| keys.contains_key(field))
    }
}

/// Whether the line is one JSON value, and UTF-8, of which serde_json does not assure itself where
/// it ignores what it reads.
pub fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| serde_json::from_str::<IgnoredAny>(line).is_ok())
}

/// Whether the line is a JSON object or list.
fn is_record(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'{' | b'[')) && is_json(line)
}

fn fit(schema: &Schema, lines: &[Cow<'_, [u8]>]) -> Fit {
    let mut fit = (0, 0);
    for row in lines.iter().filter_map(|line| schema.row(line).ok()) {
        if row.has_needs() && row.is_judged() && (row.is_rated() || schema.labels().is_empty()) {
            fit.0 += 1;
            fit.1 += row.filled();
        }
    }
    fit
}
