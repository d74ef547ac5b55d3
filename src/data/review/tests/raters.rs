//! Raters beside reviewers.

use super::agreement::of;
use super::*;
use crate::review::RaterKind;

#[test]
fn raters_of_one_file_are_compared_like_joined_ones() {
    // The judge reverses every third verdict and calls every fourth a tie; the model scores A higher.
    let letter = |at: usize, turned: bool| {
        if at.is_multiple_of(2) == turned {
            "B"
        } else {
            "A"
        }
    };
    let row = |at: usize| {
        let judge = if at.is_multiple_of(4) {
            "tie"
        } else {
            letter(at, at.is_multiple_of(3))
        };
        format!(
            "{{\"prompt\": \"question number {at}\", \"response_a\": \"the first answer {at}\", \
             \"response_b\": \"the second answer {at}\", \"human_winner\": \"{}\", \"gpt4_judge\": \
             \"{judge}\", \"rm_score_a\": 1.5, \"rm_score_b\": 0.{at}}}\n",
            letter(at, false)
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..24).map(row).collect();
    let dataset = load(&[file(&folder, "judged.jsonl", &rows)]);
    let mut scribe = Scribe::default();
    for key in keys(&dataset) {
        scribe.verdict("anna", key, Verdict::wins(ResponseId::A));
    }
    let all = of(&scribe, &dataset, None);
    let rows: Vec<_> = all
        .raters
        .iter()
        .map(|it| {
            (
                &*it.name,
                it.kind,
                it.n,
                it.ties.value.ok(),
                it.first.value.ok(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("anna", RaterKind::Reviewer, 24, Some(0.0), Some(1.0)),
            (
                "gpt4_judge",
                RaterKind::Judge,
                24,
                Some(0.25),
                Some(8.0 / 18.0)
            ),
            ("rm_score", RaterKind::Score, 24, Some(0.0), Some(1.0)),
            ("dataset", RaterKind::Dataset, 24, Some(0.0), Some(0.5)),
        ]
    );
}

#[test]
fn verdicts_on_three_responses_are_those_of_the_rater() {
    let row = |at: usize| {
        let best = ["A", "B", "C"][at % 3];
        format!(
            "{{\"prompt\": \"question number {at}\", \"response_a\": \"the first answer {at}\", \
             \"response_b\": \"the second answer {at}\", \"response_c\": \"the third answer {at}\", \
             \"human_winner\": \"{best}\", \"gpt4_judge\": \"{best}\"}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..24).map(row).collect();
    let dataset = load(&[file(&folder, "three.jsonl", &rows)]);
    let mut scribe = Scribe::default();
    for key in keys(&dataset) {
        scribe.verdict("anna", key, Verdict::wins(ResponseId::B));
    }
    let all = of(&scribe, &dataset, None);
    let first = |name: &str| {
        let rater = all.raters.iter().find(|it| &*it.name == name);
        rater.and_then(|it| it.first.value.ok())
    };
    assert_eq!(
        (first("gpt4_judge"), first("dataset")),
        (Some(1.0 / 3.0), Some(1.0 / 3.0))
    );
}
