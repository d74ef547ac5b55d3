//! What is wrong with a schema file: at which line, column and key, and what to write there.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::definition::{ByLabel, ByName, BySign, ByStrength, ByValue, Fixed, OneHotRule};
use super::path::Path;
use crate::text::one_line;

/// What is wrong with a schema file.
///
/// As text it is one line: where, what, the line of the file that says it, and what to write.
#[derive(Debug, Clone)]
pub struct DefinitionError {
    /// Where that stands in the text; `None` of a definition that was never a text.
    place: Option<TextPlace>,
    key: KeyPath,
    what: String,
}

/// A place in the text of a file.
#[derive(Debug, Clone)]
struct TextPlace {
    /// From 1.
    line: usize,
    /// In characters, from 1.
    column: usize,
    /// The line.
    quoted: String,
}

/// Keys that lead to a value of a TOML file, and places in its lists of tables, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct KeyPath(Vec<KeyStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyStep {
    Key(String),
    Element(usize),
}

impl KeyPath {
    /// The path of these keys.
    pub(super) fn of<const N: usize>(keys: [&str; N]) -> Self {
        Self(keys.map(|key| KeyStep::Key(key.to_owned())).to_vec())
    }

    /// The same keys in an element, from 0, of a list of tables.
    pub(super) fn below(self, list: &str, element: usize) -> Self {
        let list = [KeyStep::Key(list.to_owned()), KeyStep::Element(element)];
        Self(list.into_iter().chain(self.0).collect())
    }

    fn then(mut self, key: &str) -> Self {
        self.0.push(KeyStep::Key(key.to_owned()));
        self
    }

    /// The keys alone.
    fn keys(&self) -> Vec<&str> {
        let steps = self.0.iter();
        steps
            .filter_map(|step| match step {
                KeyStep::Key(key) => Some(key.as_str()),
                KeyStep::Element(_) => None,
            })
            .collect()
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |key: &str| {
            let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            !key.is_empty() && key.chars().all(is_sign)
        };
        for (place, key) in self.keys().into_iter().enumerate() {
            if place > 0 {
                f.write_str(".")?;
            }
            if is_bare(key) {
                f.write_str(key)?;
            } else {
                write!(f, "{key:?}")?;
            }
        }
        Ok(())
    }
}

impl DefinitionError {
    /// What is wrong with the value of a key.
    pub(super) fn at(key: KeyPath, what: impl Into<String>) -> Self {
        Self {
            place: None,
            key,
            what: what.into(),
        }
    }

    /// What the reader of TOML says of a text that is no definition.
    pub(super) fn of_toml(error: &toml::de::Error, text: &str) -> Self {
        let Ok(table) = DeTable::parse(text) else {
            return Self {
                place: error.span().map(|span| TextPlace::of(text, span.start)),
                key: KeyPath::default(),
                what: format!("no TOML: {}", error.message()),
            };
        };
        let table = table.get_ref();
        let span = error.span().unwrap_or_default();
        let mut key = key_at(table, span.start);
        let mut start = span.start;
        let mut what = in_words(error.message());
        if key.keys().first() == Some(&"verdict") || what.contains("VerdictRule") {
            key = KeyPath::of(["verdict"]);
            start = place_of(table, &key);
            if let Some(fault) = verdict_fault(table) {
                (key, start, what) = fault;
            }
        } else if what.starts_with("data did not match any variant") {
            "this is of another kind than the key takes".clone_into(&mut what);
        } else if let Some(missing) = quoted_name(&what, "missing field ") {
            key = key_of(table, &span).then(missing);
        }
        Self {
            place: Some(TextPlace::of(text, start)),
            key,
            what,
        }
    }

    /// The same error with the place where its key stands in the text of the definition.
    pub(super) fn within(self, text: &str) -> Self {
        let table = DeTable::parse(text).ok();
        let start = table.map(|table| place_of(table.get_ref(), &self.key));
        Self {
            place: start.map(|start| TextPlace::of(text, start)),
            ..self
        }
    }
}

