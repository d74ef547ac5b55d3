//! Pairs of judgments of the same things, and the figures that they give.

use super::agreement::VerdictCategories;
use crate::model::Verdict;
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
    /// Whether the sample that was begun has a pair, and one with categories.
    has_pair: bool,
    has_cluster: bool,
    clusters: Vec<Vec<(usize, usize)>>,
    /// Pairs of verdicts that have no category, because several responses are best: how many agree,
    /// and all.
    pub(super) uncategorised: [u64; 2],
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
            has_cluster: false,
            clusters: Vec::new(),
            uncategorised: [0; 2],
        }
    }

    /// Begins the next sample.
    pub(super) fn begin(&mut self) {
        (self.has_pair, self.has_cluster) = (false, false);
    }

    fn count_sample(&mut self) {
        self.samples += usize::from(!std::mem::replace(&mut self.has_pair, true));
    }

    /// Adds a pair of the sample that was begun.
    pub(super) fn add(&mut self, first: usize, second: usize) {
        self.confusion.add(first, second);
        self.count_sample();
        if !std::mem::replace(&mut self.has_cluster, true) {
            self.clusters.extend((self.draws > 0).then(Vec::new));
        }
        if let Some(cluster) = self.clusters.last_mut() {
            cluster.push((first, second));
        }
    }

    /// Adds two verdicts on the sample that was begun. Kappa needs categories, so verdicts with
    /// several best responses count in [`Self::equal`] alone.
    pub(super) fn add_verdicts(&mut self, categories: VerdictCategories, of: [Verdict; 2]) {
        match of.map(|verdict| categories.place(verdict)) {
            [Some(first), Some(second)] => self.add(first, second),
            _ => {
                self.count_sample();
                let agree = of[0].agrees_with(of[1]);
                self.uncategorised[0] += u64::from(agree);
                self.uncategorised[1] += 1;
            }
        }
    }

    /// All pairs, those without a category too.
    pub(super) fn total(&self) -> u64 {
        self.confusion.total() + self.uncategorised[1]
    }

    /// The share of pairs that agree: are equal, or have a best response in common.
    pub(super) fn equal(&self) -> Figure {
        let places = 0..self.confusion.categories();
        let same: u64 = places.map(|place| self.confusion.count(place, place)).sum();
        Figure::share(same + self.uncategorised[0], self.total())
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
