//! The sure way over a line: serde_json says what is wrong with one that is no JSON; a walk along the wanted paths
//! captures what they lead to unread and skips the rest. See [`super::fast_scan`] for the quick one.

use serde::de::{Error, IgnoredAny};
use serde_json::Value;

use super::decode;
use super::json_walk::{decoded, elements, members};
use super::path::{Node, Path, Tree};
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
    /// The first values that are not as paths expect them, though the line is JSON.
    pub(super) anomalies: Vec<ReadWarning>,
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
    fn tell(&mut self, anomaly: ReadWarning) {
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

/// What is captured of any line, which serde_json finds to be JSON.
pub(super) fn serde_scan<'r>(
    tree: &Tree,
    line: &'r [u8],
) -> Result<Captured<'r>, serde_json::Error> {
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(line) {
        // What decodes a line says more of what is wrong with it.
        return Err(serde_json::from_slice::<Value>(line).err().unwrap_or(error));
    }
    let (mut captured, record) = (Captured::of(tree), line.trim_ascii());
    if record.starts_with(b"{") || record.starts_with(b"[") {
        captured.walk(tree, 0, record)?;
    }
    Ok(captured)
}

impl<'r> Captured<'r> {
    /// Captures the value at a node, or walks it if paths lead on from there.
    fn take(&mut self, tree: &Tree, node: usize, value: &'r [u8]) -> Result<(), serde_json::Error> {
        if let Some(slot) = tree.node(node).slot {
            let spelling = std::str::from_utf8(value).map_err(Error::custom)?;
            let value = &mut self.values[usize::from(slot)];
            // Of several values with one key the last counts.
            if value.replace(CapturedValue::of(spelling)).is_some() {
                self.tell(ReadWarning::RepeatedKey {
                    response: None,
                    path: shown_path(&tree.node(node).path.to_string()),
                });
            }
            return Ok(());
        }
        if value.starts_with(b"{") || value.starts_with(b"[") {
            return self.walk(tree, node, value);
        }
        // A plain value: what paths lead to is then missing. Where that is the prompt or a response,
        // `check` refuses the row. Tables spell what is empty as a text.
        let spelling = String::from_utf8_lossy(value);
        let text = inside(&spelling).map(str::trim);
        let is_empty = spelling == "null" || matches!(text, Some("[]" | "{}"));
        if !is_empty && !says_nothing(&spelling) {
            self.misplace(tree.node(node), &spelling);
        }
        Ok(())
    }

    /// Goes over an object or a list along the tree of wanted paths.
    fn walk(&mut self, tree: &Tree, node: usize, value: &'r [u8]) -> Result<(), serde_json::Error> {
        let (at, mut result) = (tree.node(node), Ok(()));
        let (mut length, mut leads_on) = (0, false);
        let mut take = |child: Option<usize>, value| {
            length += 1;
            leads_on |= child.is_some();
            if let (Some(child), Ok(())) = (child, &result) {
                result = self.take(tree, child, value);
            }
        };
        if value.starts_with(b"{") {
            members(value, &mut |key, value| {
                take(decoded(key).and_then(|key| at.by_key(&key)), value);
            });
            if length > 0 && !leads_on && at.takes_list_alone() {
                self.misplace(at, "{…}");
            }
        } else {
            let mut place = 0..;
            elements(value, &mut |item| {
                take(place.next().and_then(|place| at.by_index(place)), item);
                true
            });
            if node == 0 {
                self.items = Some(length);
            }
            if length > 0 && !at.takes_list() {
                self.misplace(at, "[…]");
            }
        }
        result
    }

    /// Reports a value in which paths lead on and find nothing, such as a text in the place of a list.
    /// `check` reports what a line is as a whole.
    fn misplace(&mut self, node: &Node, spelling: &str) {
        if node.path == Path::default() {
            return;
        }
        let why = match node.takes_list_alone() {
            true => "not a list",
            false => "not an object",
        };
        self.tell(ReadWarning::OddValue {
            response: None,
            what: odd(&node.path.to_string(), spelling, why),
        });
    }
}
