//! Guesses for records whose fields are easily mistaken for others.

use serde_json::{Value, json};

use super::*;
use crate::schema::guess::UnusedReason;

/// Formats the response paths, the verdict of each row, and the message about a field that is not
/// used.
fn guessed(rows: &[Value]) -> String {
    let lines: Vec<_> = rows.iter().map(Value::to_string).collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let Ok(schema) = schema(&lines) else {
        return "refused".to_owned();
    };
    let definition = schema.definition();
    let responses = definition
        .responses
        .iter()
        .map(|it| it.whole_path().to_string());
    let responses: Vec<_> = responses.collect();
    let winner = |line: &&str| {
        let outcome = record_of(&schema, line).outcome;
        outcome.map_or("-".to_owned(), |it| it.verdict.word())
    };
    let winners: Vec<_> = lines.iter().map(winner).collect();
    let unused = definition
        .guess
        .as_ref()
        .and_then(|it| it.unused_verdict.clone());
    let reported = unused.map_or(String::new(), |it| format!(": {}", it.message(true)));
    format!("{} {}{reported}", responses.join(" "), winners.join(" "))
}

const FIRST: [&str; 3] = [
    "Wipe it and oil each link.",
    "Yeast makes the gas.",
    "About 55 metres, I read.",
];
const SECOND: [&str; 3] = [
    "Pour the whole bottle on it.",
    "Heat does it.",
    "Very deep, who knows it.",
];

/// Rows with a prompt and these further fields.
fn rows(of: impl Fn(usize) -> Value) -> Vec<Value> {
    let row = |at: usize| {
        let mut row = json!({"prompt": (["How do I oil a chain?", "What makes bread rise?", "How deep is it?"][at])});
        let more = of(at).as_object().expect("an object").clone();
        row.as_object_mut().expect("an object").extend(more);
        row
    };
    (0..3).map(row).collect()
}

/// Rows of two responses with these further fields.
fn pairs(of: impl Fn(usize) -> Value) -> Vec<Value> {
    rows(|at| {
        let mut pair = json!({"response_a": FIRST[at], "response_b": SECOND[at]});
        let more = of(at).as_object().expect("an object").clone();
        pair.as_object_mut().expect("an object").extend(more);
        pair
    })
}

fn letter(at: usize) -> &'static str {
    ["a", "b", "a"][at]
}

#[test]
fn numbers_that_do_not_say_which_response_is_better_decide_nothing() {
    let lower = "is not used as the verdict: lower may be better";
    let more = "is not used as the verdict: higher is not always better";
    for (name, expected) in [
        (
            "toxicity_score",
            format!("- - -: /toxicity_score_a {lower}"),
        ),
        ("error_rating", format!("- - -: /error_rating_a {lower}")),
        ("hallucination", format!("- - -: /hallucination_a {lower}")),
        ("cost", format!("- - -: /cost_a {lower}")),
        ("verbosity", format!("- - -: /verbosity_a {more}")),
        ("length_score", format!("- - -: /length_score_a {more}")),
        ("nsfw_score", format!("- - -: /nsfw_score_a {lower}")),
        ("rank_score", format!("- - -: /rank_score_a {lower}")),
        ("grade", format!("- - -: /grade_a {lower}")),
        ("human_score", "a tie b".to_owned()),
        ("armo_rm_score", "a tie b".to_owned()),
        ("loss", "b tie a".to_owned()),
        ("quality", "a tie b".to_owned()),
        ("elo", "a tie b".to_owned()),
    ] {
        let [a, b] = ["a", "b"].map(|side| format!("{name}_{side}"));
        let read = guessed(&pairs(|at| json!({a.as_str(): 3 - at, b.as_str(): 2})));
        assert_eq!(read, format!("/response_a /response_b {expected}"));
    }
    for whole in ["overall", "total", "preference_rating", "score"] {
        let list = |at: usize| json!([{"text": FIRST[at], "helpfulness": 4, whole: 1}, {"text": SECOND[at], "helpfulness": 1, whole: 2}]);
        let read = guessed(&rows(|at| json!({"responses": list(at)})));
        assert_eq!(read, "/responses/*/text b b b", "{whole}");
    }
}

