//! Compares the packed columns and the texts of a pass with the samples read one by one.

use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use super::{Loaded, TINY, embedded};
use crate::dataset::load::waves::ScanPace;
use crate::dataset::{Buffers, ChunkColumns, Loader, SampleBody};
use crate::model::{Record, ResponseId, Turn, Verdict};
use crate::schema::{CapturedRow, RowText, Schema, SchemaChoice, TextKinds, repair};
use crate::source::{Input, SourceError};
use crate::table::{ColumnData, ColumnId, ColumnSource, Values, WordColumn};

pub(super) fn check(loaded: &Loaded) {
    let dataset = &loaded.dataset;
    let mut buffers = Buffers::default();
    let mut number = 0;
    for chunk in dataset.chunks() {
        assert_eq!(chunk.first_sample(), number);
        assert_eq!(chunk.columns().responses.len(), chunk.samples());
        for within in 0..chunk.samples() {
            let reading = dataset.read(number, &mut buffers).expect("a sample");
            assert_eq!(reading.places[0].file, chunk.file());
            let first = loaded.line(&reading.places[0]);
            check_sample(
                chunk.columns(),
                within,
                &reading.body,
                &first,
                reading.schema,
            );
            number += 1;
        }
    }
    assert_eq!(number, dataset.samples());
    check_sweep(loaded);
}

fn length(text: &str) -> u32 {
    text.chars().count() as u32
}

