//! What a query gives away of where it looks. Everything is decided by name: whoever adds a term
//! must say what it tells.

use super::ast::{
    Aggregate, Category, Expr, Number, NumberName, Query, SampleTest, SortBy, TextTarget, TextTerm,
};

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
                aggregate_reveals(*view)
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
        Expr::Has(view, _) | Expr::Cites(view, _) => aggregate_reveals(*view),
        Expr::Tag(_) | Expr::Note(_) => false,
    }
}

fn number_reveals(number: &Number) -> bool {
    match number {
        Number::Literal(_) => false,
        Number::Field(field) => match field.name {
            NumberName::Label(_) | NumberName::Margin | NumberName::Row | NumberName::Line => true,
            NumberName::ResponseLength | NumberName::Quotes => aggregate_reveals(field.view),
            NumberName::PromptLength | NumberName::Turns | NumberName::Sample => false,
        },
        Number::Negative(inner) | Number::Absolute(inner) => number_reveals(inner),
        Number::Binary(_, left, right) => number_reveals(left) || number_reveals(right),
    }
}

const fn category_reveals(category: &Category) -> bool {
    match category {
        // A fact can be the name of the model that wrote A.
        Category::Verdict | Category::Fact(_) => true,
        Category::File => false,
    }
}

/// Whether what is seen of the responses so depends on which is which. A number made of the two
/// need not, but is refused with the others: one rule for all numbers, whatever they are of, errs
/// on the safe side.
const fn aggregate_reveals(view: Aggregate) -> bool {
    match view {
        Aggregate::One | Aggregate::Any | Aggregate::Both => false,
        Aggregate::A | Aggregate::B | Aggregate::Winner | Aggregate::Loser => true,
        Aggregate::Min | Aggregate::Max | Aggregate::Mean | Aggregate::Gap | Aggregate::Margin => {
            true
        }
    }
}
