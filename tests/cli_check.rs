//! `visavis check`: findings for users, programs and CI.

use crate::program::{Program, put};
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};
use tempfile::TempDir;

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

fn printed(args: &[&str]) -> String {
    let done = run(args).success();
    String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
}

fn row(prompt: &str, response: &str, helpfulness: u8, correctness: u8) -> String {
    format!(
        r#"{{"prompt": "{prompt}", "response": "{response}", "helpfulness": {helpfulness}, "correctness": {correctness}, "coherence": 4, "complexity": 1, "verbosity": 2}}"#
    ) + "\n"
}

/// Returns two samples: the first is fine; B of the second is rated helpful and incorrect.
fn rows() -> String {
    [
        row(
            "Why is the sky blue?",
            "Because air scatters blue light more than red.",
            4,
            4,
        ),
        row(
            "Why is the sky blue?",
            "It mirrors the sea, as far as I know of it.",
            1,
            1,
        ),
        row(
            "Name a prime between 8 and 12.",
            "The only one among them is 11.",
            3,
            3,
        ),
        row(
            "Name a prime between 8 and 12.",
            "That would be the number nine.",
            4,
            0,
        ),
    ]
    .concat()
}

const RULE: &str = "helpful-but-wrong";

#[test]
fn findings_are_printed_with_their_places() {
    let folder = TempDir::new().expect("a folder");
    let file = put(&folder, "rows, new.jsonl", rows());
    let table = printed(&["check", &file]);
    assert!(table.contains(&format!("severe  {RULE}")), "{table}");
    assert!(table.contains("new.jsonl:4 (sample 2 B)"), "{table}");
    assert!(
        table.contains("2 samples, 1 suspicious: 1 with severe findings"),
        "{table}"
    );
    let document: Value =
        serde_json::from_str(&printed(&["check", &file, "--json"])).expect("JSON");
    assert_eq!(
        (&document["version"], &document["samples"]),
        (&1.into(), &2.into())
    );
    let finding = document["findings"].as_array().expect("a list");
    let finding = finding
        .iter()
        .find(|it| it["rule"] == RULE)
        .expect("a finding");
    assert_eq!(
        (&finding["severity"], &finding["line"], &finding["sides"]),
        (&"severe".into(), &4.into(), &json!(["b"]))
    );
    let key = finding["key"].as_str().expect("a key");
    assert!(printed(&["show", key, &file]).contains("Sample 2"));
    let rule = document["rules"].as_array().expect("a list");
    let rule = rule.iter().find(|it| it["name"] == RULE).expect("the rule");
    assert_eq!(
        (&rule["samples"], &rule["query"]),
        (&1.into(), &"helpfulness>=3 correctness<=1".into())
    );
    // A filter may use rules whose findings are not reported.
    let filter = "finding:helpful-but-wrong findings>=1";
    let asked = printed(&["check", &file, "--filter", filter, "--only", "out-of-range"]);
    assert!(asked.contains("1 sample, 1 rule: no findings"), "{asked}");
    // In the order of the guide.
    let names: Vec<_> = finding.as_object().expect("members").keys().collect();
    let listed = [
        "rule", "severity", "file", "row", "line", "sample", "key", "sides",
    ];
    assert_eq!(names, listed);
    // A table has rows, and no lines.
    let table = put(
        &folder,
        "rows.csv",
        "prompt,response,helpfulness,correctness,coherence,complexity,verbosity\n\"a\nb?\",one,1,1,4,1,2\n\"a\nb?\",two,4,0,4,1,2\n",
    );
    let found: Value =
        serde_json::from_str(&printed(&["check", &table, "--json", "--only", RULE])).expect("JSON");
    let found = &found["findings"][0];
    assert_eq!((&found["row"], &found["line"]), (&2.into(), &Value::Null));
    assert!(printed(&["check", &table, "--only", RULE]).contains("rows.csv row 2 (sample 1 B)"));
    // Of the filtered samples.
    let left = printed(&["check", &file, "--filter", "sample=1", "--only", RULE]);
    assert!(left.contains("1 sample, 1 rule: no findings"), "{left}");
}

