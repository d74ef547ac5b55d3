//! What is counted in texts: columns that are filled once somebody asks, since all texts must be
//! read for them, in one pass for all that are asked for.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::chunk::Chunk;
use super::columns::StoredColumn;
use super::parallel::in_parallel;
use super::{Dataset, ScannedRows};
use crate::schema::RowText;
use crate::table::{BuiltIn, ColumnSource, SampleTexts, Values};

/// Samples that one thread reads at a time.
const PIECE: usize = 256;
/// Chunks whose counts are made before they are packed, and before it is asked again whether they
/// are wanted.
const GROUP: usize = 4;

/// What was counted in the texts of a chunk's samples by now, one entry a sample. It grows while
/// others read it, and what is there stays as it is.
#[derive(Debug)]
pub struct TextColumns {
    /// By the place of the column in the table.
    known: Box<[OnceLock<StoredColumn>]>,
}

impl Default for TextColumns {
    fn default() -> Self {
        Self {
            known: BuiltIn::all().map(|_| OnceLock::new()).collect(),
        }
    }
}

impl TextColumns {
    /// What is counted of responses, a list for each; `None` while that was not counted.
    pub fn of_responses(&self, column: BuiltIn) -> Option<&[Values]> {
        match self.known.get(column.index())?.get()? {
            StoredColumn::Response(values) => Some(values),
            _ => None,
        }
    }

    /// What is counted of samples; `None` while that was not counted.
    pub fn of_samples(&self, column: BuiltIn) -> Option<&Values> {
        match self.known.get(column.index())?.get()? {
            StoredColumn::Sample(values) => Some(values),
            _ => None,
        }
    }

    /// Whether this was counted.
    fn has(&self, column: BuiltIn) -> bool {
        (self.known.get(column.index())).is_none_or(|known| known.get().is_some())
    }

    /// Keeps what was counted; what was there before stays, which is the same.
    fn keep(&self, column: BuiltIn, counted: StoredColumn) {
        if let Some(known) = self.known.get(column.index()) {
            // Two threads may have counted it at the same time.
            let _ = known.set(counted);
        }
    }
}

/// What is counted in the texts of some samples: of each column its lists, one a response or, of
/// what is counted of samples, one.
struct TextCounts {
    columns: Vec<(BuiltIn, Vec<Vec<u32>>)>,
}

impl TextCounts {
    /// Nothing yet, of so many samples with at most so many responses.
    fn new(columns: &[BuiltIn], responses: usize, samples: usize) -> Self {
        let lists = |&column: &BuiltIn| {
            let count = match column.def().source {
                ColumnSource::ResponseText(_) | ColumnSource::RationaleText(_) => responses,
                _ => 1,
            };
            (column, vec![vec![Values::NO_COUNT; samples]; count])
        };
        Self {
            columns: columns.iter().map(lists).collect(),
        }
    }

    /// Counts in the texts of the sample at a place.
    fn count(&mut self, at: usize, texts: &SampleTexts) {
        for (column, lists) in &mut self.columns {
            match column.def().source {
                ColumnSource::ResponseText(count) => {
                    for (list, response) in lists.iter_mut().zip(&texts.responses) {
                        list[at] = count(response);
                    }
                }
                ColumnSource::RationaleText(count) => {
                    for (list, rationales) in lists.iter_mut().zip(&texts.rationales) {
                        list[at] = count(rationales);
                    }
                }
                ColumnSource::PromptText(count) => lists[0][at] = count(&texts.prompt),
                ColumnSource::SampleText(count) => lists[0][at] = count(texts),
                _ => {}
            }
        }
    }

    /// Packs what was counted of consecutive samples.
    fn packed(pieces: Vec<Self>) -> Vec<(BuiltIn, StoredColumn)> {
        let mut pieces = pieces.into_iter();
        let mut all = pieces.next().map(|first| first.columns).unwrap_or_default();
        for piece in pieces {
            for ((_, lists), (_, more)) in all.iter_mut().zip(piece.columns) {
                let lists = lists.iter_mut().zip(more);
                lists.for_each(|(list, more)| list.extend(more));
            }
        }
        let pack = |(column, lists): (BuiltIn, Vec<Vec<u32>>)| {
            let mut lists = lists.into_iter().map(|list| Values::of_counts(list.into()));
            let stored = match column.def().source {
                ColumnSource::ResponseText(_) | ColumnSource::RationaleText(_) => {
                    StoredColumn::Response(lists.collect())
                }
                _ => StoredColumn::Sample(
                    (lists.next()).unwrap_or_else(|| Values::of_counts(Box::default())),
                ),
            };
            (column, stored)
        };
        all.into_iter().map(pack).collect()
    }
}

impl Dataset {
    /// Whether these columns, of those that are counted in texts, are known of all samples.
    pub fn has_counted_texts(&self, columns: &[BuiltIn]) -> bool {
        let has = |chunk: &Chunk| {
            let known = &chunk.text_columns;
            // The rows of a chunk can all belong to the sample before.
            chunk.samples() == 0 || columns.iter().all(|&column| known.has(column))
        };
        self.chunks.iter().all(|chunk| has(chunk))
    }

