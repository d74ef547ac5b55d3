//! Logistic regression: compared with statsmodels, and properties of all pairs.

use proptest::prelude::*;

use super::super::*;
use crate::parallel::KeepGoing;

const ALWAYS: &dyn KeepGoing = &|| true;

/// Coefficients and standard errors by statsmodels 0.14.
const INTERCEPT: [f64; 2] = [-0.485320965, 0.587880024];
const FIRST: [f64; 2] = [1.612719293, 0.731825267];
const SECOND: [f64; 2] = [-0.366642516, 0.550326709];

/// Pairs of two fractional differences; the first response tends to win if the first difference is
/// large.
fn pairs(count: u32, seed: u64) -> Vec<([f64; 2], bool)> {
    let mut chance = SeededRng::new(seed);
    let mut number = || f64::from(chance.below(2001)) / 100.0 - 10.0;
    let pair = |_| {
        let (one, other, noise) = (number(), number(), number());
        ([one, other], one - other / 2.0 + noise > 1.0)
    };
    (0..count).map(pair).collect()
}

fn fit(pairs: &[([f64; 2], bool)]) -> Result<LogisticFit, Undefined> {
    let mut differences = PairDifferences::new(2);
    for (values, first) in pairs {
        differences.push(values, *first, differences.len() as u32);
    }
    differences.fit(ALWAYS)
}

#[test]
fn figures_of_statsmodels() {
    // Logit(y, add_constant(x / x.std(ddof=1))).fit() of these ten pairs twice over, the second
    // time with one winner changed.
    let x = [2.0, -1.0, 0.5, 3.0, -2.5, 1.0, -0.5, 4.0, -3.0, 0.25];
    let z = [1.0, 0.0, -1.0, 2.0, 1.0, -2.0, 0.0, 1.0, -1.0, 3.0];
    let wins = [
        true, false, true, true, false, false, true, true, false, false,
    ];
    let twice = (0..20).map(|at| ([x[at % 10], z[at % 10]], wins[at % 10] != (at == 13)));
    let found = fit(&twice.collect::<Vec<_>>()).expect("a fit");
    let [one, other] = [0, 1].map(|at| found.coefficients[at].expect("a coefficient"));
    assert_eq!((found.pairs, found.ridge), (20, None));
    for (found, expected) in [
        (found.intercept.value, INTERCEPT[0]),
        (found.intercept.standard_error, INTERCEPT[1]),
        (one.value, FIRST[0]),
        (one.standard_error, FIRST[1]),
        (other.value, SECOND[0]),
        (other.standard_error, SECOND[1]),
    ] {
        assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
    }
}

#[test]
fn intervals_are_as_wide_as_the_standard_error_says() {
    for count in [400, 20_000] {
        let found = fit(&pairs(count, 3)).expect("a fit");
        for coefficient in &found.coefficients {
            let coefficient = coefficient.expect("a coefficient");
            let interval = coefficient.interval.expect("an interval");
            let width = (interval.high - interval.low) / coefficient.standard_error;
            assert!((3.2..4.7).contains(&width), "{count}: {width}");
            assert!(interval.low < coefficient.value && coefficient.value < interval.high);
        }
        assert_eq!(fit(&pairs(count, 3)), Ok(found));
    }
}

#[test]
fn pairs_that_are_repeated_in_a_cluster_narrow_no_interval() {
    let once = pairs(300, 3);
    let mut repeated = PairDifferences::new(2);
    for (cluster, (values, first)) in (0..).zip(&once) {
        (0..5).for_each(|_| repeated.push(values, *first, cluster));
    }
    let [once, repeated] = [fit(&once), repeated.fit(ALWAYS)].map(|fit| fit.expect("a fit"));
    for (once, repeated) in once.coefficients.iter().zip(&repeated.coefficients) {
        let width = |of: &Result<LogisticCoefficient, _>| {
            let interval = of.expect("one").interval.expect("an interval");
            interval.high - interval.low
        };
        let ratio = width(repeated) / width(once);
        assert!((0.98..1.02).contains(&ratio), "{ratio}");
    }
}

