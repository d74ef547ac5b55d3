//! Fast scan of well-formed lines, with the same result as serde_json's scan.
//!
//! It accepts nothing that serde_json rejects, and captures the same values, or gives up: anything
//! unusual (an escaped key, deep nesting, a fault) is left to serde_json, which then reports the
//! fault. A property test compares the two. Strings, which are most of a line, are only searched
//! for their end. The bytes between values, which are the same in nearly all lines of a file, are
//! compared with those of the previous line.

use std::ops::Range;

use super::decode;
use super::path::Tree;
use super::serde_scan::CapturedValue;
use super::strings::{self, StringScan};
use super::unescape::inside;

/// Deeper nesting is left to serde_json.
const DEEPEST: u32 = 64;

/// Captures the needed values of the record that begins at `start`, by slot. `None` means that
/// serde_json must scan it. A record ends with its line.
///
/// `layout` and `values` are those of the previous record, or empty. If the record has that layout,
/// no key is looked up; a text that repeats is not scanned again.
pub(super) fn scan_record<'r>(
    tree: &Tree,
    layout: &mut RecordLayout,
    lines: &'r [u8],
    start: usize,
    values: &mut [Option<CapturedValue<'r>>],
) -> Option<ScannedRecord> {
    let mut scan = FastScan {
        bytes: lines,
        at: start,
        tree,
        values,
        items: None,
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
        scan.value(0)?;
        scan.skip_blanks();
        scan.layout
            .end(&scan.bytes[scan.recorded..scan.at], scan.items);
    }
    let is_end = matches!(scan.bytes.get(scan.at), None | Some(b'\n'));
    is_end.then_some(ScannedRecord {
        end: scan.at,
        items: scan.layout.items,
    })
}

pub(super) struct ScannedRecord {
    /// Its end, including white space after it.
    pub(super) end: usize,
    /// Its number of elements, if it is a list.
    pub(super) items: Option<usize>,
}

/// The bytes between the values of a record, and the slots of the values. The next record probably
/// has the same layout, and then needs no lookup of keys.
#[derive(Debug, Default)]
pub(super) struct RecordLayout {
    /// The bytes before each value and after the last one, concatenated.
    literals: Vec<u8>,
    /// For each value, the end of the bytes before it, and its slot.
    values: Vec<(usize, Option<u16>)>,
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

    fn push(&mut self, literal: &[u8], slot: Option<u16>) {
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

struct FastScan<'t, 'v, 'r> {
    bytes: &'r [u8],
    /// Index of the next byte.
    at: usize,
    tree: &'t Tree,
    values: &'v mut [Option<CapturedValue<'r>>],
    items: Option<usize>,
    /// True if a string had a lone surrogate since this was last cleared.
    has_lone_surrogate: bool,
    /// True if a string had a `\uXXXX` escape since this was last cleared.
    has_unicode_escape: bool,
    layout: &'v mut RecordLayout,
    /// End of the bytes that are in the layout.
    recorded: usize,
}

