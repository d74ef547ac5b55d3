//! Scans a line: checks that it is JSON, captures the needed values unparsed, and skips the rest.
//!
//! It accepts what serde_json accepts, up to a depth of [`MAX_NESTING`]; a property test compares it
//! with a plain reader. Strings, which are most of a line, are only searched for their end. The
//! bytes between values, which are the same in nearly all lines of a file, are compared with those
//! of the previous line.

use std::ops::Range;

use super::path::Tree;
use super::values::{holds_nothing, invalid_value, shown_path};
use crate::json::strings::{self, StringScan};
use crate::json::{inside, unescaped};
use crate::model::ReadWarning;
use crate::table::Path;

/// Values nested deeper than this are rejected, because they are scanned recursively.
pub const MAX_NESTING: u32 = 512;

/// Captures the needed values of the record that begins at `start`, by slot. `None` if it is not
/// JSON, is nested too deeply, or a needed value is not UTF-8. A record ends with its line.
///
/// `layout` and `values` are those of the previous record, or empty. If the record has that layout,
/// no key is looked up; a text that repeats is not scanned again. `anomalies` become the first
/// mismatches between paths and values.
pub fn scan_record<'r>(
    tree: &Tree,
    layout: &mut RecordLayout,
    lines: &'r [u8],
    start: usize,
    values: &mut [Option<CapturedValue<'r>>],
    anomalies: &mut Vec<ReadWarning>,
) -> Option<ScannedRecord> {
    anomalies.clear();
    let mut scan = RecordScan {
        bytes: lines,
        at: start,
        tree,
        values,
        anomalies,
        items: None,
        is_regular: true,
        has_lone_surrogate: false,
        has_unicode_escape: false,
        layout,
        recorded: start,
    };
    if scan.by_layout() {
        scan.skip_blanks();
    } else {
        scan.at = start;
        scan.values.fill(None);
        scan.layout.clear();
        scan.skip_blanks();
        match tree.node(0).slot {
            Some(slot) => scan.capture_around(0, slot)?,
            None => scan.value(0)?,
        }
        scan.skip_blanks();
        if scan.is_regular {
            scan.layout
                .end(&scan.bytes[scan.recorded..scan.at], scan.items);
        }
    }
    matches!(scan.bytes.get(scan.at), None | Some(b'\n')).then_some(ScannedRecord {
        end: scan.at,
        items: scan.items,
    })
}

pub struct ScannedRecord {
    /// Its end, including white space after it.
    pub end: usize,
    /// Its number of elements, if it is a list.
    pub items: Option<usize>,
}

/// A captured value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CapturedValue<'r> {
    /// Its spelling in the line, or in an earlier line with the same string.
    pub spelling: &'r str,
    /// Decoded characters of a string, at most `u32::MAX`; 0 for other values.
    pub characters: u32,
    /// Line feeds among these characters.
    pub line_feeds: u32,
    /// True if any of its strings has a lone surrogate.
    pub has_lone_surrogate: bool,
    /// True if it is a string with a `\uXXXX` escape.
    pub has_unicode_escape: bool,
}

impl<'r> CapturedValue<'r> {
    /// Returns the characters and lines (including empty ones) of a decoded string; `None` for
    /// other values.
    pub fn text_size(&self) -> Option<[u32; 2]> {
        let inside = inside(self.spelling)?;
        let is_open = !inside.is_empty() && !strings::ends_in_line_feed(inside);
        let lines = self.line_feeds.saturating_add(u32::from(is_open));
        Some([self.characters, lines])
    }

    /// Creates a value without counts, such as a number.
    pub fn plain(spelling: &'r str) -> Self {
        Self {
            spelling,
            ..Self::default()
        }
    }
}

/// The bytes between the values of a record, and the slots of the values. The next record probably
/// has the same layout, and then needs no lookup of keys.
#[derive(Debug, Default)]
pub struct RecordLayout {
    /// The bytes before each value and after the last one, concatenated.
    literals: Vec<u8>,
    /// For each value, the end of the bytes before it, and its slot.
    values: Vec<(usize, Option<usize>)>,
    items: Option<usize>,
    /// True if the layout is complete.
    is_whole: bool,
}

impl RecordLayout {
    /// Layouts with more values are not kept: they have lists, whose lengths vary.
    const MAX_VALUES: usize = 256;

    fn clear(&mut self) {
        self.literals.clear();
        self.values.clear();
        self.is_whole = false;
    }

    fn push(&mut self, literal: &[u8], slot: Option<usize>) {
        if self.values.len() < Self::MAX_VALUES {
            self.literals.extend_from_slice(literal);
            self.values.push((self.literals.len(), slot));
        }
    }

    fn end(&mut self, literal: &[u8], items: Option<usize>) {
        self.literals.extend_from_slice(literal);
        self.items = items;
        self.is_whole = self.values.len() < Self::MAX_VALUES;
    }
}

