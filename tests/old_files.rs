//! Files as visavis 0.1 wrote them are read by every later version; `old_files/` is never changed.

use std::fs;

use assert_cmd::prelude::OutputAssertExt;
use predicates::str::contains;
use tempfile::TempDir;

use crate::program::{Program, put};

/// A folder with the data and its journal, and a home with the settings.
struct OldFiles(TempDir);

impl OldFiles {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        put(
            &folder,
            "train.jsonl",
            include_str!("old_files/train.jsonl"),
        );
        let journal = include_str!("old_files/train.jsonl.review.jsonl");
        put(&folder, "train.jsonl.review.jsonl", journal);
        fs::create_dir_all(folder.path().join("config/visavis/schemas")).expect("made");
        for (name, text) in [
            ("config.toml", include_str!("old_files/config.toml")),
            ("filters.toml", include_str!("old_files/filters.toml")),
            ("schemas/quiz.toml", include_str!("old_files/schema.toml")),
        ] {
            put(&folder, &format!("config/visavis/{name}"), text);
        }
        Self(folder)
    }

    /// Runs the program on the data. Nothing of the old files may be reported as invalid.
    fn run(&self, args: &[&str]) -> String {
        let mut program = Program::new(args);
        program.current_dir(self.0.path());
        program.env("XDG_CONFIG_HOME", self.0.path().join("config"));
        let done = program.assert().success().stderr("");
        String::from_utf8(done.get_output().stdout.clone()).expect("text")
    }
}

#[test]
fn a_journal_of_0_1_is_read() {
    let old = OldFiles::new();
    for (query, rows) in [
        ("is:marked", "1"),
        ("tag:rude", "1"),
        ("note:second", "1"),
        ("check:wrong", "1"),
        ("is:rated", "3"),
        ("ann.verdict=b", "1"),
        ("ann.verdict=a", "1"),
    ] {
        assert_eq!(
            old.run(&["count", query, "train.jsonl"]).trim(),
            rows,
            "{query}"
        );
    }
    let audits: serde_json::Value =
        serde_json::from_str(&old.run(&["audits", "train.jsonl", "--json"])).expect("JSON");
    let audit = &audits["audits"][0];
    assert_eq!(
        (
            &audit["seed"],
            &audit["of"],
            &audit["reviewers"][0]["settled"]
        ),
        (&7.into(), &6.into(), &3.into()),
        "{audits}"
    );
}

#[test]
fn settings_schemas_and_filters_of_0_1_are_read() {
    let old = OldFiles::new();
    let config = old.run(&["config"]);
    for line in [
        "theme = \"dark\"",
        "reviewer = \"ann\"",
        "max-len = 2048",
        "wc",
    ] {
        assert!(config.contains(line), "{line}: {config}");
    }
    assert!(
        old.run(&["schemas", "--try", "train.jsonl"])
            .contains("quiz")
    );
    let keys = ":filters<enter><enter>";
    let frame = old.run(&["train.jsonl", "--print", "--size", "118x32", "--keys", keys]);
    assert!(frame.contains("gap.score>=2"), "{frame}");
}

#[test]
fn formats_of_later_versions_are_left_alone() {
    let old = OldFiles::new();
    let journal = include_str!("old_files/train.jsonl.review.jsonl");
    let later = journal.replacen("\"journal\":2", "\"journal\":3", 1);
    put(&old.0, "train.jsonl.review.jsonl", &later);
    let path = old.0.path().join("train.jsonl.review.jsonl");
    let mut program = Program::new(&[
        "journal",
        "merge",
        "train.jsonl.review.jsonl",
        "-o",
        "all.jsonl",
    ]);
    program.current_dir(old.0.path());
    program.assert().code(2).stderr(contains("later"));
    assert_eq!(fs::read_to_string(path).expect("there"), later);
}
