//! Agreement of two reviewers with each other, and the samples on which they differ.
//!
//! As in [`Workspace::agreement_while`], each reviewer's latest first-pass judgment of a sample counts,
//! as given before labels were revealed.

use std::sync::Arc;

use serde::Serialize;

use super::judged_sample::{RatedBy, as_given, latest, questions};
use super::judgment_table::{JudgmentTable, Occasion, PairFigures, PairedRaters};
use super::rating_form::RatingForm;
use super::workspace::{Workspace, judgment};
use crate::journal::{Rating, SampleRef};
use crate::parallel::KeepGoing;
use crate::query::SampleJudgment;

/// Agreement of two reviewers.
#[derive(Debug, Clone, Serialize)]
pub struct PairAgreement {
    /// Their names; the first reviewer's answers are the rows of confusion matrices, the other's
    /// the columns.
    pub reviewers: [Arc<str>; 2],
    /// Number of located samples that both judged.
    pub samples: usize,
    /// Number of samples that both judged and that cannot be located.
    pub gone: usize,
    /// One entry for each ratable label, in schema order; differences are the first reviewer's
    /// values minus the other's.
    pub labels: Vec<PairFigures>,
    /// Verdicts; `None` if there are none to compare.
    pub verdict: Option<PairFigures>,
    /// Samples on which they differ, by decreasing distance, then in dataset order.
    #[serde(skip)]
    pub differing: Vec<DifferingSample>,
}

/// A sample on which two reviewers differ.
#[derive(Debug, Clone)]
pub struct DifferingSample {
    /// Its index, from 0.
    pub sample: usize,
    /// Distance of the judgments ([`SampleJudgment::distance`]).
    pub distance: f64,
    /// The judgments of both.
    pub judgments: [SampleJudgment; 2],
    /// Its key and place.
    pub sample_ref: Option<SampleRef>,
}

impl Workspace<'_> {
    /// Compares each pair of some reviewers.
    pub fn each_pair_agreement(&self, reviewers: &[Arc<str>]) -> Vec<PairAgreement> {
        let twos = reviewers
            .iter()
            .enumerate()
            .flat_map(|(at, one)| reviewers[at + 1..].iter().map(move |two| [one, two]));
        twos.filter_map(|two| self.pair_agreement(two, true, &|| true))
            .collect()
    }

    /// Compares two reviewers, with intervals if wanted; returns `None` if cancelled, which is checked
    /// for each sample and each statistic. Reads no rows.
    pub fn pair_agreement(
        &self,
        reviewers: [&Arc<str>; 2],
        has_intervals: bool,
        keep_going: &dyn KeepGoing,
    ) -> Option<PairAgreement> {
        let forms = RatingForm::of_files(self.dataset);
        let questions = questions(self.dataset, &forms);
        let mut table = JudgmentTable::new(&questions);
        let (mut samples, mut gone, mut differing) = (0, 0, Vec::new());
        for (key, remark) in self.ledger.remarks() {
            if !keep_going() {
                return None;
            }
            let ratings: Vec<&Rating> = remark.ratings.iter().collect();
            let given = latest(&as_given(&ratings));
            let of = |name: &str| given.iter().find(|rating| *rating.reviewer == *name);
            let [Some(one), Some(other)] = reviewers.map(|name| of(name).copied()) else {
                continue;
            };
            let Some((sample, judged)) = self.judged(key, &forms) else {
                gone += 1;
                continue;
            };
            samples += 1;
            table.add(
                Occasion::All,
                samples as u32,
                &judged,
                &[(0, RatedBy::Reviewer(one)), (1, RatedBy::Reviewer(other))],
            );
            let judgments =
                [one, other].map(|rating| judgment(rating, Some((judged.scale, judged.responses))));
            let [first, second] = &judgments;
            let distance = first.distance(second).filter(|distance| *distance > 0.0);
            differing.extend(distance.map(|distance| DifferingSample {
                sample,
                distance,
                sample_ref: SampleRef::of(self.dataset, sample, *key),
                judgments,
            }));
        }
        differing.sort_by(|one: &DifferingSample, other| {
            let by_distance = other.distance.total_cmp(&one.distance);
            by_distance.then(one.sample.cmp(&other.sample))
        });
        let both = PairedRaters::First;
        let mut labels = table.figures(Occasion::All, both, has_intervals, keep_going);
        let verdict = labels.pop().filter(|of| of.n > 0);
        let agreement = PairAgreement {
            reviewers: reviewers.map(Arc::clone),
            samples,
            gone,
            labels,
            verdict,
            differing,
        };
        keep_going().then_some(agreement)
    }
}
