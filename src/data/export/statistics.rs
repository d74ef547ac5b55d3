//! A profile and other answers as JSON, with unrounded figures under stable keys.

use serde_json::json;

use crate::answer::{AnswerTable, json_document};
use crate::profile::Profile;

/// The version of the documents; it grows when a key changes its meaning.
const VERSION: u32 = 1;

/// Returns the number of matches as a JSON document in one line: `version`, `samples`, `responses`,
/// and `malformed` (of all rows).
pub fn counts_as_json(samples: usize, responses: usize, malformed: usize) -> String {
    let document = json!({
        "version": VERSION,
        "samples": samples,
        "responses": responses,
        "malformed": malformed,
    });
    format!("{document}\n")
}

/// Returns a table as a JSON document: `version`, and its rows under `key`.
pub fn table_as_json(key: &str, table: &AnswerTable) -> String {
    let mut document = json!({"version": VERSION});
    document[key] = table.json();
    json_document(&document)
}

/// Returns a profile as a JSON document: its `version`, which responses the figures of `shown`
/// cover (`covers`), and its sections ([`AnswerSection::json`](crate::answer::AnswerSection::json)).
pub fn statistics_as_json(profile: &Profile) -> String {
    let mut sections = json!({
        "version": VERSION,
        "samples": profile.samples,
        "shown": profile.shown,
    });
    if let Some(covers) = &profile.covers {
        sections["covers"] = json!(covers);
    }
    for section in profile.answer.sections() {
        sections[section.key] = section.json();
    }
    json_document(&sections)
}
