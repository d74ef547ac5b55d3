//! How far reviewers agree with each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agreement::{Judged, VERDICTS, category};
use super::scale::Rateable;
use crate::journal::Rating;
use crate::model::Side;
use crate::stats::{Confusion, Level, Undefined, Weights, alpha, kappa};

/// See the module.
#[derive(Debug, Clone)]
pub struct Between {
    /// Who, in the order of their names; two at least.
    pub reviewers: Vec<Arc<str>>,
    /// Each two of them who judged a sample in common.
    pub pairs: Vec<ReviewerPair>,
    /// Krippendorff's alpha (ordinal) over all, for each label in the schemas' order.
    pub labels: Vec<Alpha>,
    /// Krippendorff's alpha (nominal) over all, of who wins.
    pub verdict: Alpha,
}

/// Krippendorff's alpha.
#[derive(Debug, Clone)]
pub struct Alpha {
    /// Of which label; `verdict` for who wins.
    pub name: Arc<str>,
    /// Responses (or, for who wins, samples) that two or more judged.
    pub units: usize,
    /// The figure, or why there is none.
    pub alpha: Result<f64, Undefined>,
}

/// Two reviewers.
#[derive(Debug, Clone)]
pub struct ReviewerPair {
    /// Who, in the order of their names.
    pub reviewers: [Arc<str>; 2],
    /// Samples that both judged.
    pub samples: usize,
    /// For each label, in the schemas' order.
    pub labels: Vec<Shared>,
    /// For who wins; kappa is unweighted.
    pub verdict: Shared,
}

/// What two reviewers said of the same things.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Values of the first (rows) and of the second (columns).
    pub confusion: Confusion,
    /// Quadratic weighted kappa for labels, or why there is none.
    pub kappa: Result<f64, Undefined>,
}

impl Shared {
    fn of(confusion: Confusion, weights: Weights) -> Self {
        Self { kappa: kappa(&confusion, weights), confusion }
    }
}

/// The verdict's name among labels.
const VERDICT: &str = "verdict";

/// What is gathered, sample by sample.
pub(super) struct Gathered<'a> {
    rateable: &'a [Rateable],
    reviewers: BTreeMap<Arc<str>, usize>,
    /// By the reviewers' numbers, in the order of their names: samples, labels, verdicts.
    pairs: BTreeMap<[Arc<str>; 2], (usize, Vec<Confusion>, Confusion)>,
    labels: Vec<Vec<Vec<f64>>>,
    verdicts: Vec<Vec<f64>>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(rateable: &'a [Rateable]) -> Self {
        let labels = vec![Vec::new(); rateable.len()];
        Self { rateable, reviewers: BTreeMap::new(), pairs: BTreeMap::new(), labels, verdicts: Vec::new() }
    }

    /// Adds a sample with one rating of each reviewer.
    pub(super) fn add(&mut self, sample: &Judged<'_>, ratings: &[&Rating]) {
        for rating in ratings {
            match self.reviewers.get_mut(&rating.reviewer) {
                Some(known) => *known += 1,
                None => drop(self.reviewers.insert(Arc::clone(&rating.reviewer), 1)),
            }
        }
        if ratings.len() < 2 {
            return;
        }
        let mut values = vec![[const { Vec::new() }; 2]; self.rateable.len()];
        for rating in ratings {
            sample.each_label(self.rateable, rating, |label, side, value| values[label][side.index()].push(value));
        }
        for (units, values) in self.labels.iter_mut().zip(values) {
            units.extend(values.into_iter().filter(|unit| unit.len() > 1));
        }
        let verdicts: Vec<f64> = ratings
            .iter()
            .filter_map(|rating| sample.verdict(rating))
            .map(|verdict| category(verdict) as f64)
            .collect();
        self.verdicts.extend(Some(verdicts).filter(|unit| unit.len() > 1));
        for (at, one) in ratings.iter().enumerate() {
            ratings[..at].iter().for_each(|other| self.compare(sample, one, other));
        }
    }

    fn compare(&mut self, sample: &Judged<'_>, one: &Rating, other: &Rating) {
        let [one, other] = if one.reviewer < other.reviewer { [one, other] } else { [other, one] };
        let rateable = self.rateable;
        let names = [one, other].map(|rating| Arc::clone(&rating.reviewer));
        let (samples, labels, verdicts) = self.pairs.entry(names).or_insert_with(|| {
            let labels = rateable.iter().map(|label| Confusion::new(label.values())).collect();
            (0, labels, Confusion::new(VERDICTS))
        });
        *samples += 1;
        sample.each_label(rateable, one, |label, side: Side, value| {
            let of = &rateable[label];
            let second = other.label(&of.name, side).and_then(|value| of.place(value));
            if let (Some(first), Some(second)) = (of.place(value), second) {
                labels[label].add(first, second);
            }
        });
        if let (Some(first), Some(second)) = (sample.verdict(one), sample.verdict(other)) {
            verdicts.add(category(first), category(second));
        }
    }

    /// The figures; `None` of fewer than two reviewers.
    pub(super) fn summed_up(self) -> Option<Between> {
        let alpha_of = |name: &Arc<str>, units: &[Vec<f64>], level| Alpha {
            name: Arc::clone(name),
            units: units.len(),
            alpha: alpha(units, level),
        };
        let pair = |(reviewers, (samples, labels, verdicts))| ReviewerPair {
            reviewers,
            samples,
            labels: Vec::into_iter(labels).map(|confusion| Shared::of(confusion, Weights::Quadratic)).collect(),
            verdict: Shared::of(verdicts, Weights::Unweighted),
        };
        let labels = self.rateable.iter().zip(&self.labels);
        (self.reviewers.len() > 1).then(|| Between {
            labels: labels.map(|(label, units)| alpha_of(&label.name, units, Level::Ordinal)).collect(),
            verdict: alpha_of(&VERDICT.into(), &self.verdicts, Level::Nominal),
            reviewers: self.reviewers.into_keys().collect(),
            pairs: self.pairs.into_iter().map(pair).collect(),
        })
    }
}
