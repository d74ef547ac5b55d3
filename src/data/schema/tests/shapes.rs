//! Guesses hold the invariants of preference data for any names: structure decides, and names break
//! ties.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::*;
use crate::schema::Guess;

const ASKED: [&str; 4] = [
    "How do I seal a leaking gutter joint?",
    "Why do onions make people cry?",
    "Which knot holds a hammock best?",
    "When is the tide at its lowest?",
];
const GOOD: [&str; 4] = [
    "Clean the joint, let it dry, and press sealant into it.",
    "Cutting them frees a gas that stings the eyes.",
    "A bowline holds well and is easy to untie.",
    "About six hours after high water, twice a day.",
];
const BAD: [&str; 4] = [
    "Shout at the rain until it stops.",
    "They are sad vegetables, that is all.",
    "Any knot, if you believe in it.",
    "Whenever the sea has somewhere else to be.",
];

/// Returns one row for each question.
fn rows(of: impl Fn(usize) -> Value) -> Vec<String> {
    (0..ASKED.len()).map(|at| of(at).to_string()).collect()
}

fn guessed(rows: &[String]) -> Option<Arc<Schema>> {
    let lines: Vec<_> = rows.iter().map(String::as_str).collect();
    schema(&lines).ok()
}

/// Formats prompt, responses and winner of the first row, with texts as `ask`, `good` and `bad`;
/// then the doubts.
fn read(rows: &[String]) -> String {
    let Some(schema) = guessed(rows) else {
        return "refused".to_owned();
    };
    let record = record_of(&schema, &rows[0]);
    let name = |text: &str| {
        let known = [(ASKED[0], "ask"), (GOOD[0], "good"), (BAD[0], "bad")];
        let known = known.iter().find(|(known, _)| *known == text);
        known.map_or_else(|| text.to_owned(), |(_, name)| (*name).to_owned())
    };
    let prompt = record.prompt.iter().map(|turn| name(&turn.text));
    let responses = record.responses.iter().map(|response| name(&response.text));
    let winner = record
        .outcome
        .map_or("-".to_owned(), |it| it.verdict.word());
    let words = [prompt.collect::<Vec<_>>(), responses.collect()].map(|words| words.join(" "));
    let guess = schema.definition().guess.iter();
    let doubts: Vec<_> = guess.flat_map(Guess::doubtful).collect();
    let doubts = if doubts.is_empty() {
        String::new()
    } else {
        format!(" ? {}", doubts.join("; "))
    };
    format!("{}: {} {winner}{doubts}", words[0], words[1])
}

