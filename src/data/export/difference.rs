//! Differences of two datasets, as text for reviewers and as JSON for programs.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::place::FilePlace;
use crate::answer::{json_document, json_number};
use crate::dataset::{Buffers, Dataset};
use crate::model::ResponseId;
use crate::profile::{Difference, PartKind, SampleChange, StatedValue, ValueMatrix};
use crate::review::{render, serialised};

/// The version of the JSON; it grows when a member moves or changes its meaning.
const VERSION: u32 = 4;
/// Keys of the two datasets.
const SIDES: [&str; 2] = ["old", "new"];

/// Converts a value to JSON.
fn value_as_json(value: &Option<StatedValue>) -> Value {
    match value {
        Some(StatedValue::Number(number)) => json_number(number.value()),
        Some(StatedValue::Verdict(verdict)) => json!(verdict.word()),
        Some(StatedValue::Text(text)) => json!(text),
        None => Value::Null,
    }
}

/// Returns a difference as text, with the first `most` of each kind of change.
pub fn difference_as_text(difference: &Difference<'_>, most: usize) -> String {
    render("difference.txt", serialised(document(difference, most))) + "\n"
}

/// Returns a difference as a JSON document, with the first `most` of each kind of change.
pub fn difference_as_json(difference: &Difference<'_>, most: usize) -> String {
    json_document(&document(difference, most))
}

fn document(difference: &Difference<'_>, most: usize) -> Value {
    let datasets = difference.datasets();
    let side = |at: usize| {
        let dataset = datasets[at];
        json!({
            "file": names(dataset),
            "rows": dataset.rows(),
            "samples": dataset.samples(),
            "schema": schemas(dataset),
            "labels_alone": difference.labels_of_one[at],
            "says_alone_who_wins": difference.verdicts_of_one == Some(at),
        })
    };
    let of = |kind: PartKind| difference.matrices.iter().filter(move |of| of.kind == kind);
    let labels = of(PartKind::Label).map(|of| (of.name.clone(), matrix_as_json(of)));
    let alone = |kind| of(kind).next().map(matrix_as_json);
    let pair = |both: &[u32; 2]| {
        let [old, new] = [0, 1].map(|at| of_sample(datasets[at], both[at]));
        json!({"old": old, "new": new})
    };
    let changed = |both: &[u32; 2]| {
        let mut sample = pair(both);
        let changes = difference.changes(*both).into_iter();
        let changes = changes.map(|change| change_as_json(&change, datasets, *both));
        sample["changes"] = changes.collect();
        sample["reordered"] = json!(difference.is_reordered(*both));
        sample
    };
    let edited = |both: &[u32; 2]| {
        let mut sample = pair(both);
        let responses = difference.edited_responses(*both).into_iter();
        sample["responses"] = responses.map(ResponseId::word).collect();
        sample
    };
    fn first<T>(list: &[T], most: usize, value: impl Fn(&T) -> Value) -> Value {
        list.iter().take(most).map(value).collect()
    }
    let relabelled = difference.relabelled.iter();
    let swapped = relabelled.filter(|both| difference.is_reordered(**both));
    json!({
        "version": VERSION,
        "old": side(0),
        "new": side(1),
        "same": difference.is_none(),
        "not_compared": difference.not_compared(),
        "counts": {
            "unchanged": difference.unchanged,
            "relabelled": difference.relabelled.len(),
            "details": difference.detailed.len(),
            "reordered": difference.reordered.len(),
            "edited": difference.edited.len(),
            "removed": difference.removed.len(),
            "added": difference.added.len(),
        },
        "relabelled_and_reordered": swapped.count(),
        "labels": labels.collect::<Value>(),
        "verdicts": alone(PartKind::Verdict),
        "margins": alone(PartKind::Margin),
        "relabelled": first(&difference.relabelled, most, changed),
        "details": first(&difference.detailed, most, changed),
        "reordered": first(&difference.reordered, most, pair),
        "edited": first(&difference.edited, most, edited),
        "removed": first(&difference.removed, most, |at| of_sample(datasets[0], *at)),
        "added": first(&difference.added, most, |at| of_sample(datasets[1], *at)),
    })
}