#[test]
fn what_has_no_estimate_says_why() {
    assert_eq!(fit(&[]), Err(Undefined::Nothing));
    let few = Undefined::TooFew { have: 4, need: 15 };
    assert_eq!(fit(&pairs(4, 1)), Err(few));
    let mut some = pairs(60, 1);
    some.iter_mut().for_each(|(_, first)| *first = true);
    assert_eq!(fit(&some), Err(Undefined::OneOutcome));

    // One feature never differs.
    let mut some = pairs(60, 1);
    some.iter_mut().for_each(|(values, _)| values[1] = 0.0);
    let found = fit(&some).expect("a fit");
    assert_eq!(found.coefficients[1], Err(Undefined::NoVariance));
    assert!(found.coefficients[0].is_ok() && found.ridge.is_none());

    // The response with more of the first feature always wins.
    let mut some = pairs(60, 1);
    some.iter_mut()
        .for_each(|(values, first)| *first = values[0] > 0.0);
    let found = fit(&some).expect("a fit with a ridge");
    assert_eq!(found.ridge, Some(RidgeReason::Separation));
    assert!(found.coefficients[0].expect("a coefficient").value > 1.0);

    // Only three pairs differ in the second feature, and all of them lose.
    let mut some = pairs(60, 1);
    for (at, (values, first)) in some.iter_mut().enumerate() {
        values[1] = f64::from(u8::from(at < 3));
        *first &= at >= 3;
    }
    let found = fit(&some).expect("a fit with a ridge");
    assert_eq!(found.ridge, Some(RidgeReason::Separation));
    let held = found.coefficients[1].expect("a coefficient");
    assert!(held.value < 0.0);
    assert_eq!(held.interval, Err(Undefined::Unbounded));
    assert!(
        found.coefficients[0]
            .expect("a coefficient")
            .interval
            .is_ok()
    );

    // The second difference is twice the first.
    let mut some = pairs(60, 1);
    some.iter_mut()
        .for_each(|(values, _)| values[1] = 2.0 * values[0]);
    let found = fit(&some).expect("a fit with a ridge");
    assert_eq!(found.ridge, Some(RidgeReason::Collinear));

    // Cancelled.
    let mut differences = PairDifferences::new(1);
    (0..20).for_each(|at| differences.push(&[f64::from(at % 3)], at % 2 == 0, at));
    differences.push(&[f64::NAN], true, 20);
    assert_eq!(differences.len(), 20);
    assert_eq!(differences.fit(&|| false), Err(Undefined::Cancelled));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Swapping the responses changes only the sign of the intercept; inverting the outcomes
    /// changes all signs.
    #[test]
    fn signs_follow_sides(seed in any::<u64>(), count in 30..80_u32) {
        let pairs = pairs(count, seed);
        let swapped: Vec<_> =
            pairs.iter().map(|(values, first)| (values.map(|value| -value), !first)).collect();
        let lost: Vec<_> = pairs.iter().map(|(values, first)| (*values, !first)).collect();
        let Ok(found) = fit(&pairs) else { return Ok(()) };
        let (swapped, lost) = (fit(&swapped).expect("a fit"), fit(&lost).expect("a fit"));
        let near = |one: f64, other: f64| (one - other).abs() < 1e-6 * (1.0 + one.abs());
        prop_assert!(near(found.intercept.value, -swapped.intercept.value));
        prop_assert!(near(found.intercept.value, -lost.intercept.value));
        for ((found, swapped), lost) in
            found.coefficients.iter().zip(&swapped.coefficients).zip(&lost.coefficients)
        {
            let [found, swapped, lost] = [found, swapped, lost].map(|one| one.expect("one").value);
            prop_assert!(near(found, swapped) && near(found, -lost));
        }
    }
}
