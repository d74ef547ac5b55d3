//! How far two reviewers agree with each other, and on which samples they do not.
//!
//! What counts is what counts in [`super::agreement_while`]: each reviewer's latest judgment of a sample
//! that was no repeat, as it was given before labels showed.

use std::sync::Arc;

use serde::Serialize;

use super::judged_sample::{JudgedSample, as_given, latest, questions};
use super::locator::SampleLocator;
use super::matrix::{PairFigures, RatingMatrix};
use super::rating_form::RatingForm;
use super::said::judgment;
use crate::dataset::Dataset;
use crate::journal::{Ledger, Rating, SampleRef};
use crate::parallel::KeepGoing;
use crate::query::SampleJudgment;
use crate::stats::DRAWS;

/// How far two reviewers agree with each other.
#[derive(Debug, Clone, Serialize)]
pub struct PairAgreement {
    /// Who: what the first one said are the rows of confusions, what the other one said the columns.
    pub reviewers: [Arc<str>; 2],
    /// Samples that both judged and that are there.
    pub samples: usize,
    /// Samples that both judged and that are not among the places known.
    pub gone: usize,
    /// How many resamples intervals are made of; 0: there are none.
    #[serde(skip)]
    pub draws: u32,
    /// Each label that can be rated, in the schemas' order; the difference is the first one's value
    /// less the other one's, on average.
    pub labels: Vec<PairFigures>,
    /// Who wins; `None` where no two verdicts can be compared.
    pub verdict: Option<PairFigures>,
    /// Samples on which they differ: those first on which they are farthest apart, then in the order
    /// of samples.
    #[serde(skip)]
    pub differing: Vec<DifferingSample>,
}

/// A sample that two reviewers judge otherwise.
#[derive(Debug, Clone)]
pub struct DifferingSample {
    /// Its number, from 0.
    pub sample: usize,
    /// How far they are apart ([`SampleJudgment::distance`]).
    pub distance: f64,
    /// What each says.
    pub judgments: [SampleJudgment; 2],
    /// Its key, and where it stands.
    pub sample_ref: Option<SampleRef>,
}

/// Compares each two of some reviewers, with as many resamples as on the screen.
pub fn each_pair_agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    reviewers: &[Arc<str>],
) -> Vec<PairAgreement> {
    let twos = reviewers.iter().enumerate();
    let twos = twos.flat_map(|(at, one)| reviewers[at + 1..].iter().map(move |two| [one, two]));
    twos.filter_map(|two| pair_agreement(ledger, places, dataset, two, DRAWS, &|| true))
        .collect()
}

/// Compares two reviewers, for as long as it is `wanted`, which is asked for each sample and each
/// resample; `None` once it is not. `draws` is how many resamples intervals are made of; 0 gives
/// none. Reads no rows.
pub fn pair_agreement(
    ledger: &Ledger,
    places: &SampleLocator,
    dataset: &Dataset,
    reviewers: [&Arc<str>; 2],
    draws: u32,
    wanted: &dyn KeepGoing,
) -> Option<PairAgreement> {
    let forms = RatingForm::of_files(dataset);
    let questions = questions(dataset, &forms);
    let mut matrix = RatingMatrix::new(&questions);
    let (mut samples, mut gone, mut differing) = (0, 0, Vec::new());
    for (key, remark) in ledger.remarks() {
        if !wanted() {
            return None;
        }
        let ratings: Vec<&Rating> = remark.ratings.iter().collect();
        let given = latest(&as_given(&ratings));
        let of = |name: &str| given.iter().find(|rating| *rating.reviewer == *name);
        let [Some(one), Some(other)] = reviewers.map(|name| of(name).copied()) else {
            continue;
        };
        let Some((sample, judged)) = JudgedSample::find(key, places, dataset, &forms) else {
            gone += 1;
            continue;
        };
        samples += 1;
        matrix.add(samples as u32, &judged, &[(0, Some(one)), (1, Some(other))]);
        let judgments =
            [one, other].map(|rating| judgment(rating, Some((judged.scale, judged.responses))));
        let [first, second] = &judgments;
        let distance = first.distance(second).filter(|distance| *distance > 0.0);
        differing.extend(distance.map(|distance| DifferingSample {
            sample,
            distance,
            sample_ref: SampleRef::of(dataset, sample, *key),
            judgments,
        }));
    }
    differing.sort_by(|one: &DifferingSample, other| {
        let by_distance = other.distance.total_cmp(&one.distance);
        by_distance.then(one.sample.cmp(&other.sample))
    });
    let mut labels = matrix.figures(None, draws, wanted);
    let verdict = labels.pop().filter(|of| of.n > 0);
    let agreement = PairAgreement {
        reviewers: reviewers.map(Arc::clone),
        samples,
        gone,
        draws,
        labels,
        verdict,
        differing,
    };
    wanted().then_some(agreement)
}
