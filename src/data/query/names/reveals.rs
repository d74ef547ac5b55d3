//! What a query reveals through its choice of samples. Fields declare it in the table of columns;
//! other terms are decided here, one by one.

use super::catalog::Catalog;
use crate::query::ast::{Aggregate, ColumnId, Expr, Field, Query, TextTarget, TextTerm};
use crate::table::{ColumnSource, DisagreementScope, Reveals};

/// True if the filter or order depends on what a blind reviewer must not know: labels, scores,
/// margin, verdict, facts and rationales of the data, the places of the rows, or which response is
/// A. The texts of prompt, responses and quotes reveal nothing, nor do remarks of reviewers, file
/// names, sample numbers, and facts that the schemas release.
pub fn reveals_labels(query: &Query, catalog: &Catalog) -> bool {
    let is_hidden = |field: &Field| catalog.hides(field);
    let mut leaves = query.leaves().into_iter();
    query.sort_fields().iter().any(is_hidden)
        || leaves.any(|leaf| match leaf {
            // That the labels are right reveals them.
            Expr::Check(_) => true,
            leaf => term_reveals(leaf, Aggregate::reveals_response, &is_hidden),
        })
}

/// True if a term selects by labels of annotators, by the winner or its margin, or by rationales.
pub fn selects_by_labels(expr: &Expr) -> bool {
    let is_meant = |field: &Field| field.view.is_of_outcome() || is_of_annotators(field.column);
    expr.leaves().into_iter().any(|leaf| match leaf {
        // A check's verdict depends on the label; that a check exists does not.
        Expr::Check(verdict) => verdict.is_some(),
        leaf => term_reveals(leaf, Aggregate::is_of_outcome, &is_meant),
    })
}

/// True if a term other than a check reveals something, by the texts it searches, by its aggregate,
/// or by a field.
fn term_reveals(
    leaf: &Expr,
    aggregate_reveals: fn(Aggregate) -> bool,
    field_reveals: &dyn Fn(&Field) -> bool,
) -> bool {
    match leaf {
        Expr::Text(TextTerm { part, .. }) => match *part {
            TextTarget::Anywhere | TextTarget::Prompt => false,
            // A rationale says which response is better.
            TextTarget::Rationale => true,
            TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
                aggregate_reveals(view)
            }
        },
        Expr::Note(_) => false,
        Expr::Best(_) => true,
        // The other terms have fields.
        leaf => leaf.fields().iter().any(field_reveals),
    }
}

fn is_of_annotators(column: ColumnId) -> bool {
    match &column.source {
        ColumnSource::Disagreement(with) => {
            matches!(
                with,
                DisagreementScope::Dataset | DisagreementScope::Only(_)
            )
        }
        ColumnSource::Fact
        | ColumnSource::Field(_)
        | ColumnSource::JoinedVerdict
        | ColumnSource::Rater
        | ColumnSource::Rated(_)
        | ColumnSource::RatedVerdict(_)
        | ColumnSource::Row
        | ColumnSource::Line => false,
        _ => column.reveals == Reveals::Label,
    }
}
