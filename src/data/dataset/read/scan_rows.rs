//! Iterates over the rows of many samples, reading pieces of bounded size.

use std::ops::Range;

use crate::dataset::{
    Chunk, Dataset, DatasetFile, ResponseMask, ResponseMaskBuilder, RowPredicate, SampleRows,
};
use crate::schema::{RowReader, RowText, Schema, TextKinds};
use crate::source::{Piece, lines};
use crate::table::ColumnId;

/// The rows of a sample as stored in the file.
#[derive(Debug, Clone, Copy)]
pub struct ScannedRows<'v> {
    /// Reader for the rows of its file.
    pub(in crate::dataset) reader: &'v RowReader<'v>,
    pub(in crate::dataset) rows: SampleRows<'v>,
    lines: &'v [&'v [u8]],
    /// Whether the sample is a malformed row.
    pub malformed: bool,
    /// Whether any text in its chunk is not stored verbatim.
    is_composed: bool,
}

impl<'v> ScannedRows<'v> {
    /// Returns the schema of its file.
    pub fn schema(&self) -> &'v Schema {
        self.reader.schema()
    }

    /// Returns its trimmed lines, one, or one for each response or annotator. Empty if they could
    /// not be read because the file changed or its disk failed ([`Dataset::check_unchanged`]
    /// reports that). The lines are not parsed: use [`Schema::row`], and [`crate::schema::repair`]
    /// if that fails.
    pub fn lines(&self) -> &[&'v [u8]] {
        self.lines
    }

    /// True if its texts are certainly stored verbatim in the lines, apart from escapes. Several
    /// turns of a transcript are not, nor are texts composed of the parts of a message.
    pub fn is_verbatim(&self) -> bool {
        self.malformed || (!self.is_composed && self.schema().definition().prompt.is_some())
    }

    /// Returns a fact of the sample, by name, from its first row.
    pub fn fact(&self, name: &str) -> Option<String> {
        let line = self.lines().first().filter(|_| !self.malformed)?;
        self.reader
            .with_row(line, |row| {
                row.record()
                    .map(|record| record.facts)
                    .unwrap_or_default()
                    .into_iter()
                    .find(|fact| fact.name == name)
                    .map(|fact| fact.value.into_owned())
            })
            .flatten()
    }

    /// Returns the words of a column of facts or fields: one, or one for each response.
    pub fn words_of(&self, column: ColumnId, responses: usize) -> Vec<Option<String>> {
        match column.source.field() {
            Some(field) => self.field_words(field, responses),
            None => vec![self.fact(column.name)],
        }
    }

    /// Calls a function with each text of some kinds, in order. Responses are numbered from 0 (A).
    /// The first row provides the prompt of a sample. A malformed row is one text, with U+FFFD for
    /// bytes that are not UTF-8. `scratch` is a buffer for decoding.
    pub fn for_each_text(
        &self,
        mut kinds: TextKinds,
        scratch: &mut String,
        show: &mut dyn FnMut(RowText, &str),
    ) {
        for (row, line) in self.lines().iter().enumerate() {
            if self.malformed {
                if kinds.intersects(TextKinds::MALFORMED) {
                    let of = RowText::new(TextKinds::MALFORMED, None);
                    show(of, &String::from_utf8_lossy(line));
                }
                continue;
            }
            // With several rows, each is one response.
            self.reader.with_row(line, |captured| {
                captured.for_each_text(kinds, scratch, &mut |of: RowText, text: &str| {
                    let response = of.response.map(|place| place + self.rows.response_at(row));
                    show(RowText { response, ..of }, text);
                });
            });
            kinds = kinds.difference(TextKinds::PROMPT);
            if self.schema().definition().is_row_by_annotator() {
                kinds = kinds.difference(TextKinds::RESPONSE);
            }
            if kinds.is_empty() {
                break;
            }
        }
    }

    /// Evaluates a predicate on the rows, as a scan does.
    pub fn answer(&self, predicate: &dyn RowPredicate, scratch: &mut String) -> ResponseMask {
        let mut all = ResponseMaskBuilder::default();
        for (place, line) in self.lines().iter().enumerate() {
            if self.malformed {
                all.add(predicate.of_malformed(line), 0);
                continue;
            }
            // The first row provides the prompt of a sample.
            let same_prompt = (place > 0).then(ResponseMask::default);
            let answer = self
                .reader
                .with_row(line, |row| predicate.of_row(row, same_prompt, scratch));
            let at = self.rows.response_at(place);
            all.add(answer.unwrap_or_default(), at);
        }
        all.build()
    }
}

