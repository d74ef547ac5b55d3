//! `visavis sql`: its output, what it passes to the engine, and its errors.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::program::Program;
use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use tempfile::TempDir;

const RATED: &str = "assets/demo/helpsteer2.jsonl";
const COMPARED: &str = "assets/demo/webgpt.jsonl";

fn sql(args: &[&str]) -> Assert {
    Program::new(&[&["sql"], args].concat()).assert()
}

#[test]
fn a_statement_for_duckdb_and_a_program_for_spark() {
    sql(&["helpfulness>=3", RATED])
        .success()
        .stdout(
            starts_with("-- The samples that visavis finds with: helpfulness>=3\n")
                .and(contains(
                    "read_ndjson_objects('assets/demo/helpsteer2.jsonl'",
                ))
                .and(contains("where a_holds or b_holds\norder by sample;\n")),
        )
        .stderr("");
    sql(&["score>0", "--dialect", "spark", "--count", COMPARED])
        .success()
        .stdout(
            starts_with("# The samples that visavis finds with: score>0\n")
                .and(contains("spark.read.option(\"lineSep\""))
                .and(contains("print(found.first()[\"samples\"])\n")),
        )
        .stderr("");
}

#[test]
fn fields_that_no_schema_names() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("fields.jsonl");
    let row = r#"{"prompt": "p", "response_a": "x", "response_b": "y", "meta": {"n": 3, "day": "2026-05-01"}, "tags": ["u"]}"#;
    std::fs::write(&path, format!("{row}\n")).expect("a file");
    let path = path.to_str().expect("a name");
    for (query, part) in [
        ("meta.n>=3", "coalesce(field_3_meta_n >= 3, false)"),
        (
            "meta.day>=2026-05",
            "coalesce(substr(field_3_meta_day, 1, 7) >= '2026-05', false)",
        ),
    ] {
        sql(&[query, path]).success().stdout(contains(part));
    }
    let refused = sql(&["tags=u", path]).code(2).stdout("");
    refused.stderr(contains(
        "tags=u cannot be translated to SQL: its values are lists",
    ));
}

