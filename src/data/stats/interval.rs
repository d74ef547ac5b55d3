//! 95 % confidence intervals: Wilson's for shares of independent trials, by jackknife for statistics
//! of clustered items.

use super::figure::Figure;
use super::undefined::Undefined;

/// The fewest clusters that have an interval. With 15, 93 to 97 % of the intervals contain the
/// truth (`tests/figures/coverage.py`); with fewer, that depends on the data.
pub const FEWEST_CLUSTERS: usize = 15;

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Several statistics, each undefined for its own reason.
pub type FigureValues<const N: usize> = [Result<f64, Undefined>; N];

/// A 95 % confidence interval, in the statistic's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, not below the lower end.
    pub high: f64,
}

/// The scale on which the error of a statistic is nearly symmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Its own, as for a mean.
    Linear,
    /// Fisher's z, the inverse hyperbolic tangent, for kappa and alpha.
    Agreement,
    /// That of Wilson's interval, for a share of this number of trials.
    Share(u64),
}

/// Returns the score interval of a share (Wilson 1927), at 95 %, within 0 and 1, for independent
/// trials. `successes` is clamped to `trials`.
///
/// # Errors
/// [`Undefined::Nothing`] without trials.
pub fn wilson(successes: u64, trials: u64) -> Result<Interval, Undefined> {
    if trials == 0 {
        return Err(Undefined::Nothing);
    }
    let n = trials as f64;
    Ok(score_interval(successes.min(trials) as f64 / n, n, Z))
}

/// Returns Wilson's interval of a share of `n` trials, with this quantile instead of [`Z`].
fn score_interval(share: f64, n: f64, quantile: f64) -> Interval {
    let square = quantile * quantile / n;
    let scale = 1.0 + square;
    let centre = (share + square / 2.0) / scale;
    let reach = (square * share * (1.0 - share) + square * square / 4.0).sqrt() / scale;
    // At both ends the formula gives these values, except for rounding.
    let low = if share == 0.0 { 0.0 } else { centre - reach };
    let high = if share == 1.0 { 1.0 } else { centre + reach };
    Interval {
        low: low.max(0.0),
        high: high.min(1.0),
    }
}

/// A share of trials in clusters of dependent trials, such as the comparisons of one prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClusteredShare {
    /// Number of successes.
    pub successes: u64,
    /// Number of trials.
    pub trials: u64,
    clusters: usize,
    /// Number of independent trials whose share would vary as much, at most `trials`.
    independent: f64,
}

impl ClusteredShare {
    /// Counts trials, each with its cluster, in any order. The number of independent trials is that
    /// of all by the design effect (Kish 1965): the variance of a ratio over clusters over that of
    /// independent trials.
    pub fn of(mut trials: Vec<(u32, bool)>) -> Self {
        // Sorting is fast if clusters are mostly in order.
        trials.sort_unstable();
        let n = trials.len() as f64;
        let successes = trials.iter().filter(|(_, succeeds)| *succeeds).count();
        let share = successes as f64 / n;
        let of_cluster = |trials: &[(u32, bool)]| {
            let some = trials.iter().filter(|(_, succeeds)| *succeeds).count() as f64;
            (some - share * trials.len() as f64).powi(2)
        };
        let clusters = || trials.chunk_by(|one, other| one.0 == other.0);
        let count = clusters().count();
        let spread = clusters().map(of_cluster).sum::<f64>() * count as f64 / (count as f64 - 1.0);
        let effect = spread / (n * share * (1.0 - share) * n / (n - 1.0));
        let independent = match (effect.is_finite(), count == trials.len()) {
            (true, false) => n / effect.max(1.0),
            _ => count as f64,
        };
        Self {
            successes: successes as u64,
            trials: trials.len() as u64,
            clusters: count,
            independent,
        }
    }

    /// Returns the share with its interval: Wilson's for independent trials. If clusters have
    /// several trials, with Student's t for that number of clusters, and none below
    /// [`FEWEST_CLUSTERS`].
    pub fn figure(self) -> Figure {
        let Figure { value, interval } = Figure::share(self.successes, self.trials);
        let have = self.clusters;
        let clustered = |share| match have as u64 == self.trials {
            true => interval.unwrap_or(Err(Undefined::Nothing)),
            false if have < FEWEST_CLUSTERS => {
                let need = FEWEST_CLUSTERS;
                Err(Undefined::TooFew { have, need })
            }
            false => Ok(score_interval(
                share,
                self.independent,
                student(have as f64 - 1.0),
            )),
        };
        Figure {
            value,
            interval: Some(value.and_then(clustered)),
        }
    }
}

/// Returns the 97.5th percentile of Student's t distribution, for 10 or more degrees of freedom
/// (Abramowitz and Stegun 1964, 26.7.5), with an error below 0.0001.
fn student(freedom: f64) -> f64 {
    let z = Z * Z;
    let terms = [
        (z + 1.0) / 4.0,
        ((5.0 * z + 16.0) * z + 3.0) / 96.0,
        (((3.0 * z + 19.0) * z + 17.0) * z - 15.0) / 384.0,
        ((((79.0 * z + 776.0) * z + 1482.0) * z - 1920.0) * z - 945.0) / 92_160.0,
    ];
    let sum = terms
        .iter()
        .rev()
        .fold(0.0, |sum, term| (sum + term) / freedom);
    Z * (1.0 + sum)
}

