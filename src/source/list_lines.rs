//! A JSON document → its rows ([`JsonRows`]), one a line: a scan that knows strings and brackets, and
//! keeps nothing of what went through it.
//!
//! Where rows have a key, or are in one of several lists, the line of a row says which: a field `key`, or
//! `split`, is added to an object that has none of that name.
//!
//! White space between tokens is left out, all else stays byte by byte; a raw line break in a
//! string becomes its escape. Whether an element is what it should be is for its reader to say: a
//! broken one costs itself alone as long as its brackets are as many as they should be.

use memchr::memchr2;

use super::container::JsonRows;
use super::document::{is_space, is_split};

/// Bytes of a key that are compared, and keys that a message names.
const MOST_KEY: usize = 4 << 10;
const MOST_KEYS: usize = 12;

/// The scan. Feed it all of the document, then [`ListLines::finish`] it.
#[derive(Debug)]
pub(super) struct ListLines {
    /// What leads to a list.
    path: Vec<PathStep>,
    rows: JsonRows,
    /// What is open on the way to it, and the list itself.
    levels: Vec<PathLevel>,
    /// How many brackets are open.
    depth: usize,
    stage: Stage,
    /// Bytes taken.
    at: u64,
    in_string: bool,
    /// Whether the next byte of the string is escaped.
    escaped: bool,
    /// White space was left out.
    spaced: bool,
    /// The last byte of an element that was written.
    last: u8,
    /// Whether the element is an object.
    is_object: bool,
    /// Elements begun.
    elements: u64,
    /// The key that is read or was read last, as it is spelled, where it may be on the path or one of
    /// an element to which a field is added.
    key: Vec<u8>,
    is_key: bool,
    /// Whether the value that comes next is on the path.
    is_next: bool,
    /// The key of the value that is being taken, which is added to elements as [`Self::field_name`].
    field: Option<Vec<u8>>,
    /// Whether the element has a field of that name.
    has_field: bool,
    /// Keys of the document, for a message.
    keys: Vec<String>,
    /// Bytes of lines that were written before this call of [`Self::feed`], and how long `out` was then.
    written: (u64, usize),
    /// The key of each list that was begun, as it is spelled, and how many bytes of lines were before it.
    lists: Vec<(Vec<u8>, u64)>,
}

/// A step of the path to a list.
#[derive(Debug)]
enum PathStep {
    Key(String),
    Split,
    Any,
}

/// An open bracket on the path.
#[derive(Debug)]
struct PathLevel {
    is_list: bool,
    /// Commas behind it.
    place: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// On the way to the list.
    Before,
    /// In the list, where an element can begin; in an object, where a key can.
    Between,
    /// In an object, behind a key.
    Key,
    /// In an element.
    Element,
    /// Behind an element, where a comma is to come.
    Comma,
    /// Behind the list.
    Behind,
    /// Behind the document.
    End,
}

/// Why a document cannot be read on: what is wrong, and where.
pub(super) type DocumentFault = String;

impl ListLines {
    /// Takes these rows of a document; a JSON pointer may lack its first slash.
    pub(super) fn new(rows: &JsonRows) -> Self {
        let step = |step: &str| PathStep::Key(step.replace("~1", "/").replace("~0", "~"));
        Self {
            path: match rows {
                JsonRows::At(pointer) => match pointer.strip_prefix('/').unwrap_or(pointer) {
                    "" => Vec::new(),
                    path => path.split('/').map(step).collect(),
                },
                JsonRows::Splits => vec![PathStep::Split],
                JsonRows::Lists | JsonRows::Columns => vec![PathStep::Any],
                JsonRows::Values => Vec::new(),
            },
            rows: rows.clone(),
            levels: Vec::new(),
            depth: 0,
            stage: match rows {
                JsonRows::Values => Stage::Between,
                _ => Stage::Before,
            },
            at: 0,
            in_string: false,
            escaped: false,
            spaced: false,
            last: b'\n',
            is_object: false,
            elements: 0,
            key: Vec::new(),
            is_key: false,
            is_next: true,
            field: None,
            has_field: false,
            keys: Vec::new(),
            written: (0, 0),
            lists: Vec::new(),
        }
    }