#[test]
fn a_winner_can_be_an_element_of_a_list() {
    let list = |count: usize, winner: [usize; 3]| {
        let texts = |at: usize| vec![FIRST[at]; count];
        guessed(&rows(
            |at| json!({"outputs": texts(at), "best": winner[at]}),
        ))
    };
    let unsure = "/outputs/* - - -: /best is not used as the verdict: its numbers may count from 0 or from 1";
    let three = "/outputs/0 /outputs/1 /outputs/2";
    assert_eq!(list(3, [1, 2, 1]), unsure);
    assert_eq!(list(3, [0, 2, 1]), format!("{three} a c b"));
    assert_eq!(list(3, [1, 3, 1]), format!("{three} a c a"));
    assert_eq!(list(2, [1, 2, 1]), "/outputs/0 /outputs/1 a b a");
    assert!(list(3, [0, 0, 0]).contains("/best is not used"));
    for (key, values, winner) in [
        ("id", json!(["x7", "x9"]), "winner"),
        ("id", json!([70, 90]), "chosen_id"),
        ("model", json!(["m-7b", "n-8b"]), "preferred_model"),
    ] {
        let read = guessed(&rows(|at| {
            let list =
                json!([{key: values[0], "text": FIRST[at]}, {key: values[1], "text": SECOND[at]}]);
            json!({"candidates": list, winner: values[at % 2]})
        }));
        assert_eq!(read, "/candidates/*/text a b a", "{winner}");
    }
    // A number of votes for each response, or three votes.
    let read = guessed(&rows(
        |at| json!({"outputs": [FIRST[at], SECOND[at], "None."], "votes": [1, 2, 2]}),
    ));
    assert!(
        read.starts_with("/outputs/* - - -: /votes/* is not used"),
        "{read}"
    );
    // Ratings can be equal by chance.
    let read = guessed(&rows(|at| {
        let list = json!([{"rating": 1, "text": FIRST[at]}, {"rating": 2, "text": SECOND[at]}]);
        json!({"candidates": list, "label": (at % 2) + 1})
    }));
    assert!(read.starts_with("/candidates/*/text b b b"), "{read}");
}

#[test]
fn votes_for_the_worse_response_are_none() {
    for (more, expected) in [
        (
            json!({"annotator_1_worse": "a", "annotator_2_worse": "b"}),
            "- - -",
        ),
        (json!({"rejected_by": {"kim": "a", "lee": "a"}}), "- - -"),
        (
            json!({"rejected_by": ["response_a", "response_a"]}),
            "- - -",
        ),
        (
            json!({"judgments": [{"judge": "k", "loser": "a"}, {"judge": "l", "loser": "a"}]}),
            "- - -",
        ),
        (
            json!({"judge_1_shown_first": "a", "judge_2_shown_first": "a"}),
            "- - -",
        ),
        (
            json!({"annotator_1": "a", "annotator_2": "a", "annotator_1_worse": "b", "annotator_2_worse": "b"}),
            "a a a",
        ),
        (json!({"votes_a": 3, "votes_b": 1}), "a a a"),
        // A better score is not a better response.
        (json!({"chosen_score": 3, "rejected_score": 1}), "- - -"),
        (json!({"win_a": 0, "win_b": 0, "tie": 1}), "tie tie tie"),
    ] {
        let read = guessed(&pairs(|_| more.clone()));
        let read = read.split(": /").next().unwrap_or_default();
        assert_eq!(
            read,
            format!("/response_a /response_b {expected}"),
            "{more}"
        );
    }
}