impl std::error::Error for DefinitionError {}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "line {}, column {}, ", place.line, place.column)?;
        }
        if !self.key.0.is_empty() {
            write!(f, "key {}: ", self.key)?;
        }
        f.write_str(&self.what)?;
        let quoted = self.place.as_ref().map(|place| place.quoted.trim());
        if let Some(quoted) = quoted.filter(|quoted| !quoted.is_empty()) {
            write!(f, ", in `{}`", one_line(quoted, 100))?;
        }
        let has_advice = !self.what.starts_with(UNKNOWN);
        match advice(&self.key.keys()).filter(|_| has_advice) {
            Some(advice) => write!(f, "; write {advice}"),
            None => Ok(()),
        }
    }
}

impl TextPlace {
    fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        Self {
            line: 1 + before.matches('\n').count(),
            column: 1 + before[start..].chars().count(),
            quoted: line.to_owned(),
        }
    }
}

/// What stands at each key of a schema, as an example.
const EXAMPLES: &[(&[&str], &str)] = &[
    (&["name"], "name = \"mine\""),
    (&["title"], "title = \"My ratings\""),
    (&["about"], "about = \"one sentence\""),
    (
        &["rows"],
        "rows = \"inline\" where a row is a sample, \"adjacent\" where it is one of two responses, \
         \"groups\" where it is one of many",
    ),
    (&["group"], "group = \"/task_id\", or a list of paths"),
    (&["items"], "items = 2"),
    (
        &["prompt", "json"],
        "json = true where the text is JSON itself",
    ),
    (&["prompt", "system"], "system = \"/system\""),
    (
        &["prompt"],
        "prompt.path = \"/question\", or a list of paths",
    ),
    (&["same"], "same = [\"/0/question\", \"/1/question\"]"),
    (
        &["turns", "marker"],
        "marker = \"line-start\", or \"whole-line\" where nothing else stands on its line",
    ),
    (
        &["turns"],
        "turns = { marker = \"line-start\", user = \"Human:\", assistant = \"Assistant:\" }",
    ),
    (
        &["response", "ratings"],
        "ratings.quality = \"/stars\" (a path, or a number that all have)",
    ),
    (
        &["response", "json"],
        "json = true where the text is JSON itself",
    ),
    (&["response", "each"], "each = \"/completions\""),
    (&["response", "quotes"], "quotes = \"/quotes\""),
    (&["response", "text"], "text = \"/answer\""),
    (
        &["response", "texts"],
        "texts.feedback = \"/feedback\", of a [[text]] with that name",
    ),
    (
        &["response", "prefix_tokens"],
        "prefix_tokens = \"/tokens/prefix\"",
    ),
    (
        &["response", "completion_tokens"],
        "completion_tokens = \"/tokens/completion\"",
    ),
    (&["response"], "[[response]] with text = \"/answer\""),
    (&["label", "name"], "name = \"quality\""),
    (
        &["label", "kind"],
        "kind = \"score\" for any number, \"label\" for whole ones",
    ),
    (&["label", "range"], "range = [1, 5]"),
    (&["label", "lenient"], "lenient = true"),
    (
        &["label", "reduce"],
        "reduce = \"mean\" or \"spread\" of a list of values",
    ),
    (&["label", "agreement"], "agreement = 0.7"),
    (&["label"], "[[label]] with name = \"quality\""),
    (&["verdict", "positive"], "positive = \"a\" or \"b\""),
    (&["verdict", "range"], "range = [-3, 3]"),
    (&["verdict", "always"], "always = \"a\""),
    (
        &["verdict", "strengths"],
        "strengths = [\"better\", \"much better\"]",
    ),
    (&["verdict", "agreement"], "agreement = 0.73"),
    (&["verdict", "path"], "path = \"/winner\""),
    (
        &["verdict", "a"],
        "a = [\"1\"]: what stands there where A wins",
    ),
    (
        &["verdict", "b"],
        "b = [\"2\"]: what stands there where B wins",
    ),
    (
        &["verdict", "values"],
        "values = { better = 1, same = 0, worse = -1 }: by how much A wins",
    ),
    (
        &["verdict", "one_hot"],
        "one_hot = { a = \"/a_won\", b = \"/b_won\" }",
    ),
    (
        &["verdict", "names"],
        "names = { a = \"/model_a\", b = \"/model_b\" }",
    ),
    (&["verdict", "label"], "label = \"quality\""),
    (
        &["verdict"],
        "verdict = { label = \"quality\" }, { always = \"a\" }, \
         { path = \"/winner\", a = [\"1\"], b = [\"2\"] } or \
         { path = \"/strength\", positive = \"b\" }; visavis guide schemas has them all",
    ),
    (
        &["text"],
        "[[text]] with name = \"why\" and path = \"/reason\"",
    ),
    (&["needs"], "needs = [\"/task_id\"]"),
    (
        &["vote", "values"],
        "values = { \"first\" = 1, \"second\" = -1 }: by how much the preferred one wins",
    ),
    (&["vote", "none"], "none = [-100], or no such key"),
    (
        &["vote"],
        "[[vote]] with each = \"/annotators\", score = \"strength\" and positive = \"b\"",
    ),
    (
        &["fact"],
        "[[fact]] with name = \"model\" and path = \"/model\"",
    ),
];

