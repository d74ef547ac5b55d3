//! How far reviewers agree with each other: all together by Krippendorff's alpha, and two by two. Of
//! many reviewers only how kappa spreads over the pairs is shown, and the pairs at either end.

use std::sync::Arc;

use serde::Serialize;

use super::matrix::{PairFigures, Question, RatedUnits, RatingMatrix};
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::{Figure, Undefined};

/// How far reviewers agree with each other, each with the latest judgment of a sample.
#[derive(Debug, Clone)]
pub struct ReviewerAgreement {
    /// How many reviewers are compared.
    pub reviewers: usize,
    /// Alpha of all of them, for each label and for who wins.
    pub alphas: Vec<Alpha>,
    /// Pairs of reviewers who judged a sample in common.
    pub pairs: usize,
    /// The figures of each pair; empty of more than [`MOST_EACH`] reviewers.
    pub each: Vec<PairFigures>,
    /// How kappa spreads over the pairs; empty of up to [`MOST_EACH`] reviewers.
    pub spreads: Vec<KappaSpread>,
}

/// Krippendorff's alpha of one label, or of who wins.
#[derive(Debug, Clone, Serialize)]
pub struct Alpha {
    /// The label's name in the schema; `verdict` for who wins.
    pub name: Arc<str>,
    /// Responses, or samples, that two or more judged.
    pub units: u64,
    /// The figure: ordinal for labels, nominal for who wins.
    #[serde(flatten)]
    pub alpha: Figure,
    /// The share of equal answers, over all pairs of answers to the same.
    #[serde(skip)]
    pub equal: Figure,
}

/// How kappa spreads over pairs of reviewers who have enough in common.
#[derive(Debug, Clone)]
pub struct KappaSpread {
    /// The label's name in the schema; `verdict` for who wins.
    pub name: Arc<str>,
    /// Pairs with a kappa.
    pub pairs: usize,
    /// Pairs with too little in common.
    pub few: usize,
    /// Pairs without a kappa, since they gave one value to everything.
    pub undefined: usize,
    /// The median kappa.
    pub median: Result<f64, Undefined>,
    /// The pairs with the lowest kappas, ascending.
    pub lowest: Vec<PairFigures>,
    /// The pairs with the highest kappas, descending.
    pub highest: Vec<PairFigures>,
}

/// The most reviewers for which each pair has figures of its own.
pub const MOST_EACH: usize = 10;

/// Of fewer answers to the same question kappa mostly tells chance.
pub const FEWEST_IN_COMMON: u64 = 10;

/// Pairs at either end that are named.
pub const MOST_ENDS: usize = 3;

impl ReviewerAgreement {
    /// Compares reviewers; `samples` is who judged each sample. `None` of fewer than two reviewers, and
    /// once it is no longer `wanted`.
    pub(super) fn of(
        matrix: &RatingMatrix<'_>,
        samples: &RatedUnits,
        (names, reviewers): (&[Arc<str>], usize),
        draws: u32,
        wanted: &dyn KeepGoing,
    ) -> Option<Self> {
        let verdict = matrix.questions.last().filter(|_| reviewers > 1)?;
        let pairs = samples.each_two(verdict, names.len(), wanted, drop)?;
        let questions: Vec<_> = matrix.questions.iter().zip(&matrix.units).collect();
        let alpha = |(question, units): &(&Question, &RatedUnits)| {
            let figures = units.together(question, draws, wanted);
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
        if reviewers <= MOST_EACH {
            let figures = in_parallel(&pairs, |(two, ())| {
                let figures = matrix.figures(Some(*two), draws, wanted).into_iter();
                figures.map(|of| named(*two, of)).collect::<Vec<_>>()
            });
            between.each = figures.concat();
        } else {
            for (question, units) in questions {
                let of_two = |two| named(two, units.figures(question, Some(two), draws, wanted));
                let kappas = units.each_two(question, names.len(), wanted, |table| {
                    (table.total(), question.kappa(&table))
                })?;
                between
                    .spreads
                    .push(KappaSpread::of(question, kappas, of_two));
            }
        }
        wanted().then_some(between)
    }
}

/// How much two have in common, and their kappa.
type PairKappa = (u64, Result<f64, Undefined>);

impl KappaSpread {
    /// Of the kappas of all pairs, each with how much they have in common.
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
        let lowest: Vec<_> = kappas.iter().take(MOST_ENDS).map(two_of).collect();
        let highest: Vec<_> = kappas.iter().rev().take(MOST_ENDS).map(two_of).collect();
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

    /// The pairs at either end, each once, the lowest first.
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
