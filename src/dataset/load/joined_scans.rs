//! Conversion of the rows of a wave to chunks.

use std::collections::BTreeSet;

use super::chunk::{Chunk, SampleList};
use super::row_batch::ChunkRows;
use super::scan::Scan;
use crate::model::ResponseId;
use crate::schema::Schema;

/// The combined scans of consecutive segments.
pub struct JoinedScans {
    pub rows: ChunkRows,
    /// All rows and the samples that they complete, without columns.
    pub chunk: Chunk,
    pub lines: u64,
}

impl JoinedScans {
    /// Adds the rows of the next segment.
    pub fn add(&mut self, scan: &Scan) {
        let chunk = &mut self.chunk;
        let rows = chunk.starts.len() as u32;
        let blank = chunk.blanks.last().map_or(0, |&(_, count)| count);
        let blanks = scan
            .blanks
            .iter()
            .map(|&(row, count)| (row + rows, count + blank));
        let malformed = scan.malformed.iter().map(|row| row + rows);
        self.rows.add(&scan.packed);
        chunk.starts.extend(&scan.starts);
        chunk.hashes.extend(&scan.hashes);
        chunk.blanks.extend(blanks);
        chunk.malformed.extend(malformed);
        chunk.lenient += scan.lenient;
        chunk.texts.extend(&scan.texts);
        chunk.answers.extend(&scan.answers);
        self.lines += scan.lines;
    }

    /// Returns chunks of at most `most` samples, the first with all rows, and the rows themselves.
    pub fn into_chunks(self, schema: &Schema, most: usize) -> (Vec<Chunk>, ChunkRows) {
        let Self {
            rows,
            chunk: mut next,
            mut lines,
        } = self;
        next.blanks.shrink_to_fit();
        next.malformed.shrink_to_fit();
        next.answers.shrink_to_fit();
        let samples = std::mem::take(&mut next.samples);
        let parts = if most == usize::MAX && schema.most_responses() <= ResponseId::LETTERED {
            vec![samples]
        } else {
            samples
                .even_parts(most, |sample| rows.responses_of(sample))
                .into_iter()
                .map(|part| samples.part(part))
                .collect::<Vec<SampleList>>()
        };
        let mut chunks = Vec::with_capacity(parts.len());
        for samples in parts {
            next.columns = rows.columns(schema, &samples);
            next.samples = samples;
            let after = Chunk {
                file: next.file,
                first_row: next.first_row + next.starts.len() as u32,
                first_row_in_file: next.first_row_in_file + next.starts.len() as u64,
                first_sample: next.first_sample + next.samples.len() as u32,
                first_line: next.first_line + std::mem::take(&mut lines),
                base: next.end,
                end: next.end,
                texts: BTreeSet::new(),
                ..Chunk::default()
            };
            chunks.push(std::mem::replace(&mut next, after));
        }
        (chunks, rows)
    }
}
