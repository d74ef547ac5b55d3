//! Exports for training, read back by the program's own reader.

mod fidelity;
mod pairing;
mod tool_results;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tests::{Acts, row};
use super::*;
use crate::dataset::tests::dataset as of_files;
use crate::dataset::{Buffers, SampleBody, SampleKey};
use crate::journal::{Act, AuditPlan, CheckDraw, Judgment, Reveal, Setting};
use crate::model::{Role, SpotCheckVerdict, Verdict, split_reasoning};
use crate::review::serialised;

/// Datasets of different kinds, each with something that some format cannot express.
const FILES: [&str; 9] = [
    include_str!("../../assets/demo/helpsteer2.jsonl"),
    include_str!("../../assets/demo/webgpt.jsonl"),
    include_str!("../../../../tests/samples/helpsteer3.jsonl"),
    include_str!("../../../../tests/samples/openai-preference.jsonl"),
    include_str!("../../../../tests/samples/sharegpt-preference.jsonl"),
    include_str!("../../../../tests/samples/ultrafeedback.jsonl"),
    include_str!("../../../../tests/samples/nectar.jsonl"),
    include_str!("../../../../tests/samples/helpsteer2-disagreements.jsonl"),
    include_str!("../../../../tests/samples/arena.jsonl"),
];

fn dataset(rows: &str) -> Dataset {
    of_files(&[rows.to_owned()])
}

/// The content of a sample: prompt turns, responses, verdict, and labels.
#[derive(Debug, Clone, PartialEq)]
struct SampleContent {
    prompt: Vec<(Role, String)>,
    responses: Vec<Vec<String>>,
    verdict: Option<Verdict>,
    labels: Vec<Vec<Option<f64>>>,
}

impl SampleContent {
    /// Returns a pair of two of its responses; the first one wins.
    fn pair(&self, chosen: usize, rejected: usize) -> Self {
        Self {
            prompt: self.prompt.clone(),
            responses: [chosen, rejected]
                .map(|at| self.responses[at].clone())
                .into(),
            verdict: Some(Verdict::wins(ResponseId::A)),
            labels: Vec::new(),
        }
    }
}

fn said(dataset: &Dataset) -> Vec<Option<SampleContent>> {
    let mut buffers = Buffers::default();
    let samples = 0..dataset.samples();
    let said = samples.map(|at| match dataset.read(at, &mut buffers)?.body {
        SampleBody::Sample(sample) => Some(SampleContent {
            prompt: (sample.prompt.iter())
                .map(|turn| (turn.role, turn.text.to_string()))
                .collect(),
            responses: (sample.responses.iter())
                .map(|response| response.texts().map(str::to_owned).collect())
                .collect(),
            verdict: sample.outcome.map(|outcome| outcome.verdict),
            labels: (sample.responses.iter())
                .map(|response| response.ratings.clone())
                .collect(),
        }),
        _ => None,
    });
    said.collect()
}

/// Returns the rows, their provenance, and the counts.
fn written(
    dataset: &Dataset,
    format: TrainingFormat,
    ledger: &Ledger,
    apply: &[Correction],
) -> (String, Vec<Value>, TrainingCounts) {
    written_of(dataset, (format, None, 0), ledger, apply)
}

/// The same with a limit of pairs per sample, drawn with a seed.
fn written_of(
    dataset: &Dataset,
    (format, pairs_per_sample, seed): (TrainingFormat, Option<usize>, u64),
    ledger: &Ledger,
    apply: &[Correction],
) -> (String, Vec<Value>, TrainingCounts) {
    let all: Vec<u32> = (0..dataset.samples() as u32).collect();
    let request = TrainingRequest {
        dataset,
        samples: &all,
        ledger,
        format,
        corrections: apply,
        pairs_per_sample,
        seed,
    };
    let source = ProvenanceSource {
        query: "",
        output: Some("out/rows.jsonl".into()),
        ..ProvenanceSource::default()
    };
    let (mut out, mut provenance) = (Vec::new(), Vec::new());
    let counts = write_training(request, &source, &mut out, Some(&mut provenance), &|_| true);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let provenance = text(provenance);
    let lines = provenance.lines().map(serde_json::from_str);
    let lines = lines.collect::<Result<_, _>>().expect("JSON Lines");
    (text(out), lines, counts.expect("written"))
}

fn plain(dataset: &Dataset, format: TrainingFormat) -> (String, Vec<Value>, TrainingCounts) {
    written(dataset, format, &Ledger::default(), &[])
}

