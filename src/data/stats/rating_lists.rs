//! Ratings of many items by several raters, anonymous or numerous.

use std::collections::HashMap;

use serde::Serialize;

use super::alpha::{AlphaTable, MeasurementLevel};
use super::figure::Figure;
use super::interval::{ClusteredCounts, Scale};
use super::undefined::{Undefined, finite};
use crate::parallel::KeepGoing;

/// Lists of values, one for each item, in clusters of dependent items, such as the
/// responses of a sample. Equal lists are stored once, so intervals cost little.
#[derive(Debug, Clone, Default)]
pub struct RatingLists {
    /// The distinct lists, each ascending, of two or more values.
    lists: Vec<Vec<f64>>,
    known: HashMap<Vec<u64>, u32>,
    counts: ClusteredCounts,
}

/// Agreement of the raters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatingFigures {
    /// Items with two or more values.
    #[serde(rename = "n")]
    pub things: u64,
    /// Pairs of ratings of the same item.
    pub pairs: u64,
    /// Quadratic weighted kappa over all pairs, each in both orders.
    pub kappa: Figure,
    /// Krippendorff's alpha.
    pub alpha: Figure,
    /// Share of pairs with the same value.
    pub equal: Figure,
}

impl RatingLists {
    /// Adds the ratings of an item, and returns them in ascending order; a list with fewer than two
    /// values is ignored.
    pub fn add(&mut self, cluster: u32, values: &[f64]) -> Option<&[f64]> {
        if values.len() < 2 {
            return None;
        }
        // Turns −0 into 0.
        let mut list: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
        list.sort_unstable_by(f64::total_cmp);
        let key = list.iter().map(|value| value.to_bits()).collect();
        let next = self.lists.len() as u32;
        let kind = *self.known.entry(key).or_insert(next);
        if kind == next {
            self.lists.push(list);
        }
        self.counts.add(cluster, kind);
        self.lists.get(kind as usize).map(Vec::as_slice)
    }

    /// Returns the number of items with two or more values.
    pub fn things(&self) -> usize {
        self.counts.things()
    }

    /// Computes agreement, with alpha at this level and, if wanted, intervals over clusters.
    /// Cancellation makes the figures [`Undefined::Cancelled`].
    pub fn figures(
        &self,
        level: MeasurementLevel,
        has_intervals: bool,
        keep_going: &dyn KeepGoing,
    ) -> RatingFigures {
        let origin = self.lists.first().map_or(0.0, |list| list[0]);
        let sums: Vec<PairSums> = self
            .lists
            .iter()
            .map(|list| pair_sums(list, origin))
            .collect();
        let table = AlphaTable::new(&self.lists);
        let total = |times: &[u64]| {
            let sums = sums.iter().zip(times);
            sums.fold([0.0; 5], |all, (sums, &times)| {
                std::array::from_fn(|at| all[at] + times as f64 * sums[at])
            })
        };
        let pairs = total(&self.counts.totals(sums.len()))[0] as u64;
        let scales = [Scale::Agreement, Scale::Agreement, Scale::Share(pairs)];
        let scales = has_intervals.then_some(scales);
        let [kappa, alpha, equal] = self.counts.figures(sums.len(), scales, &mut |times| {
            if !keep_going() {
                return [Err(Undefined::Cancelled); 3];
            }
            let sums = total(times);
            let equal = if sums[0] > 0.0 {
                Ok(sums[1] / sums[0])
            } else {
                Err(Undefined::Nothing)
            };
            let kappa = match level {
                MeasurementLevel::Nominal => Err(Undefined::NoOrder),
                _ => kappa(sums),
            };
            [kappa, table.alpha(times, level), equal]
        });
        RatingFigures {
            things: self.counts.things() as u64,
            pairs,
            kappa,
            alpha,
            equal,
        }
    }
}

/// Sums over the pairs of a list's values: their number, equal pairs, the sum of both values, the
/// sum of both squares, and the sum of squared differences.
type PairSums = [f64; 5];

