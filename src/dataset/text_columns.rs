//! What is counted in texts: columns that are filled once somebody asks, since all texts must be
//! read for them, in one pass for all that are asked for.

use super::ScannedRows;
use super::chunk::Chunk;
use crate::schema::{RowText, TextKinds};
use crate::table::{ColumnData, ColumnId, ColumnSource, SampleTexts, Values};

/// What is counted in the texts of some samples: of each column its lists, one a response or, of
/// what is counted of samples, one.
pub(super) struct TextCounts {
    pub(super) columns: Vec<(ColumnId, Vec<Vec<u32>>)>,
}

impl TextCounts {
    /// Nothing yet, of so many samples of a chunk.
    pub(super) fn of_chunk(columns: &[ColumnId], chunk: &Chunk, samples: usize) -> Self {
        let responses = chunk.columns().responses.iter().copied();
        let responses = usize::from(responses.fold(1, u16::max));
        let lists = |&column: &ColumnId| {
            let count = if column.is_of_responses() {
                responses
            } else {
                1
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
            match column.source {
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
    fn packed(pieces: Vec<Self>) -> impl Iterator<Item = (ColumnId, ColumnData)> {
        let mut pieces = pieces.into_iter();
        let mut all = pieces.next().map(|first| first.columns).unwrap_or_default();
        for piece in pieces {
            for ((_, lists), (_, more)) in all.iter_mut().zip(piece.columns) {
                let lists = lists.iter_mut().zip(more);
                lists.for_each(|(list, more)| list.extend(more));
            }
        }
        all.into_iter().map(|(column, lists)| {
            let lists = lists.into_iter().map(|list| Values::of_counts(list.into()));
            (column, ColumnData::Numbers(lists.collect()))
        })
    }
}

impl Chunk {
    /// Those of some columns that are not known of its samples, each once.
    pub(super) fn lacking_columns(&self, columns: &[ColumnId]) -> Vec<ColumnId> {
        let mut unknown: Vec<ColumnId> = Vec::new();
        for &column in columns {
            // A query can ask for one twice.
            if self.columns.get(column).is_none() && !unknown.contains(&column) {
                unknown.push(column);
            }
        }
        unknown
    }

    /// Keeps what was counted of all its samples, piece by piece.
    pub(super) fn keep_counts(&self, pieces: Vec<TextCounts>) {
        for (column, stored) in TextCounts::packed(pieces) {
            self.columns.keep(column, stored);
        }
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
