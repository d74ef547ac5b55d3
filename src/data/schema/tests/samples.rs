//! A sample of each built-in schema: detected, and read completely.

use std::fmt::Write;

use super::*;
use crate::model::{Record, Response};

/// Formats a record, with a line for each part.
fn formatted(schema: &Schema, record: &Record<'_>) -> String {
    let mut out = String::new();
    for turn in &record.prompt {
        let _ = writeln!(out, "  {}: {:?}", turn.role.word(), turn.text);
    }
    for (id, response) in ResponseId::all().zip(&record.responses) {
        let _ = writeln!(
            out,
            "  {} {:?}{}",
            id.letter(),
            response.with_roles(),
            values(schema, response)
        );
    }
    if let Some(outcome) = &record.outcome {
        let margin = outcome.margin.map(|margin| format!(" by {margin}"));
        let _ = writeln!(
            out,
            "  {}{}",
            outcome.verdict.phrase(),
            margin.unwrap_or_default()
        );
    }
    if record.votes != crate::model::Votes::default() {
        let votes = &record.votes;
        let _ = writeln!(
            out,
            "  votes {:?}, {} left out",
            votes.codes(),
            votes.excluded
        );
    }
    for fact in &record.facts {
        let _ = writeln!(out, "  ({} {})", fact.name, fact.value);
    }
    for rationale in &record.rationales {
        let of = rationale.response.map(|of| format!(" {}", of.letter()));
        let who = rationale.annotator.map(|who| format!(" {}", who + 1));
        let (of, who) = (of.unwrap_or_default(), who.unwrap_or_default());
        let _ = writeln!(out, "  [{}{of}{who}] {:?}", rationale.name, rationale.text);
    }
    for warning in &record.warnings {
        let _ = writeln!(out, "  ! {}", warning.explanation());
    }
    out
}

/// The labels of a response with their values.
fn values(schema: &Schema, response: &Response<'_>) -> String {
    let mut out = String::new();
    for (place, label) in schema.labels().iter().enumerate() {
        let Some(value) = response.ratings[place] else {
            continue;
        };
        let said = response.annotations.get(place).and_then(Option::as_ref);
        let said = said.map(|said| format!(" ({said})"));
        let _ = write!(
            out,
            " {} {value:.2}{}",
            label.name,
            said.unwrap_or_default()
        );
    }
    out
}

/// Returns the rationales of a record as a search sees them.
pub(super) fn rationales_of(record: &Record<'_>) -> impl Iterator<Item = (RowText, String)> {
    record.rationales.iter().map(|it| {
        let response = it.response.map(ResponseId::index);
        (
            RowText::new(TextKinds::RATIONALE, response),
            it.text.to_string(),
        )
    })
}

/// Checks that the searched texts are the displayed ones, turn by turn.
fn check_texts(row: &CapturedRow<'_, '_>, record: &Record<'_>) {
    let mut found = Vec::new();
    row.for_each_text(
        TextKinds::all().difference(TextKinds::ID),
        &mut String::new(),
        &mut |of: RowText, text: &str| {
            found.push((RowText { quotes: None, ..of }, text.to_owned()));
        },
    );
    let prompt = record.prompt.iter().map(|turn| {
        (
            RowText {
                role: turn.role,
                ..RowText::new(TextKinds::PROMPT, None)
            },
            turn.text.to_string(),
        )
    });
    let responses = record.responses.iter().enumerate();
    let responses = responses.flat_map(|(place, response)| {
        response.spoken().map(move |(role, text)| {
            let of = RowText::new(TextKinds::RESPONSE, Some(place));
            (RowText { role, ..of }, text.to_owned())
        })
    });
    let all: Vec<_> = prompt
        .chain(responses)
        .chain(rationales_of(record))
        .collect();
    assert_eq!(found, all);
}

/// Formats the texts and the verdict of each row, and whether rows are joined.
fn essence(schema: &Schema, lines: &[&str]) -> String {
    let rows = lines.iter().map(|line| {
        let row = schema.row(line.as_bytes()).expect("a row");
        let record = row.record().expect("a record");
        let turns = record.prompt.iter();
        let prompt = turns.map(|turn| format!("{}: {:?}\n", turn.role.word(), turn.text));
        let responses = record.responses.iter().map(Response::with_roles);
        let responses: Vec<_> = responses.collect();
        let verdict = record.outcome.map(|it| it.verdict.phrase().to_string());
        prompt.collect::<String>() + &format!("{responses:?} {verdict:?}\n")
    });
    let labels = schema.labels().iter().map(|label| &label.name);
    let of_rows = format!(
        "{:?}, {:?}",
        schema.definition().rows,
        labels.collect::<Vec<_>>()
    );
    rows.chain([of_rows]).collect()
}

#[test]
fn a_schema_knows_more_than_a_guess() {
    let mut alike = Vec::new();
    for definition in built_in() {
        let name = &*definition.name;
        let file = std::fs::read_to_string(format!("../../tests/samples/{name}.jsonl"));
        let Ok(file) = file else { continue };
        let lines: Vec<_> = file.lines().collect();
        let bytes: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        let guess = SchemaChoice::Detect(SchemaCatalog::none()).schema(&bytes);
        let doubts = |schema: &Schema| {
            let guess = schema.definition().guess.iter();
            guess.flat_map(Guess::doubtful).count()
        };
        let own = essence(&schema(&lines).expect("a schema"), &lines);
        let is_alike = guess.is_ok_and(|it| essence(&it, &lines) == own && doubts(&it) == 0);
        alike.extend(is_alike.then(|| name.to_owned()));
    }
    // These join rows, or read numbers and states, whatever the first rows of a file have.
    assert_eq!(
        alike,
        [
            "kto",
            "label-studio",
            "llm-comparator",
            "multipref",
            "verifiers",
            "verl"
        ]
    );
}

#[test]
fn each_is_found_by_itself_and_read_whole() {
    let mut all = String::new();
    let files = std::fs::read_dir("../../tests/samples").expect("a folder");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let stem =
        |path: &std::path::PathBuf| path.file_stem().map(|it| it.to_string_lossy().into_owned());
    let mut names: Vec<_> = paths.iter().filter_map(stem).collect();
    // Rows of the first three datasets are in the demo, or lines of these tests.
    let known = ["helpsteer2", "webgpt-flat", "webgpt-raw"];
    for definition in built_in() {
        let is_known = names.contains(&definition.name) || known.contains(&&*definition.name);
        assert!(is_known, "{} has no sample", definition.name);
    }
    names.retain(|name| name != "helpsteer3-annotated");
    for name in &names {
        let path = format!("../../tests/samples/{name}.jsonl");
        let file = std::fs::read_to_string(&path).expect("a sample");
        let lines: Vec<_> = file.lines().collect();
        for count in 1..=lines.len() {
            let found = schema(&lines[..count]).expect("a schema");
            assert_eq!(found.definition().name, *name, "{path}");
        }
        let schema = schema(&lines).expect("a schema");
        let _ = writeln!(all, "{name}");
        for line in lines {
            let row = schema.row(line.as_bytes()).expect("a row");
            let record = row.record().expect("a record");
            check_texts(&row, &record);
            let _ = writeln!(all, " row\n{}", formatted(&schema, &record).trim_end());
        }
    }
    insta::with_settings!({
        snapshot_path => "../../../../tests/snapshots",
        prepend_module_to_snapshot => false,
    }, {
        insta::assert_snapshot!("schema_samples", all);
    });
}
