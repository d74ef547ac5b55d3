//! What a query gives away of where it looks. Fields say it in the table of columns; everything else
//! is decided by name: whoever adds a term must say what it tells.

use super::ast::{Aggregate, ColumnName, Expr, Number, Query, SortBy, TextTarget, TextTerm};
use crate::table::{ColumnSource, Disagreeing, Reveals};

/// Whether a query's answer can change when a reviewer marks, tags, notes or rates a sample.
pub fn depends_on_remarks(query: &Query) -> bool {
    let in_order = query.sort.iter().any(|key| match &key.by {
        SortBy::Number(number) => is_of_reviewers(number),
        SortBy::Word(name) => name.is_of_reviewers(),
        SortBy::Random(_) => false,
    });
    in_order || query.filter.as_ref().is_some_and(asks_for_remarks)
}

/// Whether a number is made of what reviewers judged.
fn is_of_reviewers(number: &Number) -> bool {
    let mut fields = number.fields().into_iter();
    fields.any(|field| field.name.is_of_reviewers())
}

fn asks_for_remarks(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(asks_for_remarks),
        Expr::Not(negated) => asks_for_remarks(negated),
        Expr::Is(flag) => matches!(flag.def().source, ColumnSource::Review(_)),
        Expr::Has(_, feature) => !feature.is_of_responses(),
        Expr::Tag(_) | Expr::Note(_) | Expr::Check(_) | Expr::Disagrees(_) => true,
        Expr::Finding(rule) => asks_for_remarks(&rule.filter),
        Expr::Compare { .. } | Expr::Within { .. } | Expr::Among { .. } | Expr::Missing { .. } => {
            expr.numbers().into_iter().any(is_of_reviewers)
        }
        Expr::Word { of, test: _ } => of.is_of_reviewers(),
        Expr::Text(_) | Expr::Best(_) | Expr::Cites(..) => false,
    }
}

/// Whether a query's filter or order depends on what a blind reviewer must not know: what the data
/// says of the responses (labels, scores, margin, verdict, facts, rationales), where their rows stand,
/// or which of them is A. What can be read in prompt, responses and quotes tells nothing, of the
/// sample or of any one response; nor does what reviewers said, the name of the file or the sample's number.
pub fn reveals_labels(query: &Query) -> bool {
    let in_order = query.sort.iter().any(|key| match &key.by {
        SortBy::Number(number) => number_reveals(number),
        SortBy::Word(name) => column_reveals(name, Aggregate::Same),
        SortBy::Random(_) => false,
    });
    in_order || query.filter.as_ref().is_some_and(expression_reveals)
}

fn expression_reveals(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(expression_reveals),
        Expr::Not(negated) => expression_reveals(negated),
        Expr::Compare { .. } | Expr::Within { .. } | Expr::Among { .. } | Expr::Missing { .. } => {
            expr.numbers().into_iter().any(number_reveals)
        }
        Expr::Word { of, test: _ } => column_reveals(of, Aggregate::Same),
        Expr::Text(term) => text_tells(term, Aggregate::reveals_response),
        Expr::Is(flag) => column_reveals(&ColumnName::BuiltIn(*flag), Aggregate::Same),
        Expr::Has(view, _) | Expr::Cites(view, _) => view.reveals_response(),
        Expr::Tag(_) | Expr::Note(_) => false,
        // Who knows that the labels are right knows them, or that a judgment is like them.
        Expr::Best(_) | Expr::Check(_) => true,
        Expr::Disagrees(with) => {
            column_reveals(&ColumnName::Disagreement(with.clone()), Aggregate::Same)
        }
        Expr::Finding(rule) => rule.reveals_labels,
    }
}

/// Whether where a text is looked for tells who wins, or so does the view of a response.
fn text_tells(term: &TextTerm, view_tells: fn(Aggregate) -> bool) -> bool {
    match term.part {
        TextTarget::Anywhere | TextTarget::Prompt => false,
        // Who wrote why one is better has said which one is.
        TextTarget::Rationale => true,
        TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
            view_tells(view)
        }
    }
}

fn number_reveals(number: &Number) -> bool {
    let mut fields = number.fields().into_iter();
    fields.any(|field| column_reveals(&field.name, field.view))
}

fn column_reveals(name: &ColumnName, view: Aggregate) -> bool {
    match name.reveals() {
        Reveals::Nothing => false,
        Reveals::WhichResponse => view.reveals_response(),
        Reveals::Label => true,
    }
}

/// Whether a filter or a term of it selects by what annotators said: by labels, by who wins and how
/// clearly, or by what they wrote.
pub fn selects_by_labels(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(selects_by_labels),
        Expr::Not(negated) => selects_by_labels(negated),
        Expr::Finding(rule) => selects_by_labels(&rule.filter),
        Expr::Compare { .. } | Expr::Within { .. } | Expr::Among { .. } | Expr::Missing { .. } => {
            let mut fields = expr.numbers().into_iter().flat_map(Number::fields);
            fields.any(|field| field.view.is_of_outcome() || is_of_annotators(&field.name))
        }
        Expr::Word { of, test: _ } => is_of_annotators(of),
        Expr::Is(flag) => is_of_annotators(&ColumnName::BuiltIn(*flag)),
        Expr::Text(term) => text_tells(term, Aggregate::is_of_outcome),
        Expr::Has(view, _) | Expr::Cites(view, _) => view.is_of_outcome(),
        Expr::Disagrees(with) => is_of_annotators(&ColumnName::Disagreement(with.clone())),
        // Whether a label is right depends on the label; that somebody looked at it does not.
        Expr::Check(verdict) => verdict.is_some(),
        Expr::Best(_) => true,
        Expr::Tag(_) | Expr::Note(_) => false,
    }
}

fn is_of_annotators(name: &ColumnName) -> bool {
    match name {
        ColumnName::Label(_) | ColumnName::Disagreement(Disagreeing::Dataset) => true,
        ColumnName::BuiltIn(column) => {
            let is_place = matches!(column.def().source, ColumnSource::Row | ColumnSource::Line);
            name.reveals() == Reveals::Label && !is_place
        }
        ColumnName::Fact(_)
        | ColumnName::JoinedMargin(_)
        | ColumnName::Rated(..)
        | ColumnName::RatedVerdict(_)
        | ColumnName::Disagreement(_) => false,
    }
}
