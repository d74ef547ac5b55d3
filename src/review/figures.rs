//! Pairs of judgments of the same things, and the figures that they give.

use std::sync::Arc;

use super::judged_sample::{JudgedSample, VerdictCategories};
use super::rating_form::Rateable;
use crate::journal::Rating;
use crate::model::Verdict;
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::{ClusteredCounts, Confusion, Figure, Undefined, Weights, kappa, wilson};

/// The name of who wins among labels.
pub(super) const VERDICT: &str = "verdict";

/// Pairs of categories, counted, and kept sample by sample if resamples are to be drawn.
#[derive(Debug, Clone)]
pub(super) struct CategoryPairs {
    /// Of which label; `None` for who wins.
    label: Option<Rateable>,
    weights: Weights,
    draws: u32,
    confusion: Confusion,
    samples: usize,
    /// Pairs of verdicts without a category, because several responses are best: how many agree, and
    /// how many do not.
    uncategorised: [u64; 2],
    /// The number of the sample that was begun.
    sample: u32,
    /// Whether it has a pair.
    has_pair: bool,
    /// The cell of each pair in the confusion matrix, and after those the two kinds without category.
    cells: ClusteredCounts,
}

/// What two raters said of the same things, a label or who wins, and its figures. The dataset can
/// be one of the raters.
#[derive(Debug, Clone)]
pub struct PairFigures {
    /// The label's name in the schema; `verdict` for who wins.
    pub name: Arc<str>,
    /// Least and greatest value of the label.
    pub range: [i64; 2],
    /// Agreement between single annotators of the dataset, as published: the quadratic weighted
    /// kappa of a label, the share of equal verdicts.
    pub published: Option<f64>,
    /// Samples with a pair.
    pub samples: usize,
    /// All pairs, those without a category too.
    pub n: u64,
    /// Those without a category, because several responses are best: kappa leaves them out.
    pub several: u64,
    /// Values of the first (rows) and of the second (columns).
    pub confusion: Confusion,
    /// Kappa: quadratic weighted for labels, unweighted for who wins.
    pub kappa: Figure,
    /// The share of pairs that are equal, or have a best response in common.
    pub equal: Figure,
    /// The first value less the second, on average, in steps.
    pub difference: Figure,
}

impl PairFigures {
    /// How far the two of a pair are apart on average, in steps.
    pub fn distance(&self) -> Result<f64, Undefined> {
        let counts = &self.confusion;
        let places = || 0..counts.categories();
        let cells = places().flat_map(|first| places().map(move |second| (first, second)));
        let apart: u64 = cells
            .map(|(first, second)| first.abs_diff(second) as u64 * counts.count(first, second))
            .sum();
        match counts.total() {
            0 => Err(Undefined::Nothing),
            total => Ok(apart as f64 / total as f64),
        }
    }
}

impl CategoryPairs {
    pub(super) fn new(categories: usize, weights: Weights, draws: u32) -> Self {
        Self {
            label: None,
            weights,
            draws,
            confusion: Confusion::new(categories),
            samples: 0,
            sample: 0,
            has_pair: false,
            uncategorised: [0; 2],
            cells: ClusteredCounts::default(),
        }
    }