#[test]
fn what_is_refused_prints_nothing() {
    let refused = |args: &[&str], why: &str| {
        sql(args).code(2).stdout("").stderr(contains(why));
    };
    refused(
        &["python", RATED],
        "visavis: python cannot be translated to SQL: a phrase",
    );
    refused(&["is:marked", RATED], "the journal");
    refused(
        &["helpfullness>3", RATED],
        "query, character 1 (helpfullness)",
    );
    refused(&["", RATED, COMPARED], "several schemas");
    let folder = TempDir::new().expect("a folder");
    let turn = |role: &str| format!(r#"[{{"role":"{role}","content":"x"}}]"#);
    for (field, prompt, chosen) in [
        ("/prompt", turn("user"), r#""a""#.to_owned()),
        ("/chosen", r#""p""#.to_owned(), turn("assistant")),
    ] {
        let text = r#"{"prompt":"p","chosen":"a","rejected":"b"}"#;
        let list = format!(r#"{{"prompt":{prompt},"chosen":{chosen},"rejected":"b"}}"#);
        for rows in [[&list, text], [text, &list]] {
            let path = folder.path().join("messages.jsonl");
            std::fs::write(&path, rows.join("\n")).expect("written");
            let path = path.to_string_lossy();
            let why =
                format!("{field} cannot be translated to SQL: {path} has lists of messages there");
            refused(&["", &path], &why);
        }
    }
    for option in ["--with", "--against", "--on"] {
        let why = format!("error: {option}: statements cannot match rows of several files");
        refused(&["", RATED, option, COMPARED], &why);
        refused(&[option, COMPARED, "", RATED], &why);
    }
    refused(
        &["", RATED, "--rows-at", "/x"],
        "error: --rows-at: engines cannot read rows from a list in a document",
    );
    refused(
        &["", RATED, "--with"],
        "error: --with: statements cannot match rows of several files",
    );
    refused(&["", "-"], "standard input");
    refused(&["", "nothing.jsonl"], "nothing.jsonl");
    refused(&[""], "FILE");
    refused(&["", "--run", "--dialect", "spark", RATED], "spark-submit");
}

#[test]
fn a_draw_falls_upon_nothing_that_is_read_or_judged() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    for name in ["first.jsonl", "second.jsonl"] {
        std::fs::copy(RATED, at(name)).expect("copied");
    }
    std::fs::hard_link(at("second.jsonl"), at("hard.jsonl")).expect("a link");
    std::os::unix::fs::symlink(at("first.jsonl"), at("soft.jsonl")).expect("a link");
    let drawn = |to: &str, dialect: &str| {
        let (first, second) = (at("first.jsonl"), at("second.jsonl"));
        let words = ["", &first, &second, "--dialect", dialect];
        sql(&[&words[..], &["--sample", "2", "--to", to]].concat())
    };
    for dialect in ["duckdb", "spark"] {
        for name in ["first.jsonl", "second.jsonl", "hard.jsonl", "soft.jsonl"] {
            drawn(&at(name), dialect).code(2).stdout("").stderr(
                starts_with(format!("visavis: --to {}", at(name)))
                    .and(contains("is an input file"))
                    .and(contains("choose another name")),
            );
        }
        for name in ["first.jsonl", "second.jsonl"] {
            let journal = at(name) + ".review.jsonl";
            let refused = drawn(&journal, dialect).code(2).stdout("");
            refused.stderr(contains("is the journal").and(contains("choose another name")));
        }
        let broken = at("a\nb.jsonl");
        let refused = drawn(&broken, dialect).code(2).stdout("");
        refused.stderr(contains(
            r"a\nb.jsonl cannot be translated to SQL: its name has a control character",
        ));
        let free = drawn(&at("drawn.jsonl"), dialect).success();
        free.stdout(contains("drawn.jsonl"));
        // Files of other kinds are left to the engine.
        drawn("/dev/stdout", dialect).success();
    }
    for name in ["~/first.jsonl", "file:///tmp/first.jsonl"] {
        let refused = drawn(name, "duckdb").code(2).stdout("");
        refused.stderr(contains("write the full path"));
        drawn(name, "spark").success();
    }
}

/// Creates a folder with a command `duckdb` that runs this script.
fn duckdb(script: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let command = folder.path().join("duckdb");
    std::fs::write(&command, format!("#!/bin/sh\n{script}\n")).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&command, mode).expect("executable");
    folder
}

fn run_with(path: &Path) -> Assert {
    let mut program = Program::new(&["sql", "is:tie", "--count", "--run", RATED]);
    program.env("PATH", path);
    program.assert()
}

#[test]
fn a_statement_is_handed_over() {
    let folder = duckdb("echo \"$@\"; /bin/cat; echo said >&2; exit 3");
    run_with(folder.path())
        .code(3)
        .stdout(starts_with("-bail -csv\n-- The samples").and(contains("count(*)")))
        .stderr("said\n");
    // Messages quote the contents of files.
    let folder = duckdb(r"printf 'red \033[31m\n' >&2; exit 1");
    run_with(folder.path())
        .code(1)
        .stderr(starts_with("red ").and(contains("\u{1b}").not()));
    let folder = duckdb("echo samples; echo 7");
    run_with(folder.path()).success().stdout("samples\n7\n");
    let folder = duckdb("kill -9 $$");
    run_with(folder.path()).code(137);
    let nothing = TempDir::new().expect("a folder");
    run_with(nothing.path()).code(1).stdout("").stderr(contains(
        "duckdb was not found; install DuckDB, or omit --run",
    ));
}

#[test]
fn a_full_output_is_reported() {
    let folder = duckdb("echo samples; echo 7");
    let full = || File::create("/dev/full").expect("there");
    for (words, code) in [
        (&["sql", "is:tie", "--run", RATED][..], 1),
        (&["sql", "is:tie", RATED], 1),
        (&["count", "is:tie", RATED], 1),
        (&["schemas"], 1),
        (&["keys"], 1),
    ] {
        let mut program = Program::new(words);
        program.env("PATH", folder.path()).stdout(full());
        program
            .assert()
            .code(code)
            .stderr(starts_with("visavis: cannot write: No space left"));
    }
}
