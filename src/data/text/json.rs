//! JSON indented for display: tokens stay as in the file, in its order, and containers can be
//! folded to their number of items.
//!
//! Nothing is decoded and nothing is rejected: text that is not JSON is shown token by token, so a
//! truncated record, or one with `NaN`, stays readable.

use std::borrow::Cow;
use std::ops::Range;

use super::markup::styled_text::{Flow, Paragraph, StyledText};
use super::markup::text_style::{TextStyle, push_run};
use super::terminal::sanitise::SanitisedText;
use crate::json::{is_blank, token};

/// Deepest level that is still indented.
const MAX_INDENT: usize = 40;
/// Blanks per level.
const INDENT: usize = 2;

/// An object or list in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonContainer {
    /// Byte of its opening bracket in the sanitised text; identifies it.
    pub at: usize,
    /// Number of enclosing containers.
    pub depth: usize,
    /// Members or elements.
    pub items: usize,
    /// True if it is a list of numbers only.
    pub numbers: bool,
    is_list: bool,
    /// Byte after its closing bracket.
    end: usize,
}

/// Indented JSON, one paragraph per line.
#[derive(Debug, Clone, Default)]
pub struct IndentedJson {
    /// The lines, indented, with a style for each kind of token.
    pub block: StyledText,
    /// For each paragraph the container that opens there, or else the enclosing one, by its
    /// [`JsonContainer::at`]; `None` outside of all.
    pub containers: Vec<Option<usize>>,
    /// Bytes of the sanitised text that did not fit.
    pub cut: usize,
}

/// Replaces white space between tokens by blanks, so that it is not mistaken for hidden characters
/// of a string.
pub fn plain_blanks(raw: &str) -> Cow<'_, str> {
    if !raw.bytes().any(|byte| is_blank(byte) && byte != b' ') {
        return Cow::Borrowed(raw);
    }
    let (mut out, mut at) = (String::with_capacity(raw.len()), 0);
    while let Some((_, range)) = token(raw.as_bytes(), at) {
        out.extend(std::iter::repeat_n(' ', range.start - at));
        out.push_str(&raw[range.clone()]);
        at = range.end;
    }
    Cow::Owned(out)
}

/// Indents JSON, up to about `most` bytes. `is_folded` is called for each container with items;
/// folded ones contain `ellipsis` and their number of items.
pub fn indented_json(
    clean: &SanitisedText,
    most: usize,
    ellipsis: &str,
    is_folded: &dyn Fn(&JsonContainer) -> bool,
) -> IndentedJson {
    let containers = containers(clean.as_str());
    let mut writer = Writer {
        clean,
        source: clean.as_str(),
        containers: &containers,
        ellipsis,
        block: StyledText::default(),
        owners: Vec::new(),
        open: Vec::new(),
        line: 0,
        owner: None,
        mark: 0,
    };
    let end = writer.write(most, is_folded);
    writer.end_line();
    IndentedJson {
        block: writer.block,
        containers: writer.owners,
        cut: clean.as_str()[end..].trim_end().len(),
    }
}

/// Lists the containers by their start; unclosed ones end with the text.
fn containers(source: &str) -> Vec<JsonContainer> {
    let (mut found, mut open): (Vec<JsonContainer>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut at = 0;
    // True if a value begins a new item: at the start of a container and after a comma.
    let mut begins = true;
    while let Some((byte, range)) = token(source.as_bytes(), at) {
        at = range.end;
        let is_value = !matches!(byte, b'}' | b']' | b',' | b':');
        if let Some(parent) = open
            .last()
            .map(|place| &mut found[*place])
            .filter(|_| is_value)
        {
            parent.items += usize::from(begins);
            parent.numbers &= is_number(byte);
        }
        let is_list = byte == b'[';
        begins = matches!(byte, b'{' | b'[' | b',');
        match byte {
            b'{' | b'[' => {
                found.push(JsonContainer {
                    at: range.start,
                    depth: open.len(),
                    items: 0,
                    numbers: is_list,
                    is_list,
                    end: source.len(),
                });
                open.push(found.len() - 1);
            }
            b'}' | b']' => {
                if let Some(place) = open.pop() {
                    found[place].end = range.end;
                }
            }
            _ => {}
        }
    }
    found
}

const fn is_number(first: u8) -> bool {
    matches!(first, b'0'..=b'9' | b'-' | b'+' | b'.')
}

struct Writer<'w> {
    clean: &'w SanitisedText,
    source: &'w str,
    containers: &'w [JsonContainer],
    /// Text in a folded container before its number of items.
    ellipsis: &'w str,
    block: StyledText,
    owners: Vec<Option<usize>>,
    /// The open containers, the innermost last.
    open: Vec<JsonContainer>,
    /// Start of the line, in bytes.
    line: usize,
    /// The container that opened on this line.
    owner: Option<usize>,
    /// The first mark of `sanitise` that is not written yet.
    mark: usize,
}