/// Sums over the k (k − 1) / 2 pairs of k values, derived from sums of the values: Σ(x + y) =
/// (k − 1) Σx, Σ(x² + y²) = (k − 1) Σx², Σ(x − y)² = k Σx² − (Σx)². Distances from the origin are
/// summed, so that rounding errors depend on the spread of the values, not on their size.
fn pair_sums(list: &[f64], origin: f64) -> PairSums {
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let sums = |origin: f64| {
        list.iter().fold([0.0; 2], |[sum, squares], value| {
            let distance = value - origin;
            [sum + distance, squares + distance * distance]
        })
    };
    let (count, [sum, squares], [own_sum, own_squares]) =
        (list.len() as f64, sums(origin), sums(list[0]));
    let equal = list.chunk_by(|one, other| one == other);
    [
        pairs(count),
        equal.map(|run| pairs(run.len() as f64)).sum(),
        (count - 1.0) * sum,
        (count - 1.0) * squares,
        count * own_squares - own_sum * own_sum,
    ]
}

/// Quadratic weighted kappa: 1 minus the mean squared difference over that expected by chance. Each
/// pair counts in both orders, so that both marginals are equal: the same value as
/// [`kappa`](super::kappa) (Cohen 1968) of the table of both orders.
fn kappa([pairs, _, sum, squares, apart]: PairSums) -> Result<f64, Undefined> {
    if pairs == 0.0 {
        return Err(Undefined::Nothing);
    }
    let count = 2.0 * pairs;
    // For two values drawn by chance, E(x − y)² = 2 (E x² − (E x)²), times the squared count.
    let by_chance = 2.0 * (count * squares - sum * sum);
    if by_chance <= 0.0 {
        return Err(Undefined::OneValue);
    }
    finite(1.0 - 2.0 * apart * count / by_chance)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Confusion, Weights, kappa};
    use super::*;

    fn figures(lists: &[Vec<f64>]) -> RatingFigures {
        let mut all = RatingLists::default();
        (0..).zip(lists).for_each(|(sample, list)| {
            all.add(sample, list);
        });
        all.figures(MeasurementLevel::Ordinal, false, &|| true)
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
            let lists: Vec<Vec<f64>> = lists.iter().map(|list| list.iter().copied().map(f64::from).collect()).collect();
            let figures = figures(&lists);
            prop_assert_eq!(figures.pairs * 2, table.total());
            prop_assert_eq!(figures.equal.value, table.agreement());
            match (figures.kappa.value, kappa(&table, Weights::Quadratic)) {
                (Ok(one), Ok(other)) => prop_assert!((one - other).abs() < 1e-12, "{one} {other}"),
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }

    #[test]
    fn known_figures() {
        for (lists, things, expected) in [
            (vec![], 0, Err(Undefined::Nothing)),
            (vec![vec![3.0]], 0, Err(Undefined::Nothing)),
            (
                vec![vec![3.0, 3.0], vec![3.0, 3.0]],
                2,
                Err(Undefined::OneValue),
            ),
            (vec![vec![0.0, 0.0], vec![4.0, 4.0]], 2, Ok(1.0)),
            (vec![vec![0.0, 4.0], vec![4.0, 0.0]], 2, Ok(-1.0)),
            (vec![vec![0.0, 1.0], vec![1.0, 1.0]], 2, Ok(1.0 - 8.0 / 6.0)),
            // The squared difference overflows.
            (vec![vec![0.0, 1e200, 3.0]], 1, Err(Undefined::NotFinite)),
        ] {
            let figures = figures(&lists);
            assert_eq!(
                (figures.things, figures.kappa.value),
                (things, expected),
                "{lists:?}"
            );
        }
    }

    #[test]
    fn one_value_with_a_fraction_throughout_is_one_value() {
        for value in [0.1, 0.7, 1e15 + 0.3, -1e-300] {
            let lists: Vec<_> = (0..50).map(|length| vec![value; length]).collect();
            let figures = figures(&lists);
            assert_eq!(figures.kappa.value, Err(Undefined::OneValue), "{value}");
            assert_eq!(figures.equal.value, Ok(1.0), "{value}");
        }
    }

    #[test]
    fn close_values_far_from_zero_keep_their_kappa() {
        let near = [[0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let far = near.map(|list| list.map(|value| value / 1024.0 + 1e9).to_vec());
        let (near, far) = (figures(&near.map(|list| list.to_vec())), figures(&far));
        assert_eq!((near.kappa, near.pairs), (far.kappa, 9));
    }

    #[test]
    fn a_long_list_counts_as_many_pairs_as_it_has() {
        let values: Vec<_> = (0..200_000_u32).map(|at| f64::from(at % 2)).collect();
        let figures = figures(&[values]);
        assert_eq!(figures.pairs, 19_999_900_000);
        let equal = figures.equal.value.expect("a share");
        assert!((equal - 0.5).abs() < 1e-5, "{equal}");
    }
}
