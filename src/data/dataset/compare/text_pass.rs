//! A single pass over the texts of all samples for all uses: counted columns, comparisons and query
//! terms.

use std::ops::{ControlFlow, Range};

use super::overlap::{OverlapRange, OverlapReader};
use crate::dataset::read::text_columns::TextCounts;
use crate::dataset::{Chunk, Dataset, ScannedRows};
use crate::model::Role;
use crate::parallel::{KeepGoing, in_parallel};
use crate::schema::{RowText, TextKinds};
use crate::table::{ColumnData, ColumnId, SampleComparison, SampleTexts};

/// Samples read by one thread at a time.
const PIECE: usize = 256;
/// Minimum samples of the chunks that are read together before results are stored.
const MIN_SAMPLES: usize = 16 << 10;

/// Called with each text of the samples read, in the order of
/// [`ScannedRows::for_each_text`]. Threads call it concurrently, but all texts of a sample come from
/// one thread.
pub type SeeText<'s> = dyn Fn(usize, RowText, &str) + Sync + 's;

/// Reads the texts of samples chunk by chunk and stores the results in the dataset.
pub struct TextPass<'d> {
    dataset: &'d Dataset,
    columns: Vec<ColumnId>,
    /// Samples not yet read.
    rest: Range<usize>,
    /// Comparisons, if all samples are read.
    overlap: Option<OverlapReader>,
}

/// Results for consecutive samples of a chunk.
struct ReadPiece {
    counts: TextCounts,
    overlap: Option<OverlapRange>,
}

impl<'d> TextPass<'d> {
    /// Creates a pass over a range of samples. It counts these columns for the whole chunks of the
    /// range, unless they are known, and computes these comparisons if the range covers all
    /// samples.
    pub fn new(
        dataset: &'d Dataset,
        columns: Vec<ColumnId>,
        comparisons: &[SampleComparison],
        samples: Range<usize>,
    ) -> Self {
        let rest = samples.start..samples.end.min(dataset.samples());
        let is_all = rest == (0..dataset.samples());
        let unknown = |asked: fn(&SampleComparison) -> bool| {
            let mut asked = comparisons.iter().filter(|comparison| asked(comparison));
            is_all && asked.any(|comparison| !dataset.has_compared(*comparison))
        };
        let (prompts, responses) = (
            unknown(SampleComparison::is_of_prompts),
            unknown(|comparison| !comparison.is_of_prompts()),
        );
        Self {
            dataset,
            columns,
            rest,
            overlap: (prompts || responses)
                .then(|| OverlapReader::new(dataset, prompts, responses)),
        }
    }

    /// Returns the samples of the next whole chunks; `None` at the end.
    pub fn next_samples(&self) -> Option<Range<usize>> {
        let end = self
            .dataset
            .chunks_of(&self.rest)
            .iter()
            .map(|chunk| chunk.first_sample() + chunk.samples())
            .find(|end| *end >= self.rest.start + MIN_SAMPLES);
        let next = self.rest.start..self.rest.end.min(end.unwrap_or(self.rest.end));
        (!next.is_empty()).then_some(next)
    }

    /// Reads the next samples. Cancellation is checked for every sample; then nothing of them is
    /// stored.
    pub fn read(
        &mut self,
        see: Option<&SeeText<'_>>,
        keep_going: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let Some(samples) = self.next_samples() else {
            return ControlFlow::Continue(());
        };
        let is_read =
            |columns: &[ColumnId]| !columns.is_empty() || self.overlap.is_some() || see.is_some();
        let chunks: Vec<_> = self
            .dataset
            .chunks_of(&samples)
            .iter()
            .map(|chunk| (chunk, chunk.lacking_columns(&self.columns)))
            .filter(|(_, columns)| is_read(columns))
            .collect();
        let pieces = chunks.iter().enumerate().flat_map(|(place, (chunk, _))| {
            let first = chunk.first_sample();
            // Columns are counted for whole chunks; other texts only for samples not yet read.
            (first..first + chunk.samples())
                .step_by(PIECE)
                .map(move |start| (place, start..(first + chunk.samples()).min(start + PIECE)))
        });
        let pieces: Vec<_> = pieces.collect();
        let read = in_parallel(&pieces, |(place, samples)| {
            let (chunk, columns) = &chunks[*place];
            self.read_piece(chunk, columns, samples.clone(), see, keep_going)
        });
        if !keep_going() {
            return ControlFlow::Break(());
        }
        let mut read = read.into_iter().zip(&pieces).peekable();
        for (place, (chunk, _)) in chunks.iter().enumerate() {
            let mut counts = Vec::new();
            while let Some((piece, _)) = read.next_if(|(_, (of, _))| *of == place) {
                counts.push(piece.counts);
                if let (Some(overlap), Some(segment)) = (&mut self.overlap, piece.overlap) {
                    overlap.take(segment);
                }
            }
            for (column, stored) in TextCounts::packed(counts) {
                chunk.columns.later.add(column, stored);
            }
        }
        self.rest.start = samples.end;
        ControlFlow::Continue(())
    }

