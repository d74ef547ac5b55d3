//! The schemas that there are, those of the user among them, and `visavis schemas`.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use super::home::Home;
use super::manual::{laid_out, put};
use super::subcommands::put_bytes;
use super::{Failed, complain, environment};
use crate::cli::SchemasTask;
use crate::commands;
use crate::dataset::Loader;
use crate::schema::{SchemaCatalog, SchemaChoice, SchemaChoiceError};
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
pub(super) fn tell(task: &SchemasTask) -> Result<(), Failed> {
    let mut faults = Vec::new();
    let catalog = catalog(&mut faults);
    let told = match task {
        SchemasTask::List { json: true } => {
            put_bytes(commands::schemas_as_json(&catalog).as_bytes())
        }
        SchemasTask::List { json: false } => list(&catalog),
        SchemasTask::Explain(name) => explain(&catalog, name),
        SchemasTask::Toml(name) => {
            let toml =
                commands::schema_toml(&catalog, name).map_err(|error| refused(name, error))?;
            put_bytes(toml.as_bytes())
        }
        SchemasTask::Try(input) => {
            let loader = Loader {
                inputs: vec![input.clone()],
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
    };
    faults.iter().for_each(|fault| complain(fault));
    told
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
    let home = environment("HOME").filter(|home| !home.is_empty());
    let below = home.and_then(|home| folder.strip_prefix(home).ok());
    let path = below.map_or_else(
        || folder.display().to_string(),
        |below| format!("~/{}", below.display()),
    );
    let is_plain = |c: char| c.is_alphanumeric() || "~/._-+".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    let path = one_line(&folder.display().to_string(), 500);
    format!("'{}'", path.replace('\'', "'\\''"))
}
