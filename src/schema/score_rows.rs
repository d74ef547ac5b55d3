//! Rows that state numbers and no texts: what a reward model or a judge wrote beside a key of the
//! sample that it looked at.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::decode;
use super::fast_scan::fast_scan;
use super::guess;
use super::path::{Path, Tree};
use super::serde_scan::serde_scan;

/// Where the numbers stand on rows that have no texts.
#[derive(Debug)]
pub struct ScoreRows {
    columns: Vec<ScoreColumn>,
}

/// A number of each response, or one of the row.
#[derive(Debug, PartialEq)]
struct ScoreColumn {
    name: String,
    /// The keys of the responses' numbers, A first; one key where that holds the number of the row,
    /// or a list of the numbers of all responses.
    keys: Vec<String>,
}

/// Keys whose numbers name a row and rate nothing.
const NAMES: [&str; 7] = ["id", "idx", "index", "row", "sample", "line", "seed"];

impl ScoreRows {
    /// The numbers that such rows have, `key` aside; `None` where they have none.
    pub fn of(lines: &[&[u8]], key: Option<&Path>) -> Option<Self> {
        let records: Vec<Map<String, Value>> = lines
            .iter()
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        let mut columns: Vec<ScoreColumn> = Vec::new();
        let is_taken = |columns: &[ScoreColumn], name: &str| {
            let mut keys = columns.iter().flat_map(|column| &column.keys);
            keys.any(|key| key == name)
        };
        let is_key = |name: &str| key.and_then(Path::first_key) == Some(name);
        let rates = |name: &&String| !is_key(name) && !is_row_name(name);
        let names = || records.iter().flat_map(Map::keys).filter(rates);
        for name in names() {
            if let Some((stem, pair)) = guess::numeric_pair(name, &records)
                && !is_taken(&columns, name)
            {
                let stem = if stem.is_empty() { "score" } else { stem };
                columns.push(ScoreColumn {
                    name: stem.to_owned(),
                    keys: pair.to_vec(),
                });
            }
        }
        for name in names() {
            let has_values =
                guess::has_numbers(name, &records) || has_lists_of_numbers(name, &records);
            if has_values && !is_taken(&columns, name) {
                columns.push(ScoreColumn {
                    name: name.clone(),
                    keys: vec![name.clone()],
                });
            }
        }
        (!columns.is_empty()).then_some(Self { columns })
    }

    /// The names of its columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// The numbers of a row, a list for each column: one for each response, A first, NaN where it
    /// has none; `None` where the line is no JSON object.
    pub fn read(&self, line: &[u8]) -> Option<Vec<Vec<f64>>> {
        let record: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let numbers = |column: &ScoreColumn| match column.keys.as_slice() {
            [key] => match record.get(key) {
                Some(Value::Array(values)) => values.iter().map(number).collect(),
                value => vec![value.map_or(f64::NAN, number)],
            },
            keys => keys
                .iter()
                .map(|key| record.get(key).map_or(f64::NAN, number))
                .collect(),
        };
        Some(self.columns.iter().map(numbers).collect())
    }
}

/// Whether a key is that of a number that names a row.
pub(super) fn is_row_name(name: &str) -> bool {
    NAMES.contains(&name) || name.ends_with("_id") || name.ends_with("_index")
}

fn has_lists_of_numbers(name: &str, records: &[Map<String, Value>]) -> bool {
    let values = records.iter().filter_map(|record| record.get(name));
    let mut lists = values.filter(|value| !value.is_null()).peekable();
    let is_list = |value: &Value| match value {
        Value::Array(values) => {
            values.len() > 1 && values.iter().all(|it| it.is_number() || it.is_null())
        }
        _ => false,
    };
    lists.peek().is_some() && lists.all(is_list)
}

/// The number of a value; true is 1 and false 0; NaN of anything else.
fn number(value: &Value) -> f64 {
    match value {
        Value::Bool(is_true) => f64::from(u8::from(*is_true)),
        value => value.as_f64().unwrap_or(f64::NAN),
    }
}

