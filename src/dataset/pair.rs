//! Rows in order → samples: the one place that knows how rows make pairs.
//!
//! Consecutive well-formed rows with the same prompt are a pair; a run of them is cut into pairs
//! from its start. A malformed row is a sample of its own that ends no run and shifts no pair: the
//! rows before and behind it pair as if it were not there.

use super::chunk::SampleRows;
use super::scan::Scan;
use crate::schema::same_text;

/// Carries the open end of what was paired so far from one stretch to the next.
#[derive(Debug, Default)]
pub(super) struct Pairer {
    /// The well-formed row that still waits for its other half.
    open: Option<u32>,
    /// Malformed rows behind the open one: samples that come after it, wherever it ends up.
    waiting: Vec<u32>,
    /// Spelling of the last well-formed row's prompt.
    last_prompt: Option<String>,
}

impl Pairer {
    /// Adds the samples that the next stretch of a file completes; its rows are counted on from
    /// `first_row`.
    pub(super) fn take(&mut self, scan: &Scan, first_row: u32, out: &mut Vec<SampleRows>) {
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
            if !scan.pairs() {
                out.push(SampleRows::single(number));
                continue;
            }
            let same = scan.same_as_before(row) || (first && joins);
            first = false;
            self.take_row(number, same, out);
        }
        if scan.last_prompt.is_some() {
            self.last_prompt.clone_from(&scan.last_prompt);
        }
    }

    /// The row of the dataset that still waits for its other half.
    pub(super) fn open(&self) -> Option<u32> {
        self.open
    }

    /// Ends the file: what still waits is a single.
    pub(super) fn finish(&mut self, out: &mut Vec<SampleRows>) {
        if let Some(open) = self.open.take() {
            out.push(SampleRows::single(open));
        }
        self.flush(out);
        self.last_prompt = None;
    }

    fn take_row(&mut self, row: u32, same: bool, out: &mut Vec<SampleRows>) {
        match self.open.take() {
            Some(open) if same => out.push(SampleRows::pair(open, row)),
            Some(open) => {
                out.push(SampleRows::single(open));
                self.open = Some(row);
            }
            None => self.open = Some(row),
        }
        self.flush(out);
    }

    fn take_malformed(&mut self, row: u32, out: &mut Vec<SampleRows>) {
        match self.open {
            Some(_) => self.waiting.push(row),
            None => out.push(SampleRows::single(row)),
        }
    }

    fn flush(&mut self, out: &mut Vec<SampleRows>) {
        out.extend(self.waiting.drain(..).map(SampleRows::single));
    }
}
