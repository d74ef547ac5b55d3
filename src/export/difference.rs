//! How two datasets differ: as text for people, and as JSON for programs.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::aligned::aligned;
use super::json_number::{json_document, json_number};
use super::place::FilePlace;
use crate::dataset::{Buffers, Dataset};
use crate::model::ResponseId;
use crate::profile::{Difference, PartKind, SampleChange, StatedValue, ValueMatrix};
use crate::text::{counted, exact_number, grouped, one_line};

/// The version of what the JSON has: it changes where a member goes or means something else.
const VERSION: u32 = 4;
/// Columns that the name of a file may take.
const NAME: usize = 60;
/// Columns that a list of names may take.
const NAMES: usize = 200;

/// What is told of each side.
const SIDES: [&str; 2] = ["old", "new"];

/// A value for people.
fn value_word(value: &Option<StatedValue>) -> String {
    match value {
        Some(StatedValue::Number(number)) => exact_number(number.value()),
        Some(StatedValue::Verdict(verdict)) => verdict.letters(),
        Some(StatedValue::Text(text)) => one_line(text, NAME),
        None => "none".to_owned(),
    }
}

/// A value for programs.
fn value_as_json(value: &Option<StatedValue>) -> Value {
    match value {
        Some(StatedValue::Number(number)) => json_number(number.value()),
        Some(StatedValue::Verdict(verdict)) => json!(verdict.word()),
        Some(StatedValue::Text(text)) => json!(text),
        None => Value::Null,
    }
}

/// How many samples there are of each kind of change, under its name.
fn counts(difference: &Difference<'_>) -> [(&'static str, usize); 7] {
    [
        ("unchanged", difference.unchanged),
        ("relabelled", difference.relabelled.len()),
        ("details", difference.detailed.len()),
        ("reordered", difference.reordered.len()),
        ("edited", difference.edited.len()),
        ("removed", difference.removed.len()),
        ("added", difference.added.len()),
    ]
}

/// A difference as text: what was counted, a table for each label that changed and for who wins, and
/// of each kind of change the first `most`.
pub fn difference_as_text(difference: &Difference<'_>, most: usize) -> String {
    let mut text = String::new();
    put_counts(difference, &mut text);
    put_one_sided(difference, &mut text);
    for matrix in &difference.matrices {
        put_matrix(matrix, &mut text);
    }
    put_samples(difference, most, &mut text);
    text
}

/// What the two sides are, and the counts.
fn put_counts(difference: &Difference<'_>, text: &mut String) {
    let rows = SIDES
        .iter()
        .zip(difference.datasets())
        .map(|(side, dataset)| {
            vec![
                (*side).to_owned(),
                one_line(&names(dataset), NAMES),
                counted(dataset.rows(), "row"),
                counted(dataset.samples(), "sample"),
                one_line(&schemas(dataset), NAMES),
            ]
        });
    text.push_str(&aligned(&rows.collect::<Vec<_>>(), &[2, 3]));
    text.push('\n');
    let swapped = (difference.relabelled.iter()).filter(|pair| difference.is_reordered(**pair));
    let swapped = swapped.count();
    let rows = counts(difference).map(|(name, count)| {
        let more = match name == "relabelled" && swapped > 0 {
            true => {
                let swapped = grouped(swapped);
                format!("  of them with the responses in another order: {swapped}")
            }
            false => String::new(),
        };
        vec![name.to_owned(), grouped(count), more]
    });
    text.push_str(&aligned(&rows, &[1]));
    if difference.is_none() {
        text.push_str("\nBoth say the same.\n");
    }
}

/// What is not compared, because one side alone has it.
fn put_one_sided(difference: &Difference<'_>, text: &mut String) {
    let mut put = |head: &str, names: &[String]| {
        if !names.is_empty() {
            let names = one_line(&names.join(", "), NAMES);
            let _ = writeln!(text, "{head}: {names}");
        }
    };
    put("not compared", &difference.not_compared());
    for (side, labels) in SIDES.iter().zip(&difference.labels_of_one) {
        put(&format!("labels of {side} alone"), labels);
    }
    if let Some(side) = difference.verdicts_of_one.and_then(|side| SIDES.get(side)) {
        let _ = writeln!(text, "who wins is said by {side} alone");
    }
}

