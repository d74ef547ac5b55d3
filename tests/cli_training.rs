//! Training formats and differences between two versions of a dataset, by the real program: rows,
//! accompanying files, messages, and exit codes.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::program::Program;
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The demo's valid rows.
static RATED: LazyLock<String> = LazyLock::new(|| {
    let rows = include_str!("../assets/demo/helpsteer2.jsonl").lines();
    let rows = rows.filter(|row| serde_json::from_str::<Value>(row).is_ok());
    rows.map(|row| format!("{row}\n")).collect()
});

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

/// A folder with the demo in it.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn new() -> Self {
        let disk = Self {
            folder: TempDir::new().expect("a folder"),
        };
        disk.put("rated.jsonl", &RATED);
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name)
            .to_str()
            .expect("a name in UTF-8")
            .to_owned()
    }

    fn put(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("written");
        self.at(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect(name)
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.read(name);
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().expect("JSON Lines")
    }

    /// Returns the program's output.
    fn said(args: &[&str], code: i32) -> String {
        let assert = run(args).code(code);
        String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
    }

    /// Returns the keys of the samples of a file, in order.
    fn keys(&self, name: &str) -> Vec<String> {
        let beside = self.at("keys");
        let _ = std::fs::remove_file(&beside);
        run(&[
            "export",
            "",
            &self.at(name),
            "--to",
            "helpsteer2",
            "--provenance",
            &beside,
        ])
        .success();
        let lines = self.lines("keys");
        let mut keys: Vec<_> = lines
            .iter()
            .filter_map(|line| line["key"].as_str().map(str::to_owned))
            .collect();
        keys.dedup();
        keys
    }

    /// Writes a journal of one reviewer next to the demo, with these acts on its samples (numbered
    /// from 0).
    fn journal(&self, acts: &[(usize, String)]) -> String {
        let keys = self.keys("rated.jsonl");
        let mut lines = vec![
            r#"{"journal":1,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#.to_owned(),
        ];
        lines.extend(acts.iter().enumerate().map(|(at, (sample, act))| {
            let number = at + 1;
            format!(
                r#"{{"id":"00c0ffee-{number}","time":"2026-11-21T10:00:{number:02}.000Z","reviewer":"ann","sample":"{}","file":"rated.jsonl","row":1,{act}}}"#,
                keys[*sample]
            )
        }));
        self.put("rated.jsonl.review.jsonl", &(lines.join("\n") + "\n"))
    }
}

fn label(label: &str, side: &str, value: u8) -> String {
    format!(
        r#""act":"rate","question":"label","label":"{label}","side":"{side}","value":{value},"blind":false,"swapped":false"#
    )
}

fn wrong() -> String {
    r#""act":"check","check":"wrong""#.to_owned()
}

/// Returns the demo's helpfulness ratings, row by row.
fn helpfulness(rows: &str) -> Vec<i64> {
    let rows = rows.lines().map(serde_json::from_str::<Value>);
    rows.map(|row| {
        row.expect("JSON")["helpfulness"]
            .as_i64()
            .expect("a number")
    })
    .collect()
}

#[test]
fn a_killed_export_never_leaves_new_provenance_beside_old_rows() {
    let disk = Disk::new();
    let (rated, out) = (disk.at("rated.jsonl"), disk.at("out.jsonl"));
    let beside = "out.jsonl.provenance.jsonl";
    let hash = |text: &str| format!("{:x}", <sha2::Sha256 as sha2::Digest>::digest(text));
    let export = |seed: u64| {
        let query = format!("sort:random({seed})");
        let words = [
            "export", &query, &rated, "--to", "trl", "-o", &out, "--force",
        ];
        Program::new(&words.map(str::to_owned).each_ref().map(String::as_str))
    };
    export(0).assert().success();
    let started = std::time::Instant::now();
    export(1).assert().success();
    let whole = started.elapsed();
    for at in 0..24 {
        let before = disk.read(beside);
        let mut program = export(at + 2);
        let mut child = program.spawn().expect("started");
        std::thread::sleep(whole * u32::try_from(at).expect("a number") / 20);
        // It may have ended before.
        let _ = child.kill();
        child.wait().expect("ended");
        let (rows, now) = (disk.read("out.jsonl"), disk.lines(beside));
        let told = now.last().expect("a line")["sha256"].clone();
        assert!(
            told == json!(hash(&rows)) || disk.read(beside) == before,
            "run {at}"
        );
    }
}

