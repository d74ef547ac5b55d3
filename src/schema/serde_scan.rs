//! The sure way over a line: serde_json scans it once along the wanted paths, captures what they
//! lead to unread, skips the rest, and says what is wrong with a line that is no JSON. See
//! [`super::fast_scan`] for the quick one.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
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
    /// Characters of the text that it means; `None` for what is no string.
    pub(super) fn text_characters(&self) -> Option<u32> {
        let is_text = matches!(self.spelling.as_bytes(), [b'"', ..]);
        is_text.then_some(self.characters)
    }

    /// Lines of the text that it means, empty ones included; `None` for what is no string.
    pub(super) fn lines(&self) -> Option<u32> {
        let inside = inside(self.spelling)?;
        let is_open = !inside.is_empty() && !strings::ends_in_line_feed(inside.as_bytes());
        Some(self.line_feeds.saturating_add(u32::from(is_open)))
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
    SerdeScan {
        tree,
        node: 0,
        captured: &mut captured,
    }
    .deserialize(&mut deserializer)
    .and_then(|()| deserializer.end())
    .map(|()| captured)
}

/// Scans one value along the tree of wanted paths.
struct SerdeScan<'t, 'c, 'r> {
    tree: &'t Tree,
    node: usize,
    captured: &'c mut Captured<'r>,
}

impl<'r> SerdeScan<'_, '_, 'r> {
    fn onward<E>(&mut self, child: Option<usize>, value: impl ValueOf<'r, E>) -> Result<(), E> {
        let Some(child) = child else {
            return value.skip();
        };
        match self.tree.node(child).slot {
            Some(slot) => {
                if let Some(raw) = value.raw()? {
                    let value = &mut self.captured.values[usize::from(slot)];
                    let is_repeated = value.replace(CapturedValue::of(raw.get())).is_some();
                    let repeated = is_repeated.then_some(ScanAnomaly::Repeated { node: child });
                    self.captured.tell(repeated);
                }
                Ok(())
            }
            None => value.scan(SerdeScan {
                tree: self.tree,
                node: child,
                captured: self.captured,
            }),
        }
    }

    /// Characters of a misplaced text that are kept.
    const SHOWN: usize = 80;

    /// Remembers a value that is not of the kind that paths lead through. What a line is as a whole is
    /// told otherwise.
    fn misplace(&mut self, spelling: String) {
        let node = self.node;
        self.captured
            .tell((node != 0).then_some(ScanAnomaly::Misplaced { node, spelling }));
    }
}

/// The next value of a map or a list: the two differ only in how it is asked for.
trait ValueOf<'r, E> {
    fn skip(self) -> Result<(), E>;
    /// The value unread; `None` where a list has ended.
    fn raw(self) -> Result<Option<&'r RawValue>, E>;
    fn scan(self, scan: SerdeScan<'_, '_, 'r>) -> Result<(), E>;
}

struct MapValue<'m, M>(&'m mut M);

impl<'r, M: MapAccess<'r>> ValueOf<'r, M::Error> for MapValue<'_, M> {
    fn skip(self) -> Result<(), M::Error> {
        self.0.next_value::<IgnoredAny>().map(drop)
    }

    fn raw(self) -> Result<Option<&'r RawValue>, M::Error> {
        self.0.next_value().map(Some)
    }

    fn scan(self, scan: SerdeScan<'_, '_, 'r>) -> Result<(), M::Error> {
        self.0.next_value_seed(scan)
    }
}

/// A list element; reading one past the end is told through `more`.
struct ListElement<'m, S> {
    list: &'m mut S,
    more: &'m mut bool,
}

impl<S> ListElement<'_, S> {
    fn seen<T>(self, element: Option<T>) -> Option<T> {
        *self.more = element.is_some();
        element
    }
}

impl<'r, S: SeqAccess<'r>> ValueOf<'r, S::Error> for ListElement<'_, S> {
    fn skip(self) -> Result<(), S::Error> {
        let element = self.list.next_element::<IgnoredAny>()?;
        self.seen(element);
        Ok(())
    }

    fn raw(self) -> Result<Option<&'r RawValue>, S::Error> {
        let element = self.list.next_element()?;
        Ok(self.seen(element))
    }

    fn scan(self, scan: SerdeScan<'_, '_, 'r>) -> Result<(), S::Error> {
        let element = self.list.next_element_seed(scan)?;
        self.seen(element);
        Ok(())
    }
}

impl<'r> DeserializeSeed<'r> for SerdeScan<'_, '_, 'r> {
    type Value = ();

    fn deserialize<D: Deserializer<'r>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'r> Visitor<'r> for SerdeScan<'_, '_, 'r> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<M: MapAccess<'r>>(mut self, mut map: M) -> Result<(), M::Error> {
        let (mut is_empty, mut leads_on) = (true, false);
        while let Some(child) = map.next_key_seed(KeyVisitor {
            tree: self.tree,
            node: self.node,
        })? {
            (is_empty, leads_on) = (false, leads_on || child.is_some());
            self.onward(child, MapValue(&mut map))?;
        }
        if !is_empty && !leads_on && self.tree.node(self.node).takes_list_alone() {
            self.misplace("{…}".to_owned());
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'r>>(mut self, mut list: S) -> Result<(), S::Error> {
        let mut length = 0;
        loop {
            let mut more = true;
            let child = self.tree.node(self.node).by_index(length);
            self.onward(
                child,
                ListElement {
                    list: &mut list,
                    more: &mut more,
                },
            )?;
            if !more {
                break;
            }
            length += 1;
        }
        if self.node == 0 {
            self.captured.items = Some(length);
        }
        if length > 0 && !self.tree.node(self.node).takes_list() {
            self.misplace("[…]".to_owned());
        }
        Ok(())
    }

    // A plain value where the paths expect an object or a list: what they lead to is then missing.
    // Where that is the prompt or a response, `check` refuses the row.
    fn visit_bool<E>(mut self, value: bool) -> Result<(), E> {
        self.misplace(value.to_string());
        Ok(())
    }

    fn visit_i64<E>(mut self, value: i64) -> Result<(), E> {
        self.misplace(value.to_string());
        Ok(())
    }

    fn visit_u64<E>(mut self, value: u64) -> Result<(), E> {
        self.misplace(value.to_string());
        Ok(())
    }

    fn visit_f64<E>(mut self, value: f64) -> Result<(), E> {
        self.misplace(value.to_string());
        Ok(())
    }

    fn visit_str<E>(mut self, value: &str) -> Result<(), E> {
        // Hardly more than is shown of it.
        let start = value.chars().take(Self::SHOWN).collect::<String>();
        let spelling = format!("\"{start}\"");
        // As tables spell what is empty.
        let is_empty = matches!(value.trim(), "[]" | "{}");
        if !is_empty && !says_nothing(&spelling) {
            self.misplace(spelling);
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a key as the node that it leads to.
struct KeyVisitor<'t> {
    tree: &'t Tree,
    node: usize,
}

impl<'r> DeserializeSeed<'r> for KeyVisitor<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'r>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyVisitor<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.tree.node(self.node).by_key(key))
    }
}
