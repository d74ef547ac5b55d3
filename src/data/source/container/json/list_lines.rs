//! Writes the rows of a JSON document ([`JsonRows`]) as lines, with a scan that tracks only strings
//! and brackets and uses constant memory.
//!
//! Rows with a key, or from one of several lists, get a field `key` or `split` with its name,
//! unless they are not objects or have that field.
//!
//! White space between tokens is removed, everything else is kept byte by byte; a raw line break in
//! a string is escaped. The parser of a row checks its content; a broken element costs only itself
//! if its brackets are balanced.

use memchr::memchr3;

use super::JsonRows;
use super::document::is_split;
use crate::json::{decoded, is_blank, is_of_word};
use crate::source::SourceError;

/// Bytes of a key that are compared, and number of keys in a message.
const MAX_KEY: usize = 4 << 10;
const MAX_KEYS: usize = 12;
/// Maximum length of a key that is copied into rows: each row has a copy.
const MAX_ADDED_KEY: usize = 256;

/// Takes the finished lines and clears them, then reads the next bytes of the document into the
/// second buffer, if there is one; nothing at the end.
type TakeLines<'p> = dyn FnMut(&mut Vec<u8>, Option<&mut Vec<u8>>) -> Result<(), SourceError> + 'p;

/// The key of each list, as spelled in JSON, and the bytes of lines before it.
pub type ListStarts = Vec<(Vec<u8>, u64)>;

/// The scan; see the module.
pub struct ListLines<'p> {
    rows: &'p JsonRows,
    /// The keys on the path to the list; `None` for any key, or any name of a split.
    path: Vec<Option<String>>,
    take: &'p mut TakeLines<'p>,
    /// Bytes of the document, the index of the next one, and the bytes before `piece`.
    piece: Vec<u8>,
    at: usize,
    before: u64,
    /// Lines not yet taken, and bytes already taken.
    lines: Vec<u8>,
    taken: u64,
    stage: Stage,
    /// Elements started.
    elements: u64,
    /// The last key, as spelled in JSON.
    key: Vec<u8>,
    /// Keys of the document, for error messages.
    keys: Vec<String>,
    lists: ListStarts,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// Before, between or after lists.
    Outside,
    /// In a list, between its elements.
    List,
    Element,
}

/// Why a document cannot be read further: what is wrong, and where.
#[derive(Debug)]
pub enum DocumentFault {
    /// It is truncated.
    End(String),
    Broken(String),
    /// It has no list at the given place.
    NoList(String),
    /// Its lines could not be stored.
    Lines(SourceError),
}

