//! Exports of small files in every format, read back.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::dataset::tests::dataset;
use crate::journal::{
    Act, ActId, ActRecord, AuditPlan, CheckDraw, Judgment, Reveal, SampleRef, Setting,
};
use crate::model::{ResponseId, SpotCheckVerdict, Verdict};

mod reviewed;

const RATED: &str = include_str!("../assets/demo/helpsteer2.jsonl");
const COMPARED: &str = include_str!("../assets/demo/webgpt.jsonl");

/// Returns a row of HelpSteer2; texts are JSON-escaped.
pub(super) fn row(prompt: &str, response: &str, helpfulness: u8) -> String {
    format!(
        r#"{{"prompt": "{prompt}", "response": "{response}", "helpfulness": {helpfulness}, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}}"#
    )
}

/// A sequence of acts with ids and times.
#[derive(Default)]
pub(super) struct Acts {
    pub(super) ledger: Ledger,
    pub(super) entries: Vec<ActRecord>,
}

impl Acts {
    pub(super) fn act(
        &mut self,
        reviewer: &str,
        sample_ref: Option<(&Dataset, usize)>,
        act: Act,
    ) -> ActId {
        let number = self.entries.len() + 1;
        let id = ActId(format!("00c0ffee-{number}").into());
        let time = format!("2026-11-21T10:00:{number:02}.000Z");
        let sample_ref = sample_ref.map(|(dataset, sample)| sample_ref_of(dataset, sample));
        let entry = ActRecord {
            id: id.clone(),
            time,
            reviewer: reviewer.into(),
            sample_ref,
            act,
        };
        self.ledger.apply(&entry);
        self.entries.push(entry);
        id
    }

    pub(super) fn label(
        &mut self,
        who: &str,
        at: (&Dataset, usize),
        response: ResponseId,
        value: f64,
        setting: &Setting,
    ) {
        let rated = Judgment::Label {
            label: "helpfulness".into(),
            response,
            value: Some(value),
        };
        self.act(
            who,
            Some(at),
            Act::Rate {
                rated,
                setting: setting.clone(),
            },
        );
    }
}

pub(super) fn sample_ref_of(dataset: &Dataset, sample: usize) -> SampleRef {
    let key = dataset.key(sample, &mut Buffers::default()).expect("a key");
    SampleRef {
        sample: key,
        file: "data.jsonl".into(),
        row: 1,
    }
}

fn all(dataset: &Dataset) -> Vec<u32> {
    (0..dataset.samples() as u32).collect()
}

fn exported(
    dataset: &Dataset,
    samples: &[u32],
    ledger: &Ledger,
    format: Format,
) -> (usize, String) {
    let (written, bytes) = bytes(dataset, samples, ledger, format);
    (written, String::from_utf8(bytes).expect("UTF-8"))
}

fn bytes(dataset: &Dataset, samples: &[u32], ledger: &Ledger, format: Format) -> (usize, Vec<u8>) {
    let request = ExportRequest {
        dataset,
        samples,
        matching: &[],
        matching_only: false,
        ledger,
        format,
        title: "A <title>".to_owned(),
    };
    let mut out = Vec::new();
    let written = write(&request, &mut out, &|_| true).expect("written");
    (written, out)
}

#[test]
fn rows_are_exported_unchanged() {
    let dataset = dataset(&[RATED.to_owned(), COMPARED.to_owned()]);
    let (written, text) = exported(
        &dataset,
        &all(&dataset),
        &Ledger::default(),
        Format::Original,
    );
    assert_eq!(
        text,
        format!("{RATED}{COMPARED}"),
        "pairs are adjacent, malformed rows keep their place"
    );
    assert_eq!(written, dataset.samples());
    // Without remarks nothing is added.
    assert_eq!(
        exported(
            &dataset,
            &all(&dataset),
            &Ledger::default(),
            Format::Reviewed
        )
        .1,
        text
    );
    // In the requested order, with both rows of each sample.
    let lines: Vec<&str> = RATED.lines().collect();
    let (_, text) = exported(&dataset, &[1, 0], &Ledger::default(), Format::Original);
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [lines[2], lines[3], lines[0], lines[1]]
    );
}

