//! What subcommands over data have in common, and those that print a little.

use std::io::{IsTerminal, stdout};

use super::frame::closed_pipe;
use super::manual::{laid_out, laid_out_plain, put};
use super::rules::rules_or_complain;
use super::saved::{onto_stdout, told};
use super::{Exit, Failed, complain, journal_config, loader_or_stdin, progress_bar};
use crate::cli::{
    AgreeArgs, AuditsArgs, CheckArgs, CountArgs, DataTask, ListArgs, MergeArgs, ShowArgs, Sources,
};
use crate::commands::{self, DataSource, MergeError, Notes};
use crate::config::ConfigKey;
use crate::dataset::SampleName;
use crate::export::{PagePiece, counts_as_json, page_pieces};
use crate::text::counted;

/// Cells of a table that goes into a file or a pipe.
const PLAIN_WIDTH: usize = 120;

/// What a subcommand works on; `to` says what files are named for.
///
/// # Errors
/// When the command line is wrong, or no file is named and nothing comes from standard input.
pub(super) fn data_source(task: anyhow::Result<DataTask>, to: &str) -> Result<DataSource, Failed> {
    let task = task.map_err(Failed::usage)?;
    let loader = loader_or_stdin(task.loader, to)?;
    Ok(DataSource {
        journal: journal_config::journal(&loader.inputs, &task.journal, task.reviewer),
        rules: rules_or_complain(task.max_len),
        progress: progress_bar::listener(),
        loader,
    })
}

/// Says what a person should know beside the answer; `rest` is what became of the rest where a file
/// does not read to its end.
///
/// # Errors
/// When a file ends before its time.
pub(super) fn say_notes(notes: &Notes, rest: &str) -> Result<(), Failed> {
    notes.remarks.iter().for_each(|remark| complain(remark));
    match notes.troubles.split_last() {
        None => Ok(()),
        Some((last, before)) => {
            before.iter().for_each(|trouble| complain(trouble));
            Err(Failed::on_the_way(format!("{last}; {rest}")))
        }
    }
}

/// Writes an answer onto standard output; whoever reads us may stop reading.
///
/// # Errors
/// When it takes no more.
pub(super) fn put_bytes(bytes: &[u8]) -> Result<(), Failed> {
    onto_stdout(|out| out.write_all(bytes).and_then(|()| out.flush())).or_else(closed_pipe)
}

/// Prints how many samples or responses a query finds.
pub(super) fn count(args: &CountArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let query = &args.selection.query;
    let source = data_source(args.selection.task("", sources), "count in")?;
    let counted =
        commands::count(&source, query).map_err(|error| Failed::of_selection(query, &error))?;
    let answer = match (args.json, args.rows) {
        (true, _) => counts_as_json(counted.samples, counted.responses, counted.malformed),
        (false, true) => format!("{}\n", counted.responses),
        (false, false) => format!("{}\n", counted.samples),
    };
    put_bytes(answer.as_bytes())?;
    say_notes(&counted.notes, "what came before is counted")
}

/// Lists what a query finds.
pub(super) fn list(args: &ListArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let columns = args.columns.as_deref().unwrap_or_default();
    let source = data_source(args.selection.task(columns, sources), "list from")?;
    // What somebody asked for by name is whole where nothing is only so wide.
    let is_whole = args.columns.is_some() && !stdout().is_terminal();
    let width = (!is_whole).then(table_width);
    let listed = onto_stdout(|out| commands::list(&source, args, width, out));
    told(listed, &args.selection.query, "listed")
}

/// Cells of a table: as many as the terminal has.
fn table_width() -> usize {
    match crossterm::terminal::size() {
        Ok((width, _)) if stdout().is_terminal() && width > 0 => usize::from(width),
        _ => PLAIN_WIDTH,
    }
}

/// Prints one sample.
pub(super) fn show(mut args: ShowArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    if let SampleName::Row { file, .. } = &args.sample {
        args.data.add_first(file.into());
    }
    let source = data_source(args.data.task(sources), "show from")?;
    match commands::show(&source, &args.sample, args.json) {
        Ok((text, notes)) => {
            match args.json {
                true => put_bytes(text.as_bytes())?,
                false => put(&page(&text))?,
            }
            say_notes(&notes, "what came before is read")
        }
        Err(error) => told(Err(error), "", "read"),
    }
}

/// A page whose texts are not shown as code: byte for byte in a file or a pipe, and wrapped and safe
/// on a terminal.
fn page(markdown: &str) -> String {
    let mut page = String::new();
    for piece in page_pieces(markdown) {
        let laid_out = match piece {
            PagePiece::Text(text) if !stdout().is_terminal() => text.to_owned(),
            PagePiece::Text(text) => laid_out_plain(text).trim_matches('\n').to_owned() + "\n",
            PagePiece::Markdown(own) => laid_out(own).trim_matches('\n').to_owned() + "\n",
        };
        if laid_out != "\n" {
            page.push_str(if page.is_empty() { "" } else { "\n" });
            page.push_str(&laid_out);
        }
    }
    page
}

/// Tells what is suspicious.
pub(super) fn check(mut args: CheckArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let data = args.filtered.add_against();
    let data = data
        .and_then(|()| args.filtered.task(sources))
        .map(|mut data| {
            // Rules that ask for it apply without a word in the query.
            data.max_len = (data.max_len).or_else(|| (sources.config)().count(ConfigKey::MaxLen));
            data
        });
    let source = data_source(data, "check")?;
    let checked = onto_stdout(|out| commands::check(&source, &args, table_width(), out));
    let (notes, fails) = match checked {
        Ok(checked) => {
            let fails = args.fail_on.is_some_and(|on| checked.fails(on));
            (Ok(checked.notes), fails)
        }
        Err(error) => (Err(error), false),
    };
    told(notes, args.filtered.query(), "checked")?;
    match fails {
        true => Err(Failed::silently(Exit::Failure as u8)),
        false => Ok(()),
    }
}

/// Tells how far reviewers agree.
pub(super) fn agree(args: &AgreeArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let source = data_source(args.data.task(sources), "tell of")?;
    let (text, notes) = commands::agree(&source, args.reviewer.as_deref(), args.json)
        .map_err(|error| Failed::of_files(&error))?;
    match args.json {
        true => put_bytes(text.as_bytes())?,
        false => put(&laid_out(&text))?,
    }
    say_notes(&notes, "what came before is counted")
}

/// Lists the audits of a journal.
pub(super) fn audits(args: &AuditsArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let source = data_source(args.data.task(sources), "tell of")?;
    let (text, notes) =
        commands::audits(&source, args.json).map_err(|error| Failed::of_files(&error))?;
    put_bytes(text.as_bytes())?;
    say_notes(&notes, "what came before is read")
}

/// Puts several journals into one.
pub(super) fn merge_journals(args: &MergeArgs) -> Result<(), Failed> {
    let merged = onto_stdout(|out| commands::merge_journals(args, out));
    let (acts, notes) = match merged {
        Ok(merged) => merged,
        // What is wrong with a journal that is added to names it.
        Err(MergeError::Output(error)) if args.output.is_some() => {
            return Err(Failed::on_the_way(error));
        }
        Err(MergeError::Output(error)) => return closed_pipe(error),
        Err(MergeError::Usage(error)) => return Err(Failed::usage(format!("{error:#}"))),
    };
    if let Some(path) = &args.output {
        let acts = counted(acts, "act");
        complain(&format!("{acts} added to {}", path.display()));
    }
    say_notes(&notes, "the rest is merged")
}