/// Bytes of a piece, unless a single sample is larger.
const PIECE: u64 = 256 << 10;
/// Gaps of this many bytes between two samples are not read.
const GAP: u64 = 16 << 10;

impl Dataset {
    /// Calls `visit` with the rows of each sample in a range for which `is_included` is true, in
    /// order. Samples are read in batches into memory of this thread, so `is_included` is called up
    /// to a piece ahead, and twice for a few.
    pub fn for_each_sample(
        &self,
        samples: Range<usize>,
        is_included: &dyn Fn(usize) -> bool,
        visit: &mut dyn FnMut(usize, ScannedRows<'_>),
    ) {
        let samples = samples.start..samples.end.min(self.samples());
        for chunk in self.chunks_of(&samples) {
            let Some(file) = self.files.get(chunk.file()) else {
                break;
            };
            let mut scanned = ScannedChunk {
                dataset: self,
                file,
                reader: RowReader::new(&file.schema),
                chunk,
                piece: Piece::new(),
                is_sound: false,
                batch: Vec::new(),
            };
            let first = chunk.first_sample();
            let last = samples.end.min(first + chunk.samples());
            let mut rest = samples.start.max(first)..last;
            while !rest.is_empty() {
                scanned.gather(&mut rest, is_included);
                for &sample in &scanned.batch {
                    scanned.show(sample - first, &mut |rows| visit(sample, rows));
                }
            }
        }
    }
}

/// A chunk whose samples are read.
struct ScannedChunk<'d> {
    dataset: &'d Dataset,
    file: &'d DatasetFile,
    reader: RowReader<'d>,
    chunk: &'d Chunk,
    /// Bytes of the samples of the batch.
    piece: Piece,
    /// Whether the piece was read and belongs to the scanned content.
    is_sound: bool,
    /// Samples read together.
    batch: Vec<usize>,
}

