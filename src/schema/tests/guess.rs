//! Records of no known dataset: what is guessed of them.

use super::*;

#[test]
fn guesses() {
    for (line, prompt, texts, verdict) in [
        (
            r#"{"prompt": "p", "chosen": "c", "rejected": "r", "score_chosen": 2, "score_rejected": 3}"#,
            "p",
            &["c", "r"][..],
            Some(Verdict::Wins(ResponseId::A)),
        ),
        (
            r#"{"chosen": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "c"}], "rejected": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]}"#,
            "q",
            &["c", "r"],
            Some(Verdict::Wins(ResponseId::A)),
        ),
        (
            r#"{"instruction": "p", "output": "o", "stars": 3}"#,
            "p",
            &["o"],
            None,
        ),
        (
            r#"{"question": "p", "answer_a": "x", "answer_b": "y", "score_a": 1, "score_b": 1}"#,
            "p",
            &["x", "y"],
            Some(Verdict::Tie),
        ),
    ] {
        let schema = schema(&[line]).expect("a guess");
        let record = record_of(&schema, line);
        assert_eq!(record.prompt[0].text, prompt, "{line}");
        assert_eq!(
            record
                .responses
                .iter()
                .map(|response| &*response.text)
                .collect::<Vec<_>>(),
            texts
        );
        assert_eq!(record.outcome.map(|outcome| outcome.verdict), verdict);
    }
}

#[test]
fn a_guess_looks_at_all_records_and_says_what_it_took() {
    let first = r#"{"instruction": "add", "input": "", "chosen": "3", "rejected": "4", "score_chosen": null, "score_rejected": null, "clear_a": true, "clear_b": false, "id_a": 1, "id_b": 2}"#;
    let second = r#"{"instruction": "add", "input": "1 2", "system": "Be exact.", "chosen": "3", "rejected": "12", "score_chosen": 2.5, "score_rejected": 1, "clear_a": false, "clear_b": true, "id_a": 3, "id_b": 4}"#;
    let schema = schema(&[first, second]).expect("a guess");
    assert_eq!(
        schema.definition().title,
        "guess instruction input: chosen rejected"
    );
    let labels: Vec<_> = schema.labels().iter().map(|label| &*label.name).collect();
    assert_eq!(labels, ["score", "clear"]);
    let record = |line: &str| {
        let row = schema.row(line.as_bytes()).expect("a row");
        let record = row.record().expect("a record");
        let turns = record
            .prompt
            .iter()
            .map(|turn| (turn.role.word(), turn.text.to_string()));
        let turns: Vec<_> = turns.collect();
        (turns, record.outcome.expect("an outcome").margin)
    };
    assert_eq!(record(first), (vec![("user", "add".to_owned())], None));
    let turns = vec![
        ("system", "Be exact.".to_owned()),
        ("user", "add\n1 2".to_owned()),
    ];
    assert_eq!(record(second), (turns, Some(1.5)));
}