    /// Counts these columns in the texts of some samples (numbers from 0), and of all others in
    /// their chunks, where they are not known yet, on all cores. Breaks off once it is not `wanted`
    /// any more, which is asked for every sample; what was counted by then of whole chunks is kept.
    pub fn count_texts(
        &self,
        columns: &[BuiltIn],
        samples: Range<usize>,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> ControlFlow<()> {
        let lacks = |chunk: &Chunk| -> Vec<BuiltIn> {
            let mut unknown: Vec<BuiltIn> = columns.to_vec();
            unknown.retain(|&column| !chunk.text_columns.has(column));
            // A query can ask for one twice.
            unknown.sort_unstable_by_key(|column| column.index());
            unknown.dedup();
            unknown
        };
        let is_asked = |chunk: &Chunk| {
            let first = chunk.first_sample();
            first < samples.end && first + chunk.samples() > samples.start
        };
        let chunks = self
            .chunks
            .iter()
            .map(|chunk| &**chunk)
            .filter(|chunk| is_asked(chunk));
        let lacking = chunks.map(|chunk| (chunk, lacks(chunk)));
        let lacking: Vec<_> = lacking.filter(|(_, columns)| !columns.is_empty()).collect();
        for group in lacking.chunks(GROUP) {
            let pieces = |(place, (chunk, _)): (usize, &(&Chunk, Vec<BuiltIn>))| {
                let (first, end) = (chunk.first_sample(), chunk.first_sample() + chunk.samples());
                let pieces = (first..end).step_by(PIECE);
                pieces.map(move |start| (place, start..end.min(start + PIECE)))
            };
            let pieces: Vec<_> = group.iter().enumerate().flat_map(pieces).collect();
            let counted = in_parallel(&pieces, |(place, samples)| {
                let (chunk, columns) = &group[*place];
                self.count_piece(chunk, columns, samples.clone(), wanted)
            });
            if !wanted() {
                return ControlFlow::Break(());
            }
            let mut counted = counted.into_iter().zip(pieces).peekable();
            for (place, (chunk, _)) in group.iter().enumerate() {
                let mut own = Vec::new();
                while let Some((counts, _)) = counted.next_if(|(_, piece)| piece.0 == place) {
                    own.push(counts);
                }
                for (column, stored) in TextCounts::packed(own) {
                    chunk.text_columns.keep(column, stored);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// What is counted of a column in the texts of some samples of one chunk, read now and not kept:
    /// a list for each response or, of what is counted of samples, one; NaN where there is nothing.
    pub fn counted_now(
        &self,
        column: BuiltIn,
        samples: Range<usize>,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Vec<f64>> {
        let number = |count: u32| match count {
            Values::NO_COUNT => f64::NAN,
            count => f64::from(count),
        };
        let chunk = self
            .chunk_place(samples.start)
            .and_then(|place| self.chunks.get(place));
        let counts = chunk.map(|chunk| self.count_piece(chunk, &[column], samples, wanted));
        let lists = counts.and_then(|counts| counts.columns.into_iter().next());
        let lists = lists.map(|(_, lists)| lists).unwrap_or_default();
        let numbers = |list: Vec<u32>| list.into_iter().map(number).collect();
        lists.into_iter().map(numbers).collect()
    }

    /// Counts in the texts of consecutive samples of a chunk.
    fn count_piece(
        &self,
        chunk: &Chunk,
        columns: &[BuiltIn],
        samples: Range<usize>,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> TextCounts {
        let responses = &chunk.columns().responses;
        let most = responses.iter().fold(1, |most, &count| most.max(count));
        let mut counts = TextCounts::new(columns, usize::from(most), samples.len());
        let (mut scratch, mut texts) = (String::new(), SampleTexts::default());
        let start = samples.start;
        self.sweep(samples, &|_| wanted(), &mut |sample, rows| {
            let count = responses.get(sample - chunk.first_sample());
            if rows.malformed || rows.lines().is_empty() || !wanted() {
                return;
            }
            rows.collect_texts(&mut scratch, &mut texts);
            let count = count.copied().map_or(0, usize::from);
            texts.responses.resize_with(count, Vec::new);
            texts.rationales.resize_with(count, Vec::new);
            counts.count(sample - start, &texts);
        });
        counts
    }
}

impl ScannedRows<'_> {
    /// Puts the texts of the sample's prompt and responses in place of those that are there.
    fn collect_texts(&self, scratch: &mut String, texts: &mut SampleTexts) {
        texts.prompt.clear();
        texts.responses.clear();
        texts.rationales.clear();
        self.texts(scratch, &mut |place, text| match place {
            Some(RowText::Prompt) => texts.prompt.push(text.to_owned()),
            Some(RowText::Response(place)) => {
                if texts.responses.len() <= place {
                    texts.responses.resize_with(place + 1, Vec::new);
                }
                texts.responses[place].push(text.to_owned());
            }
            Some(RowText::Rationale(Some(place))) => {
                if texts.rationales.len() <= place {
                    texts.rationales.resize_with(place + 1, Vec::new);
                }
                texts.rationales[place].push(text.to_owned());
            }
            None | Some(RowText::QuoteTitle(_) | RowText::Quote(_) | RowText::Rationale(None)) => {}
        });
    }
}
