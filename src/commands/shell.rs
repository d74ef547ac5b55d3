//! Files for the shell: completion scripts and the man page.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::output::put;
use super::{Cli, Sources};
use crate::run::Failure;

/// Print the completion script of a shell
///
/// It completes subcommands, options, the values of options that have a fixed list, and names of
/// files.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "visavis", &mut script);
        put(&String::from_utf8_lossy(&script))
    }
}

/// Print the man page
#[derive(Debug, Args)]
pub struct ManArgs {}

impl ManArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failure> {
        let mut page = Vec::new();
        let rendered = Man::new(Cli::command()).render(&mut page);
        rendered.map_err(Failure::runtime)?;
        put(&String::from_utf8_lossy(&page))
    }
}