#[test]
fn bytes_around_a_row_are_not_exported() {
    let (a, b) = (row("p", "one \\ud83d", 1), row("p", "two", 2));
    let text = format!("\u{feff}{a}\r\n\r\n  {b}  \r\n{{broken \u{1b}\r\n");
    let data = dataset(&[text]);
    let (written, text) = exported(&data, &all(&data), &Ledger::default(), Format::Original);
    assert_eq!(text, format!("{a}\n{b}\n{{broken \u{1b}\n"));
    assert_eq!(written, 2);
}

#[test]
fn a_cancelled_export_stops() {
    let data = dataset(&[RATED.to_owned()]);
    let (samples, ledger) = (all(&data), Ledger::default());
    for format in Format::ALL {
        let request = ExportRequest {
            dataset: &data,
            samples: &samples,
            matching: &[],
            matching_only: false,
            ledger: &ledger,
            format,
            title: String::new(),
        };
        let stopped = write(&request, &mut Vec::new(), &|written| written < 3);
        assert!(matches!(stopped, Err(ExportError::Stopped)), "{format:?}");
        let beyond = ExportRequest {
            samples: &[9999],
            ..request
        };
        let error = write(&beyond, &mut Vec::new(), &|_| true)
            .expect_err("no such sample")
            .to_string();
        assert!(error.contains("sample 10000 does not exist"), "{error}");
    }
}

#[test]
fn a_file_that_was_written_to_is_not_exported() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), RATED).expect("written");
    let inputs = vec![crate::source::Input::Path(file.path().into())];
    let data = crate::dataset::tests::load_detected(inputs);
    let ledger = Ledger::default();
    let samples = all(&data);
    let request = ExportRequest {
        dataset: &data,
        samples: &samples,
        matching: &[],
        matching_only: false,
        ledger: &ledger,
        format: Format::Csv,
        title: String::new(),
    };
    assert!(write(&request, &mut Vec::new(), &|_| true).is_ok());
    std::fs::write(file.path(), &RATED[..RATED.len() / 2]).expect("written");
    // Already before the first row, with the exit code of any change.
    let error = write(&request, &mut Vec::new(), &|_| true).expect_err("changed");
    let is_change = matches!(&error, ExportError::Read(change) if change.is_change());
    assert!(is_change, "{error:?}");
    assert!(
        error
            .to_string()
            .contains("; read it again once nothing writes to it"),
        "{error}"
    );
}

fn checked(verdict: SpotCheckVerdict) -> Act {
    Act::Check {
        verdict: Some(verdict),
        drawn: CheckDraw::Chosen,
    }
}

