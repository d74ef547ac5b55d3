//! Exports of reviewers' acts in a blind audit.

use std::collections::BTreeMap;

use super::*;
use crate::dataset::tests::dataset;
use crate::journal::Note;
use crate::model::ResponseOrder;
use crate::review::{Agreement, AgreementScope, Workspace, locate};

/// One pair that B wins in the dataset.
fn data() -> Dataset {
    let rows = [row("p", "one", 1), row("p", "two", 4)];
    dataset(&[rows.join("\n")])
}

fn note_in(order: Option<ResponseOrder>) -> Act {
    Act::Note {
        text: "A is better".into(),
        order,
    }
}

#[test]
fn a_note_says_what_its_letters_are_in_the_file() {
    let data = data();
    let file = ResponseOrder::OF_FILE;
    for (order, letters, swapped) in [
        (Some(file.reversed(2)), " (its A is B here)", json!(true)),
        (Some(file), "", json!(false)),
        (None, "", json!(null)),
    ] {
        let mut acts = Acts::default();
        acts.act("ann", Some((&data, 0)), note_in(order));
        let text = |format| exported(&data, &all(&data), &acts.ledger, format).1;
        let page = text(Format::Markdown);
        let note = format!("Note of ann{letters}:\n\n> A is better\n");
        assert!(page.contains(&note), "{page}");
        let cell = &table(&text(Format::Csv))[0]["notes"];
        assert_eq!(*cell, format!("ann{letters}: A is better"));
        let reviewed = text(Format::Reviewed);
        let row: Value =
            serde_json::from_str(reviewed.lines().next().expect("a row")).expect("JSON");
        assert_eq!(row["review"]["notes"][0]["swapped"], swapped);
    }
}

#[test]
fn letters_of_a_note_are_those_of_its_order_by_those_here() {
    let order = |word| ResponseOrder::of_word(word).expect("an order");
    for (written, here, responses, says) in [
        ("ba", "", 2, Some("its A is B here")),
        ("ba", "ba", 2, None),
        ("", "ba", 2, Some("its A is B here")),
        ("ba", "", 1, None),
        ("cab", "", 3, Some("its A, B, C are C, A, B here")),
        ("cab", "bca", 3, Some("its A, B, C are B, C, A here")),
    ] {
        let note = Note {
            reviewer: "ann".into(),
            text: "A".into(),
            order: Some(order(written)),
        };
        let letters = note_letters(&note, order(here), responses);
        assert_eq!(letters.as_deref(), says, "{written} {here}");
    }
}

/// An audit whose final values differ from those given blind: of four pairs the first is changed,
/// the second skipped and the third kept after the reveal; the fourth had been seen before, and the
/// fifth was judged outside of the audit before it was shown there.
fn changed_audit() -> (Dataset, Acts) {
    let rows = (0..5).flat_map(|at| {
        let prompt = format!("p{at}");
        [row(&prompt, "one", 1), row(&prompt, "two", 4)]
    });
    let data = dataset(&[rows.collect::<Vec<_>>().join("\n")]);
    let mut acts = Acts::default();
    let blind = Setting {
        audit: Some(ActId("feedbeef-1".into())),
        blind: true,
        ..Setting::default()
    };
    let revealed = Setting {
        blind: false,
        revealed: true,
        ..blind.clone()
    };
    let seen = Setting {
        blind: false,
        seen: true,
        ..blind.clone()
    };
    for (sample, values, setting) in [
        (0, [4.0, 3.0], &blind),
        (1, [1.0, 3.0], &blind),
        (2, [1.0, 4.0], &blind),
        (3, [0.0, 0.0], &seen),
        (4, [2.0, 4.0], &Setting::default()),
        (4, [0.0, 0.0], &seen),
        (0, [1.0, 4.0], &revealed),
    ] {
        for (side, value) in ResponseId::first(2).zip(values) {
            acts.label("ann", (&data, sample), side, value, setting);
        }
    }
    let setting = revealed;
    acts.act("ann", Some((&data, 1)), Act::Skip { setting });
    (data, acts)
}

fn figures(data: &Dataset, acts: &Acts) -> Agreement {
    let refs = (0..data.samples()).map(|sample| sample_ref_of(data, sample));
    let places = locate(data, &refs.collect::<Vec<_>>(), &|| true).expect("found");
    let scope = AgreementScope {
        reviewer: Some("ann"),
        audit: None,
        between: false,
        has_details: true,
        counts: &|_, _| true,
    };
    let work = Workspace {
        dataset: data,
        ledger: &acts.ledger,
        places: &places,
    };
    let counted = work.agreement_while(&scope, true, &|| true);
    counted.expect("counted")
}

