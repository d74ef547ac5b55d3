//! Which samples a query shows.
//!
//! A query is answered block by block of consecutive samples: columns are compared as whole lists,
//! without a branch for each sample, and rows are read only where the columns leave a doubt. The
//! responses are looked at side by side, each in a *lane* of its own.

mod block;
mod column_values;
mod facts;
mod findings;
mod numbers;
mod per_response;
mod plan;
mod prepared_remarks;
mod rated;
mod rows;
mod scan_cache;
mod sorting;
mod values;

use std::ops::{ControlFlow, Range};

pub use column_values::{
    WordCodes, annotated_columns, each_annotation, each_number, shown_places, word_codes,
};
pub use facts::has_many_words;
pub use findings::find_findings;
pub use rows::TextPredicate;
pub use scan_cache::ScanCache;
pub use sorting::{chance, sort};
pub use values::{
    Bin, Bins, FieldCell, FieldValue, Histogram, OrderedNumber, cell, histogram, tally,
};

use super::ast::Query;
use super::depends_on_remarks;
use super::finding_rules::{FindingRules, asks_for_findings};
use super::remarks::ReviewIndex;
use crate::dataset::Dataset;
pub use crate::model::ResponseSet;
use crate::parallel::{KeepGoing, in_parallel};
use crate::table::ColumnId;
use block::SampleBlock;
use plan::QueryPlan;

/// Samples that a query shows, in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// Their numbers, from 0.
    pub samples: Vec<u32>,
    /// For each, the responses for which the filter holds: all of them where it speaks of the
    /// sample alone.
    pub matching: Vec<ResponseSet>,
}

impl QueryResult {
    /// Adds what was found behind these.
    pub fn extend(&mut self, more: &Self) {
        self.samples.extend(&more.samples);
        self.matching.extend(&more.matching);
    }

    /// Puts them into dataset order.
    pub fn sort_by_sample(&mut self) {
        let mut both: Vec<_> = (self.samples.iter().copied())
            .zip(self.matching.iter().copied())
            .collect();
        both.sort_by_key(|(sample, _)| *sample);
        (self.samples, self.matching) = both.into_iter().unzip();
    }

    /// Leaves out all but the first so many.
    pub fn truncate(&mut self, samples: usize) {
        self.samples.truncate(samples);
        self.matching.truncate(samples);
    }

    /// Leaves out samples for which something does not hold.
    pub fn retain(&mut self, holds: impl Fn(u32) -> bool) {
        let kept = |at: &usize| holds(self.samples[*at]);
        let kept: Vec<_> = (0..self.samples.len()).filter(kept).collect();
        self.matching = kept.iter().map(|&at| self.matching[at]).collect();
        self.samples = kept.iter().map(|&at| self.samples[at]).collect();
    }

    /// How many responses were found.
    pub fn responses(&self) -> usize {
        self.matching.iter().map(|matching| matching.count()).sum()
    }
}

/// What is known besides the dataset's columns.
#[derive(Debug, Clone, Copy)]
pub struct QueryContext<'a> {
    /// What rows were found to say; it belongs to one loading of the dataset, and each answer adds
    /// to it.
    pub memory: &'a ScanCache,
    /// What reviewers said of its samples.
    pub remarks: &'a ReviewIndex,
    /// The rules of findings, as the catalog of the dataset has them.
    pub rules: &'a FindingRules,
}

/// Samples of a block where columns alone are looked at, and where rows are read as well.
const QUICK_BLOCK: usize = 2048;
const SLOW_BLOCK: usize = 128;
/// Blocks of each piece of a quick answer.
const QUICK_WAVE: usize = 512;
/// Blocks of the first piece of a slow answer, and of the largest; those between double.
const FIRST_WAVE: usize = 2;
const FULL_WAVE: usize = 64;

