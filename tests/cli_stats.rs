//! `visavis stats`: its figures are those that `visavis count` finds with their queries.

use crate::program::Program;
use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::str::contains;
use serde_json::{Value, json};

const RATED: &str = "assets/demo/helpsteer2.jsonl";
const COMPARED: &str = "assets/demo/webgpt.jsonl";

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

fn profile(args: &[&str]) -> Value {
    let said = run(&[&["stats", "--format", "json"], args].concat()).success();
    serde_json::from_slice(&said.get_output().stdout).expect("JSON")
}

#[test]
fn figures_are_those_that_count_finds() {
    let (all, filter) = (
        profile(&[RATED, COMPARED]),
        "helpfulness>=3 len.response>100",
    );
    let chosen = profile(&["--filter", filter, RATED, COMPARED]);
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
    // One filter holds for some responses of a sample, the other for all.
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
        let of_responses =
            format!("the {responses} of their {all} responses that match the filter");
        assert!(covers.contains(&of_responses), "{covers}");
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
        // A malformed row has no values and does not count as a sample.
        let malformed = u64::from(query == "verdict=none") * count("is:malformed", &[]);
        assert_eq!(bar["whole"], count(query, &[]) - malformed, "{query}");
    }
}