    /// Pairs of values of a label.
    pub(super) fn of_label(label: &Rateable, draws: u32) -> Self {
        Self {
            label: Some(label.clone()),
            ..Self::new(label.values(), Weights::Quadratic, draws)
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
        let cell = self.confusion.cell(first, second);
        self.count(cell);
    }

    /// Counts a pair of the sample that was begun by its cell.
    fn count(&mut self, cell: Option<usize>) {
        self.samples += usize::from(!std::mem::replace(&mut self.has_pair, true));
        if let Some(cell) = cell.filter(|_| self.draws > 0) {
            self.cells.add(self.sample, cell as u32);
        }
    }

    /// Adds two verdicts on the sample that was begun. Kappa needs categories, so verdicts with
    /// several best responses count in [`PairFigures::equal`] alone.
    pub(super) fn add_verdicts(&mut self, categories: VerdictCategories, of: [Verdict; 2]) {
        match of.map(|verdict| categories.place(verdict)) {
            [Some(first), Some(second)] => self.add(first, second),
            _ => {
                let kind = usize::from(!of[0].agrees_with(of[1]));
                self.uncategorised[kind] += 1;
                self.count(Some(self.kinds() + kind));
            }
        }
    }

    /// Cells of the confusion matrix.
    fn kinds(&self) -> usize {
        self.confusion.categories().pow(2)
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
    pub(super) fn figures(&self, wanted: &dyn KeepGoing) -> PairFigures {
        let kinds = self.kinds();
        let values = |of: &Confusion, beside: &[u64]| {
            let (same, all) = same_of(of, beside);
            let equal = if all == 0 {
                Err(Undefined::Nothing)
            } else {
                Ok(same as f64 / all as f64)
            };
            [self.kappa_of(of), equal, of.mean_difference()]
        };
        let mut confusion = self.confusion.clone();
        let mut figures = self.cells.figures(kinds + 2, self.draws, &mut |counts| {
            confusion.recount(&counts[..kinds]);
            match wanted() {
                true => values(&confusion, &counts[kinds..]),
                false => [Err(Undefined::Cancelled); 3],
            }
        });
        let all = figures
            .iter_mut()
            .zip(values(&self.confusion, &self.uncategorised));
        all.for_each(|(figure, value)| figure.value = value);
        let [kappa, mut equal, difference] = figures;
        self.bound_share(&mut equal);
        let several = self.uncategorised.iter().sum();
        let label = self.label.as_ref();
        PairFigures {
            name: label.map_or_else(|| VERDICT.into(), |label| Arc::clone(&label.name)),
            range: label.map(|label| label.range).unwrap_or_default(),
            published: label.and_then(|label| label.published),
            samples: self.samples,
            n: self.confusion.total() + several,
            several,
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
        let (same, pairs) = same_of(&self.confusion, &self.uncategorised);
        let samples = self.samples as u64;
        match equal.value {
            _ if pairs == samples => *equal = Figure::share(same, pairs),
            Ok(1.0) => equal.interval = equal.interval.map(|_| wilson(samples, samples)),
            Ok(0.0) => equal.interval = equal.interval.map(|_| wilson(0, samples)),
            _ => {}
        }
    }
}

/// Pairs of values by the labels of all schemas, and of verdicts.
pub(super) struct ValuePairs<'a> {
    rateable: &'a [Rateable],
    categories: VerdictCategories,
    labels: Vec<CategoryPairs>,
    verdicts: CategoryPairs,
}

impl<'a> ValuePairs<'a> {
    /// Empty sums; `resamples` is the number of bootstrap resamples for intervals.
    pub(super) fn new(rateable: &'a [Rateable], categories: VerdictCategories, draws: u32) -> Self {
        let labels = rateable.iter();
        let labels = labels.map(|label| CategoryPairs::of_label(label, draws));
        Self {
            rateable,
            categories,
            labels: labels.collect(),
            verdicts: CategoryPairs::new(categories.count(), Weights::Unweighted, draws),
        }
    }

    /// Begins the next sample.
    pub(super) fn begin(&mut self) {
        let labels = self.labels.iter_mut();
        labels
            .chain([&mut self.verdicts])
            .for_each(CategoryPairs::begin);
    }

    /// Adds a rating of the sample that was begun beside another, or beside what the dataset says;
    /// whether there is anything to compare.
    pub(super) fn add(
        &mut self,
        sample: &JudgedSample<'_>,
        rating: &Rating,
        other: Option<&Rating>,
    ) -> bool {
        let mut any = false;
        sample.each_label(self.rateable, rating, |label, response, value| {
            let of = &self.rateable[label];
            let second = match other {
                Some(other) => other.label(&of.name, response),
                None => sample.own.label(&of.name, response),
            };
            let second = second.and_then(|value| of.place(value));
            if let (Some(first), Some(second)) = (of.place(value), second) {
                self.labels[label].add(first, second);
                any = true;
            }
        });
        let second = match other {
            Some(other) => sample.verdict(other),
            None => sample.own.verdict(),
        };
        if let (Some(first), Some(second)) = (sample.verdict(rating), second) {
            self.verdicts.add_verdicts(self.categories, [first, second]);
            any = true;
        }
        any
    }

    /// All pairs, those of verdicts last.
    pub(super) fn all(&self) -> impl Iterator<Item = &CategoryPairs> {
        self.labels.iter().chain([&self.verdicts])
    }
}

/// How many pairs agree, and all: those of a matrix, and beside it those that agree and that do not.
fn same_of(confusion: &Confusion, beside: &[u64]) -> (u64, u64) {
    let places = 0..confusion.categories();
    let same: u64 = places.map(|place| confusion.count(place, place)).sum();
    (
        same + beside[0],
        confusion.total() + beside.iter().sum::<u64>(),
    )
}

/// The figures of each, in their order. Resampling is most of the work, and done side by side;
/// without `draws`, waking other cores would be.
pub(super) fn figures(
    every: &[&CategoryPairs],
    draws: u32,
    wanted: &dyn KeepGoing,
) -> Vec<PairFigures> {
    match draws {
        0 => every.iter().map(|pairs| pairs.figures(wanted)).collect(),
        _ => in_parallel(every, |pairs| pairs.figures(wanted)),
    }
}
