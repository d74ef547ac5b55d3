//! TOML files written by users: values read by serde, and errors with line and key.
//!
//! [`parse`] reads a file; [`TomlFault`] is an error in a text and [`FileFault`] adds the file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue, Deserializer, Error, ValueDeserializer};
pub use toml::{Spanned, Value};

use crate::text::{is_unseen, nearest, one_line};

/// An error in a TOML file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TomlFault {
    /// Line, from 1; 0 if the values are not from a file or are missing in a built-in one.
    pub line: usize,
    /// The key with its parent tables; empty if the text is not TOML.
    pub key: String,
    /// What is wrong, and what to write instead.
    pub what: String,
}

impl fmt::Display for TomlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = one_line(&self.key, 100);
        match (self.line, &*key) {
            (0, _) => write!(f, "key {key}")?,
            (line, "") => write!(f, "line {line}")?,
            (line, _) => write!(f, "line {line}, key {key}")?,
        }
        write!(f, ": {}", one_line(&self.what, 1200))
    }
}

impl std::error::Error for TomlFault {}

impl TomlFault {
    /// Creates a fault at a byte offset of a file.
    pub fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let is_here = |key: Range<usize>, value: Range<usize>| {
            key.contains(&offset) || value.contains(&offset)
        };
        Self {
            line: line_of(text, offset),
            key: find_key(text, &is_here),
            what: what.into(),
        }
    }

    /// Creates a fault at a key path in a table, or in the element `place` of a list of tables. Its
    /// line is that of the innermost key that exists.
    pub fn at_key(
        text: &str,
        table: &str,
        place: usize,
        keys: &[&str],
        what: impl Into<String>,
    ) -> Self {
        let file = whole(text);
        let (mut start, mut key) = (0, String::new());
        let mut within = file.as_ref();
        for (depth, name) in [table].iter().chain(keys).enumerate() {
            key = joined(&key, name);
            let tables = within.and_then(DeValue::as_table);
            let found = tables.and_then(|of| {
                // A list of tables can be named in the plural.
                let plural = || {
                    of.get_key_value(&*format!("{name}s"))
                        .filter(|_| depth == 0)
                };
                of.get_key_value(*name).or_else(plural)
            });
            within = found.map(|(name, value)| {
                let list = value.get_ref().as_array().filter(|_| depth == 0);
                let element = list.and_then(|list| list.get(place));
                start = element.map_or(name.span(), Spanned::span).start;
                element.unwrap_or(value).get_ref()
            });
        }
        Self {
            line: usize::from(!text.is_empty()) * line_of(text, start),
            key,
            what: what.into(),
        }
    }

    /// Translates an error of serde from Rust terms to TOML terms.
    fn of_error(text: &str, error: &Error) -> Self {
        let span = error.span().unwrap_or_default();
        let message = error.message();
        let names: Vec<_> = message.split('`').skip(1).step_by(2).collect();
        let unknown_name = |what: &str| {
            let (typed, known) = names.split_first()?;
            Some(unknown_name(what, typed, known.iter().copied()))
        };
        let what = if message.starts_with("missing field ") {
            return Self {
                line: line_of(text, span.start),
                key: joined(&find_key(text, &|_, value| value == span), names[0]),
                what: "this key is missing".to_owned(),
            };
        } else if message.starts_with("unknown field ") {
            unknown_name("key")
        } else if message.starts_with("unknown variant ") {
            unknown_name("value")
        } else if message.starts_with("data did not match any variant") {
            Some("wrong type of value for this key".to_owned())
        } else {
            message.split_once(", expected ").map(|(found, expected)| {
                let found = found.split_once(": ").map_or(found, |(_, found)| found);
                format!(
                    "expected {}, found {}",
                    toml_type(expected),
                    toml_type(found)
                )
            })
        };
        Self::at(text, span.start, what.unwrap_or_else(|| message.to_owned()))
    }

    /// Creates a fault for a syntax error.
    fn of_syntax(text: &str, error: &Error) -> Self {
        let at = error.span().map_or(0, |span| span.start);
        Self {
            line: line_of(text, at),
            what: format!("invalid TOML: {}", error.message()),
            ..Self::default()
        }
    }
}