/// Returns the 95 % interval of a statistic from its values without each cluster (the jackknife:
/// Tukey 1958; Efron and Tibshirani 1993, chapter 11): its standard error times Student's t, with
/// one degree of freedom less than clusters. On another scale, the error is converted by the
/// derivative at the value; a share has Wilson's interval for the number of independent trials
/// that would have this error (Korn and Graubard 1998), at most the number of trials, or simply
/// Wilson's if each cluster has one trial.
///
/// # Errors
/// [`Undefined::TooFew`] below [`FEWEST_CLUSTERS`]; the error of any value;
/// [`Undefined::NoSpread`] if all are equal.
pub(super) fn jackknife(
    value: f64,
    without: &[Result<f64, Undefined>],
    scale: Scale,
) -> Result<Interval, Undefined> {
    let (have, need) = (without.len(), FEWEST_CLUSTERS);
    if have < need {
        return Err(Undefined::TooFew { have, need });
    }
    let n = have as f64;
    match scale {
        Scale::Share(trials) if [0.0, 1.0].contains(&value) || trials == have as u64 => {
            return Ok(score_interval(value, n, Z));
        }
        _ => {}
    }
    let values = || {
        without
            .iter()
            .map(|value| value.map_err(|_| Undefined::OneCluster))
    };
    let mean = values().sum::<Result<f64, _>>()? / n;
    let squares = values().map(|value| value.map(|value| (value - mean) * (value - mean)));
    let error = (squares.sum::<Result<f64, _>>()? * (n - 1.0) / n).sqrt();
    // Rounding alone also makes a difference.
    if error <= f64::EPSILON * value.abs() * n {
        return Err(Undefined::NoSpread);
    }
    let reach = student(n - 1.0) * error;
    let interval = match scale {
        Scale::Linear => Interval {
            low: value - reach,
            high: value + reach,
        },
        Scale::Agreement => {
            // With few clusters, the error of kappa varies and is mostly too small.
            let reach = reach * (n / (n - 1.0)).sqrt() / (1.0 - value * value);
            Interval {
                low: (value.atanh() - reach).tanh(),
                high: (value.atanh() + reach).tanh(),
            }
        }
        Scale::Share(trials) => {
            let independent = value * (1.0 - value) / (error * error);
            score_interval(value, independent.min(trials as f64), student(n - 1.0))
        }
    };
    let is_finite = interval.low.is_finite() && interval.high.is_finite();
    is_finite.then_some(interval).ok_or(Undefined::NotFinite)
}

/// Most groups of clusters. Above, neighbours are left out together.
const GROUPS: usize = 1000;

/// Counts of several kinds of items (0, 1, 2, …) by cluster of dependent items, such as the ratings
/// of a sample's two responses, for intervals of statistics of the counts.
#[derive(Debug, Clone, Default)]
pub struct ClusteredCounts(Vec<(u32, u32)>);

impl ClusteredCounts {
    /// Counts an item of a cluster.
    pub fn add(&mut self, cluster: u32, kind: u32) {
        self.0.push((cluster, kind));
    }

    /// Returns the number of items counted.
    pub fn things(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of items of each kind.
    pub(super) fn totals(&self, kinds: usize) -> Vec<u64> {
        let mut totals = vec![0; kinds];
        self.0
            .iter()
            .for_each(|&(_, kind)| totals[kind as usize] += 1);
        totals
    }

    /// Computes statistics from the counts of each kind and, if wanted, their intervals at these
    /// scales, by [`jackknife`]. A statistic that returns [`Undefined::Cancelled`] ends the
    /// computation.
    pub fn figures<const N: usize>(
        &self,
        kinds: usize,
        scales: Option<[Scale; N]>,
        statistic: &mut dyn FnMut(&[u64]) -> FigureValues<N>,
    ) -> [Figure; N] {
        let mut counts = self.totals(kinds);
        let values = statistic(&counts);
        let Some(scales) = scales else {
            return values.map(|value| Figure {
                value,
                interval: None,
            });
        };
        let mut things = self.0.clone();
        things.sort_unstable();
        let clusters = things.chunk_by(|one, other| one.0 == other.0).count();
        let (groups, mut at) = (clusters.min(GROUPS), 0);
        let mut without = [const { Vec::new() }; N];
        let mut of_clusters = things.chunk_by(|one, other| one.0 == other.0);
        for group in 0..groups {
            let end = ((group + 1) * clusters).div_ceil(groups);
            let left_out: Vec<_> = of_clusters.by_ref().take(end - at).flatten().collect();
            at = end;
            (left_out.iter()).for_each(|(_, kind)| counts[*kind as usize] -= 1);
            let figures = statistic(&counts);
            (left_out.iter()).for_each(|(_, kind)| counts[*kind as usize] += 1);
            if figures.contains(&Err(Undefined::Cancelled)) {
                return [const {
                    Figure {
                        value: Err(Undefined::Cancelled),
                        interval: None,
                    }
                }; N];
            }
            let lists = without.iter_mut().zip(figures);
            lists.for_each(|(list, figure)| list.push(figure));
        }
        std::array::from_fn(|at| {
            let interval = |value| jackknife(value, &without[at], scales[at]);
            Figure {
                value: values[at],
                interval: Some(values[at].and_then(interval)),
            }
        })
    }
}
