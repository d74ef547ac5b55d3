//! Several reviewers: their journals, queries about them, and reports.

use std::path::Path;

use crate::program::Program;
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use tempfile::TempDir;

const RATED: &str = include_str!("../assets/demo/helpsteer2.jsonl");

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

fn put(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// The demo's rows in a file, and the keys of its first samples.
struct People {
    folder: TempDir,
    rated: String,
    keys: Vec<String>,
}

impl People {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let rated = put(folder.path(), "rated.jsonl", RATED);
        let table = run(&["export", "sample<=4 -is:single", &rated, "--format", "csv"]).success();
        let table = String::from_utf8(table.get_output().stdout.clone()).expect("text");
        let key = |line: &str| line.split(',').nth(3).map(str::to_owned);
        let lines = table.lines().filter(|line| line.contains("rated.jsonl"));
        let mut keys: Vec<_> = lines.filter_map(key).collect();
        keys.dedup();
        assert!(keys.len() >= 4, "{table}");
        Self {
            folder,
            rated,
            keys,
        }
    }

    /// A journal in which a reviewer checked the first samples, as part of a queue of 40.
    fn checks(&self, name: &str, reviewer: &str, drawn: &str, said: &[&str]) -> String {
        let header = r#"{"journal":2,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#;
        let mut lines = vec![header.to_owned()];
        for (said, key) in said.iter().zip(&self.keys) {
            let rank = lines.len();
            lines.push(format!(
                r#"{{"id":"{name}-{rank}","time":"2026-11-21T10:00:00.000Z","reviewer":"{reviewer}","sample":"{key}","file":"rated.jsonl","row":1,"act":"check","check":"{said}","drawn":{drawn},"rank":{rank},"of":40}}"#,
            ));
        }
        put(self.folder.path(), name, &(lines.join("\n") + "\n"))
    }

    /// A journal in which a reviewer rated the helpfulness of A and B of the first samples.
    fn journal(&self, name: &str, reviewer: &str, values: &[[u8; 2]]) -> String {
        let header = r#"{"journal":2,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#;
        let mut lines = vec![header.to_owned()];
        for (place, (values, key)) in values.iter().zip(&self.keys).enumerate() {
            for (value, response) in values.iter().zip(["a", "b"]) {
                lines.push(format!(
                    r#"{{"id":"{name}-{}","time":"2026-11-21T10:00:00.000Z","reviewer":"{reviewer}","sample":"{key}","file":"rated.jsonl","row":{},"act":"rate","question":"label","label":"helpfulness","response":"{response}","value":{value}}}"#,
                    lines.len(),
                    2 * place + 1,
                ));
            }
        }
        let name = format!("{name}.review.jsonl");
        put(self.folder.path(), &name, &(lines.join("\n") + "\n"))
    }

    /// Two journals that agree only on the first sample.
    fn two(&self) -> [String; 2] {
        [
            self.journal("0000aaaa", "Ann", &[[4, 1], [3, 3], [2, 0], [1, 1]]),
            self.journal("0000bbbb", "a", &[[4, 1], [1, 3], [0, 4]]),
        ]
    }
}

/// Returns the number of samples that match a query.
#[track_caller]
fn count(people: &People, journals: &[&str], query: &str) -> usize {
    let mut args = vec!["count", query, people.rated.as_str()];
    journals
        .iter()
        .for_each(|journal| args.extend(["--journal", journal]));
    let done = run(&args).success();
    let said = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    said.trim().parse().expect("a number")
}

