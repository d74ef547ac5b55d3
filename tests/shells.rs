//! The output of `visavis completions` and `visavis man`, checked with the shells and man that are
//! installed.

use std::path::Path;

use crate::program;
use assert_cmd::assert::OutputAssertExt;
use tempfile::TempDir;

use crate::program::{PROGRAM, Program};
use crate::pty::Pty;

const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/helpsteer2.jsonl");

/// Writes the program's output to a file.
fn printed(folder: &Path, name: &str, args: &[&str]) -> String {
    let output = Program::new(args).assert().success().get_output().clone();
    let path = folder.join(name);
    std::fs::write(&path, output.stdout).expect("written");
    path.to_str().expect("a path").to_owned()
}

/// Returns another program's standard output, run in a folder; `None` if it is not installed.
fn said(folder: &Path, name: &str, args: &[&str]) -> Option<String> {
    let mut other = Program::other(name, args)?;
    let output = other.current_dir(folder).assert().success();
    Some(String::from_utf8_lossy(&output.get_output().stdout).into_owned())
}

#[test]
fn shells_take_their_scripts() {
    let folder = TempDir::new().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(folder.path(), shell, &["completions", shell]);
        said(folder.path(), shell, &["-n", &script]);
    }
}

#[test]
fn bash_completes_subcommands_options_and_their_values() {
    let folder = TempDir::new().expect("a folder");
    let script = printed(folder.path(), "script", &["completions", "bash"]);
    for (words, at, expected) in [
        (
            &["compl"][..],
            1,
            "completions
",
        ),
        (
            &["--sche"],
            1,
            "--schema
",
        ),
        (
            &["export", DEMO, "--to", "tr"],
            4,
            "trl
",
        ),
    ] {
        let line = format!(
            "source {script}; COMP_WORDS=({PROGRAM} '{}'); COMP_CWORD={at}; \
             _visavis {PROGRAM} '{}' '{}' 2>/dev/null; printf '%s\n' \"${{COMPREPLY[@]}}\"",
            words.join("' '"),
            words[at - 1],
            if at > 1 { words[at - 2] } else { PROGRAM },
        );
        let Some(said) = said(folder.path(), "bash", &["--norc", "-c", &line]) else {
            return;
        };
        assert_eq!(said, expected, "{words:?}");
    }
}

#[test]
fn man_takes_the_page() {
    let folder = TempDir::new().expect("a folder");
    let page = printed(folder.path(), "visavis.1", &["man"]);
    if let Some(said) = said(
        folder.path(),
        "mandoc",
        &["-T", "lint", "-W", "error", &page],
    ) {
        assert_eq!(said, "");
    }
    if let Some(said) = said(folder.path(), "man", &["-l", &page]) {
        for words in ["NAME", "visavis-count", "--svg", "SUBCOMMANDS"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}

#[test]
fn an_answer_that_takes_long_shows_how_far_it_is_and_leaves_no_trace() {
    let folder = TempDir::new().expect("a folder");
    let script = "(cat \"$1\"; sleep 3) | \"$0\" count --rows 'helpfulness>=0'; echo \"exit $?\"";
    let mut command = program::shell_at_home(folder.path(), script);
    command.arg(DEMO);
    let pty = Pty::spawn(command, 100, 20);
    pty.wait_for("reading, ");
    pty.wait_for("exit 0");
    pty.wait_gone("reading, ");
}
