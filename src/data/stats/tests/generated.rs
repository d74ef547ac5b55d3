//! Properties of all ratings.

use proptest::prelude::*;

use super::super::interval::wilson;
use super::super::*;
use super::{alpha, kappa_interval, shuffle};

/// Few or many pairs of ratings from 0 to 4, often equal.
fn pairs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..5_usize, 0..5_usize, any::<bool>()), 0..60).prop_map(|pairs| {
        pairs
            .into_iter()
            .map(|(one, other, same)| (one, if same { one } else { other }))
            .collect()
    })
}

/// Units of ratings, some missing.
fn units() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(
        prop::collection::vec((0..5_u8).prop_map(f64::from), 0..5),
        0..30,
    )
}

fn weights() -> impl Strategy<Value = Weights> {
    prop::sample::select(vec![Weights::Unweighted, Weights::Quadratic])
}

fn level() -> impl Strategy<Value = MeasurementLevel> {
    prop::sample::select(vec![
        MeasurementLevel::Nominal,
        MeasurementLevel::Ordinal,
        MeasurementLevel::Interval,
    ])
}

/// True if two statistics are nearly equal, or undefined for the same reason.
fn alike(one: Result<f64, Undefined>, other: Result<f64, Undefined>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => (one - other).abs() < 1e-12,
        (one, other) => one == other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kappa_keeps_its_bounds_and_knows_no_sides(pairs in pairs(), weights in weights(), seed: u64) {
        let figure = kappa(&Confusion::of(5, pairs.clone()), weights);
        if let Ok(figure) = figure {
            prop_assert!((-1.0..=1.0).contains(&figure), "{}", figure);
            prop_assert_eq!(figure == 1.0, pairs.iter().all(|(one, other)| one == other));
        }
        let swapped = pairs.iter().map(|&(one, other)| (other, one));
        prop_assert_eq!(kappa(&Confusion::of(5, swapped), weights), figure);
        // The direction of the scale, unused categories and the order of the pairs do not matter.
        let turned = pairs.iter().map(|&(one, other)| (4 - one, 4 - other));
        prop_assert_eq!(kappa(&Confusion::of(5, turned), weights), figure);
        let mut shuffled = pairs.clone();
        shuffle(&mut SeededRng::new(seed), &mut shuffled);
        prop_assert_eq!(kappa(&Confusion::of(9, shuffled), weights), figure);
    }

    #[test]
    fn one_pair_kappa_of_two_categories_needs_no_weights(pairs in pairs()) {
        let two = Confusion::of(2, pairs.iter().map(|&(one, other)| (one / 3, other / 3)));
        prop_assert_eq!(kappa(&two, Weights::Unweighted), kappa(&two, Weights::Quadratic));
    }

    #[test]
    fn perfect_agreement_is_one_or_nothing(values in prop::collection::vec(0..5_u8, 0..30), weights in weights(), level in level()) {
        let kappa = kappa(&Confusion::of(5, values.iter().map(|&value| (value.into(), value.into()))), weights);
        let units: Vec<_> = values.iter().map(|&value| vec![f64::from(value); 3]).collect();
        let expected = match values.iter().collect::<std::collections::BTreeSet<_>>().len() {
            0 => Err(Undefined::Nothing),
            1 => Err(Undefined::OneValue),
            _ => Ok(1.0),
        };
        prop_assert_eq!(kappa, expected);
        prop_assert_eq!(alpha(&units, level), expected);
    }

    /// Counting the values of a unit once equals comparing each pair.
    #[test]
    fn alpha_is_that_of_every_pair(units in units()) {
        let units: Vec<_> = units.into_iter().filter(|unit| unit.len() > 1).collect();
        let all: Vec<f64> = units.concat();
        let apart = |values: &[f64]| -> f64 { values.iter().flat_map(|one| values.iter().map(move |other| (one - other).powi(2))).sum() };
        let within: f64 = units.iter().map(|unit| apart(unit) / (unit.len() - 1) as f64).sum();
        let among = apart(&all) / (all.len().max(2) - 1) as f64;
        if among > 0.0 {
            prop_assert!(alike(alpha(&units, MeasurementLevel::Interval), Ok(1.0 - within / among)));
        } else {
            prop_assert!(alpha(&units, MeasurementLevel::Interval).is_err());
        }
    }

    #[test]
    fn alpha_ignores_raters_and_order(units in units(), level in level(), seed: u64) {
        let figure = alpha(&units, level);
        prop_assert!(figure.is_ok_and(|figure| figure.is_finite() && figure <= 1.0) || figure.is_err());
        let mut shuffled = units.clone();
        let mut chance = SeededRng::new(seed);
        shuffle(&mut chance, &mut shuffled);
        shuffled.iter_mut().for_each(|unit| shuffle(&mut chance, unit));
        prop_assert!(alike(alpha(&shuffled, level), figure));
        // Units with fewer than two values change nothing.
        shuffled.extend([vec![], vec![9.0]]);
        prop_assert!(alike(alpha(&shuffled, level), figure));
        // The scale's unit and zero do not matter; below interval level only the order does.
        let moved = |by: fn(f64) -> f64| units.iter().map(|unit| unit.iter().map(|&value| by(value)).collect()).collect::<Vec<Vec<_>>>();
        prop_assert!(alike(alpha(&moved(|value| value * 8.0 - 3.0), level), figure));
        if level != MeasurementLevel::Interval {
            prop_assert!(alike(alpha(&moved(f64::exp), level), figure));
        }
    }

    #[test]
    fn alpha_is_what_the_coincidence_matrix_says(units in units(), level in level()) {
        prop_assert!(alike(alpha(&units, level), by_matrix(&units, level)));
    }

    #[test]
    fn a_share_is_within_its_interval(successes in 0..2000_u64, more in 0..2000_u64) {
        let trials = successes + more;
        prop_assume!(trials > 0);
        let share = successes as f64 / trials as f64;
        let Interval { low, high } = wilson(successes, trials).expect("an interval");
        prop_assert!((0.0..=share).contains(&low) && (share..=1.0).contains(&high) && low < high);
        let other = wilson(more, trials).expect("an interval");
        prop_assert!((other.low - (1.0 - high)).abs() < 1e-12);
    }

    #[test]
    fn an_interval_is_in_order_or_has_a_reason(pairs in pairs(), weights in weights()) {
        let clusters: Vec<_> = pairs.chunks(2).map(<[_]>::to_vec).collect();
        match kappa_interval(&clusters, 5, weights) {
            Ok(Interval { low, high }) => prop_assert!((-1.0..=1.0).contains(&low) && low <= high && high <= 1.0),
            Err(Undefined::TooFew { have, .. }) => prop_assert_eq!(have, clusters.len()),
            Err(_) => {}
        }
    }

    #[test]
    fn choices_stay_below_their_bound(seed: u64, bound in 1..=u32::MAX) {
        prop_assert!(SeededRng::new(seed).below(bound) < bound);
    }
}

