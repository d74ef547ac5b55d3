//! Training formats and differences between two versions of a dataset, by the real program: rows,
//! accompanying files, messages, and exit codes.

use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::program::{Program, put};
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use flate2::Compression;
use flate2::write::GzEncoder;
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
fn training_rows_have_a_provenance_file() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    for trainer in ["trl", "openai", "nemo", "llama-factory", "helpsteer2"] {
        let name = format!("{trainer}.jsonl");
        let out = disk.at(&name);
        let export = [
            "export",
            "sort:random(7)",
            &rated,
            "--to",
            trainer,
            "-o",
            &out,
        ];
        let assert = run(&export).success().stdout("");
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        let lines = disk.lines(&format!("{name}.provenance.jsonl"));
        let (head, end) = (&lines[0], lines.last().expect("a line"));
        assert_eq!(head["format"], json!(trainer));
        assert_eq!((&head["seed"], &head["limit"]), (&json!(7), &Value::Null));
        let rows = disk.read(&name).lines().count();
        assert_eq!(end["rows"], json!(rows));
        let told = lines.iter().filter(|line| line["row"].is_u64()).count();
        assert_eq!(told, rows);
        let pairwise = trainer != "helpsteer2";
        assert_eq!(
            said.contains(" (a preference pair needs a winner)"),
            pairwise,
            "{said}"
        );
        // It exists now; replacing it gives the same file.
        run(&export).code(2).stderr(contains("already exists"));
        let before = [
            disk.read(&name),
            disk.read(&format!("{name}.provenance.jsonl")),
        ];
        run(&[&export[..], &["--force"]].concat()).success();
        let after = [
            disk.read(&name),
            disk.read(&format!("{name}.provenance.jsonl")),
        ];
        assert_eq!(before, after, "the same bytes");
        // An accompanying file also blocks the export.
        std::fs::remove_file(&out).expect("removed");
        run(&export)
            .code(2)
            .stderr(contains(".provenance.jsonl already exists"));
        assert!(!disk.path(&name).exists());
        run(&[&export[..], &["--force"]].concat()).success();
        run(&["count", "is:malformed", &out])
            .success()
            .stdout("0\n");
    }
    let beside = disk.at("beside.jsonl");
    let rows = Disk::said(
        &[
            "export",
            "",
            &rated,
            "-n",
            "3",
            "--to",
            "helpsteer2",
            "--provenance",
            &beside,
        ],
        0,
    );
    assert_eq!(rows.lines().count(), 6);
    assert_eq!(disk.lines("beside.jsonl")[0]["limit"], json!(3));
    run(&[
        "export",
        "",
        &rated,
        "-n",
        "3",
        "--to",
        "trl",
        "--provenance",
        &beside,
    ])
    .code(2)
    .stdout("")
    .stderr(contains("choose another name or pass --force"));
}

#[test]
fn rows_of_a_file_opened_against_are_never_exported() {
    let disk = Disk::new();
    let row = |prompt: &str, response: &str, score: u8| {
        format!(
            "{{\"prompt\": \"{prompt}\", \"response\": \"{response}\", \"helpfulness\": {score}}}\n"
        )
    };
    let own = row("both", "own bad", 1) + &row("both", "own good", 3) + &row("one", "own lone", 2);
    let own = disk.put("own.jsonl", &own);
    let other =
        row("both", "other best", 4) + &row("one", "other", 0) + &row("new", "other new", 1);
    let other = disk.put("other.jsonl", &other);
    let scores = disk.put("scores.jsonl", &row("both", "own bad", 4));
    for options in [
        &["--format", "jsonl"][..],
        &["--format", "reviewed"],
        &["--format", "csv"],
        &["--format", "md"],
        &["--rows"],
        &["--to", "trl"],
        &["--to", "openai", "--with", &scores],
    ] {
        let words = ["export", "", &own, "--against", &other];
        let run = run(&[&words[..], options].concat()).success();
        let output = run.get_output();
        let [rows, said] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
        assert!(
            rows.contains("own good") && !rows.contains("other b"),
            "{options:?} {rows}"
        );
        assert!(!rows.contains("other new"), "{options:?} {rows}");
        assert!(
            said.contains("other.jsonl are not exported, nor 1 sample"),
            "{said}"
        );
    }
    let pairs = Disk::said(&["export", "", &own, "--against", &other, "--to", "trl"], 0);
    // Each format contains the key of the journal, and compares its own responses.
    let export = |format| {
        Disk::said(
            &["export", "", &own, "--against", &other, "--format", format],
            0,
        )
    };
    let (table, page) = (export("csv"), export("md"));
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|it| it == name).expect("a column");
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    for row in &rows {
        assert!(
            page.contains(&format!("key `{}`", &row[at("key")])),
            "{page}"
        );
    }
    let single: Vec<_> = rows.iter().map(|row| &row[at("is:single")]).collect();
    assert_eq!(single, ["false", "false", "true"]);
    assert!(!page.contains("other.jsonl"), "{page}");
    let reviewed = |query: &str| {
        let words = [
            "export",
            query,
            &own,
            "--against",
            &other,
            "--format",
            "reviewed",
        ];
        let run = run(&words).success();
        let output = run.get_output().clone();
        [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned())
    };
    let [rows, said] = reviewed("prompt:one response:own");
    assert!(
        rows.contains("own lone") && !rows.contains("matches"),
        "{rows}"
    );
    assert!(said.contains("not exported\n"), "{said}");
    assert_eq!(
        pairs.lines().count(),
        1,
        "the best of its own against the other one"
    );
    let [good, bad] = ["own good", "own bad"].map(|text| pairs.find(text).expect(text));
    assert!(good < bad, "{pairs}");
}

