//! Whether a text is one JSON document with a list of rows in it, or lines, told by its beginning.
//!
//! A value that ends on its first line and has another value behind it is a line. One that goes on
//! behind a line break is a document, if what follows the break can belong to it: the first line of
//! a file can be cut, and the next one is a record then. What ends on its only line is a document,
//! unless it reads as a row.

/// A list is looked for in so many first bytes.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Keys that hold the rows of a document, where it is not a list.
const ROW_KEYS: &[&str] = &[
    "examples",
    "data",
    "rows",
    "train",
    "validation",
    "test",
    "instances",
    "records",
    "samples",
    "items",
    "comparisons",
    "preferences",
];

/// What a text is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// Lines, or nothing that is known.
    Lines,
    /// A document with its rows in the list at this JSON pointer.
    List(String),
}

/// The text without a byte order mark and JSON white space before it.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let start = text.iter().position(|byte| !is_space(*byte));
    &text[start.unwrap_or(text.len())..]
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// What a text is that begins like this, with a bracket; `None` while that needs more of it.
pub(super) fn look(text: &[u8], ended: bool, is_row: &dyn Fn(&[u8]) -> bool) -> Option<Outlook> {
    let seen = &text[..text.len().min(MOST_BYTES)];
    let mut document = Document::new(seen);
    let is_long = seen.len() == MOST_BYTES;
    match document.read() {
        Reading::Known(outlook) => Some(outlook),
        Reading::Closed(end) => document.closed(end, ended || is_long, is_row),
        Reading::Open if is_long => Some(document.too_long()),
        Reading::Open if ended => Some(document.cut_short(is_row)),
        Reading::Open => None,
    }
}

/// How far the beginning of a document was read.
enum Reading {
    /// It leaves no doubt.
    Known(Outlook),
    /// The value ends before this byte.
    Closed(usize),
    /// It goes on behind what is there.
    Open,
}

