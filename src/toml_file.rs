//! TOML files that a person writes: values with the places where they stand, so that what is wrong is
//! said with its line and its key.

use std::fmt;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::text::{is_unseen, nearest, one_line};

/// What is wrong in a TOML file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TomlFault {
    /// Line, from 1.
    pub line: usize,
    /// The key as one would write it, with its tables before it; empty where the text is no TOML.
    pub key: String,
    /// What is wrong, and what to write.
    pub what: String,
}

impl fmt::Display for TomlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if !self.key.is_empty() {
            write!(f, ", key {}", one_line(&self.key, 100))?;
        }
        write!(f, ": {}", one_line(&self.what, 600))
    }
}

impl std::error::Error for TomlFault {}

/// A table of a file.
#[derive(Debug, Clone)]
pub struct TomlTable<'t> {
    text: &'t str,
    path: String,
    line: usize,
    table: DeTable<'t>,
}

/// A key of a table, and its value.
#[derive(Debug, Clone)]
pub struct TomlEntry<'t> {
    text: &'t str,
    /// The name, without the tables before it.
    pub name: String,
    path: String,
    start: usize,
    value: DeValue<'t>,
}

impl<'t> TomlTable<'t> {
    /// Reads a whole file.
    ///
    /// # Errors
    /// When it is no TOML.
    pub fn parse(text: &'t str) -> Result<Self, TomlFault> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = line_of(text, at);
            let message = error.message();
            match unread_value(text, at) {
                Some((key, value)) => TomlFault {
                    line,
                    key,
                    what: format!("`{}` is no TOML value: {message}", one_line(value, 60)),
                },
                None => TomlFault {
                    line,
                    key: String::new(),
                    what: format!("no TOML: {message}"),
                },
            }
        })?;
        Ok(Self {
            text,
            path: String::new(),
            line: 1,
            table: table.into_inner(),
        })
    }

    /// Its keys, in the order in which they stand in the file.
    pub fn entries(&self) -> Vec<TomlEntry<'t>> {
        let entries = self
            .table
            .iter()
            .map(|(name, value)| self.entry(name, value));
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|entry| entry.start);
        entries
    }

    fn entry(&self, name: &Spanned<DeString<'t>>, value: &Spanned<DeValue<'t>>) -> TomlEntry<'t> {
        TomlEntry {
            text: self.text,
            name: name.get_ref().clone().into_owned(),
            path: joined(&self.path, name.get_ref()),
            start: name.span().start,
            value: value.get_ref().clone(),
        }
    }

    /// The key of this name.
    pub fn get(&self, name: &str) -> Option<TomlEntry<'t>> {
        let mut entries = self.table.iter();
        let (name, value) = entries.find(|(known, _)| known.get_ref() == name)?;
        Some(self.entry(name, value))
    }

    /// The value of a key that must be there.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn must(&self, name: &str) -> Result<TomlEntry<'t>, TomlFault> {
        self.get(name).ok_or_else(|| TomlFault {
            line: self.line,
            key: joined(&self.path, name),
            what: "this key is missing".to_owned(),
        })
    }
}

impl<'t> TomlEntry<'t> {
    /// That something is wrong with it.
    pub fn fault(&self, what: impl Into<String>) -> TomlFault {
        TomlFault {
            line: self.line(),
            key: self.path.clone(),
            what: what.into(),
        }
    }

    /// Its line, from 1.
    pub fn line(&self) -> usize {
        line_of(self.text, self.start)
    }

    /// That no key of a table has its name, and which comes near.
    pub fn unknown<'n>(
        &self,
        what: &str,
        names: impl IntoIterator<Item = &'n str> + Clone,
    ) -> TomlFault {
        self.fault(no_such(what, &self.name, names))
    }

    /// Its value, of any kind.
    pub fn value(&self) -> TomlValue<'_> {
        match &self.value {
            DeValue::String(text) => TomlValue::Text(text),
            DeValue::Boolean(is) => TomlValue::Truth(*is),
            DeValue::Integer(number) => {
                TomlValue::Number(i64::from_str_radix(number.as_str(), number.radix()).ok())
            }
            DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                TomlValue::Other
            }
        }
    }

    /// What stands there instead, for a message.
    pub fn kind(&self) -> String {
        match &self.value {
            DeValue::String(text) => format!("the text {:?}", one_line(text, 60)),
            DeValue::Integer(number) => format!("the number {number}"),
            DeValue::Float(number) => format!("the number {number}"),
            DeValue::Boolean(is) => is.to_string(),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        }
    }

    /// Its text.
    ///
    /// # Errors
    /// When it is something else.
    pub fn text(&self) -> Result<&str, TomlFault> {
        match &self.value {
            DeValue::String(text) => Ok(text),
            _ => Err(self.fault(format!(
                "text in quotes was expected here, and not {}",
                self.kind()
            ))),
        }
    }

    /// Its table.
    ///
    /// # Errors
    /// When it is something else.
    pub fn table(&self) -> Result<TomlTable<'t>, TomlFault> {
        match &self.value {
            DeValue::Table(table) => Ok(TomlTable {
                text: self.text,
                path: self.path.clone(),
                line: self.line(),
                table: table.clone(),
            }),
            _ => Err(self.fault(format!(
                "a table was expected here, and not {}",
                self.kind()
            ))),
        }
    }

    /// The elements of its list, as entries without a name of their own.
    ///
    /// # Errors
    /// When it is something else.
    pub fn list(&self) -> Result<Vec<Self>, TomlFault> {
        let DeValue::Array(list) = &self.value else {
            return Err(self.fault(format!("a list was expected here, and not {}", self.kind())));
        };
        let element = |value: &Spanned<DeValue<'t>>| Self {
            text: self.text,
            name: String::new(),
            path: self.path.clone(),
            start: value.span().start,
            value: value.get_ref().clone(),
        };
        Ok(list.iter().map(element).collect())
    }
}