#[test]
fn other_texts_are_no_responses() {
    let long = |at: usize| format!("{} That is what I would say of it.", FIRST[at]);
    for (read, expected) in [
        (
            guessed(&rows(
                |at| json!({"response": long(at), "samples": ["one", "two"]}),
            )),
            "/response",
        ),
        (
            guessed(&rows(
                |at| json!({"options": ["Rome", "Oslo"], "model_output": long(at)}),
            )),
            "/model_output",
        ),
        (
            guessed(&rows(
                |at| json!({"correct_answer": FIRST[at], "incorrect_answer": SECOND[at], "model_answer": long(at)}),
            )),
            "/model_answer",
        ),
        (
            guessed(&rows(
                |at| json!({"responses": {"gpt": FIRST[at], "claude": SECOND[at], "explanation": long(at)}}),
            )),
            "/responses/gpt /responses/claude",
        ),
        (
            guessed(&rows(
                |at| json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": long(at)}}]}),
            )),
            "/choices/*/message",
        ),
    ] {
        assert_eq!(read, format!("{expected} - - -"));
    }
    let read = guessed(&rows(|at| {
        let message = |text: String| json!({"role": "assistant", "content": text});
        json!({"completions": [{"message": message(long(at)), "score": 1}, {"message": message(long(at)), "score": 2}]})
    }));
    assert_eq!(read, "/completions/*/message b b b");
}

#[test]
fn texts_of_other_names_are_responses_where_nothing_else_is() {
    for (read, expected) in [
        (
            guessed(&rows(
                |at| json!({"review_a": FIRST[at], "review_b": SECOND[at], "better_review": letter(at)}),
            )),
            "/review_a /review_b a b a",
        ),
        (
            guessed(&rows(
                |at| json!({"before": FIRST[at], "after": SECOND[at]}),
            )),
            "/before /after - - -",
        ),
        (
            guessed(&rows(
                |at| json!({"answers": [{"id": "u7", "body": "Yes."}, {"id": "u9", "body": "No."}], "best_id": (["u7", "u9", "u7"][at])}),
            )),
            "/answers/*/body a b a",
        ),
        // A model named like the letter of another response.
        (
            guessed(&rows(|at| {
                let pair =
                    json!([{"model": "x", "text": FIRST[at]}, {"model": "y", "text": SECOND[at]}]);
                json!({"pair": pair, "preferred": (["x", "y", "x"][at])})
            })),
            "/pair/*/text a b a",
        ),
        (
            guessed(&rows(
                |at| json!({"response": FIRST[at], "review_a": SECOND[at], "review_b": SECOND[2 - at]}),
            )),
            "/response - - -",
        ),
    ] {
        assert_eq!(read, expected);
    }
    let turn = |role: &str, text: &str| json!({"role": role, "content": text});
    let read = guessed(&rows(|at| {
        let chat = |text: &str| json!([turn("user", "ok?"), turn("assistant", text)]);
        json!({"messages_a": chat("No"), "messages_b": chat("Yes"), "preferred": (["messages_a", "messages_b", "messages_a"][at])})
    }));
    assert_eq!(read, "/messages_a /messages_b a b a");
}

#[test]
fn texts_of_a_conversation_are_turns() {
    for (line, expected) in [
        (
            r#"{"conversation": ["q", "a", "r", "b"]}"#,
            ["user q", "assistant a", "user r"],
        ),
        (
            r#"{"dialogue": ["q", "a", "r"], "response_a": "x", "response_b": "y"}"#,
            ["user q", "assistant a", "user r"],
        ),
        (
            r#"{"turns": [{"turn": 1, "user": "q", "bot": "a"}, {"turn": 2, "bot": "b", "user": "r"}]}"#,
            ["user q", "assistant a", "user r"],
        ),
    ] {
        let schema = schema(&[line]).expect("a guess");
        let record = record_of(&schema, line);
        let turns = record.prompt.iter();
        let turns: Vec<_> = turns
            .map(|it| format!("{} {}", it.role.word(), it.text))
            .collect();
        assert_eq!(turns, expected, "{line}");
    }
}