/// What to write at these keys.
fn advice(keys: &[&str]) -> Option<&'static str> {
    let of =
        |(known, example): &(&[&str], &'static str)| keys.starts_with(known).then_some(*example);
    let mut longest_first: Vec<_> = EXAMPLES.iter().collect();
    longest_first.sort_by_key(|(known, _)| std::cmp::Reverse(known.len()));
    longest_first.into_iter().find_map(of)
}

/// What the reader of TOML says, in the words of TOML instead of Rust's.
fn in_words(message: &str) -> String {
    let mut words = message.to_owned();
    if let Some((before, _)) = message.split_once("expected struct ") {
        words = format!("{before}expected a table");
    }
    for (of_rust, of_toml) in [
        ("type: map,", "type: a table,"),
        ("type: sequence,", "type: a list,"),
        ("a sequence", "a list"),
        ("an array of length", "a list of length"),
        ("expected f64", "expected a number"),
        ("expected usize", "expected a whole number"),
    ] {
        words = words.replace(of_rust, of_toml);
    }
    words
}

/// The name in backticks behind these words of a message.
fn quoted_name<'m>(message: &'m str, words: &str) -> Option<&'m str> {
    message.strip_prefix(words)?.split('`').nth(1)
}

/// The keys of the innermost value whose key or value holds this byte of the text.
fn key_at(table: &DeTable<'_>, offset: usize) -> KeyPath {
    let mut path = KeyPath::default();
    walk(table, &mut Vec::new(), &mut |steps, key, value| {
        if key.contains(&offset) || value.contains(&offset) {
            path = KeyPath(steps.to_vec());
        }
    });
    path
}

/// The keys of the value with this span; none for the whole text.
fn key_of(table: &DeTable<'_>, span: &Span) -> KeyPath {
    let mut path = KeyPath::default();
    walk(table, &mut Vec::new(), &mut |steps, _, value| {
        if value == *span {
            path = KeyPath(steps.to_vec());
        }
    });
    path
}

/// Where the value of these keys begins with its key, or the innermost of them that is there.
fn place_of(table: &DeTable<'_>, wanted: &KeyPath) -> usize {
    let (mut place, mut deepest) = (0, 0);
    walk(table, &mut Vec::new(), &mut |steps, key, _| {
        if steps.len() > deepest && wanted.0.starts_with(steps) {
            (place, deepest) = (key.start, steps.len());
        }
    });
    place
}

type Span = std::ops::Range<usize>;

/// Tells of every key with the keys that lead to it, its span and that of its value: outer ones
/// first. The spans of an element of a list are both its own.
fn walk(
    table: &DeTable<'_>,
    steps: &mut Vec<KeyStep>,
    tell: &mut dyn FnMut(&[KeyStep], Span, Span),
) {
    for (key, value) in table {
        // Another name of the same key.
        let name = match &**key.get_ref() {
            "responses" if steps.is_empty() => "response",
            name => name,
        };
        steps.push(KeyStep::Key(name.to_owned()));
        tell(steps, key.span(), value.span());
        walk_value(value, steps, tell);
        steps.pop();
    }
}

fn walk_value(
    value: &Spanned<DeValue<'_>>,
    steps: &mut Vec<KeyStep>,
    tell: &mut dyn FnMut(&[KeyStep], Span, Span),
) {
    match value.get_ref() {
        DeValue::Table(table) => walk(table, steps, tell),
        DeValue::Array(list) => {
            for (place, element) in list.iter().enumerate() {
                steps.push(KeyStep::Element(place));
                tell(steps, element.span(), element.span());
                walk_value(element, steps, tell);
                steps.pop();
            }
        }
        _ => {}
    }
}