#[test]
fn shapes_are_read_under_any_name() {
    let reply = |text: &str| json!([{"role": "assistant", "content": text}]);
    for (row, expected) in [
        // A text beside a reference is the response.
        (
            (|at| json!({"question": ASKED[at], "answer": GOOD[at], "llm_answer": BAD[at]}))
                as fn(usize) -> Value,
            "ask: bad -",
        ),
        (
            |at| json!({"info": {"question": ASKED[at], "output_correct": GOOD[at], "output_candidate": BAD[at]}}),
            "ask: bad -",
        ),
        // One known word says who wins; without one, there are two responses and no winner.
        (
            |at| json!({"question": ASKED[at], "other_answer": BAD[at], "preferred_answer": GOOD[at]}),
            "ask: good bad a",
        ),
        (
            |at| json!({"prompt": ASKED[at], "correct_solution": GOOD[at], "incorrect_solution": BAD[at]}),
            "ask: good bad a",
        ),
        (
            |at| json!({"prompt": ASKED[at], "unhelpful_text": BAD[at], "helpful_text": GOOD[at]}),
            "ask: good bad a",
        ),
        (
            |at| json!({"instruction": ASKED[at], "base_answer": BAD[at], "lora_answer": GOOD[at]}),
            "ask: bad good -",
        ),
        (
            |at| json!({"chosen": GOOD[at], "rejected": BAD[at]}),
            ": good bad a ? no prompt found",
        ),
        (
            |at| json!({"problem": ASKED[at], "reference_code": GOOD[at], "generated_code": BAD[at], "notes": "Nothing more is to be said."}),
            "ask: bad -",
        ),
        (
            |at| json!({"question": ASKED[at], "reference": "It is said.", "base_pred": BAD[at], "ft_pred": GOOD[at]}),
            "ask: bad good -",
        ),
        (
            |at| json!({"source": ASKED[at], "context": "Rain fell on the roof.", "system_output": GOOD[at]}),
            "Rain fell on the roof.\nHow do I seal a leaking gutter joint?: good -",
        ),
        (
            |at| json!({"query": ASKED[at], "alpha_wording": GOOD[at], "beta_wording": BAD[at]}),
            "ask: good bad -",
        ),
        (
            |at| json!({"context": ASKED[at], "ref_text": BAD[at], "sample": GOOD[at]}),
            "ask: good -",
        ),
        (
            |at| json!({"question_group": "house", "question_text": ASKED[at], "response_text": GOOD[at]}),
            "ask: good -",
        ),
        (
            |at| json!({"original_prompt": ASKED[at], "original_prompt_answer": GOOD[at], "final_prompt_answer": BAD[at]}),
            "ask: good bad -",
        ),
        (
            |at| json!({"source": ASKED[at], "reference": "It is said.", "system_outputs": {"alpha": GOOD[at], "beta": BAD[at]}}),
            "ask: good bad -",
        ),
        (
            |at| json!({"seeker_post": ASKED[at], "response_post": GOOD[at], "level": 1}),
            "ask: good -",
        ),
        // The prompt of a judge quotes the responses.
        (
            |at| json!({"prompt": format!("Which is better? {} {}", GOOD[at], BAD[at]), "title": ASKED[at], "response_a": GOOD[at], "response_b": BAD[at]}),
            "ask: good bad -",
        ),
        // A pair comes before a list.
        (
            |at| json!({"prompt": ASKED[at], "chosen": GOOD[at], "rejected": BAD[at], "candidates": ["Maybe so.", "Maybe not."]}),
            "ask: good bad a",
        ),
        // Elements that say which one was taken.
        (
            |at| json!({"prompt": ASKED[at], "replies": [{"text": BAD[at], "selected": 0}, {"text": GOOD[at], "selected": 1}]}),
            "ask: bad good b",
        ),
        (
            |at| json!({"prompt": ASKED[at], "drafts": [{"label": "rejected", "messages": [{"role": "assistant", "content": BAD[at]}]}, {"label": "chosen", "messages": [{"role": "assistant", "content": GOOD[at]}]}]}),
            "ask: bad good b",
        ),
        (
            |at| json!({"text": ASKED[at], "role": "prompter", "replies": [{"text": BAD[at], "role": "assistant", "rank": 1}, {"text": GOOD[at], "role": "assistant", "rank": 0}]}),
            "ask: bad good b",
        ),
        // Roles that say who wins.
        (
            |at| json!({"conversations": [{"from": "human", "value": ASKED[at]}, {"from": "chosen_gpt", "value": GOOD[at]}, {"from": "rejected_gpt", "value": BAD[at]}]}),
            "ask: good bad a",
        ),
        // Ranks with a tie are no order.
        (
            |at| json!({"prompt": ASKED[at], "generations": [BAD[at], GOOD[at], "I pass."], "ranking": [2, 1, 2]}),
            "ask: bad good I pass. b",
        ),
        // A text for each object, and lists that are the lines of a text.
        (
            |at| json!({"query": ASKED[at], "gpt": {"style": "kind", "utterance": GOOD[at]}, "claude": {"style": "rude", "utterance": BAD[at]}}),
            "ask: good bad -",
        ),
        (
            |at| json!({"question": ASKED[at], "summary": [format!("- {}", GOOD[at]), format!("- {}", BAD[at])]}),
            "ask: - Clean the joint, let it dry, and press sealant into it.\n- Shout at the rain until it stops. -",
        ),
        // Turns in two lists.
        (
            |at| json!({"questions": [ASKED[at], "And then?"], "outputs": [BAD[at], GOOD[at]]}),
            "ask bad And then?: good -",
        ),
        // Two games of one judge.
        (
            |at| json!({"question": ASKED[at], "answer_1": GOOD[at], "answer_2": BAD[at], "g1_winner": (["model_1", "model_2"][at % 2]), "g2_winner": "model_1"}),
            "ask: good bad a",
        ),
        // Prompts alone are no responses.
        (
            |at| json!({"params": {"input": [{"role": "user", "content": ASKED[at]}]}}),
            "refused",
        ),
        // What the rows show is a doubt.
        (
            |at| json!({"id": at, "completion": GOOD[at]}),
            ": good - ? no prompt found",
        ),
        (
            |at| json!({"prompt": ASKED[at], "response": format!("[\"{}\"]", GOOD[at])}),
            "ask: [\"Clean the joint, let it dry, and press sealant into it.\"] - ? response is a list in a text",
        ),
        (
            |at| json!({"prompt": ASKED[at], "completion": GOOD[at], "contradiction_0": BAD[at], "contradiction_1": BAD[at]}),
            "ask: good - ? not a response: contradiction_0",
        ),
    ] {
        let rows = rows(row);
        assert_eq!(read(&rows), expected, "{}", rows[0]);
    }
    let traces = rows(
        |at| json!({"task_description": ASKED[at], "trace_a": reply(GOOD[at]), "trace_b": reply(BAD[at])}),
    );
    assert_eq!(read(&traces), "ask: good bad -");
}

