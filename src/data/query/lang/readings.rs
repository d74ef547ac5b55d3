//! The readings of a filter: the queries that a user may have meant. `helpfulness>=3` holds if one
//! of the responses has the value, which is often most of a dataset.

use super::advice::range;
use super::print;
use crate::query::Catalog;
use crate::query::ast::{
    Aggregate, Comparison, Expr, Field, Number, NumberTest, Query, TextTarget, TextTerm,
};
use crate::query::{texts, words};
use crate::table::ColumnKind;
use crate::text::number;

/// A query, and what it says about the responses.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterReading {
    /// The query.
    pub query: Query,
    /// Whose values it tests, for example `A or B`; empty if it tests none.
    pub meaning: String,
}

/// Aggregates that a term is read with, in the order of the readings.
const SIDES: [Aggregate; 4] = [
    Aggregate::Same,
    Aggregate::All,
    Aggregate::Winner,
    Aggregate::Loser,
];

impl Query {
    /// Returns the query itself, then how else it can be read: with each aggregate if it has one
    /// term about a number of responses, otherwise with two aggregates and without each term.
    pub fn readings(&self, catalog: &Catalog) -> Vec<FilterReading> {
        let terms = self.conjuncts();
        let mut all = vec![FilterReading {
            query: self.clone(),
            meaning: self.meaning(catalog),
        }];
        let is_single = terms.len() == 1;
        let has_sides = terms.iter().any(|term| side_of(term).is_some());
        if has_sides && catalog.responses() > 1 {
            let sides = if is_single { &SIDES[..] } else { &SIDES[1..3] };
            all.extend(sides.iter().map(|side| self.with_side(*side, catalog)));
        }
        match terms {
            [term] => all.extend(
                differing(term, catalog).map(|(term, meaning)| FilterReading {
                    query: Self::with_conjuncts(vec![term], self.sort.clone()),
                    meaning,
                }),
            ),
            terms => all.extend((0..terms.len()).map(|at| {
                let mut rest = terms.to_vec();
                let without = rest.remove(at);
                FilterReading {
                    query: Self::with_conjuncts(rest, self.sort.clone()),
                    meaning: texts::without(without.spelled(catalog)),
                }
            })),
        }
        let typed = all[0].query.clone();
        let mut others = all.split_off(1);
        others.retain(|one| one.query != typed);
        all.extend(others);
        all
    }

    /// Says whose values the query tests, for example `A or B`; empty if none, or if terms differ in
    /// that.
    pub fn meaning(&self, catalog: &Catalog) -> String {
        if let [
            Expr::Text(TextTerm {
                part: TextTarget::Anywhere,
                ..
            }),
        ] = self.conjuncts()
        {
            return texts::IN_THE_TEXTS.to_owned();
        }
        let mut sides = self.conjuncts().iter().filter_map(side_of);
        let Some(side) = sides.next().filter(|_| catalog.responses() > 1) else {
            let differing = |term: &Expr| Some(differing(term, catalog)?.1);
            return match self.conjuncts() {
                [term] => differing(term).unwrap_or_default(),
                _ => String::new(),
            };
        };
        let others: Vec<_> = sides.collect();
        match (side, others.len()) {
            _ if others.iter().any(|other| *other != side) => String::new(),
            (Aggregate::Same, 1) => texts::ONE_HAS_BOTH.to_owned(),
            (Aggregate::Same, 2..) => texts::ONE_HAS_ALL.to_owned(),
            _ => side_in_words(side, catalog.responses()),
        }
    }

    fn with_side(&self, side: Aggregate, catalog: &Catalog) -> FilterReading {
        let with_side = |term: &Expr| match (side_of(term), term) {
            (
                Some(_),
                Expr::Number {
                    of: Number::Field(of),
                    test,
                },
            ) => Expr::Number {
                of: Number::Field(Field { view: side, ..*of }),
                test: test.clone(),
            },
            _ => term.clone(),
        };
        let terms = self.conjuncts().iter().map(with_side).collect();
        FilterReading {
            query: Self::with_conjuncts(terms, self.sort.clone()),
            meaning: side_in_words(side, catalog.responses()),
        }
    }
}

/// Returns the meaning of an aggregate's prefix; empty without one.
pub fn view_note(view: Aggregate) -> &'static str {
    words::about("views", print::view(view).trim_end_matches('.'))
}

/// Returns the aggregate of a term about a number of responses, if it can have others.
fn side_of(term: &Expr) -> Option<Aggregate> {
    let (field, _) = term.field_test()?;
    let view = match field.view {
        Aggregate::Any => Aggregate::Same,
        view => view,
    };
    (field.column.is_of_responses() && SIDES.contains(&view)).then_some(view)
}

fn side_in_words(side: Aggregate, responses: usize) -> String {
    let words = match side {
        Aggregate::Same if responses == 2 => texts::A_OR_B,
        Aggregate::Same => texts::ANY_RESPONSE,
        Aggregate::All if responses == 2 => texts::A_AND_B,
        Aggregate::All => texts::ALL_RESPONSES,
        Aggregate::Winner => texts::THE_WINNER,
        _ => texts::THE_LOSER,
    };
    words.to_owned()
}

/// Returns the term about the difference of the responses, with its meaning; `None` if the term is
/// no comparison with a number, or if no difference passes.
fn differing(term: &Expr, catalog: &Catalog) -> Option<(Expr, String)> {
    let (field, test) = term.field_test()?;
    let NumberTest::Compare(comparison, value) = *test else {
        return None;
    };
    let is_asked = field.view == Aggregate::Gap || side_of(term).is_some();
    if !is_asked || catalog.responses() < 2 {
        return None;
    }
    let gap = Field {
        view: Aggregate::Gap,
        ..*field
    };
    let has_whole_values = catalog
        .column(gap.column)
        .is_some_and(|column| column.def.kind == ColumnKind::Label);
    let range = range(&gap, catalog).filter(|_| has_whole_values);
    let by = match range {
        Some([_, most]) if most <= 9.0 => differences(test, most)?,
        _ => match comparison {
            Comparison::Equal => number(value),
            Comparison::NotEqual => return None,
            Comparison::Less => texts::less_than(number(value)),
            Comparison::AtMost => texts::at_most(number(value)),
            Comparison::Greater => texts::more_than(number(value)),
            Comparison::AtLeast => texts::at_least(number(value)),
        },
    };
    let term = Expr::Number {
        of: Number::Field(gap),
        test: test.clone(),
    };
    let meaning = match catalog.responses() {
        2 => texts::a_and_b_differ(by),
        _ => texts::responses_differ(by),
    };
    Some((term, meaning))
}

/// Returns the whole differences from 0 to `most` that pass a test, in words; `None` if none or all
/// do.
fn differences(test: &NumberTest, most: f64) -> Option<String> {
    let all: Vec<_> = (0..=9)
        .map(f64::from)
        .filter(|value| *value <= most)
        .collect();
    let passing: Vec<_> = all
        .iter()
        .copied()
        .filter(|value| test.holds(*value))
        .collect();
    let are_adjacent = passing.windows(2).all(|pair| pair[1] - pair[0] == 1.0);
    match passing[..] {
        _ if passing.len() == all.len() => None,
        [] => None,
        [only] => Some(number(only)),
        [one, other] => Some(texts::one_or_other(number(one), number(other))),
        [low, .., high] if are_adjacent => Some(texts::from_to(number(low), number(high))),
        _ => Some(
            passing
                .iter()
                .map(|value| number(*value))
                .collect::<Vec<_>>()
                .join(", "),
        ),
    }
}
