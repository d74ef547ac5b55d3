//! Whole columns in a fixed order, block by block, for statistics.
//!
//! All readers of columns share the values of a block: numbers ([`SampleBlock::number`]), or codes
//! with the words of the block ([`SampleBlock::read_words`]). Cells, tallies, histograms and sort
//! keys take them from there; statistics make [`CodedValues`] of the whole column.
//!
//! The *places* of a column are its samples in dataset order, without malformed rows. For a column
//! of responses, each block has the places of all first responses, then of all second ones, and so
//! on. Columns of the same level have the same places.

use std::collections::HashMap;

use super::block::SampleBlock;
use super::{QUICK_BLOCK, QueryResult, ResponseSet};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::query::ast::{ColumnId, Field, Number};
use crate::stats::CodedValues;
use crate::table::{ColumnSource, Level};

/// Returns all columns with lists of annotators' values, in schema order: labels of responses, and
/// votes on the winner.
pub fn annotated_columns(dataset: &Dataset) -> Vec<ColumnId> {
    let labels = dataset.files().iter().flat_map(|file| file.schema.labels());
    let mut all = Vec::new();
    for label in labels.filter(|label| label.is_list()) {
        let id = ColumnId::of(ColumnSource::Annotations, &label.name);
        if !all.contains(&id) {
            all.push(id);
        }
    }
    all.push(ColumnId::VOTES);
    all
}

/// Passes the numbers of a field to `show`, piece by piece in the order of its places, NaN if
/// missing. Returns `None` if `keep_going` returns false; it is called every few thousand samples.
pub fn each_number(
    dataset: &Dataset,
    field: &Field,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(&[f64]),
) -> Option<()> {
    let (number, mut piece) = (Number::Field(*field), Vec::new());
    each_block(dataset, keep_going, &mut |block| {
        let values = block.number(&number, None);
        piece.clear();
        block.each_place(field.level(), |sample, response| {
            let value = values.lane(response).get(sample).copied();
            piece.push(value.unwrap_or(f64::NAN));
        });
        show(&piece);
    })
}

/// Returns for each place whether a query shows it. Places of responses must match the filter.
pub fn shown_places(
    dataset: &Dataset,
    level: Level,
    shown: &QueryResult,
    keep_going: &dyn KeepGoing,
) -> Option<Vec<bool>> {
    // The result may be sorted.
    let mut matching = vec![ResponseSet::default(); dataset.samples()];
    for (&sample, &of) in shown.samples.iter().zip(&shown.matching) {
        if let Some(matching) = matching.get_mut(sample as usize) {
            *matching = of;
        }
    }
    let mut places = Vec::new();
    each_block(dataset, keep_going, &mut |block| {
        let first = block.samples().start;
        block.each_place(level, |sample, response| {
            let set = matching.get(first + sample).copied().unwrap_or_default();
            places.push(match level {
                Level::Sample => set.count() > 0,
                Level::Response => set.has(response),
            });
        });
    })?;
    Some(places)
}

/// Returns the words of all places, as in the files (not sanitised). `None` if cancelled. Words for
/// which rows would have to be read are missing: there are too many distinct ones.
pub fn coded_words(
    dataset: &Dataset,
    of: ColumnId,
    keep_going: &dyn KeepGoing,
) -> Option<CodedValues<String>> {
    let (mut words, mut known, mut all) = (Vec::new(), HashMap::new(), Vec::new());
    each_block(dataset, keep_going, &mut |block| {
        let mut code = |word: &str| {
            *known.entry(word.to_owned()).or_insert_with(|| {
                words.push(word.to_owned());
                words.len() as u32 - 1
            })
        };
        let lanes = block.word_lanes(of).unwrap_or_default();
        let mut own: Vec<_> = lanes
            .iter()
            .map(|(words, _)| vec![None; words.len()])
            .collect();
        block.each_place(of.level, |sample, response| {
            let word = lanes.get(response).and_then(|(words, codes)| {
                let place = usize::from(codes.get(sample).copied()?);
                words.get(place).zip(own[response].get_mut(place))
            });
            let code = word.map(|(word, own)| *own.get_or_insert_with(|| code(word)));
            all.push(code.unwrap_or(CodedValues::NONE));
        });
    })?;
    Some(CodedValues::new(words, all))
}

/// Passes each place's annotations and its sample number to `show`; an empty list if there are
/// none.
pub fn each_annotation(
    dataset: &Dataset,
    of: ColumnId,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(u32, &[f64]),
) -> Option<()> {
    each_block(dataset, keep_going, &mut |block| {
        let (start, first) = (block.within.start, block.samples().start);
        let lists = block.columns().annotations(of).unwrap_or_default();
        block.each_place(of.level, |sample, response| {
            let list = lists.get(response);
            let list = list.map_or_else(Vec::new, |list| list.list(start + sample));
            show((first + sample) as u32, &list);
        });
    })
}

/// Iterates over all blocks; `None` if cancelled.
fn each_block<'d>(
    dataset: &'d Dataset,
    keep_going: &dyn KeepGoing,
    show: &mut dyn FnMut(&SampleBlock<'d>),
) -> Option<()> {
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        if !keep_going() {
            return None;
        }
        show(&block);
    }
    Some(())
}

impl SampleBlock<'_> {
    /// Iterates over the places of a level: the sample's index in the block, and the response's
    /// index (0 for columns of samples).
    fn each_place(&self, level: Level, mut show: impl FnMut(usize, usize)) {
        let lanes = match level {
            Level::Sample => 1,
            Level::Response => self.lanes(),
        };
        for lane in 0..lanes {
            for (sample, &count) in self.counts().iter().enumerate() {
                if usize::from(count) > lane {
                    show(sample, lane);
                }
            }
        }
    }
}