#[test]
fn prompts_of_each_response_that_differ_are_flagged() {
    let row = |other: &str| {
        json!({"prompt_a": "Why?", "prompt_b": other, "response_a": FIRST[0], "response_b": SECOND[0]}).to_string()
    };
    let (same, other) = (row("Why?"), row("How?"));
    let schema = schema(&[&same, &other]).expect("a guess");
    let differs = |line: &str| {
        let row = schema.row(line.as_bytes()).expect("a row");
        row.has_differing_prompts()
    };
    assert_eq!([differs(&same), differs(&other)], [false, true]);
}

#[test]
fn numbers_with_a_unit_are_numbers() {
    for (values, expected) in [
        ([["4/5", "2/5"], ["1/5", "5/5"], ["3/5", "3/5"]], "a b tie"),
        ([["9%", "80%"], ["7 %", "5 %"], ["5%", "5%"]], "b a tie"),
        ([["4/5", "5/10"], ["1/5", "5/10"], ["3/5", "9/10"]], "- - -"),
    ] {
        let of = |at: usize| json!({"score_a": values[at][0], "score_b": values[at][1]});
        let read = guessed(&pairs(of));
        assert_eq!(read, format!("/response_a /response_b {expected}"));
    }
}

#[test]
fn responses_are_numbered_with_gaps_or_called_as_their_models() {
    let read = guessed(&rows(
        |at| json!({"response_1": FIRST[at], "response_2": SECOND[at], "response_4": "None.", "best": ([1, 4, 2][at])}),
    ));
    assert_eq!(read, "/response_1 /response_2 /response_4 a c b");
    // The second score need not be the second response's.
    let read = guessed(&rows(
        |at| json!({"response_1": FIRST[at], "response_2": SECOND[at], "response_4": "None.", "score_1": 1, "score_4": 3}),
    ));
    assert_eq!(read, "/response_1 /response_2 /response_4 - - -");
    let read = guessed(&rows(
        |at| json!({"gpt-4": FIRST[at], "our-7b": SECOND[at], "winner": (["our-7b", "gpt-4", "tie"][at])}),
    ));
    assert_eq!(read, "/gpt-4 /our-7b b a tie");
    // It is unknown whether a third text is a response.
    let read = guessed(&rows(
        |at| json!({"ours": FIRST[at], "theirs": SECOND[at], "older": SECOND[2 - at], "winner": (["ours", "theirs", "ours"][at])}),
    ));
    assert_eq!(read, "refused");
    let read = guessed(&rows(
        |at| json!({"ChatGPT": FIRST[at], "Mistral": SECOND[at]}),
    ));
    assert_eq!(read, "/ChatGPT /Mistral - - -");
}

#[test]
fn values_of_other_kinds_and_late_ones_count() {
    let read = guessed(&rows(
        |at| json!({"response_a": ([json!("Yes."), json!(7), json!(true)][at]), "response_b": ([json!(1), json!("No."), json!({"x": 1})][at]), "winner": letter(at)}),
    ));
    assert_eq!(read, "/response_a /response_b a b a");
    let first = pairs(|_| json!({"winner": null}));
    let lines: Vec<_> = first.iter().map(Value::to_string).collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let schema = schema(&lines).expect("a guess");
    let late = pairs(|at| json!({"winner": letter(at)}));
    let winners = late.iter().map(|row| {
        record_of(&schema, &row.to_string())
            .outcome
            .map(|it| it.verdict.word())
    });
    assert_eq!(winners.flatten().collect::<Vec<_>>(), ["a", "b", "a"]);
    // Rows with different sources are not answers to the same question.
    let rows: Vec<_> = (0..3).map(|at| json!({"instruction": "Sum it up.", "source": format!("{} {}", FIRST[at], SECOND[at]), "output": SECOND[at]})).collect();
    let lines: Vec<_> = rows.iter().map(Value::to_string).collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let prompt = super::schema(&lines)
        .expect("a guess")
        .definition()
        .prompt
        .clone();
    assert_eq!(prompt.expect("a prompt").beside, [Path::from("source")]);
}