    /// Computes the comparisons, if any, and stores them in the dataset.
    pub fn finish(self, keep_going: &dyn KeepGoing) -> ControlFlow<()> {
        match self.overlap {
            Some(overlap) if self.rest.is_empty() => self.dataset.keep_overlap(overlap, keep_going),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Counts columns in the texts of a chunk, without storing them.
    fn count(&self, chunk: &Chunk, keep_going: &dyn KeepGoing) -> TextCounts {
        self.read_piece(chunk, &self.columns, self.rest.clone(), None, keep_going)
            .counts
    }

    fn read_piece(
        &self,
        chunk: &Chunk,
        columns: &[ColumnId],
        samples: Range<usize>,
        see: Option<&SeeText<'_>>,
        keep_going: &dyn KeepGoing,
    ) -> ReadPiece {
        let mut counts = TextCounts::of_chunk(columns, chunk, samples.len());
        let overlap = self.overlap.as_ref();
        let is_of_fields = counts.is_of_fields() && overlap.is_none() && see.is_none();
        let kinds = match overlap.filter(|_| columns.is_empty() && see.is_none()) {
            Some(overlap) => overlap.kinds(),
            None => TextKinds::all().difference(TextKinds::ID),
        };
        let mut segment = overlap.map(|_| OverlapRange::new(samples.len()));
        let (mut scratch, mut texts) = (String::new(), SampleTexts::default());
        let start = samples.start;
        self.dataset
            .for_each_sample(samples, &|_| keep_going(), &mut |sample, rows| {
                if rows.lines().is_empty() || !keep_going() {
                    return;
                }
                let count = chunk.responses_of(sample - chunk.first_sample());
                counts.read_fields(sample - start, &rows, count);
                if is_of_fields {
                    return;
                }
                rows.collect_texts(kinds, &mut scratch, &mut texts, &mut |of, text| {
                    if let Some(see) = see {
                        see(sample, of, text);
                    }
                });
                if rows.malformed {
                    return;
                }
                if let (Some(reader), Some(segment)) = (overlap, &mut segment) {
                    segment.add(reader, self.dataset, sample, sample - start, &texts);
                }
                texts.responses.resize_with(count, Vec::new);
                texts.rationales.resize_with(count, Vec::new);
                counts.count(sample - start, &texts);
            });
        ReadPiece {
            counts,
            overlap: segment,
        }
    }
}

impl Chunk {
    /// Returns those of these columns that are unknown for its samples, without duplicates.
    fn lacking_columns(&self, columns: &[ColumnId]) -> Vec<ColumnId> {
        let mut unknown: Vec<ColumnId> = Vec::new();
        for &column in columns {
            // A query can contain a column twice.
            if self.columns.get(column).is_none() && !unknown.contains(&column) {
                unknown.push(column);
            }
        }
        unknown
    }
}

impl ScannedRows<'_> {
    /// Replaces `texts` with those of the sample, and passes texts of some kinds to a function.
    fn collect_texts(
        &self,
        kinds: TextKinds,
        scratch: &mut String,
        texts: &mut SampleTexts,
        see: &mut dyn FnMut(RowText, &str),
    ) {
        texts.prompt.clear();
        texts.responses.clear();
        texts.last_speakers.clear();
        texts.rationales.clear();
        let add = |lists: &mut Vec<Vec<String>>, place: usize, text: &str| {
            if lists.len() <= place {
                lists.resize_with(place + 1, Vec::new);
            }
            lists[place].push(text.to_owned());
        };
        self.for_each_text(kinds, scratch, &mut |of, text| {
            see(of, text);
            match (of.kind, of.response) {
                (TextKinds::PROMPT, _) => texts.prompt.push((of.role, text.to_owned())),
                (TextKinds::RESPONSE, Some(place)) => {
                    add(&mut texts.responses, place, text);
                    texts.last_speakers.resize(place, Role::Assistant);
                    texts.last_speakers.push(of.role);
                }
                (TextKinds::RATIONALE, Some(place)) => add(&mut texts.rationales, place, text),
                _ => {}
            }
        });
    }
}

impl Dataset {
    /// True if the values of a column are known for all samples: its texts were counted, its
    /// samples were compared, or it needs neither.
    pub fn knows(&self, column: ColumnId) -> bool {
        let comparison = column.source.comparison();
        comparison.is_none_or(|comparison| self.has_compared(comparison))
            && (!column.source.reads_texts() || self.has_counted_texts(&[column]))
    }

    /// True if these columns, of those counted in texts, are known for all samples.
    pub fn has_counted_texts(&self, columns: &[ColumnId]) -> bool {
        // All rows of a chunk can belong to a sample that a later chunk completes.
        let mut chunks = self.chunks.iter().filter(|chunk| chunk.samples() > 0);
        let is_known = |chunk: &Chunk, column: &ColumnId| chunk.columns.get(*column).is_some();
        chunks.all(|chunk| columns.iter().all(|column| is_known(chunk, column)))
    }

    /// Counts these columns in the texts of the chunks that contain a range of samples, on all
    /// cores, unless they are known. Cancellation is checked for every sample; columns of whole
    /// chunks counted by then are kept.
    pub fn count_texts(
        &self,
        columns: &[ColumnId],
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
    ) -> ControlFlow<()> {
        let mut pass = TextPass::new(self, columns.to_vec(), &[], samples);
        while pass.next_samples().is_some() {
            pass.read(None, keep_going)?;
        }
        ControlFlow::Continue(())
    }

    /// Reads the values of a column for samples of one chunk without storing them.
    pub fn counted_now(
        &self,
        column: ColumnId,
        samples: Range<usize>,
        keep_going: &dyn KeepGoing,
    ) -> Option<ColumnData> {
        let (chunk, _) = self.chunk_of(samples.start)?;
        let counts = TextPass::new(self, vec![column], &[], samples).count(chunk, keep_going);
        TextCounts::packed(vec![counts])
            .next()
            .map(|(_, values)| values)
    }
}
