//! Annotators whom nothing tells apart from thing to thing: all pairs of them, pooled.

use super::undefined::{Undefined, finite};

/// Quadratic weighted kappa over the pairs of annotators of many things, where nothing says which
/// annotator of one thing is which of another.
///
/// Each pair counts once in either order, so that both have the same marginals and the order in
/// which a file names annotators makes no difference but for rounding: the same figure as
/// [`kappa`](super::kappa) with quadratic weights (Cohen 1968) of the table of both orders. Values
/// may be any numbers: of whole ones sums are exact up to 2^53, and where all are one value no
/// rounding hides it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PooledPairs {
    things: u64,
    pairs: u64,
    equal: u64,
    /// The first value: sums are of distances from it, so that rounding is of the spread of the
    /// values and not of how great they are.
    origin: Option<f64>,
    /// Of both values of each pair.
    sum: f64,
    squares: f64,
    /// Of squared differences.
    apart: f64,
}

impl PooledPairs {
    /// Counts the pairs of the values that annotators gave to one thing; fewer than two make none.
    ///
    /// Of k values there are k (k - 1) / 2 pairs, whose sums follow from those of the values: Σ(x + y)
    /// = (k - 1) Σx, Σ(x² + y²) = (k - 1) Σx², Σ(x - y)² = k Σx² - (Σx)².
    pub fn add(&mut self, values: &[f64]) {
        let [first, _, ..] = *values else {
            return;
        };
        let count = values.len() as u64;
        self.things += 1;
        self.pairs += pairs(count);
        let mut ascending = values.to_vec();
        ascending.sort_unstable_by(f64::total_cmp);
        let same = ascending.chunk_by(|one, other| one == other);
        self.equal += same.map(|run| pairs(run.len() as u64)).sum::<u64>();
        let [sum, squares] = sums(values, *self.origin.get_or_insert(first));
        self.sum += (count - 1) as f64 * sum;
        self.squares += (count - 1) as f64 * squares;
        let [sum, squares] = sums(values, first);
        self.apart += count as f64 * squares - sum * sum;
    }

    /// Things with two or more values.
    pub const fn things(&self) -> u64 {
        self.things
    }

    /// Pairs of annotators.
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The share of pairs that gave the same value.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] where there is no pair.
    pub fn agreement(&self) -> Result<f64, Undefined> {
        match self.pairs {
            0 => Err(Undefined::Nothing),
            pairs => Ok(self.equal as f64 / pairs as f64),
        }
    }

    /// Kappa: one less the mean squared difference over that which chance would give.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] where there is no pair; [`Undefined::OneValue`] where all values are the
    /// same; [`Undefined::NotFinite`] where two are so far apart that their distance cannot be
    /// squared.
    pub fn kappa(&self) -> Result<f64, Undefined> {
        if self.pairs == 0 {
            return Err(Undefined::Nothing);
        }
        let count = 2.0 * self.pairs as f64;
        // Of two values drawn by chance, E(x - y)² = 2 (E x² - (E x)²), times the square of the count.
        let by_chance = 2.0 * (count * self.squares - self.sum * self.sum);
        let found = 2.0 * self.apart * count;
        if by_chance <= 0.0 {
            return Err(Undefined::OneValue);
        }
        finite(1.0 - found / by_chance)
    }
}

/// How many pairs so many values make.
const fn pairs(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// The sum of the distances of values from an origin, and that of their squares.
fn sums(values: &[f64], origin: f64) -> [f64; 2] {
    values.iter().fold([0.0; 2], |[sum, squares], value| {
        let distance = value - origin;
        [sum + distance, squares + distance * distance]
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Confusion, Weights, kappa};
    use super::*;

    fn pooled(lists: &[Vec<u8>]) -> PooledPairs {
        let mut pairs = PooledPairs::default();
        for list in lists {
            pairs.add(
                &list
                    .iter()
                    .map(|&value| f64::from(value))
                    .collect::<Vec<_>>(),
            );
        }
        pairs
    }

    proptest! {
        #[test]
        fn it_is_kappa_of_the_table_of_both_orders(
            lists in proptest::collection::vec(proptest::collection::vec(0_u8..5, 0..6), 0..20),
        ) {
            let mut table = Confusion::new(5);
            for list in &lists {
                for (place, &first) in list.iter().enumerate() {
                    for (other, &second) in list.iter().enumerate() {
                        if place != other {
                            table.add(first.into(), second.into());
                        }
                    }
                }
            }
            let pairs = pooled(&lists);
            prop_assert_eq!(pairs.pairs() * 2, table.total());
            prop_assert_eq!(pairs.agreement(), table.agreement());
            match (pairs.kappa(), kappa(&table, Weights::Quadratic)) {
                (Ok(one), Ok(other)) => prop_assert!((one - other).abs() < 1e-12, "{one} {other}"),
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }

    #[test]
    fn known_figures() {
        for (lists, things, expected) in [
            (&[][..], 0, Err(Undefined::Nothing)),
            (&[vec![3]], 0, Err(Undefined::Nothing)),
            (&[vec![3, 3], vec![3, 3]], 2, Err(Undefined::OneValue)),
            (&[vec![0, 0], vec![4, 4]], 2, Ok(1.0)),
            (&[vec![0, 4], vec![4, 0]], 2, Ok(-1.0)),
            (&[vec![0, 1], vec![1, 1]], 2, Ok(1.0 - 8.0 / 6.0)),
        ] {
            let pairs = pooled(lists);
            assert_eq!(
                (pairs.things(), pairs.kappa()),
                (things, expected),
                "{lists:?}"
            );
        }
    }

    #[test]
    fn one_value_with_a_fraction_throughout_is_one_value() {
        for value in [0.1, 0.7, 1e15 + 0.3, -1e-300] {
            let mut pairs = PooledPairs::default();
            for length in 0..50 {
                pairs.add(&vec![value; length]);
            }
            assert_eq!(pairs.kappa(), Err(Undefined::OneValue), "{value}");
            assert_eq!(pairs.agreement(), Ok(1.0), "{value}");
        }
    }

    #[test]
    fn close_values_far_from_zero_keep_their_kappa() {
        let [mut near, mut far] = [PooledPairs::default(); 2];
        for list in [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]] {
            near.add(&list);
            far.add(&list.map(|value| value / 1024.0 + 1e9));
        }
        assert_eq!((near.kappa(), near.pairs()), (far.kappa(), 9));
    }

    #[test]
    fn what_is_too_far_apart_has_none() {
        let mut pairs = PooledPairs::default();
        pairs.add(&[0.0, 1e200, 3.0]);
        assert_eq!(pairs.kappa(), Err(Undefined::NotFinite));
    }

    #[test]
    fn a_long_list_counts_as_many_pairs_as_it_has() {
        let values: Vec<_> = (0..200_000_u32).map(|at| f64::from(at % 2)).collect();
        let mut pairs = PooledPairs::default();
        pairs.add(&values);
        assert_eq!(pairs.pairs(), 19_999_900_000);
        let agreement = pairs.agreement().unwrap_or_default();
        assert!((agreement - 0.5).abs() < 1e-5, "{agreement}");
    }
}
