//! What subcommands over data have in common, and those that print a little.

use std::io::{ErrorKind, IsTerminal, stdout};

use super::manual::{laid_out, laid_out_plain, put};
use super::rules::rules_or_complain;
use super::saved::{onto_stdout, told};
use super::{Failed, complain, journal_config, loader_or_stdin};
use crate::cli::{CountTask, DataTask, ListTask, ShowTask};
use crate::commands::{self, DataSource, Notes};
use crate::export::{PagePiece, page_pieces};

/// Cells of a table that goes into a file or a pipe.
const PLAIN_WIDTH: usize = 120;

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

/// Lists what a query finds.
pub(super) fn list(mut task: ListTask) -> Result<(), Failed> {
    let source = data_source(std::mem::take(&mut task.selection.data), "list from")?;
    let width = match crossterm::terminal::size() {
        Ok((width, _)) if stdout().is_terminal() && width > 0 => usize::from(width),
        _ => PLAIN_WIDTH,
    };
    let listed = onto_stdout(|out| commands::list(&source, &task, width, out));
    told(listed, &task.selection.query, "listed")
}

/// Prints one sample.
pub(super) fn show(task: ShowTask) -> Result<(), Failed> {
    let source = data_source(task.data, "show from")?;
    match commands::show(&source, &task.sample, task.json) {
        Ok((text, notes)) => {
            match task.json {
                true => put_bytes(text.as_bytes())?,
                false => put(&page(&text))?,
            }
            say_notes(&notes, "read")
        }
        Err(error) => told(Err(error), "", "read"),
    }
}

/// A page whose texts stand there as they are, and not as code.
fn page(markdown: &str) -> String {
    let pieces = page_pieces(markdown).into_iter().map(|piece| match piece {
        PagePiece::Markdown(own) => laid_out(own),
        PagePiece::Text(text) => laid_out_plain(text),
    });
    let pieces = pieces.map(|piece| piece.trim_matches('\n').to_owned());
    let pieces: Vec<_> = pieces.filter(|piece| !piece.is_empty()).collect();
    pieces.join("\n\n") + "\n"
}
