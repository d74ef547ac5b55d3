//! What subcommands over data have in common, and those that print a little.

use std::io::ErrorKind;

use super::rules::rules_or_complain;
use super::saved::onto_stdout;
use super::{Failed, complain, journal_config, loader_or_stdin};
use crate::cli::{CountTask, DataTask};
use crate::commands::{self, DataSource, Notes};

/// What a subcommand works on; `to` says what files are named for.
///
/// # Errors
/// When no file is named and nothing comes from standard input.
pub(super) fn data_source(task: DataTask, to: &str) -> Result<DataSource, Failed> {
    let loader = loader_or_stdin(task.loader, to)?;
    Ok(DataSource {
        journal: journal_config::journal(&loader.inputs, &task.journal, task.reviewer),
        rules: rules_or_complain(task.max_len),
        loader,
    })
}

/// Says what a person should know beside the answer; `done` is what became of rows before a file
/// ended.
///
/// # Errors
/// When a file ends before its time.
pub(super) fn say_notes(notes: &Notes, done: &str) -> Result<(), Failed> {
    notes.remarks.iter().for_each(|remark| complain(remark));
    match notes.troubles.split_last() {
        None => Ok(()),
        Some((last, before)) => {
            before.iter().for_each(|trouble| complain(trouble));
            Err(Failed::on_the_way(format!(
                "{last}; what came before is {done}"
            )))
        }
    }
}

/// Writes an answer onto standard output; whoever reads us may stop reading.
///
/// # Errors
/// When it takes no more.
pub(super) fn put_bytes(bytes: &[u8]) -> Result<(), Failed> {
    match onto_stdout(|out| out.write_all(bytes).and_then(|()| out.flush())) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failed::on_the_way(error)),
        _ => Ok(()),
    }
}

/// Prints how many samples or responses a query finds.
pub(super) fn count(task: CountTask) -> Result<(), Failed> {
    let query = task.selection.query;
    let source = data_source(task.selection.data, "count in")?;
    let counted =
        commands::count(&source, &query).map_err(|error| Failed::of_selection(&query, &error))?;
    let number = if task.rows {
        counted.responses
    } else {
        counted.samples
    };
    put_bytes(format!("{number}\n").as_bytes())?;
    say_notes(&counted.notes, "counted")
}
