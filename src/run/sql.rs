//! `visavis sql`: onto standard output, or to the command duckdb.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use super::saved::onto_stdout;
use super::{Failed, by_signal, rules};
use crate::cli::SqlTask;
use crate::commands::{self, SqlError};

/// The command that runs statements.
const DUCKDB: &str = "duckdb";

pub(super) fn sql(task: &SqlTask) -> Result<(), Failed> {
    let statement =
        commands::sql(task, &rules::rules_or_complain(None)).map_err(|error| match error {
            SqlError::Asked(error) => Failed::of_selection(&task.query, &error),
            SqlError::Refused(refusal) => Failed::usage(refusal),
        })?;
    if task.runs {
        return hand_over(&statement);
    }
    onto_stdout(|out| {
        out.write_all(statement.as_bytes())
            .and_then(|()| out.flush())
    })
    .or_else(super::frame::closed_pipe)
}

/// Lets DuckDB run a statement, and ends as it does.
fn hand_over(statement: &str) -> Result<(), Failed> {
    let mut command = Command::new(DUCKDB);
    // Its tables for people leave rows out.
    command.args(["-bail", "-csv"]).stdin(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failed::on_the_way(
            "there is no command duckdb: install DuckDB, or leave out --run and hand the statement to what you have",
        ),
        _ => Failed::on_the_way(format!("the command duckdb does not start: {error}")),
    })?;
    if let Some(mut input) = child.stdin.take() {
        // A command that ends without reading has said why.
        let _ = input.write_all(statement.as_bytes());
    }
    let status = child
        .wait()
        .map_err(|error| Failed::on_the_way(format!("the command duckdb: {error}")))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Failed::silently(u8::try_from(code).unwrap_or(1))),
        None => {
            use std::os::unix::process::ExitStatusExt;
            Err(Failed::silently(by_signal(
                status.signal().unwrap_or_default(),
            )))
        }
    }
}
