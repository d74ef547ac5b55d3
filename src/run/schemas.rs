//! The schemas that there are, those of the user among them, and `visavis schemas`.

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::home::Home;
use super::manual::{laid_out, put};
use super::subcommands::put_bytes;
use super::{Failed, complain, settings};
use crate::cli::SchemasArgs;
use crate::commands;
use crate::dataset::Loader;
use crate::schema::{
    Definition, FieldRole, Schema, SchemaCatalog, SchemaChoice, SchemaChoiceError,
};
use crate::source::Input;
use crate::text::one_line;

/// The built-in schemas and the user's own; what is wrong with those is added to `faults`.
pub(super) fn catalog(faults: &mut Vec<String>) -> SchemaCatalog {
    let Some(folder) = folder() else {
        return SchemaCatalog::default();
    };
    let (catalog, errors) = SchemaCatalog::with_folder(&folder);
    faults.extend(errors.iter().map(ToString::to_string));
    catalog
}

/// Where the user's own schemas are; `None` for a user without a home.
fn folder() -> Option<PathBuf> {
    Some(Home::of_user()?.config.join("schemas"))
}

/// Lists schemas, explains one, or tries them on a file.
pub(super) fn tell(args: &SchemasArgs) -> Result<(), Failed> {
    let mut faults = Vec::new();
    let catalog = catalog(&mut faults);
    let told = match (args.input(), args.name.as_deref()) {
        (Some(input), _) if args.guessed.is_some() => {
            let name = name_for(&input);
            let loader = Loader {
                inputs: vec![input],
                ..Loader::default()
            };
            let toml = commands::guess_schema(&loader, &name);
            put_bytes(toml.map_err(|error| Failed::of_files(&error))?.as_bytes())
        }
        (Some(input), _) => {
            let loader = Loader {
                inputs: vec![input],
                choice: SchemaChoice::Detect(catalog.clone()),
                ..Loader::default()
            };
            let tried = commands::try_schemas(&loader, &catalog)
                .map_err(|error| Failed::of_files(&error))?;
            put_bytes(tried.table.as_bytes())?;
            match tried.taken {
                Ok(words) => put_bytes(words.as_bytes()),
                Err(reason) => Err(Failed::usage(reason)),
            }
        }
        (None, Some(name)) if args.toml => {
            let toml =
                commands::schema_toml(&catalog, name).map_err(|error| refused(name, error))?;
            put_bytes(toml.as_bytes())
        }
        (None, Some(name)) => explain(&catalog, name),
        (None, None) if args.json => put_bytes(commands::schemas_as_json(&catalog).as_bytes()),
        (None, None) => list(&catalog),
    };
    faults.iter().for_each(|fault| complain(fault));
    told
}

/// The name of a schema for a file: that of the file up to its first dot.
pub(super) fn name_for(input: &Input) -> String {
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

/// Writes a layout that a person chose into the folder of their schemas and has the loader read by it; what
/// became of that, or why nothing can be read by it.
pub(super) fn keep(
    loader: &mut Loader,
    definition: &Definition,
    fields: &[FieldRole],
) -> Result<String, String> {
    let name = loader
        .inputs
        .first()
        .map_or_else(|| "mine".to_owned(), name_for);
    let folder = folder();
    let known = folder
        .as_deref()
        .map(|folder| SchemaCatalog::with_folder(folder).0);
    let is_free = |name: &String| {
        let file = folder
            .as_ref()
            .map(|folder| folder.join(format!("{name}.toml")));
        known.as_ref().is_none_or(|known| known.get(name).is_none())
            && file.is_none_or(|file| !file.exists())
    };
    let names = std::iter::once(name.clone()).chain((2..).map(|at| format!("{name}-{at}")));
    let name = names.into_iter().find(is_free).unwrap_or(name);
    let toml = definition
        .named(&name)
        .written(fields)
        .map_err(|fault| fault.to_string())?;
    let schema = Schema::parse(&toml).map_err(|fault| fault.to_string())?;
    let named = SchemaChoice::Named(Arc::new(schema));
    loader.choice = match &loader.choice {
        SchemaChoice::WithScores(_) => SchemaChoice::WithScores(Box::new(named)),
        _ => named,
    };
    let Some(folder) = folder else {
        return Ok(
            "The layout holds for this run: there is no home folder to keep it in.".to_owned(),
        );
    };
    let path = folder.join(format!("{name}.toml"));
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, toml));
    Ok(match kept {
        Ok(()) => format!("The layout is kept as {}.", path.display()),
        Err(error) => format!(
            "The layout holds for this run: {}: {error}.",
            path.display()
        ),
    })
}

/// Has the loader read a list of its file as the records, or with no pointer the whole file again; what
/// became of that, or why it cannot.
pub(super) fn open_list(loader: &mut Loader, pointer: &str) -> Result<String, String> {
    let shown = one_line(pointer, 200);
    match (loader.inputs.as_mut_slice(), pointer) {
        ([input @ Input::Within { .. }], "") => {
            *input = input.whole().clone();
            Ok("The records are those of the whole file again.".to_owned())
        }
        (_, "") => Err("There is nothing to undo.".to_owned()),
        ([input @ Input::Path(_)], _) => {
            let (document, pointer) = (Box::new(input.clone()), pointer.to_owned());
            *input = Input::Within { document, pointer };
            Ok(format!(
                "The records are {shown}; --rows-at {shown} opens the file so."
            ))
        }
        _ => Err(format!("Open the file alone with --rows-at {shown}.")),
    }
}

/// A line for each schema, with a word on where to go from there for people.
fn list(catalog: &SchemaCatalog) -> Result<(), Failed> {
    put_bytes(commands::list_schemas(catalog).as_bytes())?;
    // For people: what reads a pipe wants the lines alone.
    if stdout().is_terminal() {
        put(&format!(
            "\nvisavis schemas NAME explains one. Your own are the .toml files in {}.\n",
            shown(folder().as_deref())
        ))?;
    }
    Ok(())
}

fn explain(catalog: &SchemaCatalog, name: &str) -> Result<(), Failed> {
    let folder = shown(folder().as_deref());
    let page = commands::explain_schema(catalog, name, &folder);
    let page = page.map_err(|error| refused(name, error))?;
    put(&laid_out(&page))
}

/// That there is no such schema; of a file of data, what tells which schemas fit it.
fn refused(name: &str, error: SchemaChoiceError) -> Failed {
    let is_data = matches!(error, SchemaChoiceError::Unknown(_)) && Path::new(name).is_file();
    match is_data {
        true => Failed::usage(format!(
            "{name} is a file, and none of a schema, whose name ends in .toml: \
             visavis schemas --try FILE tells which schemas fit it"
        )),
        false => Failed::usage(error),
    }
}

/// The folder of the user's own schemas, as a shell takes it.
fn shown(folder: Option<&Path>) -> String {
    let Some(folder) = folder else {
        return "~/.config/visavis/schemas".to_owned();
    };
    let path = settings::shown(folder);
    let is_plain = |c: char| c.is_alphanumeric() || "~/._-+".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    let path = one_line(&folder.display().to_string(), 500);
    format!("'{}'", path.replace('\'', "'\\''"))
}