#[test]
fn samples_that_leak_are_dropped_and_counted() {
    let disk = Disk::new();
    let long = "how do the wheels of an old clock keep the time so well over all of these years";
    let pair = |prompt: &str, answer: &str| {
        format!(
            "{{\"prompt\": \"{prompt}\", \"chosen\": \"{answer} yes\", \"rejected\": \"{answer} no\"}}\n"
        )
    };
    let prompts = [
        "What is a sluice?",
        "Name TWO rivers!",
        long,
        "Ask me nothing.",
    ];
    let own: String = prompts.iter().map(|prompt| pair(prompt, "own")).collect();
    let own = disk.put("own.jsonl", &own);
    let again = disk.put(
        "again.jsonl",
        &(pair("What is a sluice?", "twice") + &pair("New here?", "twice")),
    );
    let held = [prompts[0], "name two rivers", &format!("{long} sir")];
    let held: String = held.iter().map(|prompt| pair(prompt, "held")).collect();
    let held = disk.put("held.jsonl", &held);
    let out = disk.at("out.jsonl");
    let told = "dropped 4 samples that leak into ";
    let each = "held.jsonl: 2 exact, 1 near, 1 normalised";
    for options in [
        &["--format", "jsonl"][..],
        &["--format", "csv"],
        &["--format", "md"],
        &["--to", "nemo", "--provenance", &out],
    ] {
        // Rows that the exported files share with each other are not leaks.
        let words = ["export", "", &own, &again, "--drop-leaks", &held];
        let run = run(&[&words[..], options].concat())
            .success()
            .stderr(contains(told).and(contains(each)));
        let rows = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert!(
            rows.contains("Ask me nothing.") && rows.contains("New here?"),
            "{rows}"
        );
        assert!(!rows.contains("sluice") && !rows.contains("held"), "{rows}");
    }
    let head = &disk.lines("out.jsonl")[0];
    assert_eq!(
        head["drop_leaks"],
        json!({"name": held, "dropped": {"exact": 2, "near": 1, "normalised": 1}})
    );
    assert_eq!(head["files"].as_array().map(Vec::len), Some(2));
    let lines = disk.lines("out.jsonl");
    let ways = lines
        .iter()
        .filter_map(|line| Some((line["dropped_leak"].as_str()?, line["sample"].as_u64()?)));
    let expected = [("exact", 1), ("normalised", 2), ("near", 3), ("exact", 5)];
    assert_eq!(ways.collect::<Vec<_>>(), expected);
    assert_eq!(lines.last().expect("an end")["found"], json!(6));
    let words = ["export", "", &own, "--drop-leaks", &held, "-n", "1"];
    assert!(
        Disk::said(&words, 0).contains("Ask me nothing."),
        "after it"
    );
    let lost = disk.at("lost.jsonl");
    run(&[
        "export",
        "",
        &held,
        "--drop-leaks",
        &own,
        "--to",
        "trl",
        "-o",
        &lost,
    ])
    .code(1)
    .stderr(contains("none of 3 samples fits the format"));
    assert!(!disk.path("lost.jsonl").exists());
    let cut = disk.put("cut.jsonl", &(pair("New here?", "held") + "{cut\n"));
    run(&["export", "", &again, "--drop-leaks", &cut])
        .success()
        .stderr(
            contains("dropped 1 sample that leaks into ")
                .and(contains("cut.jsonl could not be read and was not compared")),
        );
    let refused = |words: &[&str], says: &str| {
        run(words).code(2).stdout("").stderr(contains(says));
    };
    refused(
        &["export", "", "--drop-leaks", &held],
        "name the file to export",
    );
    refused(
        &["export", "", &own, "--drop-leaks", &disk.at("none.jsonl")],
        "no such file",
    );
    let odd = disk.put("odd.jsonl", "{\"n\": 1}\n");
    refused(
        &["export", "", &own, "--drop-leaks", &odd],
        "nothing was compared, because the file to compare with cannot be read",
    );
    // The name of a rule is a text in a query; a message says so.
    for query in ["-leak-exact", "leak-near"] {
        run(&["count", "--", query, &own, &held])
            .success()
            .stderr(contains(
                "names a rule, but is searched for as text; write finding:leak-",
            ));
    }
    run(&["count", "finding:leak-exact", &own, &held])
        .success()
        .stdout("2\n")
        .stderr("");
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
fn what_does_not_go_together_is_refused() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    let refused = |options: &[&str], says: &str| {
        let words = [&["export", "", &rated][..], options].concat();
        run(&words).code(2).stdout("").stderr(contains(says));
    };
    refused(&["--to", "trl", "--format", "csv"], "cannot be used with");
    refused(&["--to", "trl", "--rows"], "cannot be used with");
    refused(&["--apply", "drop"], "--to");
    for method in ["dpo", "preference", "rm", "sft"] {
        let pairs = "trl, openai, nemo or llama-factory for preference pairs (DPO, RM)";
        refused(&["--to", method], pairs);
    }
    refused(
        &["--to", "trl", "--apply", "drop"],
        "--apply needs review decisions",
    );
    refused(&["--to", "trl", "--apply", "relabel"], "trl has no labels");
    refused(
        &["--to", "helpsteer2", "--apply", "flip"],
        "has labels instead of a winner; use relabel",
    );
    refused(&["--to", "trl", "--apply", "all"], "flip, drop, relabel");
    refused(
        &["--to", "trl", "-o", &disk.at("out.csv")],
        "choose a name ending in .jsonl",
    );
    let out = disk.at("out.jsonl");
    refused(
        &["--to", "trl", "-o", &out, "--provenance", &out],
        "this is the output file",
    );
    refused(
        &["--to", "trl", "-o", &out, "--provenance", &rated],
        "is an input file",
    );
    assert!(!disk.path("out.jsonl").exists());
    Program::new(&["export", "", "-", "--to", "trl", "--apply", "flip"])
        .piped(RATED.as_str())
        .code(2)
        .stdout("")
        .stderr(
            contains("--apply needs review decisions").and(contains("standard-input.review.jsonl")),
        );
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
    assert!(
        said.contains("meta.n 1 \u{2192} 2, topic x \u{2192} y"),
        "{said}"
    );
}

