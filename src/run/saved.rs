//! The subcommands that write samples and reports.

use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::sync::OnceLock;

use super::subcommands::{data_source, say_notes};
use super::{Failed, complain, inputs_or_default};
use crate::cli::{ExportArgs, ReportArgs, SampleArgs, Sources};
use crate::commands::{self, Notes, SaveError};
use crate::export::{ExportError, SanitisingWriter};
use crate::term::Ending;

pub(super) fn export(mut args: ExportArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    args.selection.data.reading.last_apart = args.drop_leaks.take();
    let source = data_source(args.selection.task("", sources), "export from")?;
    let stop = Stop::default();
    let saved = onto_stdout(|out| commands::export(&source, &args, out, &|| stop.is_not_asked()));
    stop.or(told(saved, &args.selection.query, "written"))
}

/// Draws samples and writes them.
pub(super) fn sample(args: &SampleArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let source = data_source(args.filtered.task(sources), "draw from")?;
    let seed = args.sampling.seed.unwrap_or_else(made_up_seed);
    let stop = Stop::default();
    let saved =
        onto_stdout(|out| commands::sample(&source, args, seed, out, &|| stop.is_not_asked()));
    if saved.is_ok() && args.sampling.seed.is_none() {
        complain(&format!("--seed {seed} draws the same again"));
    }
    stop.or(told(saved, args.filtered.query(), "written"))
}

/// A seed that is short enough to be typed.
fn made_up_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}

pub(super) fn report(args: &ReportArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    // An audit of the demo has a report like any other.
    let data = args.data.task(sources).map(|mut data| {
        data.loader.inputs = inputs_or_default(data.loader.inputs);
        data
    });
    let source = data_source(data, "report on")?;
    let stop = Stop::default();
    let saved = onto_stdout(|out| commands::report(&source, args, out, &|| stop.is_not_asked()));
    stop.or(told(saved, "", "written"))
}

/// Whether a signal asks to stop. Until that is first looked at signals end the process as ever:
/// there is nothing to be cleared away.
#[derive(Default)]
struct Stop(OnceLock<Option<Ending>>);

impl Stop {
    fn is_not_asked(&self) -> bool {
        // Without handlers a signal ends the process at once.
        self.0
            .get_or_init(|| Ending::watch().ok())
            .as_ref()
            .and_then(Ending::signal)
            .is_none()
    }

    /// What came of the subcommand, or the exit code of one that a signal ended; what was not
    /// written was said.
    fn or(&self, done: Result<(), Failed>) -> Result<(), Failed> {
        match self
            .0
            .get()
            .and_then(Option::as_ref)
            .and_then(Ending::signal)
        {
            Some(number) => {
                let reason = done.err().and_then(|failed| failed.reason);
                Err(Failed {
                    exit: super::by_signal(number),
                    reason,
                })
            }
            None => done,
        }
    }
}

/// Bytes as they are into a file or a pipe, and as they may be shown onto a terminal.
pub(super) fn onto_stdout<T>(write: impl FnOnce(&mut dyn Write) -> T) -> T {
    let out = stdout();
    // The standard library's own buffer ends with each line.
    let mut buffered = std::io::BufWriter::with_capacity(1 << 16, out.lock());
    if stdout().is_terminal() {
        write(&mut SanitisingWriter::new(buffered))
    } else {
        write(&mut buffered)
    }
}

/// What became of an answer: what a person should know beside it, or why there is none; `done` is
/// what became of rows before a file ended.
pub(super) fn told(saved: Result<Notes, SaveError>, query: &str, done: &str) -> Result<(), Failed> {
    match saved {
        Ok(notes) => say_notes(&notes, &format!("what came before is {done}")),
        // Whoever stops reading has enough.
        Err(SaveError::Export(ExportError::Output(error)))
            if error.kind() == ErrorKind::BrokenPipe =>
        {
            Ok(())
        }
        Err(SaveError::Selection(error)) => Err(Failed::of_selection(query, &error)),
        Err(SaveError::Export(error)) => Err(not_written(error)),
        Err(SaveError::Noted(notes, error)) => {
            notes.remarks.iter().for_each(|remark| complain(remark));
            notes.troubles.iter().for_each(|trouble| complain(trouble));
            Err(not_written(error))
        }
    }
}

/// Why a file was not written: a name that does not do is a slip of whoever typed it.
pub(super) fn not_written(error: ExportError) -> Failed {
    match error {
        ExportError::Exists { .. }
        | ExportError::Input { .. }
        | ExportError::Journal { .. }
        | ExportError::NoFile { .. } => Failed::usage(error),
        other => Failed::on_the_way(other),
    }
}
