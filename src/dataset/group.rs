//! Rows in order → samples: the one place that knows which rows make one.
//!
//! Where rows are joined by their prompt, consecutive well-formed rows with the same one are a
//! sample, at most as many as the schema says: a longer run is cut from its start, into pairs or
//! into groups of 65,535 rows. A malformed row is a sample of its own that
//! ends no run and shifts no pair: the rows before and behind it are joined as if it were not there.
//!
//! Where rows have a key of their group, those with the same one are a sample wherever in the file
//! they stand. Samples come in the order of their first rows, once the whole file was seen.

use std::collections::HashMap;

use super::chunk::SampleList;
use super::scan::Scan;
use crate::schema::{Schema, same_text};

/// Carries what was joined so far from one stretch of a file to the next.
#[derive(Debug)]
pub(super) enum Grouper {
    /// By the prompt.
    Runs(RunGrouper),
    /// By a key.
    Keyed(KeyGrouper),
}

/// The rows that wait for others of their sample when a chunk ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum OpenRows<'g> {
    /// These rows of the dataset.
    Some(&'g [u32]),
    /// All rows of the file that are in no sample yet.
    All,
}

impl Grouper {
    /// For a file of a schema, at its beginning.
    pub(super) fn new(schema: &Schema) -> Self {
        if schema.groups_by_key() {
            return Self::Keyed(KeyGrouper {
                most: schema.most_rows(),
                ..KeyGrouper::default()
            });
        }
        Self::Runs(RunGrouper {
            most: schema.most_rows(),
            ..RunGrouper::default()
        })
    }

    /// Adds the samples that the next stretch of the file completes; its rows are counted on from
    /// `first_row`.
    pub(super) fn take(&mut self, scan: &Scan, first_row: u32, out: &mut SampleList) {
        match self {
            Self::Runs(runs) => runs.take(scan, first_row, out),
            Self::Keyed(groups) => groups.take(scan, first_row),
        }
    }

    /// The rows that still wait for others.
    pub(super) fn open(&self) -> OpenRows<'_> {
        match self {
            Self::Runs(runs) => OpenRows::Some(&runs.open),
            Self::Keyed(_) => OpenRows::All,
        }
    }

    /// Begins another file, whose rows are of the same samples: each has as much room for them.
    pub(super) fn go_on(&mut self) {
        if let Self::Keyed(keyed) = self {
            let most = keyed.most;
            keyed.room.iter_mut().for_each(|room| *room = most);
            keyed.by_key.values_mut().for_each(|of| of.full = 0);
        }
    }

    /// Leaves room in each sample for rows of so many files.
    pub(super) fn share(&mut self, files: usize) {
        if let Self::Keyed(keyed) = self {
            keyed.most = (keyed.most / files.max(1)).max(1);
        }
    }

    /// Ends the file: what still waits is a sample as it is.
    pub(super) fn finish(&mut self, out: &mut SampleList) {
        match self {
            Self::Runs(runs) => runs.finish(out),
            Self::Keyed(groups) => groups.finish(out),
        }
    }
}

/// Joins consecutive rows.
#[derive(Debug, Default)]
pub(super) struct RunGrouper {
    /// How many rows a sample has at most.
    most: usize,
    /// The well-formed rows of a sample that can still get more.
    open: Vec<u32>,
    /// Malformed rows behind the open ones: samples that come after theirs, wherever it ends.
    waiting: Vec<u32>,
    /// Spelling of the last well-formed row's prompt.
    last_prompt: Option<String>,
}

impl RunGrouper {
    fn take(&mut self, scan: &Scan, first_row: u32, out: &mut SampleList) {
        let joins = match (&self.last_prompt, &scan.first_prompt) {
            (Some(last), Some(first)) => same_text(last, first),
            _ => false,
        };
        let (mut malformed, mut first) = (scan.malformed.iter().copied().peekable(), true);
        for row in 0..scan.starts.len() {
            let number = first_row + row as u32;
            if malformed.next_if_eq(&(row as u32)).is_some() {
                self.take_malformed(number, out);
                continue;
            }
            if self.most == 1 {
                out.push(&[number]);
                continue;
            }
            let same = scan.same.get(row) == Some(&true) || (first && joins);
            first = false;
            self.take_row(number, same, out);
        }
        if scan.last_prompt.is_some() {
            self.last_prompt.clone_from(&scan.last_prompt);
        }
    }

    fn finish(&mut self, out: &mut SampleList) {
        self.close(out);
        self.last_prompt = None;
    }

    fn take_row(&mut self, row: u32, same: bool, out: &mut SampleList) {
        if !same {
            self.close(out);
        }
        self.open.push(row);
        if self.open.len() == self.most {
            self.close(out);
        }
    }

    fn take_malformed(&mut self, row: u32, out: &mut SampleList) {
        if self.open.is_empty() {
            out.push(&[row]);
        } else {
            self.waiting.push(row);
        }
    }

    /// Completes the open sample, and those that waited for it.
    fn close(&mut self, out: &mut SampleList) {
        if !self.open.is_empty() {
            out.push(&self.open);
            self.open.clear();
        }
        for row in self.waiting.drain(..) {
            out.push(&[row]);
        }
    }
}

/// Joins rows with the same key.
#[derive(Debug, Default)]
pub(super) struct KeyGrouper {
    /// How many rows a sample has at most.
    most: usize,
    /// The dataset's number of the file's first row.
    first_row: Option<u32>,
    /// The group of each row of the file; groups are numbered in the order of their first rows.
    group_of: Vec<u32>,
    /// How many rows each group has.
    sizes: Vec<u32>,
    /// How many more each can have of the file that is read.
    room: Vec<usize>,
    /// The groups of each key.
    by_key: HashMap<u64, KeyGroups>,
}

/// The groups of a key.
#[derive(Debug, Default)]
struct KeyGroups {
    /// Their numbers, in order.
    groups: Vec<u32>,
    /// How many of them have no room for more rows of the file that is read.
    full: usize,
}

impl KeyGrouper {
    fn take(&mut self, scan: &Scan, first_row: u32) {
        self.first_row.get_or_insert(first_row);
        // A malformed row has no key.
        for key in &scan.group_keys {
            let mut known = key.map(|key| self.by_key.entry(key).or_default());
            let open = known.as_ref().and_then(|of| of.groups.get(of.full));
            let group = match open {
                Some(group) => *group,
                None => {
                    let group = self.sizes.len() as u32;
                    self.sizes.push(0);
                    self.room.push(self.most);
                    known.iter_mut().for_each(|of| of.groups.push(group));
                    group
                }
            };
            self.sizes[group as usize] += 1;
            self.room[group as usize] -= 1;
            self.group_of.push(group);
            if let Some(of) = known.filter(|_| self.room[group as usize] == 0) {
                of.full += 1;
            }
        }
    }

    fn finish(&mut self, out: &mut SampleList) {
        let first_row = self.first_row.unwrap_or_default();
        // Where the next row of each group belongs in the list of all.
        let mut ends = Vec::with_capacity(self.sizes.len());
        let mut total = 0;
        for size in &self.sizes {
            ends.push(total);
            total += *size as usize;
        }
        let mut rows = vec![0; total];
        for (row, &group) in (first_row..).zip(&self.group_of) {
            let place = &mut ends[group as usize];
            rows[*place] = row;
            *place += 1;
        }
        let mut start = 0;
        for end in ends {
            out.push(&rows[start..end]);
            start = end;
        }
        *self = Self {
            most: self.most,
            ..Self::default()
        };
    }
}
