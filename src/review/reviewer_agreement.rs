//! Agreement of reviewers with each other: Krippendorff's alpha for all, and pairwise figures. With
//! many reviewers, only the distribution of kappa over the pairs and its extremes.

use std::sync::Arc;

use serde::Serialize;

use super::matrix::{PairFigures, Question, RatedUnits, RatingMatrix};
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::{Figure, Undefined};

/// Agreement of reviewers with each other, from the latest judgment of each sample.
#[derive(Debug, Clone)]
pub struct ReviewerAgreement {
    /// Number of reviewers.
    pub reviewers: usize,
    /// Alpha of all reviewers, for each label and for the verdict.
    pub alphas: Vec<Alpha>,
    /// Number of pairs of reviewers with a sample in common.
    pub pairs: usize,
    /// Figures of each pair; empty for more than [`MAX_EACH`] reviewers.
    pub each: Vec<PairFigures>,
    /// Distribution of kappa over the pairs; empty for up to [`MAX_EACH`] reviewers.
    pub spreads: Vec<KappaSpread>,
}

/// Krippendorff's alpha of a label or of the verdict.
#[derive(Debug, Clone, Serialize)]
pub struct Alpha {
    /// The label's name in the schema, or `verdict`.
    pub name: Arc<str>,
    /// Number of responses (for the verdict: samples) that two or more reviewers judged.
    pub units: u64,
    /// Alpha: ordinal for labels, nominal for the verdict.
    #[serde(flatten)]
    pub alpha: Figure,
    /// Share of equal answers, over all pairs of answers to the same question.
    #[serde(skip)]
    pub equal: Figure,
}

/// Distribution of kappa over the pairs with enough in common.
#[derive(Debug, Clone)]
pub struct KappaSpread {
    /// The label's name in the schema, or `verdict`.
    pub name: Arc<str>,
    /// Number of pairs with a kappa.
    pub pairs: usize,
    /// Number of pairs with fewer than [`FEWEST_IN_COMMON`] answers in common.
    pub few: usize,
    /// Number of pairs without a kappa, because they gave one value to everything.
    pub undefined: usize,
    /// The median kappa.
    pub median: Result<f64, Undefined>,
    /// Pairs with the lowest kappas, ascending.
    pub lowest: Vec<PairFigures>,
    /// Pairs with the highest kappas, descending.
    pub highest: Vec<PairFigures>,
}

/// Maximum number of reviewers for which every pair has its own figures.
pub const MAX_EACH: usize = 10;

/// Minimum number of common answers for a kappa; with fewer, it is mostly chance.
pub const FEWEST_IN_COMMON: u64 = 10;

/// Number of pairs with the lowest and with the highest kappa that are shown.
pub const MAX_ENDS: usize = 3;

impl ReviewerAgreement {
    /// Compares reviewers; `samples` has the reviewers of each sample. Returns `None` for fewer
    /// than two reviewers, and if cancelled.
    pub(super) fn of(
        matrix: &RatingMatrix<'_>,
        samples: &RatedUnits,
        (names, reviewers): (&[Arc<str>], usize),
        has_intervals: bool,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        let verdict = matrix.questions.last().filter(|_| reviewers > 1)?;
        let pairs = samples.for_each_pair(verdict, names.len(), keep_going, drop)?;
        let questions: Vec<_> = matrix.questions.iter().zip(&matrix.units).collect();
        let alpha = |(question, units): &(&Question, &RatedUnits)| {
            let figures = units.overall(question, has_intervals, keep_going);
            Alpha {
                name: question.name(),
                units: figures.things,
                alpha: figures.alpha,
                equal: figures.equal,
            }
        };
        let mut between = Self {
            reviewers,
            alphas: in_parallel(&questions, alpha),
            pairs: pairs.len(),
            each: Vec::new(),
            spreads: Vec::new(),
        };
        let named = |two: [u32; 2], figures: PairFigures| PairFigures {
            reviewers: Some(two.map(|one| Arc::clone(&names[one as usize]))),
            ..figures
        };
        if reviewers <= MAX_EACH {
            let figures = in_parallel(&pairs, |(two, ())| {
                let figures = matrix
                    .figures(Some(*two), has_intervals, keep_going)
                    .into_iter();
                figures.map(|of| named(*two, of)).collect::<Vec<_>>()
            });
            between.each = figures.concat();
        } else {
            for (question, units) in questions {
                let of_two = |two| {
                    named(
                        two,
                        units.figures(question, Some(two), has_intervals, keep_going),
                    )
                };
                let kappas = units.for_each_pair(question, names.len(), keep_going, |table| {
                    (table.total(), question.kappa(&table))
                })?;
                between
                    .spreads
                    .push(KappaSpread::of(question, kappas, of_two));
            }
        }
        keep_going().then_some(between)
    }
}

/// The number of common answers of a pair, and its kappa.
type PairKappa = (u64, Result<f64, Undefined>);

impl KappaSpread {
    /// Summarises the kappas of all pairs; `figures` computes those of the extremes.
    fn of(
        question: &Question,
        all: Vec<([u32; 2], PairKappa)>,
        figures: impl Fn([u32; 2]) -> PairFigures + Sync + Send,
    ) -> Self {
        let (mut few, mut undefined, mut kappas) = (0, 0, Vec::new());
        for (two, (count, kappa)) in all {
            match kappa {
                _ if count < FEWEST_IN_COMMON => few += 1,
                Ok(kappa) => kappas.push((kappa, two)),
                Err(_) => undefined += 1,
            }
        }
        kappas.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let middle = |at: usize| kappas.get(at).map(|(kappa, _)| *kappa);
        let middle = [kappas.len().saturating_sub(1) / 2, kappas.len() / 2].map(middle);
        let two_of = |(_, two): &(f64, [u32; 2])| *two;
        let lowest: Vec<_> = kappas.iter().take(MAX_ENDS).map(two_of).collect();
        let highest: Vec<_> = kappas.iter().rev().take(MAX_ENDS).map(two_of).collect();
        Self {
            name: question.name(),
            pairs: kappas.len(),
            few,
            undefined,
            median: match middle {
                [Some(lower), Some(upper)] => Ok((lower + upper) / 2.0),
                _ => Err(Undefined::Nothing),
            },
            lowest: in_parallel(&lowest, |two| figures(*two)),
            highest: in_parallel(&highest, |two| figures(*two)),
        }
    }

    /// Returns the pairs with the lowest and highest kappas, each once, the lowest first.
    pub(super) fn ends(&self) -> impl Iterator<Item = &PairFigures> {
        let is_new = |pair: &&PairFigures| {
            let mut lowest = self.lowest.iter();
            lowest.all(|other| other.reviewers != pair.reviewers)
        };
        self.lowest
            .iter()
            .chain(self.highest.iter().rev().filter(is_new))
    }
}
