//! A stretch of samples of one chunk, with the lists that a query compares.

use std::ops::Range;

use super::per_response::PerResponse;
use crate::dataset::{Chunk, ChunkColumns, Dataset, SampleKind};
use crate::model::{Side, Verdict};
use crate::query::ast::NumberName;
use crate::schema::Schema;
use crate::table::{BuiltIn, Values};

/// Consecutive samples of one chunk, over which a query is evaluated.
#[derive(Clone)]
pub(super) struct SampleBlock<'d> {
    pub(super) dataset: &'d Dataset,
    pub(super) chunk: &'d Chunk,
    pub(super) schema: &'d Schema,
    /// Its samples, counted from the chunk's first.
    pub(super) within: Range<usize>,
}

impl<'d> SampleBlock<'d> {
    /// The blocks of a range of samples, each of at most so many.
    pub(super) fn all(
        dataset: &'d Dataset,
        samples: Range<usize>,
        most: usize,
    ) -> impl Iterator<Item = Self> {
        let first = dataset
            .chunks()
            .partition_point(|chunk| chunk.first_sample() + chunk.samples() <= samples.start);
        let chunks = dataset.chunks()[first..].iter();
        let chunks = chunks.take_while({
            let end = samples.end;
            move |chunk| chunk.first_sample() < end
        });
        chunks.flat_map(move |chunk| {
            let start = samples.start.saturating_sub(chunk.first_sample());
            let end = (samples.end - chunk.first_sample()).min(chunk.samples());
            let files = dataset.files().get(chunk.file());
            files.into_iter().flat_map(move |file| {
                (start..end).step_by(most).map(move |start| SampleBlock {
                    dataset,
                    chunk,
                    schema: &file.schema,
                    within: start..end.min(start + most),
                })
            })
        })
    }

    /// The block of one sample; `None` when there is none with that number.
    pub(super) fn of(dataset: &'d Dataset, sample: usize) -> Option<Self> {
        (sample < dataset.samples())
            .then(|| Self::all(dataset, sample..sample + 1, 1).next())
            .flatten()
    }

    /// Number of samples.
    pub(super) fn len(&self) -> usize {
        self.within.len()
    }

    /// Its samples, counted over the dataset.
    pub(super) fn samples(&self) -> Range<usize> {
        let first = self.chunk.first_sample();
        first + self.within.start..first + self.within.end
    }

    pub(super) fn columns(&self) -> &'d ChunkColumns {
        self.chunk.columns()
    }

    /// The samples' part of a column.
    pub(super) fn part<'l, T>(&self, list: &'l [T]) -> &'l [T] {
        list.get(self.within.clone()).unwrap_or_default()
    }

    pub(super) fn shapes(&self) -> &'d [SampleKind] {
        self.part(&self.columns().shapes)
    }

    /// Where there are responses to speak of. A malformed row counts as one without any value.
    pub(super) fn responses(&self) -> PerResponse<bool> {
        let b = self
            .shapes()
            .iter()
            .map(|&shape| shape == SampleKind::Pair)
            .collect();
        PerResponse::Each([vec![true; self.len()], b])
    }

    /// The stored values of a number of both responses, if the block's schema has it.
    pub(super) fn stored(&self, name: &NumberName) -> Option<&'d [Values; 2]> {
        match name {
            NumberName::Label(name) => {
                let mut labels = self.schema.labels().iter();
                self.columns()
                    .label(labels.position(|label| label.name == *name)?)
            }
            NumberName::BuiltIn(column) => self.columns().counted_of_responses(*column),
        }
    }

    /// A column as numbers, NaN where there is none.
    pub(super) fn numbers(&self, values: &Values) -> Vec<f64> {
        values.numbers(self.within.clone())
    }

    /// What is counted of the prompts, NaN for malformed rows.
    pub(super) fn prompts(&self, column: BuiltIn) -> Vec<f64> {
        match self.columns().counted_of_prompts(column) {
            Some(values) => self.numbers(values),
            None => self.missing_everywhere(),
        }
    }

    /// No number for any sample.
    pub(super) fn missing_everywhere(&self) -> Vec<f64> {
        vec![f64::NAN; self.len()]
    }

    /// A minus B in the unit of what decides, NaN where that is not said.
    pub(super) fn margins(&self) -> Vec<f64> {
        let columns = self.columns();
        if let Some(margins) = columns.stated_margins() {
            return self.numbers(margins);
        }
        let deciding = match columns.stated_verdicts() {
            Some(_) => None,
            None => self.schema.deciding_label(),
        };
        match deciding.and_then(|label| columns.label(label)) {
            Some([a, b]) => {
                let (a, b) = (self.numbers(a), self.numbers(b));
                a.iter().zip(&b).map(|(a, b)| a - b).collect()
            }
            None => self.missing_everywhere(),
        }
    }

    /// Who wins, where that is said.
    pub(super) fn verdicts(&self) -> Vec<Option<Verdict>> {
        let signs = match self.columns().stated_verdicts() {
            Some(signs) => self.numbers(signs),
            None => self.margins(),
        };
        let of = |margin: &f64| (!margin.is_nan()).then(|| Verdict::of_margin(*margin));
        signs.iter().map(of).collect()
    }

    /// The place of the response that wins, where one does.
    pub(super) fn winners(&self) -> Vec<Option<usize>> {
        let winner = |verdict: Option<Verdict>| match verdict {
            Some(Verdict::Wins(side)) => Some(Side::index(side)),
            Some(Verdict::Tie) | None => None,
        };
        self.verdicts().into_iter().map(winner).collect()
    }
}