#[test]
fn questions_and_answers_of_other_numbers_are_kept() {
    let pair = rows(|at| json!({"questions": [ASKED[at], "Why?"], "outputs": [BAD[at], GOOD[at]]}));
    let schema = guessed(&pair).expect("a guess");
    let line = json!({"questions": ["One?", "Two?", "Three?"], "outputs": ["Uno.", "Dos."]});
    let line = line.to_string();
    let record = record_of(&schema, &line);
    let asked: Vec<_> = record.prompt.iter().map(|turn| &*turn.text).collect();
    assert_eq!(asked.join(" "), "One? Two? Three?");
    assert_eq!(record.responses[0].text, "Uno.\nDos.");
}

#[test]
fn words_are_values_only_where_all_mean_the_better_or_the_worse_response() {
    let rating = |first: Value, later: Value| {
        let row = |value: &Value| json!({"prompt": ASKED[0], "replies": [{"text": BAD[0], "score": value}, {"text": GOOD[0], "score": value}]});
        let schema = guessed(&[row(&first).to_string()]).expect("a guess");
        record_of(&schema, &row(&later).to_string()).responses[0]
            .ratings
            .clone()
    };
    assert_eq!(rating(json!(2), json!("good")), [None]);
    assert_eq!(rating(json!("bad"), json!("good")), [Some(1.0)]);
    assert_eq!(rating(json!("bad"), json!("fine")), [None]);
}

#[test]
fn rows_that_differ_in_an_outcome_are_alternatives() {
    for (name, [yes, no]) in [
        ("label", [json!(true), json!(false)]),
        ("kto_tag", [json!(true), json!(false)]),
        ("score", [json!(0.9), json!(0.1)]),
    ] {
        let row = |text: &str, value: &Value| {
            let turns = json!([{"role": "user", "content": ASKED[0]}, {"role": "assistant", "content": text}]);
            json!({"messages": turns, name: value}).to_string()
        };
        let rows = [row(GOOD[0], &yes), row(BAD[0], &no)];
        let schema = guessed(&rows).expect("a guess");
        assert!(schema.joins_rows(), "{name}");
        let prompts = rows.each_ref().map(|line| {
            let row = schema.row(line.as_bytes()).expect("a row");
            row.prompt_spelling().map(std::borrow::Cow::into_owned)
        });
        assert!(prompts[0].is_some() && prompts[0] == prompts[1], "{name}");
    }
}

