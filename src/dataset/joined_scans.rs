//! The rows of a wave, made into chunks.

use super::check::Check;
use super::chunk::{Chunk, LenientRows, SampleList};
use super::packed::ChunkRows;
use super::row_predicate::ResponseMask;
use super::scan::Scan;
use crate::model::ResponseId;
use crate::schema::{RationalePlaceSet, Schema};

/// Scans of consecutive stretches as one.
pub(super) struct JoinedScans {
    pub(super) rows: ChunkRows,
    pub(super) starts: Vec<u32>,
    pub(super) checks: Vec<Check>,
    pub(super) blanks: Vec<(u32, u32)>,
    pub(super) malformed: Vec<u32>,
    pub(super) lenient: LenientRows,
    pub(super) texts: RationalePlaceSet,
    pub(super) answers: Vec<ResponseMask>,
    pub(super) lines: u64,
    pub(super) samples: SampleList,
}

impl JoinedScans {
    /// Adds the rows of the next stretch.
    pub(super) fn add(&mut self, scan: &Scan) {
        let rows = self.starts.len() as u32;
        let blank = self.blanks.last().map_or(0, |&(_, count)| count);
        self.rows.add(&scan.packed);
        self.starts.extend(&scan.starts);
        self.checks.extend(&scan.checks);
        self.blanks.extend(
            scan.blanks
                .iter()
                .map(|&(row, count)| (row + rows, count + blank)),
        );
        self.malformed
            .extend(scan.malformed.iter().map(|row| row + rows));
        self.lenient += scan.lenient;
        self.texts.add(&scan.texts);
        self.answers.extend(&scan.answers);
        self.lines += scan.lines;
    }
    /// The rows and the samples that they complete as chunks of at most so many samples, the first of
    /// which begins with `begin` and has all rows; and the rows themselves.
    pub(super) fn into_chunks(
        self,
        begin: Chunk,
        schema: &Schema,
        most: usize,
    ) -> (Vec<Chunk>, ChunkRows) {
        let Self { rows, samples, .. } = self;
        let samples = match most == usize::MAX && schema.most_responses() <= ResponseId::LETTERED {
            true => vec![samples],
            false => {
                let parts = samples.even_parts(most, |sample| rows.responses_of(sample));
                let parts = parts.into_iter();
                parts.map(|part| samples.part(part)).collect()
            }
        };
        let (mut first_sample, end) = (begin.first_sample, begin.end);
        let (file, first_row) = (begin.file, begin.first_row + self.starts.len() as u32);
        let first_row_in_file = begin.first_row_in_file + self.starts.len() as u64;
        let first_line = begin.first_line + self.lines;
        let after = || Chunk {
            file,
            first_row,
            first_row_in_file,
            first_line,
            base: end,
            end,
            texts: RationalePlaceSet::none_of(schema.definition()),
            ..Chunk::default()
        };
        let mut next = Chunk {
            starts: self.starts.into(),
            checks: self.checks.into(),
            blanks: self.blanks.into(),
            malformed: self.malformed.into(),
            lenient: self.lenient,
            texts: self.texts,
            answers: self.answers.into(),
            ..begin
        };
        let mut chunks = Vec::with_capacity(samples.len());
        for samples in samples {
            next.first_sample = first_sample;
            first_sample += samples.len() as u32;
            next.columns = rows.columns(schema, &samples);
            next.samples = samples;
            chunks.push(next);
            next = after();
        }
        (chunks, rows)
    }
}
