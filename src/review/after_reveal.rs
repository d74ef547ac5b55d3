//! Judgments that are told beside the others and not among them: what was changed once the
//! dataset's own judgment had shown, and what was judged of samples of which a blind reviewer had
//! seen it before.

use super::figures::{PairFigures, ValuePairs};
use super::judged_sample::{JudgedSample, VerdictCategories, latest};
use super::rating_form::Rateable;
use crate::journal::{AfterReveal, Rating, RatingState};

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
    pub later: Vec<PairFigures>,
    /// Judgments of samples that had been seen before.
    pub seen: usize,
    /// Agreement with the dataset of these alone; empty where there are none.
    pub of_seen: Vec<PairFigures>,
}

/// What is added up, sample by sample.
pub(super) struct AfterRevealSums<'a> {
    sums: AfterRevealFigures,
    later: ValuePairs<'a>,
    of_seen: ValuePairs<'a>,
}

impl<'a> AfterRevealSums<'a> {
    pub(super) fn new(rateable: &'a [Rateable], categories: VerdictCategories) -> Self {
        Self {
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
            self.later.add(sample, rating, None);
        }
        let seen: Vec<&Rating> = seen
            .into_iter()
            .map(Rating::as_given)
            .filter(|rating| rating.counts())
            .collect();
        for rating in latest(&seen) {
            let is_compared = self.of_seen.add(sample, rating, None);
            self.sums.seen += usize::from(is_compared);
        }
    }

    pub(super) fn summed_up(self) -> AfterRevealFigures {
        let mut sums = self.sums;
        if sums.changed + sums.withdrawn + sums.put_off > 0 {
            sums.later = figures(&self.later);
        }
        sums.of_seen = figures(&self.of_seen);
        sums
    }
}

fn figures(pairs: &ValuePairs<'_>) -> Vec<PairFigures> {
    let figures = pairs.all().map(|pairs| pairs.figures(&|| true));
    figures.filter(|figure| figure.n > 0).collect()
}
