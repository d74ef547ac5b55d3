//! Detection, guessing and reading over whole lines.

mod annotators;
mod conversations;
mod doubts;
mod guess;
mod own;
mod plain_scan;
mod random;
mod raters;
mod samples;
mod shapes;
mod texts;
mod votes;

use plain_scan::Captured;

use super::row::path::Tree;
use super::row::record_scan::{RecordLayout, scan_record};
use super::*;
use crate::model::{ReadWarning, Record, ResponseId, Verdict};

/// Returns what the scan captures of a line; `None` if it rejects the line.
fn scan<'r>(tree: &Tree, line: &'r [u8]) -> Option<Captured<'r>> {
    let mut captured = Captured {
        values: vec![None; tree.len()],
        ..Captured::default()
    };
    let mut layout = RecordLayout::default();
    let (values, anomalies) = (&mut captured.values, &mut captured.anomalies);
    let scanned = scan_record(tree, &mut layout, line, 0, values, anomalies)?;
    captured.items = scanned.items;
    (scanned.end == line.len()).then_some(captured)
}

impl SchemaChoice {
    /// Returns the built-in schema of this name, or the schema in the file at this path.
    pub(crate) fn named(name: &str) -> Result<Self, SchemaChoiceError> {
        let known = SchemaCatalog::default().named(name)?;
        Ok(Self::Named(known.schema()))
    }
}

fn schema(lines: &[&str]) -> Result<std::sync::Arc<Schema>, SchemaChoiceError> {
    let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
    SchemaChoice::default().schema(&lines)
}

const RATED: &str = r#"{"prompt": "p", "response": "r", "helpfulness": 3, "correctness": 4, "coherence": 4, "complexity": 1, "verbosity": 2}"#;
const FLAT: &str = r#"{"question": {"dataset": "eli5", "id": "q1", "full_text": "why?"}, "quotes_0": {"title": ["t"], "extract": ["x"]}, "answer_0": "so [1]", "tokens_0": {"prefix": [1, 2], "completion": [3]}, "score_0": 0.5, "quotes_1": [], "answer_1": "", "tokens_1": {"prefix": [], "completion": []}, "score_1": -0.5}"#;
const RAW: &str = r#"[{"question": {"dataset": "eli5", "id": "q1", "full_text": "why?"}, "quotes": [{"title": "t", "extract": "x"}], "answer": "so", "tokens": {"prefix": [1], "completion": []}, "score": 0}, {"question": {"dataset": "eli5", "id": "q1", "full_text": "why?"}, "quotes": [], "answer": "no", "tokens": {"prefix": [], "completion": []}, "score": 0}]"#;

/// Lines as the datasets have them, and JSON of every other kind.
const ORDINARY: [&str; 6] = [
    r#"{"prompt": "p", "response": "r", "t": [0, 10,200, 3000, 40000], "u": [7], "v": [0], "w": [1,2 , 3]}"#,
    RATED,
    FLAT,
    RAW,
    r#"{"prompt": "a \"quoted\" \u00e9\n word", "response": "", "x": [1, -2.5e3, [], {}, [[true, null]], {"a": {"b": "]}"}}], "y": false}"#,
    r#" { "prompt" : "p" , "response" : "r and more than thirty-two bytes of it, to fill a chunk \\" , "z" : 0 } "#,
];

/// Reads a line that is expected to be valid.
fn record_of<'r>(schema: &Schema, line: &'r str) -> Record<'r> {
    let row = schema.row(line.as_bytes()).expect("a row");
    row.record().expect("a record")
}

#[test]
fn every_schema_file_is_a_schema() {
    let files = std::fs::read_dir("assets/schemas")
        .expect("the folder")
        .count();
    assert_eq!(built_in().len(), files);
}

