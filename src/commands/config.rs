//! `visavis config`: the settings in the configuration file.

use clap::{Args, ValueEnum};
use schemars::Schema;

use super::Sources;
use super::output::{print_bytes, put};
use crate::config::{effective, json_schema as config_json_schema, template};
use crate::run::{Exit, Failure, SettingArgs, print_stderr, remove_invalid_theme};
use crate::schema::Definition;

/// Print the settings
///
/// The output is TOML and can be saved as ~/.config/visavis/config.toml.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print a file with every setting at its default, as a template
    #[arg(long)]
    default: bool,

    /// Print the JSON Schema of a kind of file, for editors that validate TOML
    #[arg(long, value_name = "KIND", conflicts_with = "default")]
    json_schema: Option<FileKind>,

    #[command(flatten)]
    settings: SettingArgs,
}

/// A kind of file that the user may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileKind {
    /// config.toml and its key bindings
    Config,
    /// A schema
    Schema,
}

impl FileKind {
    /// Generates the JSON Schema from the types that read such files.
    fn json_schema(self) -> Schema {
        let mut schema = match self {
            Self::Config => config_json_schema(),
            Self::Schema => Definition::json_schema(),
        };
        let draft = "https://json-schema.org/draft/2020-12/schema";
        schema.insert("$schema".to_owned(), draft.into());
        schema
    }
}

impl ConfigArgs {
    /// Prints the settings; the exit code reports faults in them.
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        if self.default {
            return put(&template());
        }
        if let Some(kind) = self.json_schema {
            return put(&format!("{:#}\n", kind.json_schema().as_value()));
        }
        let mut config = sources.config().with_flags(self.settings.given());
        let wrong_theme = remove_invalid_theme(&mut config)?;
        wrong_theme.iter().for_each(|wrong| print_stderr(wrong));
        print_bytes(effective(&config).as_bytes())?;
        match sources.faults.is_empty() && wrong_theme.is_none() {
            true => Ok(()),
            false => Err(Failure::silent(Exit::Usage as u8)),
        }
    }
}
