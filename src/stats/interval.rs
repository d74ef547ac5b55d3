//! How sure a figure is: 95 % intervals, by formula for shares, by resampling for the rest.

use super::confusion::{Confusion, Weights, kappa};
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

/// The percentile interval of a figure, at 95 %, by resampling clusters (Efron 1979): things that
/// hang together, as the ratings of a sample's two responses do, are drawn together.
///
/// `statistic` is told how often each cluster is in a resample, and gives its figure. It is asked
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
pub fn bootstrap(
    clusters: usize,
    draws: u32,
    seed: u64,
    statistic: &mut dyn FnMut(&[u32]) -> Result<f64, Undefined>,
) -> Result<Interval, Undefined> {
    let mut times = vec![1; clusters];
    statistic(&times)?;
    let few = Undefined::TooFew {
        have: clusters,
        need: FEWEST_CLUSTERS,
    };
    // What cannot be numbered cannot be drawn; it could not be held either.
    let Some(bound) = u32::try_from(clusters)
        .ok()
        .filter(|_| clusters >= FEWEST_CLUSTERS)
    else {
        return Err(few);
    };
    let mut chance = SeededRng::new(seed);
    let mut figures = Vec::with_capacity(draws as usize);
    for _ in 0..draws {
        times.fill(0);
        for _ in 0..bound {
            times[chance.below(bound) as usize] += 1;
        }
        match statistic(&times) {
            Err(Undefined::Cancelled) => return Err(Undefined::Cancelled),
            figure => figures.extend(figure.ok().filter(|figure| figure.is_finite())),
        }
    }
    interval_of_figures(figures, draws)
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

/// The interval of any figure of two raters, by [`bootstrap`]: a cluster is the pairs of categories
/// of what was rated together, and one without a pair is none.
///
/// # Errors
/// Those of the figure and of [`bootstrap`].
pub fn interval_of(
    figure: impl Fn(&Confusion) -> Result<f64, Undefined>,
    clusters: &[Vec<(usize, usize)>],
    categories: usize,
    draws: u32,
    seed: u64,
) -> Result<Interval, Undefined> {
    let mut confusion = Confusion::new(categories);
    let clusters = clusters.iter().filter(|pairs| !pairs.is_empty());
    // Flat, since a resample goes through all of it, and equal pairs of a cluster counted once: a
    // sample that thousands judged has no more different pairs than one that a few did.
    let mut cells: Vec<(usize, usize, u32)> = Vec::new();
    let mut count = 0;
    for (number, pairs) in clusters.enumerate() {
        count = number + 1;
        let mut own: Vec<usize> = pairs
            .iter()
            .filter_map(|&(first, second)| confusion.cell(first, second))
            .collect();
        own.sort_unstable();
        cells.extend(
            own.chunk_by(|one, other| one == other)
                .map(|same| (number, same[0], same.len() as u32)),
        );
    }
    bootstrap(count, draws, seed, &mut |times| {
        confusion.recount(
            cells.iter().map(|&(cluster, cell, pairs)| {
                (cell, u64::from(times[cluster]) * u64::from(pairs))
            }),
        );
        figure(&confusion)
    })
}

/// The interval of [`kappa`], by [`interval_of`].
///
/// # Errors
/// Those of [`kappa`] and of [`bootstrap`].
pub fn kappa_interval(
    clusters: &[Vec<(usize, usize)>],
    categories: usize,
    weights: Weights,
    draws: u32,
    seed: u64,
) -> Result<Interval, Undefined> {
    interval_of(
        |confusion| kappa(confusion, weights),
        clusters,
        categories,
        draws,
        seed,
    )
}
