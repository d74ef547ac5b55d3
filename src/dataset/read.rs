//! A sample, read for a person: its rows' bytes fetched with positioned reads, decoded, and put together.

use std::borrow::Cow;

use super::{Dataset, RowPlace, SampleRows};
use crate::model::{Fact, Fault, Flaw, Outcome, Record, Response, Turn};
use crate::schema::{Schema, mend};
use crate::source::{SourceError, lines};

/// The bytes that a reading borrows from; reuse one for many readings.
#[derive(Debug, Default)]
pub struct Buffers {
    rows: [RowBuffer; 2],
}

#[derive(Debug, Default)]
struct RowBuffer {
    line: Vec<u8>,
    mended: Vec<u8>,
    flaws: Vec<Flaw>,
}

/// A sample as read, with the places that it was read from.
#[derive(Debug)]
pub struct Reading<'d, 'b> {
    /// Where its rows stand, one or two.
    pub places: Vec<RowPlace>,
    /// The schema of its file.
    pub schema: &'d Schema,
    /// What was found there.
    pub body: Body<'b>,
}

/// What a sample turned out to be.
#[derive(Debug)]
pub enum Body<'b> {
    /// A prompt with its responses.
    Sample(Sample<'b>),
    /// A row that does not read as its schema says.
    Malformed {
        /// Why.
        fault: Fault,
        /// The line as it is, with U+FFFD for bytes that are not UTF-8.
        line: Cow<'b, str>,
    },
    /// The bytes could not be had: the file shrank, or the disk failed.
    Unreadable(SourceError),
}

/// A prompt and its paired responses.
#[derive(Debug, Default)]
pub struct Sample<'b> {
    /// The prompt's turns.
    pub prompt: Vec<Turn<'b>>,
    /// One response or two, A first.
    pub responses: Vec<Response<'b>>,
    /// Who wins; `None` where nothing says so, and for a single.
    pub outcome: Option<Outcome>,
    /// Other facts.
    pub facts: Vec<Fact<'b>>,
    /// What was read leniently.
    pub flaws: Vec<Flaw>,
}

impl Dataset {
    /// Reads a sample; `None` when there is none with that number.
    pub fn read<'d, 'b>(&'d self, sample: usize, buffers: &'b mut Buffers) -> Option<Reading<'d, 'b>> {
        let rows = self.sample_rows(sample)?;
        let places: Vec<_> = rows.iter().filter_map(|row| self.place(row)).collect();
        let schema = &*self.files().get(places.first()?.file)?.schema;
        let body = self.body(rows, &places, schema, buffers);
        Some(Reading { places, schema, body })
    }

    fn body<'b>(&self, rows: SampleRows, places: &[RowPlace], schema: &Schema, buffers: &'b mut Buffers) -> Body<'b> {
        for (place, buffer) in places.iter().zip(&mut buffers.rows) {
            if let Err(error) = self.fetch(place, buffer, schema) {
                return Body::Unreadable(error);
            }
        }
        let [first, second] = &buffers.rows;
        let record = match first.record(schema) {
            Ok(record) => record,
            Err(fault) => return Body::Malformed { fault, line: String::from_utf8_lossy(&first.line) },
        };
        match rows.second().map(|_| second.record(schema)) {
            None => Body::Sample(Sample::of(record)),
            Some(Ok(second)) => Body::Sample(Sample::of_pair(record, second, schema)),
            Some(Err(fault)) => Body::Malformed { fault, line: String::from_utf8_lossy(&second.line) },
        }
    }

    fn fetch(&self, place: &RowPlace, buffer: &mut RowBuffer, schema: &Schema) -> Result<(), SourceError> {
        self.files()[place.file].source.read_at(place.bytes.clone(), &mut buffer.line)?;
        let kept = lines::of_row(&buffer.line);
        // A row's bytes reach up to the next row, over its line break and blank lines; they are cut off in place.
        let (start, length) = (kept.as_ptr() as usize - buffer.line.as_ptr() as usize, kept.len());
        buffer.line.truncate(start + length);
        buffer.line.drain(..start);
        buffer.mended.clear();
        buffer.flaws.clear();
        if schema.row(&buffer.line).is_err()
            && let Some(mended) = mend(&buffer.line)
        {
            (buffer.mended, buffer.flaws) = (mended.line, mended.flaws);
        }
        Ok(())
    }
}

impl RowBuffer {
    fn record(&self, schema: &Schema) -> Result<Record<'_>, Fault> {
        let strict = || schema.row(&self.line)?.record();
        if self.mended.is_empty() {
            return strict();
        }
        // When not even the mended line reads, the place of the fault is told in the line that the person sees.
        let Ok(row) = schema.row(&self.mended) else { return strict() };
        let mut record = row.record()?;
        record.flaws.extend(&self.flaws);
        record.flaws.sort_unstable();
        record.flaws.dedup();
        Ok(record)
    }
}

impl<'b> Sample<'b> {
    fn of(record: Record<'b>) -> Self {
        let Record { prompt, responses, outcome, facts, flaws } = record;
        Self { prompt, responses, outcome, facts, flaws }
    }

    fn of_pair(first: Record<'b>, second: Record<'b>, schema: &Schema) -> Self {
        let mut sample = Self::of(first);
        sample.responses.extend(second.responses);
        sample.outcome = schema.outcome_by_label(&sample.responses);
        sample.flaws.extend(second.flaws);
        sample.flaws.sort_unstable();
        sample.flaws.dedup();
        sample
    }
}
