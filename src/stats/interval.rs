//! 95 % confidence intervals: by formula for shares, by bootstrap for all other statistics.

use super::figure::Figure;
use super::seeded_rng::SeededRng;
use super::undefined::Undefined;

/// The usual number of resamples: between seeds, the ends of the interval vary by a tenth of the
/// statistic's standard error.
pub const DRAWS: u32 = 1000;

/// The fewest clusters that a bootstrap accepts. With few clusters its intervals are too narrow:
/// for a mean, by almost a fifth with ten (√0.9 × 1.96 / 2.26), by more than a third with five.
pub const FEWEST_CLUSTERS: usize = 10;

/// The percentiles of the resampled values that bound a 95 % interval.
const ENDS: [f64; 2] = [0.025, 0.975];

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Several statistics of one resample, each undefined for its own reason.
pub type FigureValues<const N: usize> = [Result<f64, Undefined>; N];

/// A 95 % confidence interval, in the statistic's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, not below the lower end.
    pub high: f64,
    /// Resamples skipped because their statistic is undefined; 0 for an interval by formula.
    pub left_out: u32,
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
    let (successes, n) = (successes.min(trials), trials as f64);
    let share = successes as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / scale;
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    // At both ends the formula gives these values, except for rounding.
    let low = if successes == 0 {
        0.0
    } else {
        (centre - reach).max(0.0)
    };
    let high = if successes == trials {
        1.0
    } else {
        (centre + reach).min(1.0)
    };
    Ok(Interval {
        low,
        high,
        left_out: 0,
    })
}

/// Returns the ratio of two shares, each given as successes and trials, with its 95 % interval on
/// the log scale (Katz, Baptista, Azen and Pike 1978), for independent trials. `None` if a share is
/// 0 or has no trials, because the logarithm is undefined then.
pub fn ratio_of_shares(one: [u64; 2], other: [u64; 2]) -> Option<(f64, Interval)> {
    let is_there = |[successes, trials]: [u64; 2]| successes > 0 && trials >= successes;
    if !is_there(one) || !is_there(other) {
        return None;
    }
    let ([x, n], [y, m]) = (
        one.map(|count| count as f64),
        other.map(|count| count as f64),
    );
    let ratio = (x / n) / (y / m);
    let reach = (Z * (1.0 / x - 1.0 / n + 1.0 / y - 1.0 / m).sqrt()).exp();
    let interval = Interval {
        low: ratio / reach,
        high: ratio * reach,
        left_out: 0,
    };
    Some((ratio, interval))
}

/// Returns the 95 % percentile intervals of statistics by resampling clusters (Efron 1979):
/// dependent items, such as the ratings of a sample's two responses, are drawn together.
///
/// `statistic` receives how often each cluster is in a resample and returns its statistics. It is
/// called first with each cluster once; if it is undefined there, so is the interval, for the same
/// reason. Resamples without a value are skipped and counted. Each resample draws as many clusters
/// as there are with [`SeededRng::below`], all from one stream of the seed. The ends are
/// interpolated linearly, as in numpy's `percentile`.
///
/// # Errors
/// The statistic's error for all clusters; [`Undefined::TooFew`] below [`FEWEST_CLUSTERS`];
/// [`Undefined::MostUndefined`] if more than half of the resamples have no value, or `draws` is 0;
/// [`Undefined::NoSpread`] if all have the same value; [`Undefined::Cancelled`] as soon as the
/// statistic returns it.
pub fn bootstrap<const N: usize>(
    clusters: usize,
    draws: u32,
    seed: u64,
    statistic: &mut dyn FnMut(&[u32]) -> FigureValues<N>,
) -> [Result<Interval, Undefined>; N] {
    let mut times = vec![1; clusters];
    let whole = statistic(&times);
    // More clusters than `u32::MAX` would not fit in memory.
    let bound = u32::try_from(clusters)
        .ok()
        .filter(|_| clusters >= FEWEST_CLUSTERS);
    let (mut chance, mut figures) = (SeededRng::new(seed), [const { Vec::new() }; N]);
    for _ in 0..draws {
        let Some(bound) = bound.filter(|_| whole.iter().any(Result::is_ok)) else {
            break;
        };
        times.fill(0);
        for _ in 0..bound {
            times[chance.below(bound) as usize] += 1;
        }
        for (figures, figure) in figures.iter_mut().zip(statistic(&times)) {
            if figure == Err(Undefined::Cancelled) {
                return [Err(Undefined::Cancelled); N];
            }
            figures.extend(figure.ok().filter(|figure| figure.is_finite()));
        }
    }
    std::array::from_fn(|at| {
        whole[at]?;
        bound.ok_or(Undefined::TooFew {
            have: clusters,
            need: FEWEST_CLUSTERS,
        })?;
        interval_of_figures(std::mem::take(&mut figures[at]), draws)
    })
}

