//! Pairs of judgments of the same things, and the figures that they give.

use crate::parallel::in_parallel;
use crate::stats::{Confusion, Interval, Undefined, Weights, interval_of, kappa, wilson};

/// A figure with how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The figure, or why there is none.
    pub value: Result<f64, Undefined>,
    /// Where it lies at 95 %, or why that cannot be said; `None` where it was not asked for.
    pub interval: Option<Result<Interval, Undefined>>,
}

impl Figure {
    /// So many of so many, with the Wilson interval.
    pub(super) fn share(some: u64, all: u64) -> Self {
        let value = if all == 0 {
            Err(Undefined::Nothing)
        } else {
            Ok(some as f64 / all as f64)
        };
        Self {
            value,
            interval: Some(wilson(some, all)),
        }
    }
}

/// Seed of the resamples: any, and always the same, so that the same judgments give the same
/// interval.
const SEED: u64 = 1;

/// Pairs of categories, counted, and kept sample by sample where resamples are to be drawn.
#[derive(Debug, Clone)]
pub(super) struct CategoryPairs {
    weights: Weights,
    draws: u32,
    confusion: Confusion,
    samples: usize,
    /// Whether the sample that was begun has a pair.
    has_pair: bool,
    clusters: Vec<Vec<(usize, usize)>>,
}

impl CategoryPairs {
    pub(super) fn new(categories: usize, weights: Weights, draws: u32) -> Self {
        let confusion = Confusion::new(categories);
        Self {
            weights,
            draws,
            confusion,
            samples: 0,
            has_pair: false,
            clusters: Vec::new(),
        }
    }

    /// Begins the next sample.
    pub(super) fn begin(&mut self) {
        self.has_pair = false;
    }

    /// Adds a pair of the sample that was begun.
    pub(super) fn add(&mut self, first: usize, second: usize) {
        self.confusion.add(first, second);
        if !std::mem::replace(&mut self.has_pair, true) {
            self.samples += 1;
            self.clusters.extend((self.draws > 0).then(Vec::new));
        }
        if let Some(cluster) = self.clusters.last_mut() {
            cluster.push((first, second));
        }
    }

    /// Samples with a pair.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    pub(super) fn confusion(&self) -> &Confusion {
        &self.confusion
    }

    /// Kappa, and its interval if any resamples are to be drawn. Breaks off once it is no longer
    /// `wanted`: then it is nobody's.
    pub(super) fn kappa(&self, wanted: &(dyn Fn() -> bool + Sync)) -> Figure {
        let categories = self.confusion.categories();
        let figure = |confusion: &Confusion| {
            if wanted() {
                kappa(confusion, self.weights)
            } else {
                Err(Undefined::Cancelled)
            }
        };
        let interval = || interval_of(figure, &self.clusters, categories, self.draws, SEED);
        Figure {
            value: kappa(&self.confusion, self.weights),
            interval: (self.draws > 0).then(interval),
        }
    }
}

/// The kappa of each, in their order. Resampling is most of the work, and done side by side;
/// without `draws`, waking other cores would be.
pub(super) fn kappas(
    every: &[&CategoryPairs],
    draws: u32,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Vec<Figure> {
    match draws {
        0 => every.iter().map(|pairs| pairs.kappa(wanted)).collect(),
        _ => in_parallel(every, |pairs| pairs.kappa(wanted)),
    }
}

/// The share of pairs that are equal.
pub(super) fn equal(confusion: &Confusion) -> Figure {
    let same = (0..confusion.categories())
        .map(|category| confusion.count(category, category))
        .sum();
    Figure::share(same, confusion.total())
}

/// How far the two of a pair are apart on average, in steps.
pub(super) fn mean_distance(confusion: &Confusion) -> Result<f64, Undefined> {
    let places = || 0..confusion.categories();
    let cells = places().flat_map(|first| places().map(move |second| (first, second)));
    let apart: u64 = cells
        .map(|(first, second)| first.abs_diff(second) as u64 * confusion.count(first, second))
        .sum();
    match confusion.total() {
        0 => Err(Undefined::Nothing),
        total => Ok(apart as f64 / total as f64),
    }
}