impl<'r> FastScan<'_, '_, 'r> {
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
                    self.values[usize::from(slot)] = Some(CapturedValue::plain(digit));
                    Some(())
                }
                None => match slot {
                    Some(slot) => self.capture(slot),
                    None => self.skip(),
                },
            };
            if scanned.is_none() {
                return false;
            }
            from = end;
        }
        self.skip_literal(from..self.layout.literals.len())
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
            // A scalar where paths continue.
            _ => None,
        }
    }

    fn object(&mut self, node: usize) -> Option<()> {
        self.at += 1;
        self.skip_blanks();
        if self.take(b'}') {
            return Some(());
        }
        let mut leads_on = false;
        loop {
            let scan = self.string()?;
            let key = inside(scan.spelling)?;
            // Escaped keys must be decoded. A key with as many bytes as characters has no escape.
            if key.len() != scan.characters && key.contains('\\') {
                return None;
            }
            let child = self.tree.node(node).by_key(key);
            leads_on |= child.is_some();
            self.skip_blanks();
            self.expect(b':')?;
            self.skip_blanks();
            self.child(child)?;
            self.skip_blanks();
            if self.take(b'}') {
                // If a list is expected here, serde_json reports it.
                let is_misplaced =
                    !leads_on && node != 0 && self.tree.node(node).takes_list_alone();
                return (!is_misplaced).then_some(());
            }
            self.expect(b',')?;
            self.skip_blanks();
        }
    }

    fn list(&mut self, node: usize) -> Option<()> {
        self.at += 1;
        self.skip_blanks();
        let mut length = 0;
        if !self.take(b']') {
            loop {
                let child = self.tree.node(node).by_index(length);
                self.child(child)?;
                length += 1;
                self.skip_blanks();
                if self.take(b']') {
                    break;
                }
                self.expect(b',')?;
                self.skip_blanks();
            }
        }
        if node == 0 {
            self.items = Some(length);
        }
        let is_misplaced = length > 0 && node != 0 && !self.tree.node(node).takes_list();
        (!is_misplaced).then_some(())
    }

    fn child(&mut self, child: Option<usize>) -> Option<()> {
        let slot = match child.map(|child| (child, self.tree.node(child).slot)) {
            Some((child, None)) => return self.value(child),
            Some((_, slot)) => slot,
            None => None,
        };
        self.layout.push(&self.bytes[self.recorded..self.at], slot);
        match slot {
            // A repeated key: serde_json reports it, so layouts never have a key twice.
            Some(slot) if self.values[usize::from(slot)].is_some() => return None,
            Some(slot) => self.capture(slot)?,
            None => self.skip()?,
        }
        self.recorded = self.at;
        Some(())
    }

    /// Checks and captures a whole value.
    fn capture(&mut self, slot: u16) -> Option<()> {
        let start = self.at;
        let rest = &self.bytes[start..];
        (self.has_lone_surrogate, self.has_unicode_escape) = (false, false);
        let mut value = CapturedValue::default();
        match rest {
            [b'"', ..] => {
                // The second row of a pair repeats the first row's prompt.
                let before = self.values[usize::from(slot)].map_or("", |before| before.spelling);
                if !before.is_empty() && rest.starts_with(before.as_bytes()) {
                    self.at += before.len();
                    return Some(());
                }
                let string = self.string()?;
                value.spelling = string.spelling;
                value.characters = u32::try_from(string.characters).ok()?;
                value.line_feeds = u32::try_from(string.line_feeds).ok()?;
            }
            _ => match self.number_list() {
                Some(list) => (value.spelling, value.is_number_list) = (list, true),
                None => {
                    self.skip()?;
                    let spelling = rest.get(..self.at - start)?;
                    value.spelling = strings::text(spelling)?;
                    value.is_number_list = decode::is_list_of_numbers(value.spelling);
                }
            },
        }
        value.has_lone_surrogate = self.has_lone_surrogate;
        value.has_unicode_escape = self.has_unicode_escape;
        self.values[usize::from(slot)] = Some(value);
        Some(())
    }

    /// Checks a whole value and advances past it.
    fn skip(&mut self) -> Option<()> {
        // One bit for each open container: 1 for an object.
        let (mut open, mut depth) = (0_u64, 0_u32);
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'[' if self.number_list().is_some() => {}
                opening @ (b'{' | b'[') => {
                    self.at += 1;
                    self.skip_blanks();
                    let object = opening == b'{';
                    if !self.take(if object { b'}' } else { b']' }) {
                        if depth == DEEPEST {
                            return None;
                        }
                        (open, depth) = (open << 1 | u64::from(object), depth + 1);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            // After a value, its container continues, or ends and is itself a value.
            loop {
                if depth == 0 {
                    return Some(());
                }
                self.skip_blanks();
                let object = open & 1 == 1;
                if self.take(b',') {
                    self.skip_blanks();
                    if object {
                        self.key()?;
                    }
                    break;
                }
                self.expect(if object { b'}' } else { b']' })?;
                (open, depth) = (open >> 1, depth - 1);
            }
        }
    }

    /// Advances past a key, without lookup, and its colon.
    fn key(&mut self) -> Option<()> {
        self.string()?;
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Some(())
    }

    fn string(&mut self) -> Option<StringScan<'r>> {
        let scan = strings::scan(&self.bytes[self.at..])?;
        self.has_lone_surrogate |= scan.has_lone_surrogate;
        self.has_unicode_escape |= scan.has_unicode_escape;
        self.at += scan.spelling.len();
        Some(scan)
    }

    /// Returns the list of whole numbers (such as token ids) that is next, if there is one.
    fn number_list(&mut self) -> Option<&'r str> {
        let list = strings::number_list(&self.bytes[self.at..])?;
        self.at += list.len();
        Some(list)
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
