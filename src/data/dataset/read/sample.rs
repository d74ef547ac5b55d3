//! Reads a sample for display: fetches the bytes of its rows, decodes and combines them.

use std::borrow::Cow;

use crate::dataset::load::chunk::row_hash;
use crate::dataset::{Dataset, RowPlace, SampleRows};
use crate::model::{
    Fact, NamedVote, Outcome, Rationale, ReadWarning, Record as Sample, ResponseId, ResponseOrder,
    ResponseSet, RowError,
};
use crate::schema::{RepairedLine, Schema, is_json, repair};
use crate::source::{SourceError, lines};

/// Buffers that a reading borrows from; reuse them for many readings.
#[derive(Debug, Default)]
pub struct Buffers {
    rows: Vec<RowBuffer>,
    /// Whether fields that the schema does not name are read as facts and texts.
    has_fields: bool,
}

impl Buffers {
    /// Creates buffers for reading also the fields that the schema does not name, as facts and
    /// texts. Reading takes about twice as long.
    pub fn with_fields() -> Self {
        Self {
            rows: Vec::new(),
            has_fields: true,
        }
    }
}

#[derive(Debug, Default)]
struct RowBuffer {
    line: Vec<u8>,
    /// The repaired line, if it needed repair.
    mended: Vec<u8>,
}

/// A sample with the places of its rows.
#[derive(Debug)]
pub struct LoadedSample<'d, 'b> {
    /// Places of its rows: one, or one for each response. For rows of several annotators, the
    /// first.
    pub places: Vec<RowPlace>,
    /// The schema of its file.
    pub schema: &'d Schema,
    /// The content.
    pub body: SampleBody<'b>,
}

/// Content of a sample.
#[derive(Debug)]
pub enum SampleBody<'b> {
    /// A prompt with its responses.
    Sample(Sample<'b>),
    /// A row that does not match its schema.
    Malformed {
        /// Place of that row.
        place: RowPlace,
        /// The error.
        row_error: RowError,
        /// The line, with U+FFFD for bytes that are not UTF-8.
        line: Cow<'b, str>,
    },
    /// The bytes could not be read or have changed since the scan: the file shrank or was written
    /// to, or the disk failed.
    Unreadable(SourceError),
}

impl<'b> SampleBody<'b> {
    /// Returns the sample if its rows match their schema.
    pub const fn sample(&self) -> Option<&Sample<'b>> {
        match self {
            Self::Sample(sample) => Some(sample),
            _ => None,
        }
    }
}

impl Dataset {
    /// Reads a sample; `None` if there is no sample with this number.
    pub fn read<'d, 'b>(
        &'d self,
        sample: usize,
        buffers: &'b mut Buffers,
    ) -> Option<LoadedSample<'d, 'b>> {
        self.read_while(sample, buffers, &|| true)
    }

    /// Like [`Self::read`], for samples of many rows: checks for cancellation while reading and then
    /// returns `None`.
    pub fn read_while<'d, 'b>(
        &'d self,
        sample: usize,
        buffers: &'b mut Buffers,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<LoadedSample<'d, 'b>> {
        self.read_rows(self.sample_rows(sample)?, buffers, keep_going)
    }

    /// Reads a sample without the responses of a file opened with `--against`; `None` if it has no
    /// others.
    pub fn read_own<'d, 'b>(
        &'d self,
        sample: usize,
        buffers: &'b mut Buffers,
    ) -> Option<LoadedSample<'d, 'b>> {
        self.read_rows(self.own_rows(sample)?, buffers, &|| true)
    }