#[test]
fn a_check_fails_at_the_requested_severity() {
    let folder = TempDir::new().expect("a folder");
    let severe = put(&folder, "severe.jsonl", rows());
    let fine = put(
        &folder,
        "fine.jsonl",
        rows()
            .lines()
            .take(2)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let likely = put(
        &folder,
        "likely.jsonl",
        row(
            "Say something.",
            "Something, as you have asked me to.",
            1,
            4,
        ),
    );
    for (file, on, code) in [
        (&severe, "error", 1),
        (&severe, "warn", 1),
        (&fine, "warn", 0),
        (&likely, "error", 0),
        (&likely, "warn", 1),
    ] {
        run(&["check", file, "--fail-on", on]).code(code).stderr("");
    }
    run(&["check", &severe]).code(0);
    // Nothing was examined.
    let blank = put(&folder, "blank.jsonl", "\n\n");
    run(&["check", &blank])
        .code(2)
        .stdout("")
        .stderr(contains("no samples in").and(contains("blank.jsonl, only blank lines")));
    for files in [[&blank, &fine], [&fine, &blank]] {
        run(&["check", files[0], "--against", files[1]])
            .code(2)
            .stdout("")
            .stderr(contains("blank.jsonl, only blank lines"));
    }
    let broken = put(
        &folder,
        "broken.jsonl",
        rows()
            .lines()
            .take(2)
            .chain(["{bad"])
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    run(&["check", &broken, "--fail-on", "error"])
        .code(1)
        .stdout(contains("severe  malformed").and(contains("broken.jsonl:3 (sample 2)")));
    run(&[
        "check",
        &severe,
        "--filter",
        "helpfulness>9",
        "--fail-on",
        "warn",
    ])
    .success()
    .stderr(contains(
        "no sample matches the filter, so none was checked",
    ));
    run(&["check", &severe, "--only", "helpful-but-wrng"])
        .code(2)
        .stdout("")
        .stderr(contains(
            "unknown rule helpful-but-wrng; did you mean helpful-but-wrong?",
        ));
    run(&[
        "check",
        &severe,
        "--only",
        "scores-do-not-cancel, out-of-range",
    ])
    .success()
    .stderr(contains("scores-do-not-cancel does not apply here: "));
    run(&[
        "check",
        &severe,
        "--only",
        "leak-exact",
        "--fail-on",
        "error",
    ])
    .code(2)
    .stdout("")
    .stderr(contains(
        "nothing was checked: leak-exact does not apply here: ",
    ));
    run(&["check", "--fail-on", "error"])
        .code(2)
        .stderr(contains("name the files to check"));
}

#[test]
fn prompts_of_another_file_are_found() {
    let folder = TempDir::new().expect("a folder");
    let train = put(&folder, "train.jsonl", rows());
    let held_out = [
        row(
            "Spell your name backwards.",
            "I have none that could be spelled.",
            3,
            3,
        ),
        row(
            "why is the sky... blue",
            "Light of short waves is scattered most.",
            4,
            4,
        ),
    ];
    let eval = put(&folder, "eval.jsonl", held_out.concat());
    let table = printed(&["check", &train, "--against", &eval]);
    assert!(
        table.contains("train.jsonl:1 (sample 1): see ") && table.contains("eval.jsonl:2"),
        "{table}"
    );
    assert!(
        !table.contains(RULE) && table.contains("2 samples, 1 suspicious"),
        "{table}"
    );
    // Another file, under any name.
    let parts = [
        put(&folder, "a-0-of-2.jsonl", rows()),
        put(&folder, "a-1-of-2.jsonl", held_out.concat()),
    ];
    let table = printed(&["check", &parts[0], "--against", &parts[1]]);
    assert!(table.contains("2 samples, 1 suspicious"), "{table}");
    let document: Value =
        serde_json::from_str(&printed(&["check", &train, "--against", &eval, "--json"]))
            .expect("JSON");
    let finding = &document["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["with"]["line"]),
        (&"leak-normalised".into(), &2.into())
    );
    assert_eq!(document["findings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_said_of_another_prompt_is_true_of_near_ones_too() {
    let folder = TempDir::new().expect("a folder");
    let words = "Write a short poem about the sea in winter that mentions three gulls and an old lighthouse";
    let of = |name: &str, prompt: &str| {
        put(
            &folder,
            name,
            row(prompt, "Grey is the sea, and long is the night.", 4, 4),
        )
    };
    let train = of("train.jsonl", words);
    for (name, prompt, rule) in [
        ("near.jsonl", format!("{words} keeper"), "leak-near"),
        (
            "shared.jsonl",
            format!(
                "{words}. Then explain at length, verse by verse, what each of its many images means, who reads such poems and why so few people write them today."
            ),
            "leak-13gram",
        ),
    ] {
        let other = of(name, &prompt);
        let json = printed(&["check", &train, "--against", &other, "--json"]);
        let document: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(document["findings"][0]["rule"], rule);
        let table = printed(&["check", &train, "--against", &other]);
        assert!(
            table.contains("(sample 1): see ") && table.contains(&format!("{name}:1")),
            "{table}"
        );
        assert!(!table.contains("the same as"), "{table}");
    }
}

#[test]
fn faults_of_rows_are_reported_with_their_place() {
    let folder = TempDir::new().expect("a folder");
    // A number in a template, which is replaced by other values.
    let row = |prompt: &str, helpfulness: &str| {
        let whole = row(prompt, "r", 3, 1);
        whole.replacen(
            "\"helpfulness\": 3",
            &format!("\"helpfulness\": {helpfulness}"),
            1,
        )
    };
    let rows = [
        row("a", "1"),
        row("a", "\"good\""),
        row("b", "2"),
        row("b", "3"),
        row("c", "7"),
        row("c", "[0]"),
        "{\"prompt\": \"d\", \"response\": 3}\n".to_owned(),
    ];
    let file = put(&folder, "odd.jsonl", rows.concat());
    let ask = ["check", &file, "--only", "out-of-range,malformed"];
    let table = printed(&ask);
    for place in [
        "odd.jsonl:2 (sample 1): B: helpfulness is \"good\", not a number: read as missing\n",
        "odd.jsonl:5 (sample 3): A: helpfulness is 7, outside 0 to 4: read as missing; B: ",
        "odd.jsonl:7 (sample 4): /response is a number, not text\n",
    ] {
        assert!(table.contains(place), "{place:?} in {table}");
    }
    let json = printed(&[&ask[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&json).expect("JSON");
    let found = found["findings"].as_array().expect("findings");
    let reasons = found.iter().map(|it| {
        (
            &it["line"],
            it["reasons"].as_array().expect("reasons").len(),
        )
    });
    let expected = [(&2.into(), 1), (&5.into(), 2), (&7.into(), 1)];
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
    // A finding about A is not a reason to omit B's line if a rule is about B alone.
    let config = folder.path().join("config");
    let rules = config.join("visavis/findings");
    std::fs::create_dir_all(&rules).expect("made");
    let rule = "[odd-and-brief]\nsentence = \"Odd and brief\"\nseverity = \"slight\"\nquery = \"is:flagged len.response=1 verbosity=3\"\n";
    std::fs::write(rules.join("own.toml"), rule).expect("written");
    let brief = row("e", "4").replacen("\"verbosity\": 2", "\"verbosity\": 3", 1);
    let pair = put(&folder, "brief.jsonl", row("e", "\"bad\"") + &brief);
    let mut program = Program::new(&["check", &pair, "--only", "odd-and-brief"]);
    let done = program.env("XDG_CONFIG_HOME", &config).assert().success();
    done.stdout(contains(
        "brief.jsonl:2 (sample 1 B): A: helpfulness is \"bad\", not a number",
    ));
    // Other rules give other reasons.
    let other = printed(&["check", &file, "--only", "helpful-but-wrong", "--json"]);
    assert!(
        other.contains("\"rule\":\"helpful-but-wrong\"") && !other.contains("\"reasons\""),
        "{other}"
    );
}

/// The check, the query and the page count the same samples, and a severe rule always counts.
#[test]
fn everything_counts_the_same_suspicious_samples() {
    let folder = TempDir::new().expect("a folder");
    let row = |at: usize, value: usize| {
        let rest = r#""correctness": 4, "coherence": 4, "complexity": 1, "verbosity": 1"#;
        format!(r#"{{"prompt": "p{at}", "response": "one {at}", "helpfulness": {value}, {rest}}}"#)
            + "\n"
    };
    // Each sample but two has a value out of range; every row has a hidden character.
    let rows = (0..24).map(|at| row(at / 2, if at < 20 { 9 } else { 3 }));
    let rows = rows.collect::<String>().replace("one", "o\u{200b}ne") + "{\"prompt\": 3}\n";
    let file = put(&folder, "odd.jsonl", &rows);
    let json = printed(&["check", &file, "--json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["suspicious"], &json["severe"]),
        (&11.into(), &11.into())
    );
    assert_eq!(
        json["slight"], 0,
        "common rules that are not severe do not count"
    );
    assert_eq!(printed(&["count", "findings>=1", &file]).trim(), "11");
    assert_eq!(printed(&["count", "suspicion>=10000", &file]).trim(), "11");
    let page = printed(&["--print", &file, "--keys", "!"]);
    assert!(page.contains("11 of 13"), "{page}");
    let table = printed(&["check", &file]);
    assert!(
        table.contains("Not counted, in more than half: "),
        "{table}"
    );
    assert!(table.contains("13 samples, 11 suspicious"), "{table}");
}