    /// Whether a list was found.
    pub(super) fn is_found(&self) -> bool {
        self.stage != Stage::Before || !self.lists.is_empty()
    }

    /// Elements that are whole.
    pub(super) fn whole(&self) -> u64 {
        self.elements - u64::from(self.stage == Stage::Element)
    }

    /// The key of each list that was begun, as it is spelled, and how many bytes of lines were before it.
    pub(super) fn lists(&self) -> &[(Vec<u8>, u64)] {
        &self.lists
    }

    /// Takes the next bytes and adds the lines of elements to `out`.
    ///
    /// # Errors
    /// When the document cannot be read on. What is in `out` by then counts.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        self.written.1 = out.len();
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let taken = if self.in_string {
                self.string(rest, out)
            } else {
                self.byte(byte, out)?;
                1
            };
            self.at += taken as u64;
            rest = &rest[taken..];
        }
        self.written.0 += (out.len() - self.written.1) as u64;
        Ok(())
    }

    /// Says that this was all.
    ///
    /// # Errors
    /// When the document ends before its time, or has no such list.
    pub(super) fn finish(&self) -> Result<(), DocumentFault> {
        let (element, at) = (self.elements, self.at);
        match self.stage {
            Stage::End => Ok(()),
            Stage::Between | Stage::Comma if self.rows == JsonRows::Values => Ok(()),
            Stage::Before if !self.is_found() => Err(self.nothing_there()),
            Stage::Element => Err(format!(
                "the JSON list is cut short in element {element}, at byte {at}"
            )),
            Stage::Between | Stage::Key | Stage::Comma => Err(format!(
                "the JSON list is cut short behind element {element}, at byte {at}"
            )),
            Stage::Before | Stage::Behind => Err(format!(
                "the JSON document is cut short behind its list, at byte {at}"
            )),
        }
    }

    /// Takes bytes up to the end of a string, or all; returns how many.
    fn string(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let mut from = 0;
        // What is copied: from where the string goes on, or from behind a line break.
        loop {
            let found = memchr2(b'"', b'\n', &rest[from..]).map(|at| from + at);
            let run = &rest[from..found.unwrap_or(rest.len())];
            let escaped = is_escaped(run, self.escaped);
            self.escaped = escaped;
            self.copy(run, out);
            let Some(at) = found else {
                return rest.len();
            };
            self.escaped = false;
            from = at + 1;
            if rest[at] == b'\n' {
                self.copy(if escaped { b"n" } else { b"\\n" }, out);
                continue;
            }
            if escaped {
                self.copy(b"\"", out);
                continue;
            }
            if self.stage == Stage::Element {
                out.push(b'"');
            }
            self.in_string = false;
            self.string_ended(out);
            return from;
        }
    }

    fn copy(&mut self, run: &[u8], out: &mut Vec<u8>) {
        if self.stage == Stage::Element {
            out.extend_from_slice(run);
        }
        if self.is_key {
            let room = MOST_KEY.saturating_sub(self.key.len());
            self.key.extend_from_slice(&run[..run.len().min(room)]);
        }
    }

    fn string_ended(&mut self, out: &mut Vec<u8>) {
        let is_key = std::mem::take(&mut self.is_key);
        match self.stage {
            Stage::Element => {
                self.last = b'"';
                self.has_field |= is_key && self.key == self.field_name();
                if self.depth == self.levels.len() {
                    self.end_element(out);
                }
            }
            Stage::Between if is_key => self.stage = Stage::Key,
            _ if is_key => self.key_ended(),
            _ => {}
        }
    }

    /// Takes a byte that is in no string.
    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        match self.stage {
            Stage::Element => self.in_element(byte, out),
            Stage::Between | Stage::Comma if self.in_object() => self.in_members(byte),
            Stage::Between | Stage::Comma => self.in_list(byte, out),
            Stage::Key => self.behind_key(byte, out),
            Stage::Before => self.before(byte, out.len()),
            Stage::Behind => {
                self.behind(byte);
                Ok(())
            }
            Stage::End if is_space(byte) => Ok(()),
            Stage::End => Err(format!(
                "the JSON document is followed by something else at byte {}, which is left out",
                self.at
            )),
        }
    }

    /// Whether rows are the values of an object.
    fn in_object(&self) -> bool {
        self.levels.last().is_some_and(|level| !level.is_list)
    }

    fn in_element(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        let is_bare = self.depth == self.levels.len();
        let is_end = matches!(byte, b',' | b']') || (byte == b'}' && self.in_object());
        if is_space(byte) || (is_bare && is_end) {
            if is_bare {
                self.end_element(out);
                return self.byte(byte, out);
            }
            self.spaced = true;
            return Ok(());
        }
        // Words that white space kept apart stay apart.
        if std::mem::take(&mut self.spaced) && is_of_word(self.last) && is_of_word(byte) {
            out.push(b' ');
        }
        let is_of_element = self.is_object && self.depth == self.levels.len() + 1;
        if byte == b'}' && is_of_element {
            self.push_field(out);
        }
        if byte == b'"' {
            self.is_key = is_of_element && matches!(self.last, b'{' | b',') && self.field.is_some();
            self.key.clear();
        }
        out.push(byte);
        self.last = byte;
        match byte {
            b'"' => self.open_string(),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if is_bare => {
                return Err(format!(
                    "`{}` stands in element {}, at byte {}, and closes nothing",
                    char::from(byte),
                    self.elements,
                    self.at
                ));
            }
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == self.levels.len() {
                    self.end_element(out);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The name of the field that says from which list, or under which key, an element is.
    fn field_name(&self) -> &'static [u8] {
        match self.rows {
            JsonRows::Splits => b"split",
            _ => b"key",
        }
    }

    /// Adds the field to an object that has none of its name.
    fn push_field(&self, out: &mut Vec<u8>) {
        let Some(field) = self.field.as_ref().filter(|_| !self.has_field) else {
            return;
        };
        if self.last != b'{' {
            out.push(b',');
        }
        let name = self.field_name();
        out.extend_from_slice(&[b"\"", name, b"\":\"", field, b"\""].concat());
    }

    fn end_element(&mut self, out: &mut Vec<u8>) {
        out.push(b'\n');
        self.stage = Stage::Comma;
    }

    fn begin_element(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        self.elements += 1;
        self.stage = Stage::Element;
        (self.spaced, self.last) = (false, b'\n');
        (self.is_object, self.has_field) = (byte == b'{', false);
        self.in_element(byte, out)
    }

    fn in_list(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        let next = self.elements + 1;
        let is_stream = self.rows == JsonRows::Values;
        match (self.stage, byte) {
            (_, space) if is_space(space) => Ok(()),
            (Stage::Comma, b',') => {
                self.stage = Stage::Between;
                Ok(())
            }
            (_, b']') if !is_stream => {
                self.end_list();
                Ok(())
            }
            (Stage::Comma, _) if !is_stream => Err(format!(
                "no comma stands before element {next}, at byte {}",
                self.at
            )),
            // A byte order mark.
            (Stage::Between, 0x80..) if is_stream && self.at < 3 => Ok(()),
            (_, b',' | b':' | b'}' | b']') => Err(format!(
                "`{}` stands where element {next} should, at byte {}",
                char::from(byte),
                self.at
            )),
            _ => self.begin_element(byte, out),
        }
    }

    /// A byte between the members of an object whose values are rows.
    fn in_members(&mut self, byte: u8) -> Result<(), DocumentFault> {
        match (self.stage, byte) {
            (_, space) if is_space(space) => Ok(()),
            (Stage::Comma, b',') => {
                self.stage = Stage::Between;
                Ok(())
            }
            (Stage::Between, b'"') => {
                self.open_string();
                self.is_key = true;
                self.key.clear();
                Ok(())
            }
            (_, b'}') => {
                self.end_list();
                Ok(())
            }
            _ => Err(format!(
                "`{}` stands where a key should, at byte {}",
                char::from(byte),
                self.at
            )),
        }
    }

    /// A byte between a key and its value, which is a row.
    fn behind_key(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), DocumentFault> {
        let is_record = matches!(byte, b'{' | b'[') || self.rows == JsonRows::Columns;
        match byte {
            b':' => Ok(()),
            space if is_space(space) => Ok(()),
            _ if self.elements == 0 && !is_record => Err(self.nothing_there()),
            _ => {
                let is_whole = self.key.len() < MOST_KEY && self.rows != JsonRows::Columns;
                self.field = is_whole.then(|| self.key.clone());
                self.begin_element(byte, out)
            }
        }
    }

    /// Leaves the list; where all of an object are taken, for the next one.
    fn end_list(&mut self) {
        self.depth -= 1;
        self.field = None;
        if matches!(self.rows, JsonRows::At(_)) {
            self.levels.clear();
            self.stage = self.outside();
            return;
        }
        self.levels.pop();
        (self.stage, self.is_next) = (Stage::Before, false);
    }

    fn outside(&self) -> Stage {
        match self.depth {
            0 => Stage::End,
            _ => Stage::Behind,
        }
    }

    /// A byte on the way to a list; `out` has so many bytes.
    fn before(&mut self, byte: u8, out: usize) -> Result<(), DocumentFault> {
        let on_path = self.depth == self.levels.len();
        match byte {
            b'"' => {
                self.open_string();
                self.is_key = on_path && self.in_object() && !self.is_next && self.key.is_empty();
            }
            b'{' | b'[' => {
                self.depth += 1;
                if on_path && self.is_next {
                    return self.enter(byte == b'[', out);
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth < self.levels.len() {
                    if self.lists.is_empty() {
                        return Err(self.nothing_there());
                    }
                    self.levels.clear();
                    self.stage = self.outside();
                }
            }
            b',' if on_path => {
                self.key.clear();
                let place = self
                    .levels
                    .last_mut()
                    .filter(|level| level.is_list)
                    .map(|level| {
                        level.place += 1;
                        level.place
                    });
                self.is_next = place.is_some_and(|place| self.leads_to(&place.to_string()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Enters a bracket on the path.
    fn enter(&mut self, is_list: bool, out: usize) -> Result<(), DocumentFault> {
        let is_last = self.levels.len() == self.path.len();
        if is_last && !is_list && matches!(self.rows, JsonRows::Splits | JsonRows::Lists) {
            self.is_next = false;
            return Ok(());
        }
        self.levels.push(PathLevel { is_list, place: 0 });
        let key = std::mem::take(&mut self.key);
        if is_last {
            let before = self.written.0 + (out - self.written.1) as u64;
            let is_by_key = matches!(self.rows, JsonRows::Splits | JsonRows::Lists);
            self.field = (is_by_key && key.len() < MOST_KEY).then(|| key.clone());
            self.lists.push((key, before));
            self.stage = Stage::Between;
            return Ok(());
        }
        self.is_next = is_list && self.leads_to("0");
        Ok(())
    }

    /// Whether a key or a place of the innermost level is the next step.
    fn leads_to(&self, step: &str) -> bool {
        let place = self.levels.len().checked_sub(1);
        let next = place.and_then(|place| self.path.get(place));
        next.is_some_and(|next| match next {
            PathStep::Key(key) => key == step,
            PathStep::Split => is_split(step),
            PathStep::Any => true,
        })
    }

    fn key_ended(&mut self) {
        let spelling = [b"\"", &self.key[..], b"\""].concat();
        let Ok(key) = serde_json::from_slice::<String>(&spelling) else {
            return;
        };
        self.is_next = self.leads_to(&key);
        if self.levels.len() == 1 && self.keys.len() < MOST_KEYS {
            self.keys.push(key);
        }
    }

    fn nothing_there(&self) -> DocumentFault {
        let pointer = match &self.rows {
            JsonRows::At(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                pointer.clone()
            }
            JsonRows::At(pointer) => format!("/{pointer}"),
            _ => "/".to_owned(),
        };
        let keys = match &self.keys[..] {
            [] => String::new(),
            keys => format!(" (the document has {})", keys.join(", ")),
        };
        format!("there is no JSON list at `{pointer}`{keys}")
    }

    fn behind(&mut self, byte: u8) {
        match byte {
            b'"' => self.open_string(),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                self.stage = self.outside();
            }
            _ => {}
        }
    }

    fn open_string(&mut self) {
        (self.in_string, self.escaped) = (true, false);
    }
}

/// Whether what follows a run of a string is escaped, `before` whether its first byte is.
fn is_escaped(run: &[u8], before: bool) -> bool {
    let slashes = run.iter().rev().take_while(|&&byte| byte == b'\\').count();
    (slashes % 2 == 1) ^ (before && slashes == run.len())
}

/// Whether a byte is of a number or a word.
fn is_of_word(byte: u8) -> bool {
    !b"[]{},:\"\n".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// The lines of a document that comes in pieces of so many bytes, and how it ended.
    fn lines_of(pointer: &str, text: &[u8], piece: usize) -> (String, Result<u64, DocumentFault>) {
        lines_in(&JsonRows::At(pointer.to_owned()), text, piece)
    }

    fn lines_in(
        rows: &JsonRows,
        text: &[u8],
        piece: usize,
    ) -> (String, Result<u64, DocumentFault>) {
        let mut list = ListLines::new(rows);
        let mut out = Vec::new();
        let mut end = Ok(());
        for piece in text.chunks(piece) {
            end = list.feed(piece, &mut out);
            if end.is_err() {
                break;
            }
        }
        let end = end.and_then(|()| list.finish()).map(|()| list.whole());
        (String::from_utf8_lossy(&out).into_owned(), end)
    }

    #[test]
    fn elements_become_lines() {
        for (pointer, text, lines) in [
            ("", "[]", ""),
            ("", "\u{feff} [ {} ]\r\n", "{}\n"),
            (
                "",
                r#"[{"a" : "b  \" ]c" , "d":[1, 2 ]},[ ], 3 , "x y",true,]"#,
                "{\"a\":\"b  \\\" ]c\",\"d\":[1,2]}\n[]\n3\n\"x y\"\ntrue\n",
            ),
            (
                "",
                r#"["\\","\\\"",{"a":"\\"}]"#,
                "\"\\\\\"\n\"\\\\\\\"\"\n{\"a\":\"\\\\\"}\n",
            ),
            ("", "[{\"a\":\"b\nc\"}]", "{\"a\":\"b\\nc\"}\n"),
            // What is no number does not become one.
            ("", "[{\"a\": 1 2}]", "{\"a\":1 2}\n"),
            (
                "/b",
                r#"{"a": {"b": [1]}, "c": "b", "b": [2, 3], "d": [4]}"#,
                "2\n3\n",
            ),
            ("b", r#"{"b": [2]}"#, "2\n"),
            ("/a/b", r#"{"b": [0], "a": {"c": [1], "b": [2]}}"#, "2\n"),
            ("/1/x", r#"[{"x": [1]}, {"x": [2]}, 3]"#, "2\n"),
            ("/a~1b~0", r#"{"a\u002fb~": [7]}"#, "7\n"),
        ] {
            for piece in [1, 2, 3, 1000] {
                let (out, end) = lines_of(pointer, text.as_bytes(), piece);
                assert_eq!(out, lines, "{text}");
                assert_eq!(end, Ok(lines.lines().count() as u64), "{text}");
            }
        }
    }

    #[test]
    fn rows_of_other_documents() {
        let at = || JsonRows::At(String::new());
        for (rows, text, lines) in [
            (
                JsonRows::Splits,
                r#"{"of": {"train": [1]}, "train": [{"a": 1}, {}], "x": [3], "test_b": [{"split": "s"}, 4]}"#,
                "{\"a\":1,\"split\":\"train\"}\n{\"split\":\"train\"}\n{\"split\":\"s\"}\n4\n",
            ),
            (
                JsonRows::Lists,
                r#"{"a\"b": [{"x": {"key": 1}}], "c": [{"x": ["key", "}"]}]}"#,
                "{\"x\":{\"key\":1},\"key\":\"a\\\"b\"}\n{\"x\":[\"key\",\"}\"],\"key\":\"c\"}\n",
            ),
            (
                at(),
                r#" {"q-1" : {"a": 1} , "q-2": {"key": 2}, "q-3": [], "q-4": 7}"#,
                "{\"a\":1,\"key\":\"q-1\"}\n{\"key\":2}\n[]\n7\n",
            ),
            (
                JsonRows::Columns,
                r#"{"p": ["x", 2], "q": {"0": "y", "1": {"z": null}}}"#,
                "\"x\"\n2\n\"y\"\n{\"z\":null}\n",
            ),
            (
                JsonRows::Values,
                "\u{feff}{\n \"a\": 1\n}\n{\n\"a\": \"}\"},\n[\n2\n]\n",
                "{\"a\":1}\n{\"a\":\"}\"}\n[2]\n",
            ),
        ] {
            for piece in [1, 2, 3, 1000] {
                let (out, end) = lines_in(&rows, text.as_bytes(), piece);
                assert_eq!(out, lines, "{text}");
                assert_eq!(end, Ok(lines.lines().count() as u64), "{text}");
            }
        }
        let mut list = ListLines::new(&JsonRows::Columns);
        let mut out = Vec::new();
        list.feed(br#"{"p": ["x", 2], "q": {"#, &mut out)
            .expect("JSON");
        list.feed(br#""0": 1}}"#, &mut out).expect("JSON");
        assert_eq!(list.lists(), [(b"p".to_vec(), 0), (b"q".to_vec(), 6)]);
    }

    #[test]
    fn what_cannot_be_read_on() {
        for (pointer, text, lines, says) in [
            (
                "",
                "[{\"a\": 1}, {\"a\": \"x",
                "{\"a\":1}\n{\"a\":\"x",
                "cut short in element 2, at byte 19",
            ),
            (
                "",
                "[{\"a\": 1},",
                "{\"a\":1}\n",
                "cut short behind element 1",
            ),
            (
                "",
                "[{} {}]",
                "{}\n",
                "no comma stands before element 2, at byte 4",
            ),
            ("", "[{},,{}]", "{}\n", "`,` stands where element 2 should"),
            ("", "[1}, 2]", "1}", "`}` stands in element 1"),
            ("", "[{}] x", "{}\n", "followed by something else at byte 5"),
            (
                "/a",
                "{\"a\": [1], \"b\"",
                "1\n",
                "cut short behind its list",
            ),
            (
                "/x",
                "{\"a\": [1], \"b\": {\"x\": [2]}}",
                "",
                "there is no JSON list at `/x` (the document has a, b)",
            ),
            (
                "/a",
                "{\"a\": {\"b\": 1}}",
                "",
                "there is no JSON list at `/a`",
            ),
            ("", "{\"a\": 1}", "", "there is no JSON list at ``"),
        ] {
            for piece in [1, 3, 1000] {
                let (out, end) = lines_of(pointer, text.as_bytes(), piece);
                assert_eq!(out, lines, "{text}");
                let what = end.expect_err(text);
                assert!(what.contains(says), "{text}: {what}");
            }
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<i32>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
            "[a\"\\\\\n{}\\[\\],: é]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("[a\"\\\\/~]{0,3}", inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]
        #[test]
        fn lines_are_the_elements(
            elements in proptest::collection::vec(any_value(), 0..8),
            other in any_value(),
            key in "[a\"\\\\/~]{1,3}",
            pretty in any::<bool>(),
            piece in 1..40_usize,
        ) {
            let mut document = serde_json::Map::new();
            document.insert("before".to_owned(), other.clone());
            document.insert(key.clone(), Value::from(elements.clone()));
            document.insert("behind".to_owned(), other);
            let step = key.replace('~', "~0").replace('/', "~1");
            for (pointer, document) in [
                (String::new(), Value::from(elements.clone())),
                (format!("/{step}"), Value::Object(document.clone())),
                (format!("/1/{step}"), json!([0, document])),
            ] {
                let text = match pretty {
                    true => serde_json::to_vec_pretty(&document),
                    false => serde_json::to_vec(&document),
                }.expect("JSON");
                let (out, end) = lines_of(&pointer, &text, piece);
                let read: Vec<Value> = out
                    .lines()
                    .map(|line| serde_json::from_str(line).expect("a value a line"))
                    .collect();
                prop_assert_eq!(&read, &elements);
                prop_assert_eq!(end, Ok(elements.len() as u64));
            }
        }
    }
}
