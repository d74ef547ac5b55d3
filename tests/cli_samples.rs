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
