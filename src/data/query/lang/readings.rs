//! The readings of a filter: the queries that a user may have meant. `helpfulness>=3` holds if one
//! of the responses has the value, which is often most of a dataset.

use super::advice::range;
use super::print;
use crate::query::Catalog;
use crate::query::ast::{
    Aggregate, Comparison, Expr, Field, Number, NumberTest, Query, TextTarget, TextTerm,
};
use crate::query::{texts, words};
use crate::table::{ColumnKind, ColumnSource};
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
        let has_sides = terms.iter().any(|term| side_of(term).is_some());
        // What must hold for the same response can only be asked of another one together.
        let can_move = terms
            .iter()
            .all(|term| side_of(term).is_some() || !is_of_one_response(term));
        if has_sides && can_move && catalog.responses() > 1 {
            let sides = match terms {
                // It says the same without a prefix.
                [term] if side_of(term) == Some(Aggregate::Any) => &SIDES[1..],
                [_] => &SIDES[..],
                _ => &SIDES[1..3],
            };
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
        let terms = self.conjuncts();
        let sides: Vec<_> = terms.iter().filter_map(side_of).collect();
        let of_one = terms.iter().filter(|term| is_of_one_response(term)).count();
        let is_same = |side: &Aggregate| *side == Aggregate::Same;
        match (&sides[..], terms) {
            ([], [term]) => differing(term, catalog).map_or_else(String::new, |(_, words)| words),
            ([], _) => String::new(),
            _ if catalog.responses() < 2 => String::new(),
            (sides, _) if of_one > 1 && sides.iter().all(is_same) => match of_one {
                2 => texts::ONE_HAS_BOTH.to_owned(),
                _ => texts::ONE_HAS_ALL.to_owned(),
            },
            ([side], _) if of_one == usize::from(is_same(side)) => {
                side_in_words(*side, catalog.responses())
            }
            // Each may hold for another response.
            ([Aggregate::Any, ..], _) => String::new(),
            ([side, others @ ..], _) if of_one == 0 && others.iter().all(|it| it == side) => {
                side_in_words(*side, catalog.responses())
            }
            _ => String::new(),
        }
    }

    fn with_side(&self, side: Aggregate, catalog: &Catalog) -> FilterReading {
        let with_side = |term: &Expr| {
            let mut term = term.clone();
            if side_of(&term).is_some()
                && let Some(view) = view_of(&mut term)
            {
                *view = side;
            }
            term
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

/// Returns the aggregate of a term about values or texts of responses, if it can have others.
fn side_of(term: &Expr) -> Option<Aggregate> {
    let view = *view_of(&mut term.clone())?;
    (view == Aggregate::Any || SIDES.contains(&view)).then_some(view)
}

/// Returns the aggregate of a term that can be asked of each response, of the winner and so on.
fn view_of(term: &mut Expr) -> Option<&mut Aggregate> {
    match term {
        Expr::Number {
            test: NumberTest::Missing(_),
            ..
        } => None,
        Expr::Number {
            of: Number::Field(of),
            ..
        } if is_value(of) => Some(&mut of.view),
        Expr::Is(of) if of.column.is_of_responses() => Some(&mut of.view),
        Expr::Text(TextTerm {
            part: TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view),
            ..
        }) => Some(view),
        _ => None,
    }
}

/// True for a value of a response, not the place of its row.
fn is_value(field: &Field) -> bool {
    let is_place = matches!(field.column.source, ColumnSource::Row | ColumnSource::Line);
    field.column.is_of_responses() && !is_place
}

/// True if the term must hold for the same response as other such terms.
fn is_of_one_response(term: &Expr) -> bool {
    let is_same = |view: Aggregate| view == Aggregate::Same;
    let of_one = |field: &Field| is_same(field.view) && field.column.is_of_responses();
    term.leaves().into_iter().any(|leaf| match leaf {
        Expr::Number { of, .. } => of.fields().into_iter().any(of_one),
        Expr::Compare { left, right, .. } => [left, right]
            .iter()
            .any(|of| of.fields().into_iter().any(of_one)),
        Expr::Word { of, .. } | Expr::Is(of) => of_one(of),
        Expr::Text(TextTerm { part, .. }) => match part {
            TextTarget::Response(view) | TextTarget::Quote(view) | TextTarget::Title(view) => {
                is_same(*view)
            }
            TextTarget::Anywhere | TextTarget::Prompt | TextTarget::Rationale => false,
        },
        _ => false,
    })
}

/// Says whose values an aggregate tests, among this many responses: `A or B`.
pub fn side_in_words(side: Aggregate, responses: usize) -> String {
    let words = match side {
        Aggregate::Same | Aggregate::Any if responses == 2 => texts::A_OR_B,
        Aggregate::Same | Aggregate::Any => texts::ANY_RESPONSE,
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
    let is_asked = is_value(field) && (field.view == Aggregate::Gap || side_of(term).is_some());
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
