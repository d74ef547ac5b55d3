//! Guesses for records in which annotators vote for the best response.

use serde_json::{Value, json};

use super::*;

const WORDS: [[&str; 3]; 2] = [["a", "a", "b"], ["b", "b", "b"]];

/// Two records of two responses, with the votes of three annotators.
fn records(keys: [&str; 2], votes: impl Fn([&str; 3]) -> Value) -> Vec<String> {
    let record = |votes: Value| {
        let mut record =
            json!({"prompt": "Why?", keys[0]: "Because of this.", keys[1]: "No idea."});
        let members = votes.as_object().expect("members").clone();
        record.as_object_mut().expect("an object").extend(members);
        record.to_string()
    };
    WORDS.map(|words| record(votes(words))).to_vec()
}

/// Formats the annotators' votes and the verdict of each record.
fn read(lines: &[String]) -> Vec<String> {
    let bytes: Vec<_> = lines.iter().map(String::as_str).collect();
    let schema = schema(&bytes).expect("a guess");
    let of_line = |line: &String| {
        let record = record_of(&schema, line);
        assert_eq!(record.warnings, [], "{line}");
        let votes = record.votes.each.iter().map(|it| {
            let name = it.annotator.iter().map(|name| format!("{name}="));
            name.chain([it.vote.verdict.word()]).collect::<String>()
        });
        let votes = votes.collect::<Vec<_>>().join(" ");
        let verdict = record
            .outcome
            .map_or("none".to_owned(), |it| it.verdict.word());
        format!("{votes}: {verdict}")
    };
    lines.iter().map(of_line).collect()
}

fn word<'w>(names: [&'w str; 2], vote: &str) -> &'w str {
    names[usize::from(vote == "b")]
}

