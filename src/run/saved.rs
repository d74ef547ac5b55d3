//! The subcommands that write samples and reports.

use std::cell::OnceCell;
use std::io::{ErrorKind, IsTerminal, Write, stdout};

use super::journal_config::journal;
use super::rules::rules_or_complain;
use super::{Failed, complain, inputs_or_default, loader_or_stdin, pointed_out};
use crate::cli::{ExportTask, ReportTask};
use crate::commands::{self, ExportOutcome, SaveError};
use crate::dataset::Loader;
use crate::export::{ExportError, SanitisingWriter};
use crate::term::Ending;

pub(super) fn export(mut task: ExportTask) -> Result<(), Failed> {
    let rules = rules_or_complain(task.max_len);
    let loader = loader_or_stdin(std::mem::take(&mut task.loader), "export from")?;
    let journal = journal(&loader.inputs, &task.saving.journal, task.reviewer.take());
    let stop = Stop::default();
    let saved = onto_stdout(|out| {
        commands::export(&loader, &task, &journal, &rules, out, &|| {
            stop.is_not_asked()
        })
    });
    stop.or(told(saved, &task.query))
}

pub(super) fn report(mut task: ReportTask) -> Result<(), Failed> {
    // An audit of the demo has a report like any other.
    let loader = std::mem::take(&mut task.loader);
    let loader = Loader {
        inputs: inputs_or_default(loader.inputs),
        ..loader
    };
    let journal = journal(&loader.inputs, &task.saving.journal, None);
    let stop = Stop::default();
    let saved =
        onto_stdout(|out| commands::report(&loader, &task, &journal, out, &|| stop.is_not_asked()));
    stop.or(told(saved, ""))
}

/// Whether a signal asks to stop. Until that is first looked at signals end the process as ever:
/// there is nothing to be cleared away.
#[derive(Default)]
struct Stop(OnceCell<Option<Ending>>);

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

fn told(saved: Result<ExportOutcome, SaveError>, query: &str) -> Result<(), Failed> {
    match saved {
        Ok(saved) => {
            saved.remarks.iter().for_each(|remark| complain(remark));
            if saved.is_cut {
                return Err(Failed::on_the_way(
                    "a file ends before its time; what came before is written",
                ));
            }
            Ok(())
        }
        // Whoever stops reading has enough.
        Err(SaveError::Export(ExportError::Output(error)))
            if error.kind() == ErrorKind::BrokenPipe =>
        {
            Ok(())
        }
        Err(SaveError::Usage(error)) => Err(Failed::of_files(&error)),
        Err(SaveError::Query(error)) => Err(Failed::usage(pointed_out(query, &error))),
        Err(SaveError::Export(error)) => Err(not_written(error)),
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