#[test]
fn diff_compares_fields_that_no_schema_names() {
    let disk = Disk::new();
    let row = |topic: &str, number: u32| {
        format!(
            "{{\"prompt\": \"q\", \"response_a\": \"l\", \"response_b\": \"r\", \"topic\": \"{topic}\", \
             \"meta\": {{\"n\": {number}}}}}\n"
        )
    };
    let [old, new] = [("old", "x", 1), ("new", "y", 2)]
        .map(|(name, topic, number)| disk.put(&format!("{name}.jsonl"), &row(topic, number)));
    let said = Disk::said(&["diff", &old, &new], 1);
    assert!(said.contains("meta.n  1     2\n"), "{said}");
    assert!(said.contains("topic   x     y\n"), "{said}");
}

#[test]
fn diff_shows_the_corrections_and_nothing_else() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    let out = disk.at("out.jsonl");
    // A file written without corrections has the same content.
    let export = ["export", "", &rated, "--to", "helpsteer2", "-o", &out];
    run(&export).success();
    assert!(Disk::said(&["diff", &rated, &out], 0).contains("relabelled        0"));
    let values = helpfulness(&RATED);
    let other = |value: i64| if value == 4 { 0 } else { 4 };
    let [a, b] = [0, 3].map(|at| u8::try_from(other(values[at])).expect("a label"));
    disk.journal(&[
        (0, label("helpfulness", "a", a)),
        (1, label("helpfulness", "b", b)),
        (2, wrong()),
    ]);
    run(&[&export[..], &["--apply", "relabel,drop", "--force"]].concat())
        .success()
        .stderr(contains("relabelled: 2 samples").and(contains("dropped: 1 sample")));
    let json = Disk::said(&["diff", "--json", &rated, &out], 1);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&found["version"], &found["same"]),
        (&json!(4), &json!(false))
    );
    assert_eq!(found["counts"]["relabelled"], json!(2));
    assert_eq!(found["counts"]["removed"], json!(1));
    assert_eq!(
        (&found["counts"]["added"], &found["counts"]["edited"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(found["labels"]["helpfulness"]["changed"], json!(2));
    assert_eq!(found["labels"]["verbosity"]["changed"], json!(0));
    let key = found["removed"][0]["key"].clone();
    assert_eq!(
        found["removed"],
        json!([{"file": rated, "row": 5, "line": 5, "sample": 3, "key": key}])
    );
    let key = key.as_str().expect("a key");
    run(&["show", key, &rated]).success().stdout(contains(key));
    let changes: Vec<_> = (found["relabelled"].as_array().expect("a list").iter())
        .map(|sample| {
            (
                sample["old"]["sample"].clone(),
                sample["changes"][0].clone(),
            )
        })
        .collect();
    // Nothing was skipped before them.
    let change = |response: &str, at: usize, new: u8| json!({"kind": "label", "label": "helpfulness", "response": response, "new_response": response, "old": values[at], "new": new, "old_line": at + 1, "new_line": at + 1, "old_row": at + 1, "new_row": at + 1});
    assert_eq!(
        changes,
        [(json!(1), change("a", 0, a)), (json!(2), change("b", 3, b))]
    );
    let text = Disk::said(&["diff", &rated, &out, "-n", "1"], 1);
    assert!(
        text.contains("helpfulness: changed in 2 of ")
            && text.contains("relabelled, the first 1 of 2\n")
            && text.contains("line 5, sample 3\n"),
        "{text}"
    );
    // B is in the row after its sample's first.
    let text = Disk::said(&["diff", &rated, &out], 1);
    let told = format!(
        "line 3, sample 2  B (line 4) helpfulness  {}     {b}\n",
        values[3]
    );
    assert!(text.contains(&told), "{text}");
    let edited = RATED.replacen("\"response\": \"", "\"response\": \"So: ", 1);
    let edited = disk.put("edited.jsonl", &edited);
    let text = Disk::said(&["diff", &rated, &edited], 1);
    assert!(text.contains("line 1, sample 1  A\n"), "{text}");
    let json = Disk::said(&["diff", "--json", &rated, &edited], 1);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(found["edited"][0]["responses"], json!(["a"]));
}

#[test]
fn a_flipped_pair_has_another_winner() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    let [plain, flipped] = ["plain.jsonl", "flipped.jsonl"].map(|name| disk.at(name));
    run(&["export", "", &rated, "--to", "trl", "-o", &plain]).success();
    let rows = helpfulness(&RATED);
    let pairs: Vec<_> = rows.chunks(2).collect();
    let sample = pairs
        .iter()
        .position(|pair| pair[0] != pair[1])
        .expect("a winner");
    let loser = if pairs[sample][0] > pairs[sample][1] {
        "b"
    } else {
        "a"
    };
    let verdict = format!(
        r#""act":"rate","question":"verdict","verdict":"{loser}","blind":false,"swapped":false"#
    );
    disk.journal(&[(sample, verdict)]);
    run(&[
        "export", "", &rated, "--to", "trl", "--apply", "flip", "-o", &flipped,
    ])
    .success()
    .stderr(contains("flipped: 1 sample"));
    let json = Disk::said(&["diff", "--json", &plain, &flipped], 1);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let counts = &found["counts"];
    let none = ["edited", "reordered", "removed", "added"];
    assert_eq!(
        none.map(|kind| &counts[kind]),
        [0; 4].map(|none| json!(none)).each_ref()
    );
    assert_eq!(counts["relabelled"], 1);
    let relabelled = &found["relabelled"][0];
    assert_eq!(relabelled["reordered"], true);
    assert_eq!(
        relabelled["changes"],
        json!([{"kind": "verdict", "response": null, "verdict": true, "old": "a", "new": "b"}])
    );
    let text = Disk::said(&["diff", &plain, &flipped], 1);
    for told in ["1 of them with reordered responses", "order of responses"] {
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn diff_has_the_exit_codes_of_diff() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    run(&["diff", &rated, &rated]).code(0).stderr("");
    let shorter = RATED.lines().skip(2).collect::<Vec<_>>().join("\n");
    let shorter = disk.put("shorter.jsonl", &shorter);
    run(&["diff", &rated, &shorter])
        .code(1)
        .stdout(contains("removed\n").and(contains("line 1, sample 1\n")))
        .stderr("");
    // Rows of one prompt are apart if a file was shuffled.
    let row = |prompt: usize, of: &str| {
        format!(
            "{{\"prompt\": \"p{prompt}\", \"response\": \"{of}\", \"helpfulness\": 1, \"correctness\": 1, \"coherence\": 1, \"complexity\": 1, \"verbosity\": 1}}\n"
        )
    };
    let side = |of: &str| (0..20).map(|prompt| row(prompt, of)).collect::<String>();
    let shuffled = disk.put("shuffled.jsonl", &(side("a") + &side("b")));
    let pairs: String = (0..20)
        .map(|prompt| row(prompt, "a") + &row(prompt, "b"))
        .collect();
    let pairs = disk.put("pairs.jsonl", &pairs);
    run(&["diff", &pairs, &shuffled])
        .code(1)
        .stderr(contains("join them with --group-by prompt"));
    run(&["diff", &pairs, &shuffled, "--group-by", "prompt"])
        .code(0)
        .stdout(contains("unchanged        20"))
        .stderr("");
    // So are columns next to labels; columns that only one layout has are reported.
    let vote = |by: &str| {
        format!(
            "{{\"prompt\": \"p\", \"response_1\": \"x\", \"response_2\": \"y\", \"preference_strength\": 1, \"split\": \"{by}\"}}\n"
        )
    };
    let [one, other] = ["train", "test"].map(|split| disk.put(split, &vote(split)));
    run(&["diff", &one, &other])
        .code(1)
        .stdout(contains("details           1").and(contains("split   train  test\n")));
    let json = Disk::said(&["diff", "--json", &one, &other], 1);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let change =
        json!({"kind": "fact", "fact": "split", "response": null, "old": "train", "new": "test"});
    assert_eq!(found["details"][0]["changes"], json!([change]));
    let plain = "{\"prompt\": \"p\", \"chosen\": \"x\", \"rejected\": \"y\"}\n";
    let plain = disk.put("plain", plain);
    run(&["diff", &one, &plain]).stdout(contains("Not compared: split, "));
    // The rows of a table are not lines.
    let two = "prompt,chosen,rejected\nHow?,So.,No.\nWhen?,Now.,Never.\n";
    let one = "prompt,chosen,rejected\nHow?,So.,No.\n";
    let [table, shorter_table] =
        [("two.csv", two), ("one.csv", one)].map(|(name, text)| disk.put(name, text));
    run(&["diff", &table, &shorter_table])
        .code(1)
        .stdout(contains("row 2, sample 2\n"));
    run(&["diff", "-n", "0", &rated, &shorter])
        .code(1)
        .stdout(contains("removed:\n").not());
    Program::new(&["diff", "-", &shorter])
        .piped(RATED.as_str())
        .code(1)
        .stdout(contains("standard input"));
    run(&["diff", &rated, &disk.at("missing")])
        .code(2)
        .stdout("")
        .stderr(contains("missing"));
    run(&["diff", &rated]).code(2).stdout("");
    for option in ["--with", "--against", "--on"] {
        run(&["diff", &rated, &shorter, option, &rated])
            .code(2)
            .stdout("")
            .stderr(contains(format!(
                "error: {option}: not supported by diff, which compares two files"
            )));
    }
}
