//! What is counted in texts: columns that are filled once somebody asks, since all texts must be
//! read for them, in one pass for all that are asked for.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use super::chunk::Chunk;
use super::columns::StoredColumn;
use super::text_pass::TextPass;
use super::{Dataset, ScannedRows};
use crate::schema::{RowText, TextKinds};
use crate::table::{BuiltIn, ColumnSource, SampleTexts, Values};

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
pub(super) struct TextCounts {
    columns: Vec<(BuiltIn, Vec<Vec<u32>>)>,
}

impl TextCounts {
    /// Nothing yet, of so many samples of a chunk.
    pub(super) fn of_chunk(columns: &[BuiltIn], chunk: &Chunk, samples: usize) -> Self {
        let responses = chunk.columns().responses.iter().copied();
        let responses = usize::from(responses.fold(1, u8::max));
        let lists = |&column: &BuiltIn| {
            let count = match column.def().source {
                ColumnSource::ResponseText(_)
                | ColumnSource::RationaleText(_)
                | ColumnSource::AmongResponses(_) => responses,
                _ => 1,
            };
            (column, vec![vec![Values::NO_COUNT; samples]; count])
        };
        Self {
            columns: columns.iter().map(lists).collect(),
        }
    }

    /// Counts in the texts of a sample, which is at a place here.
    pub(super) fn count(&mut self, at: usize, texts: &SampleTexts) {
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
                ColumnSource::SampleText(count) => lists[0][at] = count(texts),
                ColumnSource::AmongResponses(count) => {
                    for (list, count) in lists.iter_mut().zip(count(texts)) {
                        list[at] = count;
                    }
                }
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
                ColumnSource::ResponseText(_)
                | ColumnSource::RationaleText(_)
                | ColumnSource::AmongResponses(_) => StoredColumn::Response(lists.collect()),
                _ => StoredColumn::Sample(
                    (lists.next()).unwrap_or_else(|| Values::of_counts(Box::default())),
                ),
            };
            (column, stored)
        };
        all.into_iter().map(pack).collect()
    }
}

impl Chunk {
    /// Those of some columns that are not known of its samples, each once.
    pub(super) fn lacking_columns(&self, columns: &[BuiltIn]) -> Vec<BuiltIn> {
        let mut unknown: Vec<BuiltIn> = columns.to_vec();
        unknown.retain(|&column| !self.text_columns.has(column));
        // A query can ask for one twice.
        unknown.sort_unstable_by_key(|column| column.index());
        unknown.dedup();
        unknown
    }

    /// Keeps what was counted of all its samples, piece by piece.
    pub(super) fn keep_counts(&self, pieces: Vec<TextCounts>) {
        for (column, stored) in TextCounts::packed(pieces) {
            self.text_columns.keep(column, stored);
        }
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
        let mut pass = TextPass::new(self, columns.to_vec(), &[], samples);
        while pass.next_samples().is_some() {
            pass.read(None, wanted)?;
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
        let pass = TextPass::new(self, vec![column], &[], samples.clone());
        let counts = chunk.map(|chunk| pass.count(chunk, &[column], samples, wanted));
        let lists = counts.and_then(|counts| counts.columns.into_iter().next());
        let lists = lists.map(|(_, lists)| lists).unwrap_or_default();
        let numbers = |list: Vec<u32>| list.into_iter().map(number).collect();
        lists.into_iter().map(numbers).collect()
    }
}

impl ScannedRows<'_> {
    /// Replaces `texts` with those of the sample, and shows each of some kinds.
    pub(super) fn collect_texts(
        &self,
        kinds: TextKinds,
        scratch: &mut String,
        texts: &mut SampleTexts,
        see: &mut dyn FnMut(RowText, &str),
    ) {
        texts.prompt.clear();
        texts.responses.clear();
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
                (TextKinds::RESPONSE, Some(place)) => add(&mut texts.responses, place, text),
                (TextKinds::RATIONALE, Some(place)) => add(&mut texts.rationales, place, text),
                _ => {}
            }
        });
    }
}
