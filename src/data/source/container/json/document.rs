//! Decides from the beginning of a text whether it is JSON Lines or a JSON document, and where a
//! document has its rows ([`JsonRows`]).
//!
//! A value that ends on its first line, followed by a line with another value, is a line. A value
//! that continues after a line break belongs to a document, unless the next line cannot continue
//! it: then the first line was truncated, and the next one is a record. A value that ends on the
//! only line is a document unless it can be parsed as a row.

#[cfg(test)]
mod tests;

use super::{JsonRows, RowSearch};
use crate::json::{decoded, is_blank, is_of_word, token, token_end};
use crate::source::lines::trim_start;

/// Rows are searched for in this many first bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// Keys that hold the rows of a document that is not a list.
const ROW_KEYS: &[&str] = &[
    "examples",
    "data",
    "rows",
    "instances",
    "records",
    "samples",
    "items",
    "comparisons",
    "preferences",
];

/// Names of each split; `_` or `-` may follow: `train_prefs`.
pub const SPLITS: [&[&str]; 4] = [
    &["train", "training"],
    &["validation", "valid", "val", "dev"],
    &["test", "testing", "eval", "evaluation"],
    &["holdout"],
];

/// True if a key is the name of a split.
pub fn is_split(key: &str) -> bool {
    let word = key
        .split(['_', '-'])
        .next()
        .unwrap_or(key)
        .to_ascii_lowercase();
    SPLITS.iter().any(|words| words.contains(&&*word))
}

/// Locates the rows of a text that begins with a bracket: `Some(None)` for lines, `None` if more
/// text is needed.
pub fn detect(text: &[u8], ended: bool, search: &RowSearch) -> Option<Option<JsonRows>> {
    if let Some(pointer) = &search.pointer {
        return Some(Some(JsonRows::At(pointer.clone())));
    }
    let seen = &text[..text.len().min(MAX_BYTES)];
    let mut document = Document::new(seen, search);
    let is_long = seen.len() == MAX_BYTES;
    match document.read() {
        Ok(()) => document.closed(document.at, ended || is_long),
        Err(DocumentStop::Known(rows)) => Some(rows),
        Err(DocumentStop::Open) if is_long => Some(document.rows()),
        Err(DocumentStop::Open) if ended => Some(document.cut_short()),
        Err(DocumentStop::Open) => None,
    }
}

/// Why reading the beginning of a document stopped before the end of its value.
enum DocumentStop {
    /// The result is certain.
    Known(Option<JsonRows>),
    /// More text is needed.
    Open,
}

/// The kind of a member of the document.
#[derive(Clone, Copy, PartialEq)]
enum MemberKind {
    Scalar,
    Object,
    /// A list without elements.
    Empty,
    /// A list that begins with an object (or, for the document's own list, a list).
    Records,
    /// Any other list.
    Values,
}

/// A value of an object, or the whole list.
struct Member {
    key: String,
    /// True for the document's own list, which has no key.
    is_root: bool,
    kind: MemberKind,
    /// Complete elements, each followed by a comma or the end of the list.
    elements: usize,
    /// The first element, or the whole object.
    first: (usize, usize),
    is_whole: bool,
}

impl Member {
    /// Returns the member's JSON pointer.
    fn pointer(&self) -> String {
        format!("/{}", self.key.replace('~', "~0").replace('/', "~1"))
    }

    /// True if its key is a usual name for rows.
    fn is_named(&self) -> bool {
        self.kind == MemberKind::Records
            && (self.is_root || ROW_KEYS.contains(&&*self.key) || is_split(&self.key))
    }
}

struct Document<'t> {
    text: &'t [u8],
    search: &'t RowSearch,
    at: usize,
    /// Position of the first line break outside a string.
    line_break: Option<usize>,
    /// Position of the last string, without its quotes.
    string: (usize, usize),
    members: Vec<Member>,
    /// The first member with a usual name for rows.
    first_named: Option<usize>,
}

impl<'t> Document<'t> {
    fn new(text: &'t [u8], search: &'t RowSearch) -> Self {
        Self {
            text,
            search,
            at: 0,
            line_break: None,
            string: (0, 0),
            members: Vec::new(),
            first_named: None,
        }
    }

    fn is_list(&self) -> bool {
        self.text.first() == Some(&b'[')
    }