#[test]
fn a_prompt_that_responses_repeat_is_the_prompt_alone() {
    let turn = |role: &str, text: &str| format!(r#"{{"role": "{role}", "content": "{text}"}}"#);
    let (ask, good, bad) = (
        turn("user", "q"),
        turn("assistant", "a"),
        turn("assistant", "b"),
    );
    // A list of messages is one response, also where the row has what a list of texts would need.
    let line = format!(
        r#"{{"id": 1, "prompt": "q", "chosen": [{ask}, {good}], "rejected": [{ask}, {bad}, {ask}, {bad}]}}"#
    );
    let guess = schema(&[&line]).expect("a guess");
    assert_eq!(guess.definition().name, "guessed");
    let row = guess.row(line.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    let texts: Vec<_> = record.responses.iter().map(|it| it.spoken()).collect();
    assert_eq!(texts, ["a", "assistant: b\n\nuser: q\n\nassistant: b"]);
}

#[test]
fn what_a_model_thought_belongs_to_its_answer() {
    let line = r#"{"chosen": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>r</think>a"}], "rejected": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>r</think>b"}]}"#;
    let guess = schema(&[line]).expect("a guess");
    let record = guess
        .row(line.as_bytes())
        .expect("a row")
        .record()
        .expect("a record");
    assert_eq!(record.prompt.len(), 1);
    let turns = record.responses.iter().map(|response| response.turns.len());
    assert_eq!(turns.collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn a_completion_is_preferred_to_a_gold_answer_and_a_refusal_proposes_a_map() {
    let line = r#"{"prompt": "6 * 7", "answer": "42", "completion": "41"}"#;
    let guess = schema(&[line]).expect("a guess");
    let row = guess.row(line.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    assert_eq!(record.responses[0].text, "41");
    let line = r#"{"n": 1, "ask": "which?", "one": "the first of them", "two": "the other one"}"#;
    let refusal = schema(&[line]).expect_err("nothing to guess").to_string();
    assert!(
        refusal.ends_with("--map prompt=ask,a=one,b=two"),
        "{refusal}"
    );
}

#[test]
fn a_guess_takes_only_ratings_for_labels() {
    let with = |fields: &str| format!(r#"{{"prompt": "p", "completion": "r", {fields}}}"#);
    for (first, labels, facts) in [
        (
            r#""id": 7, "coherence": 1, "seed": 3, "helpfulness": 2"#,
            &["helpfulness", "coherence"][..],
            &["id", "seed"][..],
        ),
        (r#""year": 1999, "length": 12"#, &[], &["year", "length"]),
        (
            r#""rating": "good", "z": 1, "a": true"#,
            &[],
            &["rating", "z", "a"],
        ),
    ] {
        let schema = schema(&[&with(first)]).expect("a guess");
        assert_eq!(
            schema
                .labels()
                .iter()
                .map(|label| &*label.name)
                .collect::<Vec<_>>(),
            labels,
            "{first}"
        );
        let shown = schema
            .definition()
            .facts
            .iter()
            .map(|fact| &*fact.name)
            .collect::<Vec<_>>();
        assert_eq!(shown, facts, "in the order of the file");
        assert_eq!(schema.definition().verdict.is_some(), !labels.is_empty());
    }
    let drifting = schema(&[&with(r#""quality": 3"#)]).expect("a guess");
    for (value, rating) in [
        ("3", Some(3.0)),
        ("2.5", Some(2.5)),
        ("\"high\"", None),
        ("[1]", None),
        ("null", None),
    ] {
        let line = with(&format!(r#""quality": {value}"#));
        let record = drifting
            .row(line.as_bytes())
            .expect("a row")
            .record()
            .expect("a record");
        assert_eq!(record.responses[0].ratings, [rating], "{value}");
    }
}

#[test]
fn a_guess_goes_by_a_field_that_names_the_winner() {
    use Verdict::{Tie, Wins};
    for (keys, stated, expected) in [
        (
            ["response_a", "response_b"],
            r#""winner": "B", "score_a": 2, "score_b": 1"#,
            Some(Wins(ResponseId::B)),
        ),
        (
            ["response_a", "response_b"],
            r#""preferred": "response_a""#,
            Some(Wins(ResponseId::A)),
        ),
        (
            ["response_1", "response_2"],
            r#""choice": "response_1""#,
            Some(Wins(ResponseId::A)),
        ),
        (
            ["response_0", "response_1"],
            r#""choice": "response_1""#,
            Some(Wins(ResponseId::B)),
        ),
        (
            ["left", "right"],
            r#""preference": "left""#,
            Some(Wins(ResponseId::A)),
        ),
        (["response_a", "response_b"], r#""choice": 1"#, None),
        (["response_a", "response_b"], r#""choice": "1""#, None),
        (
            ["response_a", "response_b"],
            r#""winner": "some-model-7b""#,
            None,
        ),
        (
            ["response_a", "response_b"],
            r#""winner": 0, "score_a": 2, "score_b": 1"#,
            Some(Wins(ResponseId::A)),
        ),
        // Nobody is named in the first records: scores decide.
        (
            ["response_a", "response_b"],
            r#""winner": "tie", "score_a": 1, "score_b": 1"#,
            Some(Tie),
        ),
    ] {
        let [a, b] = keys;
        let line = format!(r#"{{"prompt": "p", "{a}": "x", "{b}": "y", {stated}}}"#);
        let schema = schema(&[&line]).expect("a guess");
        let record = record_of(&schema, &line);
        assert_eq!(
            record.outcome.map(|outcome| outcome.verdict),
            expected,
            "{line}"
        );
    }
    let line = |winner: &str| {
        format!(r#"{{"prompt": "p", "response_a": "x", "response_b": "y", "winner": "{winner}"}}"#)
    };
    let schema = schema(&[&line("model_a"), &line("tie")]).expect("a guess");
    for (winner, expected) in [
        ("tie", Some(Tie)),
        ("model_b", Some(Wins(ResponseId::B))),
        ("who knows", None),
    ] {
        let line = line(winner);
        let record = record_of(&schema, &line);
        assert_eq!(
            record.outcome.map(|outcome| outcome.verdict),
            expected,
            "{winner}"
        );
    }
}