/// A list that may hold the rows.
struct FoundList {
    pointer: String,
    is_named: bool,
    /// Elements that are whole and have a comma or the list's end behind them.
    elements: usize,
    /// Where the first of them stands.
    first: (usize, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum JsonToken {
    Open(u8),
    Close,
    Comma,
    Colon,
    String(usize, usize),
    Word,
}

struct Document<'t> {
    text: &'t [u8],
    at: usize,
    /// The brackets that are open.
    open: Vec<u8>,
    /// Where the first line break stands that is in no string.
    line_break: Option<usize>,
    candidates: Vec<FoundList>,
}

impl<'t> Document<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            line_break: None,
            candidates: Vec::new(),
        }
    }

    fn read(&mut self) -> Reading {
        let lines = Reading::Known(Outlook::Lines);
        let mut before = None;
        // The string before a colon, and whether the list that is open now is a candidate.
        let (mut key, mut in_candidate) = (None, false);
        let mut element = 0;
        // An element that is whole, and waits for what stands behind it.
        let mut whole: Option<(usize, usize)> = None;
        loop {
            let (start, token) = match self.token() {
                Ok(Some(token)) => token,
                Ok(None) => return Reading::Open,
                // A record that is broken on its first line.
                Err(()) => return lines,
            };
            if self.is_line_of_its_own(start, token, before) {
                return lines;
            }
            let root_is_list = self.text.first() == Some(&b'[');
            let list_depth = if root_is_list { 1 } else { 2 };
            if let Some(place) = whole.take() {
                if !matches!(token, JsonToken::Comma | JsonToken::Close) {
                    return Reading::Known(self.broken());
                }
                if let Some(outlook) = self.take_element(place) {
                    return Reading::Known(outlook);
                }
            }
            match token {
                JsonToken::Open(bracket) => {
                    if self.open.len() == list_depth && before == Some(JsonToken::Open(b'[')) {
                        in_candidate = bracket == b'{' || root_is_list;
                        if in_candidate {
                            self.add_candidate(if root_is_list { None } else { key });
                        }
                    }
                    if self.open.len() == list_depth {
                        element = start;
                    }
                    self.open.push(bracket);
                }
                JsonToken::Close => {
                    self.open.pop();
                    match self.open.len() {
                        0 => return Reading::Closed(self.at),
                        depth if depth == list_depth && in_candidate => {
                            whole = Some((element, self.at));
                        }
                        depth if depth < list_depth => in_candidate = false,
                        _ => {}
                    }
                }
                JsonToken::Colon if self.open.len() == 1 => {
                    key = match before {
                        Some(JsonToken::String(start, end)) => Some((start, end)),
                        _ => None,
                    };
                }
                _ => {}
            }
            before = Some(token);
        }
    }

    /// Whether a bracket at the beginning of a line stands where the document can have none.
    fn is_line_of_its_own(
        &self,
        start: usize,
        token: JsonToken,
        before: Option<JsonToken>,
    ) -> bool {
        let begins_line = start > 0 && self.text[start - 1] == b'\n';
        let is_expected = match self.open.last() {
            Some(b'{') => before == Some(JsonToken::Colon),
            _ => matches!(before, Some(JsonToken::Comma | JsonToken::Open(_))),
        };
        begins_line && matches!(token, JsonToken::Open(_)) && !is_expected
    }

    fn add_candidate(&mut self, key: Option<(usize, usize)>) {
        let (pointer, is_named) = match key.map(|(start, end)| &self.text[start..end]) {
            None => (String::new(), true),
            Some(key) => {
                // As it reads and not as it is spelled: so it is looked for.
                let key = serde_json::from_slice::<String>(&[b"\"", key, b"\""].concat());
                let key = key.unwrap_or_default();
                let is_named = ROW_KEYS.contains(&&*key);
                let pointer = key.replace('~', "~0").replace('/', "~1");
                (format!("/{pointer}"), is_named)
            }
        };
        self.candidates.push(FoundList {
            pointer,
            is_named,
            elements: 0,
            first: (0, 0),
        });
    }

    /// Counts an element of the last candidate; one behind a line break leaves no doubt, where the
    /// list has a name for rows.
    fn take_element(&mut self, place: (usize, usize)) -> Option<Outlook> {
        let is_first_named = !self
            .candidates
            .iter()
            .rev()
            .skip(1)
            .any(|other| other.is_named);
        let line_break = self.line_break;
        let candidate = self.candidates.last_mut()?;
        if candidate.elements == 0 {
            candidate.first = place;
        }
        candidate.elements += 1;
        let goes_on = line_break.is_some_and(|at| at < place.1);
        (goes_on && candidate.is_named && is_first_named)
            .then(|| Outlook::List(candidate.pointer.clone()))
    }

    fn named(&self) -> Option<&FoundList> {
        self.candidates
            .iter()
            .find(|list| list.is_named && list.elements > 0)
    }

    /// The list that holds the rows: one with a name for that, or the only one there is.
    fn chosen(&self) -> Option<&FoundList> {
        let only = || match &self.candidates[..] {
            [only] if only.elements > 0 => Some(only),
            _ => None,
        };
        self.named().or_else(only)
    }

    fn list(candidate: Option<&FoundList>) -> Outlook {
        candidate.map_or(Outlook::Lines, |list| Outlook::List(list.pointer.clone()))
    }

    /// What the value is that ended before the byte `end`.
    fn closed(&self, end: usize, ended: bool, is_row: &dyn Fn(&[u8]) -> bool) -> Option<Outlook> {
        let behind = trim_start(&self.text[end..]);
        let is_blank = behind.is_empty();
        let gap = &self.text[end..self.text.len() - behind.len()];
        if !is_blank && !gap.contains(&b'\n') {
            return Some(self.broken());
        }
        let spans_lines = self.line_break.is_some_and(|at| at < end);
        let candidate = if spans_lines {
            self.chosen()
        } else {
            self.named()
        };
        if !is_blank || candidate.is_none() || is_row(&self.text[..end]) {
            return Some(Outlook::Lines);
        }
        ended.then(|| Self::list(candidate))
    }

    /// What a text is that breaks within its first line: a list where it has more elements than a
    /// row that is a list.
    fn broken(&self) -> Outlook {
        Self::list(self.named().filter(|list| list.elements > 2))
    }

    /// What a text is that ends before its value does.
    fn cut_short(&self, is_row: &dyn Fn(&[u8]) -> bool) -> Outlook {
        let candidate = match self.line_break {
            Some(_) => self.chosen(),
            None => self.named(),
        };
        // A row that is a list can be cut as well, and it has few elements.
        let is_many =
            |list: &&FoundList| list.elements > 1 || is_row(&self.text[list.first.0..list.first.1]);
        Self::list(candidate.filter(is_many))
    }

    /// What a text is whose first value is longer than what is looked at.
    fn too_long(&self) -> Outlook {
        let candidate = match self.line_break {
            Some(_) => self.chosen(),
            None => self.named(),
        };
        Self::list(candidate)
    }

    /// The next token with its place; `None` where it may go on behind what is there.
    ///
    /// # Errors
    /// Where a line ends within a string before it ended anywhere else.
    fn token(&mut self) -> Result<Option<(usize, JsonToken)>, ()> {
        while let Some(&byte) = self.text.get(self.at).filter(|byte| is_space(**byte)) {
            if byte == b'\n' && self.line_break.is_none() {
                self.line_break = Some(self.at);
            }
            self.at += 1;
        }
        let start = self.at;
        let Some(&byte) = self.text.get(start) else {
            return Ok(None);
        };
        self.at += 1;
        let token = match byte {
            b'[' | b'{' => JsonToken::Open(byte),
            b']' | b'}' => JsonToken::Close,
            b',' => JsonToken::Comma,
            b':' => JsonToken::Colon,
            b'"' => return self.string(start),
            _ => {
                let rest = &self.text[start..];
                let ends = |byte: &u8| is_space(*byte) || b"[]{},:\"".contains(byte);
                let Some(length) = rest.iter().position(ends) else {
                    return Ok(None);
                };
                self.at = start + length;
                JsonToken::Word
            }
        };
        Ok(Some((start, token)))
    }

    fn string(&mut self, start: usize) -> Result<Option<(usize, JsonToken)>, ()> {
        loop {
            let Some(found) = memchr::memchr3(b'"', b'\\', b'\n', &self.text[self.at..]) else {
                return Ok(None);
            };
            let at = self.at + found;
            self.at = at + 1;
            match self.text[at] {
                b'"' => return Ok(Some((start, JsonToken::String(start + 1, at)))),
                b'\\' if self.at == self.text.len() => return Ok(None),
                b'\\' => self.at += 1,
                _ if self.line_break.is_none() => return Err(()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(text: &str, ended: bool) -> Option<String> {
        let is_row = |line: &[u8]| line.starts_with(b"[{\"q\"") || line.starts_with(b"{\"prompt\"");
        look(text.as_bytes(), ended, &is_row).map(|outlook| match outlook {
            Outlook::Lines => "lines".to_owned(),
            Outlook::List(pointer) => format!("list {pointer}"),
        })
    }

    #[test]
    fn lines_and_documents() {
        for (text, expected) in [
            ("{\"prompt\": 1}\n{\"prompt\": 2}\n", "lines"),
            ("{\"a\": 1}", "lines"),
            ("{\"a\": [{\"b\": 1}]}", "lines"),
            ("[]", "lines"),
            ("[1, 2]", "lines"),
            ("{}", "lines"),
            ("[", "lines"),
            // A list of records, however it is laid out.
            ("[{\"a\": 1}]", "list "),
            ("[{\"a\": 1}, {\"a\": 2}]\n \n", "list "),
            ("[\n{\"a\": 1},\n{\"a\": 2}\n]\n", "list "),
            ("[\r\n  {\r\n    \"a\": [1]\r\n  }\r\n]", "list "),
            ("[{\"a\": 1},\n{\"a\": 2}]", "list "),
            ("[[{\"q\": 1}, {\"q\": 2}]]", "list "),
            ("[[{\"q\": 1}, {\"q\": 2}],\n[{\"q\": 1}]]", "list "),
            // Lines that are lists, and the only one of a file where it reads as a row.
            ("[{\"a\": 1}]\n[{\"a\": 2}]\n", "lines"),
            ("[{\"a\": 1}]\n{\"a\": 2}\n", "lines"),
            ("[{\"q\": 1}, {\"q\": 2}]\n", "lines"),
            // A list that breaks, and a line that does.
            (
                "[{\"a\": 1}, {\"a\": 2}, {\"a\": 3}, {\"a\": 4} {\"a\": 5}]",
                "list ",
            ),
            ("[{\"a\": 1}, {\"a\": 2}, {\"a\": 3}] x", "list "),
            ("[{\"a\": 1} {\"a\": 2}]\n[{\"a\": 2}]\n", "lines"),
            // An object that holds rows under a name for that, or under its only list of objects
            // where it is no line.
            (
                "{\"metadata\": {}, \"examples\": [{\"a\": 1}]}",
                "list /examples",
            ),
            (
                "{\"models\": [{\"n\": 1}],\n \"examples\": [{\"a\": 1}, {\"a\": 2}]}",
                "list /examples",
            ),
            ("{\"a/b\": [\n{\"a\": 1}]}", "list /a~1b"),
            ("{\"x\": [\n{\"a\": 1}], \"y\": [{\"a\": 1}]}", "lines"),
            ("{\"prompt\": [\n{\"role\": 1}, {\"role\": 2}]}", "lines"),
            ("{\"prompt\": 1, \"data\": [{\"a\": 1}]}\n", "lines"),
            (
                "{\"data\": [{\"a\": 1}]}\n{\"data\": [{\"a\": 1}]}\n",
                "lines",
            ),
            // A first line that was cut, and records behind it.
            ("[{\"q\": 1}, {\"q\"\n[{\"q\": 1}, {\"q\": 2}]\n", "lines"),
            (
                "[{\"q\": 1},\n[{\"q\": 1}, {\"q\": 2}]\n[{\"q\": 1}]\n",
                "lines",
            ),
            ("{\"a\": 1,\n{\"prompt\": 2}\n", "lines"),
            ("{\"a\":\n{\"prompt\": 2}\n{\"prompt\": 2}\n", "lines"),
            ("{\"a\": \"b\n{\"prompt\": 2}\n{\"prompt\": 2}\n", "lines"),
            (
                "{\"data\": [{\"a\": 1},\n{\"prompt\": 2}\n{\"prompt\": 2}\n",
                "lines",
            ),
            // A document that was cut.
            ("[\n{\"a\": 1},\n{\"a\": 2", "list "),
            ("[{\"a\": 1}, {\"a\": 2}, {\"a\"", "list "),
            ("[{\"prompt\": 1}, {\"a\"", "list "),
            ("[{\"q\": 1}, {\"q\"", "lines"),
            ("{\n\"rows\": [{\"a\": \"]\\\"}\"},{\"a", "list /rows"),
        ] {
            assert_eq!(looked(text, true).as_deref(), Some(expected), "{text}");
            // What is known of a beginning stays so.
            for end in 1..text.len() {
                if let Some(known) = looked(&text[..end], false) {
                    assert_eq!(known, expected, "{}", &text[..end]);
                }
            }
        }
    }

    #[test]
    fn what_is_known_early() {
        for (text, expected) in [
            ("{\"a\": 1}", Some("lines")),
            ("{\"a\": 1", None),
            ("[{\"q\": 1}, {\"q\": 2}]", Some("lines")),
            ("[{\"a\": 1}]\n", None),
            ("[{\"a\": 1}]\n[", Some("lines")),
            ("[\n{\"a\": 1}", None),
            ("[\n{\"a\": 1},", Some("list ")),
            ("{\"examples\": [{\"a\": 1},\n", None),
        ] {
            assert_eq!(looked(text, false).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_value_without_an_end_is_a_list_where_it_has_rows() {
        let long = "x".repeat(MOST_BYTES);
        for (head, expected) in [
            ("[{\"a\": 1}, {\"a\": \"", "list "),
            (
                "{\"m\": 1, \"examples\": [{\"a\": 1}, {\"a\": \"",
                "list /examples",
            ),
            ("{\"prompt\": [{\"a\": 1}, {\"a\": 2}], \"r\": \"", "lines"),
            ("{\"prompt\": \"", "lines"),
        ] {
            let text = format!("{head}{long}");
            assert_eq!(looked(&text, false).as_deref(), Some(expected), "{head}");
        }
    }
}
