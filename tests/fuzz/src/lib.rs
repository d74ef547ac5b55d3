//! What is fuzzed, and what must hold whatever the input: the bodies of the fuzz targets.
//!
//! With `cargo fuzz` (which wants a nightly toolchain):
//! `cargo +nightly fuzz run --fuzz-dir tests/fuzz row`. Without it,
//! `cargo run --release --manifest-path tests/fuzz/Cargo.toml --bin replay -- 60` feeds each target
//! mutated inputs for a minute and keeps what it panics on in `tests/fuzz/artifacts`, which the
//! same program replays when given as arguments.

mod load;
mod query;
mod screen;
mod text;

use std::sync::OnceLock;

pub use load::load;
pub use query::query;
pub use screen::{keys, terminal};
pub use text::text;

use visavis::{Schema, SchemaChoice, built_in, repair};

/// A target: its name and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 6] = [
    ("row", row),
    ("load", load),
    ("text", text),
    ("keys", keys),
    ("terminal", terminal),
    ("query", query),
];

/// Reads a line by every built-in schema and by the one that is guessed for it.
pub fn row(line: &[u8]) {
    static SCHEMAS: OnceLock<Vec<Schema>> = OnceLock::new();
    let prepared = || {
        built_in()
            .into_iter()
            .map(|definition| Schema::new(definition).expect("a good schema"))
            .collect()
    };
    for schema in SCHEMAS.get_or_init(prepared) {
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
            assert!((1..=2).contains(&record.responses.len()));
        }
        Err(row_error) => assert!(
            row_error.column <= line.len() + 1 && !row_error.reason.is_empty(),
            "{row_error:?}"
        ),
    }
    if let Some(mended) = repair(line) {
        // Whether it reads now is up to the line; it must not panic.
        let _ = schema.row(&mended.line).and_then(|row| row.record());
    }
}
