//! Evaluation of queries.
//!
//! A query is answered in blocks of consecutive samples: columns are compared as whole lists,
//! without a branch per sample, and rows are read only if the columns do not decide. Responses are
//! evaluated side by side, each in its *lane*.

mod block;
mod column_values;
mod facts;
mod findings;
mod numbers;
mod per_response;
mod plan;
mod ranges;
mod remarks;
mod rows;
mod sorting;
mod values;

use std::ops::{ControlFlow, Range};

pub use column_values::{
    annotated_columns, coded_words, each_annotation, each_number, shown_places,
};
pub use facts::{either_passes, has_many_words, is_smart};
pub use findings::find_findings;
pub use plan::pushed_test;
pub use remarks::dataset_judgment;
pub use rows::{ScanCache, TextPredicate};
pub use sorting::{chance, sort};
pub use values::{Bins, FieldCell, FieldValue, OrderedNumber, cell, tally};

use crate::dataset::Dataset;
pub use crate::model::ResponseSet;
use crate::parallel::{KeepGoing, continue_if, in_parallel};
use crate::query::ast::{FindingRules, Query, asks_for_findings, depends_on_remarks};
use crate::query::remarks::ReviewIndex;
use crate::table::ColumnId;
use block::SampleBlock;
use plan::QueryPlan;

/// The samples that a query shows, in display order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryResult {
    /// Sample numbers, from 0.
    pub samples: Vec<u32>,
    /// For each sample, the responses for which the filter holds; all responses if the filter is
    /// about the sample only.
    pub matching: Vec<ResponseSet>,
}

impl QueryResult {
    /// Appends the samples of another result.
    pub fn extend(&mut self, more: &Self) {
        self.samples.extend(&more.samples);
        self.matching.extend(&more.matching);
    }

    /// Puts them into dataset order.
    pub fn sort_by_sample(&mut self) {
        let mut places: Vec<_> = (0..self.samples.len() as u32).collect();
        places.sort_by_key(|&at| self.samples[at as usize]);
        self.pick(&places);
    }

    /// Keeps the first `samples` samples.
    pub fn truncate(&mut self, samples: usize) {
        self.samples.truncate(samples);
        self.matching.truncate(samples);
    }

    /// Keeps the samples for which `holds` returns true.
    pub fn retain(&mut self, holds: impl Fn(u32) -> bool) {
        let places = 0..self.samples.len() as u32;
        let kept = places.filter(|&at| holds(self.samples[at as usize]));
        self.pick(&kept.collect::<Vec<_>>());
    }

    /// Keeps those at some places, in this order.
    fn pick(&mut self, places: &[u32]) {
        let places = || places.iter().map(|&at| at as usize);
        self.samples = places().map(|at| self.samples[at]).collect();
        self.matching = places().map(|at| self.matching[at]).collect();
    }

    /// Counts the matching responses.
    pub fn responses(&self) -> usize {
        self.matching.iter().map(|matching| matching.count()).sum()
    }
}

/// Data besides the dataset's columns.
#[derive(Debug, Clone, Copy)]
pub struct QueryContext<'a> {
    /// Answers of rows that were read before; belongs to one loading of the dataset.
    pub memory: &'a ScanCache,
    /// What reviewers said about the samples.
    pub remarks: &'a ReviewIndex,
    /// The rules of findings of the dataset's catalog.
    pub rules: &'a FindingRules,
    /// True if bare texts must not search what reveals labels.
    pub is_blind: bool,
}

/// Samples per block if only columns are compared, and if rows are read too.
const QUICK_BLOCK: usize = 2048;
const SLOW_BLOCK: usize = 128;
/// Blocks per result of a quick query.
const QUICK_WAVE: usize = 512;
/// Blocks in the first and the largest result of a slow query; they double in between.
const FIRST_WAVE: usize = 2;
const FULL_WAVE: usize = 64;

/// Evaluates a query over a range of samples. Passes results to `report` in dataset order: the
/// samples found since the last result, and the end of the evaluated range. Stops if `report` breaks
/// or if `keep_going` returns false, which is checked for every block and for every sample whose rows
/// are read; nothing is reported after that.
pub fn find(
    query: &Query,
    dataset: &Dataset,
    samples: Range<usize>,
    known: QueryContext<'_>,
    keep_going: &dyn KeepGoing,
    report: &mut dyn FnMut(QueryResult, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if asks_for_findings(query) {
        find_findings(dataset, known, keep_going, &mut |_| ())?;
    }
    let filter = query.filter.clone();
    let filter = filter.map(|filter| plan::cheapest_first(filter, dataset));
    let plan = QueryPlan::new(filter.iter(), known);
    dataset.compare(&plan.comparisons, keep_going)?;
    let is_quick = |filter| plan::is_quick(filter, dataset);
    let (most, mut wave, full) = if filter.as_ref().is_none_or(is_quick) {
        (QUICK_BLOCK, QUICK_WAVE, QUICK_WAVE)
    } else {
        (SLOW_BLOCK, FIRST_WAVE, FULL_WAVE)
    };
    let last = samples.end.min(dataset.samples());
    let mut start = samples.start.min(last);
    loop {
        // A chunk that ends early makes a smaller block, so a wave has at most this length.
        let end = last.min(start + wave * most);
        dataset.count_texts(&plan.text_columns, start..end, keep_going)?;
        let blocks: Vec<_> = SampleBlock::all(dataset, start..end, most)
            .map(|block| {
                block
                    .with_keep_going(keep_going)
                    .with_remarks(known.remarks)
            })
            .collect();
        let answers = in_parallel(&blocks, |block| {
            let mut found = QueryResult::default();
            if keep_going() {
                plan.answer(filter.as_ref(), block, &mut found);
            }
            found
        });
        // A cancelled answer is incomplete.
        continue_if(keep_going())?;
        let mut found = QueryResult::default();
        answers.iter().for_each(|answer| found.extend(answer));
        report(found, end)?;
        if end == last {
            return ControlFlow::Continue(());
        }
        (start, wave) = (end, (wave * 2).min(full));
    }
}

/// True if the filter can be answered without reading rows again, given the answers of the
/// [scan](pushed_test).
///
/// With `may_read_fields`, rows may be read for fields that no schema describes.
pub fn is_answered_by_scan(query: &Query, may_read_fields: bool) -> bool {
    let is_answered = |filter| plan::is_answered_by_scan(filter, may_read_fields);
    !asks_for_findings(query)
        && !depends_on_remarks(query)
        && query.filter.as_ref().is_none_or(is_answered)
}

/// True if a query [that a scan answers](is_answered_by_scan) may depend on a label, or on a column
/// that is counted while rows are scanned.
pub fn asks_for(query: &Query, column: ColumnId) -> bool {
    let of_sort = query
        .sort_fields()
        .iter()
        .any(|field| field.asks_for(column));
    let filter = query.filter.as_ref();
    of_sort || filter.is_some_and(|filter| plan::asks_for(filter, column))
}

/// True if later samples can change the whole answer: it is sorted, or terms depend on other
/// samples.
pub fn depends_on_all(query: &Query) -> bool {
    !query.sort.is_empty()
        || query
            .filter
            .as_ref()
            .is_some_and(plan::depends_on_other_samples)
        || asks_for_findings(query)
}

/// True if a query uses only columns and what reviewers said; a million samples then take a few
/// milliseconds.
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
