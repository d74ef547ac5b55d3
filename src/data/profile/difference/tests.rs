//! Differences of small datasets, and of random ones.

use proptest::prelude::*;

use super::*;
use crate::dataset::tests::dataset;

/// A row of HelpSteer2.
fn row(prompt: &str, response: &str, helpfulness: u8) -> String {
    format!(
        r#"{{"prompt": "{prompt}", "response": "{response}", "helpfulness": {helpfulness}, "correctness": 3, "coherence": 4, "complexity": 1, "verbosity": 2}}"#
    )
}

fn of(rows: &[String]) -> Dataset {
    dataset(&[rows.join("\n")])
}

fn pair(prompt: &str, labels: [u8; 2]) -> [String; 2] {
    [row(prompt, "a", labels[0]), row(prompt, "b", labels[1])]
}

fn stated(value: f64) -> Option<StatedValue> {
    number(Some(OrderedNumber::of(value)))
}

fn label([response, now]: [ResponseId; 2], values: [f64; 2]) -> SampleChange {
    SampleChange {
        part: SamplePart {
            kind: PartKind::Label,
            name: "helpfulness".to_owned(),
            response: Some(response),
        },
        now: Some(now),
        values: values.map(stated),
    }
}

/// Returns a change of a part of the sample that has no name.
fn change(kind: PartKind, values: [Option<StatedValue>; 2]) -> SampleChange {
    let part = SamplePart {
        kind,
        name: String::new(),
        response: None,
    };
    SampleChange {
        part,
        now: None,
        values,
    }
}

fn matrix<'m>(found: &'m Difference<'_>, kind: PartKind) -> Option<&'m ValueMatrix> {
    found.matrices.iter().find(|matrix| matrix.kind == kind)
}

#[test]
fn each_kind_of_change_is_reported() {
    let old = of(&[
        pair("same", [3, 1]),
        pair("relabelled", [3, 1]),
        pair("edited", [3, 1]),
        pair("swapped", [3, 1]),
        pair("removed", [3, 1]),
    ]
    .concat());
    let [a, b] = pair("swapped", [3, 1]);
    let mut rows = pair("added", [2, 2]).to_vec();
    rows.extend(pair("relabelled", [1, 1]));
    rows.extend([row("edited", "a", 3), row("edited", "another", 1), b, a]);
    rows.extend(pair("same", [3, 1]));
    rows.push("{broken".to_owned());
    let new = of(&rows);
    let found = Difference::of(&old, &new);
    assert_eq!(found.unchanged, 1);
    assert_eq!(found.relabelled, [[1, 1]]);
    assert_eq!(found.edited, [[2, 2]]);
    assert_eq!(found.reordered, [[3, 3]]);
    assert_eq!(
        (found.removed.as_slice(), found.added.as_slice()),
        (&[4][..], &[0, 5][..])
    );
    assert!(!found.is_none());
    let helpfulness = &found.matrices[0];
    assert_eq!((&*helpfulness.name, helpfulness.all), ("helpfulness", 6));
    let cells: Vec<_> = helpfulness.cells().collect();
    let expected = [(1.0, 1.0, 3), (3.0, 1.0, 1), (3.0, 3.0, 2)];
    let expected = expected.map(|(old, new, count)| ([old, new].map(stated), count));
    assert_eq!(
        cells,
        expected.each_ref().map(|(values, count)| (values, *count))
    );
    let verdicts = matrix(&found, PartKind::Verdict).expect("both say who wins");
    assert_eq!((verdicts.all, verdicts.changed), (3, 1));
    let winners = [Verdict::wins(ResponseId::A), Verdict::Tie].map(|it| verdict(Some(it)));
    assert_eq!(
        found.changes([1, 1]),
        [
            label([ResponseId::A; 2], [3.0, 1.0]),
            change(PartKind::Verdict, winners),
        ]
    );
    let none = Difference::of(&old, &old);
    assert!(none.is_none() && none.unchanged == 5);
}

