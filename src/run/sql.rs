//! `visavis sql`: onto standard output, or to the command duckdb.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write, copy, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::saved::onto_stdout;
use super::subcommands::put_bytes;
use super::{Failed, by_signal, frame, journal_config, rules};
use crate::cli::{DialectName, Sources, SqlArgs};
use crate::commands::{self, SqlError};
use crate::dataset::Loader;
use crate::export::{ExportError, InputFile, SanitisingWriter, Target};
use crate::source::{Input, journal_path};

/// The command that runs statements.
const DUCKDB: &str = "duckdb";

pub(super) fn sql(args: &SqlArgs, sources: &mut Sources<'_>) -> Result<(), Failed> {
    let loader = args.loader(sources).map_err(Failed::usage)?;
    check_destination(args, &loader)?;
    let statement = commands::sql(args, &loader, &rules::rules_or_complain(None)).map_err(
        |error| match error {
            SqlError::Asked(error) => Failed::of_selection(&args.query, &error),
            SqlError::Refused(refusal) => Failed::usage(refusal),
        },
    )?;
    if args.run {
        return hand_over(&statement);
    }
    put_bytes(statement.as_bytes())
}

/// Refuses a draw into a file that is read or a journal: an engine replaces whatever is there.
fn check_destination(args: &SqlArgs, loader: &Loader) -> Result<(), Failed> {
    let Some(to) = args.to.as_deref() else {
        return Ok(());
    };
    if args.dialect == DialectName::DuckDb && (to.starts_with('~') || to.starts_with("file:/")) {
        return Err(Failed::usage(format!(
            "--to {to}: DuckDB takes ~ and file:/ in front for another place; write the path out, or ./ in front of it"
        )));
    }
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    let journal = journal_config::journal(&loader.inputs, &[], None);
    let beside = loader.inputs.iter().filter_map(|input| match input {
        Input::Path(path) => Some(journal_path(path)),
        _ => None,
    });
    let journals: Vec<PathBuf> = (journal.path.into_iter().chain(journal.also_read))
        .chain(beside)
        .collect();
    let target = Target {
        path: Path::new(to),
        overwrite: true,
        inputs: &inputs,
        journals: &journals,
    };
    match target.check() {
        Err(error @ (ExportError::Input { .. } | ExportError::Journal { .. })) => {
            Err(Failed::usage(format!("--to {error}")))
        }
        // What else is in the way there the engine says; it may be elsewhere.
        _ => Ok(()),
    }
}

/// Lets DuckDB run a statement, and ends as it does. What it says quotes files, which must not
/// control the terminal.
fn hand_over(statement: &str) -> Result<(), Failed> {
    let mut command = Command::new(DUCKDB);
    // Its tables for people leave rows out.
    command.args(["-bail", "-csv"]);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failed::on_the_way(
            "there is no command duckdb: install DuckDB, or leave out --run and hand the statement to what you have",
        ),
        _ => Failed::on_the_way(format!("the command duckdb does not start: {error}")),
    })?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let handed = std::thread::scope(|threads| {
        let (input, output, said) = pipes;
        threads.spawn(move || {
            // A command that ends without reading has said why.
            input.map(|mut input| input.write_all(statement.as_bytes()))
        });
        threads.spawn(move || {
            let mut err = SanitisingWriter::new(stderr());
            said.map(|mut said| copy(&mut said, &mut err).and_then(|_| err.flush()))
        });
        // Whoever stops reading us stops reading it.
        output.map_or(Ok(()), |mut output| {
            onto_stdout(|out| hand_on(&mut output, out))
        })
    });
    let status = child
        .wait()
        .map_err(|error| Failed::on_the_way(format!("the command duckdb: {error}")))?;
    match (handed, status.code()) {
        (Err(HandOverError::Write(error)), _) => frame::closed_pipe(error),
        (Err(HandOverError::Read(error)), _) => Err(Failed::on_the_way(format!(
            "what the command duckdb prints does not read: {error}; run it again"
        ))),
        (Ok(()), Some(0)) => Ok(()),
        (Ok(()), Some(code)) => Err(Failed::silently(u8::try_from(code).unwrap_or(1))),
        (Ok(()), None) => {
            use std::os::unix::process::ExitStatusExt;
            Err(Failed::silently(by_signal(
                status.signal().unwrap_or_default(),
            )))
        }
    }
}

/// Why not all that a command prints was handed on.
enum HandOverError {
    /// It does not come.
    Read(io::Error),
    /// It cannot be written.
    Write(io::Error),
}

/// Hands on all that comes.
fn hand_on(from: &mut dyn Read, out: &mut dyn Write) -> Result<(), HandOverError> {
    let mut from = BufReader::with_capacity(1 << 16, from);
    loop {
        let bytes = match from.fill_buf() {
            Ok([]) => return out.flush().map_err(HandOverError::Write),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(HandOverError::Read(error)),
        };
        out.write_all(bytes).map_err(HandOverError::Write)?;
        let handed = bytes.len();
        from.consume(handed);
    }
}