impl ScannedChunk<'_> {
    /// Reads the next requested samples, as many as fit into a piece.
    fn gather(&mut self, rest: &mut Range<usize>, is_included: &dyn Fn(usize) -> bool) {
        self.batch.clear();
        let mut piece: Option<Range<u64>> = None;
        // Rows of earlier chunks are read one by one; this many also complete a batch.
        let mut elsewhere = 0;
        for sample in rest.clone().filter(|&sample| is_included(sample)) {
            let rows = self.chunk.sample_rows(sample - self.chunk.first_sample());
            let bytes = rows.map(|rows| self.bytes(rows)).unwrap_or_default();
            if bytes.is_empty() && elsewhere > PIECE {
                break;
            }
            if bytes.is_empty() {
                elsewhere += self.dataset.sample_bytes(sample);
            }
            let all = piece.as_ref().map_or(bytes.clone(), |all| {
                all.start.min(bytes.start)..all.end.max(bytes.end)
            });
            let is_far = piece
                .as_ref()
                .is_some_and(|all| bytes.start > all.end + GAP);
            if !self.batch.is_empty() && (is_far || all.end - all.start > PIECE) {
                break;
            }
            piece = Some(all);
            self.batch.push(sample);
            rest.start = sample + 1;
        }
        if self.batch.is_empty() {
            rest.start = rest.end;
        }
        let source = &self.file.source;
        self.is_sound = piece.is_some_and(|piece| {
            self.piece
                .read(source, piece)
                .and_then(|()| source.check_unchanged())
                .is_ok()
        });
    }

    /// Returns the bytes of a sample's rows in this chunk.
    fn bytes(&self, rows: SampleRows<'_>) -> Range<u64> {
        rows.iter()
            .filter_map(|row| row.checked_sub(self.chunk.first_row))
            .map(|within| self.chunk.bytes(within as usize))
            .reduce(|all, next| all.start.min(next.start)..all.end.max(next.end))
            .unwrap_or_default()
    }

    fn show(&self, within: usize, visit: &mut dyn FnMut(ScannedRows<'_>)) {
        let Some(rows) = self.chunk.sample_rows(within) else {
            return;
        };
        let malformed = self.chunk.columns.responses.get(within) == Some(&0);
        let mut alone = vec![Vec::new(); rows.count()];
        let lines: Option<Vec<_>> = rows
            .iter()
            .zip(&mut alone)
            .map(|(row, alone)| self.line(row, alone))
            .collect();
        visit(ScannedRows {
            reader: &self.reader,
            rows,
            lines: &lines.unwrap_or_default(),
            malformed,
            is_composed: self.chunk.columns.is_composed,
        });
    }

    /// Returns the line of a row: from the piece, or read and checked separately.
    fn line<'s>(&'s self, row: u32, alone: &'s mut Vec<u8>) -> Option<&'s [u8]> {
        match row
            .checked_sub(self.chunk.first_row)
            .filter(|_| self.is_sound)
        {
            Some(within) => self.line_in_piece(within as usize),
            // It is in an earlier chunk, or the file changed and may still contain it.
            None => self.dataset.read_line(row, alone).ok().map(|()| &**alone),
        }
    }

    fn line_in_piece(&self, within: usize) -> Option<&[u8]> {
        let bytes = self.piece.get(&self.chunk.bytes(within))?;
        // Without blank lines after it, its end is known.
        let alone = self.chunk.line(within + 1) == self.chunk.line(within) + 1;
        Some(if alone {
            lines::trim(bytes)
        } else {
            lines::of_row(bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::dataset::tests::dataset;
    use crate::schema::CapturedRow;

    /// Holds for every response, and for the shared part unless the prompt is known. Records its
    /// arguments.
    #[derive(Debug, Default)]
    struct Recorder(Mutex<Vec<Option<ResponseMask>>>);

    impl RowPredicate for Recorder {
        fn of_row(
            &self,
            _row: &CapturedRow<'_, '_>,
            same_prompt: Option<ResponseMask>,
            _scratch: &mut String,
        ) -> ResponseMask {
            self.0.lock().expect("no panic").push(same_prompt);
            match same_prompt {
                None => ResponseMask::of(0).with(ResponseMask::SHARED),
                Some(_) => ResponseMask::of(0),
            }
        }

        fn of_malformed(&self, line: &[u8]) -> ResponseMask {
            assert_eq!(line, b"no row");
            ResponseMask::SHARED
        }
    }

    #[test]
    fn rows_that_are_read_again_answer_as_while_they_are_scanned() {
        let row = |prompt: &str, rating: u32| {
            format!(
                r#"{{"prompt": "{prompt}", "response": "r", "helpfulness": {rating}, "correctness": 1, "coherence": 1, "complexity": 1, "verbosity": 1}}"#
            )
        };
        let lines = [row("p", 1), row("p", 2), "no row".to_owned(), row("q", 3)];
        let dataset = dataset(&[lines.join("\n")]);
        let (recorder, mut answers) = (Recorder::default(), Vec::new());
        dataset.for_each_sample(0..3, &|_| true, &mut |_, rows| {
            answers.push(rows.answer(&recorder, &mut String::new()));
        });
        let both = ResponseMask::of(0).with(ResponseMask::of(1));
        let alone = ResponseMask::of(0).with(ResponseMask::SHARED);
        assert_eq!(
            answers,
            [both.with(ResponseMask::SHARED), ResponseMask::SHARED, alone]
        );
        let asked = recorder.0.into_inner().expect("no panic");
        assert_eq!(asked, [None, Some(ResponseMask::default()), None]);
    }
}
