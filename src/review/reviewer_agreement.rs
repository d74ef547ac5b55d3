//! How far reviewers agree with each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::agreement::{JudgedSample, VerdictCategories};
use super::rating_form::Rateable;
use super::spread::{KappaSpread, RatedUnits, ReviewerValue, pairs_in_common};
use crate::journal::Rating;
use crate::stats::{
    Confusion, MeasurementLevel, QuadraticTally, Undefined, UnweightedTally, Weights, alpha, kappa,
};

/// Agreement of reviewers with each other.
#[derive(Debug, Clone)]
pub struct ReviewerAgreement {
    /// Who, in the order of their names; two at least.
    pub reviewers: Vec<Arc<str>>,
    /// Each two of them who judged a sample in common.
    pub pairs: ReviewerPairs,
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

/// Reviewers by twos who judged a sample in common.
#[derive(Debug, Clone)]
pub enum ReviewerPairs {
    /// Each two, in the order of their names: of at most [`MOST_EACH`] reviewers.
    Each(Vec<ReviewerPair>),
    /// How their kappas spread: of more reviewers, who make more pairs than anybody reads.
    Spread(PairSpread),
}

/// Reviewers of whom each two are shown: 45 pairs at most.
pub const MOST_EACH: usize = 10;

/// The kappas of many pairs of reviewers.
#[derive(Debug, Clone)]
pub struct PairSpread {
    /// Pairs who judged a sample in common.
    pub pairs: usize,
    /// For each label, in the schemas' order: kappas with quadratic weights.
    pub labels: Vec<KappaSpread>,
    /// For who wins; kappas are unweighted.
    pub verdict: KappaSpread,
}

/// Two reviewers.
#[derive(Debug, Clone)]
pub struct ReviewerPair {
    /// Who, in the order of their names.
    pub reviewers: [Arc<str>; 2],
    /// For each label, in the schemas' order.
    pub labels: Vec<PairCounts>,
    /// For who wins; kappa is unweighted.
    pub verdict: PairCounts,
}

/// What two reviewers said of the same things.
#[derive(Debug, Clone)]
pub struct PairCounts {
    /// Values of the first (rows) and of the second (columns).
    pub confusion: Confusion,
    /// Quadratic weighted kappa for labels, or why there is none.
    pub kappa: Result<f64, Undefined>,
}

impl PairCounts {
    fn of(confusion: Confusion, weights: Weights) -> Self {
        Self {
            kappa: kappa(&confusion, weights),
            confusion,
        }
    }
}

/// The verdict's name among labels.
const VERDICT: &str = "verdict";

/// What is gathered, sample by sample.
pub(super) struct ReviewerSums<'a> {
    rateable: &'a [Rateable],
    categories: VerdictCategories,
    /// The number of each reviewer, in the order in which they came.
    reviewers: BTreeMap<Arc<str>, u32>,
    /// Who judged each sample.
    samples: RatedUnits,
    /// The values of each label for each response.
    labels: Vec<RatedUnits>,
    verdicts: RatedUnits,
}

impl<'a> ReviewerSums<'a> {
    pub(super) fn new(rateable: &'a [Rateable], categories: VerdictCategories) -> Self {
        let labels = vec![RatedUnits::default(); rateable.len()];
        let (reviewers, samples, verdicts) = Default::default();
        Self {
            rateable,
            categories,
            reviewers,
            samples,
            labels,
            verdicts,
        }
    }

    /// Adds a sample with one rating of each reviewer.
    pub(super) fn add(&mut self, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let numbers: Vec<u32> = ratings
            .iter()
            .map(|rating| self.number(&rating.reviewer))
            .collect();
        if ratings.len() < 2 {
            return;
        }
        let rateable = self.rateable;
        let mut values = vec![vec![Vec::new(); sample.responses]; rateable.len()];
        for (rating, &reviewer) in ratings.iter().zip(&numbers) {
            sample.each_label(rateable, rating, |label, response, value| {
                let place = rateable[label].place(value).map(|place| place as u32);
                values[label][response.index()].push(ReviewerValue {
                    reviewer,
                    place,
                    value,
                });
            });
        }
        for (units, values) in self.labels.iter_mut().zip(values) {
            values.into_iter().for_each(|unit| units.push(unit));
        }
        let verdict = |(rating, &reviewer): (&&Rating, &u32)| {
            let place = self.categories.place(sample.verdict(rating)?)?;
            Some(ReviewerValue {
                reviewer,
                place: Some(place as u32),
                value: place as f64,
            })
        };
        self.verdicts
            .push(ratings.iter().zip(&numbers).filter_map(verdict));
        self.samples
            .push(numbers.into_iter().map(|reviewer| ReviewerValue {
                reviewer,
                place: Some(0),
                value: 0.0,
            }));
    }