fn prompt_length(turns: &[Turn<'_>]) -> u32 {
    turns.iter().map(|turn| length(&turn.text)).sum()
}

/// Returns a count of a prompt.
fn of_prompt(columns: &ChunkColumns, name: &str, at: usize) -> Option<f64> {
    let column = ColumnId::named(name).expect("a column");
    columns.of_samples(column).expect(name).get(at)
}

/// Returns a count of a response.
fn of_response(columns: &ChunkColumns, name: &str, side: usize, at: usize) -> Option<f64> {
    let column = ColumnId::named(name).expect("a column");
    columns.numbers(column)?.get(side)?.get(at)
}

/// Returns the values of all labels, in schema order.
fn labels(columns: &ChunkColumns) -> impl Iterator<Item = &[Values]> {
    columns.all().filter_map(|(id, data)| match data {
        ColumnData::Numbers(lists) => matches!(id.source, ColumnSource::Label).then_some(&**lists),
        _ => None,
    })
}

fn check_sample(
    columns: &ChunkColumns,
    at: usize,
    body: &SampleBody<'_>,
    first: &[u8],
    schema: &crate::schema::Schema,
) {
    let SampleBody::Sample(sample) = body else {
        assert_eq!((columns.responses[at], columns.flagged[at]), (0, false));
        let counts = ["len.prompt", "turns"].map(|name| of_prompt(columns, name, at));
        assert_eq!(counts, [None, None]);
        for side in 0..2 {
            assert_eq!(of_response(columns, "len.response", side, at), None);
            assert_eq!(of_response(columns, "quotes", side, at), None);
        }
        assert!(
            labels(columns)
                .flatten()
                .all(|values| values.get(at).is_none())
        );
        return;
    };
    assert_eq!(
        (columns.responses[at], columns.flagged[at]),
        (sample.responses.len() as u16, !sample.warnings.is_empty()),
        "{:?}",
        sample.warnings
    );
    let counts = ["len.prompt", "turns"].map(|name| of_prompt(columns, name, at));
    let expected = [prompt_length(&sample.prompt) as usize, sample.prompt.len()];
    assert_eq!(counts, expected.map(|count| Some(count as f64)));
    let has_quotes = (schema.definition().responses.iter()).any(|paths| paths.quotes.is_some());
    for side in 0..2 {
        let response = sample.responses.get(side);
        let text = response.map(|response| f64::from(length(&response.text)));
        assert_eq!(of_response(columns, "len.response", side, at), text);
        let quotes = response.map(|response| response.quotes.as_ref().map_or(0, Vec::len));
        assert_eq!(
            of_response(columns, "quotes", side, at),
            quotes.filter(|_| has_quotes).map(|count| count as f64)
        );
        for (label, values) in labels(columns).enumerate() {
            assert_eq!(
                values[side].get(at),
                response.and_then(|response| response.ratings[label])
            );
        }
    }
    let votes = columns.annotations(ColumnId::VOTES);
    let votes = votes.map(|votes| votes[0].list(at));
    let has_votes = schema.definition().has_votes();
    assert_eq!(votes, has_votes.then(|| sample.votes.codes()));
    for (label, described) in schema.labels().iter().enumerate() {
        let id = ColumnId::of(ColumnSource::Annotations, &described.name);
        let lists = columns.annotations(id);
        assert_eq!(lists.is_some(), described.is_list());
        for (side, lists) in lists.into_iter().flatten().enumerate() {
            let said = (sample.responses.get(side))
                .and_then(|response| response.annotations.get(label)?.clone());
            let list: Vec<_> = lists
                .list(at)
                .into_iter()
                .map(crate::text::number)
                .collect();
            assert_eq!(list.join(" "), said.unwrap_or_default());
        }
    }
    let outcome = sample.outcome.as_ref();
    match columns.of_samples(ColumnId::VERDICT) {
        Some(verdicts) => {
            let verdict = verdicts.get(at).and_then(Verdict::of_code);
            assert_eq!(verdict, outcome.map(|outcome| outcome.verdict));
            let margins = columns.of_samples(ColumnId::MARGIN);
            let margin = margins.and_then(|margins| margins.get(at));
            assert_eq!(margin, outcome.and_then(|outcome| outcome.margin));
        }
        None => assert_eq!(schema.outcome_by_label(&sample.responses), sample.outcome),
    }
    let facts = with_record(schema, first, |_, record| {
        let value = |name: &String| {
            record
                .facts
                .iter()
                .find(|fact| fact.name == *name)
                .map(|fact| fact.value.to_string())
        };
        schema
            .definition()
            .facts
            .iter()
            .map(|fact| value(&fact.name))
            .collect::<Vec<_>>()
    });
    let kept = schema.columns().iter().skip(schema.labels().len());
    assert_eq!(kept.clone().count(), facts.len());
    for (kept, fact) in kept.zip(facts) {
        if let [WordColumn::Codes { words, codes }] = columns.words(kept.id).expect("a fact") {
            assert_eq!(
                words.get(usize::from(codes[at])).map(ToString::to_string),
                fact
            );
        }
    }
}

/// Reads the record of a line, repaired if needed.
fn with_record<T>(
    schema: &crate::schema::Schema,
    line: &[u8],
    take: impl FnOnce(&CapturedRow<'_, '_>, &Record<'_>) -> T,
) -> T {
    if let Ok(row) = schema.row(line) {
        return take(&row, &row.record().expect("a record"));
    }
    let mended = repair(line).expect("mended");
    let row = schema.row(&mended.line).expect("a row");
    take(&row, &row.record().expect("a record"))
}

fn check_sweep(loaded: &Loaded) {
    let dataset = &loaded.dataset;
    let count = dataset.samples();
    let lines = |sample: usize| -> Vec<Vec<u8>> {
        let rows = dataset.sample_rows(sample).expect("a sample");
        rows.iter()
            .map(|row| loaded.line(&dataset.place(row).expect("a place")))
            .collect()
    };
    for (range, step) in [
        (0..count, 1),
        (count / 3..count + 5, 2),
        (count..count, 1),
        (1..count / 2, 3),
    ] {
        let mut seen = Vec::new();
        dataset.for_each_sample(
            range.clone(),
            &|sample| sample % step == 0,
            &mut |sample, rows| {
                assert_eq!(rows.lines(), lines(sample));
                seen.push(sample);
                rows.lines()
                    .iter()
                    .for_each(|line| check_passages(rows.schema(), line));
            },
        );
        let expected: Vec<_> = range
            .filter(|sample| sample % step == 0 && *sample < count)
            .collect();
        assert_eq!(seen, expected);
    }
}

fn check_passages(schema: &crate::schema::Schema, line: &[u8]) {
    if schema.row(line).is_err()
        && repair(line).is_none_or(|mended| schema.row(&mended.line).is_err())
    {
        return;
    }
    with_record(schema, line, |row, record| {
        let mut texts = Vec::new();
        row.for_each_text(
            TextKinds::all().difference(TextKinds::ID),
            &mut String::new(),
            &mut |of: RowText, text: &str| {
                texts.push((RowText { quotes: None, ..of }, text.to_owned()));
            },
        );
        let mut expected: Vec<_> = record
            .prompt
            .iter()
            .map(|turn| {
                (
                    RowText {
                        role: turn.role,
                        ..RowText::new(TextKinds::PROMPT, None)
                    },
                    turn.text.to_string(),
                )
            })
            .collect();
        for (place, response) in record.responses.iter().enumerate() {
            let of = RowText::new(TextKinds::RESPONSE, Some(place));
            let spoken = response.spoken();
            expected.extend(spoken.map(|(role, text)| (RowText { role, ..of }, text.to_owned())));
            for quote in response.quotes.iter().flatten() {
                expected.push((
                    RowText::new(TextKinds::TITLE, Some(place)),
                    quote.title.to_string(),
                ));
                expected.push((
                    RowText::new(TextKinds::QUOTE, Some(place)),
                    quote.extract.to_string(),
                ));
            }
        }
        expected.extend(record.rationales.iter().map(|it| {
            let response = it.response.map(ResponseId::index);
            (
                RowText::new(TextKinds::RATIONALE, response),
                it.text.to_string(),
            )
        }));
        assert_eq!(texts, expected);
    });
}

fn load(inputs: Vec<Input>, choice: SchemaChoice, pace: ScanPace) -> Loaded {
    let mut loaded = Loaded::default();
    let mut listener = |report| {
        loaded.take(report);
        std::ops::ControlFlow::Continue(())
    };
    Loader {
        inputs,
        choice,
        ..Loader::default()
    }
    .run_at(pace, &mut listener)
    .expect("loaded");
    loaded
}

/// A text that occurs in only one segment of a wave is found.
#[test]
fn texts_are_found_in_any_segment() {
    let schema = "name = 'x'\ntitle = 'x'\nabout = 'x'\nrows = 'inline'\nprompt.path = '/p'\n\
                  [[response]]\ntext = '/a'\n[[text]]\nname = 't'\npath = '/t'\n";
    let choice = SchemaChoice::Named(Arc::new(Schema::parse(schema).expect("a schema")));
    for place in [0, 4, 9] {
        let rows = (0..10).map(|row| {
            let t = if row == place { "\"x\"" } else { "null" };
            format!("{{\"p\": \"p\", \"a\": \"a\", \"t\": {t}}}\n")
        });
        let text: String = rows.collect();
        for pace in [ScanPace::default(), TINY] {
            let loaded = load(vec![embedded(text.as_bytes())], choice.clone(), pace);
            assert_eq!(loaded.dataset.empty_columns(), [""; 0], "{place}");
        }
    }
}

/// Checks lines as a file of a schema, in one piece and in many.
fn check_lines(text: &str, choice: &SchemaChoice) {
    for pace in [ScanPace::default(), TINY] {
        let loaded = load(vec![embedded(text.as_bytes())], choice.clone(), pace);
        assert!(loaded.troubles.is_empty(), "{:?}", loaded.troubles);
        check(&loaded);
    }
}

#[test]
fn sample_files() {
    let files = ["../../tests/samples", "assets/demo"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert!(paths.len() > 5);
    for path in paths {
        let text = std::fs::read_to_string(Path::new(&path)).expect("a file");
        check_lines(&text, &SchemaChoice::default());
    }
    let inputs = [
        "assets/demo/helpsteer2.jsonl",
        "assets/demo/webgpt.jsonl",
        "../../tests/samples/shp.jsonl",
    ];
    let inputs: Vec<_> = inputs.iter().map(|path| Input::Path(path.into())).collect();
    check(&load(inputs, SchemaChoice::default(), TINY));
}

#[test]
fn unusual_rows() {
    for (schema, lines) in [
        (
            "helpsteer2",
            &[
                r#"{"prompt": "a\n<extra_id_1>Assistant\nb\n<extra_id_1>User\nc", "response": "r\u00e9\ud83d\ude00\ud83d"}"#,
                r#"{"prompt": "a\n\u003cextra_id_1>Assistant\nb", "response": ""}"#,
                r#"{"prompt": "\ud83d\n<extra_id_1>Assistant\nb", "response": "x", "helpfulness": 4.0}"#,
                r#"{"prompt": "\ud83d\n<extra_id_1>Assistant\nb", "response": "x", "helpfulness": null}"#,
                r#"{"prompt": [{"role": "user", "content": "é"}, {"role": "assistant", "content": "b"}], "response": "x"}"#,
                r#"{"prompt": "p", "response": [{"role": "user", "content": "é"}, {"role": "assistant", "content": "bb"}]}"#,
                r#"{"prompt": "p", "response": "r", "verbosity": NaN}"#,
                "{\"prompt\": \"raw\ttab\", \"response\": \"r\", \"helpfulness\": 3}",
                r#"{"prompt": "raw\ttab", "response": "r", "helpfulness": 2}"#,
            ][..],
        ),
        (
            "webgpt-flat",
            &[
                r#"{"question": {"full_text": "q", "dataset": "d"}, "answer_0": "a", "answer_1": "b", "score_0": 0.5, "score_1": -0.5, "quotes_0": {"title": ["t\u00e9", null], "extract": ["x"]}, "quotes_1": []}"#,
                r#"{"question": {"full_text": "q", "dataset": null, "id": 7}, "answer_0": "a", "answer_1": "b", "quotes_0": null, "quotes_1": [{"title": "\ud83d", "extract": "\n"}, {}]}"#,
            ],
        ),
        (
            "pku-saferlhf",
            &[
                r#"{"prompt": "p", "response_0": "a", "response_1": "b", "better_response_id": 0}"#,
                r#"{"prompt": "p", "response_0": "a", "response_1": "b", "better_response_id": 7, "is_response_0_safe": true}"#,
                r#"{"prompt": "p", "response_0": "a", "response_1": "b"}"#,
            ],
        ),
        (
            "ultrainteract",
            &[
                r#"{"trajectory": "x", "chosen": "y", "rejected": "z"}"#,
                r#"{"trajectory": [{"role": "user", "content": "é"}, {"role": "assistant", "content": "bb"}], "chosen": "y", "rejected": [{"role": "assistant", "content": "é"}]}"#,
            ],
        ),
        (
            "helpsteer2-preference",
            &[
                r#"{"prompt": "p", "response_1": "a", "response_2": "b", "preference_strength": -2}"#,
                r#"{"prompt": "p", "response_1": "a", "response_2": "b", "preference_strength": 0}"#,
                r#"{"prompt": "p", "response_1": "a", "response_2": "b", "preference_strength": null}"#,
                "broken",
            ],
        ),
    ] {
        let text = lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        check_lines(&text, &SchemaChoice::named(schema).expect("built in"));
    }
}

#[test]
fn a_map_with_markers_that_begin_lines() {
    let toml = r#"
name = "marked"
title = "Marked"
rows = "adjacent"
prompt.path = "/p"
turns = { marker = "line-start", user = "Human:", assistant = "Assistant:" }
response = [{ text = "/r" }]
fact = [{ name = "n", path = "/n" }]
"#;
    let definition = crate::schema::Definition::parse(toml).expect("a schema");
    let schema = std::sync::Arc::new(crate::schema::Schema::new(definition));
    let lines = [
        r#"{"p": "\n\nHuman: hi\n\nAssistant: yo\n", "r": "x", "n": 1}"#,
        r#"{"p": "no marker\n\n", "r": "x", "n": 2}"#,
        r#"{"p": "no marker\n\n", "r": "y", "n": 3}"#,
        "oops",
        r#"{"p": "no marker, n", "r": "y"}"#,
    ];
    check_lines(
        &lines.map(|line| format!("{line}\n")).concat(),
        &SchemaChoice::Ready(schema),
    );
}

#[test]
fn a_file_that_shrinks_is_iterated_without_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = super::row(&format!("\"{}\"", "p".repeat(1000)), 1) + "\n";
    let path = super::on_disk(&folder, "rows", row.repeat(100).as_bytes());
    let loaded = load(
        vec![Input::Path(path.clone())],
        SchemaChoice::named("helpsteer2").expect("built in"),
        ScanPace::default(),
    );
    // Whole pages, since a truncated part of a page reads as zeros without a fault.
    let left = 64 << 10;
    std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("opened")
        .set_len(left)
        .expect("shrunk");
    let whole = left as usize / (2 * row.len());
    let mut seen = Vec::new();
    loaded
        .dataset
        .for_each_sample(0..50, &|_| true, &mut |sample, rows| {
            seen.push(sample);
            assert_eq!(
                rows.lines().len(),
                if sample < whole { 2 } else { 0 },
                "{sample}"
            );
            assert!(rows.lines().iter().all(|line| line.ends_with(b"}")));
        });
    assert_eq!(seen, (0..50).collect::<Vec<_>>());
}

#[test]
fn rows_rewritten_in_place_are_detected() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |letter: &str, rating: u32| super::row(&format!("\"{letter}\""), rating) + "\n";
    let rows: Vec<_> = ["é", "é", "b", "b", "c", "c"]
        .iter()
        .map(|letter| line(letter, 1))
        .collect();
    let path = super::on_disk(&folder, "rows", rows.concat().as_bytes());
    let loaded = load(
        vec![Input::Path(path.clone())],
        SchemaChoice::named("helpsteer2").expect("built in"),
        ScanPace::default(),
    );
    let dataset = loaded.dataset;
    let (keys, mut buffers) = (dataset.keys(0..3, &|| true), Buffers::default());
    assert!(keys.iter().all(Option::is_some) && dataset.check_unchanged().is_ok());
    // Same size: the first sample has other bytes (with half a character at its end), the second
    // another label. Same modification time, as `rsync --inplace --times` leaves it.
    let written = std::fs::metadata(&path)
        .and_then(|found| found.modified())
        .expect("a time");
    let file = std::fs::File::options()
        .write(true)
        .open(&path)
        .expect("opened");
    let shifted = rows[0].replace('é', "x\u{7f}").replace("\"r\"", "\"s\"");
    file.write_all_at(shifted.as_bytes(), 0).expect("written");
    file.write_all_at(b"\xc3", 20).expect("written");
    let third = (rows[0].len() + rows[1].len()) as u64;
    file.write_all_at(line("b", 2).as_bytes(), third)
        .and_then(|()| file.set_modified(written))
        .expect("written");
    for _ in 0..2 {
        let mut seen = Vec::new();
        dataset.for_each_sample(0..3, &|_| true, &mut |_, rows| {
            seen.push(rows.lines().len());
        });
        assert_eq!(seen, [0, 0, 2]);
        assert_eq!(dataset.keys(0..3, &|| true), [None, None, keys[2]]);
        for (sample, key) in [None, None, keys[2]].into_iter().enumerate() {
            assert_eq!(dataset.key(sample, &mut buffers), key);
            let body = dataset.read(sample, &mut buffers).expect("a sample").body;
            let is_reported = matches!(body, SampleBody::Unreadable(SourceError::Changed(_)));
            assert!(
                if key.is_some() {
                    matches!(body, SampleBody::Sample(_))
                } else {
                    is_reported
                },
                "{body:?}"
            );
        }
        assert!(matches!(
            dataset.check_unchanged(),
            Err(SourceError::Changed(_))
        ));
    }
    // Bytes appended after the rows do not change them.
    file.write_all_at(rows.concat().as_bytes(), 0)
        .expect("written");
    file.write_all_at(b"{}\n", rows.concat().len() as u64)
        .expect("written");
    assert_eq!(dataset.keys(0..3, &|| true), keys);
    assert!(
        dataset.check_unchanged().is_err(),
        "a result of one pass is of neither"
    );
}

#[test]
fn columns_take_as_few_bytes_as_they_need() {
    let loaded = load(
        vec![Input::Path("assets/demo/helpsteer2.jsonl".into())],
        SchemaChoice::default(),
        ScanPace::default(),
    );
    for chunk in loaded.dataset.chunks() {
        let columns = chunk.columns();
        assert!(
            labels(columns)
                .flatten()
                .all(|values| matches!(values, Values::Bytes { low: 0.0, .. }))
        );
        let quotes = columns.numbers(ColumnId::QUOTES);
        assert!(labels(columns).count() == 5 && quotes.is_none());
        assert!(columns.of_samples(ColumnId::VERDICT).is_none());
        let turns = columns.of_samples(ColumnId::TURNS);
        assert!(matches!(turns, Some(Values::Bytes { low: 0.0, .. })));
        let lengths = columns.numbers(ColumnId::LENGTH);
        let is_small = |values| matches!(values, &Values::Bytes { .. } | &Values::Shorts(_));
        assert!(lengths.is_some_and(|lengths| lengths.iter().all(is_small)));
    }
}

#[test]
fn counts_agree_with_samples_of_all_layouts() {
    let samples = std::fs::read_dir("../../tests/samples").expect("the folder");
    let mut files = 0;
    for file in samples {
        let path = file.expect("a file").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            let file = std::fs::read(&path).expect("readable");
            for pace in [ScanPace::default(), super::TINY] {
                check(&super::loaded(&file, pace));
            }
            files += 1;
        }
    }
    assert!(files > 30);
}

