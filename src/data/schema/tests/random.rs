//! Random lines: reading them never panics, and never accepts invalid JSON as a row.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::plain_scan::plain_scan;
use super::scan;
use crate::model::{ReadWarning, Record};
use crate::schema::row::lines::repair;
use crate::schema::row::record_scan::CapturedValue;
use crate::schema::{
    CapturedRow, Choices, RowReader, RowStats, RowText, Schema, SchemaChoice, TextKinds, built_in,
    same_text,
};

/// The built-in schemas, and one with deeper paths.
static SCHEMAS: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    let map: Choices = "prompt=a.0.b,a=c,b=/d/1".parse().expect("a map");
    let mapped = SchemaChoice::Mapped(map).schema(&[]).expect("a schema");
    let mut nested = mapped.definition().clone();
    nested.needs = vec!["/a".into(), "/d".into(), "/a/0".into(), "".into()];
    let all = built_in().into_iter();
    let all = all.chain([mapped.definition().clone(), nested]);
    all.map(Schema::new).collect()
});

/// A row of the schema with deeper paths.
const MAPPED: &str = r#"{"a": [{"b": "p"}], "c": "r", "d": ["x", "y"]}"#;

/// Collects the pointers to a value and to everything in it.
fn push_pointers(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(members) => members
            .iter()
            .for_each(|(key, value)| push_pointers(value, format!("{at}/{key}"), pointers)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(place, value)| push_pointers(value, format!("{at}/{place}"), pointers)),
        _ => {}
    }
    pointers.push(at);
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Runs everything that the program does with a line.
fn read(line: &[u8]) -> Result<(), TestCaseError> {
    // A key that is not needed may have a lone surrogate.
    let is_value = serde_json::from_slice::<Value>(line).is_ok();
    for schema in SCHEMAS.iter() {
        prop_assert!(scan(&schema.tree, line).is_some() || !is_value || line.contains(&b'\n'));
        match schema.row(line) {
            Ok(row) => {
                prop_assert!(is_json(line));
                if let Some(spelling) = row.prompt_spelling() {
                    prop_assert!(same_text(&spelling, &spelling));
                }
                if let Ok(record) = row.record() {
                    agrees(schema, &row, &record)?;
                    prop_assert!(
                        record
                            .responses
                            .iter()
                            .all(|response| response.ratings.len() == schema.labels().len())
                    );
                    let margin = record.outcome.and_then(|outcome| outcome.margin);
                    prop_assert!(margin.is_none_or(f64::is_finite));
                }
            }
            Err(row_error) => prop_assert!(
                row_error.column <= line.len() + 1 && !row_error.reason.is_empty(),
                "{row_error:?}"
            ),
        }
    }
    if let Some(repaired) = repair(line) {
        prop_assert!(!repaired.warnings.is_empty() && repaired.warnings.is_sorted());
        for schema in SCHEMAS.iter() {
            if let Ok(row) = schema.row(&repaired.line) {
                let _ = row.record();
            }
        }
    }
    Ok(())
}