/// Goes over a range of samples in order and tells what it finds, piece by piece: the samples found
/// since the last piece, in dataset order, and up to which sample it has looked. Breaks off when
/// `tell` does, or once it is not `wanted` any more, which is asked for every block, and for every
/// sample whose rows are read; after that nothing is told.
pub fn find(
    query: &Query,
    dataset: &Dataset,
    samples: Range<usize>,
    known: QueryContext<'_>,
    wanted: &dyn KeepGoing,
    tell: &mut dyn FnMut(QueryResult, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if asks_for_findings(query) {
        find_findings(dataset, known, wanted, &mut |_| ())?;
    }
    let filter = query.filter.clone();
    let filter = filter.map(|filter| plan::cheapest_first(filter, dataset));
    let plan = QueryPlan::new(filter.iter(), known.memory);
    dataset.compare(&plan.comparisons, wanted)?;
    let is_quick = |filter| plan::is_quick(filter, dataset);
    let (most, mut wave, full) = match filter.as_ref().is_none_or(is_quick) {
        true => (QUICK_BLOCK, QUICK_WAVE, QUICK_WAVE),
        false => (SLOW_BLOCK, FIRST_WAVE, FULL_WAVE),
    };
    let last = samples.end.min(dataset.samples());
    let mut start = samples.start.min(last);
    loop {
        // Samples of a chunk that ends early make a smaller block, so that a wave is at most this
        // long.
        let end = last.min(start + wave * most);
        dataset.count_texts(&plan.text_columns, start..end, wanted)?;
        let blocks = SampleBlock::all(dataset, start..end, most);
        let blocks = blocks.map(|block| block.while_wanted(wanted).knowing(known.remarks));
        let blocks: Vec<_> = blocks.collect();
        let answers = in_parallel(&blocks, |block| {
            let mut found = QueryResult::default();
            if wanted() {
                plan.answer(filter.as_ref(), block, &mut found);
            }
            found
        });
        // What was looked at when it ended is half an answer, and nobody's.
        go_on(wanted)?;
        let mut found = QueryResult::default();
        answers.iter().for_each(|answer| found.extend(answer));
        tell(found, end)?;
        if end == last {
            return ControlFlow::Continue(());
        }
        (start, wave) = (end, (wave * 2).min(full));
    }
}

/// What can be asked of rows while they are scanned, where a query is known before that;
/// [`TextPredicate::keep`] then has the answers for [`find`].
pub fn pushed_test(query: &Query) -> Option<TextPredicate> {
    plan::pushed_test(query)
}

/// Whether the filter of a query is answered by what is known once rows were scanned and were asked
/// [what can be](pushed_test) meanwhile, so that none is read again.
///
/// With `may_read_fields` only for the fields that no schema names: no other column is asked for.
pub fn is_answered_by_scan(query: &Query, may_read_fields: bool) -> bool {
    let is_answered = |filter| plan::is_answered_by_scan(filter, may_read_fields);
    !asks_for_findings(query)
        && !depends_on_remarks(query)
        && query.filter.as_ref().is_none_or(is_answered)
}

/// Whether a query [that a scan answers](is_answered_by_scan) asks for a label or for a column that is
/// counted of rows while they are scanned; as far as that is certain.
pub fn asks_for(query: &Query, column: ColumnId) -> bool {
    let of_sort = query
        .sort_fields()
        .iter()
        .any(|field| field.asks_for(column));
    let filter = query.filter.as_ref();
    of_sort || filter.is_some_and(|filter| plan::asks_for(filter, column))
}

/// Breaks off what is not wanted any more.
fn go_on(wanted: &dyn KeepGoing) -> ControlFlow<()> {
    if wanted() {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}

/// Whether the whole answer can change when samples come: because it is in order, or because what
/// is asked of a sample depends on others.
pub fn depends_on_all(query: &Query) -> bool {
    !query.sort.is_empty()
        || query.filter.as_ref().is_some_and(plan::looks_around)
        || asks_for_findings(query)
}

/// Whether a query looks at columns and at what reviewers said alone, so that a million samples
/// take some milliseconds.
pub fn is_quick(query: &Query, dataset: &Dataset) -> bool {
    let sorted = query.sort_fields();
    let mut sorted = sorted.iter().map(|field| field.column);
    let is_looked = || dataset.findings().is_of_all(dataset.samples());
    query
        .filter
        .as_ref()
        .is_none_or(|filter| plan::is_quick(filter, dataset))
        && sorted.all(|column| plan::is_known(column, dataset))
        && (!asks_for_findings(query) || is_looked())
}

#[cfg(test)]
mod tests;
