//! `visavis config`: what is set for good.

use clap::Args;

use super::Sources;
use super::output::{put, put_bytes};
use crate::config::{commented, effective};
use crate::run::{Exit, Failed, SettingArgs, complain, leave_out_wrong_theme};

/// Print what is set for good, and where it comes from
///
/// What is printed is TOML and can be saved as ~/.config/visavis/config.toml.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print a file with every setting at its default instead, to begin one of your own with
    #[arg(long)]
    default: bool,

    #[command(flatten)]
    settings: SettingArgs,
}

impl ConfigArgs {
    /// Whether anything is wrong is said in the exit code.
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failed> {
        if self.default {
            return put(&commented());
        }
        let mut config = sources.config().with_flags(self.settings.given());
        let wrong_theme = leave_out_wrong_theme(&mut config)?;
        wrong_theme.iter().for_each(|wrong| complain(wrong));
        put_bytes(effective(&config).as_bytes())?;
        match sources.faults.is_empty() && wrong_theme.is_none() {
            true => Ok(()),
            false => Err(Failed::silently(Exit::Usage as u8)),
        }
    }
}