impl<'p> ListLines<'p> {
    /// Selects these rows of a document; the first slash of a JSON pointer is optional.
    pub fn new(rows: &'p JsonRows, take: &'p mut TakeLines<'p>) -> Self {
        let step = |step: &str| Some(step.replace("~1", "/").replace("~0", "~"));
        let steps = |pointer: &String| match pointer.strip_prefix('/').unwrap_or(pointer) {
            "" => Vec::new(),
            path => path.split('/').map(step).collect(),
        };
        let path = match rows {
            JsonRows::At(pointer) => steps(pointer),
            JsonRows::Splits(pointer) => [steps(pointer), vec![None]].concat(),
            JsonRows::Lists | JsonRows::Columns => vec![None],
            JsonRows::Values => Vec::new(),
        };
        Self {
            rows,
            path,
            take,
            piece: Vec::new(),
            at: 0,
            before: 0,
            lines: Vec::new(),
            taken: 0,
            stage: Stage::Outside,
            elements: 0,
            key: Vec::new(),
            keys: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Returns the number of complete elements.
    pub fn whole(&self) -> u64 {
        self.elements - u64::from(self.stage == Stage::Element)
    }

    pub fn lists(self) -> ListStarts {
        self.lists
    }

    /// Reads the whole document.
    ///
    /// # Errors
    /// If the document is damaged; lines taken before stay valid.
    pub fn read(&mut self) -> Result<(), DocumentFault> {
        let read = self.document();
        let is_stream = *self.rows == JsonRows::Values;
        (self.take)(&mut self.lines, None).map_err(DocumentFault::Lines)?;
        match (read, self.stage) {
            (Err(DocumentFault::End(_)), Stage::List) if is_stream => Ok(()),
            (read, _) => read,
        }
    }

    fn document(&mut self) -> Result<(), DocumentFault> {
        if *self.rows == JsonRows::Values {
            return self.take_rows(true);
        }
        while !matches!(self.token()?, b'{' | b'[') {
            self.skip()?;
        }
        self.walk(0)?;
        match self.token() {
            Err(DocumentFault::End(_)) => Ok(()),
            Err(fault) => Err(fault),
            Ok(_) => Err(DocumentFault::Broken(format!(
                "the JSON document is followed by other data at byte {}, which is ignored",
                self.place()
            ))),
        }
    }

    /// Returns the position of the next byte in the document.
    fn place(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Returns the next byte without consuming it.
    fn peek(&mut self) -> Result<u8, DocumentFault> {
        if self.at == self.piece.len() {
            self.before = self.place();
            self.at = 0;
            self.piece.clear();
            self.taken += self.lines.len() as u64;
            (self.take)(&mut self.lines, Some(&mut self.piece)).map_err(DocumentFault::Lines)?;
        }
        self.piece.get(self.at).copied().ok_or_else(|| self.end())
    }

    /// Returns the next byte after white space.
    fn token(&mut self) -> Result<u8, DocumentFault> {
        loop {
            match self.peek()? {
                space if is_blank(space) => self.at += 1,
                byte => return Ok(byte),
            }
        }
    }

    /// Returns the error for a document that ends here.
    fn end(&self) -> DocumentFault {
        let what = match self.stage {
            Stage::Outside if self.lists.is_empty() => return self.nothing_there(),
            Stage::Outside => "document is truncated after its list".to_owned(),
            Stage::List => format!("list is truncated after element {}", self.elements),
            Stage::Element => format!("list is truncated in element {}", self.elements),
        };
        DocumentFault::End(format!("the JSON {what}, at byte {}", self.place()))
    }

    fn nothing_there(&self) -> DocumentFault {
        let pointer = match self.rows {
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
        DocumentFault::NoList(format!("no JSON list at `{pointer}`{keys}"))
    }

    /// Reads a string; writes it to the line, stores it as the last key, both or neither.
    fn string(&mut self, is_written: bool, is_key: bool) -> Result<(), DocumentFault> {
        let mut is_escaped = false;
        if is_written {
            self.lines.push(b'"');
        }
        if is_key {
            self.key.clear();
        }
        self.at += 1;
        loop {
            let byte = self.peek()?;
            let rest = &self.piece[self.at..];
            let run: &[u8] = match byte {
                b'"' if !is_escaped => break,
                b'\n' if is_escaped => b"n",
                b'\n' => b"\\n",
                _ if is_escaped || byte == b'\\' => &rest[..1],
                _ => &rest[..memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len())],
            };
            is_escaped = byte == b'\\' && !is_escaped;
            self.at += if byte == b'\n' { 1 } else { run.len() };
            if is_written {
                self.lines.extend_from_slice(run);
            }
            if is_key {
                let room = MAX_KEY.saturating_sub(self.key.len());
                self.key.extend_from_slice(&run[..run.len().min(room)]);
            }
        }
        if is_written {
            self.lines.push(b'"');
        }
        self.at += 1;
        Ok(())
    }

    /// Skips a string, a bracket with its content, or any other single byte.
    fn skip(&mut self) -> Result<(), DocumentFault> {
        let mut depth = 0_usize;
        loop {
            match self.token()? {
                b'"' => self.string(false, false)?,
                byte => {
                    self.at += 1;
                    match byte {
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Reads a bracket that is reached by the first `steps` steps of the path.
    fn walk(&mut self, steps: usize) -> Result<(), DocumentFault> {
        let is_list = self.token()? == b'[';
        let is_of_lists = matches!(self.rows, JsonRows::Splits(_) | JsonRows::Lists);
        if steps == self.path.len() {
            if is_of_lists && !is_list {
                return self.skip();
            }
            self.at += 1;
            return self.take_rows(is_list);
        }
        self.at += 1;
        let (mut place, mut is_key) = (0, !is_list);
        let mut leads = is_list && self.leads_to(steps, "0");
        loop {
            match self.token()? {
                b'}' | b']' if self.lists.is_empty() => return Err(self.nothing_there()),
                b'}' | b']' => {
                    self.at += 1;
                    return Ok(());
                }
                b',' => {
                    self.at += 1;
                    (place, is_key) = (place + 1, !is_list);
                    leads = is_list && self.leads_to(steps, &place.to_string());
                }
                b'"' if is_key => {
                    self.string(false, true)?;
                    (is_key, leads) = (false, self.key_leads(steps));
                }
                b'{' | b'[' if leads => self.walk(steps + 1)?,
                _ => self.skip()?,
            }
        }
    }

    /// True if a key or index matches the step after `steps` steps.
    fn leads_to(&self, steps: usize, step: &str) -> bool {
        let is_done = matches!(self.rows, JsonRows::At(_)) && !self.lists.is_empty();
        let next = self.path.get(steps).filter(|_| !is_done);
        next.is_some_and(|next| match next {
            Some(key) => key == step,
            None => !matches!(self.rows, JsonRows::Splits(_)) || is_split(step),
        })
    }

    fn key_leads(&mut self, steps: usize) -> bool {
        let Some(key) = decoded(&self.key) else {
            return false;
        };
        let leads = self.leads_to(steps, &key);
        if steps == 0 && self.keys.len() < MAX_KEYS {
            self.keys.push(key.into_owned());
        }
        leads
    }

    /// Writes the elements of a list, or the values of an object, as lines.
    fn take_rows(&mut self, is_list: bool) -> Result<(), DocumentFault> {
        let is_stream = *self.rows == JsonRows::Values;
        let is_of_lists = matches!(self.rows, JsonRows::Splits(_) | JsonRows::Lists);
        let key = std::mem::take(&mut self.key);
        let of_list = Some(key.clone()).filter(|key| is_of_lists && key.len() < MAX_ADDED_KEY);
        self.lists.push((key, self.taken + self.lines.len() as u64));
        self.stage = Stage::List;
        let mut is_after_element = false;
        loop {
            let (byte, next) = (self.token()?, self.elements + 1);
            let expected = match byte {
                b',' if is_after_element => {
                    self.at += 1;
                    is_after_element = false;
                    continue;
                }
                b']' if is_list && !is_stream => break,
                b'}' if !is_list => break,
                _ if is_list && is_after_element && !is_stream => {
                    let what = format!("missing comma before element {next}, at byte");
                    return Err(DocumentFault::Broken(format!("{what} {}", self.place())));
                }
                // A byte order mark.
                0x80.. if is_stream && self.place() < 3 => {
                    self.at += 1;
                    continue;
                }
                b',' | b':' | b'}' | b']' if is_list => format!("element {next}"),
                _ if is_list => {
                    self.element(of_list.as_deref(), true)?;
                    is_after_element = true;
                    continue;
                }
                b'"' if !is_after_element => {
                    self.member()?;
                    is_after_element = true;
                    continue;
                }
                _ => "a key".to_owned(),
            };
            let (byte, at) = (char::from(byte), self.place());
            let what = format!("found `{byte}` instead of {expected}, at byte {at}");
            return Err(DocumentFault::Broken(what));
        }
        self.at += 1;
        self.stage = Stage::Outside;
        Ok(())
    }

    /// Reads a member of an object whose values are rows.
    fn member(&mut self) -> Result<(), DocumentFault> {
        self.string(false, true)?;
        let is_columns = *self.rows == JsonRows::Columns;
        let key = Some(std::mem::take(&mut self.key));
        let field = key.filter(|key| key.len() < MAX_ADDED_KEY && !is_columns);
        loop {
            match self.token()? {
                b':' => self.at += 1,
                byte if self.elements == 0 && !is_columns && !b"{[".contains(&byte) => {
                    return Err(self.nothing_there());
                }
                _ => return self.element(field.as_deref(), false),
            }
        }
    }

    /// Writes an element as a line, with its key or split as a field if it lacks one.
    fn element(&mut self, field: Option<&[u8]>, in_list: bool) -> Result<(), DocumentFault> {
        let name: &[u8] = match self.rows {
            JsonRows::Splits(_) => b"split",
            _ => b"key",
        };
        self.elements += 1;
        self.stage = Stage::Element;
        let is_object = self.peek()? == b'{';
        let (mut depth, mut last, mut has_field) = (0_usize, b'\n', false);
        let mut is_spaced = false;
        loop {
            let byte = self.peek()?;
            let is_end = matches!(byte, b',' | b']') || (byte == b'}' && !in_list);
            if depth == 0 && (is_blank(byte) || is_end) {
                break;
            }
            if is_blank(byte) {
                self.at += 1;
                is_spaced = true;
                continue;
            }
            // Words separated by white space must not merge.
            if std::mem::take(&mut is_spaced) && is_of_word(last) && is_of_word(byte) {
                self.lines.push(b' ');
            }
            let is_of_object = is_object && depth == 1;
            if byte == b'"' {
                let is_key = is_of_object && matches!(last, b'{' | b',') && field.is_some();
                self.string(true, is_key)?;
                has_field |= is_key && self.key == name;
                last = byte;
                if depth == 0 {
                    break;
                }
                continue;
            }
            if byte == b'}'
                && is_of_object
                && !has_field
                && let Some(field) = field
            {
                let comma: &[u8] = if last == b'{' { b"" } else { b"," };
                let member = [comma, b"\"", name, b"\":\"", field, b"\""].concat();
                self.lines.extend_from_slice(&member);
            }
            self.lines.push(byte);
            last = byte;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => {
                    let (byte, at) = (char::from(byte), self.place());
                    let element = self.elements;
                    return Err(DocumentFault::Broken(format!(
                        "`{byte}` in element {element}, at byte {at}, closes nothing"
                    )));
                }
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 && matches!(byte, b'}' | b']') {
                break;
            }
        }
        self.lines.push(b'\n');
        self.stage = Stage::List;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Reads a document in pieces of this size; returns its lines and the outcome.
    fn lines_of(pointer: &str, text: &[u8], piece: usize) -> (String, Result<u64, String>) {
        lines_in(&JsonRows::At(pointer.to_owned()), text, piece)
    }

    fn lines_in(rows: &JsonRows, text: &[u8], piece: usize) -> (String, Result<u64, String>) {
        let (lines, _, end) = read(rows, text, piece);
        (lines, end)
    }

    fn read(
        rows: &JsonRows,
        text: &[u8],
        piece: usize,
    ) -> (String, ListStarts, Result<u64, String>) {
        let (mut out, mut pieces) = (Vec::new(), text.chunks(piece));
        let mut take = |lines: &mut Vec<u8>, piece: Option<&mut Vec<u8>>| {
            out.append(lines);
            if let Some(piece) = piece {
                piece.extend_from_slice(pieces.next().unwrap_or_default());
            }
            Ok(())
        };
        let mut list = ListLines::new(rows, &mut take);
        let end = match list.read() {
            Ok(()) => Ok(list.whole()),
            Err(
                DocumentFault::End(what)
                | DocumentFault::Broken(what)
                | DocumentFault::NoList(what),
            ) => Err(what),
            Err(DocumentFault::Lines(error)) => panic!("{error}"),
        };
        let lists = list.lists();
        (String::from_utf8_lossy(&out).into_owned(), lists, end)
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
            // An invalid number must not become valid.
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
            ("/a\u{fffd}", r#"{"a\ud83d": [7]}"#, "7\n"),
            ("/a\u{1}", "{\"a\u{1}\": [7]}", "7\n"),
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
                JsonRows::Splits(String::new()),
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
        let columns = br#"{"p": ["x", 2], "q": {"0": 1}}"#;
        let (_, lists, _) = read(&JsonRows::Columns, columns, 7);
        assert_eq!(lists, [(b"p".to_vec(), 0), (b"q".to_vec(), 6)]);
    }

    #[test]
    fn what_cannot_be_read_on() {
        for (pointer, text, lines, says) in [
            (
                "",
                "[{\"a\": 1}, {\"a\": \"x",
                "{\"a\":1}\n{\"a\":\"x",
                "truncated in element 2, at byte 19",
            ),
            (
                "",
                "[{\"a\": 1},",
                "{\"a\":1}\n",
                "truncated after element 1",
            ),
            (
                "",
                "[{} {}]",
                "{}\n",
                "missing comma before element 2, at byte 4",
            ),
            ("", "[{},,{}]", "{}\n", "found `,` instead of element 2"),
            ("", "[1}, 2]", "1}", "`}` in element 1"),
            ("", "[{}] x", "{}\n", "followed by other data at byte 5"),
            (
                "/a",
                "{\"a\": [1], \"b\"",
                "1\n",
                "truncated after its list",
            ),
            (
                "/x",
                "{\"a\": [1], \"b\": {\"x\": [2]}}",
                "",
                "no JSON list at `/x` (the document has a, b)",
            ),
            ("/a", "{\"a\": {\"b\": 1}}", "", "no JSON list at `/a`"),
            ("", "{\"a\": 1}", "", "no JSON list at ``"),
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
            document.insert("after".to_owned(), other);
            let step = key.replace('~', "~0").replace('/', "~1");
            for (pointer, document) in [
                (String::new(), Value::from(elements.clone())),
                (format!("/{step}"), Value::Object(document.clone())),
                (format!("/1/{step}"), json!([0, document])),
            ] {
                let text = if pretty {
                    serde_json::to_vec_pretty(&document)
                } else {
                    serde_json::to_vec(&document)
                };
                let text = text.expect("JSON");
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