#[test]
fn queries_tell_reviewers_of_several_journals_apart() {
    let people = People::new();
    let [ann, other] = people.two();
    let both = [ann.as_str(), other.as_str()];
    for (query, expected) in [
        ("is:rated", 4),
        ("ann.helpfulness>=3", 2),
        ("ANN.helpfulness=4 reviewer.a.helpfulness=4", 1),
        ("ann.helpfulness=3 reviewer.a.helpfulness=1", 1),
        ("a.rated.helpfulness=2", 1),
        ("spread.rated.helpfulness>=2", 2),
        ("any.spread.rated.helpfulness=4", 1),
        ("ann.verdict=tie", 2),
        ("ann.verdict=tie reviewer.a.verdict=b", 1),
        ("disagrees:reviewers", 2),
        ("disagrees:ann", 2),
        ("-disagrees:reviewer.a is:rated", 2),
        ("disagrees:mine", 0),
        ("mine.helpfulness!=none", 0),
    ] {
        assert_eq!(count(&people, &both, query), expected, "{query}");
    }
    assert_eq!(count(&people, &both[..1], "disagrees:reviewers"), 0);
    let args = [
        "export",
        "sort:-disagrees:reviewers is:rated",
        &people.rated,
    ];
    let journals = ["--journal", &ann, "--journal", &other, "--format", "csv"];
    let done = run(&[&args[..], &journals[..]].concat()).success();
    let table = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    let first = table.lines().nth(1).expect("a row");
    assert!(
        first.contains(&people.keys[2]),
        "4 apart come first: {first}"
    );
    run(&[
        "count",
        "zoe.helpfulness>=3",
        &people.rated,
        "--journal",
        &ann,
    ])
    .code(2)
    .stderr(contains("no judgments by zoe"));
}

#[test]
fn a_journal_that_is_none_is_named_with_its_line() {
    let people = People::new();
    let [ann, _] = people.two();
    let odd = put(
        people.folder.path(),
        "odd.jsonl",
        "{\"not\": \"a journal\"}\n",
    );
    let at = |second: &str| {
        let args = ["count", "is:rated", &people.rated];
        run(&[&args[..], &["--journal", &ann, "--journal", second]].concat())
    };
    let gone = people.folder.path().join("gone.jsonl");
    at(gone.to_str().expect("a name"))
        .code(2)
        .stderr(contains("gone.jsonl: no such journal"));
    at(&odd).code(2).stderr(contains("odd.jsonl, line 1"));
    // On the screen as well, before it is merged; none of them is written to.
    let before = std::fs::read(&ann).expect("a journal");
    run(&[
        "--print",
        &people.rated,
        "--journal",
        &ann,
        "--journal",
        &odd,
    ])
    .code(2)
    .stderr(contains("odd.jsonl").and(contains("line 1")));
    // An invalid line is reported, and the others are read.
    let text = String::from_utf8(before.clone()).expect("text");
    let torn = put(
        people.folder.path(),
        "torn.jsonl",
        &text.replacen("\"act\":\"rate\"", "\"act\":", 1),
    );
    run(&[
        "export",
        "is:rated",
        &people.rated,
        "--format",
        "csv",
        "--journal",
        &torn,
    ])
    .success()
    .stderr(contains("torn.jsonl, line 2"))
    .stdout(contains("Ann"));
    assert_eq!(std::fs::read(&ann).expect("a journal"), before);
}