/// Returns the schema that should be detected for a format; `None` if it is guessed.
fn schema_of(format: TrainingFormat) -> &'static str {
    match format.name {
        "trl" => "guessed",
        "openai" => "openai-preference",
        "nemo" => "nemo-rl",
        "llama-factory" => "sharegpt-preference",
        name => name,
    }
}

/// Reads rows back without the labels (ranks) of pairwise rows.
fn read_back(rows: &str, format: TrainingFormat) -> Vec<SampleContent> {
    let read = dataset(rows);
    assert_eq!(read.files()[0].schema.definition().name, schema_of(format));
    let said = said(&read).into_iter();
    let said = said.map(|sample| sample.expect("a row that reads"));
    said.map(|sample| SampleContent {
        labels: match format.is_pairwise() {
            true => Vec::new(),
            false => sample.labels,
        },
        ..sample
    })
    .collect()
}

/// Returns the expected rows of samples that the format can express.
fn expected(dataset: &Dataset, format: TrainingFormat, lines: &[Value]) -> Vec<SampleContent> {
    let said = said(dataset);
    let mut expected = Vec::new();
    let mut seen = None;
    for line in lines.iter().filter(|line| line["row"].is_u64()) {
        let at = line["sample"].as_u64().expect("a number") as usize - 1;
        let sample = said[at].as_ref().expect("a sample that reads");
        let place = |member: &str| {
            let word = line[member].as_str().expect("a letter");
            ResponseId::of_word(word).expect("a letter").index()
        };
        if format.is_pairwise() {
            expected.push(sample.pair(place("chosen"), place("rejected")));
            let winner = ResponseId::new(place("chosen")).expect("a letter");
            let verdict = sample.verdict.expect("a verdict");
            assert!(matches!(verdict, Verdict::Best(best) if best.has(winner.index())));
        } else if seen.replace(at) != Some(at) {
            expected.push(sample.clone());
        }
        let key = dataset.key(at, &mut Buffers::default()).expect("a key");
        assert_eq!(line["key"], json!(key.to_string()));
    }
    expected
}

#[test]
fn every_format_reads_back_as_the_samples_that_it_was_made_of() {
    for format in TrainingFormat::ALL {
        let mut rows = 0;
        for file in FILES {
            let dataset = dataset(file);
            let (text, lines, counts) = plain(&dataset, format);
            let left_out: usize = counts.left_out.values().sum();
            assert_eq!(counts.found, dataset.samples());
            assert_eq!(counts.samples + left_out, counts.found);
            assert_eq!(text.lines().count(), counts.rows);
            rows += counts.rows;
            if counts.rows > 0 {
                let expected = expected(&dataset, format, &lines);
                assert_eq!(read_back(&text, format), expected, "{format:?}");
            }
        }
        assert!(rows > 40, "{format:?}: {rows}");
    }
}

