//! A plain scan of a line, to compare the fast one with: serde_json checks the line; then a walk
//! along the needed paths captures their values.

use serde::de::IgnoredAny;

use crate::json::{decoded, items, strings};
use crate::model::ReadWarning;
use crate::schema::row::path::{Node, Tree};
use crate::schema::row::record_scan::CapturedValue;
use crate::schema::row::values::{holds_nothing, invalid_value, shown_path};
use crate::table::Path;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Captured<'r> {
    /// The needed values by slot.
    pub(super) values: Vec<Option<CapturedValue<'r>>>,
    /// The number of elements, if the record itself is a list.
    pub(super) items: Option<usize>,
    /// The first mismatches between paths and values, although the line is JSON.
    pub(super) anomalies: Vec<ReadWarning>,
}

impl Captured<'_> {
    /// Maximum number of anomalies to report for a line.
    const MAX_ANOMALIES: usize = 4;

    /// Records an anomaly, up to the maximum.
    fn report(&mut self, anomaly: ReadWarning) {
        // Duplicates are dropped, so that a repeated key leaves room for others.
        if self.anomalies.len() < Self::MAX_ANOMALIES && !self.anomalies.contains(&anomaly) {
            self.anomalies.push(anomaly);
        }
    }
}

impl<'r> CapturedValue<'r> {
    fn of(spelling: &'r str) -> Self {
        let scan = strings::scan(spelling.as_bytes());
        let [characters, line_feeds] =
            scan.map_or([0, 0], |scan| [scan.characters, scan.line_feeds]);
        Self {
            spelling,
            characters: u32::try_from(characters).unwrap_or(u32::MAX),
            line_feeds: u32::try_from(line_feeds).unwrap_or(u32::MAX),
            has_lone_surrogate: strings::has_lone_surrogate(spelling.as_bytes()),
            has_unicode_escape: spelling.starts_with('"')
                && spelling.replace(r"\\", "").contains(r"\u"),
        }
    }
}

/// Captures any line that serde_json accepts as JSON.
pub(super) fn plain_scan<'r>(tree: &Tree, line: &'r [u8]) -> Option<Captured<'r>> {
    serde_json::from_slice::<IgnoredAny>(line).ok()?;
    let record = line.trim_ascii();
    let mut captured = Captured {
        values: vec![None; tree.len()],
        ..Captured::default()
    };
    captured.take(tree, 0, record)?;
    Some(captured)
}

impl<'r> Captured<'r> {
    /// Captures the value at a node, or walks into it if paths continue.
    fn take(&mut self, tree: &Tree, node: usize, value: &'r [u8]) -> Option<()> {
        if let Some(slot) = tree.node(node).slot {
            let spelling = std::str::from_utf8(value).ok()?;
            let is_container = spelling.starts_with(['{', '[']);
            let goes_on = is_container && tree.node(node).leads_on();
            // Of equal keys, the last one counts.
            if self.values[slot]
                .replace(CapturedValue::of(spelling))
                .is_some()
            {
                self.report(ReadWarning::RepeatedKey {
                    response: None,
                    path: shown_path(&tree.node(node).path.to_string()),
                });
            }
            return if goes_on {
                self.walk(tree, node, value)
            } else {
                Some(())
            };
        }
        if value.starts_with(b"{") || value.starts_with(b"[") {
            return self.walk(tree, node, value);
        }
        // A scalar where paths continue: their values are missing. `check` rejects the row if it
        // lacks the prompt or a response. Tables write empty cells as a text.
        let spelling = String::from_utf8_lossy(value);
        if !holds_nothing(&spelling) {
            self.report_misplaced(tree.node(node), &spelling);
        }
        Some(())
    }

    /// Walks an object or a list along the tree of needed paths.
    fn walk(&mut self, tree: &Tree, node: usize, value: &'r [u8]) -> Option<()> {
        let (at, mut length, mut leads_on) = (tree.node(node), 0, false);
        let is_object = value.starts_with(b"{");
        for (key, value) in items(value).flatten() {
            let child = match is_object {
                true => decoded(key).and_then(|key| at.by_key(&key)),
                false => at.by_index(length),
            };
            length += 1;
            leads_on |= child.is_some();
            if let Some(child) = child {
                self.take(tree, child, value)?;
            }
        }
        if is_object && length > 0 && !leads_on && at.takes_list_alone() {
            self.report_misplaced(at, "{…}");
        }
        if !is_object && node == 0 {
            self.items = Some(length);
        }
        if !is_object && length > 0 && !at.takes_list() {
            self.report_misplaced(at, "[…]");
        }
        Some(())
    }

    /// Reports a value in which needed paths find nothing, such as a text instead of a list. The
    /// record itself is left to `check`.
    fn report_misplaced(&mut self, node: &Node, spelling: &str) {
        if node.path == Path::default() {
            return;
        }
        let why = match node.takes_list_alone() {
            true => "not a list",
            false => "not an object",
        };
        let what = invalid_value(&node.path.to_string(), spelling, why);
        self.report(ReadWarning::invalid(what));
    }
}