/// Alpha by the paper's coincidence matrix of values within units.
fn by_matrix(units: &[Vec<f64>], level: MeasurementLevel) -> Result<f64, Undefined> {
    let mut met = [[0.0; 5]; 5];
    for unit in units.iter().filter(|unit| unit.len() > 1) {
        for (at, &one) in unit.iter().enumerate() {
            for (_, &other) in unit.iter().enumerate().filter(|&(place, _)| place != at) {
                met[one as usize][other as usize] += 1.0 / (unit.len() - 1) as f64;
            }
        }
    }
    let of = met.map(|row| row.iter().sum::<f64>());
    let count: f64 = of.iter().sum();
    let apart = |low: usize, high: usize| match level {
        MeasurementLevel::Nominal => f64::from(u8::from(low != high)),
        MeasurementLevel::Ordinal => {
            (of[low..=high].iter().sum::<f64>() - (of[low] + of[high]) / 2.0).powi(2)
        }
        MeasurementLevel::Interval => ((high - low) as f64).powi(2),
    };
    let (mut within, mut among) = (0.0, 0.0);
    for high in 0..5 {
        for low in 0..high {
            within += met[low][high] * apart(low, high);
            among += of[low] * of[high] * apart(low, high);
        }
    }
    match (count > 0.0, among > 0.0) {
        (false, _) => Err(Undefined::Nothing),
        (true, false) => Err(Undefined::OneValue),
        (true, true) => Ok(1.0 - (count - 1.0) * within / among),
    }
}
