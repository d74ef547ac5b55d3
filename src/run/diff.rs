//! `visavis diff`: onto standard output, with the exit codes of diff.

use super::progress_bar::listener;
use super::subcommands::{put_bytes, say_notes};
use super::{Exit, Failed};
use crate::cli::{DiffArgs, Sources};
use crate::commands::{self, DataSource};

/// Prints how two files differ: success where they do not.
pub(super) fn diff(args: &DiffArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let in_trouble = |failed: Failed| Failed {
        // As diff has it: 1 says that they differ.
        exit: Exit::Usage as u8,
        ..failed
    };
    let loaders = args.loaders(sources).map_err(Failed::usage)?;
    let sources = loaders.map(|loader| DataSource {
        loader,
        progress: listener(),
        ..DataSource::default()
    });
    let compared = commands::diff(&sources, args.n, args.json)
        .map_err(|error| in_trouble(Failed::of_files(&error)))?;
    put_bytes(compared.text.as_bytes()).map_err(in_trouble)?;
    say_notes(&compared.notes, "what came before is compared").map_err(in_trouble)?;
    match compared.is_same {
        true => Ok(()),
        false => Err(Failed::silently(Exit::Failure as u8)),
    }
}
