//! One stretch of bytes → where its rows begin, which are malformed, and which have the prompt of the row before.
//!
//! Stretches are scanned independently (in parallel) and joined in order by [`super::pair`].

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::schema::{Schema, mend, same_text};
use crate::source::lines;

/// What a stretch holds. A stretch owns the lines that begin in it.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Where each row begins, in bytes from the beginning of the scanned view.
    pub(super) starts: Vec<u32>,
    /// (row, number of blank lines before it), where that number grows.
    pub(super) blanks: Vec<(u32, u32)>,
    /// Physical lines, blank ones included.
    pub(super) lines: u64,
    /// Malformed rows, ascending.
    pub(super) malformed: Vec<u32>,
    /// Well-formed rows whose prompt is that of the well-formed row before them in this stretch; one bit a row.
    same: Vec<u64>,
    /// Whether rows are paired at all: otherwise prompts are not looked at.
    pairs: bool,
    /// Spelling of the first well-formed row's prompt, for joining stretches.
    pub(super) first_prompt: Option<String>,
    /// Spelling of the last well-formed row's prompt.
    pub(super) last_prompt: Option<String>,
}

/// Scans the lines that begin in `stretch` of `bytes`, which begin with a line and end behind one.
pub(super) fn scan(schema: &Schema, bytes: &[u8], stretch: Range<usize>) -> Scan {
    let mut scan = Scan { pairs: schema.pairs_rows(), ..Scan::default() };
    let mut before = None;
    let mut next = first_line(bytes, &stretch);
    while let Some(start) = next.filter(|start| *start < stretch.end) {
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        scan.take_line(schema, &bytes[start..end], start, &mut before);
        next = (end < bytes.len()).then_some(end + 1);
    }
    scan.last_prompt = before.map(Cow::into_owned);
    scan
}

/// Where the first line that begins in the stretch does so.
fn first_line(bytes: &[u8], stretch: &Range<usize>) -> Option<usize> {
    match stretch.start.checked_sub(1) {
        None => Some(0),
        Some(before) => memchr(b'\n', bytes.get(before..stretch.end)?).map(|at| before + at + 1),
    }
}

impl Scan {
    /// Whether row `row` has the prompt of the well-formed row before it in this stretch.
    pub(super) fn same_as_before(&self, row: usize) -> bool {
        self.same.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Whether rows of this schema are paired at all; otherwise each is a sample.
    pub(super) fn pairs(&self) -> bool {
        self.pairs
    }

    fn take_line<'b>(&mut self, schema: &Schema, line: &'b [u8], start: usize, before: &mut Option<Cow<'b, str>>) {
        self.lines += 1;
        let line = lines::trim(line);
        if line.is_empty() {
            return self.take_blank();
        }
        let row = self.starts.len();
        self.starts.push(start as u32);
        let strict = schema.row(line);
        if let Ok(read) = strict {
            return self.take_prompt(row, read.prompt_spelling().map(Cow::Borrowed), before);
        }
        let Some(mended) = mend(line) else { return self.malformed.push(row as u32) };
        match schema.row(&mended.line) {
            Ok(read) => self.take_prompt(row, read.prompt_spelling().map(|p| Cow::Owned(p.to_owned())), before),
            Err(_) => self.malformed.push(row as u32),
        }
    }

    fn take_blank(&mut self) {
        let row = self.starts.len() as u32;
        let count = self.blanks.last().map_or(0, |&(_, count)| count) + 1;
        match self.blanks.last_mut() {
            Some(last) if last.0 == row => last.1 = count,
            _ => self.blanks.push((row, count)),
        }
    }

    fn take_prompt<'b>(&mut self, row: usize, prompt: Option<Cow<'b, str>>, before: &mut Option<Cow<'b, str>>) {
        let Some(prompt) = prompt.filter(|_| self.pairs) else { return };
        match before {
            Some(before) if same_text(before, &prompt) => self.set_same(row),
            Some(_) => {}
            None => self.first_prompt = Some(prompt.clone().into_owned()),
        }
        *before = Some(prompt);
    }

    fn set_same(&mut self, row: usize) {
        if self.same.len() <= row / 64 {
            self.same.resize(row / 64 + 1, 0);
        }
        self.same[row / 64] |= 1 << (row % 64);
    }
}
