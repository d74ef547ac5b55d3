//! The known schemas: the built-in ones, and those in the user's folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use include_dir::{Dir, include_dir};

use super::guess;
use super::registry::SchemaChoiceError;
use super::{Definition, Schema};
use crate::toml_file::{self, FileFault, TomlFault, read_regular_file, unknown_name};

/// Every file in this folder is a schema; a new dataset needs one more file.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/schemas");

/// The built-in schemas by name. Parsed once, since every opened file is tested against them.
static READ: LazyLock<SchemaCatalog> = LazyLock::new(|| {
    let files = BUILT_IN.files().filter_map(|file| file.contents_utf8());
    let known = files.filter_map(|toml| {
        let definition = Definition::parse(toml).ok()?;
        Some(KnownSchema::new(definition, SchemaOrigin::BuiltIn))
    });
    let mut known: Vec<_> = known.collect();
    known.sort_by(|a, b| a.name().cmp(b.name()));
    SchemaCatalog(known.into())
});

/// A schema that can be found by name or detected by content.
#[derive(Debug, Clone)]
pub struct KnownSchema {
    definition: Arc<Definition>,
    /// Created on first use: only few of the known schemas can read a given file.
    schema: OnceLock<Arc<Schema>>,
    /// Where it comes from.
    pub origin: SchemaOrigin,
}

/// Where a schema comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaOrigin {
    /// Part of the program.
    BuiltIn,
    /// Written by the user.
    User {
        /// Its file.
        path: PathBuf,
        /// True if it replaces a built-in schema of the same name.
        replaces: bool,
    },
}

impl KnownSchema {
    fn new(definition: Definition, origin: SchemaOrigin) -> Self {
        Self {
            definition: Arc::new(definition),
            schema: OnceLock::new(),
            origin,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Its definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the schema, ready to read rows.
    ///
    /// # Errors
    /// If one of its paths is inside another. The error names the file, the line and the key.
    pub fn schema(&self) -> Result<Arc<Schema>, FileFault> {
        if let Some(schema) = self.schema.get() {
            return Ok(Arc::clone(schema));
        }
        let schema = Schema::new(Definition::clone(&self.definition)).map_err(|error| {
            let path = match &self.origin {
                SchemaOrigin::BuiltIn => FilePath::new(self.name()),
                SchemaOrigin::User { path, .. } => path,
            };
            FileFault::of(path, error)
        })?;
        Ok(Arc::clone(self.schema.get_or_init(|| Arc::new(schema))))
    }
}

/// The schemas that detection tries; the built-in ones by default.
#[derive(Debug, Clone)]
pub struct SchemaCatalog(Arc<[KnownSchema]>);

impl Default for SchemaCatalog {
    fn default() -> Self {
        READ.clone()
    }
}

impl SchemaCatalog {
    /// Returns the built-in schemas and those of a folder: all files there that end in `.toml` and
    /// do not begin with a dot. They replace built-in schemas of the same name. A missing folder
    /// counts as empty.
    ///
    /// Also returns the errors of invalid files; the other files are in the catalog.
    pub fn with_folder(folder: &FilePath) -> (Self, Vec<FileFault>) {
        let (mut own, mut errors) = (Vec::<KnownSchema>::new(), Vec::new());
        let mut paths: HashMap<String, PathBuf> = HashMap::new();
        for file in toml_file::files(folder) {
            let read = file.and_then(|(path, toml)| Ok((read(&path, &toml)?, path)));
            let (mut known, path) = match read {
                Ok(read) => read,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let name = known.name().to_owned();
            if let Some(first) = paths.get(&name) {
                let first = first.display();
                let what =
                    format!("ignored: {first} already has the name `{name}`; choose another name");
                let fault = TomlFault::at_key(&known.definition().toml, "name", 0, &[], what);
                errors.push(FileFault::of(&path, fault));
                continue;
            }
            paths.insert(name.clone(), path.clone());
            let replaces = Self::default().get(&name).is_some();
            known.origin = SchemaOrigin::User { path, replaces };
            own.push(known);
        }
        own.sort_by(|a, b| a.name().cmp(b.name()));
        let built_in = Self::default();
        let kept = built_in.iter().filter(|it| !paths.contains_key(it.name()));
        // Of equally good schemas, the last is chosen: the user's.
        (Self(kept.cloned().chain(own).collect()), errors)
    }

    /// An empty catalog, so that all layouts are guessed.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    /// Iterates all schemas: the built-in ones by name, then the user's by name.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &KnownSchema> {
        self.0.iter()
    }

    /// Returns the schema of this name.
    pub fn get(&self, name: &str) -> Option<&KnownSchema> {
        self.iter().find(|known| known.name() == name)
    }

    /// True if a schema has the same name as a definition and the same paths for labels, facts and
    /// so on. The grouping of rows may differ.
    pub fn has_paths_of(&self, definition: &Definition) -> bool {
        fn paths(of: &Definition) -> impl PartialEq {
            (
                &of.responses,
                &of.labels,
                &of.verdict,
                &of.facts,
                &of.texts,
                &of.votes,
            )
        }
        let known = self.get(&definition.name);
        known.is_some_and(|known| paths(known.definition()) == paths(definition))
    }

    /// Returns the schema of this name, or the one in the file at this path, which need not be in
    /// the catalog.
    ///
    /// # Errors
    /// If there is no schema of this name and the path is not a `.toml` file, or the file cannot be
    /// read or is not a schema.
    pub fn named(&self, name: &str) -> Result<KnownSchema, SchemaChoiceError> {
        if let Some(known) = self.get(name) {
            return Ok(known.clone());
        }
        let path = FilePath::new(name);
        if path.extension().is_none_or(|extension| extension != "toml") {
            if let Some(known) = guess::named_dataset(name) {
                let what = format!(
                    "{} is recognised without a schema; leave out --schema",
                    known.name
                );
                return Err(SchemaChoiceError::Unknown(what));
            }
            let names: Vec<_> = self.iter().map(KnownSchema::name).collect();
            return Err(SchemaChoiceError::Unknown(unknown_name(
                "schema", name, names,
            )));
        }
        let toml = read_regular_file(path).map_err(|error| FileFault::of(path, error))?;
        let read = read(path, &toml)?;
        let place = fs::canonicalize(path).ok();
        let is_this = |known: &&KnownSchema| match &known.origin {
            SchemaOrigin::User { path, .. } => fs::canonicalize(path).ok() == place,
            SchemaOrigin::BuiltIn => false,
        };
        Ok(self.iter().find(is_this).cloned().unwrap_or(read))
    }
}

impl Schema {
    /// Parses and prepares a schema file.
    ///
    /// # Errors
    /// If it is not a definition ([`Definition::parse`]), or one of its paths is inside another.
    /// The error names the line and the key.
    pub fn parse(toml: &str) -> Result<Self, TomlFault> {
        Self::new(Definition::parse(toml)?)
    }
}

/// Returns the built-in schemas by name.
pub fn built_in() -> Vec<Definition> {
    let all = SchemaCatalog::default();
    all.iter().map(|known| known.definition().clone()).collect()
}

/// Parses and prepares the schema of a file. Checked even if the schema is never used, so that
/// faults are always reported.
fn read(path: &FilePath, toml: &str) -> Result<KnownSchema, FileFault> {
    let definition = Definition::parse(toml).map_err(|fault| FileFault::of(path, fault))?;
    let origin = SchemaOrigin::User {
        path: path.to_owned(),
        replaces: false,
    };
    let known = KnownSchema::new(definition, origin);
    known.schema()?;
    Ok(known)
}
