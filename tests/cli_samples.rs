//! Samples without a screen: lists, single samples, draws.

use crate::program::{Program, put};
use assert_cmd::assert::Assert;
use assert_cmd::prelude::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

const RATED: &str = include_str!("../assets/demo/helpsteer2.jsonl");
const COMPARED: &str = include_str!("../assets/demo/webgpt.jsonl");

fn run(args: &[&str]) -> Assert {
    Program::new(args).assert()
}

/// Returns its output on success.
fn printed(args: &[&str]) -> String {
    let done = run(args).success();
    String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
}

fn lines_of(json: &str) -> Vec<Value> {
    json.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn a_file_in_place_of_the_query_is_a_file() {
    let disk = TempDir::new().expect("a folder");
    let [one, two] = ["one.jsonl", "two"].map(|name| put(&disk, name, RATED));
    let all = printed(&["count", "", &one]);
    assert_eq!(printed(&["count", &one]), all);
    assert_eq!(
        printed(&["count", &one, &two]),
        printed(&["count", "", &one, &two])
    );
    assert_eq!(
        printed(&["list", &two, "--json"]),
        printed(&["list", "", &two, "--json"])
    );
    let pairs = |args: &[&str]| printed(&[&["export"], args, &["--to", "trl"]].concat());
    assert_eq!(pairs(&[&one]), pairs(&["", &one]));
    assert_eq!(printed(&["sql", &one]), printed(&["sql", "", &one]));
    run(&["sql"])
        .code(2)
        .stderr(contains("name the files to read"));
    run(&["count", "one.jsonl"]).code(2).stdout("");
    let within = |query: &str| {
        let mut program = Program::new(&["count", query, "two", "one.jsonl"]);
        let done = program.current_dir(disk.path()).assert().success();
        String::from_utf8(done.get_output().stdout.clone()).expect("UTF-8")
    };
    assert_eq!(within("\"two\""), printed(&["count", "two", &one, &two]));
    assert_eq!(
        within("one.jsonl"),
        printed(&["count", "", &one, &two, &one])
    );
    let piped = Program::new(&["count", "-"]).piped(RATED);
    piped.success().stdout(all);
    for (query, told) in [
        ("gap>2", "did you mean gap.helpfulness>2?"),
        ("help>3", "did you mean helpfulness>3?"),
        ("len>1000 words", "numbers take no unit"),
    ] {
        run(&["count", query, &one]).code(2).stderr(contains(told));
    }
    let both = |query: &str| printed(&["count", query, &one]);
    assert_eq!(
        both("helpfulness=4, NOT verbosity=2"),
        both("helpfulness=4 -verbosity=2")
    );
    assert_eq!(
        both("is:tie || helpfulness=4 && len>100"),
        both("is:tie or helpfulness=4 len>100")
    );
}

/// Terms in other query languages' syntax are read as words to search for; if nothing matches, a
/// message says so, and names the term that matches nothing.
#[test]
fn a_query_without_matches_is_explained() {
    for (query, told) in [
        (
            "file=train helpfulness>=3",
            "file=train matches nothing: its values are helpsteer2.jsonl",
        ),
        (
            "file=helpsteer.jsonl",
            "file=helpsteer.jsonl matches nothing: did you mean file=helpsteer2.jsonl?",
        ),
        (
            "helpfulness>=3 len>2000000",
            "len.response>2000000 alone matches nothing",
        ),
        (
            "prompt near %nowhere%",
            "searched as texts of the same sample: prompt, near, %nowhere%",
        ),
        ("helpfulnes", "did you mean the field helpfulness?"),
        (
            "helpfulness=9",
            "helpfulness=9 matches nothing: values are 0 to 4",
        ),
    ] {
        run(&["count", query, "assets/demo/helpsteer2.jsonl"])
            .success()
            .stdout("0\n")
            .stderr(contains(told));
        let file = "assets/demo/helpsteer2.jsonl";
        let why = || contains("no sample matches the filter, so none was ").and(contains(told));
        run(&["check", file, "--filter", query]).stderr(why());
        run(&["sample", file, "--filter", query, "-n", "2"])
            .code(2)
            .stdout("")
            .stderr(why());
    }
    run(&[
        "count",
        "nowhere-to-be-found",
        "assets/demo/helpsteer2.jsonl",
    ])
    .success()
    .stdout("0\n")
    .stderr(contains("searched as texts").not());
}

#[test]
fn a_list_has_a_line_for_each_sample_or_response() {
    let folder = TempDir::new().expect("a folder");
    let rated = put(&folder, "rated.jsonl", RATED);
    let query = "helpfulness>=3 verbosity<=1";
    let every = printed(&["list", "", &rated, "--rows", "--json"]);
    let counted = printed(&["count", "--rows", "", &rated]);
    assert_eq!(format!("{}\n", every.lines().count()), counted);
    let exported = printed(&["export", "--rows", "", &rated]);
    assert_eq!(format!("{}\n", exported.lines().count()), counted);
    for (rows, most) in [(&[][..], 3), (&["--rows"], 4)] {
        let count = printed(&[&["count", query, &*rated], rows].concat());
        let listed = printed(&[&["list", query, &*rated, "--json"], rows].concat());
        assert_eq!(format!("{}\n", lines_of(&listed).len()), count);
        let few = printed(&[&["list", query, &*rated, "--tsv", "-n", "3"], rows].concat());
        assert!((4..=most + 1).contains(&few.lines().count()), "{few}");
    }
    let gaps = printed(&[
        "list",
        "gap.helpfulness>=2 sort:-gap.helpfulness",
        &rated,
        "--columns",
        "sample, gap.helpfulness,key,prompt",
        "--json",
    ]);
    let gaps: Vec<_> = lines_of(&gaps)
        .iter()
        .map(|line| line["gap.helpfulness"].as_i64().expect("a number"))
        .collect();
    assert!(
        !gaps.is_empty() && gaps.is_sorted_by(|one, next| one >= next),
        "{gaps:?}"
    );
    // Rules are evaluated for a column of findings.
    let found = printed(&[
        "list",
        "",
        &rated,
        "--columns",
        "sample,findings,finding",
        "--json",
    ]);
    for line in lines_of(&found) {
        let names = line["finding"].as_array().expect("names").len();
        assert_eq!(line["findings"].as_u64(), Some(names as u64), "{line}");
    }
    let table = printed(&["list", "", &rated]);
    assert!(
        table.starts_with("sample  row ")
            && table.lines().all(|line| visavis::text_width(line) <= 120)
    );
    // A pipe is as wide as the requested columns.
    let many = ["prompt"; 9].join(",");
    for format in [&[][..], &["--tsv"]] {
        let words = [&["list", "", &*rated, "--columns", &many], format].concat();
        let done = run(&words).success().stderr(contains("did not fit").not());
        let listed = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        for (text, count) in [("prompt", 9), ("How far away is the storm?", 9)] {
            let line = listed.lines().find(|line| line.contains(text));
            assert_eq!(line.map(|line| line.matches(text).count()), Some(count));
        }
    }
    run(&["list", "", &rated, "--columns", "sample,helpfullness"])
        .code(2)
        .stdout("")
        .stderr(contains("--columns helpfullness: ").and(contains("did you mean helpfulness?")));
    run(&["list", "", &rated, "--columns", "sample,is:tie"])
        .code(2)
        .stderr(contains("--columns is:tie: it is a flag, not a field"));
}

#[test]
fn a_sample_is_shown_by_its_number_and_by_its_key() {
    let folder = TempDir::new().expect("a folder");
    let files = [
        put(&folder, "rated.jsonl", RATED),
        put(&folder, "compared.jsonl", COMPARED),
    ];
    let [rated, compared] = files.each_ref().map(String::as_str);
    let whole = printed(&["show", "2", "--json", rated, compared]);
    let document: Value = serde_json::from_str(&whole).expect("JSON");
    assert_eq!(
        (&document["version"], &document["sample"]),
        (&1.into(), &2.into())
    );
    let key = document["key"].as_str().expect("a key");
    for digits in [key.to_owned(), key[..12].to_uppercase()] {
        let found = printed(&["show", &digits, "--json", compared, rated]);
        let found: Value = serde_json::from_str(&found).expect("JSON");
        assert_eq!(
            (&found["key"], &found["prompt"]),
            (&document["key"], &document["prompt"])
        );
    }
    let text = printed(&["show", "2", rated]);
    assert!(text.contains("Sample 2") && text.contains(key), "{text}");
    let first = document["responses"][0]["text"].as_str().expect("a text");
    assert!(
        text.contains(first.split_whitespace().next().expect("a word")),
        "{text}"
    );
    assert!(!text.contains("\ntext\n"), "texts are no code");
    for (name, says) in [
        (
            "9999",
            "no sample has the number or id 9999; the last number is ",
        ),
        ("0", "no sample has the key or id 0; `visavis list"),
        ("is:tie", "no sample has the key or id is:tie; "),
        ("00000000ffff", "no sample has the key or id 00000000ffff"),
        ("", "empty sample name"),
    ] {
        run(&["show", name, rated])
            .code(2)
            .stdout("")
            .stderr(contains(says));
    }
    let malformed = printed(&[
        "list",
        "is:malformed",
        rated,
        "--columns",
        "sample",
        "--tsv",
    ]);
    let number = malformed.lines().nth(1).expect("a malformed row");
    let document: Value =
        serde_json::from_str(&printed(&["show", number, rated, "--json"])).expect("JSON");
    assert!(document["malformed"]["reason"].is_string(), "{document}");
}

/// `y` copies FILE:ROW and the key; a file whose own name ends like that is still found.
#[test]
fn links_lead_back_to_a_sample() {
    let folder = TempDir::new().expect("a folder");
    let pair = |prompt: &str, id: &str| {
        format!(r#"{{"id": {id}, "prompt": "{prompt}", "chosen": "Yes.", "rejected": "No."}}"#)
    };
    let ids = [("Why?", "\"q-17\""), ("How?", "400"), ("Who?", "2")];
    let rows = ids.map(|(prompt, id)| pair(prompt, id)).join("\n\n");
    let file = put(&folder, "train.jsonl", &rows);
    let other = put(&folder, "train.jsonl:3", pair("Where?", "7"));
    let document: Value =
        serde_json::from_str(&printed(&["show", "2", "--json", &file])).expect("JSON");
    let key = document["key"].as_str().expect("a key").to_owned();
    let row = |line: u32| format!("{file}:{line}");
    for (name, prompt) in [
        (&*row(1), "Why?"),
        (&*row(5), "Who?"),
        (&*key, "How?"),
        (&key[..8], "How?"),
        ("q-17", "Why?"),
        ("400", "How?"),
        // A number takes precedence over an id.
        ("2", "How?"),
    ] {
        let shown = printed(&["show", name, &file]);
        assert!(shown.contains(prompt), "{name}: {shown}");
        let frame = match name.contains(':') {
            true => printed(&["--print", name]),
            false => printed(&["--print", &file, "--at", name]),
        };
        assert!(frame.contains(prompt), "{name}: {frame}");
    }
    // Without the file name again, among several files, and with a file of that name.
    assert!(printed(&["show", &row(5)]).contains("Who?"));
    assert!(printed(&["--print", &other, &row(5)]).contains("Who?"));
    assert!(printed(&["--print", &other]).contains("Where?"));
    assert!(printed(&["--print", &file, "--at", "3", "--keys", "k"]).contains("How?"));
    for (args, says) in [
        (
            &["--print", &file, "--at", "nosuch"][..],
            "no sample has the key or id nosuch; ",
        ),
        (
            &["--print", &file, "--at", "9"],
            "no sample has the number or id 9; the last number is 3",
        ),
        (&["--print", &row(2)], "train.jsonl has no record on line 2"),
        (
            &["--print", &row(99)],
            "train.jsonl has no record on line 99",
        ),
        (&["show", &row(99)], "train.jsonl has no record on line 99"),
        (&["--print", &format!("{file}x:1")], "no such file"),
        (&["audit", &row(1)], "an audit starts at its first sample"),
    ] {
        run(args).code(2).stdout("").stderr(contains(says));
    }
}

/// Ids are found by `/`, but not while they are hidden.
#[test]
fn a_search_finds_ids() {
    let folder = TempDir::new().expect("a folder");
    let pair = |prompt: &str, id: &str| {
        format!(
            r#"{{"question_id": "{id}", "annotator_id": "ann", "prompt": "{prompt}", "chosen": "Yes.", "rejected": "No."}}"#
        )
    };
    let rows = [("Why?", "q-17"), ("How?", "zebra42")].map(|(prompt, id)| pair(prompt, id));
    let file = put(&folder, "train.jsonl", rows.join("\n"));
    let search = |text: &str, blind: &[&str]| {
        let keys = format!("/{text}<enter>");
        printed(&[&["--print", &file, "--keys", &keys][..], blind].concat())
    };
    let found = search("zebra42", &[]);
    assert!(found.contains("How?") && !found.contains("Why?"), "{found}");
    for (text, blind) in [("zebra42", &["--blind"][..]), ("ann", &[])] {
        let found = search(text, blind);
        assert!(!found.contains("How?"), "{found}");
    }
}

/// A bare text in a filter searches what `/` searches, by a scan and by reading rows again.
#[test]
fn a_filter_finds_rationales_and_ids() {
    let folder = TempDir::new().expect("a folder");
    // Two rows are a sample; what the second says about itself counts too.
    let row = |prompt: &str, id: &str, feedback: &str| {
        format!(
            r#"{{"prompt": "{prompt}", "row_id": "{id}", "response": "Yes.", "feedback": "{feedback}", "helpfulness": 3}}"#
        )
    };
    let rows = [
        row("Why?", "q-17", "too short"),
        row("Why?", "zebra42", r"compr\u0065hensive"),
        row("How?", "q-18", "wrong"),
    ];
    let file = put(&folder, "rows.jsonl", rows.join("\n"));
    let toml = r#"
        name = "rows"
        title = "rows"
        rows = "groups"
        group = "/prompt"
        prompt.path = "/prompt"
        verdict.label = "helpfulness"
        response = [{ text = "/response", ratings.helpfulness = "/helpfulness", texts.feedback = "/feedback" }]
        label = [{ name = "helpfulness", range = [0, 4], about = "" }]
        text = [{ name = "feedback" }]
    "#;
    let schema = put(&folder, "rows.toml", toml);
    let read = |words: &[&str]| printed(&[words, &[&file, "--schema", &schema]].concat());
    for (query, samples) in [
        ("comprehensive", "1"),
        ("rationale:comprehensive", "1"),
        ("comprehensive sample=1", "1"),
        (r"/zebra\d+/", "1"),
        ("zebra42 len>0", "1"),
        ("-comprehensive", "1"),
        ("prompt:comprehensive", "0"),
        ("response:zebra42", "0"),
    ] {
        assert_eq!(read(&["count", query]).trim(), samples, "{query}");
    }
    let keys = ["--print", "--keys", "fcomprehensive<enter>"];
    assert!(read(&keys).contains("1 hit"));
    assert!(read(&[&keys[..], &["--blind"]].concat()).contains("drop the filter"));
    let pairs = toml.replace("groups", "adjacent").replace("group =", "# ");
    let pairs = put(&folder, "pairs.toml", pairs);
    let refused = run(&["sql", "/clear/", &file, "--schema", &pairs]).code(2);
    refused.stderr(contains("rationales"));
}

#[test]
fn a_sample_is_shown_with_what_each_annotator_voted() {
    let folder = TempDir::new().expect("a folder");
    let votes = |scores: [i32; 4]| {
        let votes = scores
            .map(|score| format!(r#"{{"score": {score}}}"#))
            .join(", ");
        format!(
            r#"{{"domain": "d", "language": "l", "context": [{{"role": "user", "content": "Why?"}}], "response1": "So.", "response2": "No.", "overall_preference": -1, "individual_preference": [{votes}]}}"#
        )
    };
    let rows = [votes([-2, -1, 0, 3]), votes([1, 2, 0, -1])].join("\n");
    let file = put(&folder, "preference.jsonl", &rows);
    let document: Value =
        serde_json::from_str(&printed(&["show", "1", &file, "--json"])).expect("JSON");
    let vote = |vote: &str, strength: i32| serde_json::json!({"annotator": null, "vote": vote, "strength": strength});
    let each = [vote("a", 2), vote("a", 1), vote("tie", 0), vote("b", -3)];
    assert_eq!(
        document["votes"],
        serde_json::json!({
            "strengths": [2, 1, 0, -3], "excluded": 0, "for": {"a": 2, "b": 1, "tie": 1}, "each": each,
            "words": "2 1 0 -3"
        })
    );
    let odd = "\tif x:\r\n\t\treturn\u{200b} x\u{a0}+ 1 ".to_owned() + &"long ".repeat(60);
    let row = serde_json::json!({"prompt": "p", "chosen": odd, "rejected": "b"});
    let texts = put(&folder, "texts.jsonl", row.to_string());
    for words in [
        &["show", "1", &texts][..],
        &["export", "", &texts, "--format", "md"],
    ] {
        assert!(printed(words).contains(&odd), "{words:?}");
    }
    let text = printed(&["show", "1", &file]);
    assert!(text.contains("A's margin by annotator: 2 1 0 -3"), "{text}");
    // A wins, although more annotators of the second sample prefer B.
    for query in ["finding:outvoted", "winner.votes.for < loser.votes.for"] {
        assert_eq!(
            printed(&["list", query, &file, "--columns", "sample", "--tsv"]),
            "sample\n2\n",
            "{query}"
        );
    }
    // Files without votes have no such findings.
    let rated = put(&folder, "rated.jsonl", RATED);
    let document: Value =
        serde_json::from_str(&printed(&["show", "1", &rated, "--json"])).expect("JSON");
    assert_eq!(document.get("votes"), None);
}

#[test]
fn rows_of_one_pair_by_several_annotators_are_one_sample() {
    let folder = TempDir::new().expect("a folder");
    let row = |winner: &str, who: &str| {
        format!(
            r#"{{"prompt": "Why?", "response_a": "So.", "response_b": "No.", "winner": "{winner}", "rater_id": "{who}"}}"#
        )
    };
    let rows = [row("a", "kim"), row("b", "lee"), row("a", "max")].join("\n");
    let file = put(&folder, "rows.jsonl", &rows);
    let grouped = |words: &[&str]| printed(&[words, &["--group-by", "prompt"]].concat());
    let listed = grouped(&[
        "list",
        "is:contested",
        &file,
        "--json",
        "--columns",
        "verdict,votes,votes.for",
    ]);
    assert_eq!(
        listed,
        "{\"verdict\":\"a\",\"votes\":3,\"votes.for\":[2,1]}\n"
    );
    let shown = grouped(&["show", "1", &file]);
    assert!(
        shown.contains("Votes: 2 for A, 1 for B: kim A, lee B, max A"),
        "{shown}"
    );
    let table = grouped(&["export", "", &file, "--format", "csv"]);
    assert!(table.contains("kim: a;lee: b;max: a"), "{table}");
    let found = grouped(&[
        "list",
        "finding:sample-again",
        &file,
        "--columns",
        "sample",
        "--tsv",
    ]);
    assert_eq!(found, "sample\n");
}

#[test]
fn a_draw_is_that_of_an_audit_and_can_be_repeated() {
    let folder = TempDir::new().expect("a folder");
    let rated = put(&folder, "rated.jsonl", RATED);
    let drawn = printed(&[
        "sample", &rated, "-n", "4", "--seed", "7", "--filter", "-is:tie",
    ]);
    let again = printed(&[
        "sample",
        &rated,
        "-n",
        "4",
        "--seed",
        "7",
        "--filter",
        "-is:tie sort:-len",
    ]);
    assert_eq!(drawn, again);
    let by_hand = printed(&["export", "-is:tie sort:random(7)", &rated, "-n", "4"]);
    assert_eq!(drawn, by_hand);
    let told = run(&["sample", &rated, "-n", "2"]).success();
    let said = String::from_utf8(told.get_output().stderr.clone()).expect("UTF-8");
    let chances = "all samples are equally likely";
    assert!(said.contains(&format!("{chances}: a text")), "{said}");
    run(&["sample", &rated, "-n", "2", "--by", "turns"])
        .success()
        .stderr(contains(format!(
            "{chances} among those with the same turns: "
        )));
    let seed = said
        .lines()
        .find_map(|line| {
            line.strip_prefix("visavis: --seed ")?
                .strip_suffix(" repeats this draw")
        })
        .expect("a seed");
    let repeated = printed(&["sample", &rated, "-n", "2", "--seed", seed]);
    assert_eq!(repeated.as_bytes(), told.get_output().stdout);
    let table = printed(&[
        "sample",
        &rated,
        "-n",
        "3",
        "--seed",
        "1",
        "--even",
        "helpfulness",
        "--format",
        "csv",
    ]);
    assert!(
        table.starts_with("sample,file,row,key,side,matches,"),
        "{table}"
    );
    run(&["sample", &rated, "-n", "9999", "--seed", "1"])
        .success()
        .stderr(contains("drawn instead of 9,999: no other"));
    run(&["sample", &rated, "-n", "3", "--by", "helpfull"])
        .code(2)
        .stdout("")
        .stderr(contains("by=helpfull: "));
    run(&["sample", &rated, "-n", "3", "--filter", "sample>9999"])
        .code(2)
        .stdout("")
        .stderr(contains("no sample matches the filter, so none was drawn"));
}

#[test]
fn a_list_tells_where_rows_stand_and_why_they_do_not_read() {
    let folder = TempDir::new().expect("a folder");
    let row = |prompt: &str, response: &str| {
        format!("{{\"prompt\": \"{prompt}\", \"response\": \"{response}\"}}\n")
    };
    let one = put(
        &folder,
        "one.jsonl",
        row("p", "old one") + &row("q", "old two"),
    );
    let two = put(
        &folder,
        "two.jsonl",
        row("q", "new two") + "{bad\n" + &row("p", "new one"),
    );
    let columns = ["--columns", "file,row,response", "--json"];
    let found = printed(&[&["list", "old", &*one, "--against", &*two][..], &columns].concat());
    let first = &lines_of(&found)[0];
    assert_eq!(first["file"], serde_json::json!([one, two]));
    let args = [
        "list",
        "is:malformed",
        &*two,
        "--columns",
        "line,malformed,file",
        "--json",
    ];
    let malformed = &lines_of(&printed(&args))[0];
    assert_eq!(
        (&malformed["line"], &malformed["file"]),
        (&2.into(), &two.clone().into())
    );
    assert!(malformed["malformed"].is_string(), "{malformed}");
    run(&["list", &one, "is:tie"])
        .code(2)
        .stderr(contains(format!(
            "is:tie: no such file; write the query before the files: 'is:tie' {one}",
        )));
    run(&["list", &one, "two.jsonl"])
        .code(2)
        .stderr(contains("two.jsonl: no such file; check the spelling"));
    run(&["list", "", &one, "--columns", "zap"]).code(2).stderr(
        contains("--columns zap: unknown field zap; known fields: ")
            .and(contains("quote it").not()),
    );
    let key = printed(&["list", "", &one, "--columns", "key"]);
    assert!(key.lines().skip(1).all(|line| line.len() == 32), "{key}");
}

#[test]
fn a_document_says_that_it_is_a_part() {
    let folder = TempDir::new().expect("a folder");
    let rated = put(&folder, "rated.jsonl", RATED);
    let all = printed(&["count", "", &rated]);
    let heading = |options: &[&str]| {
        let words = [&["export", "", &rated, "--format", "md"][..], options].concat();
        let document = printed(&words);
        document.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(heading(&[]), "# All samples");
    assert_eq!(heading(&["-n", "1000"]), "# All samples");
    let part = format!("# The first 3 of {} samples", all.trim());
    assert_eq!(heading(&["-n", "3"]), part);
}

/// A pair that was split is one sample, and what its two parts share is not a leak.
#[test]
fn parts_of_a_split_read_as_one_file() {
    let folder = TempDir::new().expect("a folder");
    let whole = put(&folder, "train.jsonl", RATED);
    let lines: Vec<_> = RATED.split_inclusive('\n').collect();
    for cut in [1, 2, lines.len() / 2] {
        let parts = [
            put(&folder, "train-00000-of-00002.jsonl", lines[..cut].concat()),
            put(&folder, "train-00001-of-00002.jsonl", lines[cut..].concat()),
        ];
        let of = |query: &str| {
            let whole = printed(&["count", query, &whole]);
            assert_eq!(
                printed(&["count", query, &parts[0], &parts[1]]),
                whole,
                "{query}"
            );
        };
        for query in [
            "",
            "is:single",
            "overlap!=none",
            "leak!=none",
            "gap.helpfulness>=2",
        ] {
            of(query);
        }
        let keys = [
            "list",
            "",
            "--columns",
            "sample,key,prompt,response",
            "--tsv",
        ];
        let of_whole = printed(&[&keys[..], &[&whole]].concat());
        assert_eq!(
            printed(&[&keys[..], &[&parts[0], &parts[1]]].concat()),
            of_whole
        );
        // A sample belongs to the file with its first row, under either name.
        let name = parts[1].as_str();
        for query in [format!("file={name:?}"), "file:00001-of".to_owned()] {
            let count = printed(&["count", &query, &parts[0], &parts[1]]);
            assert_ne!(count, "0\n", "{query}");
        }
    }
}

/// A pattern and a name may refer to the same file, and a link counts as a name.
#[test]
fn a_file_that_is_read_twice_is_reported() {
    let folder = TempDir::new().expect("a folder");
    let rated = put(&folder, "rated.jsonl", RATED);
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(&rated, &link).expect("a link");
    let link = link.to_string_lossy();
    for again in [&*rated, &link] {
        run(&["count", "", &rated, again])
            .success()
            .stderr(contains(format!(
                "files given more than once, whose samples count repeatedly: {again}"
            )));
    }
    let copy = put(&folder, "copy.jsonl", RATED);
    run(&["count", "", &rated, &copy])
        .success()
        .stderr(contains("more than once").not());
}

/// `*.jsonl` also matches the journal once it exists.
#[test]
fn what_was_written_beside_a_file_is_no_data() {
    let folder = TempDir::new().expect("a folder");
    let rated = put(&folder, "rated.jsonl", RATED);
    let own = [".review.jsonl", ".provenance.jsonl"].map(|ending| {
        let line = "{\"schema\":\"visavis.journal/1\"}\n";
        put(&folder, &format!("rated.jsonl{ending}"), line)
    });
    let alone = printed(&["list", "", &rated]);
    assert_eq!(printed(&["list", "", &rated, &own[0], &own[1]]), alone);
    // Without its data file, the journal was meant.
    run(&["count", "", &own[0]]).code(2);
}

#[test]
fn a_folder_opens_with_its_data_files() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let empty = "is a directory without data files";
    run(&["count", "", path]).code(2).stderr(contains(empty));
    for part in ["part-10.jsonl", "part-2.jsonl"] {
        put(&folder, part, RATED);
    }
    let files = printed(&["list", "", path, "--columns", "file", "--tsv"]);
    let places = ["part-2.jsonl", "part-10.jsonl"].map(|part| files.find(part));
    assert!(places[0].is_some() && places[0] < places[1], "{files}");
}

/// Pairs are found in shuffled rows, and commands that look for errors report that their rows are
/// apart.
#[test]
fn shuffled_rows_are_joined_by_their_prompt() {
    let folder = TempDir::new().expect("a folder");
    let row = |prompt: usize, response: usize| {
        format!(
            "{{\"prompt\":\"p{prompt}\",\"response\":\"{response}\",\"helpfulness\":{response},\
             \"correctness\":1,\"coherence\":1,\"complexity\":1,\"verbosity\":1}}\n"
        )
    };
    let rows = |of: &dyn Fn(usize) -> String| (0..120).map(of).collect::<String>();
    let paired = rows(&|at| row(at / 2, at % 2 * 3));
    let shuffled = rows(&|at| row(at % 60, at / 60 * 3));
    let [paired, shuffled] = [("paired.jsonl", paired), ("shuffled.jsonl", shuffled)]
        .map(|(name, text)| put(&folder, name, text));
    let keys = [
        "list",
        "",
        "--columns",
        "key,gap.helpfulness,prompt",
        "--tsv",
    ];
    let joined = ["--group-by", "prompt", &shuffled];
    assert_eq!(
        printed(&[&keys[..], &joined].concat()),
        printed(&[&keys[..], &[&paired]].concat())
    );
    let advice = "rows of one prompt are not adjacent; join them with --group-by prompt";
    // Not count, which reads rows once.
    let commands: [&[&str]; 4] = [&["check"], &["stats"], &["list", ""], &["export", ""]];
    for command in commands {
        let told = |args: &[&str]| run(&[command, args].concat());
        told(&[&shuffled]).stderr(contains(advice));
        told(&joined).stderr(contains(advice).not());
        told(&[&paired]).stderr(contains(advice).not());
    }
    // A path that is more than a key is typed as a JSON pointer.
    let nested: String = (0..120)
        .map(|at| format!("{{\"q\":{{\"text\":\"p{}\"}},\"r\":\"{at}\"}}\n", at % 60))
        .collect();
    let nested = put(&folder, "nested.jsonl", nested);
    let map = ["--map", "prompt=/q/text,a=/r", &nested];
    // A guess joins them.
    run(&[&["check"], &map[..]].concat()).stderr(contains("join them").not());
    let joined = printed(&[&["count", "", "--group-by", "/q/text"], &map[..]].concat());
    assert_eq!(joined, "60\n");
    run(&["count", "", "--group-by", "prmpt", &paired])
        .success()
        .stderr(contains(
            "grouping has no effect, since no two rows have the same /prmpt",
        ));
    run(&[
        "count",
        "",
        &paired,
        "--against",
        &shuffled,
        "--group-by",
        "prompt",
    ])
    .code(2)
    .stderr(contains("cannot be used with"));
}

/// A response after the 26th is addressed by its number, if rows have it.
#[test]
fn groups_of_any_size() {
    let folder = TempDir::new().expect("a folder");
    let row = |at: usize| {
        let (group, place) = (at / 64, at % 64);
        let score = f64::from(u8::from(place == 29 + group));
        format!(
            r#"{{"input": "group {group}", "output": "draw {place} of {group}", "score": {score}, "gts": "x", "step": 1}}"#
        ) + "\n"
    };
    let rows: String = (0..192).map(row).collect();
    let rows = put(&folder, "rows.jsonl", rows.as_bytes());
    let list = |group: usize| {
        let all = (0..30).map(|at| format!(r#"{{"t": "take {at}", "s": {}}}"#, at * (1 - group)));
        format!(
            r#"{{"p": "list {group}", "all": [{}]}}"#,
            all.collect::<Vec<_>>().join(", ")
        ) + "\n"
    };
    let lists = put(
        &folder,
        "lists.jsonl",
        (0..2).map(list).collect::<String>().as_bytes(),
    );
    let toml = "name = \"lists\"\ntitle = \"Lists\"\nrows = \"inline\"\nprompt.path = \"/p\"\n\
                verdict.label = \"s\"\nlabel = [{ name = \"s\", range = [0, 100] }]\n\
                [[response]]\neach = \"/all\"\ntext = \"/t\"\nratings = { s = \"/s\" }\n";
    let schema = put(&folder, "lists.toml", toml.as_bytes());
    for (query, count) in [
        ("r30.score>0.5", "1"),
        ("verdict=r30", "1"),
        ("verdict=r30 or verdict=r31", "2"),
        ("best:r31", "1"),
        ("best:r1", "0"),
        ("r64.score=0", "3"),
        ("r1.score=a.score", "3"),
        ("winner.score>r64.score", "3"),
        ("\"draw 63 of 2\"", "1"),
        ("any.score=1", "3"),
    ] {
        assert_eq!(printed(&["count", query, &rows]).trim(), count, "{query}");
    }
    for (query, count) in [
        ("\"take 29\"", "2"),
        ("r30.s=29", "1"),
        ("verdict=r30", "1"),
        ("is:tie", "1"),
    ] {
        let found = printed(&["count", query, &lists, "--schema", &schema]);
        assert_eq!(found.trim(), count, "{query}");
    }
    let pairs = |args: &[&str]| {
        let all = [&["export", "", "--to", "trl"], args].concat();
        printed(&all).lines().count()
    };
    assert_eq!(pairs(&[&rows]), 3 * 63);
    assert_eq!(pairs(&[&lists, "--schema", &schema]), 29);
    let table = printed(&["export", "", "--format", "csv", &rows]);
    assert!(
        table
            .lines()
            .nth(30)
            .is_some_and(|line| line.contains(",r30,")),
        "{table}"
    );
    let found = printed(&["list", "", "--json", &rows]);
    assert_eq!(lines_of(&found)[1]["verdict"], "r31");
    run(&["count", "r65536.score>0", &rows])
        .failure()
        .stderr(contains("samples have no response r65536; use a to r65535"));
}