/// The first samples of each kind of change.
fn put_samples(difference: &Difference<'_>, most: usize, text: &mut String) {
    let datasets = difference.datasets();
    let [old, new] = [0, 1].map(|side| move |sample: u32| spelled(datasets[side], sample));
    let pair = |pair: [u32; 2]| format!("{} → {}", old(pair[0]), new(pair[1]));
    let changed = |both: [u32; 2]| {
        let changes = difference.changes(both);
        let words = |change| change_in_words(change, datasets[1], both[1]);
        let changes: Vec<_> = changes.iter().map(words).collect();
        let order = match difference.is_reordered(both) {
            true => ", with the responses in another order",
            false => "",
        };
        format!("{}: {}{order}", pair(both), changes.join(", "))
    };
    let edited = |both: [u32; 2]| {
        let edited = difference.edited_responses(both);
        let letters: Vec<_> = edited.iter().map(|response| response.letter()).collect();
        match letters.is_empty() {
            true => pair(both),
            false => format!("{}: {}", pair(both), letters.join(", ")),
        }
    };
    fn lines<T: Copy>(of: &[T], most: usize, line: impl Fn(T) -> String) -> Vec<String> {
        of.iter().take(most).map(|it| line(*it)).collect()
    }
    let lists = [
        Vec::new(),
        lines(&difference.relabelled, most, changed),
        lines(&difference.detailed, most, changed),
        lines(&difference.reordered, most, pair),
        lines(&difference.edited, most, edited),
        lines(&difference.removed, most, old),
        lines(&difference.added, most, new),
    ];
    for ((name, all), lines) in counts(difference).into_iter().zip(lists) {
        if lines.is_empty() {
            continue;
        }
        let which = match all > lines.len() {
            true => format!(", the first {} of {}", grouped(lines.len()), grouped(all)),
            false => String::new(),
        };
        let _ = writeln!(text, "\n{name}{which}:");
        for line in lines {
            let _ = writeln!(text, "  {line}");
        }
    }
}

/// A difference as a JSON document, with the first `most` of each kind of change.
pub fn difference_as_json(difference: &Difference<'_>, most: usize) -> String {
    let datasets = difference.datasets();
    let mut document = json!({"version": VERSION});
    for (at, (side, dataset)) in SIDES.iter().zip(datasets).enumerate() {
        document[*side] = json!({
            "file": names(dataset),
            "rows": dataset.rows(),
            "samples": dataset.samples(),
            "schema": schemas(dataset),
            "labels_alone": difference.labels_of_one.get(at),
            "says_alone_who_wins": difference.verdicts_of_one == Some(at),
        });
    }
    document["same"] = json!(difference.is_none());
    document["not_compared"] = json!(difference.not_compared());
    document["counts"] = counts(difference).into_iter().collect();
    document["labels"] = json!({});
    document["verdicts"] = Value::Null;
    document["margins"] = Value::Null;
    for matrix in &difference.matrices {
        let of = match matrix.kind {
            PartKind::Verdict => &mut document["verdicts"],
            PartKind::Margin => &mut document["margins"],
            _ => &mut document["labels"][&matrix.name],
        };
        *of = matrix_as_json(matrix);
    }
    let pair = |pair: &[u32; 2]| {
        let mut sample = json!({});
        for (at, (side, dataset)) in SIDES.iter().zip(datasets).enumerate() {
            sample[*side] = of_sample(dataset, pair[at]);
        }
        sample
    };
    let with_changes = |both: &[u32; 2]| {
        let mut sample = pair(both);
        let changes = difference.changes(*both);
        let changes = changes
            .iter()
            .map(|change| change_as_json(change, datasets, *both));
        sample["changes"] = changes.collect();
        sample["reordered"] = json!(difference.is_reordered(*both));
        sample
    };
    let lists = [
        ("relabelled", &difference.relabelled),
        ("details", &difference.detailed),
    ];
    for (name, list) in lists {
        let samples = list.iter().take(most).map(with_changes);
        document[name] = samples.collect();
    }
    let reordered = difference.reordered.iter().take(most);
    document["reordered"] = reordered.map(pair).collect();
    let edited = difference.edited.iter().take(most).map(|both| {
        let mut sample = pair(both);
        let edited = difference.edited_responses(*both);
        let edited = edited.into_iter().map(ResponseId::word);
        sample["responses"] = edited.collect();
        sample
    });
    document["edited"] = edited.collect();
    let sides = [
        ("removed", datasets[0], &difference.removed),
        ("added", datasets[1], &difference.added),
    ];
    for (name, dataset, samples) in sides {
        let samples = samples.iter().take(most);
        let samples = samples.map(|at| of_sample(dataset, *at));
        document[name] = samples.collect();
    }
    json_document(&document)
}

/// How many values there are and how many changed, and a cell for each two values; null where there
/// would be too many.
fn matrix_as_json(matrix: &ValueMatrix) -> Value {
    let cells = matrix.cells().map(|(values, count)| {
        let [old, new] = values.each_ref().map(value_as_json);
        json!({"old": old, "new": new, "count": count})
    });
    let cells = (!matrix.is_too_large()).then(|| cells.collect::<Vec<_>>());
    json!({"all": matrix.all, "changed": matrix.changed, "matrix": cells})
}

/// Whether a change is of texts, which are too long to be shown; programs find them in the files.
fn is_of_texts(change: &SampleChange) -> bool {
    matches!(change.part.kind, PartKind::Quotes | PartKind::Rationale)
}