/// Translates serde's name of a type to TOML terms.
fn toml_type(kind: &str) -> &str {
    match kind {
        "map" | "a map" => "a table",
        "sequence" | "a sequence" => "a list",
        "a string" => "text in quotes",
        "a boolean" => "true or false",
        "f64" => "a number",
        "usize" | "u32" => "a whole number of at least 0",
        kind if kind.starts_with("struct ") => "a table",
        kind => kind,
    }
}

/// Returns the innermost key, with its parent tables, for whose key and value spans `is_it` is
/// true.
fn find_key(text: &str, is_it: &dyn Fn(Range<usize>, Range<usize>) -> bool) -> String {
    fn within(
        value: &DeValue<'_>,
        path: &str,
        is_it: &dyn Fn(Range<usize>, Range<usize>) -> bool,
    ) -> Option<String> {
        if let Some(list) = value.as_array() {
            return list.iter().find_map(|element| {
                let is_here = || is_it(element.span(), element.span());
                within(element.get_ref(), path, is_it)
                    .or_else(|| is_here().then(|| path.to_owned()))
            });
        }
        value.as_table()?.iter().find_map(|(key, value)| {
            let path = joined(path, key.get_ref());
            within(value.get_ref(), &path, is_it)
                .or_else(|| is_it(key.span(), value.span()).then_some(path))
        })
    }
    whole(text)
        .and_then(|file| within(&file, "", is_it))
        .unwrap_or_default()
}

fn whole(text: &str) -> Option<DeValue<'_>> {
    Some(DeValue::Table(DeTable::parse(text).ok()?.into_inner()))
}

/// An error in a file or a folder of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// Its path.
    pub path: PathBuf,
    /// What is wrong, with line and key if it is a value.
    pub what: String,
}

impl FileFault {
    /// Creates a fault in the file at this path.
    pub fn of(path: impl Into<PathBuf>, what: impl fmt::Display) -> Self {
        Self {
            path: path.into(),
            what: what.to_string(),
        }
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = one_line(&self.path.to_string_lossy(), 500);
        write!(f, "{path}: {}", self.what)
    }
}

impl std::error::Error for FileFault {}

/// Reads the files of a folder that end in `.toml` and do not begin with a dot, sorted by name. A
/// missing folder counts as empty.
pub fn files(folder: &Path) -> Vec<Result<(PathBuf, String), FileFault>> {
    let entries = match fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return vec![Err(FileFault::of(folder, error))],
    };
    let mut paths: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.ends_with(b".toml") && !name.starts_with(b".")
    });
    paths.sort();
    let read = |path: PathBuf| match read_regular_file(&path) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(FileFault::of(path, error)),
    };
    paths.into_iter().map(read).collect()
}

/// Reads a regular file of at most one megabyte. Pipes could block, and devices have no end.
///
/// # Errors
/// If it is not a regular file, too large, or cannot be read.
pub fn read_regular_file(path: &Path) -> io::Result<String> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if found.len() > 1 << 20 {
        return Err(io::Error::other("larger than 1 MB"));
    }
    fs::read_to_string(path)
}

/// Parses a whole file.
///
/// # Errors
/// If it is not TOML, or does not match the type.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, TomlFault> {
    let table = DeTable::parse(text).map_err(|error| TomlFault::of_syntax(text, &error))?;
    T::deserialize(Deserializer::from(table)).map_err(|error| TomlFault::of_error(text, &error))
}

/// Formats values as a TOML file.
///
/// # Errors
/// If TOML cannot represent them.
pub fn to_toml<T: Serialize>(values: &T) -> Result<String, TomlFault> {
    toml::to_string(values).map_err(|error| TomlFault {
        what: error.to_string(),
        ..TomlFault::default()
    })
}

/// Parses a whole file as keys and values, in order.
///
/// # Errors
/// If it is not TOML.
pub fn entries(text: &str) -> Result<Vec<TomlEntry<'_>>, TomlFault> {
    let table = DeTable::parse(text).map_err(|error| TomlFault::of_syntax(text, &error))?;
    Ok(entries_of(text, "", table.get_ref()))
}

fn entries_of<'t>(text: &'t str, path: &str, table: &DeTable<'t>) -> Vec<TomlEntry<'t>> {
    let mut entries: Vec<_> = table
        .iter()
        .map(|(name, value)| TomlEntry {
            text,
            key: joined(path, name.get_ref()),
            name: name.get_ref().clone().into_owned(),
            start: name.span().start,
            value: value.clone(),
        })
        .collect();
    entries.sort_by_key(|entry| entry.start);
    entries
}