#[test]
fn votes_are_found_however_they_are_stored() {
    let letters = ["response_a", "response_b"];
    let numbers = ["answer1", "answer2"];
    let unnamed = ["a a b: a", "b b b: b"];
    let named = ["kim=a lee=a max=b: a", "kim=b lee=b max=b: b"];
    let say = |names: [&'static str; 2]| move |vote: &str| word(names, vote).to_owned();
    for (lines, expected) in [
        (records(letters, |v| json!({"votes": v})), unnamed),
        (
            records(
                letters,
                |v| json!({"human_preferences": v.map(say(["[[A]]", "[[B]]"]))}),
            ),
            unnamed,
        ),
        (
            records(
                numbers,
                |v| json!({"annotations": v.map(|v| if v == "a" { 1 } else { 2 })}),
            ),
            unnamed,
        ),
        // No field name means votes, but the values do.
        (
            records(letters, |v| json!({"opinion": v.map(say(letters))})),
            unnamed,
        ),
        (
            records(
                letters,
                |v| json!({"model_a": "x-7b", "model_b": "y-8b", "seen": v.map(say(["x-7b", "y-8b"]))}),
            ),
            unnamed,
        ),
        // A table writes a list as text.
        (records(letters, |v| json!({"votes": v.join(";")})), unnamed),
        (
            records(letters, |v| json!({"votes": json!(v).to_string()})),
            unnamed,
        ),
        (
            records(
                letters,
                |v| json!({"votes": {"a": v.iter().filter(|v| **v == "a").count(), "b": v.iter().filter(|v| **v == "b").count()}}),
            ),
            unnamed,
        ),
        (
            records(
                letters,
                |v| json!({"votes": {"kim": v[0], "lee": v[1], "max": v[2]}}),
            ),
            named,
        ),
        (
            records(letters, |v| {
                json!({"raters": [
                    {"rater_id": "kim", "sure": 3, "overall_choice": v[0]}, {"rater_id": "lee", "sure": 1, "overall_choice": v[1]},
                    {"rater_id": "max", "sure": 2, "overall_choice": v[2]}
                ]})
            }),
            named,
        ),
        (
            records(numbers, |v| {
                json!({"labels": [
                    {"name": "kim", "answer": {"winner": say(["Answer 1", "Answer 2"])(v[0])}},
                    {"name": "lee", "answer": {"winner": say(["Answer 1", "Answer 2"])(v[1])}},
                    {"name": "max", "answer": {"winner": say(["Answer 1", "Answer 2"])(v[2])}}
                ]})
            }),
            named,
        ),
        (
            records(
                letters,
                |v| json!({"judge_kim": say(letters)(v[0]), "judge_lee": say(letters)(v[1]), "judge_max": say(letters)(v[2])}),
            ),
            [
                "judge_kim=a judge_lee=a judge_max=b: a",
                "judge_kim=b judge_lee=b judge_max=b: b",
            ],
        ),
        (
            records(numbers, |v| {
                let number = |vote| if vote == "a" { 1 } else { 2 };
                json!({"rater1": number(v[0]), "rater2": number(v[1]), "rater3": number(v[2])})
            }),
            [
                "rater1=a rater2=a rater3=b: a",
                "rater1=b rater2=b rater3=b: b",
            ],
        ),
        (
            records(
                letters,
                |v| json!({"expert_1": {"choice": v[0], "why": "x"}, "expert_2": {"choice": v[1], "why": "y"}}),
            ),
            ["expert_1=a expert_2=a: a", "expert_1=b expert_2=b: b"],
        ),
        // Discarded annotations do not count.
        (
            records(letters, |v| {
                let of = |place: usize, status: &str| json!({"choice": v[place], "status": status});
                json!({"annotations": [of(0, "submitted"), of(1, "discarded"), of(2, "draft")]})
            }),
            ["a: a", "b: b"],
        ),
        // The record's own verdict counts.
        (
            records(letters, |v| json!({"votes": v, "winner": "b"})),
            ["a a b: b", "b b b: b"],
        ),
    ] {
        assert_eq!(read(&lines), expected, "{}", lines[0]);
    }
}

#[test]
fn what_is_no_vote_is_not_taken_for_one() {
    let letters = ["response_a", "response_b"];
    for lines in [
        records(letters, |v| json!({"tags": v})),
        records(letters, |_| json!({"human_scores": [1, 2]})),
        records(
            letters,
            |v| json!({"preference_by": {"overall": v[0], "style": v[1]}}),
        ),
        records(letters, |_| json!({"votes_a": 2, "votes_b": 1})),
        // Annotators' names are not names of responses, and not every list of names has votes.
        records(
            ["response_1", "response_2"],
            |_| json!({"annotator_1": "ann", "annotator_2": "ben"}),
        ),
        records(
            letters,
            |_| json!({"model_a": "x", "model_b": "y", "losers": ["y"], "order": ["y", "x"]}),
        ),
        records(letters, |_| json!({"unsafe": ["response_b"]})),
        records(letters, |v| json!({"annotator_1": v[0]})),
        records(letters, |_| json!({"reviews": ["Fine.", "Poor."]})),
    ] {
        let bytes: Vec<_> = lines.iter().map(String::as_str).collect();
        let schema = schema(&bytes).expect("a guess");
        assert!(!schema.definition().has_votes(), "{}", lines[0]);
    }
    // A value for each pair of three responses (a and b, a and c, b and c), not of an annotator.
    let line = |winners: [&str; 3]| {
        let mut record = json!({"prompt": "Why?", "preferences": winners});
        for letter in ["a", "b", "c"] {
            record[format!("response_{letter}")] = format!("Because of {letter}.").into();
        }
        record.to_string()
    };
    let lines = [line(["a", "a", "b"]), line(["b", "c", "c"])];
    let schema = schema(&[&lines[0], &lines[1]]).expect("a guess");
    assert!(!schema.definition().has_votes(), "{}", lines[0]);
}

#[test]
fn a_name_of_an_element_decides_and_a_list_of_others_does_not() {
    let responses = json!([{"model": "x", "text": "Because."}, {"model": "y", "text": "No idea."}]);
    for list in ["losers", "models", "votes"] {
        let line = json!({"prompt": "Why?", "responses": responses, "winner": "x", list: ["y"]});
        assert_eq!(read(&[line.to_string()]), ["a: a"], "{list}");
    }
}

/// Tasks of Label Studio: field names of the data are arbitrary, and results are found by value.
#[test]
fn tasks_are_recognised_by_their_structure() {
    let result = |kind: &str, value: Value| json!({"from_name": "x", "type": kind, "value": value});
    let selected = |side: &str| result("pairwise", json!({"selected": side}));
    let chosen = |word: &str| result("choices", json!({"choices": [word]}));
    let task = |annotations: Value| {
        let data = json!({"question": "Why?", "left": "This.", "right": "That."});
        json!({"id": 1, "data": data, "annotations": annotations, "predictions": []}).to_string()
    };
    let by = |name: &str, results: Value| json!({"completed_by": {"id": 7, "email": name}, "was_cancelled": false, "result": results});
    let asked = |name: &str, word: &str| json!({"from_name": name, "type": "choices", "value": {"choices": [word]}});
    // Of several questions, the one that is named like a verdict.
    let answers = json!([
        asked("detail", "Left"),
        asked("preference", "Right"),
        asked("logic", "Left")
    ]);
    let line = task(json!([by("kim", answers)]));
    assert_eq!(read(&[line.clone(), line])[0], "kim=b: b");
    for (annotations, expected) in [
        (json!([by("kim", json!([selected("right")]))]), "kim=b: b"),
        (
            json!([
                by("kim", json!([chosen("Yes, it is safe"), selected("left")])),
                by("lee", json!([selected("left")]))
            ]),
            "kim=a lee=a: a",
        ),
        (
            json!([
                by("kim", json!([chosen("Response B")])),
                by("lee", json!([chosen("Left")]))
            ]),
            "kim=b lee=a: tie",
        ),
        (
            json!([by(
                "kim",
                json!([result(
                    "ranker",
                    json!({"ranker": {"rank": ["right", "left"]}})
                )])
            )]),
            "kim=b: b",
        ),
        (
            json!([{"completed_by": 3, "was_cancelled": true, "result": [selected("left")]}, {"completed_by": 4, "result": [selected("right")]}]),
            "4=b: b",
        ),
        (json!([]), ": none"),
        (json!([by("kim", json!([]))]), ": none"),
    ] {
        let lines = [
            task(json!([by("kim", json!([selected("left")]))])),
            task(annotations),
        ];
        assert_eq!(read(&lines)[1], expected, "{}", lines[1]);
    }
}

#[test]
fn lists_beside_votes_name_annotators_and_say_which_do_not_count() {
    let states = json!(["submitted", "draft", "submitted"]);
    for (votes, raters, state) in [
        ("best", "raters", "best_status"),
        ("answer.choice", "answer.users", "answer.state"),
    ] {
        let lines = records(
            ["response_a", "response_b"],
            |words| json!({votes: words, raters: ["ann", "ben", "cleo"], state: states}),
        );
        let expected = ["ann=a cleo=b: tie", "ann=b cleo=b: b"];
        assert_eq!(read(&lines), expected, "{votes}");
        // A list of another length is not beside the votes.
        let lines = records(
            ["response_a", "response_b"],
            |words| json!({votes: words, raters: ["ann"], state: ["draft"]}),
        );
        let expected = ["a a b: a", "b b b: b"];
        assert_eq!(read(&lines), expected, "{votes}");
    }
}
