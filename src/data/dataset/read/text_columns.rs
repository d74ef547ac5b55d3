//! Columns counted in texts, and fields that no schema names. They are computed on demand in one
//! pass for all requested columns, since that reads all rows.

use super::key::Hasher;
use crate::dataset::{Chunk, ScannedRows};
use crate::table::{
    ColumnData, ColumnId, ColumnSource, FieldForm, FieldSource, Level, SampleTexts, Values,
    WordList,
};

/// Values of some samples: for each column, one list for samples or one for each response.
pub struct TextCounts {
    columns: Vec<(ColumnId, ReadLists)>,
    samples: usize,
}

/// Lists with an entry for each sample.
enum ReadLists {
    Counts(Vec<Vec<u32>>),
    Numbers(Vec<Vec<f64>>),
    Words(Vec<WordList>),
}

impl ReadLists {
    fn append(&mut self, more: Self) {
        fn each<T>(lists: &mut [Vec<T>], more: Vec<Vec<T>>) {
            lists
                .iter_mut()
                .zip(more)
                .for_each(|(list, more)| list.extend(more));
        }
        match (self, more) {
            (Self::Counts(lists), Self::Counts(more)) => each(lists, more),
            (Self::Numbers(lists), Self::Numbers(more)) => each(lists, more),
            (Self::Words(lists), Self::Words(more)) => {
                lists
                    .iter_mut()
                    .zip(more)
                    .for_each(|(list, more)| list.append(&more, 0..more.len()));
            }
            _ => {}
        }
    }

    fn packed(self) -> ColumnData {
        match self {
            Self::Counts(lists) => {
                let lists = lists.into_iter().map(|list| Values::of_counts(list.into()));
                ColumnData::Numbers(lists.collect())
            }
            Self::Numbers(lists) => {
                let lists = lists
                    .into_iter()
                    .map(|list| Values::of_numbers(list.into(), None));
                ColumnData::Numbers(lists.collect())
            }
            Self::Words(lists) => {
                ColumnData::Words(lists.into_iter().map(WordList::column).collect())
            }
        }
    }
}

/// Returns the first 32 bits of the SHA-256 of the turns, each followed by a byte 0xFF, as in a
/// [`crate::dataset::SampleKey`]; at most one less than the code of a missing count.
fn prompt_id(texts: &SampleTexts) -> u32 {
    let mut hasher = Hasher::default();
    (texts.prompt.iter()).for_each(|(_, turn)| hasher.text(turn));
    ((hasher.key().number() >> 32) as u32).min(Values::NO_COUNT - 1)
}

impl TextCounts {
    /// Creates empty lists for `samples` samples of a chunk.
    pub fn of_chunk(columns: &[ColumnId], chunk: &Chunk, samples: usize) -> Self {
        let responses = chunk.columns().responses.iter().copied();
        let responses = usize::from(responses.fold(1, u16::max));
        let lists = |&column: &ColumnId| {
            let count = if column.is_of_responses() {
                responses
            } else {
                1
            };
            let lists = match column.source.field() {
                None => ReadLists::Counts(vec![vec![Values::NO_COUNT; samples]; count]),
                Some(_) if column.kind.is_number() => {
                    ReadLists::Numbers(vec![vec![f64::NAN; samples]; count])
                }
                Some(_) => ReadLists::Words(vec![WordList::default(); count]),
            };
            (column, lists)
        };
        Self {
            columns: columns.iter().map(lists).collect(),
            samples,
        }
    }

    /// True if only fields are read, which needs no decoding of texts.
    pub fn is_of_fields(&self) -> bool {
        self.columns
            .iter()
            .all(|(column, _)| column.source.field().is_some())
    }

    /// Reads the fields of the sample at this index. Samples must come in order.
    pub fn read_fields(&mut self, at: usize, rows: &ScannedRows<'_>, responses: usize) {
        for (column, lists) in &mut self.columns {
            let Some(field) = column.source.field() else {
                continue;
            };
            match lists {
                ReadLists::Numbers(lists) => {
                    rows.field_values(field, responses, &mut |response, text| {
                        let place = lists.get_mut(response).and_then(|list| list.get_mut(at));
                        if let Some(place) = place.filter(|place| place.is_nan()) {
                            *place = field.form.number(text);
                        }
                    });
                }
                ReadLists::Words(lists) => {
                    let words = rows.field_words(field, responses);
                    for (list, word) in lists.iter_mut().zip(words) {
                        list.put(at, word.as_deref());
                    }
                }
                ReadLists::Counts(_) => {}
            }
        }
    }

    /// Counts in the texts of the sample at this index.
    pub fn count(&mut self, at: usize, texts: &SampleTexts) {
        for (column, lists) in &mut self.columns {
            let ReadLists::Counts(lists) = lists else {
                continue;
            };
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
                ColumnSource::PromptId => lists[0][at] = prompt_id(texts),
                ColumnSource::AmongResponses(count) => {
                    for (list, count) in lists.iter_mut().zip(count(texts)) {
                        list[at] = count;
                    }
                }
                _ => {}
            }
        }
    }

    /// Packs the counts of consecutive samples.
    pub fn packed(pieces: Vec<Self>) -> impl Iterator<Item = (ColumnId, ColumnData)> {
        let mut pieces = pieces.into_iter().map(Self::padded);
        let mut all = pieces.next().unwrap_or_default();
        for piece in pieces {
            for ((_, lists), (_, more)) in all.iter_mut().zip(piece) {
                lists.append(more);
            }
        }
        all.into_iter()
            .map(|(column, lists)| (column, lists.packed()))
    }

    /// Returns the columns, padded for samples that could not be read.
    fn padded(mut self) -> Vec<(ColumnId, ReadLists)> {
        for (_, lists) in &mut self.columns {
            if let ReadLists::Words(lists) = lists {
                lists.iter_mut().for_each(|list| list.pad(self.samples));
            }
        }
        self.columns
    }
}

impl ScannedRows<'_> {
    /// Returns the words of a sample's field: one, or one for each response. Words of a list are
    /// separated by [`FieldForm::SEPARATOR`].
    pub fn field_words(&self, field: &FieldSource, responses: usize) -> Vec<Option<String>> {
        let count = if field.level == Level::Response {
            responses
        } else {
            1
        };
        let mut words: Vec<Option<String>> = vec![None; count];
        self.field_values(field, responses, &mut |response, text| {
            let Some(known) = words.get_mut(response) else {
                return;
            };
            match known {
                None => *known = Some(field.form.word(text).to_owned()),
                Some(all) if field.form == FieldForm::Words => {
                    all.push(FieldForm::SEPARATOR);
                    all.push_str(text);
                }
                Some(_) => {}
            }
        });
        words
    }

    fn field_values(
        &self,
        field: &FieldSource,
        responses: usize,
        show: &mut dyn FnMut(usize, &str),
    ) {
        if !self.malformed {
            self.schema()
                .field_values(field, self.lines(), responses, show);
        }
    }
}