#[test]
fn agreement_from_a_table_equals_the_report() {
    let (data, acts) = changed_audit();
    let figures = figures(&data, &acts);
    let label = &figures.labels[0];
    assert_eq!(&*label.name, "helpfulness");
    let text = exported(&data, &all(&data), &acts.ledger, Format::Csv).1;
    let lines = table(&text);
    let is_compared = |line: &&BTreeMap<String, String>| {
        line["ann: seen"] == "false" && ["judged", "partial"].contains(&&*line["ann: state"])
    };
    let compared: Vec<_> = lines.iter().filter(is_compared).collect();
    let equal = |own: &str, given: &str| {
        let equal = compared.iter().filter(|line| line[own] == line[given]);
        equal.count() as f64 / compared.len() as f64
    };
    assert_eq!(compared.len() as u64, label.confusion.total());
    assert_eq!(
        Ok(equal("helpfulness", "ann: helpfulness")),
        label.equal.value
    );
    for line in &compared {
        let [own, given] =
            ["helpfulness", "ann: helpfulness"].map(|name| line[name].parse::<usize>());
        let count = label
            .confusion
            .count(given.expect("a value"), own.expect("a value"));
        assert!(count > 0, "{line:?}");
    }
    let verdict = figures.verdict.expect("verdicts");
    assert_eq!(Ok(equal("verdict", "ann: verdict")), verdict.equal.value);
}

#[test]
fn later_changes_are_exported_with_a_judgment() {
    let (data, acts) = changed_audit();
    let text = |format| exported(&data, &all(&data), &acts.ledger, format).1;
    let lines = table(&text(Format::Csv));
    let cells = |line: usize, names: [&str; 5]| {
        names.map(|name| lines[line][&format!("ann: {name}")].clone())
    };
    let names = ["helpfulness", "blind", "state", "after reveal", "later"];
    for (line, expected) in [
        (
            0,
            [
                "4",
                "true",
                "partial",
                "changed",
                "A helpfulness 1; B helpfulness 4",
            ],
        ),
        (
            2,
            [
                "1",
                "true",
                "partial",
                "withdrawn",
                "A helpfulness 1; B helpfulness 3; skipped",
            ],
        ),
        (4, ["1", "true", "partial", "", ""]),
        (6, ["0", "false", "partial", "", ""]),
        (8, ["2", "false", "partial", "", ""]),
    ] {
        assert_eq!(cells(line, names), expected, "line {line}");
    }
    let rows = text(Format::Reviewed);
    let rows: Vec<Value> = rows
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let rating = |row: usize| &rows[row]["review"]["ratings"][0];
    assert_eq!(rating(0)["labels"]["a"], json!({"helpfulness": 4}));
    assert_eq!(rating(0)["later"]["became"], "changed");
    assert_eq!(rating(0)["later"]["labels"]["a"], json!({"helpfulness": 1}));
    assert_eq!(rating(2)["later"]["state"], "skipped");
    assert_eq!(rating(4)["later"], json!(null));
    let page = text(Format::Markdown);
    let says = "blind): A helpfulness 4; B helpfulness 3; changed after the labels were shown: A helpfulness 1; B helpfulness 4\n";
    assert!(page.contains(says), "{page}");
}

#[test]
fn what_was_taken_back_after_the_labels_showed_is_not_gone() {
    let (data, mut acts) = changed_audit();
    let setting = Setting {
        audit: Some(ActId("feedbeef-1".into())),
        revealed: true,
        ..Setting::default()
    };
    for response in ResponseId::first(2) {
        let rated = Judgment::Label {
            label: "helpfulness".into(),
            response,
            value: None,
        };
        let setting = setting.clone();
        acts.act("ann", Some((&data, 2)), Act::Rate { rated, setting });
    }
    let text = exported(&data, &all(&data), &acts.ledger, Format::Csv).1;
    let line = &table(&text)[4];
    let cells =
        ["helpfulness", "after reveal", "later"].map(|name| &*line[&format!("ann: {name}")]);
    assert_eq!(cells, ["1", "withdrawn", "nothing judged"]);
}
