//! The bodies of the fuzz targets: what is fuzzed, and what must hold for every input.
//!
//! With `cargo fuzz` (which needs a nightly toolchain): `cargo +nightly fuzz run --fuzz-dir
//! tests/fuzz row`. Without it, `cargo run --release --manifest-path tests/fuzz/Cargo.toml --bin
//! replay -- 60` feeds each target mutated inputs for a minute and saves inputs that panic in
//! `tests/fuzz/artifacts`. The same program replays them when given as arguments.

mod load;
mod query;
mod raw_text;
mod screen;
mod text;

use std::sync::OnceLock;

pub use load::load;
pub use query::query;
pub use raw_text::raw_text;
pub use screen::{keys, terminal};
pub use text::text;

use visavis::{RowStats, Schema, SchemaChoice, built_in, repair};

/// A target: its name and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 8] = [
    ("row", row),
    ("lines", lines),
    ("load", load),
    ("text", text),
    ("raw_text", raw_text),
    ("keys", keys),
    ("terminal", terminal),
    ("query", query),
];

/// Returns the built-in schemas.
fn schemas() -> &'static [Schema] {
    static SCHEMAS: OnceLock<Vec<Schema>> = OnceLock::new();
    SCHEMAS.get_or_init(|| built_in().into_iter().map(Schema::new).collect())
}

/// Reads lines in sequence, where each is read with knowledge of the previous one, and each alone:
/// the results must be equal.
pub fn lines(lines: &[u8]) {
    let guessed = SchemaChoice::default().schema(&[lines
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default()]);
    for schema in schemas().iter().chain(guessed.as_deref().ok()) {
        let (mut reader, mut start) = (schema.read_lines(lines), 0);
        for line in lines.split(|byte| *byte == b'\n') {
            if let Some((row, end)) = reader.row_at(start) {
                assert_eq!(end, start + line.len(), "the end of a line");
                let alone = schema.row(line).expect("a row, also by itself");
                let (mut together, mut single) = (RowStats::default(), RowStats::default());
                row.row_stats(schema.counted(), false, &mut together);
                alone.row_stats(schema.counted(), false, &mut single);
                assert_eq!(
                    (
                        &together.of_prompt,
                        &together.of_responses,
                        together.has_warning
                    ),
                    (&single.of_prompt, &single.of_responses, single.has_warning)
                );
                assert_eq!(
                    format!("{:?}", row.record()),
                    format!("{:?}", alone.record())
                );
            }
            start += line.len() + 1;
        }
    }
}

/// Reads a line with every built-in schema and with the one detected for it.
pub fn row(line: &[u8]) {
    for schema in schemas() {
        read_row(schema, line);
    }
    if let Ok(schema) = SchemaChoice::default().schema(&[line]) {
        read_row(&schema, line);
    }
    if let Some(mended) = repair(line) {
        assert_eq!(repair(&mended.line), None, "mending has an end");
    }
}

fn read_row(schema: &Schema, line: &[u8]) {
    let strict = schema.row(line).and_then(|row| row.record());
    match &strict {
        Ok(record) => {
            let labels = schema.labels().len();
            assert!(
                record
                    .responses
                    .iter()
                    .all(|response| response.ratings.len() == labels)
            );
            assert!(!record.responses.is_empty());
        }
        Err(row_error) => assert!(
            row_error.column <= line.len() + 1 && !row_error.reason.is_empty(),
            "{row_error:?}"
        ),
    }
    if let Some(mended) = repair(line) {
        // It may be valid or not; it must not panic.
        let _ = schema.row(&mended.line).and_then(|row| row.record());
    }
}
