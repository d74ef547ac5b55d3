//! Evaluation of all rules together, so the texts of each sample are read once for all of them.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use super::block::SampleBlock;
use super::plan::{QueryPlan, cheapest_first, depends_on_other_samples, reads_texts};
use super::rows::TextTests;
use super::{QueryContext, QueryResult};
use crate::dataset::{Dataset, FoundFinding, FoundFindings, RuleStage, TextPass};
use crate::parallel::{KeepGoing, continue_if, in_parallel};
use crate::query::ast::{Expr, FindingRule};
use crate::query::rule::Severity;

/// Samples per block.
const BLOCK: usize = 1024;

/// Samples per report of rules that use columns only.
const COLUMNS_BATCH: usize = 1 << 18;
/// Findings are reported again after at least an eighth more samples.
const REPORT_SHARE: usize = 8;

struct PreparedRule<'k> {
    rule: &'k FindingRule,
    /// Its index in the list of rules.
    place: u16,
    filter: Expr,
    stage: RuleStage,
}

/// Receives the findings so far.
type FindingsListener<'t> = dyn FnMut(&FoundFindings) + 't;

/// Evaluates the rules for all samples that were not evaluated before, and stores the findings in
/// the dataset: first rules that use columns only, then rules that read texts, and last rules that
/// compare all samples. `report` receives each stored list. Stops if `keep_going` returns false, which is
/// checked for every sample; findings of completed steps are kept.
pub fn find_findings(
    dataset: &Dataset,
    known: QueryContext<'_>,
    keep_going: &dyn KeepGoing,
    report: &mut FindingsListener<'_>,
) -> ControlFlow<()> {
    let (before, samples) = (dataset.findings(), dataset.samples());
    if before.is_of_all(samples) {
        return ControlFlow::Continue(());
    }
    let rules: Vec<_> = known
        .rules
        .rules
        .iter()
        .zip(0_u16..)
        .map(|(rule, place)| PreparedRule::new(rule, place, dataset))
        .collect();
    let plan = QueryPlan::new(rules.iter().map(|rule| &rule.filter), known);
    let ask =
        |rules: &[&PreparedRule<'_>], samples| ask(rules, &plan, dataset, samples, keep_going);
    let of_stage = |stage| -> Vec<_> { rules.iter().filter(|rule| rule.stage == stage).collect() };
    let mut kept = FindingsProgress {
        reported: before.asked,
        found: FoundFindings {
            stages: rules.iter().map(|rule| rule.stage).collect(),
            names: (rules.iter())
                .map(|rule| Arc::clone(&rule.rule.definition.name))
                .collect(),
            ..(*before).clone()
        },
        weights: (rules.iter())
            .map(|rule| rule.rule.definition.severity.weight())
            .collect(),
        dataset,
        report,
    };
    let asked = of_stage(RuleStage::Columns);
    for start in (before.asked_in(RuleStage::Columns)..samples).step_by(COLUMNS_BATCH) {
        let end = samples.min(start + COLUMNS_BATCH);
        kept.add(RuleStage::Columns, ask(&asked, start..end), end)?;
    }
    let asked = of_stage(RuleStage::Texts);
    let rest = before.asked_in(RuleStage::Texts)..samples;
    let mut pass = TextPass::new(dataset, plan.text_columns.clone(), &plan.comparisons, rest);
    while let Some(batch) = pass.next_samples() {
        let end = batch.end;
        let found = match read(&mut pass, &plan, keep_going) {
            ControlFlow::Continue(()) => ask(&asked, batch),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        };
        kept.add(RuleStage::Texts, found, end)?;
    }
    kept.report();
    pass.finish(keep_going)?;
    dataset.compare(&plan.comparisons, keep_going)?;
    let asked = of_stage(RuleStage::Comparisons);
    let found = ask(&asked, 0..samples);
    let is_older = |found: &FoundFinding| asked.iter().any(|rule| rule.place == found.rule);
    kept.found.all.retain(|found| !is_older(found));
    kept.add(RuleStage::Comparisons, found, samples)?;
    kept.report();
    ControlFlow::Continue(())
}

/// The findings so far, and the receiver of reports.
struct FindingsProgress<'k, 't> {
    found: FoundFindings,
    /// The number of samples per stage in the last report.
    reported: [usize; RuleStage::COUNT],
    /// The weight of a finding of each rule.
    weights: Vec<u32>,
    dataset: &'k Dataset,
    report: &'k mut FindingsListener<'t>,
}

impl FindingsProgress<'_, '_> {
    /// Adds the findings of a stage in the samples before `end`; if cancelled, reports what there
    /// is.
    fn add(
        &mut self,
        stage: RuleStage,
        found: ControlFlow<(), Vec<FoundFinding>>,
        end: usize,
    ) -> ControlFlow<()> {
        let ControlFlow::Continue(found) = found else {
            self.report();
            return ControlFlow::Break(());
        };
        self.found.all.extend(found);
        let (asked, reported) = (&mut self.found.asked, self.reported[stage as usize]);
        asked[stage as usize] = end;
        if end - reported >= reported / REPORT_SHARE {
            self.report();
        }
        ControlFlow::Continue(())
    }

    /// Stores the findings in the dataset and reports them, unless nothing changed.
    fn report(&mut self) {
        if self.reported == self.found.asked {
            return;
        }
        self.reported = self.found.asked;
        // The parts are sorted already, so a stable sort merges them.
        (self.found.all).sort_by_key(|found| (found.sample, found.rule));
        let samples = self.dataset.samples();
        if self.found.is_of_all(samples) {
            let severe = Severity::Severe.weight();
            self.found.weigh(samples, self.weights.clone(), severe);
        }
        self.dataset.keep_findings(Arc::new(self.found.clone()));
        (self.report)(&self.found);
    }
}

/// Reads the next texts and runs the tests of all rules on them.
fn read(pass: &mut TextPass<'_>, plan: &QueryPlan, keep_going: &dyn KeepGoing) -> ControlFlow<()> {
    let samples = pass.next_samples().unwrap_or_default();
    let Some(seen) = TextTests::of(samples, &plan.asking) else {
        return pass.read(None, keep_going);
    };
    let see = |sample, of, text: &str| seen.see(sample, of, text);
    pass.read(Some(&see), keep_going)?;
    seen.keep();
    ControlFlow::Continue(())
}

/// Evaluates rules over samples; sorted by sample and rule.
fn ask(
    rules: &[&PreparedRule<'_>],
    plan: &QueryPlan,
    dataset: &Dataset,
    samples: Range<usize>,
    keep_going: &dyn KeepGoing,
) -> ControlFlow<(), Vec<FoundFinding>> {
    let blocks: Vec<_> = SampleBlock::all(dataset, samples, BLOCK)
        .map(|block| block.with_keep_going(keep_going))
        .collect();
    let found = in_parallel(&blocks, |block| {
        let mut found = Vec::new();
        for rule in rules.iter().filter(|_| keep_going()) {
            rule.ask(plan, block, &mut found);
        }
        found.sort_unstable_by_key(|found| (found.sample, found.rule));
        found
    });
    // A cancelled result is incomplete.
    continue_if(keep_going())?;
    ControlFlow::Continue(found.concat())
}

impl<'k> PreparedRule<'k> {
    fn new(rule: &'k FindingRule, place: u16, dataset: &Dataset) -> Self {
        let stage = if depends_on_other_samples(&rule.filter) {
            RuleStage::Comparisons
        } else if reads_texts(&rule.filter) {
            RuleStage::Texts
        } else {
            RuleStage::Columns
        };
        Self {
            rule,
            place,
            filter: cheapest_first(rule.filter.clone(), dataset),
            stage,
        }
    }

    /// Appends the findings of the rule in a block.
    fn ask(&self, plan: &QueryPlan, block: &SampleBlock<'_>, all: &mut Vec<FoundFinding>) {
        if !self.rule.is_for(&block.schema.definition().name) {
            return;
        }
        let mut found = QueryResult::default();
        plan.answer(Some(&self.filter), block, &mut found);
        let each = found.samples.into_iter().zip(found.matching);
        all.extend(each.map(|(sample, responses)| FoundFinding {
            sample,
            rule: self.place,
            weight: self.rule.definition.severity.weight(),
            responses,
        }));
    }
}