#[test]
fn rows_of_one_prompt_are_joined_where_they_are_apart() {
    let row = |at: usize, text: &str| {
        json!({"prompt": ASKED[at], "response": text, "score": at}).to_string()
    };
    let of_all = |texts: [&str; 4]| (0..4).map(move |at| row(at, texts[at])).collect::<Vec<_>>();
    let apart = [of_all(GOOD), of_all(BAD)].concat();
    let group = |rows: &[String]| guessed(rows).expect("a guess").definition().group.clone();
    assert_eq!(group(&apart), [Path::from("prompt")]);
    let mut adjacent = apart;
    adjacent.sort();
    assert_eq!(group(&adjacent), []);
}

/// Names as people choose them, without regard to the words that the guess knows.
fn stems() -> impl Strategy<Value = String> {
    let known = [
        "reply",
        "text",
        "answer",
        "take",
        "note from",
        "essay",
        "Output",
        "summaryText",
        "solution",
        "zorp",
    ];
    select(known.to_vec()).prop_map(str::to_owned)
}

fn sides() -> impl Strategy<Value = [String; 2]> {
    let pairs = [
        ["a", "b"],
        ["1", "2"],
        ["left", "right"],
        ["first", "second"],
        ["A", "B"],
        ["x", "y"],
    ];
    select(pairs.to_vec()).prop_map(|pair| pair.map(str::to_owned))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// A pair is read as a pair, whatever lists, references and settings are next to it.
    #[test]
    fn a_pair_comes_before_any_list(
        more in select(vec!["candidates", "completions", "reference_answers", "options", "samples", "outputs", "tags"]),
        short in any::<bool>(),
    ) {
        let cut = |text: &str| if short { text[..4].to_owned() } else { text.to_owned() };
        let rows = rows(|at| json!({
            "prompt": ASKED[at], "chosen": cut(GOOD[at]), "rejected": cut(BAD[at]),
            more: ["A first text in a list.", "A second text in a list."],
        }));
        let schema = guessed(&rows).expect("a guess");
        let record = record_of(&schema, &rows[0]);
        let texts: Vec<_> = record.responses.iter().map(|it| it.text.to_string()).collect();
        prop_assert_eq!(texts, [cut(GOOD[0]), cut(BAD[0])]);
    }

    /// Texts whose names differ in a side are all responses or none: never one of them.
    #[test]
    fn a_set_of_texts_is_read_whole(stem in stems(), side in sides()) {
        let [one, two] = side.map(|side| format!("{stem}_{side}"));
        let rows = rows(|at| json!({"prompt": ASKED[at], &one: GOOD[at], &two: BAD[at]}));
        if let Some(schema) = guessed(&rows) {
            prop_assert_eq!(record_of(&schema, &rows[0]).responses.len(), 2, "{} {}", one, two);
        }
    }

    /// The values of a field without a known name, which name no response, never say who wins.
    #[test]
    fn no_verdict_is_invented(name in "[a-z]{3,9}", values in proptest::collection::vec("[a-z]{4,7}", 4)) {
        let rows = rows(|at| json!({
            "prompt": ASKED[at], "response_a": GOOD[at], "response_b": BAD[at], &name: values[at],
        }));
        if let Some(schema) = guessed(&rows).filter(|_| !values.iter().any(|it| crate::schema::guess::outcome(it).is_some())) {
            prop_assert!(schema.definition().rule().is_none(), "{name} {values:?}");
        }
    }

    /// Turns of users are never a response, and no guess is a schema that its own reader refuses.
    #[test]
    fn turns_of_users_are_no_response(key in "[a-z]{3,9}", role in select(vec!["user", "human", "prompter"])) {
        let rows = rows(|at| json!({&key: [{"role": role, "content": ASKED[at]}], "source": "web"}));
        if let Some(schema) = guessed(&rows) {
            let record = record_of(&schema, &rows[0]);
            prop_assert!(record.responses.iter().all(|it| !it.text.contains(ASKED[0])));
        }
    }
}
