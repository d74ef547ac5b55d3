//! Loads the schemas, including the user's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use super::home::Home;
use super::texts;
use crate::dataset::Loader;
use crate::schema::{Definition, FieldRole, Schema, SchemaCatalog, SchemaChoice};
use crate::source::Input;
use crate::text::one_line;

/// Returns the built-in schemas and the user's own; adds faults in the latter to `faults`.
pub(crate) fn catalog(faults: &mut Vec<String>) -> SchemaCatalog {
    let Some(folder) = schema_folder() else {
        return SchemaCatalog::default();
    };
    let (catalog, errors) = SchemaCatalog::with_folder(&folder);
    faults.extend(errors.iter().map(ToString::to_string));
    catalog
}

/// Returns the folder of the user's own schemas; `None` for a user without a home.
pub(crate) fn schema_folder() -> Option<PathBuf> {
    Some(Home::of_user()?.config.join("schemas"))
}

/// Returns a schema name for a file: the file name up to its first dot.
pub(crate) fn name_for(input: &Input) -> String {
    let name = match input.whole() {
        Input::Path(path) => path.file_name().unwrap_or_default().to_string_lossy(),
        _ => "mine".into(),
    };
    let stem = name
        .split('.')
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let plain = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let name: String = stem.chars().take(60).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "mine" } else { name }.to_owned()
}

/// Saves a layout as one of the user's own schemas and makes the loader use it. It replaces the
/// user's schema of the same name, whose file is kept with a `~`. Returns a notice, or why it cannot
/// be used.
pub(super) fn save_layout(
    loader: &mut Loader,
    definition: &Definition,
    fields: &[FieldRole],
) -> Result<String, String> {
    let folder = schema_folder();
    let known = folder
        .as_deref()
        .map(|folder| SchemaCatalog::with_folder(folder).0);
    let file = |name: &str| Some(folder.as_ref()?.join(format!("{name}.toml")));
    let is_free = |name: &String| {
        known.as_ref().is_none_or(|known| known.get(name).is_none())
            && file(name).is_none_or(|file| !file.exists())
    };
    let replaced = known.as_ref().and_then(|it| own_file(it, &definition.name));
    let new = loader
        .inputs
        .first()
        .map_or_else(|| "mine".to_owned(), name_for);
    let numbered = (2..).map(|at| format!("{new}-{at}"));
    let mut names = std::iter::once(new.clone()).chain(numbered);
    let name = match &replaced {
        Some(_) => definition.name.clone(),
        None => names.find(is_free).unwrap_or_default(),
    };
    let toml = definition
        .named(&name)
        .to_toml(fields)
        .map_err(|fault| fault.to_string())?;
    let schema = Schema::parse(&toml).map_err(|fault| fault.to_string())?;
    choose(loader, SchemaChoice::Named(Arc::new(schema)));
    let Some(path) = replaced.clone().or_else(|| file(&name)) else {
        return Ok(texts::LAYOUT_NOT_SAVED.to_owned());
    };
    let kept = replaced
        .map_or(Ok(()), |path| put_aside(&path).map(drop))
        .and_then(|()| fs::create_dir_all(path.parent().unwrap_or(&path)));
    Ok(match kept.and_then(|()| fs::write(&path, toml)) {
        Ok(()) => texts::layout_saved(path.display()),
        Err(error) => texts::layout_unwritable(path.display(), error),
    })
}

/// Forgets the user's schema of this name, whose file is kept with a `~`, and makes the loader choose
/// anew. Returns a notice, or why there is nothing to forget.
pub(super) fn forget_layout(loader: &mut Loader, name: &str) -> Result<String, String> {
    let path = own_file(&catalog(&mut Vec::new()), name).ok_or(texts::NOT_A_SAVED_LAYOUT)?;
    let aside = put_aside(&path).map_err(|error| error.to_string())?;
    choose(loader, SchemaChoice::Detect(catalog(&mut Vec::new())));
    Ok(texts::layout_forgotten(aside.display()))
}

/// Makes the loader choose the schema of its files like this.
fn choose(loader: &mut Loader, choice: SchemaChoice) {
    loader.choice = match &loader.choice {
        SchemaChoice::WithScores(_) => SchemaChoice::WithScores(Box::new(choice)),
        _ => choice,
    };
}

/// Returns the file of the user's schema of this name.
fn own_file(catalog: &SchemaCatalog, name: &str) -> Option<PathBuf> {
    catalog.get(name)?.file.clone()
}

/// Renames a file to a name that ends in `~`, which no folder of schemas reads.
fn put_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = path.with_extension("toml~");
    fs::rename(path, &aside).map(|()| aside)
}

/// Makes the loader read a list of its file as the records, or the whole file again if the pointer
/// is empty. Returns a notice, or why it cannot.
pub(super) fn open_list(loader: &mut Loader, pointer: &str) -> Result<String, String> {
    let shown = one_line(pointer, 200);
    match (loader.inputs.as_mut_slice(), pointer) {
        ([input @ Input::Within { .. }], "") => {
            *input = input.whole().clone();
            Ok(texts::WHOLE_FILE.to_owned())
        }
        (_, "") => Err(texts::NOTHING_TO_UNDO.to_owned()),
        ([input @ Input::Path(_)], _) => {
            let (document, pointer) = (Box::new(input.clone()), pointer.to_owned());
            *input = Input::Within { document, pointer };
            Ok(texts::list_opened(shown))
        }
        _ => Err(texts::open_list_alone(shown)),
    }
}