/// A value that is neither a list nor a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TomlValue<'t> {
    /// A text.
    Text(&'t str),
    /// True or false.
    Truth(bool),
    /// A whole number; `None` where it is too large.
    Number(Option<i64>),
    /// Anything else.
    Other,
}

/// The number of the line, from 1, in which a byte of a text stands.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// The key in whose value a text stops being TOML, with its tables before it, and the value as it is
/// written on the line; `None` where it is another place that does not read.
fn unread_value(text: &str, at: usize) -> Option<(String, &str)> {
    let before = text.get(..at)?;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next()?;
    let (name, value) = line.split_once('=')?;
    let is_name = |name: &str| {
        let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !name.is_empty() && name.chars().all(is_sign)
    };
    let (name, value) = (name.trim(), value.trim());
    let is_in_value = at > start + line.find('=')?;
    if !is_in_value || !is_name(name) || value.is_empty() {
        return None;
    }
    let header = before.lines().rev().find_map(|line| {
        let name = line.trim().strip_prefix('[')?.strip_suffix(']')?;
        (!name.starts_with('[')).then_some(name)
    });
    Some((joined(header.unwrap_or_default(), name), value))
}

/// A key behind the tables that it is in.
fn joined(path: &str, name: &str) -> String {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name = if !name.is_empty() && name.chars().all(is_sign) {
        name.to_owned()
    } else {
        format!("{name:?}")
    };
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

/// Text as a TOML string, on one line.
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

/// That there is nothing of this name, and which name was meant or which there are.
pub fn no_such<'n>(
    what: &str,
    typed: &str,
    names: impl IntoIterator<Item = &'n str> + Clone,
) -> String {
    let begins = |name: &&str| !typed.is_empty() && name.starts_with(typed);
    let near = nearest(typed, names.clone()).or_else(|| names.clone().into_iter().find(begins));
    let all: Vec<_> = names.into_iter().collect();
    let typed = one_line(typed, 60);
    match near {
        Some(near) => format!("there is no {what} `{typed}`; did you mean `{near}`?"),
        None if all.len() <= 24 => {
            format!("there is no {what} `{typed}`; there are {}", all.join(", "))
        }
        None => format!("there is no {what} `{typed}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_line_and_key() {
        let text = "a = 1\n[b.\"c d\"]\ne = [1,\n  2]\nf = true\n";
        let root = TomlTable::parse(text).expect("TOML");
        let inner = root.must("b").and_then(|b| b.table()).expect("a table");
        let inner = inner.must("c d").and_then(|c| c.table()).expect("a table");
        for (fault, says) in [
            (
                root.must("a").and_then(|a| a.text().map(str::to_owned)),
                "line 1, key a: text in quotes was expected here, and not the number 1",
            ),
            (
                inner
                    .must("f")
                    .and_then(|f| f.list().map(|_| String::new())),
                "line 5, key b.\"c d\".f: a list was expected here, and not true",
            ),
            (
                inner.must("g").map(|g| g.name),
                "line 2, key b.\"c d\".g: this key is missing",
            ),
            (
                TomlTable::parse("a = 1\nb = \n").map(|_| String::new()),
                "line 2: no TOML: string values must be quoted, expected literal string",
            ),
            (
                TomlTable::parse("a = 1\n[b]\nc = yes # so\n").map(|_| String::new()),
                "line 3, key b.c: `yes # so` is no TOML value: string values must be quoted, \
                 expected literal string",
            ),
            (
                TomlTable::parse("a = 1\na = 2\n").map(|_| String::new()),
                "line 2: no TOML: duplicate key",
            ),
        ] {
            assert_eq!(fault.expect_err(says).to_string(), says);
        }
        let list = inner.must("e").and_then(|e| e.list()).expect("a list");
        let lines: Vec<_> = list.iter().map(TomlEntry::line).collect();
        assert_eq!(lines, [3, 4]);
    }

    #[test]
    fn a_name_that_comes_near_is_proposed() {
        let names = ["next-sample", "previous-sample", "sort"];
        for (typed, says) in [
            (
                "next-sampel",
                "there is no action `next-sampel`; did you mean `next-sample`?",
            ),
            (
                "prev",
                "there is no action `prev`; did you mean `previous-sample`?",
            ),
            (
                "xyzzy",
                "there is no action `xyzzy`; there are next-sample, previous-sample, sort",
            ),
        ] {
            assert_eq!(no_such("action", typed, names), says);
        }
    }
}