/// Counts and texts that are computed without decoding everything equal those of decoded records.
fn agrees(
    schema: &Schema,
    row: &CapturedRow<'_, '_>,
    record: &Record<'_>,
) -> Result<(), TestCaseError> {
    let mut texts: Vec<_> = record
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
    let (mut lengths, mut quotes, mut ratings) = ([0; 2], [0; 2], Vec::new());
    for (place, response) in record.responses.iter().enumerate() {
        // A response may be one turn of a user.
        texts.extend(response.spoken().map(|(role, text)| {
            let of = RowText::new(TextKinds::RESPONSE, Some(place));
            (RowText { role, ..of }, text.to_owned())
        }));
        for quote in response.quotes.iter().flatten() {
            texts.push((
                RowText::new(TextKinds::TITLE, Some(place)),
                quote.title.to_string(),
            ));
            texts.push((
                RowText::new(TextKinds::QUOTE, Some(place)),
                quote.extract.to_string(),
            ));
        }
        lengths[place] = response.text.chars().count() as u32;
        quotes[place] = response.quotes.as_ref().map_or(0, Vec::len) as u16;
        ratings.extend_from_slice(&response.ratings);
    }
    texts.extend(super::samples::rationales_of(record));
    let mut shown = Vec::new();
    row.for_each_text(
        TextKinds::all(),
        &mut String::new(),
        &mut |of: RowText, text: &str| {
            shown.push((RowText { quotes: None, ..of }, text.to_owned()));
        },
    );
    prop_assert_eq!(shown, texts);
    let mut digest = RowStats::default();
    row.row_stats(schema.counted(), false, &mut digest);
    let prompt_length: usize = record
        .prompt
        .iter()
        .map(|turn| turn.text.chars().count())
        .sum();
    let counted = schema.counted();
    let of_prompt = |name: &str| {
        let place = (counted.of_prompts.iter()).position(|(column, _)| column.name == name);
        digest.of_prompt[place.expect("a column")]
    };
    prop_assert_eq!(of_prompt("len.prompt"), prompt_length as u32);
    prop_assert_eq!(of_prompt("turns"), record.prompt.len() as u32);
    for place in 0..record.responses.len() {
        for ((column, _), &count) in counted.of_responses.iter().zip(&digest.of_responses[place]) {
            match column.name {
                "len.response" => prop_assert_eq!(count, lengths[place]),
                "quotes" => prop_assert_eq!(count, u32::from(quotes[place])),
                _ => {} // See the naive twin of queries.
            }
        }
    }
    let mut found = BTreeSet::new();
    row.find_texts(&mut found);
    let places = schema.definition().places_of_texts().into_iter();
    let found = places
        .enumerate()
        .filter(|(place, _)| found.contains(place));
    let found: BTreeSet<_> = found.map(|(_, it)| it.1.name).collect();
    let reported = record.rationales.iter().map(|it| it.name.clone());
    prop_assert_eq!(found, reported.collect::<BTreeSet<_>>());
    let digested: Vec<_> = digest
        .ratings
        .iter()
        .map(|rating| (!rating.is_nan()).then_some(*rating))
        .collect();
    prop_assert_eq!(digested, ratings);
    prop_assert_eq!(&digest.votes, &record.votes.codes());
    let has_invalid_value = record
        .warnings
        .iter()
        .any(|warning| matches!(warning, ReadWarning::InvalidValue { .. }));
    prop_assert_eq!(digest.has_invalid_value, has_invalid_value);
    prop_assert_eq!(
        digest.has_warning,
        !record.warnings.is_empty(),
        "{:?}",
        record.warnings
    );
    let outcome = record.outcome.as_ref().filter(|_| schema.states_verdicts());
    prop_assert_eq!(digest.verdict, outcome.map(|outcome| outcome.verdict));
    let margin = (!digest.margin.is_nan()).then_some(digest.margin);
    prop_assert_eq!(margin, outcome.and_then(|outcome| outcome.margin));
    Ok(())
}

/// Tokens of JSON in any order: closer to JSON than random bytes.
fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let words = proptest::sample::select(vec![
        &b"{"[..],
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\"prompt\"",
        b"\"response\"",
        b"\"helpfulness\"",
        b"\"answer_0\"",
        b"\"score_0\"",
        b"\"question\"",
        b"\"full_text\"",
        b"\"quotes\"",
        b"\"role\"",
        b"\"content\"",
        b"\"a\"",
        b"\"c\"",
        b"\"p\"",
        b"0",
        b"-1",
        b"1e999",
        b"2.5",
        b"null",
        b"true",
        b"NaN",
        b"-Infinity",
        b"\\",
        b"\\u",
        b"\\ud83d",
        b"d83d",
        b"\\n",
        b"\t",
        b"\x00",
        b"\xff",
        b"\xe2\x82",
        b"\xef\xbb\xbf",
        b" ",
        b"\n",
    ]);
    proptest::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

/// Rows of the first built-in layout, with values of any kind.
fn rows() -> impl Strategy<Value = Vec<u8>> {
    const LISTS: [&str; 10] = [
        "[]",
        "[ ]",
        "[0]",
        "[1, 20,300]",
        "[1,2 ]",
        "[-1.5e3]",
        "[01]",
        "[1, 00]",
        "[1,\"a\"]",
        "[[1]]",
    ];
    let value = prop_oneof![
        Just("3".to_owned()),
        Just("\"text \\ud83d\"".to_owned()),
        "-?[0-9]{1,3}(\\.[0-9]{1,3})?(e[0-9]{1,3})?",
        "\"[a-z\\t]{0,5}\"",
        Just("NaN".to_owned()),
        Just("null".to_owned()),
        Just("[{\"role\": \"user\", \"content\": \"x\"}]".to_owned()),
        Just("[[[]]]".to_owned()),
        Just("{\"a\": true}".to_owned()),
        Just("-100".to_owned()),
        Just("-0.0".to_owned()),
        proptest::sample::select(LISTS.to_vec()).prop_map(str::to_owned),
        (
            proptest::sample::select(LISTS.to_vec()),
            proptest::sample::select(LISTS.to_vec())
        )
            .prop_map(|(prefix, completion)| format!(
                "{{\"prefix\": {prefix}, \"completion\": {completion}}}"
            )),
    ];
    let keys = [
        "prompt",
        "response",
        "helpfulness",
        "answer_0",
        "answer_1",
        "score_0",
        "score_1",
        "quotes_0",
        "tokens_0",
        "tokens_1",
        "response_1",
        "response_2",
        "preference_strength",
        "response_0",
        "better_response_id",
        "source", // Of one schema a list as long as it happens to be.
    ];
    let field = (proptest::sample::select(keys.to_vec()), value)
        .prop_map(|(key, value)| format!("\"{key}\": {value}"));
    proptest::collection::vec(field, 0..12)
        .prop_map(|fields| format!("{{{}}}", fields.join(", ")).into_bytes())
}

