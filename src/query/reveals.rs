//! What a query gives away of where it looks. Fields say it in the table of columns; everything else
//! is decided by name: whoever adds a term must say what it tells.

use super::ast::{
    Aggregate, Category, Expr, Number, NumberName, Query, SampleTest, SortBy, TextTarget, TextTerm,
};
use crate::table::Reveals;

/// Whether a query's answer can change when a reviewer marks, tags, notes or rates a sample.
pub fn depends_on_remarks(query: &Query) -> bool {
    query.filter.as_ref().is_some_and(asks_for_remarks)
}

fn asks_for_remarks(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(asks_for_remarks),
        Expr::Not(negated) => asks_for_remarks(negated),
        Expr::Is(shape) => match shape {
            SampleTest::Marked | SampleTest::Rated => true,
            SampleTest::Tie
            | SampleTest::Single
            | SampleTest::Multiturn
            | SampleTest::Malformed
            | SampleTest::Flagged
            | SampleTest::Duplicate => false,
        },
        Expr::Has(_, feature) => !feature.is_of_responses(),
        Expr::Tag(_) | Expr::Note(_) => true,
        Expr::Compare { .. }
        | Expr::Within { .. }
        | Expr::Among { .. }
        | Expr::Missing { .. }
        | Expr::Category { .. }
        | Expr::Text(_)
        | Expr::Cites(..) => false,
    }
}

/// Whether a query's filter or order depends on what a blind reviewer must not know: what the data
/// says of the responses (labels, scores, margin, verdict, facts), where their rows stand, or which
/// of them is A. What can be read in the texts tells nothing, of the sample or of any one response;
/// nor does what reviewers said, the name of the file or the sample's number.
pub fn reveals_labels(query: &Query) -> bool {
    let in_order = query.sort.iter().any(|key| match &key.by {
        SortBy::Number(number) => number_reveals(number),
        SortBy::Category(category) => category_reveals(category),
        SortBy::Random(_) => false,
    });
    in_order || query.filter.as_ref().is_some_and(expression_reveals)
}

fn expression_reveals(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(expression_reveals),
        Expr::Not(negated) => expression_reveals(negated),
        Expr::Compare {
            left,
            right,
            comparison: _,
        } => number_reveals(left) || number_reveals(right),
        Expr::Within { of, .. } | Expr::Among { of, .. } | Expr::Missing { of, .. } => {
            number_reveals(of)
        }
        Expr::Category { of, test: _ } => category_reveals(of),
        Expr::Text(TextTerm { part, pattern: _ }) => match part {
            TextTarget::Anywhere | TextTarget::Prompt => false,
            TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
                view.reveals_response()
            }
        },
        Expr::Is(shape) => match shape {
            // Most often it is a label that was read so.
            SampleTest::Tie | SampleTest::Flagged => true,
            SampleTest::Single
            | SampleTest::Multiturn
            | SampleTest::Malformed
            | SampleTest::Duplicate
            | SampleTest::Marked
            | SampleTest::Rated => false,
        },
        Expr::Has(view, _) | Expr::Cites(view, _) => view.reveals_response(),
        Expr::Tag(_) | Expr::Note(_) => false,
    }
}

fn number_reveals(number: &Number) -> bool {
    match number {
        Number::Literal(_) => false,
        Number::Field(field) => match &field.name {
            NumberName::Label(_) => reveals(Reveals::Label, field.view),
            NumberName::BuiltIn(column) => reveals(column.def().reveals, field.view),
        },
        Number::Negative(inner) | Number::Absolute(inner) => number_reveals(inner),
        Number::Binary(_, left, right) => number_reveals(left) || number_reveals(right),
    }
}

fn category_reveals(category: &Category) -> bool {
    // A fact can be the name of the model that wrote A.
    let of = category
        .built_in()
        .map_or(Reveals::Label, |column| column.def().reveals);
    reveals(of, Aggregate::Same)
}

fn reveals(of: Reveals, view: Aggregate) -> bool {
    match of {
        Reveals::Nothing => false,
        Reveals::WhichResponse => view.reveals_response(),
        Reveals::Label => true,
    }
}
