//! Prepared filters: cheap terms first, patterns compiled, known answers looked up.

use std::sync::Arc;

use super::block::SampleBlock;
use super::facts::has_many_words;
use super::per_response::PerResponse;
use super::rows::{CachedPredicate, RowQuestion, TextPredicate, finder, scope};
use super::{QueryContext, QueryResult, ResponseSet};
use crate::dataset::Dataset;
use crate::query::ast::{Aggregate, ColumnId, Expr, FindingRule, Pattern, Query, TextTerm};
use crate::table::{ColumnSource, SampleComparison};
use crate::text::Finder;

/// Prepared filters.
pub(super) struct QueryPlan {
    /// Tests that read rows.
    pub(super) asking: Vec<CachedPredicate>,
    /// Comparisons of all samples that the filters need.
    pub(super) comparisons: Vec<SampleComparison>,
    /// Columns counted in texts; they should be counted before blocks are evaluated.
    pub(super) text_columns: Vec<ColumnId>,
    /// Patterns of notes.
    pub(super) notes: Vec<(Pattern, Finder)>,
    is_blind: bool,
}

impl QueryPlan {
    /// Prepares filters. Samples must be [compared](Dataset::compare) before they are evaluated.
    pub(super) fn new<'f>(
        filters: impl Iterator<Item = &'f Expr>,
        known: QueryContext<'_>,
    ) -> Self {
        let QueryContext {
            memory, is_blind, ..
        } = known;
        let (mut asking, mut notes) = (Vec::<CachedPredicate>::new(), Vec::new());
        let (mut text_columns, mut comparisons) = (Vec::new(), Vec::new());
        for leaf in filters.flat_map(Expr::leaves) {
            let columns = || leaf.columns();
            text_columns.extend(columns().filter(|column| column.source.reads_texts()));
            comparisons.extend(columns().filter_map(|column| column.source.comparison()));
            let question =
                question(leaf, is_blind).filter(|new| !asking.iter().any(|known| known.is(new)));
            asking.extend(question.map(|question| CachedPredicate::new(question, memory)));
            if let Expr::Note(pattern) = leaf {
                notes.extend(finder(pattern).map(|finder| (pattern.clone(), finder)));
            }
        }
        Self {
            asking,
            comparisons,
            text_columns,
            notes,
            is_blind,
        }
    }

    /// Appends the samples of a block that pass a filter.
    pub(super) fn answer(
        &self,
        filter: Option<&Expr>,
        block: &SampleBlock<'_>,
        found: &mut QueryResult,
    ) {
        let there = block.responses();
        let holds = filter.map(|filter| self.holds(filter, block, &there));
        let holds = match holds {
            Some(holds) => holds.zip(&there, |holds, there| holds & there),
            None => there,
        };
        let sets = ResponseSet::of_response_columns(holds.lanes()).into_iter();
        let each = (block.samples().start as u32..).zip(sets.zip(block.counts()));
        for (sample, (set, &count)) in each.filter(|(_, (set, _))| !set.is_empty()) {
            found.samples.push(sample);
            // A malformed row has no responses.
            let set = Some(set).filter(|_| count > 0);
            found.matching.push(set.unwrap_or_default());
        }
    }

    /// Evaluates an expression; the result is undefined where `active` is false.
    fn holds(
        &self,
        expr: &Expr,
        block: &SampleBlock<'_>,
        active: &PerResponse<bool>,
    ) -> PerResponse<bool> {
        if let Some(holds) = self.evaluate_remark(expr, block) {
            return holds;
        }
        match expr {
            Expr::And(all) => {
                let mut holds = active.clone();
                for one in all {
                    if holds.is_empty() {
                        break;
                    }
                    holds = holds.zip(&self.holds(one, block, &holds), |holds, also| holds & also);
                }
                holds
            }
            Expr::Or(any) => {
                let mut open = active.clone();
                for one in any {
                    if open.is_empty() {
                        break;
                    }
                    open = open.zip(&self.holds(one, block, &open), |open, holds| open & !holds);
                }
                active.zip(&open, |active, open| active & !open)
            }
            Expr::Not(not) => self.holds(not, block, active).map(|holds| !holds),
            Expr::Compare {
                left,
                comparison,
                right,
            } => block.compare(left, *comparison, right),
            Expr::Number { of, test } => block.passes(of, test),
            Expr::Word { of, test } => match block.word_passes(*of, test) {
                Some(holds) => holds,
                None => {
                    let view = if of.column.is_of_responses() {
                        of.view
                    } else {
                        Aggregate::Any
                    };
                    self.ask(expr, view, block, active)
                }
            },
            Expr::Best(response) => PerResponse::Same(block.is_best(response.index())),
            Expr::Is(of) if matches!(of.column.source, ColumnSource::Text(_)) => {
                self.ask(expr, of.view, block, active)
            }
            Expr::Is(of) => PerResponse::Same(flags(block, of.column)),
            Expr::Text(TextTerm { part, .. }) => {
                self.ask(expr, scope(*part, self.is_blind).1, block, active)
            }
            // Of the sample: `-finding:x` finds samples on which it never fires.
            Expr::Finding(rule) if rule.is_for(&block.schema.definition().name) => {
                let there = block.responses();
                let fires = self.holds(&rule.filter, block, &there);
                let fires = fires.zip(&there, |fires, there| fires & there);
                PerResponse::Same(fires.joined(|a, b| a | b))
            }
            Expr::Finding(_) | Expr::Note(_) | Expr::Check(_) => all_false(block),
        }
    }

    fn ask(
        &self,
        leaf: &Expr,
        view: Aggregate,
        block: &SampleBlock<'_>,
        active: &PerResponse<bool>,
    ) -> PerResponse<bool> {
        let needed = active.joined(|any, here| any | here);
        // Every test of the filter was prepared with the plan.
        let asking = question(leaf, self.is_blind)
            .and_then(|question| self.asking.iter().find(|asking| asking.is(&question)));
        let Some(asking) = asking else {
            return all_false(block);
        };
        let answers = asking.answer(block, &needed);
        let lane = |response| answers.iter().map(|it| it.is_of(response)).collect();
        let seen = block.apply_aggregate(view, (0..block.lanes()).map(lane).collect());
        match view {
            // The prompt belongs to every response.
            Aggregate::Same | Aggregate::Any => {
                let shared = answers.iter().map(|answer| answer.is_shared());
                seen.zip(&PerResponse::Same(shared.collect()), |of, shared| {
                    of | shared
                })
            }
            _ => seen,
        }
    }
}