/// Rows with texts of many blocks.
fn long_rows() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "word ",
        "\\n",
        "\\\\",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\\ud83d\\ude00",
        "é",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    let text = proptest::collection::vec(piece, 10..60).prop_map(|pieces| pieces.concat());
    (text.clone(), text).prop_map(|(prompt, response)| {
        format!(r#"{{"prompt": "{prompt}", "response": "{response}", "helpfulness": 3}}"#).into()
    })
}

/// A piece of a line that strict JSON rejects, with its expected repair.
fn pieces() -> impl Strategy<Value = (Vec<u8>, String)> {
    let text = "[a-zé ]{0,6}";
    prop_oneof![
        text.prop_map(|text| (format!("\"{text}\"").into_bytes(), format!("\"{text}\""))),
        (text, 0..0x20_u8).prop_map(|(text, control)| {
            (
                [b"\"", text.as_bytes(), &[control], b"\""].concat(),
                format!("\"{text}\\u{control:04x}\""),
            )
        }),
        text.prop_map(|text| (
            [b"\"", text.as_bytes(), b"\xff\""].concat(),
            format!("\"{text}\u{fffd}\"")
        )),
        Just((b"NaN".to_vec(), "null".to_owned())),
        Just((b"-Infinity".to_vec(), "null".to_owned())),
        Just((b"\"NaN\\\"NaN\"".to_vec(), "\"NaN\\\"NaN\"".to_owned())),
        Just((b"-1".to_vec(), "-1".to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_bytes(line in proptest::collection::vec(any::<u8>(), 0..60)) {
        read(&line)?;
    }

    #[test]
    fn any_fragments(line in fragments()) {
        read(&line)?;
    }

    /// The scan accepts the lines that serde_json accepts, and captures what the plain scan does.
    #[test]
    fn the_quick_way_and_the_sure_way(
        line in prop_oneof![rows(), fragments(), proptest::sample::select(super::ORDINARY.to_vec()).prop_map(|line| line.as_bytes().to_vec())],
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), prop_oneof![any::<u8>(), proptest::sample::select(b"\"\\{}[],:0-. \nu".to_vec())]), 0..4),
    ) {
        let mut line = line;
        for (place, byte) in &changes {
            if !line.is_empty() {
                let place = place.index(line.len());
                line[place] = *byte;
            }
        }
        for schema in SCHEMAS.iter() {
            let plain = plain_scan(&schema.tree, &line).filter(|_| !line.contains(&b'\n'));
            prop_assert_eq!(scan(&schema.tree, &line), plain, "{}", String::from_utf8_lossy(&line));
        }
    }

    /// Both scans also agree if a value in a row has another kind.
    #[test]
    fn values_of_another_kind(
        line in proptest::sample::select([&super::ORDINARY[..], &[MAPPED]].concat()),
        place in any::<proptest::sample::Index>(),
        other in proptest::sample::select(vec!["\"x\"", "\"n/a\"", "5", "0.5", "true", "null", "[]", "{}", "[1]", "[{}]", "{\"0\": 1}", "{\"q\": []}"]),
    ) {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        let mut places = Vec::new();
        push_pointers(&record, String::new(), &mut places);
        let place = place.get(&places);
        *record.pointer_mut(place).expect("a place") = serde_json::from_str(other).expect("JSON");
        let line = record.to_string();
        for schema in SCHEMAS.iter() {
            let plain = plain_scan(&schema.tree, line.as_bytes());
            prop_assert_eq!(scan(&schema.tree, line.as_bytes()), plain, "{}", line);
        }
    }

    /// Consecutive lines are read like separate ones, independent of the previous layout.
    #[test]
    fn lines_that_are_read_together(
        pool in proptest::collection::vec(prop_oneof![rows(), long_rows(), fragments(), proptest::sample::select(super::ORDINARY.to_vec()).prop_map(|line| line.as_bytes().to_vec())], 1..4),
        picked in proptest::collection::vec((any::<proptest::sample::Index>(), proptest::option::weighted(0.3, (any::<proptest::sample::Index>(), prop_oneof![any::<u8>(), proptest::sample::select(b"\"\\{}[],:0-. \nu\r".to_vec())]))), 1..8),
    ) {
        let picked = picked.into_iter().map(|(line, change)| {
            let mut line = pool[line.index(pool.len())].clone();
            if let (Some((place, byte)), false) = (change, line.is_empty()) {
                let place = place.index(line.len());
                line[place] = byte;
            }
            line
        });
        let lines = picked.collect::<Vec<_>>().join(&b"\n"[..]);
        for schema in SCHEMAS.iter() {
            let (mut reader, mut start) = (schema.read_lines(&lines), 0);
            let row_reader = RowReader::new(schema);
            for line in lines.split(|byte| *byte == b'\n') {
                if let Some((row, end)) = reader.row_at(start) {
                    prop_assert_eq!(&lines[start..end], line);
                    let alone = plain_scan(&schema.tree, line).expect("JSON").values;
                    let values = &row.values;
                    prop_assert_eq!(values, &alone, "{}", String::from_utf8_lossy(line));
                    let alone_record = schema.row(line).map(|row| format!("{:?}", row.record()));
                    prop_assert_eq!(Ok(format!("{:?}", row.record())), alone_record);
                    // A string may be in an earlier line.
                    let end = lines[start..].as_ptr() as usize + line.len();
                    let is_in_lines = |value: &CapturedValue<'_>| (lines.as_ptr() as usize..end).contains(&(value.spelling.as_ptr() as usize));
                    prop_assert!(values.iter().flatten().all(is_in_lines));
                }
                start += line.len() + 1;
                let said = |row: &CapturedRow<'_, '_>| format!("{row:?} {:?}", row.record());
                let alone = schema.row(line).ok().map(|row| said(&row));
                let alone = alone.or_else(|| schema.row(&repair(line)?.line).ok().map(|row| said(&row)));
                prop_assert_eq!(row_reader.with_row(line, said), alone);
            }
        }
    }

    /// A prompt that begins like the previous one is not mistaken for it, nor is a value that is
    /// not a text.
    #[test]
    fn prompts_that_begin_alike(
        start in "[a-zé\\\\n]{0,3}".prop_map(|start| start.replace('\\', "\\\\")),
        repeats in 0..40_usize,
        ends in proptest::collection::vec(proptest::sample::select(vec![
            &b""[..], b"", b"x", b"\\\"", b"\\\\", b"\\\\\\\"", b"\\n", b"\\u00e9", b"\\ud83d", "é".as_bytes(), b"\xc3", b"\xa9", b"\xff", b"\\", b"\\x", b"\t", b"\"",
        ]), 2..6),
    ) {
        let start = start.repeat(repeats);
        let row = |end: &&[u8]| [b"{\"prompt\": \"", start.as_bytes(), end, b"\", \"response\": \"r\", \"helpfulness\": 3}"].concat();
        let rows: Vec<_> = ends.iter().map(row).collect();
        let lines = rows.join(&b"\n"[..]);
        let schema = SCHEMAS.iter().find(|schema| schema.definition().name == "helpsteer2").expect("built in");
        let (mut reader, mut start) = (schema.read_lines(&lines), 0);
        for line in &rows {
            let alone = plain_scan(&schema.tree, line);
            let read = reader.row_at(start).map(|(row, end)| (row.values.clone(), end - start));
            prop_assert_eq!(read.is_some(), std::str::from_utf8(line).is_ok() && is_json(line), "{}", String::from_utf8_lossy(line));
            prop_assert_eq!(read, alone.map(|alone| (alone.values, line.len())));
            start += line.len() + 1;
        }
    }

    #[test]
    fn any_row(line in rows(), cut in 0.0..1.5_f64) {
        let length = line.len().min((line.len() as f64 * cut) as usize);
        read(&line[..length])?;
    }

    #[test]
    fn what_python_writes_is_repaired(pieces in proptest::collection::vec(pieces(), 0..8)) {
        let (given, wanted): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
        let line = [b"[", given.join(&b", "[..]).as_slice(), b"]"].concat();
        let wanted = format!("[{}]", wanted.join(", "));
        match repair(&line) {
            None => prop_assert_eq!(line, wanted.as_bytes()),
            Some(repaired) => {
                prop_assert_eq!(String::from_utf8_lossy(&repaired.line), wanted.as_str());
                prop_assert!(is_json(&repaired.line) && serde_json::from_slice::<serde_json::Value>(&repaired.line).is_ok());
                prop_assert_eq!(repair(&repaired.line), None, "once is enough");
            }
        }
    }
}