#[test]
fn responses_in_another_order_are_compared_one_by_one() {
    let [a, b] = [ResponseId::A, ResponseId::B];
    let old = of(&[pair("swapped", [3, 1]), pair("flipped", [3, 1])].concat());
    let rows = [
        row("swapped", "b", 1),
        row("swapped", "a", 3),
        row("flipped", "b", 4),
        row("flipped", "a", 3),
    ];
    let new = of(&rows);
    let found = Difference::of(&old, &new);
    assert_eq!((found.unchanged, found.edited.len()), (0, 0));
    assert_eq!(
        (&*found.reordered, &*found.relabelled),
        (&[[0, 0]][..], &[[1, 1]][..])
    );
    assert!(found.is_reordered([1, 1]));
    let winners = [a, b].map(|winner| verdict(Some(Verdict::wins(winner))));
    let verdict = change(PartKind::Verdict, winners);
    let label = label([b, a], [1.0, 4.0]);
    assert_eq!(found.changes([1, 1]), [label, verdict.clone()]);

    // The chosen response wins: other columns, another winner.
    let chosen = |chosen: &str, rejected: &str| {
        of(&[format!(
            r#"{{"prompt": "p", "chosen": "{chosen}", "rejected": "{rejected}"}}"#
        )])
    };
    let datasets = [chosen("x", "y"), chosen("y", "x")];
    let found = Difference::of(&datasets[0], &datasets[1]);
    assert_eq!(found.relabelled, [[0, 0]]);
    assert_eq!(found.changes([0, 0]), [verdict]);
}

#[test]
fn duplicates_are_paired_as_often_as_both_have_them() {
    let other = pair("other", [0, 0]);
    let often = |labels: &[[u8; 2]]| {
        // Separated, since a run of one prompt would be cut into pairs.
        let pairs = labels
            .iter()
            .flat_map(|labels| [pair("p", *labels), other.clone()]);
        of(&pairs.collect::<Vec<_>>().concat())
    };
    let old = often(&[[1, 2], [3, 4], [3, 4]]);
    let new = often(&[[3, 4], [1, 2]]);
    let found = Difference::of(&old, &new);
    assert_eq!(found.unchanged, 4, "independent of order");
    assert_eq!((found.removed.len(), found.added.len()), (2, 0));
    assert_eq!(found.relabelled, [[0_u32; 2]; 0]);
    let new = often(&[[3, 4], [1, 1], [3, 4]]);
    let found = Difference::of(&old, &new);
    assert_eq!(found.relabelled, [[0, 2]]);
    assert_eq!(found.unchanged, 5);
}

#[test]
fn parts_of_only_one_dataset_are_reported() {
    let old = of(&pair("p", [3, 1]));
    let chat = r#"{"prompt": "p", "chosen": "a", "rejected": "b", "score_chosen": 1, "score_rejected": 0}"#;
    let new = of(&[chat.to_owned()]);
    let found = Difference::of(&old, &new);
    assert_eq!((found.unchanged, found.matrices.len()), (1, 1));
    assert_eq!(found.not_compared(), [""; 0]);
    assert_eq!(
        (found.labels_of_one[0].len(), found.labels_of_one[1].len()),
        (5, 1)
    );
    assert_eq!(found.verdicts_of_one, None);
    assert!(!found.is_none(), "labels are gone");
}