#[test]
fn diff_shows_the_corrections_and_nothing_else() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    let out = disk.at("out.jsonl");
    // A file written without corrections has the same content.
    let export = ["export", "", &rated, "--to", "helpsteer2", "-o", &out];
    run(&export).success();
    assert!(Disk::said(&["diff", &rated, &out], 0).contains("relabelled   0"));
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
            && text.contains("relabelled, the first 1 of 2:\n")
            && text.contains("rated.jsonl:5 (sample 3)\n"),
        "{text}"
    );
    // B is in the row after its sample's first.
    let text = Disk::said(&["diff", &rated, &out], 1);
    let told = format!(
        "out.jsonl:3 (sample 2): B (line 4) helpfulness {} → {b}",
        values[3]
    );
    assert!(text.contains(&told), "{text}");
    let edited = RATED.replacen("\"response\": \"", "\"response\": \"So: ", 1);
    let edited = disk.put("edited.jsonl", &edited);
    let text = Disk::said(&["diff", &rated, &edited], 1);
    assert!(text.contains("edited.jsonl:1 (sample 1): A\n"), "{text}");
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
    let told = "verdict A → B, with reordered responses";
    assert!(text.contains(told), "{text}");
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
        .stdout(contains("removed:\n").and(contains("rated.jsonl:1 (sample 1)\n")))
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
        .stdout(contains("unchanged   20"))
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
        .stdout(contains("details     1").and(contains("(sample 1): split train → test\n")));
    let json = Disk::said(&["diff", "--json", &one, &other], 1);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let change =
        json!({"kind": "fact", "fact": "split", "response": null, "old": "train", "new": "test"});
    assert_eq!(found["details"][0]["changes"], json!([change]));
    let plain = "{\"prompt\": \"p\", \"chosen\": \"x\", \"rejected\": \"y\"}\n";
    let plain = disk.put("plain", plain);
    run(&["diff", &one, &plain]).stdout(contains("not compared: split, "));
    // The rows of a table are not lines.
    let two = "prompt,chosen,rejected\nHow?,So.,No.\nWhen?,Now.,Never.\n";
    let one = "prompt,chosen,rejected\nHow?,So.,No.\n";
    let [table, shorter_table] =
        [("two.csv", two), ("one.csv", one)].map(|(name, text)| disk.put(name, text));
    run(&["diff", &table, &shorter_table])
        .code(1)
        .stdout(contains("two.csv row 2 (sample 2)\n"));
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