struct RecordScan<'t, 'v, 'r> {
    bytes: &'r [u8],
    /// Index of the next byte.
    at: usize,
    tree: &'t Tree,
    values: &'v mut [Option<CapturedValue<'r>>],
    anomalies: &'v mut Vec<ReadWarning>,
    items: Option<usize>,
    /// False if a value does not match the paths, or is captured around others, so that the next
    /// record needs another look.
    is_regular: bool,
    /// True if a string had a lone surrogate since this was last cleared.
    has_lone_surrogate: bool,
    /// True if a string had a `\uXXXX` escape since this was last cleared.
    has_unicode_escape: bool,
    layout: &'v mut RecordLayout,
    /// End of the bytes that are in the layout.
    recorded: usize,
}

impl<'r> RecordScan<'_, '_, 'r> {
    /// Maximum number of anomalies to report for a line.
    const MAX_ANOMALIES: usize = 4;

    /// Scans the record by the previous layout; false if its layout differs.
    fn by_layout(&mut self) -> bool {
        if !self.layout.is_whole {
            return false;
        }
        let mut from = 0;
        for place in 0..self.layout.values.len() {
            let (end, slot) = self.layout.values[place];
            if !self.skip_literal(from..end) {
                return false;
            }
            let scanned = match slot.zip(strings::digit(&self.bytes[self.at..])) {
                // Nearly all labels.
                Some((slot, digit)) => {
                    self.at += digit.len();
                    self.values[slot] = Some(CapturedValue::plain(digit));
                    Some(())
                }
                None => match slot {
                    Some(slot) => self.capture(slot),
                    None => self.skip(0),
                },
            };
            if scanned.is_none() {
                return false;
            }
            from = end;
        }
        let is_whole = self.skip_literal(from..self.layout.literals.len());
        if is_whole {
            self.items = self.layout.items;
        }
        is_whole
    }

    /// Advances past bytes of the layout; false if the next bytes differ.
    #[inline]
    fn skip_literal(&mut self, range: Range<usize>) -> bool {
        let literal = &self.layout.literals[range];
        let is_next = starts_with(&self.bytes[self.at..], literal);
        self.at += literal.len();
        is_next
    }

    /// Scans a value on the way of needed paths.
    fn value(&mut self, node: usize) -> Option<()> {
        match self.peek()? {
            b'{' => self.object(node),
            b'[' => self.list(node),
            _ => {
                // The needed values are missing. `check` rejects the row if it lacks the prompt or
                // a response. Tables write empty cells as a text.
                let start = self.at;
                self.skip(0)?;
                self.is_regular = false;
                let spelling = String::from_utf8_lossy(&self.bytes[start..self.at]);
                if !holds_nothing(&spelling) {
                    self.report_misplaced(node, &spelling);
                }
                Some(())
            }
        }
    }

    fn object(&mut self, node: usize) -> Option<()> {
        let (at, mut is_empty, mut leads_on) = (self.tree.node(node), true, false);
        self.items(b'}', |scan| {
            let StringScan {
                spelling,
                characters,
                ..
            } = scan.key()?;
            let child = spelling.and_then(inside).and_then(|key| {
                // A key with as many bytes as characters has no escape.
                if key.len() != characters && key.contains('\\') {
                    at.by_key(&unescaped(key)?.0)
                } else {
                    at.by_key(key)
                }
            });
            (is_empty, leads_on) = (false, leads_on | child.is_some());
            scan.child(child)
        })?;
        if !is_empty && !leads_on && at.takes_list_alone() {
            self.report_misplaced(node, "{…}");
        }
        Some(())
    }

    fn list(&mut self, node: usize) -> Option<()> {
        let (at, mut length) = (self.tree.node(node), 0);
        self.items(b']', |scan| {
            let child = at.by_index(length);
            length += 1;
            scan.child(child)
        })?;
        if node == 0 {
            self.items = Some(length);
        }
        if length > 0 && !at.takes_list() {
            self.report_misplaced(node, "[…]");
        }
        Some(())
    }

    /// Captures a value, and the needed values inside it.
    fn capture_around(&mut self, node: usize, slot: usize) -> Option<()> {
        // The elements of a record are counted.
        let has_inside = node == 0 || self.tree.node(node).leads_on();
        if !has_inside || !matches!(self.peek()?, b'{' | b'[') {
            return self.capture(slot);
        }
        let start = self.at;
        self.is_regular = false;
        self.value(node)?;
        let spelling = strings::text(&self.bytes[start..self.at])?;
        self.values[slot] = Some(CapturedValue {
            has_lone_surrogate: strings::has_lone_surrogate(spelling.as_bytes()),
            ..CapturedValue::plain(spelling)
        });
        Some(())
    }