impl Writer<'_> {
    /// Writes tokens up to `most` bytes. Returns the byte of the source reached.
    fn write(&mut self, most: usize, is_folded: &dyn Fn(&JsonContainer) -> bool) -> usize {
        let (mut at, mut next) = (0, 0);
        while let Some((byte, range)) = token(self.source.as_bytes(), at) {
            if self.block.text.len() + range.len() > most {
                return range.start;
            }
            at = range.end;
            match byte {
                b'{' | b'[' => {
                    let found = &self.containers[next..];
                    next += found.partition_point(|one| one.at < range.start);
                    let Some(&container) = self.containers.get(next) else {
                        continue;
                    };
                    self.spaced();
                    // Invalid contents of an empty container stay on its line.
                    let has_items = container.items > 0;
                    if has_items {
                        self.owner = Some(container.at);
                    }
                    if has_items && is_folded(&container) {
                        self.folded(&container);
                        at = container.end;
                        continue;
                    }
                    self.token(range, TextStyle::NONE);
                    self.open.push(container);
                    if has_items {
                        self.break_line();
                    }
                }
                b'}' | b']' => {
                    if let Some(closed) = self.open.pop().filter(|closed| closed.items > 0) {
                        // The line that ends here belongs to it.
                        self.owner.get_or_insert(closed.at);
                        self.break_line();
                        self.owner = Some(closed.at);
                    }
                    self.token(range, TextStyle::NONE);
                }
                b',' => {
                    self.token(range, TextStyle::NONE);
                    self.break_line();
                }
                b':' => {
                    self.token(range, TextStyle::NONE);
                    self.push(" ", TextStyle::NONE);
                }
                b'"' => {
                    let follows = token(self.source.as_bytes(), at);
                    let is_key = follows.is_some_and(|(byte, _)| byte == b':');
                    self.spaced();
                    self.token(
                        range,
                        if is_key {
                            TextStyle::JSON_KEY
                        } else {
                            TextStyle::JSON_STRING
                        },
                    );
                }
                _ => {
                    self.spaced();
                    let style = if is_number(byte) {
                        TextStyle::JSON_NUMBER
                    } else {
                        TextStyle::JSON_LITERAL
                    };
                    self.token(range, style);
                }
            }
        }
        self.source.len()
    }

    /// Separates values without a comma between them: `1 2` is not `12`.
    fn spaced(&mut self) {
        let line = &self.block.text[self.line..];
        if line
            .chars()
            .next_back()
            .is_some_and(|last| !matches!(last, ' ' | '{' | '['))
        {
            self.push(" ", TextStyle::NONE);
        }
    }

    /// Writes a folded container.
    fn folded(&mut self, container: &JsonContainer) {
        let (open, close, unit) = if container.is_list {
            ("[", "]", "item")
        } else {
            ("{", "}", "key")
        };
        let items = super::counted(container.items, unit);
        self.push(open, TextStyle::NONE);
        self.push(&format!("{} {items}", self.ellipsis), TextStyle::DIM);
        // A truncated container is not closed.
        if self.source[..container.end].ends_with(close) {
            self.push(close, TextStyle::NONE);
        }
    }

    /// Writes a token with the marks of `sanitise`.
    fn token(&mut self, range: Range<usize>, style: TextStyle) {
        let source = self.source;
        let marks = self.clean.marks();
        self.mark += marks[self.mark..].partition_point(|mark| mark.end <= range.start);
        let mut at = range.start;
        for mark in marks[self.mark..]
            .iter()
            .take_while(|mark| mark.start < range.end)
        {
            let (start, end) = (mark.start.max(range.start), mark.end.min(range.end));
            self.push(&source[at..start], style);
            self.push(&source[start..end], style | TextStyle::HIDDEN);
            at = end;
        }
        self.push(&source[at..range.end], style);
    }

    /// Appends text to the line; a line feed within a string (invalid JSON) ends it.
    fn push(&mut self, text: &str, style: TextStyle) {
        for (place, part) in text.split('\n').enumerate() {
            if place > 0 {
                self.break_line();
            }
            let start = self.block.text.len();
            self.block.text.push_str(part);
            push_run(&mut self.block.runs, start..self.block.text.len(), style);
        }
    }

    /// Starts a new indented line.
    fn break_line(&mut self) {
        self.end_line();
        self.block.text.push('\n');
        self.line = self.block.text.len();
        let blanks = INDENT * self.open.len().min(MAX_INDENT);
        self.block.text.extend(std::iter::repeat_n(' ', blanks));
    }

    fn end_line(&mut self) {
        let inside = self.open.last().map(|container| container.at);
        // A container that opens here is the innermost already.
        self.owners.push(self.owner.take().or(inside));
        self.block.paragraphs.push(Paragraph {
            range: self.line..self.block.text.len(),
            flow: Flow::Prose,
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::text::{Hidden, sanitise};

    fn laid_out(raw: &str, is_folded: &dyn Fn(&JsonContainer) -> bool) -> IndentedJson {
        let clean = sanitise(&plain_blanks(raw), Hidden::Shown);
        indented_json(&clean, usize::MAX, "\u{2026}", is_folded)
    }

    fn whole(raw: &str) -> String {
        laid_out(raw, &|_| false).block.text().to_owned()
    }

    /// Removes white space between tokens.
    fn compact(text: &str) -> String {
        let (mut out, mut is_text, mut is_escaped) = (String::new(), false, false);
        for sign in text.chars() {
            if is_text || !sign.is_whitespace() {
                out.push(sign);
            }
            is_text ^= sign == '"' && !is_escaped;
            is_escaped = is_text && sign == '\\' && !is_escaped;
        }
        out
    }

    #[test]
    fn tokens_stay_as_the_file_spells_them() {
        for (raw, lines) in [
            (
                r#"{"b":1.0,"a":[1e5,-0],"b":12345678901234567890123}"#,
                "{\n  \"b\": 1.0,\n  \"a\": [\n    1e5,\n    -0\n  ],\n  \"b\": 12345678901234567890123\n}",
            ),
            (
                "{\"a\" :\t\"x, \\\"{y}\\\" \\u00e9\",\r\n \"e\": {}, \"l\": [ ]}",
                "{\n  \"a\": \"x, \\\"{y}\\\" \\u00e9\",\n  \"e\": {},\n  \"l\": []\n}",
            ),
            ("[NaN, null]", "[\n  NaN,\n  null\n]"),
            // Truncated or invalid JSON stays readable.
            ("{\"a\": [1, \"x", "{\n  \"a\": [\n    1,\n    \"x"),
            ("1 2 }", "1 2}"),
            ("", ""),
        ] {
            assert_eq!(whole(raw), lines, "{raw}");
        }
    }

    #[test]
    fn kinds_of_tokens_have_styles() {
        let json = laid_out(r#"{"k":"s","n":-1,"t":true}"#, &|_| false);
        let text = json.block.text();
        let styled: Vec<_> = json
            .block
            .runs
            .iter()
            .map(|run| (&text[run.range.clone()], run.style))
            .collect();
        let key = TextStyle::JSON_KEY;
        assert_eq!(
            styled,
            [
                ("\"k\"", key),
                ("\"s\"", TextStyle::JSON_STRING),
                ("\"n\"", key),
                ("-1", TextStyle::JSON_NUMBER),
                ("\"t\"", key),
                ("true", TextStyle::JSON_LITERAL)
            ]
        );
    }

    #[test]
    fn what_is_folded_says_how_much_it_holds() {
        let raw = r#"{"ids":[1,2,3],"m":{"a":1},"t":["x",1]}"#;
        let numbers = laid_out(raw, &|one| one.numbers);
        assert_eq!(
            numbers.block.text(),
            "{\n  \"ids\": [\u{2026} 3 items],\n  \"m\": {\n    \"a\": 1\n  },\n  \"t\": [\n    \"x\",\n    1\n  ]\n}"
        );
        let at = |one: &str| raw.find(one);
        assert_eq!(
            numbers.containers,
            [
                Some(0),
                at("[1"),
                at("{\"a"),
                at("{\"a"),
                at("{\"a"),
                at("[\"x"),
                at("[\"x"),
                at("[\"x"),
                at("[\"x"),
                Some(0)
            ]
        );
        let inner = laid_out(raw, &|one| one.depth > 0);
        assert!(inner.block.text().contains("\"m\": {\u{2026} 1 key},"));
        let all = laid_out(raw, &|_| true);
        assert_eq!(all.block.text(), "{\u{2026} 3 keys}");
    }

    #[test]
    fn nothing_that_drives_a_terminal_is_left_and_nothing_has_more_room_than_there_is() {
        let raw = "{\"a\": \"\u{1b}[31m\u{202e}\u{9b}\"}";
        let json = laid_out(raw, &|_| false);
        assert!(!json.block.text().contains(['\u{1b}', '\u{202e}', '\u{9b}']));
        let hidden = TextStyle::HIDDEN | TextStyle::JSON_STRING;
        assert!(json.block.runs.iter().any(|run| run.style == hidden));
        let clean = sanitise("[1,22,333]", Hidden::Shown);
        let part = indented_json(&clean, 8, "", &|_| false);
        assert_eq!((part.block.text(), part.cut), ("[\n  1,\n  ", 7));
    }

    /// JSON with unusual numbers, escapes and white space.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "1e5",
            "-0",
            "1.50",
            "0.1E+2",
            "98765432109876543210",
            "true",
            "null",
            "\"\"",
            "\"a\\\"b\\\\\"",
            "\" , : [ { \"",
            "\"\\u0041\u{e9}\\n\"",
        ]);
        let blank = prop::sample::select(vec!["", " ", "\t", "\r\n"]);
        leaf.prop_map(str::to_owned)
            .prop_recursive(4, 40, 5, move |inner| {
                let list = (prop::collection::vec(inner.clone(), 0..5), blank.clone());
                let members = prop::collection::vec(("[a-c]{1,3}", inner), 0..5);
                prop_oneof![
                    list.prop_map(|(all, gap)| format!(
                        "[{gap}{}{gap}]",
                        all.join(&format!("{gap},{gap}"))
                    )),
                    (members, blank.clone()).prop_map(|(all, gap)| {
                        let all: Vec<_> = all
                            .iter()
                            .map(|(key, value)| format!("\"{key}\"{gap}:{gap}{value}"))
                            .collect();
                        format!("{{{gap}{}}}", all.join(&format!(",{gap}")))
                    }),
                ]
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_laid_out_says_the_same_in_the_same_words(raw in json()) {
            let text = whole(&raw);
            prop_assert_eq!(compact(&text), compact(&raw));
            let value: Value = serde_json::from_str(&raw).expect("JSON");
            prop_assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
        }

        #[test]
        fn of_any_text_nothing_is_lost(raw in "[\\[\\]{},:\"\\\\ a1\u{301}\u{1f469}\n]{0,40}") {
            let json = laid_out(&raw, &|_| false);
            let seen = |text: &str| text.replace(char::is_whitespace, "");
            let clean = sanitise(&plain_blanks(&raw), Hidden::Shown);
            prop_assert_eq!(seen(json.block.text()), seen(clean.as_str()));
            prop_assert_eq!(json.containers.len(), json.block.paragraphs().len());
        }
    }
}