    /// Reads the value at the beginning of the text. Checks only brackets and what separates
    /// elements; the reader of rows checks the rest.
    fn read(&mut self) -> Result<(), DocumentStop> {
        self.token(true)?;
        if self.is_list() {
            self.add_member(String::new());
            self.value(0, b'[')
        } else {
            self.object()
        }
    }

    /// Reads the members of the document.
    fn object(&mut self) -> Result<(), DocumentStop> {
        let mut before = b'{';
        loop {
            let (start, byte) = self.token(before == b':')?;
            match byte {
                b'}' | b']' => return Ok(()),
                b':' if before == b'"' => {
                    // Unescaped, because keys are searched for unescaped.
                    let (start, end) = self.string;
                    let key = decoded(&self.text[start..end]);
                    self.add_member(key.unwrap_or_default().into_owned());
                }
                b',' | b':' => {}
                _ if before == b':' => self.value(start, byte)?,
                b'{' | b'[' => self.skip(byte)?,
                _ => {}
            }
            before = byte;
        }
    }

    fn add_member(&mut self, key: String) {
        self.members.push(Member {
            is_root: self.is_list(),
            key,
            kind: MemberKind::Scalar,
            elements: 0,
            first: (0, 0),
            is_whole: false,
        });
    }

    /// Reads the rest of the value of the last member.
    fn value(&mut self, start: usize, byte: u8) -> Result<(), DocumentStop> {
        let begin = (start, self.at);
        if let Some(member) = self.members.last_mut() {
            member.first = begin;
            member.kind = match byte {
                b'[' => MemberKind::Empty,
                b'{' => MemberKind::Object,
                _ => MemberKind::Scalar,
            };
        }
        match byte {
            b'[' => self.list()?,
            b'{' => self.skip(byte)?,
            _ => {}
        }
        let end = self.at;
        if let Some(member) = self.members.last_mut() {
            member.is_whole = true;
            if member.kind == MemberKind::Object {
                member.first.1 = end;
            }
        }
        Ok(())
    }

    /// Reads the elements of the last member.
    fn list(&mut self) -> Result<(), DocumentStop> {
        let is_root = self.is_list();
        let last = self.members.len().checked_sub(1);
        // An element counts once its separator is read.
        let (mut before, mut element) = (b'[', None);
        loop {
            let (start, byte) = self.token(matches!(before, b',' | b'['))?;
            if let Some(place) = element.take() {
                if !matches!(byte, b',' | b'}' | b']') {
                    return Err(DocumentStop::Known(self.broken()));
                }
                if let Some(rows) = self.take_element(place) {
                    return Err(DocumentStop::Known(Some(rows)));
                }
            }
            match byte {
                b'}' | b']' => return Ok(()),
                b',' | b':' => before = byte,
                _ => {
                    if let Some(member) = self.members.last_mut() {
                        if member.kind == MemberKind::Empty && before == b'[' {
                            let is_record = byte == b'{' || (byte == b'[' && is_root);
                            member.kind = if is_record {
                                MemberKind::Records
                            } else {
                                MemberKind::Values
                            };
                            if member.is_named() {
                                self.first_named = self.first_named.or(last);
                            }
                        }
                        if member.elements == 0 {
                            member.first = (start, self.at);
                        }
                    }
                    if matches!(byte, b'{' | b'[') {
                        self.skip(byte)?;
                    }
                    (before, element) = (b' ', Some((start, self.at)));
                }
            }
        }
    }

    /// Reads to the closing bracket.
    fn skip(&mut self, bracket: u8) -> Result<(), DocumentStop> {
        let (mut open, mut before) = (vec![bracket], bracket);
        while let Some(innermost) = open.last() {
            let is_expected = match innermost {
                b'{' => before == b':',
                _ => matches!(before, b',' | b'['),
            };
            let (_, byte) = self.token(is_expected)?;
            match byte {
                b'{' | b'[' => open.push(byte),
                b'}' | b']' => drop(open.pop()),
                _ => {}
            }
            before = byte;
        }
        Ok(())
    }

