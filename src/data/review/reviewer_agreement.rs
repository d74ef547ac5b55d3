//! Agreement of reviewers with each other: Krippendorff's alpha for all, and figures of each pair
//! unless there are many reviewers.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::judgment_table::{JudgmentTable, Occasion, PairFigures, PairedRaters};
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::Figure;

/// Agreement of reviewers with each other, from the latest judgment of each sample.
#[derive(Debug, Clone)]
pub struct ReviewerAgreement {
    /// Number of reviewers.
    pub reviewers: usize,
    /// Alpha of all reviewers, for each label and for the verdict.
    pub alphas: Vec<Alpha>,
    /// Figures of each pair with an answer in common; empty for more than [`MAX_EACH`] reviewers.
    pub each: Vec<PairFigures>,
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

/// Maximum number of reviewers for which every pair has its own figures.
pub const MAX_EACH: usize = 10;

impl ReviewerAgreement {
    /// Compares the reviewers with these indices in `names`. Returns `None` for fewer than two
    /// reviewers, and if cancelled.
    pub(super) fn of(
        table: &JudgmentTable<'_>,
        names: &[Arc<str>],
        compared: &BTreeSet<u32>,
        keep_going: &dyn KeepGoing,
    ) -> Option<Self> {
        let reviewers = compared.len();
        if reviewers < 2 {
            return None;
        }
        let selected = table.select(Occasion::All);
        let alphas = in_parallel(&selected, |(question, units)| {
            let figures = question.overall(units, names.len() as u32, keep_going);
            Alpha {
                name: question.name(),
                units: figures.things,
                alpha: figures.alpha,
                equal: figures.equal,
            }
        });
        let listed = compared.iter().filter(|_| reviewers <= MAX_EACH);
        let pairs: Vec<_> = listed
            .flat_map(|one| compared.range(one + 1..).map(|other| [*one, *other]))
            .collect();
        let figures = in_parallel(&pairs, |two| {
            let figures = selected.iter().map(|(question, units)| {
                question.figures(units, PairedRaters::Two(*two), true, keep_going)
            });
            let mut figures: Vec<_> = figures.collect();
            if figures.iter().all(|of| of.n == 0) {
                figures.clear();
            }
            for of in &mut figures {
                of.reviewers = Some(two.map(|one| Arc::clone(&names[one as usize])));
            }
            figures
        });
        let between = Self {
            reviewers,
            alphas,
            each: figures.concat(),
        };
        keep_going().then_some(between)
    }
}
