//! A sample, read for a person: its rows' bytes fetched with positioned reads, decoded, and put
//! together.

use std::borrow::Cow;

use super::check::Check;
use super::{Dataset, RowPlace, SampleRows};
use crate::model::{Fact, Outcome, ReadWarning, Record, Response, ResponseId, RowError, Turn};
use crate::schema::{RepairedLine, Schema, is_json, repair};
use crate::source::{SourceError, lines};

/// The bytes that a reading borrows from; reuse one for many readings.
#[derive(Debug, Default)]
pub struct Buffers {
    rows: [RowBuffer; 2],
}

#[derive(Debug, Default)]
struct RowBuffer {
    line: Vec<u8>,
    /// The line respelled, where it had to be.
    mended: Vec<u8>,
}

/// A sample as read, with the places that it was read from.
#[derive(Debug)]
pub struct LoadedSample<'d, 'b> {
    /// Where its rows stand, one or two.
    pub places: Vec<RowPlace>,
    /// The schema of its file.
    pub schema: &'d Schema,
    /// What was found there.
    pub body: SampleBody<'b>,
}

/// What a sample turned out to be.
#[derive(Debug)]
pub enum SampleBody<'b> {
    /// A prompt with its responses.
    Sample(Sample<'b>),
    /// A row that does not read as its schema says.
    Malformed {
        /// Which of the sample's rows it is.
        place: RowPlace,
        /// Why.
        row_error: RowError,
        /// The line as it is, with U+FFFD for bytes that are not UTF-8.
        line: Cow<'b, str>,
    },
    /// The bytes could not be had, or are others than those that were there when the file was
    /// scanned: it shrank, it was written to, or the disk failed.
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
    pub warnings: Vec<ReadWarning>,
}

/// Bytes of a line that are read at a time: a disk gives them in a fraction of a second.
const PIECE: u64 = 16 << 20;

impl Dataset {
    /// Reads a sample; `None` when there is none with that number.
    pub fn read<'d, 'b>(
        &'d self,
        sample: usize,
        buffers: &'b mut Buffers,
    ) -> Option<LoadedSample<'d, 'b>> {
        self.read_while(sample, buffers, &|| true)
    }

    /// [`Self::read`] of a sample that may be large: `wanted` is asked all along, and once it says
    /// no this gives `None`.
    pub fn read_while<'d, 'b>(
        &'d self,
        sample: usize,
        buffers: &'b mut Buffers,
        wanted: &dyn Fn() -> bool,
    ) -> Option<LoadedSample<'d, 'b>> {
        let rows = self.sample_rows(sample)?;
        let places: Vec<_> = rows.iter().filter_map(|row| self.place(row)).collect();
        let schema = &*self.files().get(places.first()?.file)?.schema;
        for (row, buffer) in rows.iter().zip(&mut buffers.rows) {
            match self.read_line_while(row, &mut buffer.line, wanted) {
                Ok(Some(())) => {}
                Ok(None) => return None,
                Err(error) => {
                    return Some(LoadedSample {
                        places,
                        schema,
                        body: SampleBody::Unreadable(error),
                    });
                }
            }
        }
        let body = Self::body(rows, &places, schema, buffers);
        wanted().then_some(LoadedSample {
            places,
            schema,
            body,
        })
    }

    fn body<'b>(
        rows: SampleRows,
        places: &[RowPlace],
        schema: &Schema,
        buffers: &'b mut Buffers,
    ) -> SampleBody<'b> {
        let mut records = Vec::with_capacity(2);
        for (place, buffer) in places.iter().zip(&mut buffers.rows) {
            match buffer.record(schema) {
                Ok(record) => records.push(record),
                Err((row_error, line)) => {
                    return SampleBody::Malformed {
                        place: place.clone(),
                        row_error,
                        line: String::from_utf8_lossy(line),
                    };
                }
            }
        }
        let mut records = records.into_iter();
        let first = records.next().unwrap_or_default();
        match records.next().filter(|_| rows.second().is_some()) {
            None => SampleBody::Sample(Sample::of(first)),
            Some(second) => SampleBody::Sample(Sample::of_pair(first, second, schema)),
        }
    }

    /// Reads the line of a row, counted over the whole dataset from 0, without what surrounds it,
    /// in place of what is in `line`: the same bytes that were there when the file was scanned, or
    /// an error.
    ///
    /// # Errors
    /// When there is no such row, its bytes cannot be had, or they are others by now.
    pub fn read_line(&self, row: u32, line: &mut Vec<u8>) -> Result<(), SourceError> {
        self.read_line_while(row, line, &|| true).map(drop)
    }

    /// Reads a row's line as [`Self::read_line`] does; `None` once it is not wanted.
    fn read_line_while(
        &self,
        row: u32,
        line: &mut Vec<u8>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Option<()>, SourceError> {
        line.clear();
        let missing = || SourceError::NotFound {
            name: format!("row {row}"),
        };
        let (chunk, within) = self.chunk_of_row(row).ok_or_else(missing)?;
        let (source, bytes) = (
            &self.files.get(chunk.file()).ok_or_else(missing)?.source,
            chunk.bytes(within),
        );
        if bytes.end.saturating_sub(bytes.start) <= PIECE {
            source.read_at(bytes, line)?;
        } else {
            let mut piece = Vec::new();
            line.reserve_exact(usize::try_from(bytes.end - bytes.start).unwrap_or_default());
            for start in (bytes.start..bytes.end).step_by(PIECE as usize) {
                if !wanted() {
                    return Ok(None);
                }
                source.read_at(start..bytes.end.min(start + PIECE), &mut piece)?;
                line.extend_from_slice(&piece);
            }
        }
        let kept = lines::of_row(line);
        // A row's bytes reach up to the next row, over its line break and blank lines; they are cut
        // off in place.
        let (start, length) = (kept.as_ptr() as usize - line.as_ptr() as usize, kept.len());
        line.truncate(start + length);
        line.drain(..start);
        if chunk.checks.get(within) == Some(&Check::of(line)) {
            return Ok(Some(()));
        }
        line.clear();
        Err(source.altered())
    }
}