#[test]
fn reviews_are_added_to_their_rows() {
    let data = dataset(&[[
        row("p", "one", 1),
        row("p", "two", 2),
        row("q", "three", 3),
        "{broken".to_owned(),
    ]
    .join("\n")]);
    let mut acts = Acts::default();
    let audit = ActId("feedbeef-1".into());
    let setting = Setting {
        audit: Some(audit),
        pass: 1,
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..Setting::default()
    };
    acts.act("ann", Some((&data, 0)), Act::Mark { on: true });
    acts.act(
        "ann",
        Some((&data, 0)),
        Act::Tag {
            tag: "odd".into(),
            on: true,
        },
    );
    acts.act(
        "bob",
        Some((&data, 0)),
        Act::Note {
            text: "two\nlines".into(),
            order: Some(setting.order),
        },
    );
    acts.act("bob", Some((&data, 0)), checked(SpotCheckVerdict::Wrong));
    acts.label("ann", (&data, 0), ResponseId::A, 3.0, &setting);
    let verdict = Judgment::Verdict {
        value: Some(Verdict::wins(ResponseId::B)),
        strength: Some(2),
    };
    acts.act(
        "ann",
        Some((&data, 0)),
        Act::Rate {
            rated: verdict,
            setting: setting.clone(),
        },
    );
    acts.act("bob", Some((&data, 2)), Act::Mark { on: true });
    // An undone act leaves no trace.
    let undone = acts.act("ann", Some((&data, 1)), Act::Mark { on: true });
    acts.act("ann", None, Act::Undo { entry: undone });
    let (written, text) = exported(&data, &all(&data), &acts.ledger, Format::Reviewed);
    assert_eq!(written, 3);
    let lines: Vec<&str> = text.lines().collect();
    let review = |side: &str| {
        json!({"side": side, "marked": true, "tags": ["odd"], "notes": [{"reviewer": "bob", "text": "two\nlines", "swapped": true, "order": "ba"}],
            "checks": [{"reviewer": "bob", "check": "wrong", "time": "2026-11-21T10:00:04.000Z"}],
            "ratings": [{"reviewer": "ann", "audit": "feedbeef-1", "pass": 1, "blind": true, "seen": false, "swapped": true, "order": "ba",
                "labels": {"a": {"helpfulness": 3}, "b": {}}, "verdict": "b", "derived": false, "strength": 2, "state": "partial", "later": null}]})
    };
    for (line, side, original) in [
        (lines[0], "a", row("p", "one", 1)),
        (lines[1], "b", row("p", "two", 2)),
    ] {
        let start = &original[..original.len() - 1];
        assert_eq!(
            line,
            format!("{start},\"review\":{}}}", review(side)),
            "spliced, and otherwise the same bytes"
        );
    }
    assert_eq!(lines[2], row("q", "three", 3));
    let malformed: Value = serde_json::from_str(lines[3]).expect("JSON");
    assert_eq!(malformed["row"], json!("{broken"));
    assert_eq!(malformed["review"]["marked"], json!(true));
}

