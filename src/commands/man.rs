//! The man page of the command line.

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::output::put;
use super::{Cli, Sources};
use crate::run::Failure;

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