    fn child(&mut self, child: Option<usize>) -> Option<()> {
        let node = child.map(|child| self.tree.node(child));
        let slot = node.and_then(|node| node.slot);
        if let (Some(child), None) = (child, slot) {
            return self.value(child);
        }
        self.layout.push(&self.bytes[self.recorded..self.at], slot);
        if let (Some(node), Some(slot)) = (node, slot) {
            // Of equal keys, the last one counts.
            if self.values[slot].is_some() {
                self.report(ReadWarning::RepeatedKey {
                    response: None,
                    path: shown_path(&node.path.to_string()),
                });
            }
            self.capture_around(child?, slot)?;
        } else {
            self.skip(0)?;
        }
        self.recorded = self.at;
        Some(())
    }

    /// Records an anomaly, up to the maximum. Duplicates are dropped, so that a repeated key leaves
    /// room for others.
    fn report(&mut self, anomaly: ReadWarning) {
        self.is_regular = false;
        if self.anomalies.len() < Self::MAX_ANOMALIES && !self.anomalies.contains(&anomaly) {
            self.anomalies.push(anomaly);
        }
    }

    /// Reports a value in which needed paths find nothing, such as a text instead of a list. The
    /// record itself is left to `check`.
    fn report_misplaced(&mut self, node: usize, spelling: &str) {
        let node = self.tree.node(node);
        if node.path == Path::default() {
            return;
        }
        let why = if node.takes_list_alone() {
            "not a list"
        } else {
            "not an object"
        };
        let what = invalid_value(&node.path.to_string(), spelling, why);
        self.report(ReadWarning::invalid(what));
    }

    /// Checks and captures a whole value.
    fn capture(&mut self, slot: usize) -> Option<()> {
        let start = self.at;
        let rest = &self.bytes[start..];
        (self.has_lone_surrogate, self.has_unicode_escape) = (false, false);
        let mut value = CapturedValue::default();
        match rest {
            [b'"', ..] => {
                // The second row of a pair repeats the first row's prompt.
                let before = self.values[slot].map_or("", |before| before.spelling);
                if !before.is_empty() && rest.starts_with(before.as_bytes()) {
                    self.at += before.len();
                    return Some(());
                }
                let string = self.string()?;
                value.spelling = string.spelling?;
                value.characters = u32::try_from(string.characters).unwrap_or(u32::MAX);
                value.line_feeds = u32::try_from(string.line_feeds).unwrap_or(u32::MAX);
                value.has_unicode_escape = self.has_unicode_escape;
            }
            _ => {
                self.skip(0)?;
                value.spelling = strings::text(rest.get(..self.at - start)?)?;
            }
        }
        value.has_lone_surrogate = self.has_lone_surrogate;
        self.values[slot] = Some(value);
        Some(())
    }

    /// Checks a whole value, in this many containers, and advances past it.
    fn skip(&mut self, depth: u32) -> Option<()> {
        match self.peek()? {
            b'"' => drop(self.string()?),
            b'[' if self.number_list().is_some() => {}
            b'{' | b'[' if depth == MAX_NESTING => return None,
            b'{' => self.items(b'}', |scan| {
                scan.key()?;
                scan.skip(depth + 1)
            })?,
            b'[' => self.items(b']', |scan| scan.skip(depth + 1))?,
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => self.number()?,
        }
        Some(())
    }

    /// Scans a container, each of its members or elements by `item`.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        self.skip_blanks();
        if self.take(close) {
            return Some(());
        }
        loop {
            item(self)?;
            self.skip_blanks();
            if self.take(close) {
                return Some(());
            }
            self.expect(b',')?;
            self.skip_blanks();
        }
    }

    /// Advances past a key and its colon.
    fn key(&mut self) -> Option<StringScan<'r>> {
        let key = self.string()?;
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Some(key)
    }

    fn string(&mut self) -> Option<StringScan<'r>> {
        let scan = strings::scan(&self.bytes[self.at..])?;
        self.has_lone_surrogate |= scan.has_lone_surrogate;
        self.has_unicode_escape |= scan.has_unicode_escape;
        self.at += scan.length;
        Some(scan)
    }

    /// Advances past a list of whole numbers, such as token ids.
    fn number_list(&mut self) -> Option<()> {
        self.at += strings::number_list(&self.bytes[self.at..])?;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Some(())
    }

    /// Advances past one or more digits.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }

    /// Advances past white space, but not past a line feed, which ends the line.
    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }
}

/// [`slice::starts_with`] for the few bytes between two values. Comparing the first and last bytes,
/// which may overlap, is faster than calling `memcmp`.
#[inline]
fn starts_with(bytes: &[u8], literal: &[u8]) -> bool {
    fn same<const LENGTH: usize>(a: &[u8], b: &[u8]) -> bool {
        a.first_chunk::<LENGTH>() == b.first_chunk() && a.last_chunk::<LENGTH>() == b.last_chunk()
    }
    let Some(bytes) = bytes.get(..literal.len()) else {
        return false;
    };
    match literal.len() {
        0..8 => bytes
            .iter()
            .zip(literal)
            .all(|(byte, wanted)| byte == wanted),
        8..=16 => same::<8>(bytes, literal),
        17..=32 => same::<16>(bytes, literal),
        _ => bytes == literal,
    }
}