#[test]
fn lists_are_wrapped() {
    let data = dataset(&[COMPARED.to_owned()]);
    let mut acts = Acts::default();
    acts.act("ann", Some((&data, 1)), Act::Mark { on: true });
    let (_, text) = exported(&data, &all(&data), &acts.ledger, Format::Reviewed);
    for (place, (line, original)) in text.lines().zip(COMPARED.lines()).enumerate() {
        if place != 1 {
            assert_eq!(line, original);
            continue;
        }
        let review = r#"{"marked":true,"tags":[],"notes":[],"checks":[],"ratings":[]}"#;
        assert_eq!(
            line,
            format!(r#"{{"row":{original},"review":{review}}}"#),
            "a row is a sample: no side"
        );
    }
}

#[test]
fn complete_and_partial_judgments_are_distinguished() {
    let rows = (0..4).flat_map(|at| {
        [
            row(&format!("p{at}"), "one", 1),
            row(&format!("p{at}"), "two", 2),
        ]
    });
    let data = dataset(&[rows.collect::<Vec<_>>().join("\n")]);
    let mut acts = Acts::default();
    let setting = Setting::default();
    for (sample, labels) in [
        &[
            "helpfulness",
            "correctness",
            "coherence",
            "complexity",
            "verbosity",
        ][..],
        &["helpfulness"],
        &["helpfulness"],
        &["helpfulness"],
    ]
    .into_iter()
    .enumerate()
    {
        for label in labels {
            for (side, value) in ResponseId::first(2).zip([3.0, 1.0]) {
                let rated = Judgment::Label {
                    label: (*label).into(),
                    response: side,
                    value: Some(value),
                };
                acts.act(
                    "ann",
                    Some((&data, sample)),
                    Act::Rate {
                        rated,
                        setting: setting.clone(),
                    },
                );
            }
        }
    }
    acts.act(
        "ann",
        Some((&data, 2)),
        Act::Skip {
            setting: setting.clone(),
        },
    );
    acts.act("ann", Some((&data, 3)), Act::Defer { setting });
    let (_, text) = exported(&data, &all(&data), &acts.ledger, Format::Reviewed);
    let states: Vec<_> = text
        .lines()
        .step_by(2)
        .map(|line| {
            let row: Value = serde_json::from_str(line).expect("JSON");
            let rating = &row["review"]["ratings"][0];
            [&rating["state"], &rating["verdict"], &rating["derived"]]
                .map(Value::to_string)
                .join(" ")
        })
        .collect();
    // No verdict is derived from labels given before a skip.
    let expected = [
        r#""judged" "a" true"#,
        r#""partial" "a" true"#,
        r#""skipped" null false"#,
        r#""deferred" null false"#,
    ];
    assert_eq!(states, expected);
    let lines = table(&exported(&data, &all(&data), &acts.ledger, Format::Csv).1);
    let column = |name: &str| {
        lines
            .iter()
            .step_by(2)
            .map(|line| line[name].as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        column("ann: state"),
        ["judged", "partial", "skipped", "deferred"]
    );
    assert_eq!(column("ann: verdict"), ["a", "a", "", ""]);
}

#[test]
fn labels_that_are_called_like_columns_of_a_rating_have_their_own() {
    let data = dataset(&[[row("p", "a", 1), row("p", "b", 2)].join("\n")]);
    let mut acts = Acts::default();
    let labels = ["verdict", "state", "pass", "time", "seen", "plain"];
    for label in labels {
        let rated = Judgment::Label {
            label: label.into(),
            response: ResponseId::A,
            value: Some(2.0),
        };
        let setting = Setting::default();
        acts.act("ann", Some((&data, 0)), Act::Rate { rated, setting });
    }
    let text = exported(&data, &all(&data), &acts.ledger, Format::Csv).1;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut header: Vec<_> = reader.headers().expect("a header").iter().collect();
    let columns = header.len();
    header.sort_unstable();
    header.dedup();
    assert_eq!(header.len(), columns, "each column occurs once");
    let line = &table(&text)[0];
    for label in &labels[..5] {
        assert_eq!(line[&format!("ann: label.{label}")], "2", "{label}");
    }
    assert_eq!(line["ann: plain"], "2");
    assert_eq!(line["ann: state"], "partial");
}

fn table(text: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().expect("CSV")
}

#[test]
fn a_table_has_a_line_a_response() {
    let data = dataset(&[
        [
            row("=p, \\\"q\\\"", "one\\r\\nmore", 1),
            row("=p, \\\"q\\\"", "- two", 4),
            "{broken".to_owned(),
            row(
                "a\\n<extra_id_1>Assistant\\nb\\n<extra_id_1>User\\nc",
                "+3",
                2,
            ),
        ]
        .join("\n"),
        COMPARED.lines().next().expect("a row").to_owned(),
    ]);
    let mut acts = Acts::default();
    let plain = Setting {
        pass: 1,
        ..Setting::default()
    };
    let blind = Setting {
        audit: Some(ActId("f00d-1".into())),
        blind: true,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..plain.clone()
    };
    acts.label("ann", (&data, 0), ResponseId::B, 2.0, &blind);
    acts.act(
        "ann",
        Some((&data, 0)),
        Act::Skip {
            setting: Setting {
                pass: 2,
                ..plain.clone()
            },
        },
    );
    acts.act("=bob", Some((&data, 2)), Act::Skip { setting: plain });
    acts.act(
        "ann",
        Some((&data, 2)),
        Act::Note {
            text: "hm".into(),
            order: Some(crate::model::ResponseOrder::OF_FILE.reversed(2)),
        },
    );
    acts.act(
        "bob",
        Some((&data, 2)),
        Act::Tag {
            tag: "b".into(),
            on: true,
        },
    );
    acts.act(
        "bob",
        Some((&data, 2)),
        Act::Tag {
            tag: "a".into(),
            on: true,
        },
    );
    for (who, verdict) in [
        ("=bob", SpotCheckVerdict::Right),
        ("ann", SpotCheckVerdict::Wrong),
    ] {
        acts.act(who, Some((&data, 2)), checked(verdict));
    }
    let (written, text) = exported(&data, &all(&data), &acts.ledger, Format::Csv);
    assert_eq!(written, 4);
    let header = text.split("\r\n").next().expect("a header");
    assert_eq!(
        header,
        "sample,file,row,key,side,matches,prompt,response,helpfulness,correctness,coherence,complexity,verbosity,score,verdict,margin,\
         dataset,id,malformed,marked,tags,notes,checks,'=bob: helpfulness,'=bob: verdict,'=bob: strength,'=bob: state,\
         '=bob: audit,'=bob: pass,'=bob: blind,'=bob: swapped,'=bob: time,'=bob: order,'=bob: seen,'=bob: after reveal,'=bob: later,\
         ann: helpfulness,ann: verdict,ann: strength,ann: state,ann: audit,ann: pass,ann: blind,ann: swapped,ann: time,ann: order,ann: seen,ann: after reveal,ann: later,\
         len.response,len.prompt,turns,quotes,lines.response,line,is:tie,is:several,is:single,is:multiturn,is:malformed,is:flagged"
    );
    let lines = table(&text);
    let column = |name: &str| {
        lines
            .iter()
            .map(|line| line[name].as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(column("sample"), ["1", "1", "2", "3", "4", "4"]);
    assert_eq!(column("row"), ["1", "2", "3", "4", "1", "1"]);
    assert_eq!(column("side"), ["a", "b", "", "a", "a", "b"]);
    assert_eq!(
        column("prompt")[..4],
        [
            "'=p, \"q\"",
            "'=p, \"q\"",
            "",
            "user: a\n\nassistant: b\n\nuser: c"
        ]
    );
    assert_eq!(column("response")[..4], ["one\r\nmore", "'- two", "", "+3"]);
    assert_eq!(column("helpfulness"), ["1", "4", "", "2", "", ""]);
    assert_eq!(column("verdict")[..4], ["b", "b", "", ""]);
    assert_eq!(column("margin")[..4], ["-3", "-3", "", ""]);
    assert!(
        column("malformed")
            .iter()
            .enumerate()
            .all(|(place, why)| why.is_empty() == (place != 2))
    );
    assert_eq!(column("tags"), ["", "", "", "a;b", "", ""]);
    assert_eq!(
        column("notes"),
        ["", "", "", "ann: hm", "", ""],
        "a single has one order"
    );
    let checks = ["", "", "", "'=bob: right;ann: wrong", "", ""];
    assert_eq!(column("checks"), checks);
    assert_eq!(
        column("ann: helpfulness"),
        ["", "2", "", "", "", ""],
        "the second pass does not count"
    );
    assert_eq!(column("ann: state"), ["partial", "partial", "", "", "", ""]);
    assert_eq!(column("'=bob: state"), ["", "", "", "skipped", "", ""]);
    let of = |name: &str, line: usize| {
        ["audit", "pass", "blind", "swapped"]
            .map(|what| column(&format!("{name}: {what}"))[line].to_owned())
    };
    assert_eq!(of("ann", 0), ["f00d-1", "1", "true", "true"]);
    assert_eq!(of("'=bob", 3), ["", "1", "false", "false"]);
    assert_eq!(
        of("'=bob", 0),
        ["", "", "", ""],
        "of who did not judge it nothing is said"
    );
    assert!(column("ann: time")[0].starts_with("2026-") && column("ann: time")[3].is_empty());
    assert!(column("key").iter().all(|key| key.len() == 32));
    assert_eq!(column("line")[..4], ["1", "2", "3", "4"]);
    assert_eq!(column("len.response")[..4], ["9", "5", "", "2"]);
    assert_eq!(column("lines.response")[..4], ["2", "1", "", "1"]);
    assert_eq!(column("turns")[..4], ["1", "1", "", "3"]);
    let flags = |line: usize| {
        ["tie", "single", "multiturn", "malformed", "flagged"]
            .map(|flag| column(&format!("is:{flag}"))[line] == "true")
    };
    assert_eq!(flags(0), [false; 5]);
    assert_eq!(flags(2), [false, false, false, true, false]);
    assert_eq!(flags(3), [false, true, true, false, false]);
}

#[test]
fn the_demo_reads_back_from_csv() {
    let data = dataset(&[RATED.to_owned(), COMPARED.to_owned()]);
    let (written, text) = exported(&data, &all(&data), &Ledger::default(), Format::Csv);
    let lines = table(&text);
    assert_eq!(written, data.samples());
    let mut lines = lines.iter();
    let mut buffers = Buffers::default();
    for sample in 0..data.samples() {
        let reading = data.read(sample, &mut buffers).expect("a sample");
        let SampleBody::Sample(sample) = reading.body else {
            assert!(!lines.next().expect("a line")["malformed"].is_empty());
            continue;
        };
        for response in &sample.responses {
            let line = lines.next().expect("a line");
            let cell = line["response"]
                .strip_prefix('\'')
                .filter(|rest| rest.starts_with(['-', '=', '+', '@']));
            assert_eq!(cell.unwrap_or(&line["response"]), response.text);
        }
    }
}

#[test]
fn what_was_written_about_responses_is_exported() {
    let annotated = include_str!("../../../tests/samples/helpsteer3-annotated.jsonl");
    let (dataset, ledger) = (dataset(&[annotated.to_owned()]), Ledger::default());
    let (_, csv) = exported(&dataset, &[0, 2], &ledger, Format::Csv);
    let lines = table(&csv);
    let of = |line: usize, column: &str| lines[line][column].split("\n\n").count();
    assert_eq!(
        [of(0, "reasoning"), of(0, "feedback"), of(1, "feedback")],
        [3; 3]
    );
    assert!(lines[0]["reasoning"].ends_with("matters more to me here."));
    assert!(lines[1]["feedback"].starts_with("The response is slightly helpful."));
    assert_eq!((&*lines[2]["reasoning"], &*lines[3]["feedback"]), ("", ""));
    let (_, page) = exported(&dataset, &[1], &ledger, Format::Markdown);
    let (_, texts) = page.split_once("### Rationales").expect("a heading");
    assert!(
        texts.contains("\nfeedback \u{b7} B \u{b7} no. 2\n"),
        "{texts}"
    );
    let mask = BlindMask {
        hidden: true,
        ..BlindMask::default()
    };
    let copied = copy_text(Copy::Sample, &dataset, 1, (&ledger, None), mask).expect("copied");
    assert!(!copied.contains("Rationales") && !copied.contains("helpful"));
}

#[test]
fn a_page_is_text_that_is_not_obeyed() {
    let evil = "```\\n# no heading\\n<script>\\u001b]0;x\\u0007\\n[1]: http://x";
    let data = dataset(&[[
        row("p | <b>", evil, 1),
        row("p | <b>", "two", 4),
        "{broken \u{1b}[31m```".to_owned(),
    ]
    .join("\n")]);
    let mut acts = Acts::default();
    let setting = Setting {
        pass: 1,
        blind: true,
        ..Setting::default()
    };
    acts.act("a*b", Some((&data, 0)), Act::Mark { on: true });
    acts.act(
        "a*b",
        Some((&data, 0)),
        Act::Tag {
            tag: "x|y".into(),
            on: true,
        },
    );
    acts.act(
        "a*b",
        Some((&data, 0)),
        Act::Note {
            text: "# one\ntwo <i>".into(),
            order: None,
        },
    );
    acts.label("a*b", (&data, 0), ResponseId::A, 3.0, &setting);
    let (written, text) = exported(&data, &all(&data), &acts.ledger, Format::Markdown);
    assert_eq!(written, 2);
    let name = data.files()[0].source.name();
    let key = data.key(0, &mut Buffers::default()).expect("a key");
    let expected = format!(
        "# A \\<title\\>

2 samples of `{name}`

## Sample 1

`{name}`, rows 1 and 2 · key `{key}`

**B wins by 3**

|  | helpfulness | correctness | coherence | complexity | verbosity |
|---|---|---|---|---|---|
| A | 1 | 3 | 4 | 1 | 2 |
| B | 4 | 3 | 4 | 1 | 2 |

**Prompt**

```text
p | <b>
```

#### Response A

````text
```
# no heading
<script>\u{1b}]0;x\u{7}
[1]: http://x
````

#### Response B

```text
two
```

### Review

- marked
- tags: x\\|y
- rated by a\\*b (blind): A helpfulness 3

Note of a\\*b:

> \\# one\\
> two \\<i\\>

## Sample 2
"
    );
    assert_eq!(text[..expected.len().min(text.len())], expected);
    assert!(
        text.contains("**Malformed row**, line 3: ")
            && text.contains("````text\n{broken \u{1b}[31m```\n````"),
        "{text}"
    );
}

#[test]
fn what_is_copied() {
    let data = dataset(&[[
        row("p", "one\\u001b\\n\\tx", 1),
        row("p", "two", 4),
        "{\u{1b}".to_owned(),
    ]
    .join("\n\n")]);
    let ledger = Ledger::default();
    let seen = BlindMask::default();
    let copied = |what, sample| copy_text(what, &data, sample, (&ledger, None), seen);
    let name = data.files()[0].source.name();
    assert_eq!(
        copied(Copy::Response(ResponseId::A), 0).expect("copied"),
        "one␛\n\tx"
    );
    assert_eq!(copied(Copy::Link, 0).expect("copied"), format!("{name}:1"));
    let key = data.key(0, &mut Buffers::default()).expect("a key");
    assert_eq!(copied(Copy::Key, 0).expect("copied"), key.to_string());
    assert_eq!(copied(Copy::Link, 1).expect("copied"), format!("{name}:5"));
    let lines = copied(Copy::Line, 0).expect("copied");
    assert_eq!(
        lines,
        format!(
            "{}\n{}",
            row("p", "one\\u001b\\n\\tx", 1),
            row("p", "two", 4)
        )
    );
    assert_eq!(copied(Copy::Line, 1).expect("copied"), "{\\u001b");
    assert!(matches!(
        copied(Copy::Response(ResponseId::A), 1),
        Err(CopyError::NoResponse(ResponseId::A))
    ));
    assert!(copied(Copy::Line, 9).is_err());
    assert!(
        copied(Copy::Sample, 0)
            .expect("copied")
            .starts_with("## Sample 1\n\n`")
    );
}

#[test]
fn a_blind_reviewer_copies_nothing_that_is_hidden() {
    let data = dataset(&[[row("p", "one", 1), row("p", "two", 4)].join("\n")]);
    let mut acts = Acts::default();
    acts.label(
        "ann",
        (&data, 0),
        ResponseId::A,
        3.0,
        &Setting {
            pass: 1,
            ..Setting::default()
        },
    );
    let blind = BlindMask {
        hidden: true,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
    };
    let copied = |what| copy_text(what, &data, 0, (&acts.ledger, None), blind);
    assert!(matches!(copied(Copy::Link), Err(CopyError::Hidden)));
    assert!(matches!(copied(Copy::Line), Err(CopyError::Hidden)));
    assert_eq!(copied(Copy::Key).expect("copied").len(), 32);
    let text = copied(Copy::Sample).expect("copied");
    let expected = "## Sample\n\n**Prompt**\n\n```text\np\n```\n\n#### Response A\n\n```text\ntwo\n```\n\n#### Response B\n\n```text\none\n```\n";
    assert_eq!(text, expected);
}

#[test]
fn a_page_of_swapped_sides_has_the_letters_of_the_screen() {
    let data = dataset(&[[row("p", "one", 1), row("p", "two", 4)].join("\n")]);
    let mut acts = Acts::default();
    let setting = Setting {
        pass: 1,
        order: crate::model::ResponseOrder::OF_FILE.reversed(2),
        ..Setting::default()
    };
    acts.label("ann", (&data, 0), ResponseId::A, 3.0, &setting);
    let rated = Judgment::Verdict {
        value: Some(Verdict::wins(ResponseId::B)),
        strength: Some(2),
    };
    acts.act("ann", Some((&data, 0)), Act::Rate { rated, setting });
    let copied = |order| {
        copy_text(
            Copy::Sample,
            &data,
            0,
            (&acts.ledger, None),
            BlindMask {
                hidden: false,
                order,
            },
        )
        .expect("copied")
    };
    let (file, screen) = (
        copied(crate::model::ResponseOrder::OF_FILE),
        copied(crate::model::ResponseOrder::OF_FILE.reversed(2)),
    );
    assert!(
        file.contains("\n#### Response A\n\n```text\none\n"),
        "{file}"
    );
    assert!(
        file.contains(": A helpfulness 3; B wins, strength 2\n"),
        "{file}"
    );
    assert!(
        screen.contains("\n#### Response B\n\n```text\none\n"),
        "{screen}"
    );
    assert!(
        screen.contains(": B helpfulness 3; A wins, strength 2\n"),
        "{screen}"
    );
}

#[test]
fn spans_are_of_what_holds() {
    let data = dataset(&[[row("p", "one", 1), row("p", "two", 4)].join("\n")]);
    let mut acts = Acts::default();
    let plan = AuditPlan {
        between: None,
        n: 1,
        seed: 7,
        by: None,
        repeat: 0.0,
        blind: false,
        reveal: Reveal::After,
        filter: String::new(),
        of: 1,
        data: None,
        strata: Vec::new(),
        queue: Vec::new(),
    };
    let audit = acts.act("ann", None, Act::Audit(Arc::new(plan)));
    let setting = Setting {
        audit: Some(audit.clone()),
        pass: 1,
        ..Setting::default()
    };
    assert_eq!(span(&acts.entries, None, &[]), None);
    for value in [1.0, 2.0, 3.0] {
        acts.label("ann", (&data, 0), ResponseId::A, value, &setting);
    }
    let last = acts.entries.last().expect("an entry").id.clone();
    acts.act(
        "bob",
        None,
        Act::Undo {
            entry: last.clone(),
        },
    );
    let at = |second: u32| format!("2026-11-21T10:00:{second:02}.000Z");
    assert_eq!(
        span(&acts.entries, Some(&audit), &["ann".into()]),
        Some((at(2), at(4))),
        "reviewers undo only their own acts"
    );
    let undo = acts.act(
        "ann",
        None,
        Act::Undo {
            entry: last.clone(),
        },
    );
    assert_eq!(span(&acts.entries, None, &[]), Some((at(2), at(3))));
    acts.act("ann", None, Act::Redo { entry: last });
    assert_eq!(span(&acts.entries, None, &[]), Some((at(2), at(4))));
    assert_eq!(span(&acts.entries, Some(&undo), &[]), None);
    assert_eq!(span(&acts.entries, None, &["bob".into()]), None);
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
        "[\"\\\\{}\\[\\],:]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c}\"]{0,2}|review|row", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reviewed_rows_are_the_rows_and_a_review(value in json_value(), pretty in any::<bool>()) {
        let line = if pretty { serde_json::to_string_pretty(&value).map(|text| text.replace('\n', " ")) } else { serde_json::to_string(&value) };
        let line = line.expect("JSON");
        let out = lines::with_members(line.as_bytes(), &[("review", r#"{"marked":true}"#.to_owned())]);
        let mut read: Value = serde_json::from_slice(&out).expect("JSON still");
        let review = read.as_object_mut().and_then(|row| row.remove("review"));
        prop_assert_eq!(review, Some(json!({"marked": true})));
        let takes_one = value.as_object().is_some_and(|object| !object.contains_key("review"));
        let rest = if takes_one { &read } else { &read["row"] };
        prop_assert_eq!(rest, &value);
        if takes_one {
            let start = &line.as_bytes()[..line.len() - 1];
            prop_assert!(out.starts_with(start));
        }
    }

    #[test]
    fn any_line_gets_a_review(line in prop::collection::vec(any::<u8>().prop_filter("no line break", |byte| *byte != b'\n'), 0..24)) {
        let line = crate::source::lines::trim(&line);
        let out = lines::with_members(line, &[("review", "{}".to_owned())]);
        prop_assert!(!out.contains(&b'\n'));
        if std::str::from_utf8(line).is_ok() {
            prop_assert!(serde_json::from_slice::<Value>(&out).is_ok() || crate::schema::repair(line).is_some(), "{}", String::from_utf8_lossy(&out));
        }
    }
}