    fn read_rows<'d, 'b>(
        &'d self,
        rows: SampleRows<'_>,
        buffers: &'b mut Buffers,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<LoadedSample<'d, 'b>> {
        let places: Vec<_> = rows.iter().filter_map(|row| self.place(row)).collect();
        let schema = &*self.files().get(places.first()?.file)?.schema;
        if buffers.rows.len() < rows.count() {
            buffers.rows.resize_with(rows.count(), RowBuffer::default);
        }
        for (row, buffer) in rows.iter().zip(&mut buffers.rows) {
            if !keep_going() {
                return None;
            }
            if let Err(error) = self.read_line(row, &mut buffer.line) {
                return Some(LoadedSample {
                    places,
                    schema,
                    body: SampleBody::Unreadable(error),
                });
            }
        }
        let body = Self::body(&places, schema, buffers);
        let mut places = places;
        if schema.definition().is_row_by_annotator() {
            places.truncate(1);
        }
        keep_going().then_some(LoadedSample {
            places,
            schema,
            body,
        })
    }

    fn body<'b>(places: &[RowPlace], schema: &Schema, buffers: &'b mut Buffers) -> SampleBody<'b> {
        let mut records = Vec::with_capacity(places.len());
        for (place, buffer) in places.iter().zip(&mut buffers.rows) {
            match buffer.record(schema) {
                Ok((record, line)) => records.push(if buffers.has_fields {
                    schema.with_fields(record, line)
                } else {
                    record
                }),
                Err((row_error, line)) => {
                    return SampleBody::Malformed {
                        place: place.clone(),
                        row_error,
                        line: String::from_utf8_lossy(line),
                    };
                }
            }
        }
        SampleBody::Sample(sample_of(records, schema))
    }

    /// Reads the line of a row (numbered over the whole dataset, from 0) into `line`, without
    /// surrounding white space.
    ///
    /// # Errors
    /// If there is no such row, its bytes cannot be read, or they have changed since the scan.
    pub fn read_line(&self, row: u32, line: &mut Vec<u8>) -> Result<(), SourceError> {
        line.clear();
        let missing = || SourceError::NotFound(format!("row {row}"));
        let (chunk, within) = self.chunk_of_row(row).ok_or_else(missing)?;
        let source = &self.files.get(chunk.file()).ok_or_else(missing)?.source;
        source.read_at(chunk.bytes(within), line)?;
        let kept = lines::of_row(line);
        // A row's bytes extend to the next row and include its line break and blank lines, which
        // are cut off in place.
        let (start, length) = (kept.as_ptr() as usize - line.as_ptr() as usize, kept.len());
        line.truncate(start + length);
        line.drain(..start);
        if chunk.hashes.get(within) == Some(&row_hash(line)) {
            return Ok(());
        }
        line.clear();
        Err(source.altered())
    }
}

/// A record with its bytes, or the error of a line.
type ReadRow<'b> = Result<(Sample<'b>, &'b [u8]), (RowError, &'b [u8])>;

impl RowBuffer {
    /// Returns the record of the line, repaired if needed, and the bytes it was read from; or the
    /// error with the original line.
    fn record<'b>(&'b mut self, schema: &Schema) -> ReadRow<'b> {
        let line = &*self.line;
        let strict = match schema.row(line) {
            Ok(row) => {
                let record = row.record().map_err(|row_error| (row_error, line));
                return record.map(|record| (record, line));
            }
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
                Ok((record, mended))
            }
            // The fault is not the Python syntax that was repaired but something else in the line.
            Err(row_error) if is_json(mended) => Err((in_line(row_error, mended, line), line)),
            Err(_) => Err((strict, line)),
        }
    }
}

/// Translates an error in the repaired line to the original line. Its column is kept only if both
/// lines are equal up to there.
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

