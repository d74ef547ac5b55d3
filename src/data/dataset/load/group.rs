//! Groups rows into samples: the only place that defines which rows make one. Whether two prompts
//! are equal is decided in `schema`: `same_text` of `row/keys.rs` and the hashes of
//! `row/reader.rs`.
//!
//! If rows are joined by prompt, consecutive well-formed rows with the same prompt are a sample, up
//! to the maximum of the schema. A longer run is split from its start, into pairs or into groups of
//! 65,535 rows. A malformed row is a sample by itself and does not interrupt a run: the rows before
//! and after it are joined as if it did not exist.
//!
//! If rows have a group key, all rows of the file with the same key are a sample, adjacent or not.
//! Samples are then ordered by their first rows and complete at the end of the file.

use std::collections::HashMap;

use super::chunk::SampleList;
use super::scan::Scan;
use crate::schema::{Schema, same_text};

/// Joins rows to samples across the segments of a file.
#[derive(Debug)]
pub enum Grouper {
    /// By prompt.
    Runs(RunGrouper),
    /// By group key.
    Keyed(KeyGrouper),
}

impl Grouper {
    /// Creates a grouper for the beginning of a file.
    pub fn new(schema: &Schema) -> Self {
        let most = schema.most_rows();
        if schema.groups_by_key() {
            Self::Keyed(KeyGrouper {
                most,
                ..KeyGrouper::default()
            })
        } else {
            Self::Runs(RunGrouper {
                most,
                ..RunGrouper::default()
            })
        }
    }

    /// Appends the samples that the next segment completes; its rows are numbered from `first_row`.
    pub fn take(&mut self, scan: &Scan, first_row: u32, out: &mut SampleList) {
        match self {
            Self::Runs(runs) => runs.take(scan, first_row, out),
            Self::Keyed(groups) => groups.take(scan, first_row),
        }
    }

    /// Returns the rows that wait for others of their sample; `None` for all rows of the file that
    /// are in no sample yet.
    pub fn open(&self) -> Option<&[u32]> {
        match self {
            Self::Runs(runs) => Some(&runs.open),
            Self::Keyed(_) => None,
        }
    }

    /// Ends the file: incomplete samples are appended as they are.
    pub fn finish(&mut self, out: &mut SampleList) {
        match self {
            Self::Runs(runs) => {
                runs.close(out);
                runs.last_prompt = None;
            }
            Self::Keyed(groups) => groups.finish(out),
        }
    }
}

/// Joins consecutive rows.
#[derive(Debug, Default)]
pub struct RunGrouper {
    /// Maximum number of rows of a sample.
    most: usize,
    /// The well-formed rows of the current sample, which can grow.
    open: Vec<u32>,
    /// Malformed rows since then: samples that follow the current one.
    waiting: Vec<u32>,
    /// Text of the last well-formed row's prompt, as spelled in the file.
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
                if self.open.is_empty() {
                    out.push(&[number]);
                } else {
                    self.waiting.push(number);
                }
                continue;
            }
            if self.most == 1 {
                out.push(&[number]);
                continue;
            }
            let same = scan.same.get(row) == Some(&true) || (first && joins);
            first = false;
            if !same {
                self.close(out);
            }
            self.open.push(number);
            if self.open.len() == self.most {
                self.close(out);
            }
        }
        if scan.last_prompt.is_some() {
            self.last_prompt.clone_from(&scan.last_prompt);
        }
    }

    /// Completes the current sample and those that wait for it.
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
pub struct KeyGrouper {
    /// Maximum number of rows of a sample.
    most: usize,
    /// Number in the dataset of the file's first row.
    first_row: Option<u32>,
    /// The group of each row of the file, numbered by first row.
    group_of: Vec<u32>,
    /// Number of rows of each group.
    sizes: Vec<u32>,
    /// The last group of each key, the only one that is not full.
    by_key: HashMap<u64, u32>,
}

impl KeyGrouper {
    fn take(&mut self, scan: &Scan, first_row: u32) {
        self.first_row.get_or_insert(first_row);
        for key in &scan.group_keys {
            let next = self.sizes.len() as u32;
            // A malformed row has no key.
            let group = match key.map(|key| self.by_key.entry(key).or_insert(next)) {
                Some(group) => {
                    let size = self.sizes.get(*group as usize);
                    if size.is_some_and(|size| *size as usize == self.most) {
                        *group = next;
                    }
                    *group
                }
                None => next,
            };
            if group == next {
                self.sizes.push(0);
            }
            self.sizes[group as usize] += 1;
            self.group_of.push(group);
        }
    }

    fn finish(&mut self, out: &mut SampleList) {
        let first_row = self.first_row.unwrap_or_default();
        // Where the next row of each group goes in the list of all rows.
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
