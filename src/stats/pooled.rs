//! Annotators whom nothing tells apart from thing to thing: all pairs of them, pooled.

use super::undefined::{Undefined, finite};

/// Quadratic weighted kappa over the pairs of annotators of many things, where nothing says which
/// annotator of one thing is which of another.
///
/// Each pair counts once in either order, so that both have the same marginals and the order in which
/// a file names annotators makes no difference: the same figure as [`kappa`](super::kappa) with
/// quadratic weights (Cohen 1968) of the table of both orders. Values may be any numbers: of whole
/// ones sums are exact up to 2^53.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PooledPairs {
    things: u64,
    pairs: u64,
    equal: u64,
    /// Of both values of each pair.
    sum: f64,
    squares: f64,
    /// Of squared differences.
    apart: f64,
}

impl PooledPairs {
    /// Counts the pairs of the values that annotators gave to one thing; fewer than two make none.
    pub fn add(&mut self, values: &[f64]) {
        self.things += u64::from(values.len() > 1);
        for (place, &first) in values.iter().enumerate() {
            for &second in values.iter().skip(place + 1) {
                self.pairs += 1;
                self.equal += u64::from(first == second);
                self.sum += first + second;
                self.squares += first * first + second * second;
                self.apart += (first - second) * (first - second);
            }
        }
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
    /// same; [`Undefined::NotFinite`] where one is too large to be squared.
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
}
