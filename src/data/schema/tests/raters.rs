//! Raters beside the verdict: which fields are some, and which field decides.

use serde_json::{Value, json};

use super::*;

/// Returns what decides, and the raters, of pairs with these further fields.
fn sources(of: impl Fn(usize) -> Value) -> String {
    let row = |at: usize| {
        let mut row = json!({
            "prompt": format!("question number {at}, for anyone"),
            "response_a": format!("the first answer to {at}, in words"),
            "response_b": format!("the second answer to {at}, in words"),
        });
        let fields = of(at).as_object().cloned().unwrap_or_default();
        row.as_object_mut().expect("an object").extend(fields);
        row.to_string()
    };
    let rows: Vec<_> = (0..24).map(row).collect();
    let rows: Vec<_> = rows.iter().map(String::as_str).collect();
    let schema = schema(&rows).expect("a schema");
    let definition = schema.definition();
    let path = definition.rule().and_then(VerdictRule::path);
    let decides = path.map_or("votes or labels".to_owned(), ToString::to_string);
    let raters = schema.raters().iter().map(|rater| rater.margin.id.name);
    format!("{decides}: {}", raters.collect::<Vec<_>>().join(" "))
}

fn letter(at: usize) -> &'static str {
    if at.is_multiple_of(3) { "A" } else { "B" }
}

fn other(at: usize) -> &'static str {
    if at.is_multiple_of(2) { "A" } else { "B" }
}

#[test]
fn a_program_decides_last_and_other_sources_are_raters() {
    for (row, expected) in [
        (
            (|at| json!({"llm_winner": other(at), "human_winner": letter(at)}))
                as fn(usize) -> Value,
            "/human_winner: llm_winner.margin",
        ),
        (
            |at| json!({"gpt4_winner": other(at), "winner": letter(at)}),
            "/winner: gpt4_winner.margin",
        ),
        (
            |at| json!({"gpt4_judge": other(at), "human_preference": letter(at)}),
            "/human_preference: gpt4_judge.margin",
        ),
        // The final label decides, not one of the annotators.
        (
            |at| json!({"final_preference": letter(at), "annotator1_preference": letter(at), "annotator2_preference": other(at)}),
            "/final_preference: ",
        ),
        (
            |at| json!({"winner": letter(at), "rm_score_a": 0.5, "rm_score_b": at}),
            "/winner: rm_score.margin",
        ),
        // Other labels of one sheet are none.
        (
            |at| json!({"winner": letter(at), "helpfulness_a": at % 5, "helpfulness_b": 2, "clarity_a": 1, "clarity_b": at % 4}),
            "/winner: helpfulness.margin",
        ),
        // Names of judges, their order and groups are no verdicts.
        (
            |at| json!({"winner": letter(at), "judge_order": other(at), "annotator_group": other(at), "labeler": other(at)}),
            "/winner: ",
        ),
        // One value for all rows says nothing.
        (
            |at| json!({"winner": letter(at), "gpt4_judge": "A"}),
            "/winner: ",
        ),
        // Different names can make the same word.
        (
            |at| json!({"winner": letter(at), "gpt judge": other(at), "gpt-judge": letter(at)}),
            "/winner: gpt_judge.margin gpt_judge_.margin",
        ),
    ] {
        assert_eq!(sources(row), expected, "{}", row(1));
    }
}