/// How the reader of TOML begins what it says of a key that it does not know; the known ones follow.
const UNKNOWN: &str = "unknown field ";

/// Keys of a verdict that go with every rule.
const OF_EVERY_RULE: [&str; 2] = ["strengths", "agreement"];

/// What is wrong with the verdict, held against the one rule that it can mean by its keys: all that
/// the reader of all rules can say is that none matches.
fn verdict_fault(table: &DeTable<'_>) -> Option<(KeyPath, usize, String)> {
    /// Reads them as they are said with every rule.
    #[derive(Deserialize)]
    struct OfEveryRule {
        #[serde(default, rename = "strengths")]
        _strengths: Option<Vec<String>>,
        #[serde(default, rename = "agreement")]
        _agreement: Option<f64>,
    }
    let (key, verdict) = table.get_key_value("verdict")?;
    let Some(stated) = verdict.get_ref().as_table() else {
        let what = "a verdict is a table of keys".to_owned();
        return Some((KeyPath::of(["verdict"]), key.span().start, what));
    };
    let has = |name: &str| stated.contains_key(name);
    let part = |wanted: bool| {
        let mut part = DeTable::new();
        for (key, value) in stated {
            if OF_EVERY_RULE.contains(&&**key.get_ref()) == wanted {
                part.insert(key.clone(), value.clone());
            }
        }
        ValueDeserializer::from(Spanned::new(verdict.span(), DeValue::Table(part)))
    };
    fn fault<T: DeserializeOwned>(value: ValueDeserializer<'_>) -> Option<toml::de::Error> {
        T::deserialize(value).err()
    }
    let rule = || match () {
        () if has("label") => fault::<ByLabel>(part(false)),
        () if has("one_hot") => fault::<OneHotRule>(part(false)),
        () if has("always") => fault::<Fixed>(part(false)),
        () if has("names") => fault::<ByName>(part(false)),
        () if has("values") => fault::<ByStrength>(part(false)),
        () if has("positive") => fault::<BySign>(part(false)),
        () if has("a") || has("b") => fault::<ByValue>(part(false)),
        () => None,
    };
    let error = fault::<OfEveryRule>(part(true)).or_else(rule);
    let Some(error) = error else {
        let what = "its keys say of no rule who wins".to_owned();
        return Some((KeyPath::of(["verdict"]), key.span().start, what));
    };
    let span = error.span().unwrap_or(verdict.span());
    let mut path = key_at(table, span.start);
    if let Some(missing) = quoted_name(error.message(), "missing field ") {
        path = key_of(table, &span);
        if path.0.is_empty() {
            path = KeyPath::of(["verdict"]);
        }
        path = path.then(missing);
    }
    let mut what = in_words(error.message());
    if what.starts_with(UNKNOWN) {
        what.push_str("; and `strengths` and `agreement` beside them");
    }
    Some((path, span.start, what))
}

/// Why a path cannot be read together with the others.
pub(super) fn overlapping(key: KeyPath, path: &Path) -> DefinitionError {
    DefinitionError::at(
        key,
        format!("the path {path} lies inside another one, or contains it"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::Definition;
    use super::*;

    /// The keys that a table knows, as the reader of TOML lists them.
    fn keys_known(toml: &str) -> Vec<String> {
        let error = toml::from_str::<Definition>(toml).expect_err("a key that is none");
        let (_, known) = error
            .message()
            .split_once("expected one of ")
            .expect("a list");
        let known = known
            .split(',')
            .map(|key| key.trim().trim_matches('`').to_owned());
        known.filter(|key| key != "responses").collect()
    }

    #[test]
    fn every_key_has_an_example() {
        let keys = keys_known("no = 1");
        assert!(keys.len() > 10, "{keys:?}");
        for key in &keys {
            assert!(advice(&[key]).is_some(), "{key}");
        }
        let whole = advice(&["response"]);
        for key in keys_known("[[response]]\nno = 1") {
            let example = advice(&["response", &key]);
            assert!(example != whole, "{key}");
        }
    }
}