/// Rows with the same prompt and responses by one annotator each are one sample. Their verdicts are
/// votes; annotators who saw a pair in the other order vote for the same responses.
#[test]
fn rows_of_several_annotators_are_one_sample() {
    let row = |prompt: &str, texts: [&str; 2], more: &str| {
        let [a, b] = texts;
        format!(r#"{{"prompt": "{prompt}", "response_a": "{a}", "response_b": "{b}", {more}}}"#)
    };
    let by = |winner: &str, who: &str| format!(r#""winner": "{winner}", "annotator": "{who}""#);
    let rows = [
        row("p", ["x", "y"], &by("a", "kim")),
        row("q", ["x", "y"], &by("b", "kim")),
        row("p", ["y", "x"], &by("a", "lee")),
        row("p", ["x", "z"], &by("tie", "kim")),
        "broken".to_owned(),
        row("p", ["x", "y"], &by("a", "max")),
        row("q", ["x", "y"], &by("b", "lee")),
        row("q", ["x", "y"], &by("cannot say", "max")),
    ];
    let text = rows.join("\n");
    for pace in [TINY, ScanPace::default()] {
        let mut loaded = Loaded::default();
        let loader = Loader {
            inputs: vec![embedded(text.as_bytes())],
            group_by: Some(vec![crate::schema::Path::from("prompt")]),
            ..Loader::default()
        };
        let mut take = |report| {
            loaded.take(report);
            ControlFlow::Continue(())
        };
        loader.run_at(pace, &mut take).expect("loaded");
        let dataset = &loaded.dataset;
        let rows: Vec<Vec<u32>> = (0..dataset.samples())
            .map(|sample| dataset.sample_rows(sample).expect("rows").iter().collect())
            .collect();
        assert_eq!(rows, [vec![0, 2, 5], vec![1, 6, 7], vec![3], vec![4]]);
        check(&loaded);
        let mut buffers = Buffers::default();
        let mut read = |sample| match dataset.read(sample, &mut buffers).expect("a sample").body {
            SampleBody::Sample(sample) => {
                let each = sample.votes.each.iter();
                let each = each.map(|it| {
                    format!(
                        "{}={}",
                        it.annotator.as_deref().unwrap_or("?"),
                        it.vote.verdict.word()
                    )
                });
                (
                    each.collect::<Vec<_>>().join(" "),
                    sample.responses.len(),
                    sample.warnings.len(),
                )
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(read(0), ("kim=a lee=b max=a".to_owned(), 2, 0));
        assert_eq!(read(1), ("kim=b lee=b".to_owned(), 2, 1));
        assert_eq!(read(2), ("kim=tie".to_owned(), 2, 0));
        let verdicts: Vec<_> = (0..4)
            .map(|sample| dataset.verdict(sample).map(Verdict::word))
            .collect();
        assert_eq!(
            verdicts,
            [Some("a".into()), Some("b".into()), Some("tie".into()), None]
        );
    }
}