#[test]
fn names_in_other_languages_and_orders() {
    let read = guessed(&rows(
        |at| json!({"respuesta_1": FIRST[at], "respuesta_2": SECOND[at], "ganador": (at % 2) + 1}),
    ));
    assert_eq!(read, "/respuesta_1 /respuesta_2 a b a");
    let long = |text: &str| format!("{text} That is all that it says.");
    let read = guessed(&rows(
        |at| json!({"summary_human": long(FIRST[at]), "summary_gpt3": long(SECOND[at]), "preferred": (["gpt3", "human", "gpt3"][at])}),
    ));
    assert_eq!(read, "/summary_human /summary_gpt3 b a b");
    let read = guessed(&rows(
        |at| json!({"solution_a": FIRST[at], "solution_b": SECOND[at], "better": letter(at)}),
    ));
    assert_eq!(read, "/solution_a /solution_b a b a");
    let read = guessed(&rows(
        |at| json!({"response": format!("{} {}", FIRST[at], SECOND[at]), "response_style": "plain", "response_tone": "kind"}),
    ));
    assert_eq!(read, "/response - - -");
    // Any long text in a list that is named like responses, with numbers under the same keys.
    let read = guessed(&rows(|at| {
        let first = long(FIRST[at]);
        let second = long(SECOND[at]);
        json!({"modelResponses": [{"answerBody": first, "score": 1}, {"answerBody": second, "score": 2}]})
    }));
    assert_eq!(read, "/modelResponses/*/answerBody b b b");
    let read = guessed(&rows(
        |at| json!({"completions": {"m1": FIRST[at], "m2": SECOND[at]}, "scores": {"m1": at, "m2": 1}}),
    ));
    assert_eq!(read, "/completions/m1 /completions/m2 b tie a");
    // May be ranks, or the responses from best to worst.
    let read = guessed(&rows(
        |at| json!({"responses": [FIRST[at], SECOND[at], "None."], "ranking": [3, 1, 2]}),
    ));
    let unsure = "its numbers may rate the responses or name them";
    assert_eq!(
        read,
        format!("/responses/* - - -: /ranking/* is not used as the verdict: {unsure}")
    );
    // A single annotator's choice is not the verdict.
    let read = guessed(&pairs(
        |_| json!({"annotations": {"kim": {"choice": "a", "sure": 1}, "lee": {"choice": "b", "sure": 2}, "max": {"choice": "b", "sure": 2}}}),
    ));
    assert_eq!(read, "/response_a /response_b b b b");
}

#[test]
fn fields_that_contradict_or_name_the_loser_are_reported() {
    let reported = "is not used as the verdict: it names a different winner in some rows";
    let read = guessed(&pairs(
        |at| json!({"judge_winner": "A", "winner_human": letter(at)}),
    ));
    assert_eq!(read, "/response_a /response_b a b a", "people decide");
    let read = guessed(&pairs(
        |at| json!({"gold": letter(at), "score_a": 0, "score_b": 5}),
    ));
    let expected = format!("/response_a /response_b b b b: /gold {reported}");
    assert_eq!(read, expected);
    let read = guessed(&pairs(
        |at| json!({"expert_pref": "A", "crowd_pref": letter(at)}),
    ));
    let expected = format!("/response_a /response_b a a a: /crowd_pref {reported}");
    assert_eq!(read, expected);
    // Several scores of the whole response; one decides.
    let read = guessed(&pairs(
        |_| json!({"overall_a": 5, "overall_b": 1, "score_a": 1, "score_b": 2}),
    ));
    let expected = format!("/response_a /response_b a a a: /score_a {reported}");
    assert_eq!(read, expected);
    let read = guessed(&rows(
        |at| json!({"chosen": FIRST[at], "rejected": SECOND[at], "chosen_score": 1, "rejected_score": 9}),
    ));
    let expected = format!("/chosen /rejected a a a: /chosen_score {reported}");
    assert_eq!(read, expected);
    for row in [
        |at: usize| json!({"worse_choice_a": at % 2, "worse_choice_b": 1 - at % 2}),
        |at: usize| json!({"label_toxic_a": at % 2, "label_toxic_b": 1 - at % 2}),
        |_: usize| json!({"worse_judgment": "[[A]]"}),
        |at: usize| json!({"annotator_1_group": letter(at), "annotator_2_group": "a"}),
        |at: usize| json!({"preview_1": letter(at), "preview_2": "a"}),
        |at: usize| json!({"corner_x": at, "corner_y": 1}),
        // Answers to separate questions.
        |at: usize| json!({"labels": {"q1": letter(at), "q2": "a"}}),
    ] {
        let read = guessed(&pairs(row));
        let none = "/response_a /response_b - - -";
        assert!(read.starts_with(none), "{}: {read}", row(0));
    }
}

