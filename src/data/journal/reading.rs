//! Parses lines of a journal. Invalid lines are reported and skipped.

use std::collections::BTreeSet;
use std::io::BufRead;

use super::line::JournalLine;
use super::record::{Act, ActRecord, Header};
use super::texts;
use crate::text::counted;

/// Maximum number of invalid lines that are reported one by one.
const MAX_REPORTED: usize = 8;
/// The beginning of our header, by version. A file whose only line is a prefix of it, or continues
/// it without a line break, is a truncated journal.
const BEGINNING: [&[u8]; 2] = [
    br#"{"journal":1,"visavis":""#,
    br#"{"journal":2,"visavis":""#,
];

/// The content of complete lines.
#[derive(Debug, Default)]
pub(super) struct JournalContents {
    /// Acts, in order.
    pub(super) entries: Vec<ActRecord>,
    /// The line of each act, from 0.
    pub(super) entry_lines: Vec<u64>,
    /// Number of lines.
    pub(super) lines: u64,
    /// The first header.
    pub(super) header: Option<Header>,
    /// The latest version in their headers.
    pub(super) version: u32,
    /// Lines that cannot be parsed: their numbers from 0, and the reasons.
    bad: Vec<(u64, String)>,
}

/// Parses complete lines.
pub(super) fn read_lines(mut rest: &[u8]) -> JournalContents {
    let mut said = JournalContents::default();
    while !rest.is_empty() {
        let line = skip_line(&mut rest);
        if !line.trim_ascii().is_empty() {
            match JournalLine::read(line) {
                JournalLine::Entry(entry) => {
                    said.entries.push(*entry);
                    said.entry_lines.push(said.lines);
                }
                JournalLine::Header(header) => {
                    said.version = said.version.max(header.journal);
                    said.header.get_or_insert(header);
                }
                JournalLine::Bad(why) => said.bad.push((said.lines, why)),
            }
        }
        said.lines += 1;
    }
    said
}

/// Removes and returns the first line.
fn skip_line<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let from = *rest;
    // Reading from memory cannot fail.
    let length = rest.skip_until(b'\n').unwrap_or(from.len());
    &from[..length]
}

impl JournalContents {
    /// Returns warnings about the lines that cannot be parsed; `before` lines of the file precede
    /// them.
    pub(super) fn bad_lines(&self, file: &str, before: u64) -> Vec<String> {
        let line = |(line, why): &(u64, String)| texts::skipped_line(file, before + line + 1, why);
        let mut warnings: Vec<_> = self.bad.iter().take(MAX_REPORTED).map(line).collect();
        if let Some((last, _)) = self.bad.last().filter(|_| self.bad.len() > MAX_REPORTED) {
            let others = self.bad.len() - MAX_REPORTED;
            warnings.push(texts::more_invalid_lines(file, others, before + last + 1));
        }
        warnings
    }

    /// Returns a warning about the acts of a later version, if there are any.
    pub(super) fn later_acts(&self, file: &str) -> Option<String> {
        let names = self.entries.iter().filter_map(|entry| match &entry.act {
            Act::Later([name, _]) => Some(&**name),
            _ => None,
        });
        let acts = counted(names.clone().count(), "act");
        let names: Vec<_> = names.collect::<BTreeSet<_>>().into_iter().collect();
        (!names.is_empty()).then(|| texts::later_acts(file, acts, names.join(", ")))
    }
}

/// Returns the number (from 1) of the first line with text if these first bytes of a file are not
/// of a journal. In a journal the first or the second such line is a header or an act: journals can
/// lack their header, or have a damaged one.
pub(super) fn foreign_line(mut head: &[u8]) -> Option<u64> {
    let (mut number, mut first) = (0, None);
    while !head.is_empty() {
        let line = skip_line(&mut head);
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let is_ours = match line.ends_with(b"\n") {
            true => matches!(
                JournalLine::read(line),
                JournalLine::Header(_) | JournalLine::Entry(_)
            ),
            // Any other text without a line break may be the user's only copy; do not treat it as
            // ours.
            false => {
                let is_cut = |begins: &&[u8]| line.starts_with(begins) || begins.starts_with(line);
                first.is_none() && BEGINNING.iter().any(is_cut)
            }
        };
        if is_ours || first.is_some() {
            return first.filter(|_| !is_ours);
        }
        first = Some(number);
    }
    first
}