/// Reads one field of lines and nothing else.
#[derive(Debug)]
pub struct FieldReader {
    tree: Tree,
}

impl FieldReader {
    /// A reader of the value at a path.
    pub fn new(path: &Path) -> Self {
        let mut tree = Tree::default();
        tree.slot(path);
        Self { tree }
    }

    /// A hash of the value on a line, of a string what it says, however that is spelled; `None`
    /// where there is none or null, and of what is no JSON. A number and the same number as a
    /// string are the same, since tools write keys both ways.
    pub fn hash(&self, line: &[u8]) -> Option<u64> {
        let mut values = vec![None; self.tree.slots()];
        let fast = std::str::from_utf8(line).ok();
        let fast = fast.and_then(|line| fast_scan(&self.tree, line, &mut values));
        if fast.is_none() {
            values = serde_scan(&self.tree, line).ok()?.values;
        }
        let spelling = values.first()?.as_ref()?.spelling;
        if spelling == "null" {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        match decode::string(spelling) {
            Ok((text, _)) => text.hash(&mut hasher),
            Err(_) => spelling.hash(&mut hasher),
        }
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_rows_without_texts() {
        for (line, columns, numbers) in [
            (
                r#"{"id": 7, "score_chosen": 1.5, "score_rejected": null, "model": "x"}"#,
                &["score"][..],
                "[[1.5, NaN]]",
            ),
            (
                r#"{"uid": "a", "rewards": [0.1, 0.2, 0.3], "index": 3}"#,
                &["rewards"],
                "[[0.1, 0.2, 0.3]]",
            ),
            (
                r#"{"prompt_id": 4, "reward": -2, "correct": true}"#,
                &["correct", "reward"],
                "[[1.0], [-2.0]]",
            ),
            (
                r#"{"a_1": 1, "a_2": 2, "b": 3}"#,
                &["a", "b"],
                "[[1.0, 2.0], [3.0]]",
            ),
        ] {
            let rows = ScoreRows::of(&[line.as_bytes()], None).expect("numbers");
            let mut names: Vec<_> = rows.names().collect();
            names.sort_unstable();
            assert_eq!(names, columns, "{line}");
            let mut read = rows
                .columns
                .iter()
                .zip(rows.read(line.as_bytes()).expect("a row"));
            let mut sorted: Vec<_> = read.by_ref().collect();
            sorted.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
            let values: Vec<_> = sorted.into_iter().map(|(_, values)| values).collect();
            assert_eq!(format!("{values:?}"), numbers, "{line}");
        }
        for line in [
            r#"{"id": 7, "model": "x"}"#,
            "[1, 2]",
            "{",
            r#"{"score": "high"}"#,
        ] {
            assert!(ScoreRows::of(&[line.as_bytes()], None).is_none(), "{line}");
        }
        let key = Path::from("reward");
        let rows = ScoreRows::of(&[br#"{"reward": 1, "score": 2}"#], Some(&key));
        assert_eq!(rows.map(|rows| rows.names().count()), Some(1));
    }

    #[test]
    fn keys_are_the_same_however_they_are_spelled() {
        let reader = FieldReader::new(&Path::from("/meta/id"));
        let hash = |line: &str| reader.hash(line.as_bytes());
        let first = hash(r#"{"meta": {"id": "é1"}}"#);
        assert!(first.is_some());
        assert_eq!(
            first,
            hash(r#"{"x": [{}], "meta": {"y": 2, "id": "\u00e91"}}"#)
        );
        assert_eq!(
            hash(r#"{"meta": {"id": 12}}"#),
            hash(r#"{"meta": {"id": "12"}}"#)
        );
        assert_ne!(first, hash(r#"{"meta": {"id": "e1"}}"#));
        for line in [r#"{"meta": {}}"#, r#"{"meta": {"id": null}}"#, "{", "[]"] {
            assert_eq!(hash(line), None, "{line}");
        }
    }
}
