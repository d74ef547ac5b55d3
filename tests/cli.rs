//! The real program without a terminal: its messages, where they are printed, and exit codes.

use std::path::{Path, PathBuf};

use crate::program::Program;
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use flate2::{Compression, write::GzEncoder};
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

const RATED: &str = include_str!("../assets/demo/helpsteer2.jsonl");

/// The program, with neither a terminal nor anything on standard input.
fn visavis(args: &[&str]) -> Program {
    Program::new(args)
}

fn run(args: &[&str]) -> Assert {
    visavis(args).assert()
}

/// Runs it with these bytes in a pipe on standard input.
fn piped(args: &[&str], bytes: impl Into<Vec<u8>>) -> Assert {
    visavis(args).piped(bytes)
}

/// A folder of files.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Self {
        Self {
            folder: TempDir::new().expect("a folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a new file with these bytes and returns its path.
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("written");
        text(&path)
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("a name in UTF-8").to_owned()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("encoded")
}

/// Checks for exit code 2, empty standard output, and a one-line error that begins with the
/// program's name and contains this text.
fn refused(assert: Assert, says: &str) {
    let harmless = |said: &str| !said.trim_end_matches('\n').chars().any(char::is_control);
    assert
        .code(2)
        .stdout("")
        .stderr(contains(says))
        .stderr(predicate::str::starts_with("visavis: ").and(predicate::function(harmless)));
}

#[test]
fn the_manual_is_printed_as_plain_text() {
    // Commands are complete, however long, so that they can be copied.
    let is_plain = |text: &str, source: &str| {
        let is_code = |line: &str| source.lines().any(|code| code.trim() == line.trim());
        let fits = |line: &str| visavis::text_width(line) <= 80 || is_code(line);
        !text.contains('\u{1b}') && text.lines().all(fits)
    };
    run(&["guide"])
        .success()
        .stdout(contains("\n- start: ").and(contains("\n- query: ")))
        .stderr("");
    for topic in visavis::guide_topics() {
        let heading = format!("# {}\n", topic.title);
        run(&["guide", topic.name])
            .success()
            .stdout(
                predicate::function(|text: &str| is_plain(text, topic.source))
                    .and(contains(heading)),
            )
            .stderr("");
    }
}

#[test]
fn who_reads_no_further_hears_nothing() {
    for args in [
        &["guide", "query"][..],
        &["guide"],
        &["keys"],
        &["schemas"],
        &["schemas", "arena-55k"],
        &["export", "", "assets/demo/webgpt.jsonl", "--format", "csv"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = visavis(args);
        program.stdout(writer);
        program.assert().success().stderr("");
    }
}

#[test]
fn a_frame_has_the_size_asked_for() {
    for (size, width, height) in [
        ("1x1", 1, 1),
        ("20x6", 20, 6),
        ("80x24", 80, 24),
        ("300x100", 300, 100),
    ] {
        let fits = move |out: &str| {
            let lines: Vec<_> = out.lines().collect();
            lines.len() == height && lines.iter().all(|line| visavis::text_width(line) <= width)
        };
        run(&["--print", "--size", size])
            .success()
            .stderr("")
            .stdout(predicate::function(fits));
    }
}

#[test]
fn the_same_rows_from_wherever_they_come() {
    let disk = Disk::new();
    let lines: Vec<_> = RATED.split_inclusive('\n').collect();
    let (head, tail) = (lines[..20].concat(), lines[20..].concat());
    let members = [gz(head.as_bytes()), gz(tail.as_bytes())].concat();
    let frames = [head.as_bytes(), tail.as_bytes()]
        .map(|piece| zstd::encode_all(piece, 1).expect("encoded"))
        .concat();
    let print = ["--print", "--keys", "G", "--size", "120x30"];
    // Only the name may differ, not the pages between the header and the status line.
    let body = |assert: Assert| {
        let out = String::from_utf8(assert.success().stderr("").get_output().stdout.clone())
            .expect("UTF-8");
        assert!(
            out.contains("33/33") && out.contains("1 malformed line"),
            "{out}"
        );
        out.lines()
            .skip(1)
            .take(28)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let expected = body(run(
        &[&print[..], &[&disk.put("rows.jsonl", RATED)]].concat()
    ));
    for (name, bytes) in [
        ("rows.gz", &members),
        ("rows.zst", &frames),
        ("no-extension", &members),
    ] {
        assert_eq!(
            body(run(&[&print[..], &[&disk.put(name, bytes)]].concat())),
            expected,
            "{name}"
        );
        assert_eq!(
            body(piped(&print, bytes.clone())),
            expected,
            "{name} in a pipe"
        );
    }
    assert_eq!(body(piped(&print, RATED)), expected);
    assert_eq!(body(piped(&[&print[..], &["-"]].concat(), RATED)), expected);
    let file = std::fs::File::open(disk.path("rows.gz")).expect("opened");
    assert_eq!(
        body(visavis(&print).stdin(file).assert()),
        expected,
        "redirected"
    );
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    visavis(&["--print"])
        .stdout(writer)
        .assert()
        .success()
        .stderr("");
    // The message cannot be read either, but the exit code is right.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = visavis(&["--print", "no-such-file"])
        .stderr(writer)
        .status()
        .expect("ran");
    assert_eq!(status.code(), Some(2));
}

/// Writes a journal of one reviewer with an audit of two samples of the demo; keys as printed by
/// `visavis export`.
fn journal(disk: &Disk, rated: &str) -> String {
    let table = run(&["export", "sample<=2", rated, "--format", "csv"])
        .success()
        .get_output()
        .stdout
        .clone();
    let table = String::from_utf8(table).expect("text");
    // Sample, file, row, key: none of them has a comma here.
    let keys = table
        .lines()
        .filter(|line| line.starts_with(['1', '2']) && line.contains(rated));
    let mut keys: Vec<_> = keys.filter_map(|line| line.split(',').nth(3)).collect();
    keys.dedup();
    assert_eq!(keys.len(), 2, "{table}");
    let (one, two) = (keys[0], keys[1]);
    let act = |number: u32, act: &str| {
        format!(
            r#"{{"id":"00c0ffee-{number}","time":"2026-11-21T10:00:0{number}.000Z","reviewer":"ann",{act}}}"#
        )
    };
    let sample_ref =
        |key: &str, row: u32| format!(r#""sample":"{key}","file":"rated.jsonl","row":{row}"#);
    let item = |key: &str, row: u32| format!(r#"{{{},"swapped":false}}"#, sample_ref(key, row));
    let lines = [
        r#"{"journal":1,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#.to_owned(),
        act(1, &format!(r#""act":"audit","n":2,"seed":7,"blind":false,"filter":"helpfulness>=0","of":31,"queue":[{},{}]"#, item(one, 1), item(two, 3))),
        act(2, &format!(r#"{},"act":"mark","on":true"#, sample_ref(one, 1))),
        act(3, &format!(r#"{},"act":"note","text":"=odd\u001b[31m""#, sample_ref(one, 1))),
        act(4, &format!(r#"{},"act":"rate","question":"label","label":"helpfulness","side":"a","value":0,"audit":"00c0ffee-1","blind":false,"swapped":false"#, sample_ref(one, 1))),
        act(5, &format!(r#"{},"act":"rate","question":"label","label":"helpfulness","side":"b","value":4,"audit":"00c0ffee-1","blind":false,"swapped":false"#, sample_ref(one, 1))),
    ];
    disk.put("rated.jsonl.review.jsonl", lines.join("\n") + "\n")
}

#[test]
fn report_tells_what_an_audit_came_to() {
    let disk = Disk::new();
    let rated = disk.put("rated.jsonl", RATED);
    run(&["report", "--full", &rated])
        .success()
        .stderr("")
        .stdout(
            contains("# Audit of ")
                .and(contains("**No judgments yet.**"))
                .and(contains(
                    "No audit: samples judged outside of an audit are not a random sample",
                )),
        );
    let journal = journal(&disk, &rated);
    let says = contains("- Audit `00c0ffee-1`, begun by ann on 2026-11-21T10:00:01.000Z")
        .and(contains("Drawn: 2 of 31 samples, at random, seed 7"))
        .and(contains("Filter: `helpfulness>=0`"))
        // A journal from before fingerprints were stored.
        .and(contains("It is unknown if these files give the same draw"))
        .and(contains("To repeat the draw").not())
        .and(contains(
            "First judgment 2026-11-21T10:00:04.000Z, last 2026-11-21T10:00:05.000Z",
        ))
        .and(contains("### 1. Sample 1 · dataset: "))
        .and(contains("| A, ann | 0 |"))
        .and(contains("> \\=odd␛\\[31m"));
    run(&["report", "--full", &rated])
        .success()
        .stderr("")
        .stdout(says);
    run(&["audits", &rated]).success().stdout(contains(
        "\n00c0ffee-1  ann       2026-11-21 10:00  2 of 31     7  no     ann 0/2\n",
    ));
    let out = text(&disk.path("audit.md"));
    run(&[
        "report",
        &rated,
        "--audit",
        "00c0ffee-1",
        "--reviewer",
        "ann",
        "-o",
        &out,
    ])
    .success()
    .stdout("");
    refused(
        run(&["report", &rated, "-o", &out]),
        "audit.md already exists",
    );
    run(&[
        "report",
        &rated,
        "-o",
        &out,
        "--force",
        "--journal",
        &journal,
    ])
    .success();
    refused(
        run(&["report", &rated, "--audit", "x"]),
        "unknown audit x in",
    );
    // Names of reviewers ignore case, as everywhere.
    run(&["report", &rated, "--reviewer", "ANN"]).success();
    refused(
        run(&["report", &rated, "--reviewer", "bob"]),
        "unknown reviewer bob; known:",
    );
    refused(
        run(&["report", &rated, "-o", &journal, "--force"]),
        "is the journal",
    );
    let page = text(&disk.path("audit.html"));
    run(&["report", &rated, "-o", &page]).success().stdout("");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.starts_with("<!doctype html>") && page.ends_with("</html>\n"),
        "{page}"
    );
    assert!(
        page.contains("<h3>1. Sample 1 · ") && page.contains("<h4>Response A</h4>"),
        "{page}"
    );
    run(&["report"])
        .success()
        .stdout(contains("demo: helpsteer2.jsonl").and(contains("No judgments yet")));
    piped(&["report", "-"], RATED)
        .success()
        .stdout(contains("No judgments yet"));
    piped(&["report", "-", "--journal", &journal], RATED)
        .success()
        .stdout(contains("ann judged "));
    refused(run(&["report", &rated, "--journal", &rated]), "");
}