#[test]
fn a_matrix_that_is_too_large_is_empty() {
    let mut matrix = ValueMatrix::new(PartKind::Label, String::new());
    for at in 0..1000_u32 {
        matrix.add([at, at + at % 2].map(|value| stated(value.into())));
    }
    assert_eq!((matrix.all, matrix.changed), (1000, 500));
    assert!(matrix.is_too_large() && matrix.cells().next().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Each sample of either dataset is counted once, and shuffling changes nothing.
    #[test]
    fn all_samples_are_counted(
        old in proptest::collection::vec((0..4_u8, 0..3_u8), 1..12),
        new in proptest::collection::vec((0..4_u8, 0..3_u8), 1..12),
    ) {
        let rows = |samples: &[(u8, u8)]| {
            let rows = samples.iter().enumerate().map(|(at, (prompt, label))| {
                // A prompt never follows itself, so that runs do not merge.
                row(&format!("p{prompt} {}", at % 2), "r", *label)
            });
            of(&rows.collect::<Vec<_>>())
        };
        let datasets = [rows(&old), rows(&new)];
        let found = Difference::of(&datasets[0], &datasets[1]);
        let both = found.unchanged + found.relabelled.len() + found.edited.len() + found.reordered.len();
        prop_assert_eq!(both + found.removed.len(), datasets[0].samples());
        prop_assert_eq!(both + found.added.len(), datasets[1].samples());
        let back = Difference::of(&datasets[1], &datasets[0]);
        prop_assert_eq!((back.unchanged, back.removed, back.added), (found.unchanged, found.added, found.removed));
        let same = Difference::of(&datasets[0], &datasets[0]);
        prop_assert!(same.is_none());
    }
}

#[test]
fn by_how_much_a_response_wins_is_compared_where_both_state_it() {
    let row = |prompt: &str, responses: [&str; 2], strength: i8| {
        let [one, other] = responses;
        format!(
            r#"{{"split": "train", "prompt": "{prompt}", "response_1": "{one}", "response_2": "{other}", "preference_strength": {strength}, "preference_statement": "s", "preference_elaboration": "e"}}"#
        )
    };
    let rows = |strengths: [i8; 3]| {
        let [same, changed, swapped] = strengths;
        let order = if swapped < 0 { ["x", "y"] } else { ["y", "x"] };
        of(&[
            row("same", ["x", "y"], same),
            row("changed", ["x", "y"], changed),
            row("swapped", order, swapped),
        ])
    };
    let datasets = [rows([2, -1, -2]), rows([2, -3, 2])];
    let found = Difference::of(&datasets[0], &datasets[1]);
    assert_eq!(
        (found.unchanged, &*found.relabelled, &*found.reordered),
        (1, &[[1, 1]][..], &[[2, 2]][..])
    );
    let margins = change(PartKind::Margin, [1.0, 3.0].map(stated));
    assert_eq!(found.changes([1, 1]), [margins]);
    let margins = matrix(&found, PartKind::Margin).expect("both state them");
    assert_eq!((margins.all, margins.changed), (3, 1));
    assert_eq!(found.not_compared(), [""; 0]);

    let ranked = dataset(&[r#"{"prompt": "same", "chosen": "y", "rejected": "x"}"#.to_owned()]);
    let found = Difference::of(&datasets[0], &ranked);
    assert_eq!(matrix(&found, PartKind::Margin), None);
    assert!(found.not_compared().contains(&"margin".to_owned()));
}

/// Returns a row with two votes, facts and texts, optionally with its responses and their values
/// swapped.
fn voted(domain: &str, votes: [i8; 2], feedback: &str, is_swapped: bool) -> String {
    let ([one, other], sign) = match is_swapped {
        true => (["No.", "So."], -1),
        false => (["So.", "No."], 1),
    };
    let [first, second] = votes.map(|vote| vote * sign);
    let [of_one, of_other] = match is_swapped {
        true => ["f2", feedback],
        false => [feedback, "f2"],
    };
    let overall = -2 * sign;
    format!(
        r#"{{"domain": "{domain}", "language": "english", "context": [{{"role": "user", "content": "Why?"}}], "response1": "{one}", "response2": "{other}", "overall_preference": {overall}, "individual_preference": [{{"score": {first}, "reasoning": "r", "feedback1": "{of_one}", "feedback2": "{of_other}"}}, {{"score": {second}, "reasoning": "r", "feedback1": "x", "feedback2": "x"}}]}}"#
    )
}

#[test]
fn details_are_compared() {
    let old = of(&[voted("general", [-2, 1], "f1", false)]);
    let changes = |row: String| {
        let new = of(&[row]);
        let found = Difference::of(&old, &new);
        assert_eq!(found.is_none(), found.unchanged == 1);
        let counted = found.unchanged + found.reordered.len() + found.detailed.len();
        assert_eq!((counted, found.not_compared()), (1, Vec::new()));
        found.changes([0, 0])
    };
    let texts = |values: [&str; 2]| values.map(|text| Some(StatedValue::Text(text.to_owned())));
    for is_swapped in [false, true] {
        let same = changes(voted("general", [-2, 1], "f1", is_swapped));
        assert_eq!(same, [], "{is_swapped}");
        let [changed] = &changes(voted("code", [-2, 1], "f1", is_swapped))[..] else {
            panic!("one change");
        };
        assert_eq!(
            (changed.part.kind, &*changed.part.name),
            (PartKind::Fact, "domain")
        );
        assert_eq!(changed.values, texts(["general", "code"]));
        let changed = changes(voted("general", [-2, -1], "f1", is_swapped));
        let votes = change(PartKind::Votes, texts(["2 -1", "2 1"]));
        assert_eq!(changed, [votes], "by how much A wins");
        let changed = changes(voted("general", [-2, 1], "another", is_swapped));
        let [SampleChange { part, .. }] = &changed[..] else {
            panic!("{changed:?}");
        };
        let expected = (PartKind::Rationale, "feedback", Some(ResponseId::A));
        assert_eq!((part.kind, &*part.name, part.response), expected);
    }
    let spaced = voted("general", [-2, 1], "f1", false).replace(", ", ",  ");
    assert_eq!(changes(spaced), [], "another spelling of the same");
}

#[test]
fn quotes_and_annotators_labels_are_compared() {
    const QUOTED: &str = include_str!("../../assets/demo/webgpt.jsonl");
    let row = QUOTED.lines().next().expect("a row").to_owned();
    let quoted = |row: &str| dataset(&[row.to_owned()]);
    let [old, new] = [
        quoted(&row),
        quoted(&row.replacen("finder patterns", "eyes", 1)),
    ];
    let found = Difference::of(&old, &new);
    assert_eq!(found.detailed, [[0, 0]], "{:?}", found.changes([0, 0]));
    let changes = found.changes([0, 0]);
    let is_quotes = |change: &SampleChange| change.part.kind == PartKind::Quotes;
    assert!(
        !changes.is_empty() && changes.iter().all(is_quotes),
        "{changes:?}"
    );

    let row = |said: &str| {
        format!(
            r#"{{"prompt": "p", "response": "r", "helpfulness": {said}, "correctness": [3, 3, 3], "coherence": [4, 4, 4], "complexity": [1, 1, 1], "verbosity": [2, 2, 2]}}"#
        )
    };
    let [old, new] = ["[1, 2, 3]", "[3, 2, 1]"].map(|said| of(&[row(said)]));
    let found = Difference::of(&old, &new);
    let values = ["1 2 3", "3 2 1"].map(|said| Some(StatedValue::Text(said.to_owned())));
    let changes = found.changes([0, 0]);
    assert_eq!(
        changes.len(),
        1,
        "with the mean and the spread that they had"
    );
    assert_eq!(changes[0].part.kind, PartKind::Annotators);
    assert_eq!(changes[0].values, values);
}

#[test]
fn duplicates_with_equal_rows_are_paired_first() {
    let row = |domain: &str| voted(domain, [-2, 1], "f1", false);
    let old = of(&["code", "general", "stem"].map(row));
    let new = of(&["stem", "code", "multilingual"].map(row));
    let found = Difference::of(&old, &new);
    assert_eq!((found.unchanged, &*found.detailed), (2, &[[1, 2]][..]));
}

#[test]
fn each_response_is_found_in_the_other_order() {
    // Responses with equal texts are matched by equal values, otherwise arbitrarily.
    let says = |old: usize, new: usize| [1, 2, 3][old] == [3, 2, 1][new];
    assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], says), [2, 1, 0]);
    assert_eq!(*order_of(&[7, 7, 9], &[9, 7, 7], |_, _| false), [1, 2, 0]);
}