/// What is not the same, for programs: the name of a label or a fact, or `true` for what has none, with
/// the response and what each says.
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
    let mut members = json!({"response": part.response.map(ResponseId::word)});
    members[kind] = name.map_or(json!(true), |name| json!(name));
    let responses = [part.response, *now];
    for (side, name) in SIDES.iter().enumerate().filter(|_| !is_of_texts(change)) {
        members[*name] = value_as_json(&values[side]);
        if let Some(response) = responses[side].filter(|_| part.kind == PartKind::Label) {
            let place = FilePlace::of_response(datasets[side], pair[side] as usize, response);
            members[format!("{name}_line")] = json!(place.and_then(|place| place.line));
            members["new_response"] = json!(now.map(ResponseId::word));
        }
    }
    members
}

/// What is not the same, for people; of a label with its letter in the new dataset if it has another
/// one there, and the row where that is not the sample's first.
fn change_in_words(change: &SampleChange, dataset: &Dataset, sample: u32) -> String {
    let SampleChange { part, now, values } = change;
    let mut words: Vec<String> = Vec::new();
    words.extend(part.response.map(|response| response.letter().to_owned()));
    let first = FilePlace::of_sample(dataset, sample as usize);
    let own = now.filter(|_| part.kind == PartKind::Label);
    let own = own.and_then(|now| FilePlace::of_response(dataset, sample as usize, now));
    let row = own
        .filter(|own| first != Some(*own))
        .map(|own| match own.line {
            Some(line) => format!("line {line}"),
            None => format!("row {}", own.row),
        });
    let other = now.filter(|now| part.response != Some(*now));
    let letter = other.map(|now| format!("now {}", now.letter()));
    let place: Vec<_> = letter.into_iter().chain(row).collect();
    words.extend((!place.is_empty()).then(|| format!("({})", place.join(", "))));
    let described = part.kind.described(&one_line(&part.name, NAME));
    words.push(match part.kind {
        PartKind::Quotes => format!("other {described}"),
        PartKind::Rationale => format!("another {described}"),
        _ => described,
    });
    if !is_of_texts(change) {
        words.push(values.each_ref().map(value_word).join(" → "));
    }
    words.join(" ")
}

/// A sample for people.
fn spelled(dataset: &Dataset, sample: u32) -> String {
    let place = FilePlace::of_sample(dataset, sample as usize);
    let place = place.map(|place| {
        let file = one_line(place.file, NAME);
        let file = &file;
        FilePlace::spelled(Some(&FilePlace { file, ..place }))
    });
    let place = place.unwrap_or_else(|| FilePlace::spelled(None));
    let number = grouped(sample as usize + 1);
    format!("{place} (sample {number})")
}

/// A sample for programs: its place, its number from 1, and its key, null where its rows cannot be
/// had.
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

/// A table of old against new, where anything changed; a sentence where it would be too large.
fn put_matrix(matrix: &ValueMatrix, text: &mut String) {
    if matrix.changed == 0 {
        return;
    }
    let unit = match matrix.kind {
        PartKind::Label => "response",
        _ => "sample",
    };
    let (changed, all) = (grouped(matrix.changed), counted(matrix.all, unit));
    let name = matrix.kind.described(&one_line(&matrix.name, NAME));
    let axes = match matrix.is_too_large() {
        true => "",
        false => " (down: old, across: new)",
    };
    let _ = writeln!(text, "\n{name}: another value of {changed} of {all}{axes}");
    if matrix.is_too_large() {
        return;
    }
    let cells: Vec<_> = matrix.cells().collect();
    // None, which is less than all, goes last.
    let side = |at: usize| -> Vec<&Option<StatedValue>> {
        let mut values: Vec<_> = cells.iter().map(|(pair, _)| &pair[at]).collect();
        values.sort_by_key(|value| (value.is_none(), *value));
        values.dedup();
        values
    };
    let [olds, news] = [side(0), side(1)];
    let head = news.iter().map(|value| value_word(value));
    let mut rows = vec![std::iter::once(String::new()).chain(head).collect()];
    for old in olds {
        let counts = news.iter().map(|new| {
            let mut cells = cells.iter();
            let cell = cells.find(|(pair, _)| [&pair[0], &pair[1]] == [old, *new]);
            cell.map_or_else(|| "·".to_owned(), |(_, count)| grouped(*count))
        });
        rows.push(
            std::iter::once(value_word(old))
                .chain(counts)
                .collect::<Vec<_>>(),
        );
    }
    text.push_str(&aligned(&rows, &(0..=news.len()).collect::<Vec<_>>()));
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
        assert!(text.contains("labels of new alone: "), "{text}");
        let is_control = |sign: char| sign.is_control() && sign != '\n';
        assert!(!text.contains(is_control), "{text:?}");
    }
}
