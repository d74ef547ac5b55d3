//! Comparison with stored results of scikit-learn, krippendorff, statsmodels and numpy;
//! `reference.py` regenerates the file.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::interval::wilson;
use super::super::*;
use super::{alpha, kappa_interval, near, shuffle};

fn cases(name: &str) -> Vec<Value> {
    let mut all: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("reference.json")).expect("JSON");
    all.remove(name)
        .and_then(|cases| cases.as_array().cloned())
        .expect("cases")
}

fn list<T: serde::de::DeserializeOwned>(case: &Value, name: &str) -> T {
    serde_json::from_value(case[name].clone())
        .unwrap_or_else(|error| panic!("{name} of {case}: {error}"))
}

/// Asserts that the value is near the stored one, or that both are undefined.
fn check(figure: Result<f64, Undefined>, case: &Value, name: &str) {
    let same = match (figure, case[name].as_f64()) {
        (Ok(figure), Some(stored)) => near(figure, stored),
        (Err(_), None) => true,
        _ => false,
    };
    assert!(
        same,
        "{}: {name} is {figure:?}, not {}",
        case["name"], case[name]
    );
}

#[test]
fn kappas() {
    let cases = cases("kappa");
    assert!(cases.len() >= 35);
    for case in cases {
        let (firsts, seconds): (Vec<usize>, Vec<usize>) =
            (list(&case, "first"), list(&case, "second"));
        let confusion = Confusion::of(list(&case, "categories"), firsts.into_iter().zip(seconds));
        check(kappa(&confusion, Weights::Unweighted), &case, "unweighted");
        check(kappa(&confusion, Weights::Quadratic), &case, "quadratic");
    }
}

#[test]
fn alphas() {
    let cases = cases("alpha");
    assert!(cases.len() >= 25);
    for case in cases {
        let units: Vec<Vec<Option<f64>>> = list(&case, "units");
        let units: Vec<Vec<f64>> = units
            .into_iter()
            .map(|unit| unit.into_iter().flatten().collect())
            .collect();
        check(alpha(&units, MeasurementLevel::Nominal), &case, "nominal");
        check(alpha(&units, MeasurementLevel::Ordinal), &case, "ordinal");
        check(alpha(&units, MeasurementLevel::Interval), &case, "interval");
    }
}

#[test]
fn shares() {
    for case in cases("wilson") {
        let (successes, trials, low, high): (u64, u64, f64, f64) =
            serde_json::from_value(case.clone()).expect("a case");
        let interval = wilson(successes, trials).expect("an interval");
        assert!(
            near(interval.low, low) && near(interval.high, high),
            "{case}: {interval:?}"
        );
    }
}

#[test]
fn choices() {
    for case in cases("chance") {
        let seed = list(&case, "seed");
        let (bounds, below): (Vec<u32>, Vec<u32>) = (list(&case, "bounds"), list(&case, "below"));
        let mut chance = SeededRng::new(seed);
        assert_eq!(
            bounds
                .into_iter()
                .map(|bound| chance.below(bound))
                .collect::<Vec<_>>(),
            below
        );
        let mut items: Vec<u32> = (0..100).collect();
        shuffle(&mut SeededRng::new(seed), &mut items);
        assert_eq!(items, list::<Vec<u32>>(&case, "shuffle"));
    }
}

#[test]
fn intervals() {
    for case in cases("jackknife") {
        let clusters: Vec<Vec<(usize, usize)>> = list(&case, "clusters");
        let weights = if case["weights"] == "quadratic" {
            Weights::Quadratic
        } else {
            Weights::Unweighted
        };
        let interval = kappa_interval(&clusters, list(&case, "categories"), weights);
        let (ends, found): ([f64; 2], _) = (list(&case, "ends"), interval.expect("an interval"));
        assert!(
            (found.low - ends[0]).abs() < 1e-5 && (found.high - ends[1]).abs() < 1e-5,
            "{}: {found:?}, not {ends:?}",
            case["name"]
        );
    }
}