#[test]
fn rows_have_the_members_that_trainers_document() {
    let turns = r"go on\n<extra_id_1>Assistant\nto where?\n<extra_id_1>User\nhome";
    let rows = [row(turns, "here", 2), row(turns, "there \\\"é\\\"", 3)];
    let dataset = dataset(&rows.join("\n"));
    let chat = r#"[{"role":"user","content":"go on"},{"role":"assistant","content":"to where?"},{"role":"user","content":"home"}]"#;
    let [chosen, rejected] = [r#""there \"é\"""#, r#""here""#];
    let answer = |text: &str| format!(r#"[{{"role":"assistant","content":{text}}}]"#);
    let [better, worse] = [answer(chosen), answer(rejected)];
    for (format, line) in [
        (
            trl::FORMAT,
            format!(r#"{{"prompt":{chat},"chosen":{better},"rejected":{worse}}}"#),
        ),
        (
            openai::FORMAT,
            format!(
                r#"{{"input":{{"messages":{chat}}},"preferred_output":{better},"non_preferred_output":{worse}}}"#
            ),
        ),
        (
            nemo::FORMAT,
            format!(
                r#"{{"context":{chat},"completions":[{{"rank":0,"completion":{better}}},{{"rank":1,"completion":{worse}}}]}}"#
            ),
        ),
        (
            llama_factory::FORMAT,
            format!(
                r#"{{"conversations":[{{"from":"human","value":"go on"}},{{"from":"gpt","value":"to where?"}},{{"from":"human","value":"home"}}],"chosen":{{"from":"gpt","value":{chosen}}},"rejected":{{"from":"gpt","value":{rejected}}}}}"#
            ),
        ),
    ] {
        assert_eq!(plain(&dataset, format).0, format!("{line}\n"));
    }
    let (text, lines, _) = plain(&dataset, helpsteer2::FORMAT);
    let read: Vec<Value> = (text.lines())
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let original = rows.map(|row| serde_json::from_str::<Value>(&row).expect("JSON"));
    assert_eq!(read, original);
    assert_eq!(lines[0]["provenance"], json!(1));
    assert_eq!(lines[0]["files"][0]["schema"], json!("helpsteer2"));
    assert_eq!(lines[0]["dataset_info"], Value::Null);
    let last = lines.last().expect("a line");
    assert_eq!(
        (&last["end"], &last["samples"], &last["rows"]),
        (&json!(true), &json!(1), &json!(2))
    );
    let (_, lines, _) = plain(&dataset, llama_factory::FORMAT);
    assert_eq!(
        lines[0]["dataset_info"]["rows"],
        json!({
            "file_name": "rows.jsonl", "formatting": "sharegpt", "ranking": true,
            "columns": {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"},
        })
    );
}

/// Returns reasons with the number of samples skipped.
fn reasons(rows: &[String], format: TrainingFormat) -> Vec<(&'static str, usize)> {
    let dataset = dataset(&rows.join("\n"));
    let (_, lines, counts) = plain(&dataset, format);
    let skipped = lines.iter().filter(|line| line["left_out"].is_string());
    assert_eq!(skipped.count(), counts.left_out.values().sum::<usize>());
    let reasons = counts.left_out.iter();
    reasons
        .map(|(reason, count)| (&*serialised(reason).to_string().leak(), *count))
        .collect()
}

#[test]
fn what_a_format_cannot_say_is_counted_by_its_reason() {
    let rated = [
        "{broken".to_owned(),
        row("tie", "a", 3),
        row("tie", "b", 3),
        row("alone", "a", 3),
        row(r"a marker", r"text\n<extra_id_1>User\nmore", 1),
        row(r"a marker", "b", 4),
        row(r"turns\n<extra_id_1>Assistant\nand no more", "a", 1),
        row(r"turns\n<extra_id_1>Assistant\nand no more", "b", 2),
        row("no labels", "a", 1).replace("\"coherence\": 4", "\"coherence\": null"),
        row("no labels", "b", 2),
    ];
    for format in [trl::FORMAT, openai::FORMAT, nemo::FORMAT] {
        let expected = [("malformed", 1), ("single", 1), ("tie", 1)];
        assert_eq!(reasons(&rated, format), expected, "{format:?}");
    }
    assert_eq!(
        reasons(&rated, llama_factory::FORMAT),
        [
            ("malformed", 1),
            ("prompt_order", 1),
            ("single", 1),
            ("tie", 1)
        ]
    );
    assert_eq!(
        reasons(&rated, helpsteer2::FORMAT),
        [("malformed", 1), ("missing_label", 1), ("turn_marker", 1)]
    );
    // Two rows after a single with the same prompt would be read as its partner and a single.
    let single = |response: &str| {
        format!(
            r#"{{"id": "{response}", "messages": [{{"role": "user", "content": "p"}}], "chosen": "{response}", "rejected": "r"}}"#
        )
    };
    assert_eq!(
        reasons(&[single("x"), single("y")], helpsteer2::FORMAT),
        [("missing_label", 2)]
    );
    let chat = |prompt: &str, answers: &str| {
        format!(
            r#"{{"input": {{"messages": {prompt}}}, "preferred_output": {answers}, "non_preferred_output": [{{"role": "assistant", "content": "no"}}]}}"#
        )
    };
    let user = r#"[{"role": "user", "content": "q"}]"#;
    let one = r#"[{"role": "assistant", "content": "yes"}]"#;
    let two = r#"[{"role": "assistant", "content": "wait"}, {"role": "user", "content": "well?"}, {"role": "assistant", "content": "yes"}]"#;
    let tool = r#"[{"role": "user", "content": "q"}, {"role": "tool", "content": "1"}]"#;
    let thinking = r#"[{"role": "assistant", "content": "<think>hm</think>yes"}]"#;
    let rows = [
        chat(user, one),
        chat(user, two),
        chat(tool, one),
        chat("[]", one),
        chat(user, thinking),
    ];
    let none = ("no_prompt", 1);
    for (format, expected) in [
        (trl::FORMAT, vec![none]),
        (nemo::FORMAT, vec![none]),
        (
            openai::FORMAT,
            vec![none, ("several_turns", 1), ("tool_calls", 1)],
        ),
        (
            llama_factory::FORMAT,
            vec![none, ("prompt_order", 1), ("several_turns", 1)],
        ),
        (
            helpsteer2::FORMAT,
            vec![
                none,
                ("prompt_role", 1),
                ("several_turns", 1),
                ("missing_label", 2),
            ],
        ),
    ] {
        assert_eq!(reasons(&rows, format), expected, "{format:?}");
    }
    let ratings = include_str!("../../../../tests/samples/helpsteer2-disagreements.jsonl");
    let counts = plain(&dataset(ratings), helpsteer2::FORMAT).2;
    assert!(
        counts.left_out.contains_key(&SkipReason::LabelValue),
        "means of annotators"
    );
    let many = include_str!("../../../../tests/samples/ultrafeedback.jsonl");
    let counts = plain(&dataset(many), helpsteer2::FORMAT).2;
    assert!(counts.left_out.contains_key(&SkipReason::ManyResponses));
    let (_, _, counts) = plain(&dataset(many), trl::FORMAT);
    assert!(
        counts.rows > counts.samples,
        "the best against each other one"
    );
}

#[test]
fn tool_turns_and_responses_of_several_turns_are_written() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let prompt = json!([
        {"role": "user", "content": "How warm is it here and there?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            call("x", "thermo", "{\"at\": \"here\"}"), call("y", "gauge", "there")]},
        {"role": "tool", "tool_call_id": "x", "content": "9"},
        {"role": "tool", "tool_call_id": "y", "content": "12"}]);
    let chosen = json!([
        {"role": "assistant", "content": null, "tool_calls": [call("z", "mean", "{}")]},
        {"role": "tool", "content": "10.5"},
        {"role": "assistant", "content": "10.5 degrees on average."}]);
    let rejected = json!([{"role": "assistant", "content": "Warm."}]);
    let row = json!({"input": {"messages": prompt}, "preferred_output": chosen, "non_preferred_output": rejected});
    let data = dataset(&row.to_string());
    let written = |format| {
        let (text, _, counts) = plain(&data, format);
        (serde_json::from_str::<Value>(&text).ok(), counts.left_out)
    };
    // Ids are numbered, and a result without an id belongs to the first open call.
    let call = |number: usize, name: &str, arguments: Value| {
        json!({"id": format!("call_{number}"), "type": "function",
            "function": {"name": name, "arguments": arguments}})
    };
    let result = |number: usize, name: Option<&str>, text: &str| {
        let mut message = json!({"role": "tool", "tool_call_id": format!("call_{number}")});
        if let Some(name) = name {
            message["name"] = json!(name);
        }
        message["content"] = json!(text);
        message
    };
    let answer = |calls: [Value; 1], result: Value| {
        json!([{"role": "assistant", "content": null, "tool_calls": calls}, result,
            {"role": "assistant", "content": "10.5 degrees on average."}])
    };
    let asked = |calls: [Value; 2], results: [Value; 2]| {
        json!([{"role": "user", "content": "How warm is it here and there?"},
            {"role": "assistant", "content": "I look.", "tool_calls": calls}, results[0], results[1]])
    };
    let objects = asked(
        [
            call(1, "thermo", json!({"at": "here"})),
            call(2, "gauge", json!("there")),
        ],
        [
            result(1, Some("thermo"), "9"),
            result(2, Some("gauge"), "12"),
        ],
    );
    let better = answer(
        [call(3, "mean", json!({}))],
        result(3, Some("mean"), "10.5"),
    );
    assert_eq!(
        written(trl::FORMAT).0,
        Some(json!({"prompt": objects, "chosen": better, "rejected": rejected}))
    );
    assert_eq!(
        written(nemo::FORMAT).0,
        Some(json!({"context": objects, "completions": [
            {"rank": 0, "completion": better}, {"rank": 1, "completion": rejected}]}))
    );
    let texts = asked(
        [
            call(1, "thermo", json!("{\"at\": \"here\"}")),
            call(2, "gauge", json!("there")),
        ],
        [result(1, None, "9"), result(2, None, "12")],
    );
    assert_eq!(
        written(openai::FORMAT).0,
        Some(json!({"input": {"messages": texts},
            "preferred_output": answer([call(3, "mean", json!("{}"))], result(3, None, "10.5")),
            "non_preferred_output": rejected}))
    );
    // Two results in a row do not alternate.
    let alone = BTreeMap::from([(SkipReason::PromptOrder, 1)]);
    assert_eq!(written(llama_factory::FORMAT), (None, alone));
}

#[test]
fn a_tool_call_of_share_gpt_is_json() {
    let messages = |call: Value| json!([{"from": "human", "value": "q"}, call, {"from": "observation", "value": "1"}]);
    let share_gpt = |call: Value| {
        json!({"conversations": messages(call), "chosen": {"from": "gpt", "value": "a"},
            "rejected": {"from": "gpt", "value": "b"}})
        .to_string()
    };
    for (value, written) in [
        (
            r#"{"name": "f", "arguments": {"x": 1.50}}"#,
            r#"{"name":"f","arguments":{"x": 1.50}}"#,
        ),
        ("f(7)", r#"{"name":"f","arguments":"7"}"#),
        ("f({\n\"x\": 1})", r#"{"name":"f","arguments":{ "x": 1}}"#),
        (
            r#"[{"name":"f","arguments":{}},{"name":"g","arguments":"y"}]"#,
            r#"[{"name":"f","arguments":{}},{"name":"g","arguments":"y"}]"#,
        ),
    ] {
        let row = share_gpt(json!({"from": "function_call", "value": value}));
        let (text, ..) = plain(&dataset(&row), llama_factory::FORMAT);
        let expected = share_gpt(json!({"from": "function_call", "value": written}));
        assert_eq!(text, expected + "\n");
    }
    let odd = share_gpt(json!({"from": "function_call", "value": "call f"}));
    for format in TrainingFormat::ALL
        .into_iter()
        .filter(|it| it.is_pairwise())
    {
        assert_eq!(
            reasons(std::slice::from_ref(&odd), format),
            [("tool_calls", 1)]
        );
    }
}

#[test]
fn a_single_before_its_like_does_not_become_its_partner() {
    let mut layout = RatedLayout::of(helpsteer2::FORMAT);
    let dataset = dataset(&[row("p", "a", 1), row("p", "b", 2)].join("\n"));
    let mut buffers = Buffers::default();
    let body = dataset.read(0, &mut buffers).expect("a sample").body;
    let SampleBody::Sample(sample) = body else {
        panic!("a sample")
    };
    let schema = &dataset.files()[0].schema;
    let none = &[];
    let labels = CorrectedSample::of(&sample, schema, None, None, none).labels;
    let mut rows = |responses: &[&str]| {
        let rows = layout.rows(&sample.prompt, responses, &labels);
        rows.map(|rows| rows.len())
    };
    assert_eq!(rows(&["x", "y"]), Ok(2));
    assert_eq!(rows(&["x"]), Ok(1));
    assert_eq!(rows(&["x", "y"]), Err(SkipReason::SamePrompt));
    assert_eq!(rows(&["x"]), Err(SkipReason::SamePrompt));
}

#[test]
fn a_broken_output_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let dataset = dataset(FILES[0]);
    let all = [0, 1, 2];
    let ledger = Ledger::default();
    let request = |format| TrainingRequest {
        dataset: &dataset,
        samples: &all,
        ledger: &ledger,
        format,
        corrections: &[],
        pairs_per_sample: None,
        seed: 0,
    };
    let source = ProvenanceSource::default();
    for format in TrainingFormat::ALL {
        let full = write_training(request(format), &source, &mut Full, None, &|_| true);
        assert!(matches!(full, Err(ExportError::Output(_))), "{full:?}");
        let provenance = write_training(
            request(format),
            &source,
            &mut Vec::new(),
            Some(&mut Full),
            &|_| true,
        );
        assert!(
            matches!(provenance, Err(ExportError::Output(_))),
            "{provenance:?}"
        );
        let stopped = write_training(request(format), &source, &mut Vec::new(), None, &|at| {
            at < 1
        });
        assert!(matches!(stopped, Err(ExportError::Stopped)), "{stopped:?}");
    }
}

const A: ResponseId = ResponseId::A;
const B: ResponseId = ResponseId::B;

/// Pairs named p0, p1 and so on, with the helpfulness of A and B.
fn pairs(labels: &[[u8; 2]]) -> Dataset {
    let rows = labels.iter().enumerate().flat_map(|(at, [a, b])| {
        [
            row(&format!("p{at}"), "a", *a),
            row(&format!("p{at}"), "b", *b),
        ]
    });
    dataset(&rows.collect::<Vec<_>>().join("\n"))
}

fn first() -> Setting {
    Setting::default()
}

impl Acts {
    fn verdict(&mut self, who: &str, at: (&Dataset, usize), verdict: Verdict, setting: &Setting) {
        let rated = Judgment::Verdict {
            value: Some(verdict),
            strength: None,
        };
        let setting = setting.clone();
        self.act(who, Some(at), Act::Rate { rated, setting });
    }

    fn check(&mut self, who: &str, at: (&Dataset, usize), verdict: SpotCheckVerdict) {
        let act = Act::Check {
            verdict: Some(verdict),
            drawn: CheckDraw::Chosen,
        };
        self.act(who, Some(at), act);
    }
}

#[test]
fn chosen_and_rejected_change_places_where_reviewers_agree_on_it() {
    let dataset = pairs(&[[3, 1]; 9]);
    let mut acts = Acts::default();
    let at = |sample| (&dataset, sample);
    let flip = |acts: &mut Acts, who: &str, sample, verdict| {
        acts.verdict(who, at(sample), verdict, &first());
    };
    let [a, b] = [A, B].map(Verdict::wins);
    flip(&mut acts, "ann", 0, b); // flipped
    acts.label("ann", at(1), A, 1.0, &first()); // flipped: it follows from the labels
    acts.label("ann", at(1), B, 2.0, &first());
    flip(&mut acts, "ann", 2, a); // as it is
    flip(&mut acts, "ann", 3, b); // disputed
    flip(&mut acts, "ben", 3, a);
    flip(&mut acts, "ann", 4, Verdict::Tie); // called a tie
    flip(&mut acts, "ann", 5, b); // flipped: both say so
    flip(&mut acts, "ben", 5, b);
    flip(&mut acts, "ann", 6, b); // withdrawn
    let setting = first();
    acts.act("ann", Some(at(6)), Act::Skip { setting });
    let again = Setting { pass: 2, ..first() };
    acts.verdict("ann", at(7), b, &again); // a second pass does not count
    acts.label("ann", at(8), B, 4.0, &first()); // half of a judgment
    let apply = &[Correction::Flip];
    for format in TrainingFormat::ALL
        .into_iter()
        .filter(|it| it.is_pairwise())
    {
        let (text, lines, counts) = written(&dataset, format, &acts.ledger, apply);
        let read = read_back(&text, format).into_iter();
        let chosen: Vec<_> = read.map(|sample| sample.responses[0].concat()).collect();
        assert_eq!(chosen.concat(), "bbaaabaaa", "{format:?}");
        let flipped: Vec<_> = (lines.iter())
            .filter(|line| line["flipped"] == json!(true))
            .map(|line| (line["row"].as_u64(), line["by"].clone()))
            .collect();
        let expected = [
            (Some(1), json!(["ann"])),
            (Some(2), json!(["ann"])),
            (Some(6), json!(["ann", "ben"])),
        ];
        assert_eq!(flipped, expected);
        assert_eq!(
            (counts.flipped, counts.disputed.flip, counts.called_ties),
            (3, 1, 1)
        );
        // Without corrections nothing changes.
        let (kept, _, counts) = written(&dataset, format, &acts.ledger, &[]);
        assert_eq!((kept, counts.flipped), (plain(&dataset, format).0, 0));
    }
}

#[test]
fn adjudication_decides() {
    let dataset = pairs(&[[3, 1]; 5]);
    let mut acts = Acts::default();
    let plan = AuditPlan {
        n: 4,
        seed: 0,
        by: None,
        repeat: 0.0,
        blind: true,
        reveal: Reveal::After,
        filter: String::new(),
        between: Some(["ann".into(), "ben".into()]),
        of: 5,
        data: None,
        strata: Vec::new(),
        queue: Vec::new(),
    };
    let audit = Some(acts.act("cyd", None, Act::Audit(plan.clone().into())));
    let deciding = Setting {
        audit,
        blind: true,
        ..first()
    };
    let at = |sample| (&dataset, sample);
    let [a, b] = [A, B].map(Verdict::wins);
    for sample in 0..5 {
        acts.verdict("ann", at(sample), b, &first());
        acts.verdict("ben", at(sample), a, &first());
        acts.label("ann", at(sample), A, 0.0, &first());
        acts.label("ben", at(sample), A, 2.0, &first());
    }
    acts.verdict("cyd", at(0), b, &deciding); // flipped
    acts.label("cyd", at(0), A, 0.0, &deciding); // relabelled
    acts.verdict("cyd", at(1), a, &deciding); // as it is
    acts.label("cyd", at(1), A, 3.0, &deciding);
    acts.verdict("cyd", at(2), Verdict::Tie, &deciding); // called a tie
    acts.verdict("cyd", at(3), b, &first()); // in no adjudication: disputed
    let skip = Act::Skip {
        setting: deciding.clone(),
    };
    acts.act("cyd", Some(at(4)), skip); // not decided: disputed
    let again = Some(acts.act("cyd", None, Act::Audit(plan.into())));
    let later = Setting {
        audit: again,
        ..deciding.clone()
    };
    // A decision stays if a later adjudication skips the sample.
    acts.act("cyd", Some(at(0)), Act::Skip { setting: later });
    let apply = &[Correction::Flip];
    let (text, lines, counts) = written(&dataset, trl::FORMAT, &acts.ledger, apply);
    let read = read_back(&text, trl::FORMAT).into_iter();
    let chosen: Vec<_> = read.map(|sample| sample.responses[0].concat()).collect();
    assert_eq!(chosen.concat(), "baaaa");
    assert_eq!(lines[1]["by"], json!(["cyd"]));
    assert_eq!(
        (counts.flipped, counts.disputed.flip, counts.called_ties),
        (1, 2, 1)
    );
    let apply = &[Correction::Relabel];
    let (_, _, counts) = written(&dataset, helpsteer2::FORMAT, &acts.ledger, apply);
    assert_eq!((counts.relabelled, counts.disputed.relabel), (1, 3));
}

#[test]
fn rows_without_information_are_counted() {
    let rows = [("x", "x"), ("", "x"), ("x", " "), ("x", "y")];
    let rows = rows.map(|(chosen, rejected)| {
        json!({"prompt": "p", "chosen": chosen, "rejected": rejected}).to_string() + "\n"
    });
    let (_, _, counts) = plain(&dataset(&rows.concat()), trl::FORMAT);
    assert_eq!(
        (counts.rows, counts.same_responses, counts.empty_responses),
        (4, 1, 2)
    );
}

#[test]
fn what_was_checked_as_wrong_is_left_out() {
    let dataset = pairs(&[[3, 1]; 6]);
    let mut acts = Acts::default();
    let at = |sample| (&dataset, sample);
    acts.check("ann", at(0), SpotCheckVerdict::Wrong); // out
    acts.check("ann", at(1), SpotCheckVerdict::Wrong); // disputed
    acts.check("ben", at(1), SpotCheckVerdict::Right);
    acts.check("ann", at(2), SpotCheckVerdict::Wrong); // right in the end
    acts.check("ann", at(2), SpotCheckVerdict::Right);
    acts.check("ann", at(3), SpotCheckVerdict::Unclear);
    acts.check("ben", at(3), SpotCheckVerdict::Wrong); // dropped: never checked as right
    let tag = |tag: &str| Act::Tag {
        tag: tag.into(),
        on: true,
    };
    acts.act("ann", Some(at(4)), tag("drop")); // out
    acts.act("ann", Some(at(5)), tag("dropped")); // another tag
    let apply = &[Correction::Drop];
    for format in TrainingFormat::ALL {
        let (text, lines, counts) = written(&dataset, format, &acts.ledger, apply);
        let read = read_back(&text, format).into_iter();
        let left: Vec<_> = read.map(|sample| sample.prompt[0].1.clone()).collect();
        assert_eq!(left, ["p1", "p2", "p5"], "{format:?}");
        assert_eq!((counts.dropped, counts.disputed.drop), (3, 1));
        let dropped = lines.iter().filter(|line| line["dropped"] == json!(true));
        let dropped: Vec<_> = dropped.map(|line| line["sample"].as_u64()).collect();
        assert_eq!(dropped, [Some(1), Some(4), Some(5)]);
    }
}

#[test]
fn labels_get_the_values_that_reviewers_gave() {
    let dataset = pairs(&[[3, 1]; 5]);
    let mut acts = Acts::default();
    let at = |sample| (&dataset, sample);
    acts.label("ann", at(0), B, 4.0, &first()); // one label of one response
    acts.label("ann", at(1), A, 3.0, &first()); // what the dataset says
    acts.label("ann", at(2), A, 0.0, &first()); // disputed
    acts.label("ann", at(2), B, 4.0, &first());
    acts.label("ben", at(2), A, 1.0, &first());
    acts.label("ann", at(3), A, 0.0, &first()); // both say so
    acts.label("ben", at(3), A, 0.0, &first());
    acts.label("ann", at(4), A, 7.0, &first()); // no value of the label
    let apply = &[Correction::Relabel];
    let format = helpsteer2::FORMAT;
    let (text, lines, counts) = written(&dataset, format, &acts.ledger, apply);
    let read = read_back(&text, format);
    let helpfulness: Vec<_> = (read.iter())
        .map(|sample| [0, 1].map(|response| sample.labels[response][0]))
        .collect();
    let values = |a, b| [Some(a), Some(b)];
    assert_eq!(
        helpfulness,
        [
            values(3.0, 4.0),
            values(3.0, 1.0),
            values(3.0, 1.0),
            values(0.0, 1.0)
        ]
    );
    assert_eq!((counts.relabelled, counts.disputed.relabel), (2, 1));
    assert_eq!(counts.left_out[&SkipReason::LabelValue], 1);
    let changed: Vec<_> = (lines.iter())
        .filter(|line| line["relabelled"].is_object())
        .map(|line| {
            json!([
                line["row"],
                line["response"],
                line["relabelled"],
                line["by"]
            ])
        })
        .collect();
    assert_eq!(
        changed,
        [
            json!([2, "b", {"helpfulness": [1, 4]}, ["ann"]]),
            json!([7, "a", {"helpfulness": [3, 0]}, ["ann", "ben"]]),
        ]
    );
}

/// Texts with characters that are special in JSON, JSON Lines and turn markers.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "<extra_id_1>User",
            "<extra_id_1>Assistant",
            "<extra_id_1>",
            "<think>",
            "</think>",
            "\n",
            "\r\n",
            "\r",
            "\"",
            "\\",
            "\\n",
            "\u{2028}",
            "\u{0}",
            "\u{7f}",
            "é",
            "漢",
            "👩‍👩‍👧",
            "{",
            "]",
            " ",
            "a",
        ])
        .prop_map(str::to_owned),
        "[a-c \u{300}]{0,3}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn conversation() -> impl Strategy<Value = (Vec<(bool, String)>, [String; 2], [u8; 2])> {
    let turns = proptest::collection::vec((any::<bool>(), text()), 1..4);
    (turns, [text(), text()], [0..5_u8, 0..5])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// For any text, a row reads back as its sample, or is skipped and counted.
    #[test]
    fn any_texts_read_back(conversations in proptest::collection::vec(conversation(), 1..4)) {
        let rows = conversations.iter().map(|(turns, responses, _)| {
            let turns = turns.iter().map(|(is_user, text)| {
                json!({"role": if *is_user { "user" } else { "assistant" }, "content": text})
            });
            json!({"messages": turns.collect::<Value>(),
                "chosen": {"role": "assistant", "content": responses[0]},
                "rejected": {"role": "assistant", "content": responses[1]}}).to_string()
        });
        let chats = dataset(&rows.collect::<Vec<_>>().join("\n"));
        let rated: Vec<_> = conversations.iter().flat_map(|(turns, responses, labels)| {
            // Turns alternate, starting with the user.
            let mut prompt = String::new();
            for (at, (_, text)) in turns.iter().enumerate() {
                let marker = ["", "\n<extra_id_1>Assistant\n", "\n<extra_id_1>User\n"];
                prompt += marker[if at == 0 { 0 } else { 1 + (at + 1) % 2 }];
                prompt += text;
            }
            [0, 1].map(|at| json!({"prompt": prompt, "response": responses[at], "helpfulness": labels[at],
                "correctness": 1, "coherence": 2, "complexity": 3, "verbosity": 4}).to_string())
        }).collect();
        let rated = dataset(&rated.join("\n"));
        for format in TrainingFormat::ALL {
            for dataset in [&chats, &rated] {
                let (text, lines, counts) = plain(dataset, format);
                let left_out: usize = counts.left_out.values().sum();
                prop_assert_eq!(counts.samples + left_out, dataset.samples());
                if counts.rows > 0 {
                    let expected = expected(dataset, format, &lines);
                    let expected: Vec<_> = expected.into_iter().map(|sample| in_messages(sample, format)).collect();
                    prop_assert_eq!(read_back(&text, format), expected);
                }
            }
        }
    }
}

