//! `visavis sql`: prints a query as a statement, or runs it with the command `duckdb`.

use std::io::{ErrorKind, Write, copy, stderr};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use super::data::{query, take_file};
use super::output::{print_bytes, with_stdout};
use super::reading::{SchemaChoiceArgs, inputs};
use super::selection::query_failure;
use super::{Sources, texts};
use crate::dataset::{Dataset, DatasetFile, LoadEvent, Loader};
use crate::export::{ExportError, InputFile, SanitisingWriter, Target};
use crate::query::{Catalog, parse};
use crate::run::{
    Failure, Journal, ignore_closed_pipe, one_of, rules_with_warnings, signal_exit_code,
};
use crate::source::{Input, journal_path};
use crate::sql::{SqlDialect, SqlFile, SqlOutput, SqlRefusal, SqlRequest, statement};

/// The command that runs statements.
const DUCKDB: &str = "duckdb";

/// Samples per file that are checked for lists of messages.
const FIRST_SAMPLES: usize = 256;

/// Print a query as SQL for DuckDB, or as a program for Spark
///
/// The statement finds the same samples as visavis, with its pairs of rows and its rule for missing
/// values. Terms that an engine cannot express are rejected; see visavis guide sql.
#[derive(Debug, Args)]
pub struct SqlArgs {
    /// Query; empty or missing: all samples. If it is the name of a file, that is the first file
    #[arg(allow_hyphen_values = true, value_parser = query, default_value = "", hide_default_value = true)]
    query: String,

    /// Files to read, in this order
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Engine
    #[arg(long, value_parser = one_of(SqlDialect::NAMED), value_name = "ENGINE", default_value = "duckdb")]
    dialect: SqlDialect,

    /// Count the samples instead of listing them
    #[arg(long)]
    count: bool,

    /// Run the statement with the command duckdb and print its output as CSV
    #[arg(long)]
    run: bool,

    /// Draw N of the samples by a hash of --seed, and write their rows to --to
    #[arg(long, value_name = "N", requires = "to", conflicts_with = "count")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,

    /// Seed of --sample
    #[arg(long, value_name = "SEED", default_value = "0", requires = "sample")]
    seed: u64,

    /// File for the original rows of the drawn samples; the engine overwrites an existing file
    #[arg(long, value_name = "FILE", requires = "sample")]
    to: Option<String>,

    #[command(flatten)]
    schema: SchemaChoiceArgs,
}

impl SqlArgs {
    pub(super) fn run(mut self, sources: &mut Sources) -> Result<(), Failure> {
        take_file(&mut self.query, &mut self.files)?;
        if self.run && self.dialect != SqlDialect::DuckDb {
            return Err(Failure::usage(texts::RUN_SPARK));
        }
        let loader = Loader {
            inputs: inputs(self.files.clone(), 0, None)?,
            choice: self.schema.choice(sources)?,
            ..Loader::default()
        };
        check_destination(&self, &loader)?;
        let statement = translate(&self, &loader)?;
        if self.run {
            run_duckdb(&statement)
        } else {
            print_bytes(statement.as_bytes())
        }
    }
}

/// Rejects an output that is an input or a journal, because the engine overwrites existing files.
fn check_destination(args: &SqlArgs, loader: &Loader) -> Result<(), Failure> {
    let Some(to) = args.to.as_deref() else {
        return Ok(());
    };
    if args.dialect == SqlDialect::DuckDb && (to.starts_with('~') || to.starts_with("file:/")) {
        return Err(Failure::usage(texts::duckdb_path(to)));
    }
    let inputs: Vec<_> = loader.all_inputs().filter_map(InputFile::of).collect();
    let journal = Journal::of(&loader.inputs, &[], None);
    let beside = loader.inputs.iter().filter_map(|input| match input {
        Input::Path(path) => Some(journal_path(path)),
        _ => None,
    });
    let journals: Vec<PathBuf> = journal.paths.into_iter().chain(beside).collect();
    let target = Target {
        path: Path::new(to),
        overwrite: true,
        inputs: &inputs,
        journals: &journals,
    };
    match target.check() {
        Err(error @ ExportError::Protected { .. }) => Err(Failure::usage(format!("--to {error}"))),
        // Other problems are reported by the engine, which may run on another machine.
        _ => Ok(()),
    }
}

fn refusal(of: &str, reason: &str) -> Failure {
    let (of, reason) = (of.to_owned(), reason.to_owned());
    Failure::usage(SqlRefusal { of, reason })
}