#[test]
fn provenance_of_standard_output_is_replaced_only_with_force() {
    let disk = Disk::new();
    let (rated, beside) = (disk.at("rated.jsonl"), disk.put("beside.jsonl", "old\n"));
    let words = [
        "export",
        "",
        &rated,
        "-n",
        "1",
        "--to",
        "trl",
        "--provenance",
        &beside,
    ];
    run(&words)
        .code(2)
        .stdout("")
        .stderr(contains("already exists").and(contains("--force")));
    assert_eq!(disk.read("beside.jsonl"), "old\n");
    let rows = Disk::said(&[&words[..], &["--force"]].concat(), 0);
    assert_eq!(rows.lines().count(), 1);
    assert_eq!(disk.lines("beside.jsonl").len(), 3);
    // Without an output file there is nothing to replace.
    run(&["export", "", &rated, "--to", "trl", "--force"])
        .code(2)
        .stderr(contains("--output <FILE>").and(contains("--provenance <FILE>")));
}

#[test]
fn provenance_cannot_be_the_output_under_any_spelling() {
    let disk = Disk::new();
    let rated = disk.at("rated.jsonl");
    std::fs::create_dir(disk.path("folder")).expect("made");
    disk.put("there.jsonl", "old\n");
    std::os::unix::fs::symlink(disk.path("there.jsonl"), disk.path("link.jsonl")).expect("made");
    for (output, beside) in [
        ("new.jsonl", "./new.jsonl"),
        ("new.jsonl", "folder/../new.jsonl"),
        ("there.jsonl", "link.jsonl"),
        ("link.jsonl", "there.jsonl"),
    ] {
        let [output, beside] = [output, beside].map(|name| disk.at(name));
        let words = ["export", "", &rated, "--to", "trl", "--force"];
        run(&[&words[..], &["-o", &output, "--provenance", &beside]].concat())
            .code(2)
            .stderr(contains("this is the output file; choose another name"));
    }
    assert!(!disk.path("new.jsonl").exists());
    assert_eq!(disk.read("there.jsonl"), "old\n");
}

#[test]
fn remarks_name_the_query_that_finds_the_samples() {
    let disk = Disk::new();
    let rows = [("x", "x"), ("", "x"), ("x", "y")];
    let rows = rows.map(|(chosen, rejected)| {
        json!({"prompt": "p", "chosen": chosen, "rejected": rejected}).to_string() + "\n"
    });
    let pairs = disk.put("pairs.jsonl", &rows.concat());
    run(&["export", "", &pairs, "--to", "trl"])
        .success()
        .stderr(
            contains("1 row in which both responses are identical; identical>0 finds")
                .and(contains("1 row in which a response is empty; len=0 finds")),
        );
    for query in ["identical>0", "len=0"] {
        assert_eq!(Disk::said(&["count", query, &pairs], 0).trim(), "1");
    }
    let verdict = |winner| {
        format!(
            r#""act":"rate","question":"verdict","verdict":"{winner}","blind":false,"swapped":false"#
        )
    };
    let decided = helpfulness(&RATED)
        .chunks(2)
        .position(|pair| pair[0] != pair[1])
        .expect("a winner");
    disk.journal(&[(decided, verdict("a")), (decided, verdict("b"))]);
    let journal = disk.read("rated.jsonl.review.jsonl");
    let (first, last) = journal.trim_end().rsplit_once('\n').expect("two acts");
    let last = last.replace("\"ann\"", "\"ben\"");
    disk.put("rated.jsonl.review.jsonl", &format!("{first}\n{last}\n"));
    let rated = disk.at("rated.jsonl");
    run(&["export", "", &rated, "--to", "trl", "--apply", "flip"])
        .success()
        .stderr(
            contains("1 sample where reviewers disagree on the winner")
                .and(contains(":adjudicate lets a third one decide")),
        );
}

