//! `visavis stats`: what it prints, as text, as JSON and as a picture, and what it refuses.
#![allow(clippy::expect_used)] // `allow-expect-in-tests` does not reach helpers in here.

mod program;

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use predicates::str::contains;
use program::Program;
use serde_json::{Value, json};
use tempfile::TempDir;

const RATED: &str = "assets/demo/helpsteer2.jsonl";
const COMPARED: &str = "assets/demo/webgpt.jsonl";

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

fn json(args: &[&str]) -> Value {
    let said = run(&[&["stats", "--format", "json"], args].concat()).success();
    serde_json::from_slice(&said.get_output().stdout).expect("JSON")
}

#[test]
fn figures_are_those_that_count_finds() {
    let (all, filter) = (json(&[RATED, COMPARED]), "helpfulness>=3 len.response>100");
    let chosen = json(&["--filter", filter, RATED, COMPARED]);
    let count = |query: &str, more: &[&str]| -> u64 {
        let args = [&["count", query, RATED, COMPARED], more].concat();
        let said = run(&args).success();
        let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
        said.trim().parse().expect("a number")
    };
    assert_eq!(all["samples"], count("", &[]));
    assert_eq!(all["shown"], Value::Null);
    assert_eq!(chosen["shown"], count(filter, &[]));
    let (totals, n) = (
        &chosen["counts"]["totals"],
        &chosen["labels"]["helpfulness"]["n"],
    );
    assert_eq!(totals["responses"]["shown"], count(filter, &["--rows"]));
    for number in [
        &totals["rows"]["whole"],
        &totals["responses"]["shown"],
        &n["whole"],
        &n["shown"],
    ] {
        assert!(number.is_u64(), "{number}");
    }
    // One filter holds for some of the responses of a sample, the other for all.
    assert_eq!(all["covers"], Value::Null);
    for (filter, is_part) in [("len.response>400", true), ("turns=1", false)] {
        let args = ["--only", "counts", "--filter", filter, RATED];
        let args = [&["stats", "--format", "json"], &args[..]].concat();
        let said = run(&args).success();
        let document: Value = serde_json::from_slice(&said.get_output().stdout).expect("JSON");
        let covers = document["covers"].as_str().expect("a sentence").to_owned();
        let numbers = covers.split(|sign: char| !sign.is_ascii_digit());
        let numbers = numbers.filter_map(|number| number.parse::<u64>().ok());
        let numbers: Vec<_> = numbers.collect();
        let [samples, responses, all] = numbers[..] else {
            panic!("{covers}");
        };
        assert_eq!(document["shown"], samples);
        let shown = &document["counts"]["totals"]["responses"]["shown"];
        assert_eq!(
            (shown, responses < all),
            (&json!(responses), is_part),
            "{covers}"
        );
        said.stderr(contains(covers));
    }
    // Every bar of a label finds as many responses as it says.
    let bars = all["labels"]["helpfulness"]["bars"]
        .as_array()
        .expect("bars");
    assert_eq!(bars.len(), 5);
    for bar in bars {
        let query = bar["query"].as_str().expect("a query");
        assert_eq!(bar["whole"], count(query, &["--rows"]), "{query}");
    }
    for bar in chosen["labels"]["helpfulness"]["bars"]
        .as_array()
        .expect("bars")
    {
        let query = format!("{filter} {}", bar["query"].as_str().expect("a query"));
        assert_eq!(bar["shown"], count(&query, &["--rows"]), "{query}");
    }
    for bar in all["verdicts"]["verdict"]["bars"].as_array().expect("bars") {
        let query = bar["query"].as_str().expect("a query");
        // A malformed row says nothing, and is no sample that could.
        let malformed = u64::from(query == "verdict=none") * count("is:malformed", &[]);
        assert_eq!(bar["whole"], count(query, &[]) - malformed, "{query}");
    }
}

#[test]
fn text_and_pictures_show_the_page() {
    run(&["stats", RATED]).success().stdout(
        contains("helpfulness")
            .and(contains("Pearson's r"))
            .and(contains("28.").or(contains("%"))),
    );
    let narrow = run(&["stats", "--width", "60", RATED]).success();
    let narrow = String::from_utf8_lossy(&narrow.get_output().stdout).into_owned();
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 60),
        "{narrow}"
    );
    let folder = TempDir::new().expect("a folder");
    let picture = folder.path().join("page.svg");
    let path = picture.to_str().expect("a name");
    run(&["stats", "--svg", path, RATED]).success().stdout("");
    let written = std::fs::read_to_string(&picture).expect("a picture");
    assert!(written.starts_with("<svg") && written.contains("helpfulness"));
    let data = folder.path().join("data.jsonl");
    std::fs::copy(RATED, &data).expect("copied");
    let path = data.to_str().expect("a name");
    run(&["stats", "--svg", path, path]).code(2);
    assert_eq!(
        std::fs::read(&data).expect("there"),
        std::fs::read(RATED).expect("there")
    );
}

#[test]
fn what_is_wrong_is_said() {
    run(&["stats", "--filter", "helpfullness>=3", RATED])
        .code(2)
        .stdout("")
        .stderr(contains("did you mean helpfulness?"));
    run(&["stats", "missing.jsonl"])
        .code(2)
        .stdout("")
        .stderr(contains("no such file"));
    run(&["stats"])
        .code(2)
        .stdout("")
        .stderr(contains("name the files to tell of"));
    run(&["stats", "--width", "10", RATED]).code(2);
}

#[test]
fn sections_that_are_named_are_those_of_the_whole_page() {
    let (all, some) = (json(&[RATED]), json(&["--only", "labels,counts", RATED]));
    let keys: Vec<_> = some.as_object().expect("an object").keys().collect();
    assert!(
        keys.iter().any(|key| *key == "labels") && all["bias"].is_object(),
        "{keys:?}"
    );
    for (section, made) in some.as_object().expect("an object") {
        assert_eq!(*made, all[section], "{section}");
    }
    assert!(
        some.get("bias").is_none() && some.get("lengths").is_none(),
        "{keys:?}"
    );
    run(&["stats", "--only", "label", RATED])
        .code(2)
        .stderr(contains("labels"));
}
