//! The known schemas: the built-in ones, and those in the user's folder.

use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use include_dir::{Dir, include_dir};

use super::registry::SchemaChoiceError;
use crate::schema::guess::DATASETS;
use crate::schema::{Definition, Schema};
use crate::toml_file::{self, FileFault, TomlFault, read_regular_file, unknown_name};

/// Every file in this folder is a schema; a new dataset needs one more file.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/schemas");

/// The built-in schemas by name. Parsed once, since every opened file is tested against them.
static READ: LazyLock<SchemaCatalog> = LazyLock::new(|| {
    let mut known: Vec<_> = BUILT_IN
        .files()
        .filter_map(|file| file.contents_utf8())
        .filter_map(|toml| {
            let definition = Definition::parse(toml).ok()?;
            Some(KnownSchema::new(definition, None))
        })
        .collect();
    known.sort_by(|a, b| a.name().cmp(b.name()));
    SchemaCatalog(known.into())
});

/// A schema that can be found by name or detected by content.
#[derive(Debug, Clone)]
pub struct KnownSchema {
    definition: Arc<Definition>,
    /// Created on first use: only few of the known schemas can read a given file.
    schema: OnceLock<Arc<Schema>>,
    /// The user's file; `None` if it is built in.
    pub file: Option<PathBuf>,
}

impl KnownSchema {
    fn new(definition: Definition, file: Option<PathBuf>) -> Self {
        Self {
            definition: Arc::new(definition),
            schema: OnceLock::new(),
            file,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns its file, or its name if it is built in.
    fn place(&self) -> &FilePath {
        self.file.as_deref().unwrap_or(FilePath::new(self.name()))
    }

    /// Its definition.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Returns the schema, ready to read rows.
    pub fn schema(&self) -> Arc<Schema> {
        let schema = || Arc::new(Schema::new(Definition::clone(&self.definition)));
        Arc::clone(self.schema.get_or_init(schema))
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
        for file in toml_file::files(folder) {
            let known = match file.and_then(|(path, toml)| read(&path, &toml)) {
                Ok(known) => known,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let name = known.name();
            let Some(first) = own.iter().find(|first| first.name() == name) else {
                own.push(known);
                continue;
            };
            let first = first.place().display();
            let what =
                format!("ignored: {first} already has the name `{name}`; choose another name");
            let fault = TomlFault::at_key(&known.definition.toml, "name", 0, &[], what);
            errors.push(FileFault::of(known.place(), fault));
        }
        own.sort_by(|a, b| a.name().cmp(b.name()));
        let built_in = Self::default();
        let is_kept = |it: &&KnownSchema| own.iter().all(|own| own.name() != it.name());
        let kept: Vec<_> = built_in.iter().filter(is_kept).cloned().collect();
        // Of equally good schemas, the last is chosen: the user's.
        (Self(kept.into_iter().chain(own).collect()), errors)
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
            if let Some(known) = DATASETS.iter().find(|it| it.name == name) {
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
        Ok(read(path, &toml)?)
    }
}

impl Schema {
    /// Parses and prepares a schema file.
    ///
    /// # Errors
    /// If it is not a definition ([`Definition::parse`]).
    pub fn parse(toml: &str) -> Result<Self, TomlFault> {
        Definition::parse(toml).map(Self::new)
    }
}

/// Returns the built-in schemas by name.
pub fn built_in() -> Vec<Definition> {
    SchemaCatalog::default()
        .iter()
        .map(|known| known.definition().clone())
        .collect()
}

/// Parses and prepares the schema of a file. Checked even if the schema is never used, so that
/// faults are always reported.
fn read(path: &FilePath, toml: &str) -> Result<KnownSchema, FileFault> {
    let definition = Definition::parse(toml).map_err(|fault| FileFault::of(path, fault))?;
    Ok(KnownSchema::new(definition, Some(path.to_owned())))
}
