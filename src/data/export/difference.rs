//! Differences of two datasets, as an answer for readers and as JSON for programs.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use serde_json::{Value, json};

use super::place::FilePlace;
use crate::answer::{Answer, AnswerCell, AnswerTable, AnswerTables, json_document, json_number};
use crate::dataset::{Buffers, Dataset};
use crate::model::{ResponseId, Verdict};
use crate::profile::{Difference, PartKind, SampleChange, StatedValue, ValueMatrix};
use crate::review::render;
use crate::text::grouped;

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

/// Returns a difference as an answer, with the first `most` of each kind of change. Places in the
/// second dataset lead to their samples.
pub fn difference_answer(difference: &Difference<'_>, most: usize) -> Answer {
    let mut tables = AnswerTables::default();
    let written = WrittenDifference { difference, most };
    let matrices = difference.matrices.iter().filter(|of| of.changed > 0);
    let matrices = matrices.map(|of| {
        let (name, unit) = match of.kind {
            PartKind::Label => (&*of.name, "response"),
            kind => (kind.name(), "sample"),
        };
        let table = (!of.is_too_large()).then(|| tables.put(matrix(of)));
        context! { name, unit, changed => of.changed, all => of.all, table }
    });
    let matrices: Vec<_> = matrices.collect();
    let lists = counts(difference).into_iter().skip(1);
    let lists = lists.zip(written.lists()).map(|((name, count), table)| {
        context! { name, count, table => tables.put(table) }
    });
    let lists: Vec<_> = lists.collect();
    let context = context! {
        sides => tables.put(written.sides()),
        counts => tables.put(written.counts()),
        same => difference.is_none(),
        not_compared => difference.not_compared(),
        labels_of_one => difference.labels_of_one.to_vec(),
        verdicts_of_one => difference.verdicts_of_one,
        matrices,
        lists,
        most,
    };
    tables.answer(&render("difference.md", context))
}

/// Returns the number of samples of each kind of change, by its key in JSON.
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

/// Returns the number of relabelled samples with reordered responses.
fn reordered(difference: &Difference<'_>) -> usize {
    let relabelled = difference.relabelled.iter();
    let reordered = relabelled.filter(|pair| difference.is_reordered(**pair));
    reordered.count()
}

/// A difference whose tables are written.
struct WrittenDifference<'a> {
    difference: &'a Difference<'a>,
    /// Most samples of a list.
    most: usize,
}

impl WrittenDifference<'_> {
    /// Returns a row for each dataset.
    fn sides(&self) -> AnswerTable {
        let sides = SIDES.iter().zip(self.difference.datasets());
        let row = |(name, dataset): (&&str, &Dataset)| {
            vec![
                (*name).into(),
                names(dataset).into(),
                number_cell(dataset.rows()),
                number_cell(dataset.samples()),
                schemas(dataset).into(),
            ]
        };
        let heads = ["", "file", "rows", "samples", "schema"];
        AnswerTable::with_heads(&heads, sides.map(row).collect())
    }

    /// Returns a row for each kind of change.
    fn counts(&self) -> AnswerTable {
        let moved = reordered(self.difference);
        let row = |(name, count): (&'static str, usize)| {
            let aside = match name {
                "relabelled" if moved > 0 => {
                    format!("{} of them with reordered responses", grouped(moved))
                }
                _ => String::new(),
            };
            vec![name.into(), number_cell(count), aside.into()]
        };
        let rows = counts(self.difference).map(row).to_vec();
        AnswerTable::with_heads(&["change", "samples", ""], rows)
    }

    /// Returns the first samples of each kind of change.
    fn lists(&self) -> [AnswerTable; 6] {
        let difference = self.difference;
        let [places, one] = [&["old", "new"][..], &["place"]];
        let changes = &["old", "new", "change", "from", "to"];
        let letters = &["old", "new", "responses"];
        [
            self.list(changes, &difference.relabelled, |of| self.changes(*of)),
            self.list(changes, &difference.detailed, |of| self.changes(*of)),
            self.list(places, &difference.reordered, |of| vec![self.places(*of)]),
            self.list(letters, &difference.edited, |of| vec![self.edited(*of)]),
            self.list(one, &difference.removed, |of| {
                vec![vec![self.place(0, *of)]]
            }),
            self.list(one, &difference.added, |of| vec![vec![self.place(1, *of)]]),
        ]
    }

    fn list<T>(
        &self,
        heads: &[&str],
        all: &[T],
        rows: impl Fn(&T) -> Vec<Vec<AnswerCell>>,
    ) -> AnswerTable {
        let rows = all.iter().take(self.most).flat_map(rows).collect();
        AnswerTable::with_heads(heads, rows)
    }

    /// Returns the place of a sample of the old (0) or the new dataset (1).
    fn place(&self, side: usize, sample: u32) -> AnswerCell {
        let dataset = self.difference.datasets()[side];
        let place = match FilePlace::of_sample(dataset, sample as usize) {
            Some(place) if dataset.files().len() == 1 => place.within_file(),
            place => FilePlace::spelled(place.as_ref()),
        };
        let number = sample + 1;
        let words = format!("{place}, sample {}", grouped(number as usize));
        match side {
            0 => words.into(),
            _ => AnswerCell::from(words).found_by(Some(Ok(format!("sample={number}")))),
        }
    }

    fn places(&self, [old, new]: [u32; 2]) -> Vec<AnswerCell> {
        vec![self.place(0, old), self.place(1, new)]
    }

    fn edited(&self, pair: [u32; 2]) -> Vec<AnswerCell> {
        let letters = self.difference.edited_responses(pair).into_iter();
        let letters: Vec<_> = letters.map(ResponseId::letter).collect();
        let mut row = self.places(pair);
        row.push(letters.join(", ").into());
        row
    }

    /// Returns a row for each change of a sample; its places stand in the first one.
    fn changes(&self, pair: [u32; 2]) -> Vec<Vec<AnswerCell>> {
        let changes = self.difference.changes(pair);
        let changes = changes.iter().map(|change| {
            let has_values = !matches!(change.part.kind, PartKind::Quotes | PartKind::Rationale);
            let [from, to] = &change.values;
            let cells = [from, to].map(|value| match has_values {
                true => value_cell(value),
                // Texts are too long to show.
                false => AnswerCell::default(),
            });
            let what = AnswerCell::from(self.change(change, pair));
            [what].into_iter().chain(cells).collect()
        });
        let is_reordered = self.difference.is_reordered(pair);
        let order = is_reordered.then(|| {
            vec![
                "order of responses".into(),
                AnswerCell::default(),
                AnswerCell::default(),
            ]
        });
        let mut places = self.places(pair);
        let row = |cells: Vec<AnswerCell>| {
            let whose = std::mem::replace(&mut places, vec![AnswerCell::default(); 2]);
            whose.into_iter().chain(cells).collect()
        };
        changes.chain(order).map(row).collect()
    }

    /// Names what changed: `A (now B, row 7) helpfulness`.
    fn change(&self, change: &SampleChange, pair: [u32; 2]) -> String {
        let SampleChange { part, now, .. } = change;
        let name = &*part.name;
        let what = match part.kind {
            PartKind::Label | PartKind::Fact | PartKind::Rationale => name.to_owned(),
            PartKind::Annotators => format!("annotators of {name}"),
            kind => kind.name().to_owned(),
        };
        let Some(response) = part.response else {
            return what;
        };
        let (dataset, sample) = (self.difference.datasets()[1], pair[1] as usize);
        let now = now.filter(|_| part.kind == PartKind::Label);
        let moved = now.filter(|now| *now != response);
        let moved = moved.map(|now| format!("now {}", now.letter()));
        let first = FilePlace::of_sample(dataset, sample);
        let place = now.and_then(|now| FilePlace::of_response(dataset, sample, now));
        let place = place.filter(|place| first.is_none_or(|first| first.row != place.row));
        let row = place.map(|place| place.within_file());
        let aside: Vec<_> = moved.into_iter().chain(row).collect();
        match &*aside {
            [] => format!("{} {what}", response.letter()),
            aside => format!("{} ({}) {what}", response.letter(), aside.join(", ")),
        }
    }
}