/// Combines rows that have the same prompt and responses and are by one annotator each. Their
/// verdicts become votes; the majority decides.
fn sample_by_annotators<'b>(records: Vec<Sample<'b>>) -> Sample<'b> {
    let mut records = records.into_iter();
    let mut sample = records.next().unwrap_or_default();
    for (row, record) in (1..).zip(records) {
        // Annotators can see a pair in different orders.
        let is_reversed = matches!(
            (&sample.responses[..], &record.responses[..]),
            ([a, b], [first, second]) if (&a.text, &b.text) != (&first.text, &second.text)
        );
        let order = if is_reversed {
            ResponseOrder::OF_FILE.reversed(2)
        } else {
            ResponseOrder::OF_FILE
        };
        sample
            .votes
            .each
            .extend(record.votes.each.into_iter().map(|it| NamedVote {
                vote: it.vote.shown(order),
                ..it
            }));
        sample.votes.excluded += record.votes.excluded;
        let texts = record.rationales.into_iter();
        sample.rationales.extend(texts.map(|it| Rationale {
            annotator: Some(it.annotator.unwrap_or(row)),
            response: it.response.map(|response| order.shown(response)),
            ..it
        }));
        for fact in record.facts {
            match sample
                .facts
                .iter_mut()
                .find(|known| known.name == fact.name)
            {
                // Combined like the values of a list.
                Some(known) if known.value.split(", ").all(|value| value != fact.value) => {
                    known.value = format!("{}, {}", known.value, fact.value).into();
                }
                Some(_) => {}
                None => sample.facts.push(fact),
            }
        }
        sample.warnings.extend(record.warnings);
    }
    sample.warnings.sort_unstable();
    sample.warnings.dedup();
    let responses = sample.responses.len();
    sample.outcome = sample.votes.majority(responses).map(|verdict| Outcome {
        verdict,
        rated: ResponseSet::first(responses),
        margin: None,
        native: None,
    });
    sample
}

/// Combines the rows of a sample: one row, or several with one response each.
fn sample_of<'b>(records: Vec<Sample<'b>>, schema: &Schema) -> Sample<'b> {
    if schema.definition().is_row_by_annotator() {
        return sample_by_annotators(records);
    }
    let several = records.len() > 1;
    let mut records = ResponseId::all().zip(records);
    let Some((id, mut sample)) = records.next() else {
        return Sample::default();
    };
    if !several {
        return sample;
    }
    let mut warnings = std::mem::take(&mut sample.warnings);
    warnings = warnings.into_iter().map(|it| it.of_response(id)).collect();
    let mut facts = vec![std::mem::take(&mut sample.facts)];
    for (id, record) in records {
        if record.prompt != sample.prompt {
            warnings.push(ReadWarning::PromptsDiffer);
        }
        warnings.extend(record.warnings.into_iter().map(|it| it.of_response(id)));
        sample.responses.extend(record.responses);
        facts.push(record.facts);
        let texts = record.rationales.into_iter();
        sample.rationales.extend(texts.map(|it| Rationale {
            response: Some(id),
            ..it
        }));
    }
    sample.facts = facts_of_rows(facts);
    sample.outcome = schema.outcome_by_label(&sample.responses);
    warnings.sort_unstable();
    warnings.dedup();
    sample.warnings = warnings;
    sample
}

/// Merges the facts of several rows: once if all rows agree, otherwise each with the letter of its
/// response.
fn facts_of_rows(mut rows: Vec<Vec<Fact<'_>>>) -> Vec<Fact<'_>> {
    let mut names: Vec<String> = Vec::new();
    for fact in rows.iter().flatten() {
        if !names.contains(&fact.name) {
            names.push(fact.name.clone());
        }
    }
    let count = rows.len();
    let mut facts = Vec::new();
    for name in names {
        let mut stated = Vec::with_capacity(count);
        for (id, row) in ResponseId::first(count).zip(&mut rows) {
            let at = row.iter().position(|fact| fact.name == name);
            stated.extend(at.map(|at| (id, row.remove(at))));
        }
        let first = stated.first().map(|(_, fact)| fact.value.clone());
        let all_say_it = stated.len() == count
            && stated
                .iter()
                .all(|(_, fact)| Some(&fact.value) == first.as_ref());
        if all_say_it {
            stated.truncate(1);
            facts.extend(stated.into_iter().map(|(_, fact)| fact));
        } else {
            facts.extend(stated.into_iter().map(|(id, fact)| Fact {
                name: format!("{} {}", fact.name, id.letter()),
                ..fact
            }));
        }
    }
    facts
}
