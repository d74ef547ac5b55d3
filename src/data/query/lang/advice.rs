//! Warnings about valid queries: values that no sample can have, fields that no file has, and what
//! `not` before a bare label means.

use crate::query::ast::{
    Aggregate, Expr, Field, Number, NumberTest, Pattern, Query, TextTarget, TextTerm, WordTest,
};
use crate::query::{Catalog, texts};
use crate::table::{ColumnSource, Requirement};
use crate::text::nearest;

impl Query {
    /// Explains the first term that cannot match as written: values outside the column's range,
    /// data that no file has, or the name of a rule searched for as text. A sentence without a full
    /// stop.
    pub fn explain_no_match(&self, catalog: &Catalog) -> Option<String> {
        self.filter
            .as_ref()
            .and_then(|term| explain_no_match(term, catalog))
    }

    /// Explains the first field that is not what its name suggests.
    pub fn field_note(&self, catalog: &Catalog) -> Option<String> {
        self.columns()
            .into_iter()
            .find_map(|column| catalog.field_note(column))
    }

    /// Returns the first negated term on a label without a prefix, and the same term with `any.`,
    /// both as query text.
    pub fn negated_label(&self, catalog: &Catalog) -> Option<(String, String)> {
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

impl Catalog {
    /// Returns the field that a searched word may be a typo of.
    pub fn likely_field(&self, query: &Query) -> Option<&str> {
        let word = |term: &Expr| match term {
            Expr::Text(TextTerm {
                part: TextTarget::Anywhere,
                pattern: Pattern::Phrase(word),
            }) => Some(word.clone()),
            _ => None,
        };
        query
            .conjuncts()
            .iter()
            .filter_map(word)
            .find_map(|word| nearest(&word, self.names()))
    }
}

/// Explains the first term that no sample can pass.
fn explain_no_match(term: &Expr, catalog: &Catalog) -> Option<String> {
    match term {
        Expr::Text(TextTerm {
            part: TextTarget::Anywhere,
            pattern: Pattern::Phrase(word),
        }) if catalog.rules().names_rule(word) => Some(texts::rule_as_text(word)),
        Expr::And(terms) | Expr::Or(terms) => terms
            .iter()
            .find_map(|term| explain_no_match(term, catalog)),
        // A term that matches nothing matches everything when negated, which is as useless.
        Expr::Not(term) => explain_no_match(term, catalog),
        leaf if can_hold_without_data(leaf) => out_of_range(leaf, catalog),
        leaf if leaf.contradicts_outcome(catalog) => Some(texts::matches_nothing(
            leaf.spelled(catalog),
            texts::FOLLOWS_FROM_LABEL,
        )),
        leaf => match leaf.lacks(catalog) {
            Some(why) => Some(texts::matches_nothing(leaf.spelled(catalog), why)),
            None => out_of_range(leaf, catalog),
        },
    }
}

/// True if a term can hold although no file has the data: it tests for missing values, or counts
/// joined files or raters (zero here).
fn can_hold_without_data(term: &Expr) -> bool {
    match term {
        Expr::Number {
            test: NumberTest::Missing(missing),
            ..
        } => *missing,
        Expr::Word { test, .. } => *test == WordTest::Missing(true),
        term => (term.numbers().into_iter())
            .flat_map(Number::columns)
            .any(|column| {
                matches!(
                    column.requires,
                    Requirement::JoinedFiles | Requirement::Raters
                )
            }),
    }
}

/// Explains why no value passes: all values of the term are outside the column's range.
fn out_of_range(term: &Expr, catalog: &Catalog) -> Option<String> {
    let (field, test) = term.field_test()?;
    let [low, high] = range(field, catalog)?;
    let named = match test {
        NumberTest::Compare(_, value) => vec![*value],
        NumberTest::Within(least, most) => least.iter().chain(most).copied().collect(),
        NumberTest::Among(values) => values.clone(),
        NumberTest::Missing(_) => Vec::new(),
    };
    // If any value in the range passes, then so does one of its ends or a value in the test.
    let passes = named
        .iter()
        .filter(|value| (low..=high).contains(*value))
        .chain([&low, &high])
        .any(|value| test.holds(*value));
    let why = || texts::possible_values(low, high);
    (!passes).then(|| texts::matches_nothing(term.spelled(catalog), why()))
}

/// Returns the least and greatest value of a field, if its column is bounded.
pub(super) fn range(field: &Field, catalog: &Catalog) -> Option<[f64; 2]> {
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

/// Returns the first negated term on a response label without a prefix.
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
