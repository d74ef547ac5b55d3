//! What all rules find: they are asked together, so that the texts of each sample are read once for
//! all of them.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::block::SampleBlock;
use super::plan::{QueryPlan, looks_around};
use super::rows::SeenTexts;
use super::{QueryContext, QueryResult, go_on};
use crate::dataset::{Dataset, FoundFinding, FoundFindings, TextPass};
use crate::parallel::in_parallel;
use crate::query::ast::Query;
use crate::query::finding_rules::FindingRule;

/// Samples of a block: columns are compared as lists, and what is asked of texts is known.
const BLOCK: usize = 1024;

/// A rule made ready.
struct PreparedRule<'k> {
    rule: &'k FindingRule,
    /// Its place among the rules.
    place: u16,
    plan: QueryPlan<'k>,
    /// Samples that come can change what it says of those before.
    looks_around: bool,
}

/// Asks the rules of all samples that they were not asked of yet, and keeps what they find with the
/// dataset: stretch by stretch, so that [`FoundFindings::samples`] tells how far it is, and at last
/// what comparing all samples with each other tells. Breaks off once it is not `wanted` any more,
/// which is asked for every sample; what was found of whole stretches is kept.
pub fn find_findings(
    dataset: &Dataset,
    known: QueryContext<'_>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> ControlFlow<()> {
    let (before, samples) = (dataset.findings(), dataset.samples());
    if before.is_of_all(samples) {
        return ControlFlow::Continue(());
    }
    let mut rules = prepared(dataset, known);
    let columns = rules.iter().flat_map(|rule| rule.plan.text_columns());
    let columns = columns.copied().collect();
    let comparisons = rules.iter().flat_map(|rule| rule.plan.comparisons());
    let comparisons: Vec<_> = comparisons.copied().collect();
    let mut pass = TextPass::new(dataset, columns, &comparisons, before.samples..samples);
    let mut kept = KeptFindings {
        all: before.all.clone(),
        samples: before.samples,
        told: before.samples,
        compared: before.compared,
        names: (known.rules.rules.iter())
            .map(|rule| Arc::clone(&rule.definition.name))
            .collect(),
    };
    while let Some(stretch) = pass.next_samples() {
        let asked = rules.iter().filter(|rule| !rule.looks_around);
        let asked: Vec<_> = asked.collect();
        let found = match read(&mut pass, &rules, dataset, wanted) {
            ControlFlow::Continue(()) => ask(&asked, dataset, stretch.clone(), wanted),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        };
        let ControlFlow::Continue(found) = found else {
            kept.tell(dataset);
            return ControlFlow::Break(());
        };
        kept.all.extend(found);
        kept.samples = stretch.end;
        kept.tell_at_times(dataset);
    }
    kept.tell(dataset);
    pass.finish(wanted)?;
    let (mut around, _): (Vec<_>, Vec<_>) = rules.iter_mut().partition(|rule| rule.looks_around);
    for rule in &mut around {
        rule.plan.compare(dataset, known, wanted)?;
    }
    let around: Vec<_> = around.into_iter().map(|rule| &*rule).collect();
    let is_around = |found: &FoundFinding| around.iter().any(|rule| rule.place == found.rule);
    kept.all.retain(|found| !is_around(found));
    kept.all.extend(ask(&around, dataset, 0..samples, wanted)?);
    kept.all
        .sort_unstable_by_key(|found| (found.sample, found.rule));
    dataset.keep_findings(Arc::new(FoundFindings {
        all: kept.all,
        samples,
        compared: samples,
        names: kept.names,
    }));
    ControlFlow::Continue(())
}

/// What was found by now.
struct KeptFindings {
    all: Vec<FoundFinding>,
    samples: usize,
    /// How many of the samples the dataset knows of.
    told: usize,
    compared: usize,
    /// What the rules are called.
    names: Arc<[Arc<str>]>,
}

impl KeptFindings {
    /// Keeps with the dataset what was found by now.
    fn tell(&mut self, dataset: &Dataset) {
        if self.samples > self.told {
            self.told = self.samples;
            dataset.keep_findings(Arc::new(FoundFindings {
                all: self.all.clone(),
                samples: self.samples,
                compared: self.compared,
                names: Arc::clone(&self.names),
            }));
        }
    }

    /// Keeps it where there is so much more that it is worth a list anew.
    fn tell_at_times(&mut self, dataset: &Dataset) {
        if self.samples - self.told >= self.told / 16 {
            self.tell(dataset);
        }
    }
}

fn prepared<'k>(dataset: &Dataset, known: QueryContext<'k>) -> Vec<PreparedRule<'k>> {
    let prepare = |(rule, place): (&'k Arc<FindingRule>, u16)| {
        let query = Query {
            filter: Some(rule.filter.clone()),
            sort: Vec::new(),
        };
        PreparedRule {
            rule,
            place,
            plan: QueryPlan::without_comparisons(&query, dataset, known),
            looks_around: looks_around(&rule.filter),
        }
    };
    known.rules.rules.iter().zip(0..).map(prepare).collect()
}

/// Reads the next texts, with all that the rules ask of them.
fn read(
    pass: &mut TextPass<'_>,
    rules: &[PreparedRule<'_>],
    dataset: &Dataset,
    wanted: &(dyn Fn() -> bool + Sync),
) -> ControlFlow<()> {
    let samples = pass.next_samples().unwrap_or_default();
    let tests = rules.iter().flat_map(|rule| rule.plan.row_tests());
    let Some(seen) = SeenTexts::of(dataset, samples, tests) else {
        return pass.read(None, wanted);
    };
    let see = |sample, passage, text: &str| seen.see(sample, passage, text);
    pass.read(Some(&see), wanted)?;
    seen.keep();
    ControlFlow::Continue(())
}

/// What some rules find in some samples, by samples and rules.
fn ask(
    rules: &[&PreparedRule<'_>],
    dataset: &Dataset,
    samples: Range<usize>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> ControlFlow<(), Vec<FoundFinding>> {
    let blocks = SampleBlock::all(dataset, samples, BLOCK);
    let blocks: Vec<_> = blocks.map(|block| block.while_wanted(wanted)).collect();
    let found = in_parallel(&blocks, |block| {
        let mut found = Vec::new();
        for rule in rules.iter().filter(|_| wanted()) {
            rule.ask(block, &mut found);
        }
        found.sort_unstable_by_key(|found| (found.sample, found.rule));
        found
    });
    // What was looked at when it ended is half an answer.
    go_on(wanted)?;
    ControlFlow::Continue(found.concat())
}

impl PreparedRule<'_> {
    /// Adds the samples of a block that the rule fires on.
    fn ask(&self, block: &SampleBlock<'_>, all: &mut Vec<FoundFinding>) {
        if !self.rule.is_for(&block.schema.definition().name) {
            return;
        }
        let mut found = QueryResult::default();
        self.plan.answer(block, &mut found);
        let each = found.samples.into_iter().zip(found.matching);
        all.extend(each.map(|(sample, responses)| FoundFinding {
            sample,
            rule: self.place,
            weight: self.rule.definition.severity.weight(),
            responses: responses.bits(),
        }));
    }
}
