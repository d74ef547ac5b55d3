//! What all rules find: they are asked together, so that what is counted in texts is counted once
//! for all of them.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::block::SampleBlock;
use super::plan::{QueryPlan, looks_around};
use super::{FULL_WAVE, QueryContext, QueryResult, SLOW_BLOCK, go_on};
use crate::dataset::{Dataset, FoundFinding, FoundFindings, in_parallel};
use crate::query::ast::Query;
use crate::query::finding_rules::FindingRule;
use crate::table::BuiltIn;

/// Asks the rules of all samples that they were not asked of yet, and keeps what they find with the
/// dataset. Breaks off once it is not `wanted` any more, which is asked for every sample whose rows
/// are read; then nothing new is kept.
pub fn find_findings(
    dataset: &Dataset,
    known: QueryContext<'_>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> ControlFlow<()> {
    let (before, samples) = (dataset.findings(), dataset.samples());
    if before.samples >= samples {
        return ControlFlow::Continue(());
    }
    let rules = &known.rules.rules;
    // Samples that come can change what these say of those before.
    let is_anew: Vec<bool> = (rules.iter())
        .map(|rule| looks_around(&rule.filter))
        .collect();
    let mut plans = Vec::new();
    for rule in rules {
        let query = Query {
            filter: Some(rule.filter.clone()),
            sort: Vec::new(),
        };
        match QueryPlan::new(&query, dataset, known, wanted) {
            Some(plan) => plans.push((&**rule, plan)),
            None => return ControlFlow::Break(()),
        }
    }
    let kept = |found: &&FoundFinding| !is_anew.get(usize::from(found.rule)).is_some_and(|it| *it);
    let mut all: Vec<_> = before.all.iter().filter(kept).copied().collect();
    let columns = |is_asked: &dyn Fn(usize) -> bool| {
        let asked = plans
            .iter()
            .enumerate()
            .filter(|(place, _)| is_asked(*place));
        let columns = asked.flat_map(|(_, (_, plan))| plan.text_columns());
        columns.copied().collect::<Vec<BuiltIn>>()
    };
    let anew_alone = |place: usize| is_anew[place];
    let stretches = [
        (0..before.samples, columns(&anew_alone), true),
        (before.samples..samples, columns(&|_| true), false),
    ];
    for (stretch, columns, is_again) in stretches {
        let mut start = stretch.start;
        if is_again && !is_anew.contains(&true) {
            continue;
        }
        while start < stretch.end {
            let end = stretch.end.min(start + FULL_WAVE * SLOW_BLOCK);
            dataset.count_texts(&columns, start..end, wanted)?;
            let blocks = SampleBlock::all(dataset, start..end, SLOW_BLOCK);
            let blocks: Vec<_> = blocks.map(|block| block.while_wanted(wanted)).collect();
            let found = in_parallel(&blocks, |block| {
                let mut found = Vec::new();
                let asked = plans.iter().zip(0..).filter(|(_, place)| {
                    !is_again || is_anew.get(usize::from(*place)) == Some(&true)
                });
                for ((rule, plan), place) in asked {
                    if wanted() {
                        ask(rule, place, plan, block, &mut found);
                    }
                }
                found
            });
            // What was looked at when it ended is half an answer.
            go_on(wanted)?;
            found.into_iter().for_each(|found| all.extend(found));
            start = end;
        }
    }
    all.sort_by_key(|found| (found.sample, found.rule));
    dataset.keep_findings(Arc::new(FoundFindings { all, samples }));
    ControlFlow::Continue(())
}

/// Adds the samples of a block that a rule fires on.
fn ask(
    rule: &FindingRule,
    place: u16,
    plan: &QueryPlan<'_>,
    block: &SampleBlock<'_>,
    all: &mut Vec<FoundFinding>,
) {
    if !rule.is_for(&block.schema.definition().name) {
        return;
    }
    let mut found = QueryResult::default();
    plan.answer(block, &mut found);
    all.extend(found.samples.into_iter().map(|sample| FoundFinding {
        sample,
        rule: place,
        weight: rule.definition.severity.weight(),
    }));
}
