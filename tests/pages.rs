//! Documentation as tests: each page of `tests/pages/` has files, commands, and the exact output of
//! these commands. A page is a script: its commands run in order in one folder, which is also their
//! home and has the demo's files in `demo/`.
//!
//! - A block ```` ```jsonl NAME ```` writes a file.
//! - A block ```` ```console ```` has commands after `$ ` (continued after `> `), which `sh` runs.
//!   Standard output follows each, then standard error after `! `, then `[exit N]` unless it is 0.
//!   The path of the folder is shown as `~`. If output has fences, that of the block is longer.
//!
//! `INSTA_UPDATE=always cargo test --test main -- pages` writes the current output to the pages.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use tempfile::TempDir;

use crate::program;

/// Lists the pages, so that each is a test with its name.
macro_rules! pages {
    ($($page:ident)*) => {
        $(#[test] fn $page() { verify(stringify!($page)); })*
        const PAGES: &[&str] = &[$(stringify!($page)),*];
    };
}

pages! { check commands config count errors export files frames guide hub join list raters rows sample schemas show sql stats training }

/// Subcommands without a page.
const WITHOUT_PAGE: &str = "diff agree audits journal";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages")
}

#[test]
fn every_page_is_a_test_and_every_subcommand_has_a_page() {
    let files = fs::read_dir(folder()).expect("the pages");
    let names = files.map(|file| {
        file.expect("a file")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let listed = PAGES.iter().map(|page| format!("{page}.md"));
    assert_eq!(names.collect::<BTreeSet<_>>(), listed.collect());
    let pages = PAGES.iter().map(|page| read(page)).collect::<String>();
    let is_command = |line: &&str| line.starts_with("$ ") || line.starts_with("> ");
    let commands = pages.lines().filter(is_command).collect::<Vec<_>>();
    let cli = visavis::Cli::command();
    let names = cli.get_subcommands().filter(|one| !one.is_hide_set());
    let missing = names.map(clap::Command::get_name).filter(|name| {
        let used = format!("visavis {name}");
        !commands
            .iter()
            .any(|line| format!("{line} ").contains(&(used.clone() + " ")))
    });
    let without = WITHOUT_PAGE.split_whitespace();
    assert_eq!(missing.collect::<Vec<_>>(), without.collect::<Vec<_>>());
}

fn read(page: &str) -> String {
    let path = folder().join(format!("{page}.md"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a page, and compares it with the page that has the real output.
fn verify(page: &str) {
    let expected = read(page);
    let actual = run(page, &expected);
    if actual == expected {
        return;
    }
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(folder().join(format!("{page}.md")), actual).expect("written");
        return;
    }
    panic!("{}", difference(page, &expected, &actual));
}

/// Returns the page with the real output of its commands.
fn run(page: &str, text: &str) -> String {
    let home = TempDir::new().expect("a folder");
    let home = home.path().canonicalize().expect("a folder");
    fs::create_dir(home.join("demo")).expect("made");
    for file in ["helpsteer2.jsonl", "webgpt.jsonl"] {
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
        fs::copy(demo.join(file), home.join("demo").join(file)).expect("copied");
    }
    let mut out = String::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let info = line.trim_start_matches('`');
        let fence = &line[..line.len() - info.len()];
        if fence.len() < 3 {
            continue;
        }
        let place = format!("tests/pages/{page}.md:{}", at + 1);
        let mut block = Vec::new();
        loop {
            match lines.next() {
                Some((_, line)) if line == fence => break,
                Some((_, line)) => block.push(line),
                None => panic!("{place}: a block without an end"),
            }
        }
        assert!(!block.is_empty(), "{place}: an empty block");
        match info.split_once(' ') {
            Some((_, name)) => {
                let path = home.join(name);
                fs::create_dir_all(path.parent().expect("a folder")).expect("made");
                fs::write(path, block.join("\n") + "\n").expect("written");
                out.extend(block.iter().flat_map(|line| [*line, "\n"]));
            }
            None => {
                assert_eq!(info, "console", "{place}: a file without a name");
                assert!(
                    block[0].starts_with("$ "),
                    "{place}: output without a command"
                );
                let from = out.len();
                transcript(&home, &block, &mut out);
                let ends = out[from..].lines().any(|line| line == fence);
                assert!(!ends, "{place}: the output has {fence}; use a longer fence");
            }
        }
        out.push_str(fence);
        out.push('\n');
    }
    out
}

/// Runs the commands of a block and writes them with their output.
fn transcript(home: &Path, block: &[&str], out: &mut String) {
    let mut lines = block.iter().peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else {
            continue; // the expected output
        };
        let mut command = command.to_owned();
        let _ = writeln!(out, "{line}");
        while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
            let _ = writeln!(out, "{more}");
            command = command + "\n" + &more[2..];
        }
        let done = program::script(home, &command).output().expect("sh");
        let [said, complained] = [done.stdout, done.stderr].map(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.replace(home.to_str().expect("UTF-8"), "~")
        });
        let is_command = said.starts_with("> ") || said.lines().any(|it| it.starts_with("$ "));
        assert!(!is_command, "{command}: this output reads as a command");
        for line in said.lines() {
            let _ = writeln!(out, "{line}");
        }
        for line in complained.lines() {
            let _ = writeln!(out, "{}", format!("! {line}").trim_end());
        }
        if !done.status.success() {
            let _ = writeln!(out, "[exit {}]", done.status.code().expect("an exit code"));
        }
    }
}

/// Describes the first difference.
fn difference(page: &str, expected: &str, actual: &str) -> String {
    let [expected, actual] = [expected, actual].map(|text| text.lines().collect::<Vec<_>>());
    let pairs = expected.iter().zip(&actual);
    let at = pairs.take_while(|(one, other)| one == other).count();
    let command = actual[..at].iter().rfind(|line| line.starts_with("$ "));
    let rest = |lines: &[&str], sign| {
        let lines = lines[at..].iter();
        let rest = lines.take_while(|line| !line.starts_with("```") && !line.starts_with("$ "));
        rest.map(|line| format!("{sign}{line}\n"))
            .collect::<String>()
    };
    format!(
        "tests/pages/{page}.md:{}: INSTA_UPDATE=always writes the new output to the page\n{}\n{}{}",
        at + 1,
        command.unwrap_or(&""),
        rest(&expected, '-'),
        rest(&actual, '+'),
    )
}