#[test]
fn samples_of_other_datasets() {
    let (a, b) = (
        Some(Verdict::wins(ResponseId::A)),
        Some(Verdict::wins(ResponseId::B)),
    );
    for (name, turns, texts, verdicts, margin) in [
        (
            "helpsteer2-preference",
            3,
            ["The Oder.", "I already named one."],
            [a, b],
            Some(3.0),
        ),
        (
            "helpsteer3",
            3,
            ["Also when hurt.", "Yes."],
            [a, b],
            Some(2.0),
        ),
        (
            "pku-saferlhf",
            1,
            ["From fat and lye, with gloves on.", "No idea."],
            [a, b],
            None,
        ),
        ("shp", 1, ["Old yeast.", "Bad luck."], [a, b], None),
    ] {
        let file = std::fs::read_to_string(format!("../../tests/samples/{name}.jsonl"))
            .expect("a sample file");
        let lines: Vec<_> = file.lines().collect();
        let schema = schema(&lines).expect("a schema");
        assert_eq!(schema.definition().name, name);
        let records: Vec<_> = lines.iter().map(|line| record_of(&schema, line)).collect();
        assert_eq!(records[0].prompt.len(), turns, "{name}");
        assert_eq!(
            records[0]
                .responses
                .iter()
                .map(|response| &*response.text)
                .collect::<Vec<_>>(),
            texts
        );
        let outcomes: Vec<_> = records
            .iter()
            .filter_map(|record| record.outcome.as_ref())
            .collect();
        assert_eq!(
            outcomes
                .iter()
                .map(|outcome| Some(outcome.verdict))
                .collect::<Vec<_>>(),
            verdicts,
            "{name}"
        );
        assert_eq!(outcomes[0].margin, margin, "{name}");
        assert!(!records[0].facts.is_empty(), "{name}");
    }
}

#[test]
fn a_schema_wants_the_verdict_that_it_goes_by() {
    for line in [
        r#"{"prompt": "p", "response_1": "x", "response_2": "y"}"#,
        r#"{"prompt": "p", "response_1": "x", "response_2": "y", "preference_strength": "strong"}"#,
        r#"{"prompt": "p", "response_0": "x", "response_1": "y", "better_response_id": null}"#,
        r#"{"prompt": "p", "response_0": "x", "response_1": "y", "better_response_id": 7}"#,
    ] {
        assert_eq!(
            schema(&[line]).expect("a guess").definition().name,
            "guessed",
            "{line}"
        );
    }
}