/// A key of a table, and its value.
#[derive(Debug, Clone)]
pub struct TomlEntry<'t> {
    text: &'t str,
    /// The name with its parent tables; for an element, that of its list.
    key: String,
    /// The name without parent tables; empty for an element of a list.
    pub name: String,
    start: usize,
    value: Spanned<DeValue<'t>>,
}

impl<'t> TomlEntry<'t> {
    /// Creates a fault at this entry.
    pub fn fault(&self, what: impl Into<String>) -> TomlFault {
        TomlFault {
            line: self.line(),
            key: self.key.clone(),
            what: what.into(),
        }
    }

    /// Creates a fault at a part of its value.
    pub fn fault_in<T>(&self, part: &Spanned<T>, what: impl Into<String>) -> TomlFault {
        TomlFault::at(self.text, part.span().start, what)
    }

    /// Returns its line, from 1.
    pub fn line(&self) -> usize {
        line_of(self.text, self.start)
    }

    /// Creates a fault for an unknown key, with the most similar one.
    pub fn unknown<'n>(
        &self,
        what: &str,
        names: impl IntoIterator<Item = &'n str> + Clone,
    ) -> TomlFault {
        self.fault(unknown_name(what, &self.name, names))
    }

    /// True if its value is a string.
    pub fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// True if its value is a list.
    pub fn is_list(&self) -> bool {
        self.value.get_ref().as_array().is_some()
    }

    /// Reads its value.
    ///
    /// # Errors
    /// If it is not of the type.
    pub fn read<T: Deserialize<'t>>(&self) -> Result<T, TomlFault> {
        T::deserialize(ValueDeserializer::from(self.value.clone()))
            .map_err(|error| TomlFault::of_error(self.text, &error))
    }

    /// Like [`Self::read`], with another description of the expected value.
    ///
    /// # Errors
    /// If it is not of the type.
    pub fn read_as<T: Deserialize<'t>>(&self, expected: &str) -> Result<T, TomlFault> {
        self.read().map_err(|fault| {
            let found = fault.what.split_once(", found ");
            let found = found.map_or(&*fault.what, |(_, found)| found);
            let what = format!("expected {expected}, found {found}");
            TomlFault { what, ..fault }
        })
    }

    /// Returns the keys of its table, in order, or the elements of its list, which have no name.
    ///
    /// # Errors
    /// If it is neither.
    pub fn entries(&self) -> Result<Vec<Self>, TomlFault> {
        let element = |value: &Spanned<DeValue<'t>>| Self {
            name: String::new(),
            start: value.span().start,
            value: value.clone(),
            ..self.clone()
        };
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(entries_of(self.text, &self.key, table)),
            DeValue::Array(list) => Ok(list.iter().map(element).collect()),
            _ => self.read::<toml::Table>().map(|_| Vec::new()),
        }
    }
}

/// Returns the line, from 1, of a byte offset.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// True if a key needs no quotes: letters, digits, `_` and `-`.
pub fn is_bare_key(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.chars().all(is_sign)
}

/// Appends a key to its parent tables.
fn joined(path: &str, name: &str) -> String {
    let name = if is_bare_key(name) {
        name.to_owned()
    } else {
        format!("{name:?}")
    };
    match path {
        "" => name,
        path => format!("{path}.{name}"),
    }
}

/// Formats text as a TOML string, on one line.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() || is_unseen(c) => {
                quoted.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Returns a message that a name is unknown, with the most similar one or a list.
