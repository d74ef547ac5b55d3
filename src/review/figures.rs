//! Pairs of judgments of the same things, and the figures that they give.

use crate::parallel::in_parallel;
use crate::stats::{ClusteredCounts, Confusion, Figure, Undefined, Weights, kappa, wilson};

/// Pairs of categories, counted, and kept sample by sample if resamples are to be drawn.
#[derive(Debug, Clone)]
pub(super) struct CategoryPairs {
    weights: Weights,
    draws: u32,
    confusion: Confusion,
    samples: usize,
    /// The number of the sample that was begun.
    sample: u32,
    /// Whether it has a pair.
    has_pair: bool,
    cells: ClusteredCounts,
}

/// What two raters said of the same things, and its figures.
#[derive(Debug, Clone)]
pub struct PairFigures {
    /// Values of the first (rows) and of the second (columns).
    pub confusion: Confusion,
    /// Kappa: quadratic weighted for labels, unweighted for who wins.
    pub kappa: Figure,
    /// The share of pairs that are equal.
    pub equal: Figure,
    /// The first value less the second, on average, in steps.
    pub difference: Figure,
}

impl CategoryPairs {
    pub(super) fn new(categories: usize, weights: Weights, draws: u32) -> Self {
        Self {
            weights,
            draws,
            confusion: Confusion::new(categories),
            samples: 0,
            sample: 0,
            has_pair: false,
            cells: ClusteredCounts::default(),
        }
    }

    /// The pairs of two raters, each with the number of its sample, in ascending order.
    pub(super) fn of(mut self, pairs: impl Iterator<Item = (u32, usize, usize)>) -> Self {
        for (sample, first, second) in pairs {
            if sample != self.sample {
                self.begin();
                self.sample = sample;
            }
            self.add(first, second);
        }
        self
    }

    /// Begins the next sample.
    pub(super) fn begin(&mut self) {
        self.has_pair = false;
        self.sample += 1;
    }

    /// Adds a pair of the sample that was begun.
    pub(super) fn add(&mut self, first: usize, second: usize) {
        self.confusion.add(first, second);
        if !std::mem::replace(&mut self.has_pair, true) {
            self.samples += 1;
        }
        let cell = self
            .confusion
            .cell(first, second)
            .filter(|_| self.draws > 0);
        cell.into_iter()
            .for_each(|cell| self.cells.add(self.sample, cell as u32));
    }

    /// Samples with a pair.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    pub(super) fn confusion(&self) -> &Confusion {
        &self.confusion
    }

    /// Kappa of other pairs, with the same weights.
    pub(super) fn kappa_of(&self, confusion: &Confusion) -> Result<f64, Undefined> {
        kappa(confusion, self.weights)
    }

    /// The figures, with intervals if any resamples are to be drawn. Breaks off once it is no longer
    /// `wanted`: then they are nobody's.
    pub(super) fn figures(&self, wanted: &(dyn Fn() -> bool + Sync)) -> PairFigures {
        let kinds = self.confusion.categories() * self.confusion.categories();
        let values = |of: &Confusion| [self.kappa_of(of), of.agreement(), of.mean_difference()];
        let mut confusion = self.confusion.clone();
        let mut figures = self.cells.figures(kinds, self.draws, &mut |counts| {
            confusion.recount(counts);
            match wanted() {
                true => values(&confusion),
                false => [Err(Undefined::Cancelled); 3],
            }
        });
        let all = figures.iter_mut().zip(values(&self.confusion));
        all.for_each(|(figure, value)| figure.value = value);
        let [kappa, mut equal, difference] = figures;
        self.bound_share(&mut equal);
        PairFigures {
            confusion: self.confusion.clone(),
            kappa,
            equal,
            difference,
        }
    }

    /// Puts Wilson's interval in the place of that of the bootstrap: if each sample has one pair, since
    /// pairs are independent then; and if all pairs are equal or none is, since resamples tell
    /// nothing then, by the number of samples.
    fn bound_share(&self, equal: &mut Figure) {
        let (pairs, samples) = (self.confusion.total(), self.samples as u64);
        let same = (0..self.confusion.categories())
            .map(|at| self.confusion.count(at, at))
            .sum();
        match equal.value {
            _ if pairs == samples => *equal = Figure::share(same, pairs),
            Ok(1.0) => equal.interval = equal.interval.map(|_| wilson(samples, samples)),
            Ok(0.0) => equal.interval = equal.interval.map(|_| wilson(0, samples)),
            _ => {}
        }
    }
}

/// The figures of each, in their order. Resampling is most of the work, and done side by side;
/// without `draws`, waking other cores would be.
pub(super) fn figures(
    every: &[&CategoryPairs],
    draws: u32,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Vec<PairFigures> {
    match draws {
        0 => every.iter().map(|pairs| pairs.figures(wanted)).collect(),
        _ => in_parallel(every, |pairs| pairs.figures(wanted)),
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
