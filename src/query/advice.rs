//! What is to be said of a query that reads: values that nothing can have, fields that no file has, and
//! what `not` before a bare label means.

use super::ast::{
    Aggregate, Expr, Field, Number, NumberTest, Pattern, Query, TextTarget, TextTerm, WordTest,
};
use super::catalog::Catalog;
use super::finding_rules::FOLLOWS_FROM_LABEL;
use crate::table::{ColumnSource, Requirement};

impl Query {
    /// Why a term cannot mean what it says: it asks for values that its column cannot have, for what no
    /// file has, or as a text for the name of a rule. A sentence without a full stop, of the first such
    /// term.
    pub fn impossible(&self, catalog: &Catalog) -> Option<String> {
        self.filter.as_ref().and_then(|term| nowhere(term, catalog))
    }

    /// Says that the file has a field of its own with the name of one that every dataset has, for
    /// the first such name.
    pub fn shadowed_field(&self, catalog: &Catalog) -> Option<String> {
        let mut columns = self.columns().into_iter();
        columns.find_map(|column| catalog.shadowed(column))
    }

    /// A term of this query that is negated and speaks of a response that nothing names, and the
    /// term that asks it of any response, both as a query spells them.
    pub fn negated_of_one(&self, catalog: &Catalog) -> Option<(String, String)> {
        let term = self.filter.as_ref().and_then(negated)?;
        let (field, test) = term.field_test()?;
        let view = Aggregate::Any;
        let of_any = Expr::Number {
            of: Number::Field(Field { view, ..*field }),
            test: test.clone(),
        };
        let spelled = |term: &Expr| term.spelled(catalog).to_string();
        Some((spelled(term), spelled(&of_any)))
    }
}

/// The first term that nothing can pass, and why.
fn nowhere(term: &Expr, catalog: &Catalog) -> Option<String> {
    match term {
        Expr::Text(TextTerm {
            part: TextTarget::Anywhere,
            pattern: Pattern::Phrase(word),
        }) if catalog.rules().names_rule(word) => Some(format!(
            "{word} is searched for as a text, but it is the name of a rule: finding:{word} asks the rule"
        )),
        Expr::And(terms) | Expr::Or(terms) => terms.iter().find_map(|term| nowhere(term, catalog)),
        // What holds for nothing holds for everything once it is negated, which is no use either.
        Expr::Not(term) => nowhere(term, catalog),
        leaf if holds_for_nothing_there(leaf) => out_of_range(leaf, catalog),
        leaf if leaf.contradicts_outcome(catalog) => {
            Some(format!("{}: {FOLLOWS_FROM_LABEL}", leaf.spelled(catalog)))
        }
        leaf => match leaf.lacks(catalog) {
            Some(why) => Some(format!("{}: {why}", leaf.spelled(catalog))),
            None => out_of_range(leaf, catalog),
        },
    }
}

/// Whether a term can hold where no file has what it asks for: it asks for that, or counts files, of
/// which there are none.
fn holds_for_nothing_there(term: &Expr) -> bool {
    match term {
        Expr::Number {
            test: NumberTest::Missing(missing),
            ..
        } => *missing,
        Expr::Word { test, .. } => *test == WordTest::Missing(true),
        term => (term.numbers().into_iter())
            .flat_map(Number::columns)
            .any(|column| column.requires == Requirement::JoinedFiles),
    }
}

/// Why nothing can pass a term: it asks for values outside of its column's range.
fn out_of_range(term: &Expr, catalog: &Catalog) -> Option<String> {
    let (field, test) = term.field_test()?;
    let [low, high] = range(field, catalog)?;
    let named = match test {
        NumberTest::Compare(_, value) => vec![*value],
        NumberTest::Within(least, most) => least.iter().chain(most).copied().collect(),
        NumberTest::Among(values) => values.clone(),
        NumberTest::Missing(_) => Vec::new(),
    };
    // If anything within the range passes, an end of it or a value that the test names does.
    let there = named.iter().filter(|value| (low..=high).contains(*value));
    let passes = there.chain([&low, &high]).any(|value| test.holds(*value));
    (!passes).then(|| {
        let term = term.spelled(catalog);
        format!("{term}: nothing has that, values are {low} to {high}")
    })
}

/// Least and greatest value that a field can have, where its column is bounded.
fn range(field: &Field, catalog: &Catalog) -> Option<[f64; 2]> {
    let [low, high] = match &field.column.source {
        ColumnSource::Rated(raters) => catalog.rated_range(raters, field.column.name)?,
        _ => catalog.column(field.column)?.def.range?,
    };
    let width = high - low;
    Some(match field.view {
        Aggregate::Gap => [0.0, width],
        Aggregate::Margin => [-width, width],
        _ => [low, high],
    })
}

/// The first term that is negated and speaks of a response that nothing names.
fn negated(term: &Expr) -> Option<&Expr> {
    match term {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().find_map(negated),
        Expr::Not(term) => {
            let (field, _) = term.field_test()?;
            let is_of_one = field.view == Aggregate::Same && field.column.is_of_responses();
            is_of_one.then_some(&**term)
        }
        _ => None,
    }
}