/// Returns false for each sample.
fn all_false(block: &SampleBlock<'_>) -> PerResponse<bool> {
    PerResponse::Same(vec![false; block.len()])
}

/// Evaluates a flag of columns or of sample comparisons.
pub(super) fn flags(block: &SampleBlock<'_>, flag: ColumnId) -> Vec<bool> {
    match &flag.source {
        ColumnSource::Flag(holds) => holds(block),
        ColumnSource::Compared(comparison) => {
            block.dataset.compared_flags(block.samples(), *comparison)
        }
        ColumnSource::Disagreement(with) => {
            let apart = block.disagreements(with).into_iter();
            apart.map(|apart| apart > 0.0).collect()
        }
        _ => vec![false; block.len()],
    }
}

/// Returns the first test of texts that can run while rows are scanned, if the query has only text
/// terms. With other terms it is faster to test the few matching rows afterwards.
pub fn pushed_test(query: &Query) -> Option<TextPredicate> {
    query
        .filter
        .as_ref()
        .filter(|filter| is_of_texts(filter))?
        .leaves()
        .into_iter()
        .find_map(|leaf| TextPredicate::of(question(leaf, false)?))
}

/// True if columns and [`pushed_test`] answer a filter, so no row is read again, except for fields
/// with `may_read_fields`.
pub(super) fn is_answered_by_scan(filter: &Expr, may_read_fields: bool) -> bool {
    let (mut texts, mut is_answered) = (Vec::new(), true);
    let is_read = |column: ColumnId| may_read_fields && column.source.field().is_some();
    for leaf in filter.leaves() {
        match question(leaf, false) {
            Some(RowQuestion::Fact(of, _)) if is_read(of) => {}
            Some(text) if text.can_be_pushed() => texts.push(text),
            Some(_) => is_answered = false,
            None => {
                let mut columns = leaf.columns();
                is_answered &= columns.all(|column| is_read(column) || !is_found_later(column));
            }
        }
    }
    texts.dedup();
    // With other terms, texts are tested after the scan.
    let is_pushed = texts.is_empty() || (texts.len() == 1 && is_of_texts(filter));
    is_answered && is_pushed
}