#[test]
fn where_no_sample_can_be_written_it_fails_and_makes_no_file() {
    let disk = Disk::new();
    let (rated, out) = (disk.at("rated.jsonl"), disk.at("out.jsonl"));
    let ties = Disk::said(&["count", "is:tie", &rated], 0);
    let ties = ties.trim();
    let why = || {
        let refused = format!("none of {ties} samples fits the format; see visavis guide training");
        contains(format!("skipped {ties} ties (a preference")).and(contains(refused))
    };
    for to in ["trl", "openai", "nemo", "llama-factory"] {
        let words = ["export", "is:tie", &rated, "--to", to];
        run(&words).code(1).stdout("").stderr(why());
        run(&[&words[..], &["-o", &out]].concat())
            .code(1)
            .stderr(why());
        assert!(!disk.path("out.jsonl").exists());
        assert!(!disk.path("out.jsonl.provenance.jsonl").exists());
    }
    // An existing file stays, even with --force.
    disk.put("out.jsonl", "old\n");
    let words = [
        "export", "is:tie", &rated, "--to", "trl", "-o", &out, "--force",
    ];
    run(&words).code(1);
    assert_eq!(disk.read("out.jsonl"), "old\n");
    // A query without matches is not an error, as for other formats.
    for options in [&["--to", "trl"][..], &["--format", "jsonl"]] {
        let words = [&["export", "helpfulness>4", &rated][..], options].concat();
        run(&words).code(0).stdout("");
    }
}

#[test]
fn a_truncated_file_is_reported_if_no_sample_can_be_written() {
    let disk = Disk::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    let rows = format!("{{\"prompt\": 7}}\n{}", RATED.repeat(4));
    packed.write_all(rows.as_bytes()).expect("packed");
    let packed = packed.finish().expect("packed");
    let cut = disk.path("cut.jsonl.gz");
    std::fs::write(&cut, &packed[..packed.len() / 2]).expect("written");
    let cut = disk.at("cut.jsonl.gz");
    for output in [&[][..], &["-o", &disk.at("out.jsonl")]] {
        let words = [&["export", "is:tie", &cut, "--to", "trl"][..], output].concat();
        let told = run(&words).code(1).stdout("");
        let told = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
        let places = [
            "rows do not match the schema",
            "skipped ",
            "truncated",
            "none of ",
        ]
        .map(|part| told.find(part).expect(part));
        assert!(places.is_sorted(), "{told}");
        assert!(!disk.path("out.jsonl").exists());
    }
}

#[test]
fn an_export_tells_of_its_second_file_and_of_prompts_with_many_rows() {
    let folder = TempDir::new().expect("a folder");
    let row = |prompt: &str, at: usize| {
        format!(r#"{{"prompt": "{prompt}", "chosen": "yes {at}", "rejected": "no {at}"}}"#) + "\n"
    };
    let rows: String = (0..9)
        .map(|at| {
            row(
                if at < 6 {
                    "Often?"
                } else {
                    ["a", "b", "c"][at - 6]
                },
                at,
            )
        })
        .collect();
    let file = put(&folder, "pairs.jsonl", &rows);
    let out = folder.path().join("trl.jsonl");
    let out = out.to_str().expect("UTF-8");
    let done = Program::new(&["export", &file, "--to", "trl", "-o", out])
        .assert()
        .success();
    done.stderr(
        contains(
            "67 % of the rows come from 25 % of the prompts, those with more than 3 rows each",
        )
        .and(contains(format!(
            "wrote the source of each row to {out}.provenance.jsonl"
        ))),
    );
}
