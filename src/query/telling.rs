//! What a query gives away of where it looks. Everything is decided by name: whoever adds a term
//! must say what it tells.

use super::ast::{Category, Expr, Name, Number, Part, Query, Shape, SortBy, TextTerm, View};

/// Whether a query's answer can change when a reviewer marks, tags, notes or rates a sample.
pub fn speaks_of_remarks(query: &Query) -> bool {
    query.filter.as_ref().is_some_and(asks_for_remarks)
}

fn asks_for_remarks(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(asks_for_remarks),
        Expr::Not(negated) => asks_for_remarks(negated),
        Expr::Is(shape) => match shape {
            Shape::Marked | Shape::Rated => true,
            Shape::Tie
            | Shape::Single
            | Shape::Multiturn
            | Shape::Malformed
            | Shape::Flagged
            | Shape::Duplicate => false,
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
pub fn tells_labels(query: &Query) -> bool {
    let in_order = query.sort.iter().any(|key| match &key.by {
        SortBy::Number(number) => number_tells(number),
        SortBy::Category(category) => category_tells(category),
        SortBy::Random(_) => false,
    });
    in_order || query.filter.as_ref().is_some_and(tells)
}

fn tells(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(tells),
        Expr::Not(negated) => tells(negated),
        Expr::Compare {
            left,
            right,
            comparison: _,
        } => number_tells(left) || number_tells(right),
        Expr::Within { of, .. } | Expr::Among { of, .. } | Expr::Missing { of, .. } => {
            number_tells(of)
        }
        Expr::Category { of, test: _ } => category_tells(of),
        Expr::Text(TextTerm { part, pattern: _ }) => match part {
            Part::Anywhere | Part::Prompt => false,
            Part::Response(view) | Part::Quote(view) | Part::Title(view) => view_tells(*view),
        },
        Expr::Is(shape) => match shape {
            // Most often it is a label that was read so.
            Shape::Tie | Shape::Flagged => true,
            Shape::Single
            | Shape::Multiturn
            | Shape::Malformed
            | Shape::Duplicate
            | Shape::Marked
            | Shape::Rated => false,
        },
        Expr::Has(view, _) | Expr::Cites(view, _) => view_tells(*view),
        Expr::Tag(_) | Expr::Note(_) => false,
    }
}

fn number_tells(number: &Number) -> bool {
    match number {
        Number::Literal(_) => false,
        Number::Field(field) => match field.name {
            Name::Label(_) | Name::Margin | Name::Row | Name::Line => true,
            Name::ResponseLength | Name::Quotes => view_tells(field.view),
            Name::PromptLength | Name::Turns | Name::Sample => false,
        },
        Number::Negative(inner) | Number::Absolute(inner) => number_tells(inner),
        Number::Binary(_, left, right) => number_tells(left) || number_tells(right),
    }
}

const fn category_tells(category: &Category) -> bool {
    match category {
        // A fact can be the name of the model that wrote A.
        Category::Verdict | Category::Fact(_) => true,
        Category::File => false,
    }
}

/// Whether what is seen of the responses so depends on which is which. A number made of the two
/// need not, but is refused with the others: one rule for all numbers, whatever they are of, errs
/// on the safe side.
const fn view_tells(view: View) -> bool {
    match view {
        View::One | View::Any | View::Both => false,
        View::A | View::B | View::Winner | View::Loser => true,
        View::Min | View::Max | View::Mean | View::Gap | View::Margin => true,
    }
}
