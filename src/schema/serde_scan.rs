//! The sure way over a line: serde_json scans it once along the wanted paths, captures what they
//! lead to unread, skips the rest, and says what is wrong with a line that is no JSON. See
//! [`super::fast_scan`] for the quick one.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::decode;
use super::path::Tree;
use super::strings;
use super::unescape::inside;
use super::values::{odd, says_nothing, shown_path};
use crate::model::ReadWarning;

/// What is captured of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Captured<'r> {
    /// The wanted values by slot.
    pub(super) values: Vec<Option<CapturedValue<'r>>>,
    /// The number of elements where the record itself is a list.
    pub(super) items: Option<usize>,
    /// The first of what is not as paths expect it.
    pub(super) anomalies: Vec<ScanAnomaly>,
}

/// What is not as paths expect it, though the line is JSON; `node` is where it stands in the tree of
/// wanted paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScanAnomaly {
    /// Paths lead on from a value, and find nothing in it: a text in the place of a list, say.
    Misplaced {
        node: usize,
        /// As JSON spells it, the beginning of a long one; of an object or a list the signs around it.
        spelling: String,
    },
    /// A wanted value is there more than once, since a key is: of those the last counts.
    Repeated { node: usize },
}

impl ScanAnomaly {
    /// What is told of it.
    pub(super) fn warning(&self, tree: &Tree) -> ReadWarning {
        match self {
            Self::Misplaced { node, spelling } => {
                let why = match tree.node(*node).takes_list_alone() {
                    true => "not a list",
                    false => "not an object",
                };
                ReadWarning::OddValue {
                    response: None,
                    what: odd(&tree.path_to(*node).to_string(), spelling, why),
                }
            }
            Self::Repeated { node } => ReadWarning::RepeatedKey {
                response: None,
                path: shown_path(&tree.path_to(*node).to_string()),
            },
        }
    }
}

impl Captured<'_> {
    /// How many anomalies are told of a line.
    const MOST_ANOMALIES: usize = 4;

    /// Of a line of which nothing was captured yet.
    pub(super) fn of(tree: &Tree) -> Self {
        Self {
            values: vec![None; tree.slots()],
            items: None,
            anomalies: Vec::new(),
        }
    }

    /// Remembers an anomaly, if it is one of the first.
    fn tell(&mut self, anomaly: Option<ScanAnomaly>) {
        let Some(anomaly) = anomaly else { return };
        // A key that is repeated again and again leaves room for what else there is.
        if self.anomalies.len() < Self::MOST_ANOMALIES && !self.anomalies.contains(&anomaly) {
            self.anomalies.push(anomaly);
        }
    }
}

/// A captured value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CapturedValue<'r> {
    /// Its spelling in the line, or in an earlier line with the same string there.
    pub(super) spelling: &'r str,
    /// Characters of the text that it means, if it is a string; otherwise 0. No more than are
    /// counted in 32 bits.
    pub(super) characters: u32,
    /// Line feeds among them.
    pub(super) line_feeds: u32,
    /// Whether it is a list of numbers and nothing else, as token ids are.
    pub(super) is_number_list: bool,
    /// Whether half a surrogate pair stands in a string of it.
    pub(super) has_lone_surrogate: bool,
    /// Whether a string of it has a character that is spelled as `\uXXXX`.
    pub(super) has_unicode_escape: bool,
}

impl<'r> CapturedValue<'r> {
    /// Characters and lines, empty ones included, of the text that it means; `None` for what is no string.
    pub(super) fn text_size(&self) -> Option<[u32; 2]> {
        let inside = inside(self.spelling)?;
        let is_open = !inside.is_empty() && !strings::ends_in_line_feed(inside);
        let lines = self.line_feeds.saturating_add(u32::from(is_open));
        Some([self.characters, lines])
    }

    /// A value without counts, such as a number.
    pub(super) fn plain(spelling: &'r str) -> Self {
        Self {
            spelling,
            ..Self::default()
        }
    }

