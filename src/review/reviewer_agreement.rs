//! How far reviewers agree with each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::figures::{CategoryPairs, PairFigures, VERDICT, figures};
use super::judged_sample::{JudgedSample, VerdictCategories};
use super::rating_form::Rateable;
use super::spread::{KappaSpread, RatedUnits, ReviewerValue, pairs_in_common};
use crate::journal::Rating;
use crate::parallel::KeepGoing;
use crate::stats::{Figure, MeasurementLevel, Weights};

/// Agreement of reviewers with each other.
#[derive(Debug, Clone)]
pub struct ReviewerAgreement {
    /// Who, in the order of their names; two at least.
    pub reviewers: Vec<Arc<str>>,
    /// Each two of them who judged a sample in common.
    pub pairs: ReviewerPairs,
    /// Krippendorff's alpha over all: ordinal of each label in the schemas' order, then nominal of who
    /// wins.
    pub alphas: Vec<Alpha>,
}

/// Krippendorff's alpha.
#[derive(Debug, Clone)]
pub struct Alpha {
    /// Of which label; `verdict` for who wins.
    pub name: Arc<str>,
    /// Responses (or, for who wins, samples) that two or more judged.
    pub units: usize,
    /// The figure; its interval is that of a bootstrap over samples.
    pub alpha: Figure,
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
    /// For each label, in the schemas' order, and then for who wins.
    pub spreads: Vec<KappaSpread>,
}

/// Two reviewers.
#[derive(Debug, Clone)]
pub struct ReviewerPair {
    /// Who, in the order of their names.
    pub reviewers: [Arc<str>; 2],
    /// For each label, in the schemas' order, and then for who wins.
    pub figures: Vec<PairFigures>,
}

/// What is gathered, sample by sample.
pub(super) struct ReviewerSums<'a> {
    rateable: &'a [Rateable],
    categories: VerdictCategories,
    draws: u32,
    /// How many samples were added.
    added: u32,
    /// The number of each reviewer, in the order in which they came.
    reviewers: BTreeMap<Arc<str>, u32>,
    /// Who judged each sample.
    samples: RatedUnits,
    /// The values of each label for each response.
    labels: Vec<RatedUnits>,
    verdicts: RatedUnits,
}

impl<'a> ReviewerSums<'a> {
    /// Of labels and verdicts, with intervals of so many resamples.
    pub(super) fn new(rateable: &'a [Rateable], categories: VerdictCategories, draws: u32) -> Self {
        let labels = vec![RatedUnits::default(); rateable.len()];
        let (reviewers, samples, verdicts) = Default::default();
        Self {
            rateable,
            categories,
            draws,
            added: 0,
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
        let (rateable, number) = (self.rateable, self.added);
        self.added += 1;
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
            values.into_iter().for_each(|unit| units.push(number, unit));
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
            .push(number, ratings.iter().zip(&numbers).filter_map(verdict));
        self.samples.push(
            number,
            numbers.into_iter().map(|reviewer| ReviewerValue {
                reviewer,
                place: Some(0),
                value: 0.0,
            }),
        );
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
    pub(super) fn summed_up(mut self, wanted: &dyn KeepGoing) -> Option<ReviewerAgreement> {
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
        let alpha_of = |(name, units, level): (&Arc<str>, &RatedUnits, MeasurementLevel)| {
            let lists = units.lists();
            let alpha = lists.figures(level, self.draws, wanted).alpha;
            wanted().then(|| Alpha {
                name: Arc::clone(name),
                units: lists.things(),
                alpha,
            })
        };
        let labels = self.rateable.iter().zip(&self.labels);
        let labels = labels.map(|(label, units)| (&label.name, units, MeasurementLevel::Ordinal));
        let verdict = VERDICT.into();
        let all = labels.chain([(&verdict, &self.verdicts, MeasurementLevel::Nominal)]);
        Some(ReviewerAgreement {
            alphas: all.map(alpha_of).collect::<Option<_>>()?,
            pairs: match reviewers.len() {
                ..=MOST_EACH => ReviewerPairs::Each(self.each_pair(&reviewers, wanted)),
                _ => ReviewerPairs::Spread(self.spread(&reviewers, wanted)?),
            },
            reviewers,
        })
    }

    /// What two said of each label and of who wins is counted by these.
    fn pairs(&self) -> impl Iterator<Item = (&RatedUnits, CategoryPairs)> {
        let labels = self.labels.iter().zip(self.rateable);
        let labels = labels.map(|(units, of)| (units, CategoryPairs::of_label(of, self.draws)));
        let categories = self.categories.count();
        let verdicts = CategoryPairs::new(categories, Weights::Unweighted, self.draws);
        labels.chain([(&self.verdicts, verdicts)])
    }

    /// Each two reviewers with a sample in common, in the order of their names.
    fn each_pair(&self, reviewers: &[Arc<str>], wanted: &dyn KeepGoing) -> Vec<ReviewerPair> {
        let places = 0..reviewers.len() as u32;
        let twos = places
            .clone()
            .flat_map(|one| places.clone().map(move |other| [one, other]));
        let is_pair =
            |two: &[u32; 2]| two[0] < two[1] && self.samples.in_common(*two).next().is_some();
        let twos: Vec<[u32; 2]> = twos.filter(is_pair).collect();
        let of_two = |two: &[u32; 2]| {
            let two = *two;
            self.pairs()
                .map(move |(units, pairs)| pairs.of(units.in_common(two)))
        };
        let counted: Vec<CategoryPairs> = twos.iter().flat_map(of_two).collect();
        let every: Vec<&CategoryPairs> = counted.iter().collect();
        let mut shared = figures(&every, self.draws, wanted).into_iter();
        let pair = |two: [u32; 2]| ReviewerPair {
            reviewers: two.map(|one| Arc::clone(&reviewers[one as usize])),
            figures: shared.by_ref().take(self.labels.len() + 1).collect(),
        };
        twos.into_iter().map(pair).collect()
    }

    /// How the kappas of each two spread; `None` once that is no longer `wanted`.
    fn spread(&self, reviewers: &[Arc<str>], wanted: &dyn KeepGoing) -> Option<PairSpread> {
        let pairs = pairs_in_common(&self.samples, reviewers.len(), wanted)?;
        let spreads = self
            .pairs()
            .map(|(units, pairs)| KappaSpread::of(units, reviewers, &pairs, wanted));
        Some(PairSpread {
            pairs,
            spreads: spreads.collect::<Option<_>>()?,
        })
    }
}