impl RowBuffer {
    /// What the line says, strictly or else mended; with the row error comes the line as it is.
    fn record<'b>(&'b mut self, schema: &Schema) -> Result<Record<'b>, (RowError, &'b [u8])> {
        let line = &*self.line;
        let strict = match schema.row(line) {
            Ok(row) => return row.record().map_err(|row_error| (row_error, line)),
            Err(row_error) => row_error,
        };
        let Some(RepairedLine {
            line: mended,
            warnings,
        }) = repair(line)
        else {
            return Err((strict, line));
        };
        self.mended = mended;
        let mended = &*self.mended;
        match schema.row(mended).and_then(|row| row.record()) {
            Ok(mut record) => {
                record.warnings.extend(warnings);
                record.warnings.sort_unstable();
                record.warnings.dedup();
                Ok(record)
            }
            // What Python wrote is not to blame: the rest is.
            Err(row_error) if is_json(mended) => Err((in_line(row_error, mended, line), line)),
            Err(_) => Err((strict, line)),
        }
    }
}

/// The error of a mended line as one of the line that the person sees: its column only where both are
/// the same up to there.
fn in_line(row_error: RowError, mended: &[u8], line: &[u8]) -> RowError {
    let before = row_error.column.saturating_sub(1);
    let same = line
        .get(..before)
        .is_some_and(|start| mended.starts_with(start));
    RowError {
        column: if same { row_error.column } else { 0 },
        ..row_error
    }
}

impl<'b> Sample<'b> {
    fn of(record: Record<'b>) -> Self {
        let Record {
            prompt,
            responses,
            outcome,
            facts,
            warnings,
        } = record;
        Self {
            prompt,
            responses,
            outcome,
            facts,
            warnings,
        }
    }

    fn of_pair(first: Record<'b>, second: Record<'b>, schema: &Schema) -> Self {
        let mut sample = Self::of(first);
        sample.facts = facts_of_pair(sample.facts, second.facts);
        sample.responses.extend(second.responses);
        sample.outcome = schema.outcome_by_label(&sample.responses);
        let first = std::mem::take(&mut sample.warnings)
            .into_iter()
            .map(|warning| warning.of_response(ResponseId::A));
        sample.warnings = first
            .chain(
                second
                    .warnings
                    .into_iter()
                    .map(|warning| warning.of_response(ResponseId::B)),
            )
            .collect();
        sample.warnings.sort_unstable();
        sample.warnings.dedup();
        sample
    }
}

/// The facts of two rows: once what both say, and where they differ each with its side.
fn facts_of_pair<'b>(first: Vec<Fact<'b>>, second: Vec<Fact<'b>>) -> Vec<Fact<'b>> {
    let of = |response: ResponseId, fact: Fact<'b>| Fact {
        name: format!("{} {}", fact.name, response.letter()),
        ..fact
    };
    let mut second: Vec<_> = second.into_iter().map(Some).collect();
    let mut facts = Vec::with_capacity(first.len());
    for fact in first {
        let other = second
            .iter_mut()
            .find(|other| other.as_ref().is_some_and(|other| other.name == fact.name));
        match other.and_then(Option::take) {
            Some(other) if other.value == fact.value => facts.push(fact),
            other => {
                facts.push(of(ResponseId::A, fact));
                facts.extend(other.map(|other| of(ResponseId::B, other)));
            }
        }
    }
    facts.extend(
        second
            .into_iter()
            .flatten()
            .map(|fact| of(ResponseId::B, fact)),
    );
    facts
}
