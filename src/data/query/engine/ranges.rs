//! The part of a query that a row of handles shows and sets: the selected values of one field.

use super::Bins;
use crate::query::ast::{Comparison, Expr, Field, Number, NumberTest, Query};

impl Query {
    /// Returns which bins pass the top-level terms about this field alone; `None` if there are
    /// none. A bin wider than one value passes if its middle does.
    pub fn chosen(&self, field: &Field, bins: &Bins) -> Option<Vec<bool>> {
        let tests: Vec<_> = self
            .conjuncts()
            .iter()
            .filter_map(|term| term.test_of(field))
            .collect();
        let passes = |place: usize| {
            let (low, high) = bins.ends(place);
            tests.iter().all(|test| test.holds((low + high) / 2.0))
        };
        (!tests.is_empty()).then(|| (0..bins.count()).map(passes).collect())
    }

    /// Replaces the terms about this field alone by one for bins `first` to `last`, at the place of
    /// the first of them; removes them if that is all bins.
    #[must_use]
    pub fn with_bins(&self, field: &Field, bins: &Bins, first: usize, last: usize) -> Self {
        self.with_conjunct(
            |one| one.test_of(field).is_some(),
            term(field, bins, first, last),
        )
    }

    /// Removes the terms about this field alone.
    #[must_use]
    pub fn without(&self, field: &Field) -> Self {
        self.with_conjunct(|one| one.test_of(field).is_some(), None)
    }

    /// True if a term is about this field alone.
    pub fn tests_field(&self, field: &Field) -> bool {
        self.conjuncts()
            .iter()
            .any(|one| one.test_of(field).is_some())
    }
}

/// Returns the term for these bins; `None` for all bins. The upper end of a bin wider than one
/// value belongs to the next bin.
fn term(field: &Field, bins: &Bins, first: usize, last: usize) -> Option<Expr> {
    let (first, last) = (
        first.min(last),
        first.max(last).min(bins.count().saturating_sub(1)),
    );
    let (low, high) = (bins.ends(first).0, bins.ends(last).1);
    let term = |test| Expr::Number {
        of: Number::Field(*field),
        test,
    };
    let compare = |comparison, value| term(NumberTest::Compare(comparison, value));
    let (from_start, to_end) = (first == 0, last + 1 >= bins.count());
    if bins.are_values() && !from_start && !to_end && first != last {
        return Some(term(NumberTest::Within(Some(low), Some(high))));
    }
    if bins.are_values() && first == last && !(from_start && to_end) {
        return Some(compare(Comparison::Equal, low));
    }
    let below = if bins.are_values() {
        Comparison::AtMost
    } else {
        Comparison::Less
    };
    let lower = (!from_start).then(|| compare(Comparison::AtLeast, low));
    let upper = (!to_end).then(|| compare(below, high));
    Expr::all(lower.into_iter().chain(upper).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::ast::{Aggregate, ColumnId};
    use crate::table::ColumnSource;

    fn bins() -> Bins {
        Bins::Values(vec![0.0, 1.0, 2.0, 3.0, 4.0])
    }

    fn field(view: Aggregate) -> Field {
        Field {
            view,
            column: ColumnId::of(ColumnSource::Label, "helpfulness"),
        }
    }

    fn compare(view: Aggregate, comparison: Comparison, value: f64) -> Expr {
        let left = Number::Field(field(view));
        Expr::compare(left, comparison, Number::Literal(value))
    }

    fn tie() -> Expr {
        Expr::Is(Field::of(ColumnId::named("is:tie").expect("a flag")))
    }

    fn query(terms: &[Expr]) -> Query {
        Query::with_conjuncts(terms.to_vec(), Vec::new())
    }

    #[test]
    fn what_is_chosen() {
        let of = |terms: &[Expr]| query(terms).chosen(&field(Aggregate::Same), &bins());
        use Comparison::{AtLeast, Less, NotEqual};
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[
                compare(Aggregate::At(crate::model::ResponseId::A), AtLeast, 3.0),
                tie()
            ]),
            None
        );
        assert_eq!(
            of(&[compare(Aggregate::Same, AtLeast, 3.0)]),
            Some(vec![false, false, false, true, true])
        );
        let both = [
            compare(Aggregate::Same, AtLeast, 1.0),
            tie(),
            compare(Aggregate::Same, Less, 4.0),
        ];
        assert_eq!(of(&both), Some(vec![false, true, true, true, false]));
        assert_eq!(
            of(&[compare(Aggregate::Same, NotEqual, 2.0)]),
            Some(vec![true, true, false, true, true])
        );
    }

    #[test]
    fn a_range_of_scores_ends_before_the_next_bin() {
        let bins = Bins::ranges(-1.0, 1.0);
        for (first, last, expected) in [
            (
                3,
                3,
                vec![(Comparison::AtLeast, -0.4), (Comparison::Less, -0.2)],
            ),
            (0, 4, vec![(Comparison::Less, 0.0)]),
            (6, 9, vec![(Comparison::AtLeast, 0.2)]),
        ] {
            let terms: Vec<_> = expected
                .into_iter()
                .map(|(sign, value)| compare(Aggregate::Same, sign, value))
                .collect();
            let chosen = Query::default().with_bins(&field(Aggregate::Same), &bins, first, last);
            assert_eq!(chosen, query(&terms));
            let bits = chosen
                .chosen(&field(Aggregate::Same), &bins)
                .expect("chosen");
            assert!(
                (0..10).all(|bin| bits[bin] == (first..=last).contains(&bin)),
                "{first} {last}"
            );
        }
    }

    #[test]
    fn choosing_writes_the_shortest_term_in_the_place_of_the_old_ones() {
        let tie = tie();
        let old = compare(Aggregate::Same, Comparison::AtLeast, 1.0);
        let before = query(&[
            old.clone(),
            tie.clone(),
            compare(Aggregate::Same, Comparison::Less, 4.0),
        ]);
        for (first, last, expected) in [
            (0, 4, None),
            (0, 0, Some(compare(Aggregate::Same, Comparison::Equal, 0.0))),
            (
                0,
                2,
                Some(compare(Aggregate::Same, Comparison::AtMost, 2.0)),
            ),
            (
                3,
                4,
                Some(compare(Aggregate::Same, Comparison::AtLeast, 3.0)),
            ),
            (
                2,
                3,
                Some(Expr::Number {
                    of: Number::Field(field(Aggregate::Same)),
                    test: NumberTest::Within(Some(2.0), Some(3.0)),
                }),
            ),
        ] {
            let terms: Vec<_> = expected.into_iter().chain([tie.clone()]).collect();
            assert_eq!(
                before.with_bins(&field(Aggregate::Same), &bins(), first, last),
                query(&terms),
                "{first} {last}"
            );
        }
        let added = before.with_bins(&field(Aggregate::Gap), &bins(), 2, 4);
        assert_eq!(added.conjuncts().len(), 4);
        assert_eq!(added.without(&field(Aggregate::Gap)), before);
        assert_eq!(before.without(&field(Aggregate::Same)), query(&[tie]));
    }
}