fn number_cell(number: usize) -> AnswerCell {
    AnswerCell::number(grouped(number))
}

fn value_cell(value: &Option<StatedValue>) -> AnswerCell {
    match value {
        None => "none".into(),
        Some(StatedValue::Verdict(Verdict::Tie)) => "tie".into(),
        Some(StatedValue::Verdict(verdict)) => verdict.word().to_uppercase().into(),
        Some(_) => value_as_json(value).into(),
    }
}

/// Returns how often each old value (down) became each new one (across).
fn matrix(of: &ValueMatrix) -> AnswerTable {
    // Missing values are last.
    let values = |side: usize| {
        let values = of.cells().map(|(values, _)| &values[side]);
        let values = BTreeSet::from_iter(values.map(|value| (value.is_none(), value)));
        Vec::from_iter(values.into_iter().map(|(_, value)| value))
    };
    let counts: BTreeMap<_, _> = of.cells().collect();
    let [olds, news] = [0, 1].map(values);
    let row = |old: &&Option<StatedValue>| {
        let cell = |new: &&Option<StatedValue>| {
            let count = counts.get(&[(*old).clone(), (*new).clone()]);
            AnswerCell::number(count.map_or("·".to_owned(), |count| grouped(*count)))
        };
        let head = [value_cell(old)].into_iter();
        head.chain(news.iter().map(cell)).collect()
    };
    let heads = news.iter().map(|value| value_cell(value).words);
    let heads = [String::new()].into_iter().chain(heads);
    let heads: Vec<_> = heads.collect();
    AnswerTable::with_heads(&heads, olds.iter().map(row).collect())
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
    json!({
        "version": VERSION,
        "old": side(0),
        "new": side(1),
        "same": difference.is_none(),
        "not_compared": difference.not_compared(),
        "counts": BTreeMap::from(counts(difference)),
        "relabelled_and_reordered": reordered(difference),
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
    let kind = part.kind.name();
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
    use crate::text::TextGlyphs;

    #[test]
    fn nothing_of_a_file_controls_the_terminal() {
        let row = |score: u8, more: &str| {
            format!(
                r#"{{"prompt": "p", "chosen": "a", "rejected": "b", "sc\u001b[31mo_chosen": {score}, "sc\u001b[31mo_rejected": 2{more}}}"#
            )
        };
        let alone = r#", "al\u001b[31mo_chosen": 1, "al\u001b[31mo_rejected": 2"#;
        let [old, new] = [row(1, ""), row(2, alone)].map(|row| dataset(&[row]));
        let answer = difference_answer(&Difference::of(&old, &new), 10);
        let laid = answer.laid(usize::MAX, TextGlyphs::UNICODE);
        let text = laid.text.text();
        assert!(text.contains("[31mo"), "{text}");
        assert!(text.contains("Labels only in new: "), "{text}");
        assert_eq!(laid.spots[0].1, Ok("sample=1".to_owned()));
        let is_control = |sign: char| sign.is_control() && sign != '\n';
        assert!(!text.contains(is_control), "{text:?}");
    }
}