#[test]
fn fields_that_decide_nothing_are_reported() {
    let may = "its numbers may rate the responses or name them";
    for (row, reported) in [
        (
            (|at: usize| json!({"more_convincing": letter(at)})) as fn(usize) -> Value,
            "/more_convincing is not used as the verdict: its name does not mean a winner; add winner=/more_convincing to --map".to_owned(),
        ),
        (
            |at| json!({"gold": letter(at)}),
            "/gold is not used as the verdict: its name does not mean a winner; add winner=/gold to --map".to_owned(),
        ),
        (
            |at| json!({"strength": at as i64 - 1}),
            format!("/strength is not used as the verdict: {may}"),
        ),
        (
            |_| json!({"votes": [0, 1, 1]}),
            "/votes is not used as the verdict: [0,1,1] does not clearly name a winner".to_owned(),
        ),
        (
            |at| json!({"result": "Response A", "gold": (["model_a", "model_b", "tie"][at])}),
            "/result is not used as the verdict: its name does not mean a winner; add winner=/result to --map".to_owned(),
        ),
        (
            |at| json!({"a_is_better": at == 0, "is_tie": at == 1}),
            "/a_is_better is not used as the verdict: true does not clearly name a winner".to_owned(),
        ),
        (
            |at| json!({"loser": letter(at)}),
            "/loser is not used as the verdict: its name means the losing response".to_owned(),
        ),
        (
            |at| json!({"preference_strength": at}),
            format!("/preference_strength is not used as the verdict: {may}"),
        ),
        (
            |_| json!({"style_reward_a": 1, "style_reward_b": 0, "form_reward_a": 0, "form_reward_b": 1}),
            "/style_reward_a is not used as the verdict: other fields also rate the responses".to_owned(),
        ),
    ] {
        let read = guessed(&pairs(row));
        assert_eq!(read, format!("/response_a /response_b - - -: {reported}"));
    }
}

#[test]
fn fields_of_many_names_say_who_wins() {
    let models = json!(["model_a", "model_b", "tie"]);
    let sentences = json!(["A is better (2)", "B is better (1)", "A is better (3)"]);
    for (field, values, winners) in [
        ("ranking_winner", json!(["a", "b", "a"]), "a b a"),
        ("gold", models, "a b tie"),
        ("result", json!(FIRST), "a a a"),
        ("a_is_better", json!([true, false, true]), "a b a"),
        ("prefer_b", json!([0, 1, 0]), "a b a"),
        ("choice", sentences, "a b a"),
        (
            "labels",
            json!([{"w0": "a"}, {"w0": "b"}, {"w0": "a"}]),
            "a b a",
        ),
    ] {
        let read = guessed(&pairs(|at| json!({field: values[at]})));
        assert_eq!(
            read,
            format!("/response_a /response_b {winners}"),
            "{field}"
        );
    }
    for (first, second, winners) in [
        ("summary_x", "summary_y", "- - -"),
        ("y_w", "y_l", "a a a"),
        ("liked", "disliked", "a a a"),
    ] {
        let read = guessed(&rows(|at| json!({first: FIRST[at], second: SECOND[at]})));
        assert_eq!(read, format!("/{first} /{second} {winners}"));
    }
    let chat =
        |text| json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": text}]);
    let alike = |at: usize| json!({"this": chat(FIRST[at]), "that": chat(SECOND[at])});
    assert_eq!(guessed(&rows(alike)), "/this /that - - -");
    let counts = |at: usize| json!({"response": FIRST[at], "liked": at, "disliked": 1});
    assert_eq!(guessed(&rows(counts)), "/response - - -");
    let list = |at: usize| json!({"n_best": [FIRST[at], SECOND[at]], "gold_index": at % 2});
    assert_eq!(guessed(&rows(list)), "/n_best/0 /n_best/1 a b a");
    // A row is one response.
    for name in ["Label", "is_preferred", "accepted"] {
        let row = |at: usize| json!({"Prompt": "Why?", "Completion": FIRST[at], name: at == 1});
        let schema = schema(&[&row(0).to_string(), &row(1).to_string()]).expect("a guess");
        let rule = schema.definition().rule();
        let is_it = matches!(rule, Some(VerdictRule::ByLabel { label, .. }) if label == name);
        assert!(is_it, "{name}: {rule:?}");
    }
}