/// Returns the query as a statement or a program. Reads only the first rows of the files, for their
/// schemas.
fn translate(args: &SqlArgs, loader: &Loader) -> Result<String, Failure> {
    let (mut files, mut messages) = (Vec::new(), None);
    for input in &loader.inputs {
        match input {
            Input::Path(path) if path.is_file() => {}
            Input::Path(path) if path.exists() => {
                return Err(refusal(&path.to_string_lossy(), texts::SQL_NOT_A_FILE));
            }
            Input::Stdin => return Err(refusal("standard input", texts::SQL_STDIN)),
            _ => {}
        }
        let (file, path) = read_head(loader, input)?;
        let name = file.as_ref().map(|file| file.source.name().to_owned());
        messages = messages.or_else(|| path.zip(name));
        files.extend(file);
    }
    let Some(first) = files.first() else {
        return Err(Failure::usage(texts::SQL_NO_FILES));
    };
    let schema = first.schema.definition();
    if let Some(other) = (files.iter()).find(|file| file.schema.definition().name != schema.name) {
        let names = [&first.source, &other.source].map(|source| source.name());
        let its = &other.schema.definition().name;
        let reason = texts::other_schema(names[0], &schema.name, names[1], its);
        return Err(refusal("several schemas", &reason));
    }
    let catalog = Catalog::of_files(&files);
    let catalog = catalog.with_rules(&rules_with_warnings(None).definitions());
    let query = parse(&args.query, &catalog).map_err(|error| query_failure(&args.query, &error))?;
    let sql_files: Vec<_> = files.iter().map(SqlFile::of).collect();
    let output = match (args.sample, &args.to) {
        (Some(samples), Some(to)) => SqlOutput::Draw {
            samples,
            seed: args.seed,
            to: to.clone(),
        },
        _ if args.count => SqlOutput::Count,
        _ => SqlOutput::List,
    };
    let request = SqlRequest {
        query: &query,
        catalog: &catalog,
        definition: schema,
        files: &sql_files,
        dialect: args.dialect,
        output: &output,
    };
    let text = statement(request).map_err(Failure::usage)?;
    let Some((path, file)) = messages else {
        return Ok(text);
    };
    Err(refusal(&path, &texts::message_lists(file)))
}

/// Reads the first rows of a file. Returns the file, and the path at which they have a list of
/// messages in place of a text.
fn read_head(
    loader: &Loader,
    input: &Input,
) -> anyhow::Result<(Option<DatasetFile>, Option<String>)> {
    let loader = Loader {
        inputs: vec![input.clone()],
        ..loader.clone()
    };
    let (mut head, mut dataset) = (None, Dataset::default());
    loader.run(&mut |report| {
        dataset.add(&report);
        match report {
            LoadEvent::File(file) => head = Some(file),
            LoadEvent::Chunk(_) => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    let mut path = None;
    dataset.for_each_sample(0..FIRST_SAMPLES, &|_| true, &mut |_, rows| {
        for row in rows.lines().iter().map(|line| rows.schema().row(line)) {
            path = (path.take()).or_else(|| row.ok()?.message_path().map(|path| path.to_string()));
        }
    });
    Ok((head, path))
}

/// Runs the statement in DuckDB and exits with its exit code. Its messages are sanitised, because
/// they quote files.
fn run_duckdb(statement: &str) -> Result<(), Failure> {
    let mut command = Command::new(DUCKDB);
    // Its default table format omits rows.
    command.args(["-bail", "-csv"]);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::runtime(texts::NO_DUCKDB),
        _ => Failure::runtime(texts::duckdb_start(error)),
    })?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let piped = std::thread::scope(|threads| {
        let (input, output, errors) = pipes;
        threads.spawn(move || {
            // If the command ends without reading its input, it has printed the reason.
            input.map(|mut input| input.write_all(statement.as_bytes()))
        });
        threads.spawn(move || {
            let mut err = SanitisingWriter::new(stderr());
            errors.map(|mut errors| copy(&mut errors, &mut err).and_then(|_| err.flush()))
        });
        // A reader that closes the pipe early stops both.
        output.map_or(Ok(()), |mut output| {
            with_stdout(|out| copy(&mut output, out).and_then(|_| out.flush()))
        })
    });
    let status = child
        .wait()
        .map_err(|error| Failure::runtime(texts::duckdb_failed(error)))?;
    match (piped, status.code()) {
        (Err(error), _) => ignore_closed_pipe(error),
        (Ok(()), Some(0)) => Ok(()),
        (Ok(()), Some(code)) => Err(Failure::silent(u8::try_from(code).unwrap_or(1))),
        (Ok(()), None) => {
            use std::os::unix::process::ExitStatusExt;
            Err(Failure::silent(signal_exit_code(
                status.signal().unwrap_or_default(),
            )))
        }
    }
}
