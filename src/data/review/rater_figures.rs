//! Each rater beside the others: who is off, and how each uses the scales.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::judgment_table::{
    GivenAnswer, JudgmentTable, Occasion, PairedRaters, Question, by_rater,
};
use crate::dataset::DatasetRater;
use crate::journal::{Rating, parse_time};
use crate::model::{ResponseId, Verdict};
use crate::parallel::{KeepGoing, in_parallel};
use crate::schema::RaterKind;
use crate::stats::{ClusteredShare, Distribution, Figure, Undefined};

/// The dataset as a rater.
pub(super) const DATASET: &str = "dataset";
/// Its index, after those of reviewers and other raters.
pub(super) const DATASET_RATER: u32 = u32::MAX;

/// A rater in figures, from the latest judgment of each sample that a reviewer judged too.
#[derive(Debug, Clone, Serialize)]
pub struct RaterFigures {
    /// The name of the reviewer, of the joined file or of the schema's rater, or `dataset`.
    pub name: Arc<str>,
    /// What it is.
    pub kind: RaterKind,
    /// Number of samples with an answer of this rater and another one.
    pub n: usize,
    /// The question that `kappa` and `equal` are about: `verdict`, or a label.
    pub question: Arc<str>,
    /// Kappa over all pairs of an answer of this rater and one of another rater.
    pub kappa: Figure,
    /// Share of those pairs that are equal.
    pub equal: Figure,
    /// Share of ties among the verdicts.
    pub ties: Figure,
    /// Share of A among the verdicts that are not ties.
    pub first: Figure,
    /// Share of the lowest value of a label's range among the values.
    pub lowest: Figure,
    /// Share of the highest value.
    pub highest: Figure,
    /// Median time between successive judgments in seconds.
    #[serde(serialize_with = "or_null")]
    pub seconds: Result<f64, Undefined>,
}

fn or_null<S: serde::Serializer>(
    value: &Result<f64, Undefined>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.ok().serialize(serializer)
}

/// Returns the time of a rating in seconds, as first given.
pub(super) fn seconds(rating: &Rating) -> Option<f64> {
    let time = parse_time(&rating.as_given().time)?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_secs_f64())
}

impl RaterFigures {
    /// Returns each rater with an answer in common with another: reviewers and other raters by
    /// these names, then the dataset. `times` are those of the judgments, in seconds.
    pub(super) fn all(
        table: &JudgmentTable<'_>,
        (names, files): (&[Arc<str>], &[DatasetRater]),
        times: &BTreeMap<u32, Vec<f64>>,
        keep_going: &dyn KeepGoing,
    ) -> Vec<Self> {
        let mut selected = table.select(Occasion::All);
        selected.retain(|(_, units)| !units.is_empty());
        let units = |(question, units): (_, Vec<_>)| (question, by_rater(&units));
        let questions: Vec<(&Question, _)> = selected.into_iter().map(units).collect();
        // The verdict is last, and the most important question.
        let Some((question, units)) = questions.last() else {
            return Vec::new();
        };
        let reviewers = (0..).zip(names).map(|it| (it, RaterKind::Reviewer));
        let files = (names.len() as u32..)
            .zip(files)
            .map(|(at, rater)| ((at, &rater.name), rater.kind));
        let dataset = Arc::from(DATASET);
        let raters = reviewers.chain(files);
        let raters: Vec<_> = raters
            .chain([((DATASET_RATER, &dataset), RaterKind::Dataset)])
            .collect();
        let of = |((rater, name), kind): &((u32, &Arc<str>), RaterKind)| {
            let mut use_of = ScaleUse::default();
            for (question, units) in &questions {
                for (sample, unit) in units.get(rater).into_iter().flatten() {
                    let answers = unit.iter().filter(|(it, _)| it == rater);
                    answers.for_each(|(_, answer)| use_of.add(question, *sample, *answer));
                }
            }
            let pairs = PairedRaters::EachWith(*rater);
            let units = units.get(rater).map_or(&[][..], Vec::as_slice);
            let agreement = question.figures(units, pairs, true, keep_going);
            // Responses of a sample depend on each other.
            let share = |trials| ClusteredShare::of(trials).figure();
            Self {
                name: Arc::clone(name),
                kind: *kind,
                n: use_of.samples.len(),
                question: question.name(),
                kappa: agreement.kappa,
                equal: agreement.equal,
                ties: share(use_of.ties),
                first: share(use_of.first),
                lowest: share(use_of.lowest),
                highest: share(use_of.highest),
                seconds: between(times.get(rater).map_or(&[], Vec::as_slice)),
            }
        };
        let mut all = in_parallel(&raters, of);
        all.retain(|rater| rater.n > 0);
        all
    }
}

/// Returns the median difference of successive times.
fn between(times: &[f64]) -> Result<f64, Undefined> {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    let mut apart: Vec<_> = times.windows(2).map(|two| two[1] - two[0]).collect();
    apart.sort_unstable_by(f64::total_cmp);
    let counts = vec![1; apart.len()];
    Distribution::new(apart, counts).quantile(0.5)
}

/// Whether each answer of a rater is one of some, with its sample.
#[derive(Default)]
struct ScaleUse {
    samples: BTreeSet<u32>,
    ties: Vec<(u32, bool)>,
    first: Vec<(u32, bool)>,
    lowest: Vec<(u32, bool)>,
    highest: Vec<(u32, bool)>,
}

impl ScaleUse {
    fn add(&mut self, question: &Question, sample: u32, answer: GivenAnswer) {
        self.samples.insert(sample);
        match answer {
            GivenAnswer::Place(place) => {
                self.lowest.push((sample, place == 0));
                self.highest
                    .push((sample, place + 1 == question.categories()));
            }
            GivenAnswer::Verdict(verdict) => {
                self.ties.push((sample, verdict == Verdict::Tie));
                let winner = verdict.winner();
                self.first
                    .extend(winner.map(|winner| (sample, winner == ResponseId::A)));
            }
        }
    }
}