    /// Counts an element of the last member. An element after a line break settles the result if
    /// the list has a usual name for rows.
    fn take_element(&mut self, place: (usize, usize)) -> Option<JsonRows> {
        let last = self.members.len().checked_sub(1);
        let member = self.members.last_mut()?;
        if member.elements == 0 {
            member.first = place;
        }
        member.elements += 1;
        let goes_on = self.line_break.is_some_and(|at| at < place.1);
        let is_known = goes_on && self.first_named == last;
        is_known.then(|| self.named()).flatten()
    }

    /// Returns the rows of the first list with a usual name for rows.
    fn named(&self) -> Option<JsonRows> {
        let list = &self.members[self.first_named?];
        Some(if is_split(&list.key) {
            JsonRows::Splits(String::new())
        } else {
            self.list_at(list)
        })
    }

    fn list_at(&self, list: &Member) -> JsonRows {
        JsonRows::At(if self.is_list() {
            String::new()
        } else {
            list.pointer()
        })
    }

    /// Returns the rows in the only object of a document of scalars: `{"data": {"train": [..]}}`.
    fn within(&self) -> Option<JsonRows> {
        let mut members = self
            .members
            .iter()
            .filter(|it| it.kind != MemberKind::Scalar);
        let only = members.next().filter(|it| it.kind == MemberKind::Object)?;
        let end = if only.is_whole {
            only.first.1
        } else {
            self.text.len()
        };
        let place = (only.first.0, end);
        if members.next().is_some() || self.is_row(place) {
            return None;
        }
        let mut inner = Document::new(self.part(place), self.search);
        let rows = match inner.read() {
            Err(DocumentStop::Known(rows)) => rows,
            _ => inner.named(),
        };
        match rows? {
            JsonRows::At(pointer) => Some(JsonRows::At(only.pointer() + &pointer)),
            JsonRows::Splits(pointer) => Some(JsonRows::Splits(only.pointer() + &pointer)),
            _ => None,
        }
    }

    /// Locates the rows without testing if the whole document is a row.
    fn rows(&self) -> Option<JsonRows> {
        let spans_lines = self.line_break.is_some();
        if let Some(named) = self.named() {
            return Some(named);
        }
        if self.is_columns() {
            return Some(JsonRows::Columns);
        }
        if let Some(within) = self.within() {
            return Some(within);
        }
        let is_all = |kind: MemberKind| {
            !self.members.is_empty() && self.members.iter().all(|m| m.kind == kind)
        };
        if is_all(MemberKind::Object) && self.is_keyed() {
            return Some(JsonRows::At(String::new()));
        }
        let mut lists = (self.members.iter()).filter(|member| member.kind == MemberKind::Records);
        match (lists.next(), lists.next()) {
            (Some(only), None) if spans_lines && only.elements > 0 => Some(self.list_at(only)),
            (Some(first), Some(_)) if is_all(MemberKind::Records) && self.is_row(first.first) => {
                Some(JsonRows::Lists)
            }
            _ => None,
        }
    }

    fn part(&self, place: (usize, usize)) -> &[u8] {
        &self.text[place.0..place.1]
    }

    /// True if this part can be parsed as a row.
    fn is_row(&self, place: (usize, usize)) -> bool {
        (self.search.is_row)(self.part(place))
    }

    /// Returns the first key of a member that is an object, or of its first element.
    fn first_key(&self, member: &Member) -> Option<&[u8]> {
        let object = self.text[member.first.0..].strip_prefix(b"{")?;
        let (_, key) = token(object, 0).filter(|(byte, _)| *byte == b'"')?;
        object.get(key.start + 1..key.end - 1)
    }

    /// True if the document has one list per column, all of the same length, or one object by row
    /// number per column, like pandas writes.
    fn is_columns(&self) -> bool {
        let is_message = |member: &Member| {
            member.kind == MemberKind::Records
                && matches!(self.first_key(member), Some(b"role" | b"from" | b"content"))
        };
        let is_numbered = |member: &Member| {
            let is_number = |key: &[u8]| !key.is_empty() && key.iter().all(u8::is_ascii_digit);
            member.kind == MemberKind::Object && self.first_key(member).is_some_and(is_number)
        };
        if self.members.len() > 1 && self.members.iter().all(is_numbered) {
            return true;
        }
        let lists = || self.members.iter().filter(|member| member.is_whole);
        let Some(first) = lists().next().or(self.members.first()) else {
            return false;
        };
        let is_list = |member: &Member| {
            matches!(member.kind, MemberKind::Values | MemberKind::Records) && !is_message(member)
        };
        let is_only = self.members.len() == 1 && first.is_whole;
        !self.is_list()
            && !is_only
            && self.members.iter().all(is_list)
            && lists().all(|list| list.elements == first.elements)
            && self
                .members
                .iter()
                .any(|list| list.kind == MemberKind::Values)
    }