/// True if an expression may depend on a label, or on a column counted in rows.
pub(super) fn asks_for(expr: &Expr, column: ColumnId) -> bool {
    expr.leaves().into_iter().any(|leaf| match leaf {
        Expr::Text(TextTerm { part, .. }) => {
            matches!(column.source, ColumnSource::Label) && scope(*part, false).1.is_of_outcome()
        }
        leaf => {
            let fields = leaf.fields();
            // A term without fields may depend on anything.
            fields.is_empty() || fields.iter().any(|field| field.asks_for(column))
        }
    })
}

/// True if a filter has only text terms.
fn is_of_texts(filter: &Expr) -> bool {
    filter
        .leaves()
        .into_iter()
        .all(|leaf| matches!(leaf, Expr::Text(_)))
}

/// Returns the test of rows that a leaf needs, if any.
fn question(leaf: &Expr, is_blind: bool) -> Option<RowQuestion> {
    match leaf {
        Expr::Text(TextTerm { part, pattern }) => {
            Some(RowQuestion::Text(scope(*part, is_blind).0, pattern.clone()))
        }
        Expr::Is(of) => match of.column.source {
            ColumnSource::Text(flag) => Some(RowQuestion::Has(flag)),
            _ => None,
        },
        Expr::Word { of, test }
            if matches!(
                of.column.source,
                ColumnSource::Fact | ColumnSource::Field(_)
            ) =>
        {
            Some(RowQuestion::Fact(of.column, test.clone()))
        }
        _ => None,
    }
}

/// True if a column has values only after texts are read or samples are compared.
fn is_found_later(column: ColumnId) -> bool {
    column.source.reads_texts() || column.source.comparison().is_some()
}

/// True if the values of a column are available without reading rows.
pub(super) fn is_known(column: ColumnId, dataset: &Dataset) -> bool {
    dataset.knows(column) && !has_many_words(dataset, column)
}

/// True if an expression depends on other samples, possibly on later ones.
pub(super) fn depends_on_other_samples(expr: &Expr) -> bool {
    expr.leaves()
        .into_iter()
        .flat_map(Expr::columns)
        .any(|column| column.source.comparison().is_some())
}

/// True if an expression needs anything from rows, even if it is known already.
pub(super) fn reads_texts(expr: &Expr) -> bool {
    expr.leaves().into_iter().any(|leaf| {
        question(leaf, false).is_some() || leaf.columns().any(|column| column.source.reads_texts())
    })
}

/// True if an expression needs no rows.
pub(super) fn is_quick(expr: &Expr, dataset: &Dataset) -> bool {
    expr.leaves()
        .into_iter()
        .all(|leaf| !reads_rows(leaf, dataset))
}

fn reads_rows(leaf: &Expr, dataset: &Dataset) -> bool {
    match question(leaf, false) {
        Some(RowQuestion::Text(..) | RowQuestion::Has(_)) => true,
        // Facts have a column unless they have too many distinct words.
        Some(RowQuestion::Fact(..)) | None => {
            leaf.columns().any(|column| !is_known(column, dataset))
        }
    }
}

/// Sorts terms so that those on columns precede those that read rows.
pub(super) fn cheapest_first(expr: Expr, dataset: &Dataset) -> Expr {
    let sorted = |all: Vec<Expr>| {
        let mut all: Vec<_> = all
            .into_iter()
            .map(|one| cheapest_first(one, dataset))
            .collect();
        all.sort_by_key(|one| !is_quick(one, dataset));
        all
    };
    match expr {
        Expr::And(all) => Expr::And(sorted(all)),
        Expr::Or(any) => Expr::Or(sorted(any)),
        Expr::Not(not) => Expr::Not(Box::new(cheapest_first(*not, dataset))),
        Expr::Finding(rule) => {
            let mut rule = FindingRule::clone(&rule);
            rule.filter = cheapest_first(rule.filter, dataset);
            Expr::Finding(Arc::new(rule))
        }
        leaf => leaf,
    }
}