/// As messages are read: tagged reasoning in a response is a separate turn.
fn in_messages(sample: SampleContent, format: TrainingFormat) -> SampleContent {
    let cut = |(role, text): (Role, String)| {
        let is_split = role == Role::Assistant && format.is_pairwise();
        match split_reasoning(&text).filter(|_| is_split) {
            Some((reasoning, _, answer)) => {
                let turns = [(Role::Reasoning, reasoning), (role, answer)];
                turns.map(|(role, text)| (role, text.to_owned())).to_vec()
            }
            None => vec![(role, text)],
        }
    };
    SampleContent {
        prompt: sample.prompt.into_iter().flat_map(cut).collect(),
        ..sample
    }
}

#[test]
fn keys_in_provenance_match_the_rows_read() {
    // The key is independent of the format: equal samples have equal keys.
    let original = dataset(FILES[0]);
    let (text, lines, _) = plain(&original, helpsteer2::FORMAT);
    let read = dataset(&text);
    let keys = read.keys(0..read.samples(), &|| true);
    let mut own = lines.iter().filter(|line| line["row"].is_u64());
    let own = own.by_ref().filter(|line| line["response"] == json!("a"));
    let own: Vec<Option<SampleKey>> = own.map(|line| line["key"].as_str()?.parse().ok()).collect();
    assert_eq!(keys, own);
}