    /// True if the values of the document are records.
    fn is_keyed(&self) -> bool {
        let whole = || self.members.iter().filter(|member| member.is_whole).take(2);
        let mut keys = whole().map(|member| self.first_key(member));
        let is_alike = keys.next().is_some_and(|first| {
            first.is_some() && keys.next().is_some_and(|second| first == second)
        });
        is_alike || whole().any(|member| self.is_row(member.first))
    }

    /// True if these rows need no test if the whole document is a row.
    fn is_certain(&self, rows: &JsonRows) -> bool {
        let is_split_list = |member: &Member| member.is_named() && is_split(&member.key);
        match rows {
            JsonRows::Splits(_) => self.members.iter().all(is_split_list),
            JsonRows::Columns => self.members.iter().all(|member| {
                member.kind == MemberKind::Object
                    || (member.kind == MemberKind::Values && member.elements > 1)
            }),
            _ => false,
        }
    }

    /// Locates the rows of a text whose first value ends before the byte `end`.
    fn closed(&self, end: usize, ended: bool) -> Option<Option<JsonRows>> {
        let rest = trim_start(&self.text[end..]);
        let gap = &self.text[end..self.text.len() - rest.len()];
        if !rest.is_empty() && !gap.contains(&b'\n') && rest.first() != Some(&b',') {
            return Some(self.broken());
        }
        let spans_lines = self.line_break.is_some_and(|at| at < end);
        // Consecutive records that span lines.
        let values = spans_lines.then_some(JsonRows::Values);
        if let Some(first) = rest.first() {
            return Some(values.filter(|_| b"{[,".contains(first)));
        }
        let rows = match self.rows() {
            Some(rows) if self.is_certain(&rows) || !self.is_row((0, end)) => Some(rows),
            _ if !spans_lines => return Some(None),
            _ if self.is_list() => None,
            _ => values,
        };
        ended.then_some(rows)
    }

    /// Locates the rows of a text that breaks within its first line: only in a list longer than a
    /// row that is a list.
    fn broken(&self) -> Option<JsonRows> {
        let list = self.members.iter().find(|member| member.is_named());
        list.filter(|list| list.elements > 2).and(self.named())
    }

    /// Locates the rows of a text that ends within its value.
    fn cut_short(&self) -> Option<JsonRows> {
        // A row that is a list may be truncated too, but has few elements.
        let is_many = |list: &Member| list.elements > 1 || self.is_row(list.first);
        self.rows().filter(|_| self.members.iter().any(is_many))
    }

    /// Reads the next token; returns its position and first byte.
    ///
    /// # Errors
    /// If the token may continue after the text. If a record begins here: the first line ends
    /// within a string, or a line begins with an unexpected bracket.
    fn token(&mut self, is_expected: bool) -> Result<(usize, u8), DocumentStop> {
        while let Some(&byte) = self.text.get(self.at).filter(|byte| is_blank(**byte)) {
            if byte == b'\n' {
                self.line_break.get_or_insert(self.at);
            }
            self.at += 1;
        }
        let start = self.at;
        let byte = *self.text.get(start).ok_or(DocumentStop::Open)?;
        let begins_line = start > 0 && self.text[start - 1] == b'\n';
        let is_bracket = matches!(byte, b'[' | b'{');
        let end = token_end(self.text, start);
        let token = &self.text[start..end.unwrap_or(self.text.len())];
        let is_cut = self.line_break.is_none() && token.contains(&b'\n');
        if is_cut || (is_bracket && begins_line && !is_expected) {
            return Err(DocumentStop::Known(None));
        }
        // A word at the end may go on.
        let is_whole = |end: &usize| *end < self.text.len() || !is_of_word(byte);
        self.at = end.filter(is_whole).ok_or(DocumentStop::Open)?;
        if byte == b'"' {
            self.string = (start + 1, self.at - 1);
        }
        Ok((start, byte))
    }
}
