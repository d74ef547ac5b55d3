//! Guesses for records of unknown datasets.

use std::sync::Arc;

use super::*;
use crate::model::Role;

#[test]
fn guesses() {
    for (line, prompt, texts, verdict) in [
        (
            r#"{"prompt": "p", "chosen": "c", "rejected": "r", "score_chosen": 2, "score_rejected": 3}"#,
            "p",
            &["c", "r"][..],
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            r#"{"chosen": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "c"}], "rejected": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]}"#,
            "q",
            &["c", "r"],
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            r#"{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "c"}], "rejected_messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]}"#,
            "q",
            &["c", "r"],
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            r#"{"messages": [{"role": "user", "content": "q"}], "good_response": "c", "bad_response": "r"}"#,
            "q",
            &["c", "r"],
            Some(Verdict::wins(ResponseId::A)),
        ),
        // Texts about responses are not responses.
        (
            r#"{"prompt": "q", "response_a": "It is c.", "response_b": "It is r.", "edited_response_a": "It is c, better.", "edited_response_b": "It is r, better.", "summary_a": "It says c.", "summary_b": "It says r.", "winner": "a"}"#,
            "q",
            &["It is c.", "It is r."],
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            r#"{"problem": "q", "gold": "c", "attempts": [{"solution": "It is c.", "reward": 1}, {"solution": "It is r.", "reward": 0}]}"#,
            "q",
            &["It is c.", "It is r."],
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            r#"{"prompt": ["Who are you?"], "chosen": "c", "rejected": "r"}"#,
            "Who are you?",
            &["c", "r"],
            Some(Verdict::wins(ResponseId::A)),
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
fn an_input_and_a_system_text_that_come_late_belong_to_the_prompt() {
    for (first, late, expected) in [
        (
            r#"{"instruction": "add", "input": "", "system": null, "chosen": "3", "rejected": "4"}"#,
            r#"{"instruction": "add", "input": "1 2", "system": "Be exact.", "chosen": "3", "rejected": "4"}"#,
            vec!["Be exact.", "add\n1 2"],
        ),
        (
            r#"{"question": "add", "system_prompt": "", "response": "3"}"#,
            r#"{"question": "add", "system_prompt": "Be exact.", "response": "3"}"#,
            vec!["Be exact.", "add"],
        ),
        // A number is not a system message.
        (
            r#"{"question": "add", "input": "", "system": 7, "response": "3"}"#,
            r#"{"question": "add", "input": "1 2", "system": 8, "response": "3"}"#,
            vec!["add\n1 2"],
        ),
    ] {
        let schema = schema(&[first]).expect("a guess");
        let texts = |line: &str| {
            let record = schema.row(line.as_bytes()).expect("a row").record();
            let prompt = record.expect("a record").prompt.into_iter();
            prompt.map(|turn| turn.text.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(texts(first), ["add"]);
        assert_eq!(texts(late), expected);
    }
}

#[test]
fn a_prompt_that_responses_repeat_is_the_prompt_alone() {
    let turn = |role: &str, text: &str| format!(r#"{{"role": "{role}", "content": "{text}"}}"#);
    let (ask, good, bad) = (
        turn("user", "q"),
        turn("assistant", "a"),
        turn("assistant", "b"),
    );
    // A list of messages is one response, even if the row has everything that a list of texts
    // needs.
    let line = format!(
        r#"{{"id": 1, "prompt": "q", "chosen": [{ask}, {good}], "rejected": [{ask}, {bad}, {ask}, {bad}]}}"#
    );
    let guess = schema(&[&line]).expect("a guess");
    assert_eq!(guess.definition().name, "guessed");
    let row = guess.row(line.as_bytes()).expect("a row");
    let record = row.record().expect("a record");
    let texts: Vec<_> = record.responses.iter().map(|it| it.with_roles()).collect();
    assert_eq!(texts, ["a", "assistant: b\n\nuser: q\n\nassistant: b"]);
}

#[test]
fn instructions_before_a_repeated_prompt_are_part_of_it() {
    let turn = |role: &str, text: &str| format!(r#"{{"role": "{role}", "content": "{text}"}}"#);
    let chat = |text: &str| {
        let turns = [
            turn("system", "s"),
            turn("user", "q"),
            turn("assistant", text),
        ];
        format!("[{}]", turns.join(","))
    };
    let line = format!(
        r#"{{"prompt": "q", "chosen": {}, "rejected": {}}}"#,
        chat("a"),
        chat("b")
    );
    let schema = schema(&[&line]).expect("a guess");
    let record = record_of(&schema, &line);
    let prompt = record.prompt.iter().map(|turn| (turn.role, &*turn.text));
    assert_eq!(
        prompt.collect::<Vec<_>>(),
        [(Role::System, "s"), (Role::User, "q")]
    );
    let answers: Vec<_> = record.responses.iter().map(|it| it.with_roles()).collect();
    assert_eq!(answers, ["a", "b"]);
    // A search sees the same texts.
    let row = schema.row(line.as_bytes()).expect("a row");
    let mut texts = Vec::new();
    row.for_each_text(
        TextKinds::all(),
        &mut String::new(),
        &mut |_: RowText, text: &str| {
            texts.push(text.to_owned());
        },
    );
    assert_eq!(texts, ["s", "q", "a", "b"]);
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
    let line = r#"{"n": 1, "ask": "which?", "this": "the first of them", "that": "the other one"}"#;
    let refusal = schema(&[line]).expect_err("nothing to guess").to_string();
    assert!(
        refusal.ends_with("--map prompt=ask,a=this,b=that"),
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
        let shown = field_names(&schema, &[&with(first)]);
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
    use Verdict::Tie;
    for (keys, stated, expected) in [
        (
            ["response_a", "response_b"],
            r#""winner": "B", "score_a": 2, "score_b": 1"#,
            Some(Verdict::wins(ResponseId::B)),
        ),
        (
            ["response_a", "response_b"],
            r#""preferred": "response_a""#,
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            ["response_1", "response_2"],
            r#""choice": "response_1""#,
            Some(Verdict::wins(ResponseId::A)),
        ),
        (
            ["response_0", "response_1"],
            r#""choice": "response_1""#,
            Some(Verdict::wins(ResponseId::B)),
        ),
        (
            ["left", "right"],
            r#""preference": "left""#,
            Some(Verdict::wins(ResponseId::A)),
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
            Some(Verdict::wins(ResponseId::A)),
        ),
        // The first records name no winner, so scores decide.
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
        ("model_b", Some(Verdict::wins(ResponseId::B))),
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

/// Guesses the verdicts of records, one letter each: `a`, `b`, `t`ie, `-` for none, `!` if the
/// value is flagged. Also returns the message about a field that is not used.
fn winners(keys: [&str; 2], field: &str, values: &[&str]) -> (String, Option<String>) {
    let [a, b] = keys;
    let line =
        |value: &&str| format!(r#"{{"prompt": "p", "{a}": "x", "{b}": "y", "{field}": {value}}}"#);
    let lines: Vec<_> = values.iter().map(line).collect();
    let first: Vec<_> = lines.iter().take(32).map(String::as_str).collect();
    let schema = schema(&first).expect("a guess");
    let letter = |line: &String| {
        let row = schema.row(line.as_bytes()).expect("a row");
        let said = row.read_verdict();
        assert_eq!(
            said.is_err(),
            row.has_invalid_value_except_labels(),
            "{line}"
        );
        match said.map(|said| said.map(|(verdict, _)| verdict)) {
            Ok(Some(verdict)) if verdict == Verdict::wins(ResponseId::A) => 'a',
            Ok(Some(Verdict::Best(_))) => 'b',
            Ok(Some(_)) => 't',
            Ok(None) => '-',
            Err(_) => '!',
        }
    };
    let read = lines.iter().map(letter).collect();
    let guess = schema.definition().guess.clone().expect("of a guess");
    (
        read,
        guess.unused_verdict.map(|unused| unused.message(true)),
    )
}

#[test]
fn missing_and_few_unknown_values_do_not_drop_the_field_of_the_winner() {
    let lettered = ["response_a", "response_b"];
    for (values, expected) in [
        (r#""a" "b" "" "a""#, "ab-a"),
        (r#""a" "b" "N/A" "a" null "NaN" "None""#, "ab-a---"),
        (r#""" "" "a""#, "--a"),
        // No value in one spelling, a tie in the other.
        (r#""a" "none""#, "at"),
        (r#""a" "b" "skip" "a""#, "ab!a"),
        (r#""a" "b" 7 "a""#, "ab!a"),
        (r#""skip" "tie" "model_b""#, "!tb"),
        (
            r#""a" "b" "a" "a" "b" "a" "b" "a" "xx" "a" "b""#,
            "abaababa!ab",
        ),
    ] {
        let values: Vec<_> = values.split(' ').collect();
        let read = winners(lettered, "winner", &values);
        assert_eq!(read, (expected.to_owned(), None), "{values:?}");
    }
    // Of thirty-two rows, three may be unknown anywhere; later rows do not matter.
    for (unknown, is_taken) in [(3, true), (4, false)] {
        for place in [0, 20, 28] {
            let mut values = ["\"a\""; 40];
            values[place..place + unknown].fill("\"skip\"");
            values[33..].fill("\"pass\"");
            let (read, unused) = winners(lettered, "preference", &values);
            assert_eq!((read.contains('a'), unused.is_none()), (is_taken, is_taken));
            assert_eq!(
                read.matches('!').count(),
                if is_taken { unknown + 7 } else { 0 }
            );
        }
    }
}

#[test]
fn words_of_judges_need_no_known_name() {
    for (values, expected) in [
        (r#""A is better";"B is better";"tie""#, "abt"),
        (r#""A>B";"B>A";"A=B""#, "abt"),
    ] {
        let values: Vec<_> = values.split(';').collect();
        let read = winners(["response_a", "response_b"], "opinion", &values);
        assert_eq!(read, (expected.to_owned(), None));
    }
}

#[test]
fn a_field_that_is_not_taken_for_the_verdict_is_named_with_what_was_not_understood() {
    for (values, reported) in [
        (r#""a" "model-7b""#, r#""model-7b""#),
        (r#""x" "a" "y" "b" "a""#, r#""x""#),
        (r#""" 3"#, "3"),
        (r#""tie" "tie""#, r#""tie""#),
        ("true", "true"),
    ] {
        let values: Vec<_> = values.split(' ').collect();
        let (read, unused) = winners(["response_a", "response_b"], "label", &values);
        assert_eq!(read, "-".repeat(values.len()));
        let reported =
            format!("/label is not used as the verdict: {reported} does not clearly name a winner");
        assert_eq!(unused.as_deref(), Some(&*reported));
    }
    // An empty field, or a field of another name, does not count.
    for (field, value) in [("winner", r#""""#), ("winner", "null"), ("model", r#""x""#)] {
        let read = winners(["response_a", "response_b"], field, &[value]);
        assert_eq!(read, ("-".to_owned(), None));
    }
}

#[test]
fn numbers_name_the_winner_where_they_are_those_of_the_responses() {
    let (from_0, from_1) = (["response_0", "response_1"], ["answer_1", "answer_2"]);
    for (keys, values, expected) in [
        (from_1, r#""1" "2" "" "1""#, "ab-a"),
        (from_1, "1 2 null 1", "ab-a"),
        (from_1, r#""1.0" "2.0" """#, "ab-"),
        (from_1, r#"1.0 2.0 "tie""#, "abt"),
        (from_1, r#""1" "skip" "2" "2""#, "a!bb"),
        (from_1, r#""response_1" "response_2""#, "ab"),
        (from_1, r#""model_2" "model_1""#, "ba"),
        (from_0, "0 1 0", "aba"),
        (from_0, "1.0 0.0 1.0", "bab"),
        (from_0, "1 1 1", "---"),
        (from_0, r#""response_0" "response_1""#, "ab"),
        // A single number, or numbers other than the fields', are ambiguous.
        (from_1, "1 1 1", "---"),
        (from_1, "0 1 0", "---"),
        (from_1, "1 2 1 2 0 1", "------"),
        (from_1, "1 2 1 2 1.5 1", "------"),
        (from_0, "1 2 1", "---"),
        (
            from_0,
            r#""response_1" "response_1" "response_2" "response_1""#,
            "----",
        ),
        (["response_a", "response_b"], "0 1", "--"),
        (["response_a", "response_b"], r#""1" "2""#, "ab"),
        (["response_a", "response_b"], r#""1" "1""#, "--"),
        (from_1, "true false", "--"),
    ] {
        let values: Vec<_> = values.split(' ').collect();
        let (read, unused) = winners(keys, "choice", &values);
        assert_eq!(read, expected, "{keys:?} {values:?}");
        assert_eq!(unused.is_some(), expected.trim_matches('-').is_empty());
    }
}

/// Returns the guessed labels with their values in each row.
fn ratings(lines: &[&str]) -> Vec<(String, Vec<Option<f64>>)> {
    let schema = schema(lines).expect("a guess");
    let records: Vec<_> = lines.iter().map(|line| record_of(&schema, line)).collect();
    let labels = schema.labels().iter().enumerate();
    let values = |place: usize| -> Vec<Option<f64>> {
        let responses = records.iter().flat_map(|record| &record.responses);
        responses.map(|response| response.ratings[place]).collect()
    };
    labels
        .map(|(place, label)| (label.name.clone(), values(place)))
        .collect()
}

#[test]
fn numbers_in_which_rows_of_a_prompt_differ_are_of_the_response() {
    let lines = [
        r#"{"id": 1, "step": 5, "prompt": "p", "completion": "x", "tone_reward": 1, "format_reward": 0.5, "tokens": 9, "model": "m"}"#,
        r#"{"id": 2, "step": 5, "prompt": "p", "completion": "y", "tone_reward": 0, "format_reward": 0.5, "tokens": 7, "model": "n"}"#,
        r#"{"id": 3, "step": 6, "prompt": "q", "completion": "z", "tone_reward": null, "format_reward": 0.5, "tokens": 7, "model": "n"}"#,
    ];
    let values = |of: [Option<f64>; 3]| of.to_vec();
    let half = Some(0.5);
    assert_eq!(
        ratings(&lines),
        [
            (
                "tone_reward".to_owned(),
                values([Some(1.0), Some(0.0), None])
            ),
            ("format_reward".to_owned(), values([half; 3])),
            (
                "tokens".to_owned(),
                values([Some(9.0), Some(7.0), Some(7.0)])
            ),
        ]
    );
    let schema = schema(&lines).expect("a guess");
    assert_eq!(field_names(&schema, &lines), ["id", "step", "model"]);
    // No name reveals which one decides.
    assert_eq!(schema.definition().rule(), None);
    let advantages = [
        r#"{"prompt": "p", "completion": "x", "tone_reward": 1, "advantage": 0.7}"#,
        r#"{"prompt": "p", "completion": "y", "tone_reward": 0, "advantage": -0.7}"#,
    ];
    let labels: Vec<_> = ratings(&advantages).into_iter().map(|it| it.0).collect();
    assert_eq!(labels, ["advantage", "tone_reward"]);
    let yes_or_no = [
        r#"{"prompt": "p", "completion": "x", "correctness": true, "is_short": "True"}"#,
        r#"{"prompt": "p", "completion": "y", "correctness": true, "is_short": "False"}"#,
    ];
    let (yes, no) = (Some(1.0), Some(0.0));
    let expected = [
        ("correctness".to_owned(), vec![yes, yes]),
        ("is_short".to_owned(), vec![yes, no]),
    ];
    assert_eq!(ratings(&yes_or_no), expected);
    let undecided = super::schema(&yes_or_no).expect("a guess");
    assert_eq!(undecided.definition().rule(), None);
}

#[test]
fn whole_numbers_too_great_for_an_f64_keep_their_order() {
    let great: i128 = 1 << 53;
    for (scores, winner) in [
        ([great + 1, great], "a"),
        ([great + 2, great + 3], "b"),
        ([great + 1, great + 1], "tie"),
        ([-great - 2, -great - 1], "b"),
        ([i128::from(i64::MAX), i128::from(i64::MAX) - 1], "a"),
    ] {
        let line = format!(
            r#"{{"prompt": "p", "response_a": "x", "response_b": "y", "score_a": {}, "score_b": "{}"}}"#,
            scores[0], scores[1]
        );
        let schema = schema(&[&line]).expect("a guess");
        let outcome = record_of(&schema, &line).outcome.expect("a winner");
        assert_eq!(outcome.verdict.word(), winner, "{scores:?}");
    }
}

#[test]
fn scores_may_stand_in_texts() {
    let pair = |a: &str, b: &str| {
        format!(
            r#"{{"prompt": "p", "response_a": "1", "response_b": "2", "score_a": {a}, "score_b": {b}}}"#
        )
    };
    let read = |rows: &[[&str; 2]]| {
        let lines: Vec<_> = rows.iter().map(|[a, b]| pair(a, b)).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let schema = schema(&lines).expect("a guess");
        let odd = |line: &&str| {
            let warnings = record_of(&schema, line).warnings;
            (warnings.iter()).any(|it| matches!(it, ReadWarning::InvalidValue { .. }))
        };
        let odd: Vec<_> = lines.iter().map(odd).collect();
        let guess = schema.definition().guess.clone().expect("of a guess");
        let unused = guess.unused_score.map(|unused| unused.message(true));
        (ratings(&lines), odd, unused)
    };
    let score = |values: &[Option<f64>]| vec![("score".to_owned(), values.to_vec())];
    let (one, two) = (Some(1.0), Some(2.0));
    for (rows, ratings, odd, unused) in [
        (
            &[[r#""1""#, r#""2""#], [r#""""#, r#"" 2 ""#]][..],
            score(&[one, two, None, two]),
            vec![false, false],
            None,
        ),
        (
            &[["1", "2"], [r#""""#, "2"]],
            score(&[one, two, None, two]),
            vec![false, false],
            None,
        ),
        // Values that are not numbers are reported.
        (
            &[
                [r#""1""#, r#""2""#],
                [r#""1""#, r#""1""#],
                [r#""1,5""#, r#""2""#],
            ],
            score(&[one, two, one, one, None, two]),
            vec![false, false, true],
            None,
        ),
        // A comma may or may not be a decimal point.
        (
            &[[r#""3,5""#, r#""1,000""#], [r#""2""#, r#""4,75""#]],
            Vec::new(),
            vec![false, false],
            Some("/score_a is not used as a score: 3,5 has a decimal comma instead of a point"),
        ),
        (&[[r#""good""#, r#""fair""#]], Vec::new(), vec![false], None),
    ] {
        let unused = unused.map(str::to_owned);
        assert_eq!(read(rows), (ratings, odd, unused), "{rows:?}");
    }
    let line = pair(r#""1""#, r#""2""#);
    let schema = schema(&[&line]).expect("a guess");
    let record = record_of(&schema, &line);
    let verdict = record.outcome.map(|outcome| outcome.verdict);
    assert_eq!(verdict, Some(Verdict::wins(ResponseId::B)));
    let single = [
        r#"{"prompt": "p", "completion": "x", "quality": "3"}"#,
        r#"{"prompt": "p", "completion": "y", "quality": "4.5"}"#,
    ];
    let quality = ("quality".to_owned(), vec![Some(3.0), Some(4.5)]);
    assert_eq!(ratings(&single), [quality]);
}

#[test]
fn why_records_cannot_be_read_at_all_is_said() {
    for (line, reported) in [
        ("[]", "it is an empty list"),
        (
            r#"{"prompt": "p", "response": 1e400}"#,
            "the number that ends at column 33 is too large",
        ),
        ("[1]", "no names (they are lists)"),
    ] {
        let refusal = schema(&[line]).expect_err("nothing to read").to_string();
        assert!(refusal.contains(reported), "{line}: {refusal}");
    }
}

/// Returns the fields without a role.
fn field_names(schema: &Arc<Schema>, lines: &[&str]) -> Vec<&'static str> {
    let mut survey = schema.survey();
    lines.iter().for_each(|line| survey.add(line.as_bytes(), 0));
    survey
        .columns()
        .into_iter()
        .map(|column| column.id.name)
        .collect()
}

#[test]
fn of_what_an_object_has_the_text_is_the_prompt() {
    let line = r#"{"question": {"dataset": "eli5", "full_text": "why?"}, "answer": "so it is"}"#;
    let schema = schema(&[line]).expect("a guess");
    assert_eq!(record_of(&schema, line).prompt[0].text, "why?");
}

#[test]
fn a_field_that_may_mean_something_else_does_not_say_who_wins() {
    let (wins_a, wins_b) = (
        Some(Verdict::wins(ResponseId::A)),
        Some(Verdict::wins(ResponseId::B)),
    );
    for (keys, fields, expected, is_reported) in [
        // Flags of the responses, with or without one for a tie.
        (
            ["text_a", "text_b"],
            r#""winner_a": 0, "winner_b": 1, "winner_tie": 0"#,
            wins_b,
            false,
        ),
        (
            ["text_a", "text_b"],
            r#""winner_a": 0, "winner_b": 0, "winner_tie": 1"#,
            Some(Verdict::Tie),
            false,
        ),
        // Numbers can be equal by chance.
        (
            ["text_a", "text_b"],
            r#""safe_a": 1, "safe_b": 0, "label": 0"#,
            None,
            true,
        ),
        (["text_a", "text_b"], r#""loser": "text_a""#, None, true),
        (
            ["text_a", "text_b"],
            r#""shown_first": "text_b""#,
            None,
            true,
        ),
        (["text_a", "text_b"], r#""worst_choice": "A""#, None, false),
        (
            ["text_a", "text_b"],
            r#""preferred_language": "a""#,
            None,
            false,
        ),
        (
            ["text_a", "text_b"],
            r#""human_winner": "A""#,
            wins_a,
            false,
        ),
        // A field that names the other response as the winner is more reliable than names.
        (
            ["good_answer", "bad_answer"],
            r#""preference": "bad""#,
            wins_b,
            false,
        ),
        (
            ["good_answer", "bad_answer"],
            r#""preference": "B""#,
            wins_a,
            false,
        ),
        (
            ["text_a", "text_b"],
            r#""winner": "B is worse than A""#,
            wins_a,
            false,
        ),
        (
            ["text_a", "text_b"],
            r#""winner": "better than A""#,
            None,
            true,
        ),
        (
            ["text_a", "text_b"],
            r#""winner": "B (neither great)""#,
            None,
            true,
        ),
    ] {
        let [a, b] = keys;
        let line =
            format!(r#"{{"prompt": "which?", "{a}": "the one", "{b}": "the other", {fields}}}"#);
        let schema = schema(&[&line]).expect("a guess");
        let outcome = record_of(&schema, &line).outcome;
        assert_eq!(outcome.map(|it| it.verdict), expected, "{line}");
        let guess = schema.definition().guess.as_ref().expect("of a guess");
        assert_eq!(guess.unused_verdict.is_some(), is_reported, "{line}");
    }
}

#[test]
fn the_better_one_stays_so_where_it_was_chosen_second() {
    let record =
        serde_json::json!({"q": "Why?", "rejected_text": "No idea.", "chosen_text": "Because."});
    let of = |key: &str| (Path::key(key), FieldChoice::Response);
    let choices = Choices {
        fields: vec![of("rejected_text"), of("chosen_text")],
        ..Choices::default()
    };
    let definition = choices
        .definition(&[record.clone()].into())
        .expect("a layout");
    let schema = Schema::new(definition);
    let outcome = record_of(&schema, &record.to_string()).outcome;
    let verdict = outcome.expect("an outcome").verdict;
    assert_eq!(verdict, Verdict::wins(ResponseId::B));
}

#[test]
fn a_winner_that_is_named_needs_no_known_name() {
    let records: Vec<_> = [("a", "x"), ("b", "y")]
        .map(|(pick, more)| {
            serde_json::json!({"q": "why?", "ra": format!("so it is {more}"), "rb": "not so", "zz": pick})
        })
        .into();
    let choices = [
        ("q", FieldChoice::Prompt),
        ("ra", FieldChoice::Response),
        ("rb", FieldChoice::Response),
        ("zz", FieldChoice::Winner),
    ];
    let choices = choices.map(|(path, choice)| (Path::from(path), choice));
    let choices = Choices {
        fields: choices.to_vec(),
        ..Choices::default()
    };
    let definition = choices.definition(&records.into()).expect("a layout");
    assert!(
        matches!(definition.rule(), Some(VerdictRule::ByValue(_))),
        "{definition:?}"
    );
}

#[test]
fn giant_texts_are_cut_before_a_schema_is_chosen() {
    let unit = r#"a\\\"é\u00e9\ud83d\ude00\n"#;
    let json = format!(r#"[{{\"content\": \"{}\"}}]"#, "x".repeat(9_000));
    for shift in 0..unit.len() {
        let text = "x".repeat(shift) + &unit.repeat(3_000);
        let line = format!(r#"{{"prompt": "{text}", "chosen": "{json}", "rejected": "no"}}"#);
        let cut = crate::schema::choose::registry::readable(line.as_bytes());
        let of = |line: &[u8]| serde_json::from_slice::<JsonRecord>(line).expect("JSON");
        let (cut, whole) = (of(&cut), of(line.as_bytes()));
        let prompts = [&cut, &whole].map(|record| record["prompt"].as_str().expect("a text"));
        assert!(
            prompts[0].len() > 1_000 && prompts[0].len() <= 4 << 10,
            "{shift}"
        );
        assert!(
            prompts[1].starts_with(prompts[0].trim_end_matches('\u{fffd}')),
            "{shift}"
        );
        for key in ["chosen", "rejected"] {
            assert_eq!(cut[key], whole[key]);
        }
    }
}
