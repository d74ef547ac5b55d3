//! `visavis stats`: its output as text, JSON and picture, and its errors.

use crate::program;
use crate::program::Program;
use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};
use tempfile::TempDir;

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
        .stderr(contains("did you mean helpfulness>=3?"));
    run(&["stats", "missing.jsonl"])
        .code(2)
        .stdout("")
        .stderr(contains("no such file"));
    run(&["stats"])
        .code(2)
        .stdout("")
        .stderr(contains("name the files to describe"));
    run(&["stats", "--width", "10", RATED]).code(2);
}

#[test]
fn sections_that_are_named_are_those_of_the_whole_page() {
    let (all, some) = (
        profile(&[RATED]),
        profile(&["--only", "labels,counts", RATED]),
    );
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

/// Returns random numbers, the same each time.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

fn written(folder: &TempDir, name: &str, rows: impl Iterator<Item = Value>) -> String {
    let rows: String = rows.map(|row| row.to_string() + "\n").collect();
    program::put(folder, name, rows)
}

#[test]
fn a_filter_by_annotators_values_is_noted() {
    let (folder, mut next) = (TempDir::new().expect("a folder"), numbers(7));
    let strengths = [-3, -2, -1, 1, 2, 3];
    let mut vote = || json!({"strength": strengths[next(6)], "justification": ""});
    let noise = (0..90).map(|number| {
        json!({
            "split": "train", "prompt": format!("question {number}"), "response_1": "one", "response_2": "two",
            "preference_strength": if number % 5 == 0 { 0 } else { 2 }, "preference_statement": "",
            "preference_elaboration": "", "three_most_similar_preferences": [],
            "all_preferences_unprocessed": [vote(), vote(), vote(), vote()],
        })
    });
    let noise = written(&folder, "noise.jsonl", noise);
    let mut next = numbers(11);
    let labels = [
        "helpfulness",
        "correctness",
        "coherence",
        "complexity",
        "verbosity",
    ];
    let lists = (0..80).map(|number| {
        let mut row = json!({"prompt": format!("question {}", number / 2), "response": format!("answer {number}")});
        for label in labels {
            row[label] = json!([next(5), next(5), next(5)]);
        }
        row
    });
    let lists = written(&folder, "lists.jsonl", lists);
    for (file, card, filter, is_selected) in [
        (&noise, "votes", "-is:contested", true),
        (&noise, "votes", "len.prompt>2 abs(margin)>=2", true),
        (&noise, "votes", "best:b", true),
        (&noise, "votes", "loser.response:one", true),
        (&noise, "votes", "prompt:1", false),
        (&lists, "helpfulness", "helpfulness_spread<2", true),
        (&lists, "helpfulness", "correctness_spread<2", true),
        (&lists, "helpfulness", "helpfulness>=2.5", true),
        (&lists, "helpfulness", "len.response>8", false),
    ] {
        let page = profile(&["--only", "annotators", "--filter", filter, file]);
        let card = &page["annotators"][card];
        assert!(card["kappa"]["shown"].is_f64(), "{filter}: {card}");
        let notes = card["notes"].to_string();
        let is_noted = notes.contains("selects by annotators' values");
        assert_eq!(is_noted, is_selected, "{filter}: {notes}");
    }
}

#[test]
fn a_joined_file_is_judged_by_what_it_has_an_opinion_on() {
    let folder = TempDir::new().expect("a folder");
    let pairs = (0..60)
        .map(|at| json!({"id": at, "prompt": format!("p{at}"), "chosen": "x", "rejected": "y"}));
    let data = written(&folder, "data.jsonl", pairs);
    // Of 50 pairs, 10 are ties, 24 are right and 16 wrong.
    let scores = (0..50).map(|at| {
        let margin = match at {
            ..10 => 0,
            10..34 => at,
            _ => -at,
        };
        json!({"id": at, "score_a": margin, "score_b": 0})
    });
    let scores = written(&folder, "one.jsonl", scores);
    let few = (5..45).map(|at| json!({"id": at, "score_a": 1, "score_b": 2}));
    let few = written(&folder, "few.jsonl", few);
    let page = profile(&[
        "--only", "models", &data, "--with", &scores, "--with", &few, "--on", "id",
    ]);
    let models = &page["models"];
    let card = &models["rm.one.margin"];
    assert_eq!(card["accuracy"]["whole"], 24.0 / 50.0);
    assert_eq!(card["accuracy_decided"]["whole"], 24.0 / 40.0);
    let [low, high] = [0, 1].map(|end| {
        card["accuracy_decided"]["interval"][end]
            .as_f64()
            .expect("an end")
    });
    // Wilson interval for 24 of 40.
    assert!(
        (low - 0.446_0).abs() < 1e-3 && (high - 0.736_5).abs() < 1e-3,
        "{low} {high}"
    );
    let bars = card["bars"].as_array().expect("bars");
    let of_all = |bar: &Value| bar["whole_of"].as_u64().expect("a count");
    assert_eq!(
        bars.iter().map(of_all).sum::<u64>(),
        40,
        "ties are in no bar"
    );
    for bar in bars {
        let query = bar["query"].as_str().expect("a query");
        let said = run(&["count", query, &data, "--with", &scores, "--on", "id"]).success();
        let found = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
        assert_eq!(found.trim(), of_all(bar).to_string(), "{query}");
        assert!(!bar["interval"].is_null());
    }
    let against = models["contradicted_by"]["bars"].as_array().expect("bars");
    let whole = |bar: &Value| bar["whole"].as_u64().expect("a count");
    let counts: Vec<_> = against.iter().map(whole).collect();
    assert_eq!(counts, [5, 34, 11], "of 50 samples, not of 60");
    run(&[
        "stats", "--only", "models", &data, "--with", &scores, "--on", "id",
    ])
    .success()
    .stdout(
        contains("accuracy, ties as wrong 48.0 %").and(contains("accuracy, ties excluded 60.0 %")),
    );
}

#[test]
fn margins_of_groups_are_not_among_those_of_pairs() {
    let folder = TempDir::new().expect("a folder");
    let group = |at: usize, scores: &[u8]| {
        let completions = scores.iter().map(|score| {
            json!({"model": "m", "response": format!("r{score}"), "overall_score": score, "annotations": {}})
        });
        json!({
            "source": "s", "instruction": format!("question {at}"), "models": ["m"],
            "completions": completions.collect::<Vec<_>>(),
        })
    };
    let groups = [&[9, 4, 2][..], &[1, 8, 7], &[3, 5], &[6, 2], &[4, 4]];
    let data = written(
        &folder,
        "d.jsonl",
        groups
            .iter()
            .enumerate()
            .map(|(at, scores)| group(at, scores)),
    );
    let page = profile(&["--only", "verdicts", &data]);
    let verdicts = &page["verdicts"];
    for (key, n, mean) in [("margin", 3.0, 2.0 / 3.0), ("margin_of_groups", 2.0, 3.0)] {
        let card = &verdicts[key];
        assert_eq!(
            (card["n"]["whole"].as_f64(), card["mean"]["whole"].as_f64()),
            (Some(n), Some(mean)),
            "{key}"
        );
        let bars = card["bars"].as_array().expect("bars");
        let counted = bars.iter().map(|bar| {
            let query = bar["query"].as_str().expect("a query");
            let said = run(&["count", query, &data]).success();
            let found = String::from_utf8_lossy(&said.get_output().stdout)
                .trim()
                .to_owned();
            assert_eq!(found, bar["whole"].to_string(), "{query}");
            bar["whole"].as_f64().expect("a count")
        });
        assert_eq!(counted.sum::<f64>(), n, "{key}");
    }
    assert_eq!(verdicts["strength"]["mean"]["whole"].as_f64(), Some(2.0));
}

#[test]
fn bias_says_that_intervals_miss_by_chance_and_bars_are_shares_of_all() {
    let page = profile(&["--only", "bias", RATED]);
    let shares = &page["bias"]["shares"];
    let note = shares["notes"][0].as_str().expect("a note");
    assert!(note.starts_with("About one in twenty"), "{note}");

    let folder = TempDir::new().expect("a folder");
    let value = |at: usize| if at < 2 { 0 } else { 4 };
    let rows = (0..20).map(|at| json!({
        "prompt": format!("p{at}"), "response": "r", "helpfulness": value(at), "correctness": 1, "coherence": 1,
        "complexity": 1, "verbosity": 1,
    }));
    let data = written(&folder, "d.jsonl", rows);
    let said = run(&["stats", "--only", "labels", &data]).success();
    let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    let bars = said.lines().filter(|line| line.contains("0 ━╸──")).count();
    assert!(
        bars == 1 && said.contains("dim: fewer than 10 cases"),
        "{said}"
    );
}

#[test]
fn votes_between_three_responses_have_no_kappa_and_say_why() {
    let folder = TempDir::new().expect("a folder");
    let row = |winner: &str| {
        format!(
            r#"{{"prompt": "p", "response_a": "x", "response_b": "y", "response_c": "z", "winner": "{winner}", "rater_id": "of {winner}"}}"#
        )
    };
    let file = program::put(&folder, "votes.jsonl", ["a", "c", "b"].map(row).join("\n"));
    let kappa = &profile(&[&file, "--group-by", "prompt"])["annotators"]["votes"]["kappa"];
    assert_eq!(
        *kappa,
        json!({"whole": null, "why": "n/a: these values have no order"})
    );
    let text = run(&["stats", &file, "--group-by", "prompt"]).success();
    text.stdout(contains("kappa").not());
}
