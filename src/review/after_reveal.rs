//! Judgments that are told beside the others and not among them: what was changed once the
//! dataset's own judgment had shown, and what was judged of samples of which a blind reviewer had
//! seen it before.

use std::sync::Arc;

use super::agreement::{JudgedSample, VerdictCategories, latest};
use super::figures::CategoryPairs;
use super::rating_form::Rateable;
use crate::journal::{AfterReveal, Rating, RatingState};
use crate::stats::{Figure, Weights};

/// What is counted apart from the main figures of an audit.
#[derive(Debug, Clone, Default)]
pub struct AfterRevealFigures {
    /// Judgments that were changed after the dataset's own had shown.
    pub changed: usize,
    /// Judgments that were withdrawn then: taken back, or the sample skipped.
    pub withdrawn: usize,
    /// Judgments that are to be given again.
    pub put_off: usize,
    /// Agreement with the dataset with all that; empty where nothing became of any judgment.
    pub later: Vec<DatasetAgreementFigure>,
    /// Judgments of samples that had been seen before.
    pub seen: usize,
    /// Agreement with the dataset of these alone; empty where there are none.
    pub of_seen: Vec<DatasetAgreementFigure>,
}

/// Agreement with the dataset on a label, over responses, or on who wins, over samples.
#[derive(Debug, Clone)]
pub struct DatasetAgreementFigure {
    /// The label's name; `None` for who wins.
    pub label: Option<Arc<str>>,
    /// Values that both have.
    pub n: u64,
    /// Kappa, without an interval: quadratic weighted for labels, unweighted for who wins.
    pub kappa: Figure,
    /// Share of values that are equal.
    pub equal: Figure,
}

/// Pairs of values by the labels of all schemas, and of verdicts.
pub(super) struct ValuePairs {
    categories: VerdictCategories,
    pub(super) labels: Vec<CategoryPairs>,
    pub(super) verdicts: CategoryPairs,
}

impl ValuePairs {
    /// None yet; intervals will be made of so many resamples.
    pub(super) fn new(rateable: &[Rateable], categories: VerdictCategories, draws: u32) -> Self {
        let labels = rateable.iter();
        let pairs =
            |label: &Rateable| CategoryPairs::new(label.values(), Weights::Quadratic, draws);
        Self {
            categories,
            labels: labels.map(pairs).collect(),
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

    /// Adds two ratings of the sample that was begun.
    pub(super) fn add_two(
        &mut self,
        rateable: &[Rateable],
        sample: &JudgedSample<'_>,
        [one, other]: [&Rating; 2],
    ) {
        sample.each_label(rateable, one, |label, response, value| {
            let of = &rateable[label];
            let second = other.label(&of.name, response).and_then(|it| of.place(it));
            if let (Some(first), Some(second)) = (of.place(value), second) {
                self.labels[label].add(first, second);
            }
        });
        if let (Some(one), Some(other)) = (sample.verdict(one), sample.verdict(other)) {
            self.verdicts.add_verdicts(self.categories, [one, other]);
        }
    }

    /// Adds a rating beside what the dataset says; whether there is anything to compare.
    pub(super) fn add(
        &mut self,
        rateable: &[Rateable],
        sample: &JudgedSample<'_>,
        rating: &Rating,
    ) -> bool {
        let mut any = false;
        sample.each_label(rateable, rating, |label, response, value| {
            let of = &rateable[label];
            let own = sample
                .own
                .label(&of.name, response)
                .and_then(|own| of.place(own));
            if let (Some(value), Some(own)) = (of.place(value), own) {
                self.labels[label].add(value, own);
                any = true;
            }
        });
        if let (Some(verdict), Some(own)) = (sample.verdict(rating), sample.own.verdict()) {
            self.verdicts.add_verdicts(self.categories, [verdict, own]);
            any = true;
        }
        any
    }

    fn figures(&self, rateable: &[Rateable]) -> Vec<DatasetAgreementFigure> {
        let figure = |label: Option<Arc<str>>, pairs: &CategoryPairs| {
            let of = pairs.figures(&|| true);
            DatasetAgreementFigure {
                label,
                n: of.n,
                kappa: of.kappa,
                equal: of.equal,
            }
        };
        let labels = rateable
            .iter()
            .zip(&self.labels)
            .map(|(of, pairs)| figure(Some(Arc::clone(&of.name)), pairs));
        labels
            .chain([figure(None, &self.verdicts)])
            .filter(|figure| figure.n > 0)
            .collect()
    }
}

/// What is added up, sample by sample.
pub(super) struct AfterRevealSums<'a> {
    rateable: &'a [Rateable],
    sums: AfterRevealFigures,
    later: ValuePairs,
    of_seen: ValuePairs,
}

impl<'a> AfterRevealSums<'a> {
    pub(super) fn new(rateable: &'a [Rateable], categories: VerdictCategories) -> Self {
        Self {
            rateable,
            sums: AfterRevealFigures::default(),
            later: ValuePairs::new(rateable, categories, 0),
            of_seen: ValuePairs::new(rateable, categories, 0),
        }
    }

    /// Adds the ratings of a sample, as they are now.
    pub(super) fn add(&mut self, sample: &JudgedSample<'_>, ratings: &[&Rating]) {
        let first = |rating: &&&Rating| rating.setting.pass == 1;
        for rating in ratings.iter().filter(first) {
            match rating.after_reveal() {
                Some(AfterReveal::Changed) => self.sums.changed += 1,
                Some(AfterReveal::Withdrawn) => self.sums.withdrawn += 1,
                Some(AfterReveal::PutOff) => self.sums.put_off += 1,
                None => {}
            }
        }
        let (seen, unseen): (Vec<&Rating>, Vec<_>) = ratings
            .iter()
            .copied()
            .partition(|rating| rating.as_given().setting.seen);
        let now: Vec<&Rating> = unseen
            .into_iter()
            .filter(|rating| rating.state == RatingState::Open && rating.is_judged())
            .collect();
        for rating in latest(&now) {
            self.later.add(self.rateable, sample, rating);
        }
        let seen: Vec<&Rating> = seen
            .into_iter()
            .map(Rating::as_given)
            .filter(|rating| rating.counts())
            .collect();
        for rating in latest(&seen) {
            self.sums.seen += usize::from(self.of_seen.add(self.rateable, sample, rating));
        }
    }

    pub(super) fn summed_up(self) -> AfterRevealFigures {
        let Self {
            rateable,
            mut sums,
            later,
            of_seen,
        } = self;
        if sums.changed + sums.withdrawn + sums.put_off > 0 {
            sums.later = later.figures(rateable);
        }
        sums.of_seen = of_seen.figures(rateable);
        sums
    }
}