    fn number(&mut self, reviewer: &Arc<str>) -> u32 {
        if let Some(&number) = self.reviewers.get(reviewer) {
            return number;
        }
        let number = self.reviewers.len() as u32;
        self.reviewers.insert(Arc::clone(reviewer), number);
        number
    }

    /// The figures; `None` of fewer than two reviewers, and of what is no longer `wanted`.
    pub(super) fn summed_up(
        mut self,
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<ReviewerAgreement> {
        let reviewers: Vec<Arc<str>> = self.reviewers.keys().cloned().collect();
        if reviewers.len() < 2 {
            return None;
        }
        let mut places = vec![0; reviewers.len()];
        (0..)
            .zip(self.reviewers.values())
            .for_each(|(place, &number)| places[number as usize] = place);
        let all = [&mut self.samples, &mut self.verdicts]
            .into_iter()
            .chain(&mut self.labels);
        all.for_each(|units| units.renumber(&places));
        let alpha_of = |name: &Arc<str>, units: &RatedUnits, level| {
            let values = units.values();
            wanted().then(|| Alpha {
                name: Arc::clone(name),
                units: values.len(),
                alpha: alpha(&values, level),
            })
        };
        let labels = self.rateable.iter().zip(&self.labels);
        Some(ReviewerAgreement {
            labels: labels
                .map(|(label, units)| alpha_of(&label.name, units, MeasurementLevel::Ordinal))
                .collect::<Option<_>>()?,
            verdict: alpha_of(&VERDICT.into(), &self.verdicts, MeasurementLevel::Nominal)?,
            pairs: match reviewers.len() {
                ..=MOST_EACH => ReviewerPairs::Each(self.each_pair(&reviewers)),
                _ => ReviewerPairs::Spread(self.spread(&reviewers, wanted)?),
            },
            reviewers,
        })
    }

    /// Each two reviewers with a sample in common, in the order of their names.
    fn each_pair(&self, reviewers: &[Arc<str>]) -> Vec<ReviewerPair> {
        let places = 0..reviewers.len() as u32;
        let twos = places.clone().flat_map(|one| {
            places
                .clone()
                .skip(one as usize + 1)
                .map(move |other| [one, other])
        });
        let pair = |two: [u32; 2]| {
            let is_any = self.samples.in_common(two).next().is_some();
            let shared = |(units, values, weights): (&RatedUnits, usize, Weights)| {
                PairCounts::of(Confusion::of(values, units.in_common(two)), weights)
            };
            let labels = self.labels.iter().zip(self.rateable);
            is_any.then(|| ReviewerPair {
                reviewers: two.map(|one| Arc::clone(&reviewers[one as usize])),
                labels: labels
                    .map(|(units, of)| shared((units, of.values(), Weights::Quadratic)))
                    .collect(),
                verdict: shared((&self.verdicts, self.categories.count(), Weights::Unweighted)),
            })
        };
        twos.filter_map(pair).collect()
    }

    /// How the kappas of each two spread; `None` once that is no longer `wanted`.
    fn spread(
        &self,
        reviewers: &[Arc<str>],
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<PairSpread> {
        let labels = self
            .labels
            .iter()
            .map(|units| KappaSpread::of::<QuadraticTally>(units, reviewers, wanted));
        Some(PairSpread {
            pairs: pairs_in_common(&self.samples, reviewers.len(), wanted)?,
            labels: labels.collect::<Option<_>>()?,
            verdict: KappaSpread::of::<UnweightedTally>(&self.verdicts, reviewers, wanted)?,
        })
    }
}
