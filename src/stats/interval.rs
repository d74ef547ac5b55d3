//! How sure a figure is: 95 % intervals, by formula for shares, by resampling for the rest.

use super::figure::Figure;
use super::seeded_rng::SeededRng;
use super::undefined::Undefined;

/// Resamples enough for most: from seed to seed, the ends of the interval move by a tenth of the
/// figure's standard error.
pub const DRAWS: u32 = 1000;

/// Clusters that a bootstrap needs. The fewer they are, the narrower than it should be is the
/// interval: that of a mean of ten by almost a fifth (√0.9 × 1.96 / 2.26), of five by more than a
/// third.
pub const FEWEST_CLUSTERS: usize = 10;

/// The ends of what is left of resamples without the 2.5 % on either side.
const ENDS: [f64; 2] = [0.025, 0.975];

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Several figures of one resample, each with the reason if there is none.
pub type FigureValues<const N: usize> = [Result<f64, Undefined>; N];

/// Where the true figure lies, at 95 %, in the figure's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, not below the lower one.
    pub high: f64,
    /// Resamples that have no figure and were left out; 0 of an interval by formula.
    pub left_out: u32,
}

/// The score interval of a share (Wilson 1927), at 95 %, within 0 and 1: for trials that are
/// independent of each other. More successes than trials are taken as so many.
///
/// # Errors
/// [`Undefined::Nothing`] without a trial.
pub fn wilson(successes: u64, trials: u64) -> Result<Interval, Undefined> {
    if trials == 0 {
        return Err(Undefined::Nothing);
    }
    let (successes, n) = (successes.min(trials), trials as f64);
    let share = successes as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / scale;
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    // At these two the formula says so too, but for rounding.
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

/// How many times as great one share is as another, successes and trials of each, with its interval
/// at 95 % on the logarithm (Katz, Baptista, Azen and Pike 1978): for trials that are independent of
/// each other. `None` where a share is 0 or has no trials, for then the logarithm has no spread.
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

/// The percentile intervals of figures, at 95 %, by resampling clusters (Efron 1979): things that
/// hang together, as the ratings of a sample's two responses do, are drawn together.
///
/// `statistic` is told how often each cluster is in a resample, and gives its figures. It is asked
/// first for the clusters as they are, each once; a reason that it gives then is the reason that
/// there is no interval. Resamples without a figure are left out and counted. Each resample draws
/// as many clusters as there are, by [`SeededRng::below`], all from one stream of the seed. The ends
/// are interpolated linearly between the two nearest figures, as numpy's `percentile` does it.
///
/// # Errors
/// What the statistic says of the clusters as they are; [`Undefined::TooFew`] below
/// [`FEWEST_CLUSTERS`]; [`Undefined::MostLeftOut`] where more than half of the resamples have no
/// figure, or none were asked for; [`Undefined::NoSpread`] where all have the same;
/// [`Undefined::Cancelled`] as soon as the statistic says so.
pub fn bootstrap<const N: usize>(
    clusters: usize,
    draws: u32,
    seed: u64,
    statistic: &mut dyn FnMut(&[u32]) -> FigureValues<N>,
) -> [Result<Interval, Undefined>; N] {
    let mut times = vec![1; clusters];
    let whole = statistic(&times);
    // What cannot be numbered cannot be drawn; it could not be held either.
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

/// The percentile interval at 95 % of the figures that so many resamples have; those that have none
/// are left out.
///
/// # Errors
/// [`Undefined::MostLeftOut`] and [`Undefined::NoSpread`] of [`bootstrap`].
pub(super) fn interval_of_figures(
    mut figures: Vec<f64>,
    draws: u32,
) -> Result<Interval, Undefined> {
    let left_out = draws.saturating_sub(figures.len() as u32);
    if figures.is_empty() || left_out > draws / 2 {
        return Err(Undefined::MostLeftOut { left_out, draws });
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

/// The figure below which that share of the sorted figures lies (Hyndman and Fan 1996, definition
/// 7); there is at least one.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * share;
    let below = sorted[place as usize];
    let above = sorted.get(place as usize + 1).copied().unwrap_or(below);
    below + (above - below) * place.fract()
}

/// Seed of the resamples: any, and always the same, so that the same data has the same intervals.
const SEED: u64 = 1;

/// Groups of clusters that a bootstrap draws from; with fewer clusters, each is a group.
const GROUPS: usize = 4096;

/// Things of several kinds (0, 1, 2, …), counted by cluster, so that figures of the counts have
/// intervals.
#[derive(Debug, Clone, Default)]
pub struct ClusteredCounts(Vec<(u32, u32)>);

impl ClusteredCounts {
    /// Counts a thing of a cluster.
    pub fn add(&mut self, cluster: u32, kind: u32) {
        self.0.push((cluster, kind));
    }

    /// How many things were counted.
    pub fn things(&self) -> usize {
        self.0.len()
    }

    /// How many things of each kind there are.
    pub(super) fn totals(&self, kinds: usize) -> Vec<u64> {
        let mut totals = vec![0; kinds];
        self.0
            .iter()
            .for_each(|&(_, kind)| totals[kind as usize] += 1);
        totals
    }

    /// The figures that `statistic` makes of the counts of each kind and, unless `draws` is 0, their
    /// intervals from so many resamples of clusters ([`bootstrap`]). Of more than 4,096 clusters,
    /// 4,096 groups of neighbours are drawn.
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

    /// The intervals alone, with so many resamples and this seed.
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
        // Equal things of a group are counted once: a resample goes through all that is left.
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