/// Returns the 95 % percentile interval of the resampled values; undefined ones are skipped.
///
/// # Errors
/// [`Undefined::MostUndefined`] and [`Undefined::NoSpread`] of [`bootstrap`].
pub(super) fn interval_of_figures(
    mut figures: Vec<f64>,
    draws: u32,
) -> Result<Interval, Undefined> {
    let left_out = draws.saturating_sub(figures.len() as u32);
    if figures.is_empty() || left_out > draws / 2 {
        return Err(Undefined::MostUndefined { left_out, draws });
    }
    figures.sort_unstable_by(f64::total_cmp);
    if figures.first() == figures.last() {
        return Err(Undefined::NoSpread);
    }
    let [low, high] = ENDS.map(|end| percentile(&figures, end));
    Ok(Interval {
        low,
        high,
        left_out,
    })
}

/// Returns a quantile of sorted, non-empty values (Hyndman and Fan 1996, definition 7).
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * share;
    let below = sorted[place as usize];
    let above = sorted.get(place as usize + 1).copied().unwrap_or(below);
    below + (above - below) * place.fract()
}

/// A fixed seed, so that the same data has the same intervals.
const SEED: u64 = 1;

/// Groups of clusters that a bootstrap draws from; with fewer clusters, each is a group.
const GROUPS: usize = 4096;

/// Counts of several kinds of items (0, 1, 2, …) by cluster, for intervals of statistics of the
/// counts.
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

    /// Computes statistics from the counts of each kind and, unless `draws` is 0, their intervals
    /// from that many resamples of clusters ([`bootstrap`]). More than 4,096 clusters are drawn as
    /// 4,096 groups of neighbours.
    pub fn figures<const N: usize>(
        &self,
        kinds: usize,
        draws: u32,
        statistic: &mut dyn FnMut(&[u64]) -> FigureValues<N>,
    ) -> [Figure; N] {
        let values = statistic(&self.totals(kinds));
        let mut figures = values.map(|value| Figure {
            value,
            interval: None,
        });
        if draws > 0 {
            let intervals = self.intervals(kinds, (draws, SEED), statistic);
            let all = figures.iter_mut().zip(intervals);
            all.for_each(|(figure, interval)| figure.interval = Some(interval));
        }
        figures
    }

    /// Computes only the intervals, with this number of resamples and seed.
    pub fn intervals<const N: usize>(
        &self,
        kinds: usize,
        (draws, seed): (u32, u64),
        statistic: &mut dyn FnMut(&[u64]) -> FigureValues<N>,
    ) -> [Result<Interval, Undefined>; N] {
        let mut things = self.0.clone();
        things.sort_unstable();
        let same = |one: &(u32, u32), other: &(u32, u32)| one.0 == other.0;
        let clusters = things.chunk_by(same).count();
        let groups = clusters.min(GROUPS);
        let mut cells = Vec::with_capacity(things.len());
        for (at, things) in things.chunk_by(same).enumerate() {
            cells.extend(
                things
                    .iter()
                    .map(|&(_, kind)| (at * groups / clusters, kind as usize)),
            );
        }
        // Equal items of a group are counted once, because each resample iterates all cells.
        cells.sort_unstable();
        let cells = cells.chunk_by(|one, other| one == other);
        let cells: Vec<_> = cells.map(|same| (same[0], same.len() as u64)).collect();
        let mut counts = vec![0; kinds];
        bootstrap(groups, draws, seed, &mut |times| {
            counts.fill(0);
            for &((group, kind), things) in &cells {
                counts[kind] += u64::from(times[group]) * things;
            }
            statistic(&counts)
        })
    }
}
