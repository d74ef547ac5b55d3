//! Statistics checked against other implementations, textbooks and properties of all ratings.

mod distributions;
mod generated;
mod reference;

use super::*;
use crate::stats::interval::{jackknife, wilson};

impl Confusion {
    /// Counts pairs of categories; invalid categories are ignored.
    pub(crate) fn of(categories: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut confusion = Self::new(categories);
        for (first, second) in pairs {
            confusion.add(first, second);
        }
        confusion
    }

    /// Returns the share of items with the same category from both raters, 0 to 1.
    ///
    /// # Errors
    /// [`Undefined::Nothing`] if nothing was counted.
    pub(crate) fn agreement(&self) -> Result<f64, Undefined> {
        let same: u64 = (0..self.categories())
            .map(|category| self.count(category, category))
            .sum();
        match self.total() {
            0 => Err(Undefined::Nothing),
            total => Ok(same as f64 / total as f64),
        }
    }
}

fn alpha(units: &[Vec<f64>], level: MeasurementLevel) -> Result<f64, Undefined> {
    let mut lists = RatingLists::default();
    (0..).zip(units).for_each(|(number, unit)| {
        lists.add(number, unit);
    });
    lists.figures(level, false, &|| true).alpha.value
}

/// Returns the interval of kappa; a cluster is the pairs of categories of items rated together.
fn kappa_interval(
    clusters: &[Vec<(usize, usize)>],
    categories: usize,
    weights: Weights,
) -> Result<Interval, Undefined> {
    let (mut confusion, mut counts) = (Confusion::new(categories), ClusteredCounts::default());
    for (cluster, pairs) in (0..).zip(clusters) {
        let cells = pairs
            .iter()
            .filter_map(|&(first, second)| confusion.cell(first, second));
        cells.for_each(|cell| counts.add(cluster, cell as u32));
    }
    let kinds = categories * categories;
    let [figure] = counts.figures(kinds, Some([Scale::Agreement]), &mut |counts| {
        confusion.recount(counts);
        [kappa(&confusion, weights)]
    });
    figure.interval.expect("it is asked for")
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

/// Builds the table from rows of counts.
fn table(counts: &[&[u64]]) -> Confusion {
    let mut pairs = Vec::new();
    for (first, row) in counts.iter().enumerate() {
        for (second, &count) in row.iter().enumerate() {
            pairs.extend((0..count).map(|_| (first, second)));
        }
    }
    Confusion::of(counts.len(), pairs)
}

#[test]
fn a_confusion_counts() {
    let mut confusion = table(&[&[20, 5], &[10, 15]]);
    assert_eq!(
        (
            confusion.count(0, 1),
            confusion.count(1, 0),
            confusion.count(2, 0)
        ),
        (5, 10, 0)
    );
    assert_eq!(
        (confusion.first_totals(), confusion.second_totals()),
        (vec![25, 25], vec![30, 20])
    );
    assert_eq!((confusion.total(), confusion.agreement()), (50, Ok(0.7)));
    assert_eq!(confusion.mean_difference(), Ok(0.1));
    // An invalid category must not be counted in another cell.
    confusion.add(0, 2);
    confusion.add(2, 0);
    assert_eq!(confusion, table(&[&[20, 5], &[10, 15]]));
}

#[test]
fn kappas_by_hand() {
    // Two raters of fifty proposals: 0.7 agree, 0.5 × 0.6 + 0.5 × 0.4 = 0.5 would by chance.
    assert_eq!(
        kappa(&table(&[&[20, 5], &[10, 15]]), Weights::Unweighted),
        Ok(0.4)
    );
    // Rows 2 1 1, columns 1 1 2, and one pair two apart: by chance 11 of 16 differ, of weight 26.
    let three = table(&[&[1, 0, 1], &[0, 1, 0], &[0, 0, 1]]);
    assert_eq!(kappa(&three, Weights::Unweighted), Ok(7.0 / 11.0));
    assert_eq!(kappa(&three, Weights::Quadratic), Ok(10.0 / 26.0));
    // Two raters who always disagree.
    assert_eq!(
        kappa(&table(&[&[0, 6], &[6, 0]]), Weights::Quadratic),
        Ok(-1.0)
    );
}

#[test]
fn degenerate_kappas_have_a_reason() {
    for weights in [Weights::Unweighted, Weights::Quadratic] {
        assert_eq!(kappa(&Confusion::new(5), weights), Err(Undefined::Nothing));
        assert_eq!(kappa(&Confusion::new(0), weights), Err(Undefined::Nothing));
        assert_eq!(
            kappa(&Confusion::of(5, [(4, 4); 30]), weights),
            Err(Undefined::OneValue)
        );
        // A rater who always gives the same value agrees at chance level: exactly 0, not nearly.
        assert_eq!(
            kappa(
                &Confusion::of(5, [(4, 4), (4, 1), (4, 4), (4, 3), (4, 0)]),
                weights
            ),
            Ok(0.0)
        );
        assert_eq!(kappa(&Confusion::of(5, [(4, 3); 7]), weights), Ok(0.0));
    }
    assert_eq!(Confusion::new(5).agreement(), Err(Undefined::Nothing));
    assert_eq!(Confusion::new(5).mean_difference(), Err(Undefined::Nothing));
}

#[test]
fn alphas_by_hand() {
    // Both values swapped in two units: of four values, 8 of 12 ordered pairs differ, and none
    // agree within a unit.
    let swapped = [vec![0.0, 1.0], vec![1.0, 0.0]];
    for level in [
        MeasurementLevel::Nominal,
        MeasurementLevel::Ordinal,
        MeasurementLevel::Interval,
    ] {
        assert_eq!(alpha(&swapped, level), Ok(1.0 - 3.0 * 4.0 / 8.0));
    }
    // Krippendorff 2011, examples C and D, to the printed digits; each string is a unit.
    let units = [
        "111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3",
    ];
    let units = units.map(|unit| unit.bytes().map(|digit| f64::from(digit - b'0')).collect());
    for (level, printed) in [
        (MeasurementLevel::Nominal, 0.743),
        (MeasurementLevel::Ordinal, 0.815),
        (MeasurementLevel::Interval, 0.849),
    ] {
        let alpha = alpha(&units, level).expect("a figure");
        assert!((alpha - printed).abs() < 5e-4, "{level:?}: {alpha}");
    }
}

#[test]
fn degenerate_alphas_have_a_reason() {
    for level in [
        MeasurementLevel::Nominal,
        MeasurementLevel::Ordinal,
        MeasurementLevel::Interval,
    ] {
        assert_eq!(alpha(&[], level), Err(Undefined::Nothing));
        assert_eq!(
            alpha(&[vec![1.0], vec![], vec![2.0]], level),
            Err(Undefined::Nothing)
        );
        assert_eq!(
            alpha(&[vec![3.0, 3.0], vec![3.0; 4], vec![1.0]], level),
            Err(Undefined::OneValue)
        );
        assert_eq!(
            alpha(&[vec![0.0, -0.0], vec![0.0; 2]], level),
            Err(Undefined::OneValue)
        );
        assert_eq!(
            alpha(&[vec![1.0, f64::NAN], vec![2.0, 1.0]], level),
            Err(Undefined::NotFinite)
        );
        assert_eq!(
            alpha(&[vec![1.0, f64::INFINITY], vec![2.0, 1.0]], level),
            Err(Undefined::NotFinite)
        );
        // A unit with one value is ignored, even if that value is NaN.
        assert_eq!(
            alpha(&[vec![f64::NAN], vec![2.0, 2.0], vec![1.0, 1.0]], level),
            Ok(1.0)
        );
    }
    assert_eq!(
        alpha(
            &[vec![1e300, 1.0], vec![1.0, 1.0]],
            MeasurementLevel::Interval
        ),
        Err(Undefined::NotFinite)
    );
    assert_eq!(
        alpha(
            &[vec![1e-300, 0.0], vec![0.0, 0.0]],
            MeasurementLevel::Interval
        ),
        Err(Undefined::NotFinite)
    );
}

#[test]
fn shares_of_textbooks() {
    // Newcombe 1998, table I, method 3, to the printed digits.
    for (successes, trials, low, high) in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ] {
        let interval = wilson(successes, trials).expect("an interval");
        assert!(
            (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5,
            "{successes}: {interval:?}"
        );
    }
    assert_eq!(wilson(0, 0), Err(Undefined::Nothing));
    assert_eq!(wilson(9, 7), wilson(7, 7));
    assert_eq!(wilson(7, 7).map(|interval| interval.high), Ok(1.0));
    assert_eq!(wilson(0, 7).map(|interval| interval.low), Ok(0.0));
}

#[test]
fn degenerate_intervals_have_a_reason() {
    let quadratic =
        |clusters: &[Vec<(usize, usize)>]| kappa_interval(clusters, 5, Weights::Quadratic);
    assert_eq!(quadratic(&[]), Err(Undefined::Nothing));
    assert_eq!(quadratic(&vec![Vec::new(); 50]), Err(Undefined::Nothing));
    assert_eq!(quadratic(&vec![vec![(4, 4)]; 50]), Err(Undefined::OneValue));
    let some = |count| Vec::from_iter((0..count).map(|number| vec![(number % 5, 2), (1, 1)]));
    let few = Undefined::TooFew { have: 14, need: 15 };
    assert_eq!(quadratic(&some(14)), Err(few));
    assert!(quadratic(&some(15)).is_ok());
    // Clusters without ratings do not count.
    let padded: Vec<_> = some(14).into_iter().chain(vec![Vec::new(); 90]).collect();
    assert_eq!(quadratic(&padded), Err(few));
    // Without any disagreement kappa is 1, and no sample can show its uncertainty.
    let perfect = Vec::from_iter((0..50).map(|number| vec![(number % 5, number % 5)]));
    assert_eq!(quadratic(&perfect), Err(Undefined::NoSpread));
    // All but one cluster have the same value.
    let mut same = vec![vec![(4, 4)]; 50];
    same[7] = vec![(1, 4)];
    assert_eq!(quadratic(&same), Err(Undefined::OneCluster));
}

#[test]
fn a_jackknife_of_a_mean_is_the_interval_of_a_textbook() {
    // The mean of 0 to 19 is 9.5, with standard error √(35 / 20) and 19 degrees of freedom.
    let (sum, n) = (190.0, 20.0);
    let without: Vec<_> = (0..20)
        .map(|value| Ok((sum - f64::from(value)) / (n - 1.0)))
        .collect();
    let interval = jackknife(9.5, &without, Scale::Linear).expect("an interval");
    let reach = 2.093_024_05 * (35.0_f64 / 20.0).sqrt();
    assert!((interval.high - 9.5 - reach).abs() < 1e-4, "{interval:?}");
    assert!((9.5 - interval.low - reach).abs() < 1e-4, "{interval:?}");
    // A share of independent trials has Wilson's interval; 0 and 1 as well, for all clusters.
    let share = |successes: u32, trials: u32| {
        let without = (0..trials).map(|at| {
            let rest = successes - u32::from(at < successes);
            Ok(f64::from(rest) / f64::from(trials - 1))
        });
        let value = f64::from(successes) / f64::from(trials);
        jackknife(
            value,
            &without.collect::<Vec<_>>(),
            Scale::Share(trials.into()),
        )
    };
    for successes in [0, 7, 20] {
        assert_eq!(share(successes, 20), wilson(successes.into(), 20));
    }
}

#[test]
fn trials_of_a_cluster_count_as_much_as_they_vary() {
    let shares = |per_cluster: u32| {
        let trials = (0..60 * per_cluster).map(|at| {
            let cluster = at / per_cluster;
            (cluster, !cluster.is_multiple_of(3))
        });
        ClusteredShare::of(trials.collect())
    };
    let alone = shares(1);
    assert_eq!(alone.figure(), Figure::share(40, 60));
    // Five equal trials of a cluster say no more than one.
    let five = shares(5);
    assert_eq!((five.successes, five.trials), (200, 300));
    let width = |share: ClusteredShare| share.figure().ends().map(|[low, high]| high - low);
    let (alone, five) = (width(alone).expect("one"), width(five).expect("one"));
    assert!((1.0..1.05).contains(&(five / alone)), "{five} {alone}");
    let few = ClusteredShare::of((0..40).map(|at| (at / 4, at % 3 == 0)).collect());
    let reason = Undefined::TooFew { have: 10, need: 15 };
    assert_eq!(few.figure().interval, Some(Err(reason)));
    assert_eq!(few.figure().value, Ok(14.0 / 40.0));
    let none = ClusteredShare::of(Vec::new()).figure();
    assert_eq!(none.value, Err(Undefined::Nothing));
}

#[test]
fn ratings_have_the_intervals_of_their_samples() {
    // Both items of a sample have the same two values, so treating items as independent samples
    // makes the interval too narrow.
    let mut chance = SeededRng::new(9);
    let (mut clustered, mut alone) = (RatingLists::default(), RatingLists::default());
    for sample in 0..200 {
        let one = f64::from(chance.below(5));
        let other = if chance.below(2) == 0 {
            one
        } else {
            f64::from(chance.below(5))
        };
        for thing in 0..2 {
            clustered.add(sample, &[one, other]);
            alone.add(sample * 2 + thing, &[one, other]);
        }
    }
    let figures =
        [clustered, alone].map(|of| of.figures(MeasurementLevel::Ordinal, true, &|| true));
    let all: [fn(&RatingFigures) -> Figure; 3] = [|of| of.kappa, |of| of.alpha, |of| of.equal];
    for of in all {
        let [clustered, alone] = figures.each_ref().map(of);
        assert_eq!(clustered.value, alone.value);
        let width = |figure: Figure| {
            figure
                .ends()
                .map(|[low, high]| high - low)
                .expect("an interval")
        };
        let times = width(clustered) / width(alone);
        assert!(
            (1.2..1.7).contains(&times),
            "{times} is about the root of 2"
        );
    }
    let none = figures[0].kappa.interval;
    assert!(none.is_some_and(|interval| interval.is_ok()));
    let cancelled = {
        let mut lists = RatingLists::default();
        (0..20).for_each(|sample| {
            lists.add(sample, &[f64::from(sample), 1.0]);
        });
        lists.figures(MeasurementLevel::Ordinal, true, &|| false)
    };
    assert_eq!(cancelled.kappa.value, Err(Undefined::Cancelled));
}

#[test]
fn reasons_are_readable() {
    for (reason, words) in [
        (Undefined::Nothing, "n/a: nothing to compare"),
        (
            Undefined::TooFew { have: 3, need: 10 },
            "n/a: too few (3, at least 10 needed)",
        ),
        (Undefined::OneCluster, "n/a: it rests on a single sample"),
    ] {
        assert_eq!(reason.to_string(), words);
    }
}

#[test]
fn random_numbers_are_pinned() {
    // Review draws are reproduced from their seed: these numbers must never change.
    let mut chance = SeededRng::new(7);
    assert_eq!(
        [1000; 8].map(|bound| chance.below(bound)),
        [172, 764, 916, 465, 447, 5, 58, 301]
    );
    assert_eq!(
        [u32::MAX; 2].map(|bound| chance.below(bound)),
        [3_629_326_210, 1_658_398_473]
    );
}

/// Shuffles items uniformly (Fisher and Yates 1938, from the front).
fn shuffle<T>(chance: &mut SeededRng, items: &mut [T]) {
    for at in 0..items.len().saturating_sub(1) {
        let left = u32::try_from(items.len() - at).expect("few");
        items.swap(at, at + chance.below(left) as usize);
    }
}

#[test]
fn random_numbers_are_uniform() {
    // A bound of 0 or 1 leaves no choice.
    assert_eq!([0, 1].map(|bound| SeededRng::new(5).below(bound)), [0, 0]);
    // Six orders of three, 10,000 each on average, with a standard deviation of 91.
    let (mut chance, mut orders) = (SeededRng::new(11), std::collections::BTreeMap::new());
    for _ in 0..60_000 {
        let mut items = [0, 1, 2];
        shuffle(&mut chance, &mut items);
        *orders.entry(items).or_insert(0_u32) += 1;
    }
    assert!(
        orders.len() == 6 && orders.values().all(|count| (9_600..10_400).contains(count)),
        "{orders:?}"
    );
}