#[test]
fn detection_by_content() {
    for (lines, name) in [
        (&[RATED][..], "helpsteer2"),
        (&["{\"prompt\": \"cut off", RATED, RATED], "helpsteer2"),
        (&[FLAT], "webgpt-flat"),
        (&[RAW], "webgpt-raw"),
        (
            &[r#"{"prompt": "p", "chosen": "c", "rejected": "r"}"#],
            "guessed",
        ),
        (
            &[r#"{"prompt": "p", "response": "r", "helpfulness": [3, 3, 4]}"#],
            "helpsteer2-disagreements",
        ),
        (
            &[
                r#"{"score_0": NaN, "question": {"full_text": "q"}, "answer_0": "a", "answer_1": "b", "score_1": 1}"#,
            ],
            "webgpt-flat",
        ),
    ] {
        assert_eq!(
            schema(lines).expect("a schema").definition().name,
            name,
            "{lines:?}"
        );
    }
}

/// Each first line has bytes that are not UTF-8, as in a Latin-1 file.
#[test]
fn a_file_that_is_not_utf_8_is_known_all_the_same() {
    let latin = |line: &str| -> Vec<u8> {
        line.chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
            .collect()
    };
    let (rated, flat, raw) = (
        RATED.replace("\"p\"", "\"où?\""),
        FLAT.replace("why?", "où?"),
        RAW.replace("why?", "où?"),
    );
    for (line, name) in [
        (rated.as_str(), "helpsteer2"),
        (&flat, "webgpt-flat"),
        (&raw, "webgpt-raw"),
        (
            r#"{"prompt": "où?", "chosen": "là", "rejected": "ici"}"#,
            "guessed",
        ),
        (
            r#"{"prompt": "où?", "response_0": "là", "response_1": "ici", "better_response_id": 1}"#,
            "pku-saferlhf",
        ),
    ] {
        let line = latin(line);
        assert!(std::str::from_utf8(&line).is_err());
        let lines = vec![&line[..]; 32];
        for choice in [
            SchemaChoice::default(),
            SchemaChoice::named(name).unwrap_or_default(),
        ]
        .into_iter()
        .take(if name == "guessed" { 1 } else { 2 })
        {
            let schema = choice.schema(&lines).expect(name);
            assert_eq!(schema.definition().name, name);
            if name != "guessed" {
                assert_eq!(
                    choice
                        .schema_of_first_line(&line)
                        .expect(name)
                        .definition()
                        .name,
                    name
                );
            }
            let repaired = repair(&line).expect("mended");
            assert_eq!(repaired.warnings, [ReadWarning::InvalidUtf8]);
            let record = schema
                .row(&repaired.line)
                .expect("a row")
                .record()
                .expect("a record");
            assert_eq!(record.prompt[0].text, "o\u{fffd}?");
        }
    }
    let map = SchemaChoice::Mapped("prompt=q,a=x,b=y".parse().expect("a map"));
    let line = latin(r#"{"q": "où?", "x": "là", "y": "ici"}"#);
    assert!(map.schema(&[&line[..]; 32]).is_ok());
}

#[test]
fn what_has_no_schema_says_what_to_do() {
    for (lines, expected) in [
        (&["hello"][..], "each line must be one record"),
        (&["["], "its first list does not end"),
        (
            &["{", "\"prompt\": \"p\","],
            "its first object does not end",
        ),
        (
            &["id,prompt,response"],
            "it looks like CSV, but no row matches its header",
        ),
        // Not JSON after its repair either.
        (
            &["{\"prompt\": NaN},", "{\"prompt\": NaN},"],
            "line 1 has a comma after its object",
        ),
        (&["{}"], "which have no fields"),
        (&["1", "2"], "each line must be one record"),
        (
            &[r#"{"x": "1", "y": 2}"#],
            "which have x, y; name the fields",
        ),
    ] {
        let message = schema(lines).expect_err("no schema").to_string();
        assert!(message.contains(expected), "{message}");
    }
    let unknown = SchemaChoice::named("nope")
        .expect_err("unknown")
        .to_string();
    assert!(
        unknown.contains("verl, webgpt-flat, webgpt-raw"),
        "{unknown}"
    );
}

#[test]
fn a_rated_row() {
    let schema = schema(&[RATED]).expect("a schema");
    let row = schema.row(RATED.as_bytes()).expect("a row");
    assert_eq!(row.prompt_spelling().as_deref(), Some("\"p\""));
    let record = row.record().expect("a record");
    assert_eq!(
        record.responses[0].ratings,
        [Some(3.0), Some(4.0), Some(4.0), Some(1.0), Some(2.0)]
    );
    assert_eq!(record.outcome, None);
}

#[test]
fn comparisons_in_both_layouts() {
    for (line, margin) in [(FLAT, 1.0), (RAW, 0.0)] {
        let schema = schema(&[line]).expect("a schema");
        let record = record_of(&schema, line);
        assert_eq!(record.prompt[0].text, "why?");
        let outcome = record.outcome.expect("an outcome");
        assert_eq!(outcome.margin, Some(margin));
        assert_eq!(
            outcome.verdict,
            if margin > 0.0 {
                Verdict::wins(ResponseId::A)
            } else {
                Verdict::Tie
            }
        );
        assert_eq!(record.responses[0].quotes.as_ref().map(Vec::len), Some(1));
        assert_eq!(
            record
                .facts
                .iter()
                .map(|fact| &*fact.value)
                .collect::<Vec<_>>(),
            ["eli5", "q1"]
        );
    }
}

#[test]
fn row_errors_name_column_and_reason() {
    let schema = schema(&[RATED]).expect("a schema");
    for (line, column, reason) in [
        (
            r#"{"prompt": "p", "response": null}"#,
            29,
            "/response is null, not text",
        ),
        (r#"{"prompt": "p"}"#, 0, "/response is missing"),
        (
            r#"{"prompt": "p", "response": "r"#,
            30,
            "the line is cut off (EOF while parsing a string)",
        ),
        (
            r#"{"prompt": "p" "response": "r"}"#,
            16,
            "not JSON: expected `,` or `}`",
        ),
        ("plain words", 1, "not a JSON object"),
        ("3", 0, "/prompt is missing"),
    ] {
        let row_error = schema.row(line.as_bytes()).expect_err("a row error");
        assert_eq!(
            (row_error.column, row_error.reason.as_str()),
            (column, reason),
            "{line}"
        );
    }
    let nested = |depth| {
        let lists = ["[".repeat(depth), "]".repeat(depth)].join("");
        format!(r#"{{"prompt": "p", "response": "r", "x": {lists}}}"#)
    };
    assert!(schema.row(nested(500).as_bytes()).is_ok());
    let row_error = schema.row(nested(600).as_bytes()).expect_err("too deep");
    assert_eq!(row_error.reason, "values are nested deeper than 512 levels");
    for line in [
        r#"{"prompt": "p", "response": "r", "helpfulness": 3.0, "verbosity": null}"#,
        r#"{"prompt": "p", "response": "r", "helpfulness": 7, "verbosity": "x"}"#,
        r#"{"prompt": "p", "response": "r"}"#,
    ] {
        assert!(schema.row(line.as_bytes()).is_ok(), "{line}");
    }
    let raw = self::schema(&[RAW]).expect("a schema");
    let three = format!("{}, {{}}]", RAW.trim_end_matches(']'));
    assert_eq!(
        raw.row(three.as_bytes()).expect_err("a row error").reason,
        "a list of 3 elements, expected 2"
    );
}

#[test]
fn paths_into_lists_stand_where_lists_are_meant() {
    let schema = |rows: &str, prompt: &str, response: &str| {
        let toml = format!(
            "name = \"x\"\ntitle = \"x\"\nrows = \"{rows}\"\nprompt = {prompt}\n[[response]]\n{response}"
        );
        Schema::parse(&toml)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for (rows, prompt, response, wrong) in [
        ("inline", "{ path = \"/p\" }", "text = \"/r/*\"", ""),
        (
            "inline",
            "{ path = \"/p\" }",
            "each = \"/r\"\ntext = \"t\"",
            "",
        ),
        (
            "inline",
            "{ path = \"/p/*\" }",
            "text = \"/r\"",
            "`*` too many",
        ),
        (
            "inline",
            "{ path = \"/p\" }",
            "text = \"/r/*/t/*\"",
            "`*` too many",
        ),
        (
            "inline",
            "{ path = \"/p\" }",
            "each = \"/r\"\ntext = \"*\"",
            "`*` too many",
        ),
        ("adjacent", "{ path = \"/p\" }", "text = \"/r/*\"", "inline"),
        (
            "adjacent",
            "{ path = [\"/p\", \"/q\"] }",
            "text = \"/r\"",
            "",
        ),
        (
            "adjacent",
            "{ path = \"/p\", system = \"/s\" }",
            "text = \"/r\"",
            "",
        ),
    ] {
        match schema(rows, prompt, response) {
            Ok(()) => assert_eq!(wrong, "", "{prompt} {response}"),
            Err(error) => assert!(!wrong.is_empty() && error.contains(wrong), "{error}"),
        }
    }
}

#[test]
fn keys_with_signs_of_paths_in_them() {
    let line = r#"{"prompt": "p", "response": "c", "response.model": "m", "": "e", "/x": 1}"#;
    let schema = schema(&[line]).expect("a guess");
    let record = schema.with_fields(record_of(&schema, line), line.as_bytes());
    let facts: Vec<_> = record
        .facts
        .iter()
        .map(|fact| (&*fact.name, &*fact.value))
        .collect();
    assert_eq!(facts, [("response.model", "m"), ("", "e"), ("/x", "1")]);
}

#[test]
fn maps() {
    let map: Choices = "prompt=q.text, a=/x/0, b=/x/1".parse().expect("a map");
    let line = r#"{"q": {"text": "p"}, "x": ["l", "r"]}"#;
    let schema = SchemaChoice::Mapped(map)
        .schema(&[line.as_bytes()])
        .expect("a schema");
    let record = record_of(&schema, line);
    assert_eq!(
        (&*record.prompt[0].text, &*record.responses[1].text),
        ("p", "r")
    );
    let map: Choices = "prompt=/0,a=/1,b=/2".parse().expect("a map");
    let line = r#"["p", "l", "r"]"#;
    let schema = SchemaChoice::Mapped(map)
        .schema(&[line.as_bytes()])
        .expect("a schema");
    let record = record_of(&schema, line);
    assert_eq!(
        (&*record.prompt[0].text, &*record.responses[1].text),
        ("p", "r")
    );
    // True is 1.
    let map: Choices = "prompt=p,a=r,score=helpful".parse().expect("a map");
    let lines = [
        r#"{"p": "p", "r": "x", "helpful": true}"#,
        r#"{"p": "p", "r": "y", "helpful": false}"#,
    ];
    let schema = SchemaChoice::Mapped(map).schema(&lines.map(str::as_bytes));
    assert!(schema.expect("a schema").deciding_label().is_some());
    for (text, expected) in [
        ("prompt", "expected NAME=PATH, found `prompt`"),
        ("prompt=p", "a=PATH"),
        ("c=x", "without a gap"),
        ("quux=x", "unknown name `quux`; use prompt, a, b"),
    ] {
        let message = text.parse::<Choices>().expect_err(text);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_schema_that_is_named_must_read_something() {
    let map = |text: &str| SchemaChoice::Mapped(text.parse().expect("a map"));
    let named = || SchemaChoice::named("helpsteer2").expect("built in");
    let record = r#"{"q": "p", "one": {"text": "l"}, "two": "r"}"#;
    for (choice, lines, expected) in [
        (
            map("prompt=q,a=one.txt,b=two"),
            &[record][..],
            "`--map` cannot read the first records, which have q, one, two: /one/txt is missing",
        ),
        (
            map("prompt=q,a=one.text,b=two"),
            &["hello", "{\"q\": \"cut"],
            "not JSON Lines: its first lines",
        ),
        (
            map("prompt=q,a=one"),
            &["{", "\"q\": 1", "}"],
            "not JSON Lines: its first object does not end",
        ),
        (named(), &["hello"], "not JSON Lines"),
        (named(), &["3"], "not JSON Lines"),
        (
            named(),
            &[record],
            "`helpsteer2` cannot read the first records, which have q, one, two: /prompt is missing",
        ),
        (
            named(),
            &[FLAT, record],
            "`helpsteer2` cannot read the first records, which have",
        ),
    ] {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        let said = choice.schema(&lines).expect_err(expected).to_string();
        assert!(said.starts_with(expected), "{said}");
    }
    for lines in [&["hello", RATED][..], &[]] {
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        assert!(named().schema(&lines).is_ok());
    }
}

#[test]
fn lone_surrogates_are_flagged_and_the_row_is_kept() {
    let schema = schema(&[RATED]).expect("a schema");
    let line = r#"{"prompt": "p", "response": "a \ud83d b", "helpfulness": 1}"#;
    let record = record_of(&schema, line);
    assert_eq!(record.responses[0].text, "a \u{fffd} b");
    assert_eq!(record.warnings, [ReadWarning::LoneSurrogate]);
}

#[test]
fn a_list_that_is_no_messages_is_a_row_error_for_the_index_too() {
    let schema = schema(&[RATED]).expect("a schema");
    for (value, reads) in [
        (r#"[{"role": "user", "content": "p"}]"#, true),
        (r#"[{"from": "human", "value": "p \ud83d", "id": 3}]"#, true),
        (
            r#"[{"role": "user", "content": [{"type": "text", "text": "p"}, {"type": "image"}]}]"#,
            true,
        ),
        (r#"[{"role": "user", "content": null}]"#, true),
        ("[]", true),
        ("[1]", false),
        (r#"[{"text": "p", "title": "t"}]"#, true),
        (r#"[{"title": "t"}]"#, false),
        (r#"{"title": "t"}"#, false),
        (r#"["p"]"#, false),
        (r#"[{"role": 1, "content": "p"}]"#, true),
        (r#"[{"role": "user"}]"#, true),
        (r#"[{"role": "user", "content": 3}]"#, true),
        (r#"[{"role": "user", "content": [{"text": null}]}]"#, true),
    ] {
        for line in [
            format!(r#"{{"prompt": {value}, "response": "r"}}"#),
            format!(r#"{{"prompt": "p", "response": {value}}}"#),
        ] {
            let row = schema.row(line.as_bytes());
            assert_eq!(row.is_ok(), reads, "{line}: {row:?}");
            assert_eq!(row.is_ok_and(|row| row.record().is_ok()), reads, "{line}");
        }
    }
}

#[test]
fn quotes_of_another_shape_are_flagged() {
    let schema = schema(&[FLAT]).expect("a schema");
    let shape = "neither {title, extract} lists nor a list of {title, extract}";
    for (old, new, side, reason) in [
        (
            r#""quotes_1": []"#,
            r#""quotes_1": null"#,
            ResponseId::B,
            None,
        ),
        (
            r#""quotes_1": []"#,
            r#""quotes_1": [1]"#,
            ResponseId::B,
            Some(format!("/quotes_1 is [1], {shape}")),
        ),
        (
            r#"{"title": ["t"], "extract": ["x"]}"#,
            r#"{"title": 1, "extract": 2}"#,
            ResponseId::A,
            Some(format!(
                "/quotes_0 is {{\"title\": 1, \"extract\":…, {shape}"
            )),
        ),
    ] {
        let line = FLAT.replace(old, new);
        assert_ne!(line, FLAT);
        let record = record_of(&schema, &line);
        let warnings: Vec<_> = reason
            .map(|what| ReadWarning::InvalidValue {
                response: Some(side),
                what,
            })
            .into_iter()
            .collect();
        assert_eq!(record.warnings, warnings, "{line}");
        assert_eq!(
            record.outcome.map(|outcome| outcome.margin),
            Some(Some(1.0)),
            "{line}"
        );
    }
}

#[test]
fn two_questions_on_a_row_should_be_one() {
    let schema = schema(&[RAW]).expect("a schema");
    let warnings = |line: &str| record_of(&schema, line).warnings;
    assert_eq!(warnings(RAW), []);
    assert_eq!(warnings(&RAW.replacen("why?", "wh\\u0079?", 1)), []);
    assert_eq!(
        warnings(&RAW.replacen("why?", "who?", 1)),
        [ReadWarning::PromptsDiffer]
    );
}

#[test]
fn a_duplicate_key_is_reported() {
    let schema = schema(&[FLAT]).expect("a schema");
    let repeated = |path: &str| ReadWarning::RepeatedKey {
        response: None,
        path: path.into(),
    };
    for (old, new, expected) in [
        (
            r#""score_0": "#,
            r#""score_0": 7, "score_0": "#,
            vec![repeated("/score_0")],
        ),
        (
            r#""answer_1": "","#,
            r#""answer_1": "lost", "\u0061nswer_1": "","#,
            vec![repeated("/answer_1")],
        ),
        // No path leads to this key, so it may repeat.
        ("{", r#"{"other": 1, "other": 2, "#, vec![]),
    ] {
        let line = FLAT.replacen(old, new, 1);
        let record = record_of(&schema, &line);
        assert_eq!(record.warnings, expected, "{line}");
        assert_eq!(&*record.responses[1].text, "", "the last counts");
    }
}

#[test]
fn a_number_too_great_for_any_score_is_none() {
    let line = r#"{"prompt": "p", "response": "r", "score": 1}"#;
    let schema = schema(&[line]).expect("a guess");
    let line = line.replace('1', "-1e999");
    let record = record_of(&schema, &line);
    let what = "score is -1e999, too large for a number".to_owned();
    assert_eq!(
        (&record.responses[0].ratings[..], record.warnings),
        (
            &[None][..],
            vec![ReadWarning::InvalidValue {
                response: None,
                what
            }]
        )
    );
}

#[test]
fn verdicts_that_the_row_states() {
    use Verdict::Tie;
    let sign = "verdict = { path = \"v\", positive = \"b\" }";
    let ranged = "verdict = { path = \"v\", positive = \"b\", range = [-3, 3] }";
    let strict = "verdict = { path = \"v\", a = [\"0\"], b = [\"1\"], tie = [\"tie\"] }";
    let value = "verdict = { path = \"v\", a = [\"left\", \"0\"], b = [\"right\", \"1\"] }";
    for (rule, stated, expected, odd) in [
        (
            sign,
            "2",
            Some((Verdict::wins(ResponseId::B), Some(-2.0))),
            None,
        ),
        (
            sign,
            "-1.5",
            Some((Verdict::wins(ResponseId::A), Some(1.5))),
            None,
        ),
        (
            sign,
            "-100",
            Some((Verdict::wins(ResponseId::A), Some(100.0))),
            None,
        ),
        (sign, "0", Some((Tie, Some(0.0))), None),
        (sign, "-0.0", Some((Tie, Some(0.0))), None),
        (sign, "null", None, None),
        (
            sign,
            "1e999",
            None,
            Some("/v is 1e999, too large for a number"),
        ),
        (
            ranged,
            "-3",
            Some((Verdict::wins(ResponseId::A), Some(3.0))),
            None,
        ),
        (ranged, "-100", None, Some("/v is -100, outside -3 to 3")),
        (ranged, "4", None, Some("/v is 4, outside -3 to 3")),
        (
            ranged,
            "\"strong\"",
            None,
            Some("/v is \"strong\", not a number"),
        ),
        (ranged, "[1]", None, Some("/v is [1], not a number")),
        (
            value,
            "\"left\"",
            Some((Verdict::wins(ResponseId::A), None)),
            None,
        ),
        (value, "1", Some((Verdict::wins(ResponseId::B), None)), None),
        (value, "\"both bad\"", Some((Tie, None)), None),
        (value, "null", None, None),
        (strict, "\"tie\"", Some((Tie, None)), None),
        (strict, "7", None, Some("/v is 7, not the name of a winner")),
    ] {
        let toml = format!(
            "name = \"n\"\ntitle = \"t\"\nrows = \"inline\"\nprompt.path = \"p\"\n{rule}\n\
             [[response]]\ntext = \"a\"\n[[response]]\ntext = \"b\"\n"
        );
        let schema = Schema::new(Definition::parse(&toml).expect("a definition"));
        let line = format!(r#"{{"p": "p", "a": "x", "b": "y", "v": {stated}}}"#);
        let record = record_of(&schema, &line);
        let mut digest = RowStats::default();
        schema
            .row(line.as_bytes())
            .expect("a row")
            .row_stats(schema.counted(), false, &mut digest);
        let digested = digest
            .verdict
            .map(|verdict| (verdict, (!digest.margin.is_nan()).then_some(digest.margin)));
        assert_eq!(digested, expected, "the columns of {rule} {stated}");
        assert_eq!(
            digest.has_invalid_value,
            odd.is_some(),
            "what is counted of {rule} {stated}"
        );
        assert_eq!(
            record
                .outcome
                .map(|outcome| (outcome.verdict, outcome.margin)),
            expected,
            "{rule} {stated}"
        );
        let warnings: Vec<_> = odd
            .map(|what| ReadWarning::InvalidValue {
                response: None,
                what: what.into(),
            })
            .into_iter()
            .collect();
        assert_eq!(record.warnings, warnings, "{rule} {stated}");
    }
}

#[test]
fn a_strength_of_minus_a_hundred_is_no_win() {
    for (name, line) in [
        (
            "helpsteer2-preference",
            r#"{"prompt": "p", "response_1": "x", "response_2": "y", "preference_strength": -100}"#,
        ),
        (
            "helpsteer3",
            r#"{"context": [{"role": "user", "content": "p"}], "response1": "x", "response2": "y", "overall_preference": -100}"#,
        ),
    ] {
        // Also if it is on the first line, by which the schema is chosen.
        let schema = schema(&[line]).expect("a schema");
        assert_eq!(schema.definition().name, name);
        let record = record_of(&schema, line);
        assert_eq!(record.outcome, None);
        let [warning] = record.warnings.as_slice() else {
            panic!("{:?}", record.warnings)
        };
        assert!(
            warning
                .explanation()
                .ends_with(" is -100, outside -3 to 3: read as missing"),
            "{warning:?}"
        );
    }
}

#[test]
fn what_is_known_of_how_people_judge() {
    let built_in = built_in();
    let of = |name: &str| {
        built_in
            .iter()
            .find(|definition| definition.name == name)
            .expect("a schema")
    };
    let kappas: Vec<_> = of("helpsteer2")
        .labels
        .iter()
        .filter_map(|label| label.agreement)
        .collect();
    assert_eq!(kappas, [0.791, 0.793, 0.428, 0.427, 0.548]);
    for (name, strengths, agreement) in [
        ("helpsteer2", 0, None),
        ("helpsteer2-preference", 3, None),
        ("helpsteer3", 3, None),
        ("webgpt-raw", 2, Some(0.73)),
        ("webgpt-flat", 2, Some(0.73)),
        ("arena-55k", 0, None),
    ] {
        let verdict = of(name).verdict.as_ref().expect("a verdict");
        assert_eq!(
            verdict.strengths.as_ref().map_or(0, Vec::len),
            strengths,
            "{name}"
        );
        assert_eq!(verdict.agreement, agreement, "{name}");
    }
}

#[test]
fn what_people_cannot_have_judged_is_refused() {
    let parsed = |verdict: &str, label: &str| {
        let toml = format!(
            "name = \"x\"\ntitle = \"X\"\nrows = \"inline\"\nprompt.path = \"/p\"\nverdict = {{ label = \"good\"{verdict} }}\n\
             [[response]]\ntext = \"/a\"\nratings.good = \"/g\"\n[[label]]\nname = \"good\"\n{label}"
        );
        Definition::parse(&toml).map_err(|error| error.to_string())
    };
    for (verdict, label) in [
        ("", "agreement = -1"),
        ("", "agreement = 1"),
        ("", "range = [4, 4]"),
        (", agreement = 0", ""),
        (", strengths = [\"a bit\"]", ""),
        (", strengths = [\"a\", \"b\", \"c\"], agreement = 1.0", ""),
    ] {
        assert!(parsed(verdict, label).is_ok(), "{verdict} {label}");
    }
    for (verdict, label, part) in [
        ("", "agreement = 1.01", "an agreement on a label is a kappa"),
        ("", "agreement = nan", "an agreement on a label is a kappa"),
        (
            "",
            "range = [4, 0]",
            "key label.range: a range is the minimum and the maximum",
        ),
        ("", "range = [nan, 1]", "the minimum and the maximum"),
        (", agreement = -0.1", "", "is a share"),
        (", agreement = nan", "", "is a share"),
        (", strengths = []", "", "one to three words"),
        (
            ", strengths = [\"a\", \"b\", \"c\", \"d\"]",
            "",
            "one to three words",
        ),
        (", strengths = [\" \"]", "", "one to three words"),
        // Unknown keys of a rule are rejected even next to known ones.
        (
            ", strength = [\"a\"]",
            "",
            "line 5, key verdict.strength: unknown key `strength`; did you mean `strengths`?",
        ),
        (", positive = \"a\"", "", "these keys cannot be combined"),
    ] {
        let error = parsed(verdict, label).expect_err("refused");
        assert!(error.contains(part), "{verdict} {label}: {error}");
    }
}