pub fn unknown_name<'n>(
    what: &str,
    typed: &str,
    names: impl IntoIterator<Item = &'n str> + Clone,
) -> String {
    let begins = |name: &&str| !typed.is_empty() && name.starts_with(typed);
    let near = nearest(typed, names.clone()).or_else(|| names.clone().into_iter().find(begins));
    let all = names.into_iter().collect::<Vec<_>>().join(", ");
    let typed = one_line(typed, 60);
    match near {
        Some(near) => format!("unknown {what} `{typed}`; did you mean `{near}`?"),
        None if all.is_empty() || all.len() > 1000 => format!("unknown {what} `{typed}`"),
        None => format!("unknown {what} `{typed}`; use one of: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(rename = "e")]
        _e: Vec<u32>,
        #[serde(rename = "f")]
        _f: bool,
    }

    #[test]
    fn faults_name_line_and_key() {
        let text = "a = 1\n[b.\"c d\"]\ne = [1,\n  2]\nf = true\n";
        let root = entries(text).expect("TOML");
        let inner = root[1].entries().expect("a table");
        let read = |text: &str| {
            let root = entries(text)?;
            root[1].entries()?[0].read::<Inner>().map(|_| ())
        };
        for (fault, says) in [
            (
                root[0].read::<String>().map(|_| ()),
                "line 1, key a: expected text in quotes, found integer `1`",
            ),
            (
                root[0].read_as::<bool>("yes or no").map(|_| ()),
                "line 1, key a: expected yes or no, found integer `1`",
            ),
            (
                root[0].entries().map(|_| ()),
                "line 1, key a: expected a table, found integer `1`",
            ),
            (
                read(&text.replace("true", "3")),
                "line 5, key b.\"c d\".f: expected true or false, found integer `3`",
            ),
            (
                read(&text.replace("2]", "-2]")),
                "line 4, key b.\"c d\".e: expected a whole number of at least 0, found integer `-2`",
            ),
            (
                read(&text.replace("f =", "ee =")),
                "line 5, key b.\"c d\".ee: unknown key `ee`; use one of: e, f",
            ),
            (
                read(&text.replace("f = true", "")),
                "line 2, key b.\"c d\".f: this key is missing",
            ),
            (
                Err(inner[0].unknown("letter", ["c"])),
                "line 2, key b.\"c d\": unknown letter `c d`; use one of: c",
            ),
            (
                entries("a = 1\nb = \n").map(|_| ()),
                "line 2: invalid TOML: string values must be quoted, expected literal string",
            ),
            (
                entries("a = 1\n[b]\nc = yes # so\n").map(|_| ()),
                "line 3: invalid TOML: string values must be quoted, expected literal string",
            ),
            (
                entries("a = 1\na = 2\n").map(|_| ()),
                "line 2: invalid TOML: duplicate key",
            ),
        ] {
            assert_eq!(fault.expect_err(says).to_string(), says);
        }
        let list = inner[0].entries().expect("a table")[0].entries();
        let lines: Vec<_> = list.expect("a list").iter().map(TomlEntry::line).collect();
        assert_eq!(lines, [3, 4]);
    }

    #[test]
    fn keys_are_found_as_far_as_a_file_has_them() {
        let text = "[[label]]\nname = \"x\"\n[[label]]\nname = \"y\"\nrange = [1, 2]\n";
        for (table, place, keys, says) in [
            ("label", 1, &["range"][..], "line 5, key label.range: odd"),
            ("label", 0, &["range"], "line 1, key label.range: odd"),
            ("verdict", 0, &["path"], "line 1, key verdict.path: odd"),
        ] {
            let fault = TomlFault::at_key(text, table, place, keys, "odd");
            assert_eq!(fault.to_string(), says);
            let fault = TomlFault::at_key("", table, place, keys, "odd");
            assert_eq!(fault.to_string(), says[8..], "without a file");
        }
    }

    #[test]
    fn a_list_of_numbers_is_one_key() {
        let text = "[verdict]\nrange = [\n  3,\n  1]\n";
        let fault = TomlFault::at_key(text, "verdict", 0, &["range"], "odd");
        assert_eq!(fault.to_string(), "line 2, key verdict.range: odd");
        let root = entries(text).expect("TOML");
        let range = &root[0].entries().expect("a table")[0];
        let numbers = range.entries().expect("a list");
        let says = "line 4, key verdict.range: odd";
        assert_eq!(numbers[1].fault("odd").to_string(), says);
    }

    #[test]
    fn a_name_that_comes_near_is_proposed() {
        let names = ["next-sample", "previous-sample", "sort"];
        for (typed, says) in [
            (
                "next-sampel",
                "unknown action `next-sampel`; did you mean `next-sample`?",
            ),
            (
                "prev",
                "unknown action `prev`; did you mean `previous-sample`?",
            ),
            (
                "xyzzy",
                "unknown action `xyzzy`; use one of: next-sample, previous-sample, sort",
            ),
        ] {
            assert_eq!(unknown_name("action", typed, names), says);
        }
    }
}
