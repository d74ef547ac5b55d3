//! What a query gives away of where it looks. Fields say it in the table of columns; everything else
//! is decided by name: whoever adds a term must say what it tells.

use super::ast::{Aggregate, ColumnId, Expr, Field, Query, TextTarget, TextTerm};
use super::catalog::Catalog;
use crate::table::{ColumnSource, Disagreeing, Reveals};

/// Whether a query's answer can change when a reviewer marks, tags, notes or rates a sample.
pub fn depends_on_remarks(query: &Query) -> bool {
    let mut leaves = query.leaves().into_iter();
    query.columns().into_iter().any(ColumnId::is_of_reviewers)
        || leaves.any(|leaf| match leaf {
            Expr::Has(_, feature) => !feature.is_of_responses(),
            Expr::Note(_) | Expr::Check(_) => true,
            _ => false,
        })
}

/// Whether a query's filter or order depends on what a blind reviewer must not know: what the data
/// says of the responses (labels, scores, margin, verdict, facts, rationales), where their rows stand,
/// or which of them is A. What can be read in prompt, responses and quotes tells nothing, of the
/// sample or of any one response; nor does what reviewers said, the name of the file or the sample's number.
/// A fact that the schemas release tells nothing either.
pub fn reveals_labels(query: &Query, catalog: &Catalog) -> bool {
    let is_hidden = |field: &Field| catalog.hides(field);
    let mut leaves = query.leaves().into_iter();
    query.sort_fields().iter().any(is_hidden)
        || leaves.any(|leaf| match leaf {
            // Who knows that the labels are right knows them.
            Expr::Check(_) => true,
            leaf => tells(leaf, Aggregate::reveals_response, &is_hidden),
        })
}

/// Whether a filter or a term of it selects by what annotators said: by labels, by who wins and how
/// clearly, or by what they wrote.
pub fn selects_by_labels(expr: &Expr) -> bool {
    let is_meant = |field: &Field| field.view.is_of_outcome() || is_of_annotators(field.column);
    expr.leaves().into_iter().any(|leaf| match leaf {
        // Whether a label is right depends on the label; that somebody looked at it does not.
        Expr::Check(verdict) => verdict.is_some(),
        leaf => tells(leaf, Aggregate::is_of_outcome, &is_meant),
    })
}

/// Whether a term other than a check tells something: by where a text is looked for, by the view of
/// a response, or by a field.
fn tells(
    leaf: &Expr,
    view_tells: fn(Aggregate) -> bool,
    field_tells: &dyn Fn(&Field) -> bool,
) -> bool {
    match leaf {
        Expr::Text(TextTerm { part, .. }) => match *part {
            TextTarget::Anywhere | TextTarget::Prompt => false,
            // Who wrote why one is better has said which one is.
            TextTarget::Rationale => true,
            TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
                view_tells(view)
            }
        },
        Expr::Has(view, _) | Expr::Cites(view, _) => view_tells(*view),
        Expr::Note(_) => false,
        Expr::Best(_) => true,
        // The others ask for fields.
        leaf => leaf.fields().iter().any(field_tells),
    }
}

fn is_of_annotators(column: ColumnId) -> bool {
    match &column.source {
        ColumnSource::Disagreement(with) => *with == Disagreeing::Dataset,
        ColumnSource::Fact
        | ColumnSource::Field(_)
        | ColumnSource::JoinedMargin
        | ColumnSource::Rated(_)
        | ColumnSource::RatedVerdict(_)
        | ColumnSource::Row
        | ColumnSource::Line => false,
        _ => column.reveals == Reveals::Label,
    }
}