/// Returns the number of values and of changes, and a cell for each pair of values; null if there
/// are too many.
fn matrix_as_json(matrix: &ValueMatrix) -> Value {
    let cells = matrix.cells().map(|(values, count)| {
        let [old, new] = values.each_ref().map(value_as_json);
        json!({"old": old, "new": new, "count": count})
    });
    let cells = (!matrix.is_too_large()).then(|| cells.collect::<Vec<_>>());
    json!({"all": matrix.all, "changed": matrix.changed, "matrix": cells})
}

/// Converts a change to JSON: the name of the label or fact (`true` if it has none), the response
/// and both values.
fn change_as_json(change: &SampleChange, datasets: [&Dataset; 2], pair: [u32; 2]) -> Value {
    let SampleChange { part, now, values } = change;
    let kind = match part.kind {
        PartKind::Label => "label",
        PartKind::Verdict => "verdict",
        PartKind::Margin => "margin",
        PartKind::Annotators => "annotators",
        PartKind::Votes => "votes",
        PartKind::Fact => "fact",
        PartKind::Quotes => "quotes",
        PartKind::Rationale => "rationale",
    };
    let name = (!part.name.is_empty()).then_some(&part.name);
    let mut members = json!({"kind": kind, "response": part.response.map(ResponseId::word)});
    members[kind] = name.map_or(json!(true), |name| json!(name));
    let responses = [part.response, *now];
    for (side, name) in SIDES.iter().enumerate() {
        // Texts are too long to show; programs find them in the files.
        if matches!(part.kind, PartKind::Quotes | PartKind::Rationale) {
            break;
        }
        members[*name] = value_as_json(&values[side]);
        if let Some(response) = responses[side].filter(|_| part.kind == PartKind::Label) {
            let place = FilePlace::of_response(datasets[side], pair[side] as usize, response);
            members[format!("{name}_line")] = json!(place.and_then(|place| place.line));
            members[format!("{name}_row")] = json!(place.map(|place| place.row));
            members["new_response"] = json!(now.map(ResponseId::word));
        }
    }
    members
}

/// Converts a sample to JSON: its place, its number from 1, and its key (null if its rows cannot be
/// read).
fn of_sample(dataset: &Dataset, sample: u32) -> Value {
    let place = FilePlace::of_sample(dataset, sample as usize);
    let mut members = FilePlace::as_json(place.as_ref());
    let key = dataset.key(sample as usize, &mut Buffers::default());
    members["sample"] = json!(u64::from(sample) + 1);
    members["key"] = json!(key.map(|key| key.to_string()));
    members
}

fn names(dataset: &Dataset) -> String {
    let names = dataset.files().iter().map(|file| file.source.name());
    names.collect::<Vec<_>>().join(", ")
}

fn schemas(dataset: &Dataset) -> String {
    let schemas = dataset
        .files()
        .iter()
        .map(|file| &file.schema.definition().name);
    let schemas: BTreeSet<_> = schemas.map(String::as_str).collect();
    schemas.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::dataset;

    #[test]
    fn nothing_of_a_file_controls_the_terminal() {
        let row = |score: u8, more: &str| {
            format!(
                r#"{{"prompt": "p", "chosen": "a", "rejected": "b", "sc\u001b[31mo_chosen": {score}, "sc\u001b[31mo_rejected": 2{more}}}"#
            )
        };
        let alone = r#", "al\u001b[31mo_chosen": 1, "al\u001b[31mo_rejected": 2"#;
        let [old, new] = [row(1, ""), row(2, alone)].map(|row| dataset(&[row]));
        let text = difference_as_text(&Difference::of(&old, &new), 10);
        assert!(text.contains("[31mo 1 → 2"), "{text}");
        assert!(text.contains("labels only in new: "), "{text}");
        let is_control = |sign: char| sign.is_control() && sign != '\n';
        assert!(!text.contains(is_control), "{text:?}");
    }
}
