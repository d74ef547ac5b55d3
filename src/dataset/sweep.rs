//! Many samples' rows, one after the other, from mapped bytes: for whoever looks through whole files.

use std::ops::Range;

use super::chunk::Chunk;
use super::columns::Shape;
use super::{Dataset, File};
use crate::schema::{Passage, Schema, with_row};
use crate::source::{View, lines};

/// The rows of a sample as they stand in the file.
#[derive(Debug, Clone, Copy)]
pub struct SweptRows<'v> {
    /// The schema of its file.
    pub schema: &'v Schema,
    lines: [&'v [u8]; 2],
    count: usize,
    /// Whether the sample is a malformed row.
    pub malformed: bool,
}

impl<'v> SweptRows<'v> {
    /// Its lines without what surrounds them, one or two; none where they could not be had, because the file shrank or its disk
    /// failed; of the last page of a file that shrank a line can end in zeros. Not checked in any way: read them with [`Schema::row`], and as [`crate::schema::mend`] has them where that fails.
    pub fn lines(&self) -> &[&'v [u8]] {
        &self.lines[..self.count]
    }

    /// Whether its texts stand in the lines as they are, but for escapes: of transcripts, several turns are put together with words that
    /// no line has.
    pub fn is_verbatim(&self) -> bool {
        self.malformed || self.schema.definition().prompt.is_some()
    }

    /// What the sample says of a fact, by its name: what its first row does.
    pub fn fact(&self, name: &str) -> Option<String> {
        let line = self.lines().first().filter(|_| !self.malformed)?;
        let word = with_row(self.schema, line, |row| {
            let facts = row.record().map(|record| record.facts).unwrap_or_default();
            facts.into_iter().find(|fact| fact.name == name).map(|fact| fact.value.into_owned())
        });
        word.flatten()
    }

    /// Shows each text of the sample, in order, with its place: numbers of responses are 0 for A and 1 for B, and the prompt of a pair comes
    /// once. A malformed row is one text without a place, with U+FFFD for bytes that are not UTF-8.
    pub fn texts(&self, scratch: &mut String, show: &mut dyn FnMut(Option<Passage>, &str)) {
        for (index, line) in self.lines().iter().enumerate() {
            if self.malformed {
                show(None, &String::from_utf8_lossy(line));
                continue;
            }
            with_row(self.schema, line, |row| {
                row.passages(scratch, &mut |passage, text| match passage {
                    Passage::Prompt if index > 0 => {}
                    Passage::Prompt => show(Some(passage), text),
                    Passage::Response(side) => show(Some(Passage::Response((side + index).min(1))), text),
                    Passage::QuoteTitle(side) => show(Some(Passage::QuoteTitle((side + index).min(1))), text),
                    Passage::Quote(side) => show(Some(Passage::Quote((side + index).min(1))), text),
                });
            });
        }
    }
}

impl Dataset {
    /// Goes over the `wanted` ones of some samples (numbers of the dataset from 0) and shows the rows of each, in order. Bytes are
    /// looked at where they are mapped, without a system call for each sample.
    pub fn sweep(
        &self,
        samples: Range<usize>,
        wanted: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(usize, SweptRows<'_>),
    ) {
        let samples = samples.start..samples.end.min(self.samples());
        let from = self.chunks.partition_point(|chunk| chunk.first_sample() + chunk.samples() <= samples.start);
        for chunk in &self.chunks[from..] {
            if chunk.first_sample() >= samples.end {
                break;
            }
            let Some(file) = self.files.get(chunk.file()) else { break };
            let swept = Swept { dataset: self, file, chunk, view: file.source.view(chunk.base..chunk.end).ok() };
            let last = samples.end.min(chunk.first_sample() + chunk.samples());
            for sample in (samples.start.max(chunk.first_sample())..last).filter(|&sample| wanted(sample)) {
                swept.sample(sample - chunk.first_sample(), &mut |rows| visit(sample, rows));
            }
        }
    }
}

/// A chunk that is swept.
struct Swept<'d> {
    dataset: &'d Dataset,
    file: &'d File,
    chunk: &'d Chunk,
    view: Option<View>,
}

impl Swept<'_> {
    fn sample(&self, within: usize, visit: &mut dyn FnMut(SweptRows<'_>)) {
        let rows = self.chunk.samples[within];
        let malformed = self.chunk.columns.shapes.get(within) == Some(&Shape::Malformed);
        let early = self.earlier(rows.first);
        let first = match &early {
            Some(view) => Some(lines::of_row(view)),
            None => self.line(rows.first),
        };
        let second = rows.second().map(|second| self.line(second));
        // Files shrink from their end, which `line` has looked at: a row that is there by now is there as a whole.
        let (lines, count) = match (first, second) {
            _ if self.file.source.faulted() => ([&b""[..]; 2], 0),
            (Some(first), None) => ([first, b""], 1),
            (Some(first), Some(Some(second))) => ([first, second], 2),
            _ => ([&b""[..]; 2], 0),
        };
        visit(SweptRows { schema: &self.file.schema, lines, count, malformed });
    }

    /// The bytes of a row that stands in an earlier chunk; `None` for one in this chunk.
    fn earlier(&self, row: u32) -> Option<View> {
        if row >= self.chunk.first_row {
            return None;
        }
        let place = self.dataset.place(row)?;
        self.file.source.view(place.bytes).ok()
    }

    /// The line of a row of this chunk.
    fn line(&self, row: u32) -> Option<&[u8]> {
        let within = row.checked_sub(self.chunk.first_row)? as usize;
        let Range { start, end } = self.chunk.bytes(within);
        let at = |offset: u64| (offset - self.chunk.base) as usize;
        let bytes = self.view.as_deref()?.get(at(start)..at(end))?;
        // Without blank lines behind it, its end need not be searched for.
        let alone = self.chunk.line(within + 1) == self.chunk.line(within) + 1;
        Some(if alone { lines::trim(bytes) } else { lines::of_row(bytes) })
    }
}