    fn of(spelling: &'r str) -> Self {
        let scan = strings::scan(spelling.as_bytes());
        let [characters, line_feeds] =
            scan.map_or([0, 0], |scan| [scan.characters, scan.line_feeds]);
        Self {
            spelling,
            characters: u32::try_from(characters).unwrap_or(u32::MAX),
            line_feeds: u32::try_from(line_feeds).unwrap_or(u32::MAX),
            is_number_list: decode::is_list_of_numbers(spelling),
            has_lone_surrogate: strings::has_lone_surrogate(spelling.as_bytes()),
            has_unicode_escape: strings::has_unicode_escape(spelling.as_bytes()),
        }
    }
}

/// What serde_json captures of any line.
pub(super) fn serde_scan<'r>(
    tree: &Tree,
    line: &'r [u8],
) -> Result<Captured<'r>, serde_json::Error> {
    let mut captured = Captured::of(tree);
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    match line.trim_ascii_start().first() {
        Some(b'{' | b'[') => deserializer.deserialize_any(SerdeScan {
            tree,
            node: 0,
            captured: &mut captured,
        })?,
        _ => IgnoredAny::deserialize(&mut deserializer).map(drop)?,
    }
    deserializer.end().map(|()| captured)
}

/// Scans an object or a list along the tree of wanted paths.
struct SerdeScan<'t, 'c, 'r> {
    tree: &'t Tree,
    node: usize,
    captured: &'c mut Captured<'r>,
}

impl<'r> SerdeScan<'_, '_, 'r> {
    /// Captures the value at a node, or scans it if paths lead on from there.
    fn take(&mut self, node: usize, value: &'r RawValue) -> Result<(), serde_json::Error> {
        let spelling = value.get();
        if let Some(slot) = self.tree.node(node).slot {
            let value = &mut self.captured.values[usize::from(slot)];
            let is_repeated = value.replace(CapturedValue::of(spelling)).is_some();
            self.captured
                .tell(is_repeated.then_some(ScanAnomaly::Repeated { node }));
            return Ok(());
        }
        let mut scan = SerdeScan {
            tree: self.tree,
            node,
            captured: self.captured,
        };
        if spelling.starts_with(['{', '[']) {
            return serde_json::Deserializer::from_str(spelling).deserialize_any(scan);
        }
        // A plain value: what paths lead to is then missing. Where that is the prompt or a response,
        // `check` refuses the row. Tables spell what is empty as a text.
        let text = inside(spelling).map(str::trim);
        let is_empty = spelling == "null" || matches!(text, Some("[]" | "{}"));
        if !is_empty && !says_nothing(spelling) {
            scan.misplace(spelling);
        }
        Ok(())
    }

    /// Remembers a value that is not of the kind that paths lead through. What a line is as a whole is
    /// told otherwise.
    fn misplace(&mut self, spelling: &str) {
        /// Characters that are kept.
        const SHOWN: usize = 80;
        let spelling = spelling.chars().take(SHOWN).collect();
        let node = self.node;
        self.captured
            .tell((node != 0).then_some(ScanAnomaly::Misplaced { node, spelling }));
    }
}

impl<'r> Visitor<'r> for SerdeScan<'_, '_, 'r> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<M: MapAccess<'r>>(mut self, mut map: M) -> Result<(), M::Error> {
        let node = self.tree.node(self.node);
        let (mut is_empty, mut leads_on) = (true, false);
        while let Some(key) = map.next_key::<String>()? {
            let child = node.by_key(&key);
            (is_empty, leads_on) = (false, leads_on || child.is_some());
            match child {
                Some(child) => self.take(child, map.next_value()?).map_err(Error::custom)?,
                None => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        if !is_empty && !leads_on && node.takes_list_alone() {
            self.misplace("{…}");
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'r>>(mut self, mut list: S) -> Result<(), S::Error> {
        let node = self.tree.node(self.node);
        let mut length = 0;
        loop {
            let is_there = match node.by_index(length) {
                Some(child) => match list.next_element()? {
                    Some(value) => self
                        .take(child, value)
                        .map(|()| true)
                        .map_err(Error::custom)?,
                    None => false,
                },
                None => list.next_element::<IgnoredAny>()?.is_some(),
            };
            if !is_there {
                break;
            }
            length += 1;
        }
        if self.node == 0 {
            self.captured.items = Some(length);
        }
        if length > 0 && !node.takes_list() {
            self.misplace("[…]");
        }
        Ok(())
    }
}