#[test]
fn a_report_of_two_reviewers_tells_where_they_differ() {
    let people = People::new();
    let [ann, other] = people.two();
    let report = |names: &str| {
        let args = ["report", "--full", &people.rated, "--reviewer", names];
        run(&[&args[..], &["--journal", &ann, "--journal", &other]].concat())
    };
    let done = report("ann,a").success();
    let text = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    for said in [
        "# Agreement of Ann, a on ",
        " Ann and a gave the same verdict in 33 % of 3 samples (95 % CI ",
        "0000aaaa.review.jsonl",
        "0000bbbb.review.jsonl",
        "## Ann and a",
        "3 samples judged by both",
        "they differ on 2 of them",
        "They differ on samples 3, 2; the largest difference first.",
        "| helpfulness | 6 |",
        "helpfulness (rows: Ann, columns: a)",
        "| A, Ann | 2 |\n| A, a | 0 |\n",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let [third, second] =
        ["1. Sample 3 · ", "2. Sample 2 · "].map(|it| text.find(it).expect("a sample"));
    assert!(third < second, "the farthest apart come first: {text}");
    report("ann,zoe")
        .code(2)
        .stderr(contains("unknown reviewer zoe"));
    report("ann,Ann")
        .code(2)
        .stderr(contains("two different reviewers"));
    let args = [
        "report",
        &people.rated,
        "--reviewer",
        "ann,a",
        "--audit",
        "x",
        "--journal",
        &ann,
    ];
    run(&args).code(2).stderr(contains(
        "agreement of reviewers covers all audits; omit it",
    ));
}

#[test]
fn the_queue_judges_itself() {
    let people = People::new();
    let suspicious = people.checks(
        "0000000a",
        "ann",
        r#""suspicion","filter":"findings>0""#,
        &["wrong", "wrong", "right", "unclear"],
    );
    let random = people.checks(
        "0000000b",
        "ben",
        r#""random","seed":7,"filter":"""#,
        &["right", "wrong", "right"],
    );
    let both = ["--journal", &*suspicious, "--journal", &*random];
    let report =
        |more: &[&str]| run(&[&["report", "--full", &*people.rated], &both[..], more].concat());
    // As in statsmodels: proportion_confint(method="wilson").
    let suspicious = "| most suspicious | `findings>0` | 4 | 1 (25.0 %) | 4.6–69.9 % | 2 (50.0 %) | 15.0–85.0 % | 1 |";
    let by_chance =
        "| at random | all samples | 3 | 2 (66.7 %) | 20.8–93.9 % | 1 (33.3 %) | 6.1–79.2 % | 0 |";
    report(&[]).success().stdout(
        contains("There are only spot checks.")
            .and(contains(suspicious))
            .and(contains(by_chance)),
    );
    run(&[&["agree", &*people.rated], &both[..]].concat())
        .success()
        .stdout(contains("2 (50.0 %)").and(contains("20.8–93.9 %")));
    report(&["--reviewer", "ann"])
        .success()
        .stdout(contains(suspicious).and(contains("| at random").not()));
    report(&["--reviewer", "ann,ben"])
        .success()
        .stdout(contains("## Spot checks").and(contains("| at random")));
    // Queries and exports include them.
    let ask = |query: &str| {
        let args = ["export", query, &*people.rated, "--format", "csv"];
        run(&[&args[..], &both[..]].concat()).success()
    };
    ask("check:wrong check:right").stdout(contains(",ann: wrong;ben: right,"));
    ask("check:unclear").stdout(contains(",ann: unclear,").and(contains("ben: ").not()));
    let list = ["audits", &*people.rated];
    run(&[&list[..], &both[..]].concat())
        .success()
        .stdout(contains("Spot checks").not());
}

fn json(args: &[&str]) -> serde_json::Value {
    let done = run(args).success();
    serde_json::from_slice(&done.get_output().stdout).expect("JSON")
}

#[test]
fn agreement_is_printed_as_text_and_as_json() {
    let people = People::new();
    let [ann, other] = people.two();
    let journals = ["--journal", &*ann, "--journal", &*other];
    let agree = |more: &[&str]| {
        let args = [&["agree", &*people.rated], &journals[..], more].concat();
        json(&[&args[..], &["--json"]].concat())
    };
    let all = agree(&[]);
    assert_eq!(all["version"], 2);
    let raters: Vec<_> = (all["raters"].as_array().into_iter().flatten())
        .map(|it| (it["name"].as_str(), it["kind"].as_str()))
        .collect();
    let expected = [
        ("Ann", "reviewer"),
        ("a", "reviewer"),
        ("dataset", "dataset"),
    ];
    assert_eq!(
        raters,
        expected.map(|(name, kind)| (Some(name), Some(kind)))
    );
    assert_eq!(all["reviewers"], serde_json::json!(["Ann", "a"]));
    assert_eq!((&all["samples"], &all["judgments"]), (&4.into(), &7.into()));
    let pair = &all["pairs"][0];
    assert_eq!(
        (&pair["samples"], pair["differing"].as_array().map(Vec::len)),
        (&3.into(), Some(2))
    );
    // The greatest disagreement comes first: 2 and 0 against 0 and 4.
    let worst = &pair["differing"][0];
    assert_eq!(worst["key"], *people.keys[2]);
    assert_eq!(worst["judgments"][0]["labels"]["b"]["helpfulness"], 0);
    assert_eq!(worst["judgments"][1]["labels"]["b"]["helpfulness"], 4);
    let helpfulness = &pair["labels"][0];
    assert_eq!(
        (&helpfulness["name"], &helpfulness["n"]),
        (&"helpfulness".into(), &6.into())
    );
    let alpha = &all["alpha"][0];
    assert_eq!(
        (&alpha["name"], &alpha["units"]),
        (&"helpfulness".into(), &6.into())
    );
    let one = agree(&["--reviewer", "Ann"]);
    assert_eq!(one["reviewers"], serde_json::json!(["Ann"]));
    assert_eq!(one["pairs"], serde_json::json!([]));
    // Four samples are too few for an interval.
    let equal = &one["dataset"]["verdict"]["equal"];
    assert!(
        equal["value"].is_number() && equal["low"].is_null(),
        "{equal}"
    );
    assert_eq!(equal["why"], "n/a: too few (4, at least 15 needed)");
    assert_eq!(agree(&["--reviewer", "ann,a"])["pairs"][0], *pair);
    let args = [&["agree", &*people.rated], &journals[..]].concat();
    let page = run(&args).success();
    let page = String::from_utf8(page.get_output().stdout.clone()).expect("text");
    assert!(
        page.contains("helpfulness") && page.lines().count() > 10,
        "{page}"
    );
    run(&[&args[..], &["--reviewer", "zoe"]].concat())
        .code(2)
        .stdout("")
        .stderr(contains("unknown reviewer zoe; known: Ann, a"));
}

#[test]
fn an_ambiguous_name_is_reported() {
    let people = People::new();
    let journals = [
        people.journal("0000aaaa", "Ann", &[[4, 1]]),
        people.journal("0000bbbb", "ANN", &[[1, 4]]),
    ];
    let journals = journals.each_ref().map(String::as_str);
    let report = |name: &str| {
        let mut args = vec!["report", &*people.rated, "--reviewer", name];
        for journal in &journals {
            args.extend(["--journal", journal]);
        }
        run(&args)
    };
    report("Ann").success();
    report("ann")
        .code(2)
        .stderr(contains("ann is ambiguous: ANN or Ann"));
}

#[test]
fn audits_are_listed_for_programs() {
    let people = People::new();
    let header = r#"{"journal":2,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#;
    let queue: Vec<_> = (people.keys[..2].iter())
        .map(|key| {
            format!(r#"{{"sample":"{key}","file":"rated.jsonl","row":1,"pass":1,"order":"ab"}}"#)
        })
        .collect();
    let audit_line = format!(
        r#"{{"id":"00c0ffee-1","time":"2026-11-21T10:00:00.000Z","reviewer":"ann","act":"audit","n":2,"seed":7,"by":null,"repeat":0.0,"blind":true,"reveal":"after","filter":"","of":9,"queue":[{}]}}"#,
        queue.join(",")
    );
    let journal = put(
        people.folder.path(),
        "audits.jsonl",
        &format!("{header}\n{audit_line}\n"),
    );
    let audits = json(&["audits", &people.rated, "--journal", &journal, "--json"]);
    let audit = &audits["audits"][0];
    assert_eq!(
        (&audits["version"], &audit["id"], &audit["seed"]),
        (&1.into(), &"00c0ffee-1".into(), &7.into())
    );
    assert_eq!((&audit["drawn"], &audit["of"]), (&2.into(), &9.into()));
    assert_eq!(audit["reveal"], "after");
    assert_eq!(
        (&audit["kind"], &audit["between"]),
        (&"audit".into(), &().into())
    );
    assert_eq!(audit["reviewers"][0]["questions"], 2);
    let decided = audit_line.replacen("\"n\"", "\"between\":[\"ben\",\"cat\"],\"n\"", 1);
    let journal = put(
        people.folder.path(),
        "adjudications.jsonl",
        &format!("{header}\n{decided}\n"),
    );
    let of_decided = ["audits", &people.rated, "--journal", &journal];
    run(&of_decided)
        .success()
        .stdout(contains("2 (adjudication ben, cat)"));
    let audits = json(&[&of_decided[..], &["--json"]].concat());
    assert_eq!(audits["audits"][0]["kind"], "adjudication");
    assert_eq!(
        audits["audits"][0]["between"],
        serde_json::json!(["ben", "cat"])
    );
}

#[test]
fn journals_are_merged_once_and_lose_nothing() {
    let people = People::new();
    let [ann, other] = people.two();
    let merged = people.folder.path().join("merged.jsonl");
    let merged = merged.to_str().expect("a name in UTF-8");
    for added in ["14 acts", "0 acts"] {
        run(&["journal", "merge", &ann, &other, "-o", merged])
            .success()
            .stdout("")
            .stderr(contains(format!("added {added} to")));
    }
    for query in [
        "is:rated",
        "disagrees:reviewers",
        "ann.verdict=tie reviewer.a.verdict=b",
    ] {
        let apart = count(&people, &[&ann, &other], query);
        assert_eq!(count(&people, &[merged], query), apart, "{query}");
    }
    let told = run(&["journal", "merge", &other, &ann, &ann]).success();
    let told = String::from_utf8(told.get_output().stdout.clone()).expect("text");
    assert_eq!(told.lines().count(), 15);
    assert!(told.starts_with(r#"{"journal":2,"#), "{told}");
    // Neither the order of arguments nor the version of an act decides what is merged.
    let text = std::fs::read_to_string(&other).expect("a journal");
    let text = text.replacen("T10:00:00", "T09:00:00", 1);
    let text = text.replacen("rated.jsonl", "a.jsonl", 1);
    let later = r#"{"act": "rank", "id":"0000bbbb-9", "time":"2026-11-21T11:00:00.000Z", "reviewer":"a", "order":["b","a"]}"#;
    let other = put(
        people.folder.path(),
        "later.jsonl",
        &format!("{text}{later}\n"),
    );
    let merges = |one: &str, two: &str| {
        let done = run(&["journal", "merge", one, two]).success();
        let output = done.get_output().clone();
        (output.stdout, output.stderr)
    };
    let both = merges(&ann, &other);
    assert_eq!(both, merges(&other, &ann));
    let [both, told] = [both.0, both.1].map(|bytes| String::from_utf8(bytes).expect("text"));
    assert!(both.ends_with(&format!("\n{later}\n")), "{both}");
    assert!(
        told.contains("1 act of a later version of visavis (rank) kept"),
        "{told}"
    );
    run(&["journal", "merge", &other, "-o", merged]).success();
    let text = std::fs::read_to_string(merged).expect("a journal");
    assert!(text.ends_with(&format!("\n{later}\n")), "{text}");
    // A merge that fails leaves no empty file.
    let unwritten = people.folder.path().join("unwritten.jsonl");
    let script = "trap '' XFSZ; ulimit -f 0; exec visavis journal merge \"$1\" -o \"$2\"";
    let output = unwritten.to_str().expect("a name");
    let full = Program::other("sh", &["-c", script, "sh", &ann, output]);
    full.expect("a shell")
        .assert()
        .code(1)
        .stderr(contains("unwritten.jsonl"));
    assert!(!unwritten.exists());
    run(&["journal", "merge", &ann, "nowhere.jsonl"])
        .code(2)
        .stdout("")
        .stderr(contains("nowhere.jsonl: no such journal"));
    let text = std::fs::read_to_string(&ann).expect("a journal");
    // A journal without a header, such as unsaved acts of an earlier version, gets one.
    let (_, bare) = text.split_once('\n').expect("a header");
    let bare = put(people.folder.path(), "bare.jsonl", bare);
    run(&["journal", "merge", &bare])
        .success()
        .stdout(starts_with(r#"{"journal":2,"#));
    run(&["journal", "merge", &ann, "-o", &bare])
        .success()
        .stderr(contains("added 0 acts"));
    // Invalid lines are reported, and valid ones are merged.
    let torn = put(people.folder.path(), "torn.jsonl", &text[..text.len() - 9]);
    run(&["journal", "merge", &torn])
        .code(1)
        .stdout(contains(r#""act":"rate""#))
        .stderr(contains("truncated line skipped; the rest was merged"));
}

#[test]
fn times_decide_and_not_the_order_of_journals() {
    let people = People::new();
    // One reviewer on two machines: a at noon, b an hour later.
    let judged = |name: &str, hour: u8, verdict: &str| {
        let header = r#"{"journal":2,"visavis":"0.1.0","time":"2026-11-21T10:00:00.000Z","files":["rated.jsonl"],"schema":"helpsteer2","first":null}"#;
        let lines = people.keys.iter().enumerate().map(|(place, key)| {
            format!(
                r#"{{"id":"{name}-{place}","time":"2026-11-21T{hour}:00:00.000Z","reviewer":"ann","sample":"{key}","file":"rated.jsonl","row":{},"act":"rate","question":"verdict","verdict":"{verdict}","strength":null}}"#,
                2 * place + 1,
            )
        });
        let lines: Vec<_> = std::iter::once(header.to_owned()).chain(lines).collect();
        put(
            people.folder.path(),
            &format!("{name}.jsonl"),
            &(lines.join("\n") + "\n"),
        )
    };
    let (noon, later) = (judged("0000bbbb", 12, "a"), judged("0000aaaa", 13, "b"));
    let rated = people.rated.as_str();
    let said = |args: &[&str], journals: [&str; 2]| {
        let [one, two] = journals;
        let done = run(&[args, &["--journal", one, "--journal", two]].concat()).success();
        let output = done.get_output();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        // A report contains its date.
        let lines = text(&output.stdout);
        let lines = lines.lines().filter(|line| !line.starts_with("*visavis"));
        (
            lines.map(str::to_owned).collect::<Vec<_>>(),
            text(&output.stderr),
        )
    };
    let list = ["list", "ann.verdict=b", rated];
    for args in [
        &list[..],
        &["export", "", rated, "--to", "trl", "--apply", "flip"],
        &["report", "--full", rated],
        &["agree", rated],
        &["agree", rated, "--json"],
    ] {
        let (in_order, turned) = (said(args, [&noon, &later]), said(args, [&later, &noon]));
        assert_eq!(in_order, turned, "{args:?}");
        assert!(!in_order.0.is_empty(), "{args:?}");
    }
    // A header and a line for each sample.
    let listed = said(&list, [&noon, &later]).0.len();
    assert_eq!(listed, people.keys.len() + 1);
    // A merged journal gives the same counts.
    let merged = run(&["journal", "merge", &later, &noon]).success();
    let merged = String::from_utf8(merged.get_output().stdout.clone()).expect("text");
    let merged = put(people.folder.path(), "merged.jsonl", &merged);
    assert_eq!(
        count(&people, &[&merged], "ann.verdict=b"),
        people.keys.len()
    );
    // Acts that share an id and differ are reported with their lines.
    let text = std::fs::read_to_string(&noon).expect("a journal");
    let copy = put(
        people.folder.path(),
        "copy.jsonl",
        &text.replacen("\"verdict\":\"a\"", "\"verdict\":\"tie\"", 1),
    );
    let differs = |one: &str, other: &str| {
        contains(format!(
            "{one}, line 2: act 0000bbbb-0 differs from the one in {other}, line 2; only one counts: delete one line or change its id"
        ))
    };
    run(&["journal", "merge", &noon, &copy])
        .code(1)
        .stderr(differs(&copy, &noon));
    for journals in [[&*noon, &copy], [&*copy, &noon]] {
        let [one, two] = journals;
        run(&["agree", rated, "--journal", one, "--journal", two])
            .success()
            .stderr(differs(&copy, &noon).or(differs(&noon, &copy)));
    }
    assert_eq!(
        said(&["agree", rated], [&noon, &copy]),
        said(&["agree", rated], [&copy, &noon])
    );
}

#[test]
fn a_list_has_columns_of_reviewers() {
    let people = People::new();
    let [ann, _] = people.two();
    let args = ["list", "is:rated", &*people.rated, "--journal", &*ann];
    let done = run(&[
        &args[..],
        &["--columns", "sample,ann.helpfulness,ann.verdict", "--tsv"],
    ]
    .concat())
    .success();
    let table = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    assert_eq!(
        table
            .lines()
            .nth(1)
            .and_then(|line| line.split_once('\t'))
            .map(|(_, values)| values),
        Some("4,1\ta"),
        "{table}"
    );
    // Also if the query does not mention reviewers.
    let every = [
        "list",
        "",
        &*people.rated,
        "--journal",
        &*ann,
        "--columns",
        "ann.helpfulness",
        "--tsv",
    ];
    let done = run(&every).success();
    assert!(String::from_utf8_lossy(&done.get_output().stdout).contains("4,1\n"));
}

#[test]
fn a_merge_does_not_let_older_acts_count_as_the_latest() {
    let people = People::new();
    let [ann, _] = people.two();
    let text = std::fs::read_to_string(&ann).expect("a journal");
    let later = text
        .replace("0000aaaa", "0000cccc")
        .replace("T10:", "T11:")
        .replace("\"value\":4", "\"value\":0");
    let later = put(people.folder.path(), "later.jsonl", &later);
    let target = people.folder.path().join("target.jsonl");
    let target = target.to_str().expect("a name in UTF-8");
    run(&["journal", "merge", &later, "-o", target]).success();
    run(&["journal", "merge", &ann, "-o", target])
        .code(2)
        .stderr(contains("cannot add acts older than existing ones of Ann"));
    assert_eq!(count(&people, &[target], "any.ann.helpfulness=4"), 0);
    // Merged acts are in order of time, regardless of the order of files.
    let both = people.folder.path().join("both.jsonl");
    let both = both.to_str().expect("a name in UTF-8");
    run(&["journal", "merge", &later, &ann, "-o", both]).success();
    assert_eq!(count(&people, &[both], "any.ann.helpfulness=4"), 0);
    let newer = text.replacen("{\"journal\":2,", "{\"journal\":3,", 1);
    let newer = put(people.folder.path(), "newer.jsonl", &newer);
    run(&["journal", "merge", &newer])
        .code(2)
        .stdout("")
        .stderr(contains("was written by a later version of visavis"));
}

#[test]
fn a_missing_journal_is_reported() {
    let people = People::new();
    for command in ["agree", "audits"] {
        run(&[command, &people.rated])
            .code(2)
            .stdout("")
            .stderr(contains(
                "rated.jsonl.review.jsonl does not exist; judge samples first",
            ));
        run(&[command])
            .code(2)
            .stderr(contains("name the files to report on"));
    }
}

#[test]
fn judgments_of_missing_samples_neither_settle_nor_vanish() {
    let people = People::new();
    let journal = people.journal("0000aaaa", "ann", &[[4, 1], [3, 3], [2, 0], [1, 1]]);
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let keys = people.keys.iter().take(4);
    let queue: Vec<_> = keys
        .map(|key| format!(r#"{{"sample":"{key}","file":"rated.jsonl","row":1}}"#))
        .collect();
    let queue = queue.join(",");
    let (header, acts) = text.split_once('\n').expect("a header");
    let id = r#"{"id":"0000aaaa-a","time":"2026-11-21T10:00:00.000Z","reviewer":"ann""#;
    let plan = format!(
        r#""act":"audit","n":4,"seed":1,"repeat":0,"blind":true,"reveal":"never","reveal_at_end":true,"filter":"","of":30,"queue":[{queue}]}}"#
    );
    // The first two samples are judged completely, the others are skipped.
    let judged = acts
        .lines()
        .filter(|line| line.contains(":\"label\""))
        .take(4);
    let labels = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ];
    let judged = judged.flat_map(|line| {
        labels.map(|label| {
            let line = line.replace("\"id\":\"", &format!("\"id\":\"{label}-"));
            let line = line.replace(":\"helpfulness\"", &format!(":\"{label}\""));
            line.replace("\"act\"", "\"audit\":\"0000aaaa-a\",\"act\"")
        })
    });
    let skipped = people.keys.iter().skip(2).take(2).enumerate().map(|(at, key)| {
        format!(r#"{{"id":"s-{at}","time":"2026-11-21T10:00:01.000Z","reviewer":"ann","sample":"{key}","file":"rated.jsonl","row":{},"audit":"0000aaaa-a","act":"skip"}}"#, 5 + 2 * at)
    });
    let lines = [header.to_owned(), format!("{id},{plan}")];
    let lines: Vec<_> = lines.into_iter().chain(judged).chain(skipped).collect();
    let journal = put(
        people.folder.path(),
        "audit.review.jsonl",
        &(lines.join("\n") + "\n"),
    );
    // All rows; the first pair alone; each pair in the other order.
    let rows: Vec<_> = RATED.lines().collect();
    let first = rows[..2].join("\n") + "\n";
    let swapped = rows.chunks(2).flat_map(|pair| pair.iter().rev().copied());
    let swapped = swapped.collect::<Vec<_>>().join("\n") + "\n";
    let first = put(people.folder.path(), "first.jsonl", &first);
    let swapped = put(people.folder.path(), "swapped.jsonl", &swapped);
    for (file, progress, settled, missing, judged) in [
        (&people.rated, "ann 4/4", 4, 0, ""),
        (&first, "ann 1/4, 3 not in this file", 1, 3, "1 sample"),
        (&swapped, "ann 0/4, 4 not in this file", 0, 4, "2 samples"),
    ] {
        let journal = ["--journal", &journal];
        let text = |args: &[&str]| run(&[args, &journal].concat()).success();
        text(&["audits", file]).stdout(contains(format!("  {progress}\n")));
        let json = text(&["audits", file, "--json"]);
        let json: serde_json::Value =
            serde_json::from_slice(&json.get_output().stdout).expect("JSON");
        assert_eq!(json["audits"][0]["reveal"], "end");
        let one = &json["audits"][0]["reviewers"][0];
        assert_eq!(
            (&one["settled"], &one["missing"]),
            (&settled.into(), &missing.into())
        );
        let report = text(&["report", file, "--full"]).stdout(contains(if missing > 0 {
            "The audit is not finished"
        } else {
            "shown after the whole audit"
        }));
        if missing > 0 {
            report.stdout(contains("only after the whole audit"));
        }
        for args in [
            &["count", "is:rated", file][..],
            &["export", "is:rated", file],
        ] {
            let told = format!(
                "the journal has judgments of {judged} not in this file: rows removed, texts changed or responses swapped\n"
            );
            text(args).stderr(contains(told).count(usize::from(missing > 0)));
        }
        text(&["count", "helpfulness>=3", file]).stderr(contains("not in this file").not());
    }
}
