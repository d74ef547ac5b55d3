//! Judgments that are told beside the others and not among them: what was changed once the
//! dataset's own judgment had shown, and what was judged of samples of which a blind reviewer had
//! seen it before.

use std::sync::Arc;

use super::agreement::{JudgedSample, VerdictCategories, latest};
use super::figures::{CategoryPairs, Figure};
use super::rating_form::Rateable;
use crate::journal::{AfterReveal, Rating, RatingState};
use crate::stats::Weights;

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
struct ValuePairs {
    categories: VerdictCategories,
    labels: Vec<CategoryPairs>,
    verdicts: CategoryPairs,
}

impl ValuePairs {
    fn new(rateable: &[Rateable], categories: VerdictCategories) -> Self {
        let labels = rateable
            .iter()
            .map(|label| CategoryPairs::new(label.values(), Weights::Quadratic, 0))
            .collect();
        Self {
            categories,
            labels,
            verdicts: CategoryPairs::new(categories.count(), Weights::Unweighted, 0),
        }
    }

    /// Adds a rating beside what the dataset says; whether there is anything to compare.
    fn add(&mut self, rateable: &[Rateable], sample: &JudgedSample<'_>, rating: &Rating) -> bool {
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
        let figure = |label: Option<Arc<str>>, pairs: &CategoryPairs| DatasetAgreementFigure {
            label,
            n: pairs.total(),
            kappa: pairs.kappa(&|| true),
            equal: pairs.equal(),
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
            later: ValuePairs::new(rateable, categories),
            of_seen: ValuePairs::new(rateable, categories),
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
