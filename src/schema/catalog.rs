//! The schemas that there are: the built-in ones, and those of a person's own folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, LazyLock, OnceLock};

use include_dir::{Dir, include_dir};

use super::registry::SchemaChoiceError;
use super::{Definition, Schema};
use crate::toml_file::{self, FileFault, TomlFault, no_such, ordinary_text};

/// Every file in there is a schema; a new dataset is one more file.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/schemas");

/// The built-in schemas by name: read once, since every file that is opened is held against them.
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

/// A schema that is found by its name and by what stands in a file.
#[derive(Debug, Clone)]
pub struct KnownSchema {
    definition: Arc<Definition>,
    /// Made when it is asked for: of all that are known few can read the records of one file.
    schema: OnceLock<Arc<Schema>>,
    /// Where it comes from.
    pub origin: SchemaOrigin,
}

/// Where a schema comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaOrigin {
    /// The program has it.
    BuiltIn,
    /// A person wrote it.
    User {
        /// Its file.
        path: PathBuf,
        /// Whether a built-in one has the same name, in whose place it stands.
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

    /// What its file says.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The schema, ready to read rows.
    ///
    /// # Errors
    /// When one of its paths lies inside another. The error names the file, the line and the key.
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

/// The schemas that a file is held against: the built-in ones by default.
#[derive(Debug, Clone)]
pub struct SchemaCatalog(Arc<[KnownSchema]>);

impl Default for SchemaCatalog {
    fn default() -> Self {
        READ.clone()
    }
}

impl SchemaCatalog {
    /// The built-in schemas and those of a folder: each file there whose name ends in `.toml` and
    /// does not begin with a dot. A schema of the folder stands in the place of a built-in one of
    /// the same name. No folder is an empty one.
    ///
    /// What is wrong with files of the folder comes beside; the others are in the catalog.
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
                let what = format!("{first} has the name `{name}` already, and that one is taken");
                let fault = known.definition().fault("name", 0, &[], what);
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
        // Of schemas that fit equally well the last is taken: a person's own.
        (Self(kept.cloned().chain(own).collect()), errors)
    }

    /// No schemas: what stands where is then guessed.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    /// All of them: the built-in ones by name, and then a person's own by name.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &KnownSchema> {
        self.0.iter()
    }

    /// The schema of this name.
    pub fn get(&self, name: &str) -> Option<&KnownSchema> {
        self.iter().find(|known| known.name() == name)
    }

    /// Whether one of them has the name of a definition and looks for labels, facts and the like
    /// where it does, however its rows are grouped.
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

    /// The schema of this name, or that of the file with this path, which need not be in the catalog.
    ///
    /// # Errors
    /// When there is no schema of this name and the path is not that of a `.toml` file, or the file
    /// cannot be read or is none.
    pub fn named(&self, name: &str) -> Result<KnownSchema, SchemaChoiceError> {
        if let Some(known) = self.get(name) {
            return Ok(known.clone());
        }
        let path = FilePath::new(name);
        if path.extension().is_none_or(|extension| extension != "toml") {
            let names: Vec<_> = self.iter().map(KnownSchema::name).collect();
            return Err(SchemaChoiceError::Unknown(no_such("schema", name, names)));
        }
        let toml = ordinary_text(path).map_err(|error| FileFault::of(path, error))?;
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
    /// Reads a schema file's text and makes it ready.
    ///
    /// # Errors
    /// When it is no definition ([`Definition::parse`]), or one of its paths lies inside another.
    /// The error names the line and the key.
    pub fn parse(toml: &str) -> Result<Self, TomlFault> {
        Self::new(Definition::parse(toml)?)
    }
}

/// The built-in schemas, by name.
pub fn built_in() -> Vec<Definition> {
    let all = SchemaCatalog::default();
    all.iter().map(|known| known.definition().clone()).collect()
}

/// The schema of a file, ready to read rows: what is wrong with it is told whether it fits or not.
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
