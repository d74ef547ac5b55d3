//! Files joined to a dataset.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::dataset::{JoinInput, JoinOn};
use crate::table::{Column, ColumnId, ColumnSource};

const PAIRS: &str = r#"{"prompt": "bird?", "response": "wren", "helpfulness": 4, "id": "x1"}
{"prompt": "bird?", "response": "trout", "helpfulness": 0, "id": "x1"}
{"prompt": "fish?", "response": "trout", "helpfulness": 3, "id": "x2"}
{"prompt": "fish?", "response": "wren", "helpfulness": 1, "id": "x2"}
{broken
{"prompt": "tree?", "response": "oak", "helpfulness": 2, "id": "x3"}"#;

/// Returns the dataset of a file with others joined to it, and the errors.
fn joined(file: &str, others: &[&str], join_on: JoinOn) -> (Dataset, Vec<String>) {
    let loader = Loader {
        inputs: vec![embedded(file.as_bytes())],
        choice: SchemaChoice::default(),
        joins: others
            .iter()
            .map(|other| JoinInput {
                name: Some("other".to_owned()),
                input: embedded(other.as_bytes()),
                choice: SchemaChoice::default(),
            })
            .collect(),
        join_on,
        group_by: None,
        is_against: false,
        is_last_apart: false,
        follow: false,
    };
    let (mut dataset, mut troubles) = (Dataset::default(), Vec::new());
    loader
        .run(&mut |report| {
            dataset.add(&report);
            if let LoadEvent::Error(error) = report {
                troubles.push(error.to_string());
            }
            ControlFlow::Continue(())
        })
        .expect("loaded");
    (dataset, troubles)
}

/// Returns the values of all joined columns, by sample: `rm.other 1 –; rm.other.margin 2`.
fn joined_values(dataset: &Dataset) -> Vec<String> {
    let value = |value: Option<f64>| value.map_or("–".to_owned(), |value| value.to_string());
    let chunks = dataset.chunks().iter().enumerate();
    let samples =
        chunks.flat_map(|(place, chunk)| (0..chunk.samples()).map(move |within| (place, within)));
    let joined_values = samples.map(|(chunk, within)| {
        let count = usize::from(dataset.chunks()[chunk].columns().responses[within]);
        let columns = dataset.joined().iter().flat_map(|file| &file.columns);
        let columns = columns.map(|Column { id, .. }| {
            let lists = dataset.chunks()[chunk]
                .columns()
                .numbers(*id)
                .expect("a column");
            let count = if id.is_of_responses() { count } else { 1 };
            let values = lists.iter().take(count).map(|list| value(list.get(within)));
            format!("{} {}", id.name, values.collect::<Vec<_>>().join(" "))
        });
        columns.collect::<Vec<_>>().join("; ")
    });
    joined_values.collect()
}

#[test]
fn files_are_joined_by_texts_fields_and_rows() {
    let field = |name: &str| JoinOn::Field(name.into());
    for (other, on, expected, matched, unmatched) in [
        // Rows in another order, trimmed, and one without a counterpart.
        (
            "{\"prompt\": \"fish?\", \"response\": \"wren \", \"reward\": 0.25}\n\
             {\"prompt\": \"fish?\", \"response\": \"trout\", \"reward\": 0.5}\n\
             {\"prompt\": \"stone?\", \"response\": \"flint\", \"reward\": 9}\n\
             {\"prompt\": \"bird?\", \"response\": \"trout\", \"reward\": 1.5}",
            JoinOn::Content,
            &[
                "rm.other – 1.5; rm.other.margin –",
                "rm.other 0.5 0.25; rm.other.margin 0.25",
                "rm.other ; rm.other.margin –",
                "rm.other –; rm.other.margin –",
            ][..],
            2,
            1,
        ),
        // Two on a row, in the other order.
        (
            r#"{"prompt": "bird?", "response_a": "trout", "response_b": "wren", "score_a": 1, "score_b": 3}"#,
            JoinOn::Content,
            &[
                "rm.other 3 1; rm.other.margin 2",
                "rm.other – –; rm.other.margin –",
                "rm.other ; rm.other.margin –",
                "rm.other –; rm.other.margin –",
            ],
            1,
            0,
        ),
        // A winner and no numbers.
        (
            "{\"prompt\": \"bird?\", \"chosen\": \"trout\", \"rejected\": \"wren\"}\n\
             {\"prompt\": \"fish?\", \"chosen\": \"trout\", \"rejected\": \"wren\"}",
            JoinOn::Content,
            &[
                "other.margin -1",
                "other.margin 1",
                "other.margin –",
                "other.margin –",
            ],
            2,
            0,
        ),
        // Numbers by a key: two on a row, or one row each.
        (
            "{\"id\": \"x2\", \"score_a\": 1, \"score_b\": 2}\n{\"id\": \"x7\", \"score_a\": 1, \"score_b\": 2}\n\
             {\"id\": null, \"score_a\": 1, \"score_b\": 2}",
            field("/id"),
            &[
                "rm.other – –; rm.other.margin –",
                "rm.other 1 2; rm.other.margin -1",
                "rm.other ; rm.other.margin –",
                "rm.other –; rm.other.margin –",
            ],
            1,
            2,
        ),
        (
            "{\"id\": \"x2\", \"r\": 1}\n{\"id\": \"x1\", \"r\": 5}\n{\"id\": \"x2\", \"r\": 3}\n{\"id\": \"x3\", \"r\": 7}",
            field("id"),
            &[
                // A single number cannot be assigned.
                "rm.other – –; rm.other.margin –",
                "rm.other 1 3; rm.other.margin -2",
                "rm.other ; rm.other.margin –",
                "rm.other 7; rm.other.margin –",
            ],
            2,
            1,
        ),
        // By row: the malformed one has a number too.
        (
            "{\"r\": 1}\n{\"r\": 2}\n{\"r\": 3}\n{\"r\": 4}\n{\"r\": 5}\n{\"r\": 6}\n{\"r\": 7}",
            JoinOn::Row,
            &[
                "rm.other 1 2; rm.other.margin -1",
                "rm.other 3 4; rm.other.margin -1",
                "rm.other ; rm.other.margin –",
                "rm.other 6; rm.other.margin –",
            ],
            3,
            2,
        ),
    ] {
        let (dataset, troubles) = joined(PAIRS, &[other], on);
        assert!(troubles.is_empty(), "{other}: {troubles:?}");
        assert_eq!(joined_values(&dataset), expected, "{other}");
        let file = &dataset.joined()[0];
        assert_eq!(
            (file.matched, file.samples, file.unmatched),
            (matched, 3, unmatched),
            "{other}"
        );
    }
}

#[test]
fn a_winner_of_more_than_two_wins_by_no_less_than_nothing() {
    let schema = |always: &str| {
        let text = format!(
            "name = \"ranked\"\ntitle = \"x\"\nabout = \"x\"\nrows = \"inline\"\nprompt.path = \"/p\"\nverdict = {{ always = \"{always}\" }}\n\
             [[response]]\ntext = \"/x\"\n[[response]]\ntext = \"/y\"\n[[response]]\ntext = \"/z\"\n"
        );
        SchemaChoice::Ready(Arc::new(Schema::parse(&text).expect("a schema")))
    };
    let row = |x: &str, y: &str, z: &str| {
        embedded(format!(r#"{{"p": "p", "x": "{x}", "y": "{y}", "z": "{z}"}}"#).as_bytes())
    };
    for always in ["a", "b"] {
        let loader = Loader {
            inputs: vec![row("wren", "trout", "oak")],
            choice: schema("a"),
            joins: vec![JoinInput {
                name: Some("other".to_owned()),
                input: row("oak", "wren", "trout"),
                choice: schema(always),
            }],
            ..Loader::default()
        };
        let mut dataset = Dataset::default();
        loader
            .run(&mut |report| {
                dataset.add(&report);
                ControlFlow::Continue(())
            })
            .expect("loaded");
        assert_eq!(joined_values(&dataset), ["other.margin 1"], "{always}");
    }
}

#[test]
fn turns_that_a_dataset_marks_are_turns_of_what_is_joined() {
    let file = concat!(
        r#"{"prompt": "why?\n<extra_id_1>Assistant\nso\n<extra_id_1>User\nah?", "response": "one", "#,
        r#""helpfulness": 1, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}"#
    );
    let marked = r#"{"prompt": "why?\n<extra_id_1>Assistant\nso\n<extra_id_1>User\nah?", "response": "one", "reward": 2}"#;
    let messages = concat!(
        r#"{"prompt": [{"role": "user", "content": "why?"}, {"role": "assistant", "content": "so"}, "#,
        r#"{"role": "user", "content": "ah?"}], "response": "one", "reward": 2}"#
    );
    for other in [marked, messages] {
        let (dataset, troubles) = joined(file, &[other], JoinOn::Content);
        assert_eq!(
            (joined_values(&dataset), troubles),
            (vec!["rm.other 2; rm.other.margin –".to_owned()], vec![]),
            "{other}"
        );
    }
}

#[test]
fn a_score_decides_under_any_name() {
    let pairs = "{\"id\": 1, \"prompt\": \"bird?\", \"chosen\": \"wren\", \"rejected\": \"trout\"}\n\
                 {\"id\": 2, \"prompt\": \"fish?\", \"chosen\": \"trout\", \"rejected\": \"wren\"}";
    let on = || JoinOn::Field("id".into());
    let scores = [
        "rm.other 1 4; rm.other.margin -3",
        "rm.other 2 2; rm.other.margin 0",
    ];
    for other in [
        "id,reward_chosen,reward_rejected\n2,2,2\n1,1,4",
        "\"id\",\"score_a\",\"score_b\",\"why\"\n\"1\",\"1.0\",\"4.0\",\"a, or \"\"b\"\"\"\n\"2\",\"2.0\",\"2.0\",\"\"",
        "id\tleft\tright\n1\t1\t4\n2\t2\t2",
        "id;Score A;Score B;tokens\n1;1;4;70\n2;2;2;1",
        "id,chosen,rejected\n1,1,4\n2,2,2",
        r#"{"id": 1, "rmScoreA": 1, "rmScoreB": 4, "seed": 8}
           {"id": 2, "rmScoreA": 2, "rmScoreB": 2, "seed": 8}"#,
        r#"{"id": 1, "scores": {"chosen": 1, "rejected": 4}} {"id": 2, "scores": {"chosen": 2, "rejected": 2}}"#,
        r#"{"id": 1, "response_a_score": 1, "response_b_score": 4, "latency_ms": 70}
           {"id": 2, "response_a_score": 2, "response_b_score": 2, "latency_ms": 70}"#,
        r#"{"id": 1, "score1": 1, "score2": 4}
           {"id": 2, "score1": 2, "score2": 2}"#,
        r#"{"id": 1, "rewards": [1, 4]}
           {"id": 2, "rewards": [2, 2]}"#,
    ] {
        let other = other.replace("}} {", "}}\n{");
        let (dataset, troubles) = joined(pairs, &[&other], on());
        assert!(troubles.is_empty(), "{other}: {troubles:?}");
        assert_eq!(joined_values(&dataset), scores, "{other}");
    }
    // A measure of a response is not a rating.
    let counted = "id,score_a,score_b,tokens_a,tokens_b\n1,1,4,70,9\n2,2,2,1,1";
    let (dataset, _) = joined(pairs, &[counted], on());
    assert_eq!(
        joined_values(&dataset)[0],
        "other.score 1 4; other.tokens 70 9; other.margin -3"
    );
    // For ranks, lower is better.
    let (dataset, _) = joined(pairs, &["id,rank_a,rank_b\n1,2,1\n2,1,2"], on());
    assert_eq!(
        joined_values(&dataset),
        [
            "rm.other 2 1; rm.other.margin -1",
            "rm.other 1 2; rm.other.margin 1"
        ]
    );
    // A null score keeps its position.
    let (dataset, _) = joined(
        pairs,
        &["{\"id\": 1, \"rewards\": [null, 4]}\n{\"id\": 2, \"rewards\": [2, 1]}"],
        on(),
    );
    assert_eq!(
        joined_values(&dataset),
        [
            "rm.other – 4; rm.other.margin –",
            "rm.other 2 1; rm.other.margin 1"
        ]
    );
}

#[test]
fn a_winner_can_be_joined_without_texts() {
    let pairs: String = (0..4)
        .map(|id| format!("{{\"id\": {id}, \"prompt\": \"p{id}\", \"response_a\": \"x\", \"response_b\": \"y\", \"winner\": \"b\"}}\n"))
        .collect();
    for (field, values) in [
        ("winner", ["a", "b", "b", "tie"]),
        ("Winner", ["A", "B", "B", "Tie"]),
        (
            "human_preference",
            ["response_a", "Response B", "response-b", "both"],
        ),
        ("verdict", ["[[A]]", "[[B]]", "B is better.", "neither"]),
        ("preferred", ["left", "right", "right", "equal"]),
        ("choice", ["1", "2", "2", "tie"]),
        ("winner", ["0", "1", "1", "tie"]),
        ("label", ["1.0", "2.0", "2.0", "tie"]),
        ("judgement", ["[[A>>B]]", "[[B>A]]", "[[B>>A]]", "[[A=B]]"]),
        ("better", ["first", "second", "second", "equal"]),
        ("better", ["1", "2", "second", "equal"]),
        ("prediction", ["a", "b", "b", "tie"]),
        ("judgment", ["model_1", "model_2", "model_2", "draw"]),
        // The dataset prefers b.
        ("winner", ["rejected", "chosen", "chosen", "tie"]),
    ] {
        let rows: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(id, value)| format!("{id},{value},0.5"))
            .collect();
        let csv = format!("id,{field},confidence\n{}", rows.join("\n"));
        let (dataset, troubles) = joined(&pairs, &[&csv], JoinOn::Field("id".into()));
        assert!(troubles.is_empty(), "{csv}: {troubles:?}");
        assert_eq!(
            joined_values(&dataset),
            [
                "other.margin 1",
                "other.margin -1",
                "other.margin -1",
                "other.margin 0"
            ],
            "{csv}"
        );
        let json: String = values
            .iter()
            .map(|value| format!("{{\"{field}\": \"{value}\"}}\n"))
            .collect();
        let (in_order, _) = joined(&pairs, &[&json], JoinOn::Row);
        assert_eq!(joined_values(&in_order), joined_values(&dataset), "{json}");
    }
    // Winner and loser can be letters instead of texts.
    let letters = "{\"id\": 1, \"winner\": \"a\", \"loser\": \"b\"}\n{\"id\": 2, \"winner\": \"who knows\", \"loser\": \"b\"}\n\
                   {\"id\": 3, \"winner\": \"b\", \"loser\": \"a\"}";
    let (dataset, _) = joined(&pairs, &[letters], JoinOn::Field("id".into()));
    assert_eq!(
        joined_values(&dataset),
        [
            "other.margin –",
            "other.margin 1",
            "other.margin –",
            "other.margin -1"
        ]
    );
    let summary = dataset.joined()[0].summary();
    assert!(
        summary.ends_with("2 of 4 samples; 1 row with an unreadable value"),
        "{summary}"
    );
}

#[test]
fn winners_in_numbers_and_beside_scores() {
    let pair = |id: u8, winner: &str| {
        format!(
            "{{\"id\": {id}, \"prompt\": \"p{id}\", \"response_a\": \"x\", \"response_b\": \"y\", \"winner\": \"{winner}\"}}\n"
        )
    };
    let pairs = pair(0, "b") + &pair(1, "tie");
    let group: String = (["oak", "elm", "fir"].iter())
        .map(|tree| format!("{{\"id\": 0, \"prompt\": \"tree?\", \"response\": \"{tree}\"}}\n"))
        .collect();
    for (file, rows, on, expected, end) in [
        // Each row identifies its texts, in whichever order the dataset has them.
        (
            &pairs,
            [
                r#"{"id": 0, "prompt": "p0", "response_a": "y", "response_b": "x", "winner": 1}"#,
                r#"{"id": 1, "prompt": "p1", "response_a": "x", "response_b": "y", "winner": 2}"#,
            ],
            "id",
            &["other.margin -1", "other.margin -1"][..],
            "2 of 2 samples; winner is read as 1 = A, 2 = B",
        ),
        (
            &pairs,
            [
                r#"{"prompt": "p0", "response_a": "y", "response_b": "x", "label": 0}"#,
                r#"{"prompt": "p1", "response_a": "x", "response_b": "y", "label": 1}"#,
            ],
            "",
            &["other.margin -1", "other.margin -1"],
            "label is read as 0 = A, 1 = B",
        ),
        (
            &pairs,
            [
                r#"{"prompt": "p0", "response_a": "y", "response_b": "x", "rewards": [1, 3]}"#,
                r#"{"prompt": "p1", "response_a": "x", "response_b": "y", "rewards": [4, 2]}"#,
            ],
            "",
            &[
                "rm.other 3 1; rm.other.margin 2",
                "rm.other 4 2; rm.other.margin 2",
            ],
            "2 of 2 samples",
        ),
        // Scores decide; lengths do not.
        (
            &pairs,
            [
                r#"{"id": 0, "winner": 1, "len_a": 3, "len_b": 4}"#,
                r#"{"id": 1, "winner": 2, "len_a": 6, "len_b": 5}"#,
            ],
            "id",
            &[
                "rm.other 3 4; rm.other.margin 1",
                "rm.other 6 5; rm.other.margin -1",
            ],
            "winner is read as 1 = A, 2 = B",
        ),
        (
            &pairs,
            [
                r#"{"id": 0, "winner": 1, "score_a": 3, "score_b": 4}"#,
                r#"{"id": 1, "winner": 2, "score_a": 6, "score_b": 5}"#,
            ],
            "id",
            &[
                "rm.other 3 4; rm.other.margin -1",
                "rm.other 6 5; rm.other.margin 1",
            ],
            "2 of 2 samples",
        ),
        (
            &pairs,
            [
                r#"{"id": 0, "winner": "a", "score_a": 3, "score_b": 4}"#,
                r#"{"id": 1, "winner": "a", "score_a": 6, "score_b": 5}"#,
            ],
            "id",
            &[
                "rm.other 3 4; rm.other.margin –",
                "rm.other 6 5; rm.other.margin 1",
            ],
            "2 of 2 samples; 1 winner contradicts its scores",
        ),
        // Names of responses, and scores.
        (
            &pairs,
            [
                r#"{"id": 0, "chosen": 1, "rejected": 2}"#,
                r#"{"id": 1, "chosen": 2, "rejected": 1}"#,
            ],
            "id",
            &["other.margin 1", "other.margin -1"],
            "chosen is read as 1 = A, 2 = B",
        ),
        (
            &pairs,
            [
                r#"{"id": 0, "chosen": 3, "rejected": 2}"#,
                r#"{"id": 1, "chosen": 2, "rejected": 1}"#,
            ],
            "id",
            &[
                "rm.other 2 3; rm.other.margin -1",
                "rm.other – –; rm.other.margin –",
            ],
            "1 of 2 samples; chosen and rejected are unknown for 1 sample without a winner in the dataset",
        ),
        (
            &group,
            [
                r#"{"id": 0, "score_a": 1, "score_b": 5, "score_c": 2}"#,
                r#"{"id": 9, "score_a": 1, "score_b": 5, "score_c": 2}"#,
            ],
            "id",
            &["rm.other 1 5 2; rm.other.margin 3"],
            "1 of 1 samples; 1 unmatched in the file",
        ),
    ] {
        let on = match on {
            "" => JoinOn::Content,
            field => JoinOn::Field(field.into()),
        };
        let (dataset, troubles) = joined(file, &[&rows.join("\n")], on);
        assert!(troubles.is_empty(), "{rows:?}: {troubles:?}");
        assert_eq!(joined_values(&dataset), expected, "{rows:?}");
        let summary = dataset.joined()[0].summary();
        assert!(summary.ends_with(end), "{summary}");
    }
    let letter = "{\"id\": 0, \"winner\": \"c\"}\n{\"id\": 1, \"winner\": \"a\"}\n{\"id\": 2, \"winner\": \"b\"}";
    let (_, troubles) = joined(&group, &[letter], JoinOn::Field("id".into()));
    assert!(
        troubles.len() == 1 && troubles[0].contains("sample 1 has 3 responses and 2 values"),
        "{troubles:?}"
    );
    assert!(troubles[0].contains("score_c"), "{troubles:?}");
}

#[test]
fn equal_samples_are_matched_one_by_one() {
    let row = |response: &str, reward: f64| {
        format!(r#"{{"prompt": "p", "response": "{response}", "reward": {reward}}}"#)
    };
    let file = [row("x", 0.0), row("y", 0.0)].join("\n");
    let twice = format!("{file}\n{file}");
    let others = [row("x", 1.0), row("y", 2.0), row("x", 3.0), row("y", 4.0)].join("\n");
    // Rows of one prompt are one sample here: the first of equal ones goes to the first.
    let (dataset, _) = joined(&twice, &[&others], JoinOn::Content);
    assert_eq!(
        joined_values(&dataset),
        ["rm.other 1 2 3 4; rm.other.margin 1"]
    );
    // A single value applies to all equal responses.
    let (dataset, _) = joined(
        &twice,
        &[&[row("x", 1.0), row("y", 2.0)].join("\n")],
        JoinOn::Content,
    );
    assert_eq!(
        joined_values(&dataset),
        ["rm.other 1 2 1 2; rm.other.margin 1"]
    );
}

#[test]
fn samples_with_a_common_response_are_distinguished_by_the_other() {
    let row = |chosen: &str, rejected: &str, score: u32| {
        format!(
            r#"{{"prompt": "p", "chosen": "{chosen}", "rejected": "{rejected}", "score_chosen": {score}, "score_rejected": 0}}"#
        )
    };
    // One occurs twice, and the other file has its first response more often than are considered.
    let file = [row("x", "y1", 0), row("x", "y1", 0), row("x", "y40", 0)].join("\n");
    let others: Vec<_> = (1..60)
        .map(|number| row("x", &format!("y{number}"), number))
        .collect();
    let (dataset, _) = joined(&file, &[&others.join("\n")], JoinOn::Content);
    assert_eq!(
        joined_values(&dataset),
        [
            "rm.other 1 0; rm.other.margin 1",
            "rm.other 1 0; rm.other.margin 1",
            "rm.other 40 0; rm.other.margin 40"
        ]
    );
}

#[test]
fn malformed_rows_of_numbers_shift_no_others() {
    let pair = |id: u32| {
        format!(r#"{{"id": {id}, "prompt": "p{id}", "response_a": "x", "response_b": "y"}}"#)
    };
    let file = [pair(1), pair(2)].join("\n");
    for (first, expected, malformed) in [
        (
            "{\"id\": 1, \"r\": NaN}",
            "rm.other – 2; rm.other.margin –",
            0,
        ),
        (
            "{\"id\": 1, \"r\": 1}",
            "rm.other 1 2; rm.other.margin -1",
            0,
        ),
        ("{\"id\": 1, \"r\": ", "rm.other – –; rm.other.margin –", 1),
    ] {
        let scores = format!(
            "{{\"id\": 2, \"r\": 7}}\n{{\"id\": 2, \"r\": 8}}\n{first}\n{{\"id\": 1, \"r\": 2}}"
        );
        let (dataset, _) = joined(&file, &[&scores], JoinOn::Field("id".into()));
        assert_eq!(
            joined_values(&dataset),
            [expected, "rm.other 7 8; rm.other.margin -1"],
            "{first}"
        );
        assert_eq!(dataset.joined()[0].malformed, malformed, "{first}");
    }
}

#[test]
fn a_key_says_which_sample_and_the_texts_which_response() {
    let pair = |a: &str, b: &str, score: u32| {
        format!(
            r#"{{"id": 1, "prompt": "p", "response_a": "{a}", "response_b": "{b}", "score_a": {score}, "score_b": 0}}"#
        )
    };
    let (dataset, _) = joined(
        &pair("x", "y", 5),
        &[&pair("y", "x", 3)],
        JoinOn::Field("id".into()),
    );
    assert_eq!(
        joined_values(&dataset),
        ["rm.other 0 3; rm.other.margin -3"]
    );
}

#[test]
fn one_response_over_and_over_is_matched_in_time() {
    let row = |number: usize| {
        format!(
            "{{\"prompt\": \"p\", \"chosen\": \"x\", \"rejected\": \"y\", \"score_chosen\": {number}, \"score_rejected\": 0}}\n"
        )
    };
    let file: String = (0..20_000).map(row).collect();
    let (dataset, _) = joined(&file, &[&file], JoinOn::Content);
    let joined_values = joined_values(&dataset);
    for number in [0, 1, 31, 32, 33, 777, 19_999] {
        assert!(
            joined_values[number].starts_with(&format!("rm.other {number} 0;")),
            "{number}: {}",
            joined_values[number]
        );
    }
    assert_eq!(dataset.joined()[0].unmatched, 0);
}

#[test]
fn unjoinable_files_are_reported_and_ignored() {
    for (other, on, words) in [
        (
            "{\"id\": 1, \"score_a\": 1, \"score_b\": 2}",
            JoinOn::Content,
            "--on FIELD",
        ),
        (
            "{\"id\": 1, \"model\": \"x\"}",
            JoinOn::Row,
            "number for each response",
        ),
        (
            "{\"key\": \"x1\", \"score_a\": 1, \"score_b\": 2}",
            JoinOn::Field("id".into()),
            "no row of embedded has id; --on needs a field of both files",
        ),
        (
            "{\"prompt\": \"bird?\", \"response_a\": \"wren\", \"response_b\": \"trout\", \"score\": 2}",
            JoinOn::Content,
            "score has one number per pair, not one per response",
        ),
        (
            "{\"id\": \"x1\", \"score\": 2}\n{\"id\": \"x2\", \"score\": 2}",
            JoinOn::Field("id".into()),
            "score has one number per pair (here 2), not one per response",
        ),
        (
            "{\"id\": \"x1\", \"winner\": 1}\n{\"id\": \"x2\", \"winner\": -1}",
            JoinOn::Field("id".into()),
            "or the winner of a pair (a, b or tie; 1 and 2, or 0 and 1, if both occur)",
        ),
        (
            "{\"prompt\": \"bird?\", \"response_a\": \"wren\", \"response_b\": \"trout\", \"winner\": 1}",
            JoinOn::Content,
            "winner is not used as the verdict: 1 does not clearly name",
        ),
        (
            "{\"id\": \"x1\", \"score_a\": 2, \"score_b\": 1, \"score_c\": 1}",
            JoinOn::Field("id".into()),
            "1 key without exactly one value per response (sample 1 has 2 responses and 3 values)",
        ),
        (
            "{\"prompt\": \"bird?\", \"chosen\": \"wren\", \"rejected\": \"trout\", \"reward\": 2}",
            JoinOn::Content,
            "reward has one number per pair, not one per response",
        ),
        (
            "{\"prompt\": \"bird?\", \"response\": \"wren\"}",
            JoinOn::Content,
            "no scores (score_a and score_b) and no winner",
        ),
        ("plain text", JoinOn::Content, "not JSON Lines"),
    ] {
        let (dataset, troubles) = joined(PAIRS, &[other], on);
        assert_eq!(
            (dataset.samples(), dataset.joined().len()),
            (4, 0),
            "{other}"
        );
        assert!(
            troubles.len() == 1 && troubles[0].contains(words),
            "{troubles:?}"
        );
    }
    let names = joined(PAIRS, &[PAIRS, PAIRS], JoinOn::Content).0;
    let names: Vec<_> = names.joined().iter().map(|file| &*file.name).collect();
    assert_eq!(names, ["other", "other_2"]);
}

#[test]
fn samples_of_two_files() {
    let row = |prompt: &str, response: &str| {
        format!(
            r#"{{"id": "{prompt}{response}", "prompt": "{prompt}", "response": "{response}", "helpfulness": 1}}"#
        )
    };
    let inputs = |other: &str| {
        let first = [
            row("p", "x"),
            row("p", "y"),
            row("q", "x"),
            "{broken".to_owned(),
        ];
        vec![
            embedded(first.join("\n").as_bytes()),
            embedded(other.as_bytes()),
        ]
    };
    let run = |other: &str, fields: &[&str]| {
        let across = Some(fields.iter().map(|field| (*field).into()).collect());
        let (choice, inputs) = (SchemaChoice::default(), inputs(other));
        let loader = Loader {
            inputs,
            choice,
            group_by: across,
            is_against: true,
            ..Loader::default()
        };
        let mut loaded = Loaded::default();
        let mut listener = |report| {
            loaded.take(report);
            ControlFlow::Continue(())
        };
        loader
            .run_at(TINY, &mut listener)
            .map(|()| loaded.samples())
    };
    let other = [row("q", "z"), row("r", "x"), row("p", "x")].join("\n");
    let samples = run(&other, &[]).expect("loaded");
    assert_eq!(samples, [vec![0, 1, 6], vec![2, 4], vec![3], vec![5]]);
    let samples = run(&other, &["id"]).expect("loaded");
    assert_eq!(
        samples,
        [vec![0, 6], vec![1], vec![2], vec![3], vec![4], vec![5]]
    );
    // However many the first file has, a sample contains rows of both files.
    let many: Vec<_> = (0..30)
        .map(|number| row("p", &number.to_string()))
        .collect();
    let samples = run(&many.join("\n"), &[]).expect("loaded");
    let sizes: Vec<_> = samples.iter().map(Vec::len).collect();
    assert_eq!(sizes, [32, 1, 1]);
    let pair = r#"{"prompt": "p", "chosen": "x", "rejected": "y"}"#;
    let error = run(pair, &[]).expect_err("two layouts").to_string();
    assert!(
        error.contains("those of the other file are HelpSteer2"),
        "{error}"
    );
    let loader = Loader {
        inputs: vec![embedded(pair.as_bytes()), embedded(pair.as_bytes())],
        group_by: Some(Vec::new()),
        is_against: true,
        ..Loader::default()
    };
    let error = loader
        .run(&mut |_| ControlFlow::Continue(()))
        .expect_err("pairs")
        .to_string();
    assert!(
        error.contains("do not contain one response to one prompt each"),
        "{error}"
    );
}

/// Returns a number specific to a pair of texts.
fn score(prompt: u8, response: u8) -> f64 {
    f64::from(prompt) * 1000.0 + f64::from(response)
}

fn file_of(samples: &[(u8, Vec<u8>)], scored: bool) -> String {
    let row = |prompt: u8, response: u8| {
        let reward = if scored { score(prompt, response) } else { 0.0 };
        format!(
            "{{\"prompt\": \"p{prompt}\", \"response\": \"r{response}\", \"reward\": {reward}}}\n"
        )
    };
    let rows = samples
        .iter()
        .flat_map(|(prompt, responses)| responses.iter().map(move |response| (prompt, response)));
    rows.map(|(prompt, response)| row(*prompt, *response))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn a_response_has_the_value_of_its_texts(
        samples in proptest::collection::vec((0..6_u8, proptest::collection::vec(0..4_u8, 1..5)), 1..12),
        others in proptest::collection::vec((0..6_u8, proptest::collection::vec(0..4_u8, 1..5)), 1..12),
    ) {
        let (mut samples, mut seen) = (samples, HashSet::new());
        samples.retain(|(prompt, _)| seen.insert(*prompt));
        let (dataset, troubles) = joined(&file_of(&samples, false), &[&file_of(&others, true)], JoinOn::Content);
        prop_assert!(troubles.is_empty());
        let known: HashMap<(u8, u8), f64> = others
            .iter()
            .flat_map(|(prompt, responses)| responses.iter().map(move |response| ((*prompt, *response), score(*prompt, *response))))
            .collect();
        let expected: Vec<Option<f64>> = samples
            .iter()
            .flat_map(|(prompt, responses)| responses.iter().map(move |response| (*prompt, *response)))
            .map(|texts| known.get(&texts).copied())
            .collect();
        let mut found = Vec::new();
        for chunk in dataset.chunks() {
            for within in 0..chunk.samples() {
                let lists = chunk.columns().numbers(ColumnId::of(ColumnSource::JoinedLabel, "rm.other")).expect("a label");
                let count = usize::from(chunk.columns().responses[within]);
                found.extend(lists.iter().take(count).map(|list| list.get(within)));
            }
        }
        prop_assert_eq!(found, expected);
    }
}

/// A pair of the naive implementation: whether the dataset prefers B, and a score of each response.
type ScoredPair = (bool, i8, i8);

/// Writes the same scores as a file of one kind, with the way to match it. Rows are in another
/// order; with texts, so are the responses of some.
fn scored_file(kind: usize, pairs: &[ScoredPair], turn: usize, swaps: &[bool]) -> (String, JoinOn) {
    let on = || JoinOn::Field("id".into());
    let mut rows: Vec<String> = Vec::new();
    for (id, (&(prefers_b, a, b), swap)) in pairs.iter().zip(swaps.iter().cycle()).enumerate() {
        let [(x, sx), (y, sy)] = match swap {
            true => [("y", b), ("x", a)],
            false => [("x", a), ("y", b)],
        };
        let (chosen, rejected) = if prefers_b { (b, a) } else { (a, b) };
        let winner = match a.cmp(&b) {
            std::cmp::Ordering::Greater => "Response A",
            std::cmp::Ordering::Less => "[[B]]",
            std::cmp::Ordering::Equal => "tie",
        };
        rows.push(match kind {
            0 | 1 => format!(r#"{{"id": {id}, "prompt": "p{id}", "chosen": "{x}", "rejected": "{y}", "score_chosen": {sx}, "score_rejected": {sy}}}"#),
            2 => format!(r#"{{"prompt": "p{id}", "response_a": "{x}", "response_b": "{y}", "score_a": {sx}, "score_b": {sy}}}"#),
            3 => format!("{{\"prompt\": \"p{id}\", \"response\": \"{x}\", \"reward\": {sx}}}\n{{\"prompt\": \"p{id}\", \"response\": \"{y}\", \"reward\": {sy}}}"),
            4 => format!(r#"{{"id": "{id}", "score_a": {a}, "score_b": {b}}}"#),
            5 => format!("{id},{a},{b}"),
            6 => format!(r#"{{"id": {id}, "score_chosen": {chosen}, "score_rejected": {rejected}}}"#),
            7 => format!(r#"{{"score_a": {a}, "score_b": {b}}}"#),
            _ => format!(r#"{{"id": {id}, "winner": "{winner}"}}"#),
        });
    }
    if kind != 7 {
        rows.rotate_left(turn % pairs.len());
    }
    rows.splice(0..0, (kind == 5).then(|| "id,score_a,score_b".to_owned()));
    let on = match kind {
        0 | 2 | 3 => JoinOn::Content,
        7 => JoinOn::Row,
        _ => on(),
    };
    (rows.join("\n"), on)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn scores_decide_however_files_are_matched(
        pairs in proptest::collection::vec((any::<bool>(), -1..3_i8, -1..3_i8), 1..6),
        (turn, swaps) in (0..6_usize, proptest::collection::vec(any::<bool>(), 1..6)),
    ) {
        let row = |(id, (prefers_b, ..)): (usize, &ScoredPair)| {
            let winner = if *prefers_b { "b" } else { "a" };
            format!("{{\"id\": {id}, \"prompt\": \"p{id}\", \"response_a\": \"x\", \"response_b\": \"y\", \"winner\": \"{winner}\"}}\n")
        };
        let file: String = pairs.iter().enumerate().map(row).collect();
        // The field is ambiguous if the only winner is a tie.
        let has_winner = pairs.iter().any(|(_, a, b)| a != b);
        for kind in 0..if has_winner { 9 } else { 8 } {
            let (other, on) = scored_file(kind, &pairs, turn, &swaps);
            let (dataset, troubles) = joined(&file, &[&other], on);
            prop_assert!(troubles.is_empty(), "{}: {:?}", other, troubles);
            let expected = pairs.iter().map(|&(_, a, b)| match kind {
                8 => format!("other.margin {}", (a - b).signum()),
                _ => format!("rm.other {a} {b}; rm.other.margin {}", a - b),
            });
            prop_assert_eq!(joined_values(&dataset), expected.collect::<Vec<_>>(), "{}", other);
            for (sample, &(prefers_b, a, b)) in pairs.iter().enumerate() {
                let against = if prefers_b { a > b } else { b > a };
                let verdicts = dataset.verdicts_of_raters(&dataset.chunks()[0]);
                let (verdict, ..) = verdicts[0](sample).expect("a verdict");
                let differs = verdict != Verdict::Tie && Some(verdict) != dataset.verdict(sample);
                prop_assert_eq!(differs, against, "{}", other);
            }
        }
    }
}

#[test]
fn joining_a_file_clears_the_findings() {
    use crate::dataset::FoundFindings;
    let (with, _) = joined(PAIRS, &[PAIRS], JoinOn::Content);
    let (mut alone, _) = joined(PAIRS, &[], JoinOn::Content);
    let found = FoundFindings {
        all: Vec::new(),
        asked: [alone.samples(), 0, 0],
        ..FoundFindings::default()
    };
    alone.keep_findings(std::sync::Arc::new(found));
    assert_eq!(alone.findings().asked, [alone.samples(), 0, 0]);
    // Joining changes which rules apply and thus their indexes.
    alone.add_joined(std::sync::Arc::clone(&with.joined()[0]));
    assert_eq!(alone.findings().asked, [0; 3]);
}