#[test]
fn names_of_models_are_those_of_models() {
    let models = |at: usize| [["m", "n"], ["n", "m"], ["m", "n"]][at];
    for (row, expected) in [
        // Counted from 0, as shown by other fields or by a value.
        (
            (|_| json!({"model_0": "m", "model_1": "n", "winner": "model_1"}))
                as fn(usize) -> Value,
            "b b b",
        ),
        (|at| json!({"winner": format!("model_{}", at % 2)}), "a b a"),
    ] {
        let read = guessed(&pairs(row));
        assert_eq!(read, format!("/response_a /response_b {expected}"));
    }
    let read = guessed(&pairs(|at| {
        let [a, b] = models(at);
        json!({"expected_a": "m", "expected_b": "n", "model_a": a, "model_b": b, "winner": "m"})
    }));
    assert_eq!(read, "/response_a /response_b a b a");
}

#[test]
fn a_field_for_the_loser_is_no_winner_even_if_a_person_says_so() {
    let reported = |field: &str| {
        let rows = pairs(|at| {
            let mut row = json!({});
            row[field] = json!(letter(at));
            row
        });
        let map: Choices = format!("a=response_a,b=response_b,prompt=prompt,winner={field}")
            .parse()
            .expect("a map");
        let definition = map.of_survey(&rows.into());
        let guess = definition.guess.clone().expect("of a guess");
        (
            definition.rule().is_some(),
            guess.unused_verdict.map(|it| it.reason),
        )
    };
    assert_eq!(
        reported("rejected"),
        (false, Some(UnusedReason::NamesLoser))
    );
    // The user may know what a measure means.
    assert_eq!(reported("length_verdict"), (true, None));
    assert_eq!(reported("zz"), (true, None));
}

#[test]
fn one_word_about_a_prompt_is_none() {
    for (row, expected) in [
        (
            (|at| json!({"sentence": format!("Write {at} poems"), "task": "writing", "response_a": FIRST[at], "response_b": SECOND[at]}))
                as fn(usize) -> Value,
            "sentence",
        ),
        (
            |at| json!({"source": format!("Das Haus {at}"), "translation_1": FIRST[at], "translation_2": SECOND[at], "post_edit": FIRST[at]}),
            "source",
        ),
        // A date is not a prompt, but the only text after the responses is.
        (
            |at| json!({"created_at": "2024-05-01 10:00:00", "response_a": FIRST[at], "response_b": SECOND[at], "q": format!("Why is it {at}?")}),
            "q",
        ),
    ] {
        let lines: Vec<_> = (0..3).map(|at| row(at).to_string()).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let prompt = schema(&lines).expect("a guess").definition().prompt.clone();
        assert_eq!(prompt.expect("a prompt").path, [Path::from(expected)]);
    }
}
