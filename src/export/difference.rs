//! How two datasets differ: as text for people, and as JSON for programs.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::json_number::{json_document, json_number_or_null};
use super::place::FilePlace;
use crate::dataset::{Buffers, Dataset};
use crate::model::{ResponseId, Verdict};
use crate::profile::{Difference, LabelChange, SampleDetail, ValueMatrix};
use crate::query::OrderedNumber;
use crate::text::{counted, exact_number, grouped, one_line, width};

/// The version of what the JSON has: it changes where a member goes or means something else.
const VERSION: u32 = 4;
/// Columns that the name of a file may take.
const NAME: usize = 60;
/// Columns that a list of names may take.
const NAMES: usize = 200;

/// What is told of each side.
const SIDES: [&str; 2] = ["old", "new"];

fn number_word(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), exact_number)
}

fn ordered_word(value: Option<OrderedNumber>) -> String {
    number_word(value.map(OrderedNumber::value))
}

fn verdict_word(value: Option<Verdict>) -> String {
    value.map_or_else(|| "none".to_owned(), Verdict::letters)
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
    for label in &difference.labels {
        put_matrix(
            &label.name,
            "response",
            &label.values,
            ordered_word,
            &mut text,
        );
    }
    if let Some(verdicts) = &difference.verdicts {
        put_matrix("who wins", "sample", verdicts, verdict_word, &mut text);
    }
    if let Some(margins) = &difference.margins {
        put_matrix("margin", "sample", margins, ordered_word, &mut text);
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
    put_table(&rows.collect::<Vec<_>>(), &[2, 3], text);
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
    put_table(&rows, &[1], text);
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
    let numbers = |matrix: &ValueMatrix<OrderedNumber>| {
        matrix_as_json(matrix, |it| {
            json_number_or_null(it.map(OrderedNumber::value))
        })
    };
    let labels = difference.labels.iter();
    let labels = labels.map(|label| (label.name.clone(), numbers(&label.values)));
    document["labels"] = labels.collect();
    let verdicts = difference.verdicts.as_ref();
    let verdicts = verdicts.map(|matrix| matrix_as_json(matrix, verdict_as_json));
    document["verdicts"] = json!(verdicts);
    document["margins"] = json!(difference.margins.as_ref().map(numbers));
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

fn matrix_as_json<V: Ord + Copy>(
    matrix: &ValueMatrix<V>,
    word: impl Fn(Option<V>) -> Value,
) -> Value {
    let cells = matrix
        .cells()
        .map(|([old, new], count)| json!({"old": word(old), "new": word(new), "count": count}));
    let cells = (!matrix.is_too_large()).then(|| cells.collect::<Vec<_>>());
    json!({"all": matrix.all, "changed": matrix.changed, "matrix": cells})
}

fn change_as_json(change: &LabelChange, datasets: [&Dataset; 2], pair: [u32; 2]) -> Value {
    match change {
        LabelChange::Label {
            name,
            responses,
            values: [old, new],
        } => {
            let line = |side: usize| {
                let sample = pair[side] as usize;
                let place = FilePlace::of_response(datasets[side], sample, responses[side]);
                place.and_then(|place| place.line)
            };
            let [old_response, new_response] = responses.map(ResponseId::word);
            json!({
                "label": name,
                "response": old_response,
                "new_response": new_response,
                "old": json_number_or_null(*old),
                "new": json_number_or_null(*new),
                "old_line": line(0),
                "new_line": line(1),
            })
        }
        LabelChange::Verdict(values) => {
            let [old, new] = values.map(verdict_as_json);
            json!({"verdict": true, "old": old, "new": new})
        }
        LabelChange::Margin(values) => {
            let [old, new] = values.map(json_number_or_null);
            json!({"margin": true, "old": old, "new": new})
        }
        LabelChange::Detail(detail, values) => detail_as_json(detail, values),
    }
}

/// As queries and journals spell it; null where nobody wins and there is no tie.
fn verdict_as_json(value: Option<Verdict>) -> Value {
    json!(value.map(Verdict::word))
}

/// A change for people, of a sample of the new dataset. Where the response has a row of its own that is
/// not the first of the sample, it says which.
fn change_in_words(change: &LabelChange, dataset: &Dataset, sample: u32) -> String {
    match change {
        LabelChange::Label {
            name,
            responses: [response, now],
            values,
        } => {
            let [old, new] = values.map(number_word);
            let first = FilePlace::of_sample(dataset, sample as usize);
            let own = FilePlace::of_response(dataset, sample as usize, *now);
            let line = match own.filter(|own| first != Some(*own)) {
                Some(FilePlace {
                    line: Some(line), ..
                }) => Some(format!("line {line}")),
                Some(FilePlace { row, .. }) => Some(format!("row {row}")),
                None => None,
            };
            let letter = (now != response).then(|| format!("now {}", now.letter()));
            let place: Vec<_> = letter.into_iter().chain(line).collect();
            let place = match place.is_empty() {
                true => String::new(),
                false => format!(" ({})", place.join(", ")),
            };
            let name = one_line(name, NAME);
            format!("{}{place} {name} {old} → {new}", response.letter())
        }
        LabelChange::Verdict(values) => {
            let [old, new] = values.map(verdict_word);
            format!("who wins {old} → {new}")
        }
        LabelChange::Margin(values) => {
            let [old, new] = values.map(number_word);
            format!("margin {old} → {new}")
        }
        LabelChange::Detail(detail, values) => detail_in_words(detail, values),
    }
}

/// What else is not the same, for people; texts are too long to be shown.
fn detail_in_words(detail: &SampleDetail, values: &[Option<String>; 2]) -> String {
    let [old, new] = values.each_ref().map(|value| match value {
        Some(value) => one_line(value, NAME),
        None => "none".to_owned(),
    });
    let of = |response: &Option<ResponseId>| {
        response.map_or_else(String::new, |id| format!("{} ", id.letter()))
    };
    match detail {
        SampleDetail::Annotations(label, response) => {
            let label = one_line(label, NAME);
            format!("{} annotators of {label} {old} → {new}", response.letter())
        }
        SampleDetail::Votes => format!("votes {old} → {new}"),
        SampleDetail::Fact(name, response) => {
            format!("{}{} {old} → {new}", of(response), one_line(name, NAME))
        }
        SampleDetail::Quotes(response) => format!("{} other quotes", response.letter()),
        SampleDetail::Rationale(name, response) => {
            format!("{}another {}", of(response), one_line(name, NAME))
        }
    }
}

/// What else is not the same, for programs; these find texts in the files.
fn detail_as_json(detail: &SampleDetail, [old, new]: &[Option<String>; 2]) -> Value {
    let word = |response: &Option<ResponseId>| response.map(ResponseId::word);
    match detail {
        SampleDetail::Annotations(label, response) => {
            json!({"annotators": label, "response": response.word(), "old": old, "new": new})
        }
        SampleDetail::Votes => json!({"votes": true, "old": old, "new": new}),
        SampleDetail::Fact(name, response) => {
            json!({"fact": name, "response": word(response), "old": old, "new": new})
        }
        SampleDetail::Quotes(response) => json!({"quotes": true, "response": response.word()}),
        SampleDetail::Rationale(name, response) => {
            json!({"rationale": name, "response": word(response)})
        }
    }
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
fn put_matrix<V: Ord + Copy>(
    name: &str,
    unit: &str,
    matrix: &ValueMatrix<V>,
    word: fn(Option<V>) -> String,
    text: &mut String,
) {
    if matrix.changed == 0 {
        return;
    }
    let (changed, all) = (grouped(matrix.changed), counted(matrix.all, unit));
    let name = one_line(name, NAME);
    if matrix.is_too_large() {
        let _ = writeln!(text, "\n{name}: another value of {changed} of {all}");
        return;
    }
    let _ = writeln!(
        text,
        "\n{name}: another value of {changed} of {all} (down: old, across: new)"
    );
    let cells: Vec<_> = matrix.cells().collect();
    // None, which is less than all, goes last.
    let side = |at: usize| -> Vec<Option<V>> {
        let mut values: Vec<_> = cells.iter().map(|(pair, _)| pair[at]).collect();
        values.sort_by_key(|value| (value.is_none(), *value));
        values.dedup();
        values
    };
    let [olds, news] = [side(0), side(1)];
    let mut rows = vec![vec![String::new()]];
    if let Some(head) = rows.first_mut() {
        head.extend(news.iter().map(|value| word(*value)));
    }
    for old in &olds {
        let mut row = vec![word(*old)];
        row.extend(news.iter().map(|new| {
            let cell = cells.iter().find(|(pair, _)| *pair == [*old, *new]);
            cell.map_or_else(|| "·".to_owned(), |(_, count)| grouped(*count))
        }));
        rows.push(row);
    }
    let numbers: Vec<_> = (0..=news.len()).collect();
    put_table(&rows, &numbers, text);
}

/// Rows in columns of one width each, those with numbers to the right.
fn put_table(rows: &[Vec<String>], numbers: &[usize], text: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(widest).collect();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, widest)) in row.iter().zip(&widths).enumerate() {
            let blanks = " ".repeat(widest.saturating_sub(width(cell)));
            let gap = if column > 0 { "  " } else { "" };
            let _ = match numbers.contains(&column) {
                true => write!(line, "{gap}{blanks}{cell}"),
                false => write!(line, "{gap}{cell}{blanks}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
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
