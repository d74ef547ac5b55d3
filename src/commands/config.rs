//! `visavis config`: the settings in the configuration file.

use clap::Args;

use super::Sources;
use super::output::{print_bytes, put};
use crate::config::{effective, template};
use crate::run::{Exit, Failure, SettingArgs, print_stderr, remove_invalid_theme};

/// Print the settings
///
/// The output is TOML and can be saved as ~/.config/visavis/config.toml.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print a file with every setting at its default, as a template
    #[arg(long)]
    default: bool,

    #[command(flatten)]
    settings: SettingArgs,
}

impl ConfigArgs {
    /// Prints the settings; the exit code reports faults in them.
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failure> {
        if self.default {
            return put(&template());
        }
        let mut config = sources.config().with_flags(self.settings.given());
        let wrong_theme = remove_invalid_theme(&mut config)?;
        wrong_theme.iter().for_each(|wrong| print_stderr(wrong));
        print_bytes(effective(&config).as_bytes())?;
        if sources.faults.is_empty() && wrong_theme.is_none() {
            Ok(())
        } else {
            Err(Failure::silent(Exit::Usage as u8))
        }
    }
}
