//! Whole columns in a fixed order, block by block: what statistics are made of.
//!
//! The *places* of a column are its samples in dataset order, malformed rows left out; of a column
//! of responses, for each block of samples the first responses of all of them, then the second
//! ones, and so on, as far as samples have them. Columns of the same level have the same places.

use std::collections::HashMap;

use super::block::SampleBlock;
use super::{QUICK_BLOCK, QueryResult, ResponseSet};
use crate::dataset::Dataset;
use crate::parallel::KeepGoing;
use crate::query::ast::{ColumnId, Field, Number};
use crate::table::{ColumnSource, Level};

/// Words of all samples, each by its place among the different ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordCodes {
    /// The different words, as in the files (not sanitised), in the order in which they first come.
    pub words: Vec<String>,
    /// One a place; greater than any place where there is none.
    pub codes: Vec<u32>,
}

/// All columns of a dataset for which annotators gave lists of values, in the order of its schemas:
/// labels of responses, and who wins (by how much A does).
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

/// Shows the numbers of a field, piece by piece in the order of its places, NaN where there is none.
/// `wanted` is asked every few thousand samples; `None` once it says no.
pub fn each_number(
    dataset: &Dataset,
    field: &Field,
    wanted: &dyn KeepGoing,
    show: &mut dyn FnMut(&[f64]),
) -> Option<()> {
    let (number, mut piece) = (Number::Field(*field), Vec::new());
    each_block(dataset, wanted, &mut |block| {
        let values = block.number(&number, None);
        piece.clear();
        block.each_place(field.level(), |sample, response| {
            let value = values.lane(response).get(sample).copied();
            piece.push(value.unwrap_or(f64::NAN));
        });
        show(&piece);
    })
}

/// Of each place of columns of a level whether it is among what a query shows: of responses, those
/// that the filter speaks of.
pub fn shown_places(
    dataset: &Dataset,
    level: Level,
    shown: &QueryResult,
    wanted: &dyn KeepGoing,
) -> Option<Vec<bool>> {
    // What is shown may be in any order.
    let mut matching = vec![ResponseSet::default(); dataset.samples()];
    for (&sample, &of) in shown.samples.iter().zip(&shown.matching) {
        if let Some(matching) = matching.get_mut(sample as usize) {
            *matching = of;
        }
    }
    let mut places = Vec::new();
    each_block(dataset, wanted, &mut |block| {
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

/// The words of all samples that are no malformed rows. `None` once it is not `wanted` any more; no
/// words at all where there are too many to be kept, so that rows would have to be read.
pub fn word_codes(dataset: &Dataset, of: ColumnId, wanted: &dyn KeepGoing) -> Option<WordCodes> {
    let (mut found, mut known) = (WordCodes::default(), HashMap::new());
    let mut is_unread = false;
    each_block(dataset, wanted, &mut |block| {
        let mut code = |word: &str| match known.get(word) {
            Some(code) => *code,
            None => {
                let code = found.words.len() as u32;
                found.words.push(word.to_owned());
                known.insert(word.to_owned(), code);
                code
            }
        };
        let Some(lanes) = block.word_lanes(of) else {
            is_unread = true;
            return;
        };
        let own = lanes.iter().map(|(words, _)| vec![None; words.len()]);
        let mut own: Vec<_> = own.collect();
        block.each_place(of.level, |sample, response| {
            let word = lanes.get(response).and_then(|(words, codes)| {
                let place = usize::from(codes.get(sample).copied()?);
                words.get(place).zip(own[response].get_mut(place))
            });
            let code = word.map(|(word, own)| *own.get_or_insert_with(|| code(word)));
            found.codes.push(code.unwrap_or(u32::MAX));
        });
    })?;
    Some(if is_unread {
        WordCodes::default()
    } else {
        found
    })
}

/// Shows what annotators said at each place, with the number of its sample; an empty list where they
/// said nothing.
pub fn each_annotation(
    dataset: &Dataset,
    of: ColumnId,
    wanted: &dyn KeepGoing,
    show: &mut dyn FnMut(u32, &[f64]),
) -> Option<()> {
    each_block(dataset, wanted, &mut |block| {
        let (start, first) = (block.within.start, block.samples().start);
        let lists = block.columns().annotations(of).unwrap_or_default();
        block.each_place(of.level, |sample, response| {
            let list = lists.get(response);
            let list = list.map_or_else(Vec::new, |list| list.list(start + sample));
            show((first + sample) as u32, &list);
        });
    })
}

/// Shows all blocks of samples in order; `None` once it is not `wanted` any more.
fn each_block<'d>(
    dataset: &'d Dataset,
    wanted: &dyn KeepGoing,
    show: &mut dyn FnMut(&SampleBlock<'d>),
) -> Option<()> {
    for block in SampleBlock::all(dataset, 0..dataset.samples(), QUICK_BLOCK) {
        if !wanted() {
            return None;
        }
        show(&block);
    }
    Some(())
}

impl SampleBlock<'_> {
    /// Shows the places of columns of a level: the sample's place in the block, and the response's
    /// in the sample (0 of columns of samples).
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
