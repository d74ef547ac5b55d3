//! The agreement that a selection alone produces: kappa after shuffling all values.

use super::alpha::MeasurementLevel;
use super::rating_lists::RatingLists;
use super::seeded_rng::SeededRng;
use crate::parallel::{KeepGoing, in_parallel};

/// Number of shuffles that a statistic is compared with.
pub const SHUFFLES: u32 = 100;

/// A statistic of shuffled values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shuffled {
    /// The mean over all shuffles in which it is defined.
    pub mean: f64,
    /// The minimum.
    pub least: f64,
    /// The maximum.
    pub greatest: f64,
}

/// Computes the kappas of [`SHUFFLES`] shuffles: all values are pooled, shuffled (Fisher and Yates
/// 1938) and dealt out again, so that each list keeps its length. `dealt` of the new lists, evenly
/// spaced, go to `select`, which may reorder a list and adds its selection to the lists of each
/// kappa. Each shuffle has its own seed, so the result does not depend on the number of threads.
/// `None` for a kappa that is undefined in every shuffle, and for all when cancelled.
pub fn shuffled_kappas<const N: usize>(
    lists: &[Vec<f64>],
    dealt: usize,
    keep_going: &dyn KeepGoing,
    select: impl Fn(&mut [f64], &mut [RatingLists; N]) + Sync + Send,
) -> [Option<Shuffled>; N] {
    let values: Vec<f64> = lists.iter().flatten().copied().collect();
    let is_dealt = |at: usize| (at + 1) * dealt / lists.len() > at * dealt / lists.len();
    let draws: Vec<u32> = (0..SHUFFLES).collect();
    let kappas = in_parallel(&draws, |&draw| {
        if !keep_going() {
            return None;
        }
        let (mut chance, mut values) = (SeededRng::new(draw.into()), values.clone());
        for at in (1..values.len()).rev() {
            values.swap(at, chance.below(at as u32 + 1) as usize);
        }
        let (mut pairs, mut rest) = (
            std::array::from_fn(|_| RatingLists::default()),
            &mut *values,
        );
        for (at, list) in lists.iter().enumerate() {
            let (list, left) = rest.split_at_mut(list.len());
            rest = left;
            if is_dealt(at) {
                select(list, &mut pairs);
            }
        }
        let kappa = |of: RatingLists| of.figures(MeasurementLevel::Ordinal, false, &|| true).kappa;
        Some(pairs.map(|pairs| kappa(pairs).value.ok()))
    });
    let kappas = kappas
        .into_iter()
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default();
    std::array::from_fn(|at| {
        let known: Vec<f64> = kappas.iter().filter_map(|kappas| kappas[at]).collect();
        (!known.is_empty()).then(|| Shuffled {
            mean: known.iter().sum::<f64>() / known.len() as f64,
            least: known.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: known.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        })
    })
}
