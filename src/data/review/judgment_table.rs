//! Answers of several raters to the same questions. The dataset can be one of the raters.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::judged_sample::{JudgedSample, RatedBy};
use super::rating_form::Rateable;
use crate::model::{ResponseId, Verdict};
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::{
    ClusteredCounts, Confusion, Figure, MeasurementLevel, RatingFigures, RatingLists, Scale,
    Undefined, Weights, kappa,
};

/// Name of the verdict among labels.
pub(super) const VERDICT: &str = "verdict";

/// A question that raters answer.
#[derive(Debug, Clone)]
pub(super) enum Question {
    /// The value of a label, for each response.
    Label(Rateable),
    /// The verdict, for each sample of at most this many responses (at least 2). Its categories are
    /// a win of each response, and a tie.
    Verdict(usize),
}

/// An answer: the index of a value among those of its label, or a verdict.
#[derive(Debug, Clone, Copy)]
pub(super) enum GivenAnswer {
    Place(usize),
    Verdict(Verdict),
}

impl Question {
    /// Returns the name of the label, or `verdict`.
    pub(super) fn name(&self) -> Arc<str> {
        match self {
            Self::Label(label) => Arc::clone(&label.name),
            Self::Verdict(_) => VERDICT.into(),
        }
    }

    pub(super) fn categories(&self) -> usize {
        match self {
            Self::Label(label) => label.values(),
            Self::Verdict(responses) => responses + 1,
        }
    }

    /// Returns the names of the categories in order.
    fn category_names(&self) -> Vec<CategoryName> {
        match self {
            Self::Label(label) => (label.range[0]..=label.range[1])
                .map(CategoryName::Value)
                .collect(),
            Self::Verdict(responses) => {
                let words = ResponseId::first(*responses).map(ResponseId::word);
                words.chain(["tie"]).map(CategoryName::Word).collect()
            }
        }
    }

    /// Returns the category of an answer; `None` if several responses are best.
    fn place(&self, answer: GivenAnswer) -> Option<usize> {
        match (self, answer) {
            (_, GivenAnswer::Place(place)) => Some(place),
            (Self::Verdict(responses), GivenAnswer::Verdict(Verdict::Tie)) => Some(*responses),
            (Self::Verdict(responses), GivenAnswer::Verdict(verdict)) => {
                Some(verdict.winner()?.index().min(responses - 1))
            }
            (Self::Label(_), GivenAnswer::Verdict(_)) => None,
        }
    }

    /// Returns the number of [cells](Self::cell): those of the matrix, and two more.
    fn cells(&self) -> usize {
        self.categories().pow(2) + 2
    }

    /// Returns the cell of a pair of answers: of the matrix or, without a category, one of the two
    /// after it: for answers that agree, and for others.
    fn cell(&self, pair: [GivenAnswer; 2]) -> Option<usize> {
        let matrix = Confusion::new(self.categories());
        match (pair.map(|answer| self.place(answer)), pair) {
            ([Some(first), Some(second)], _) => matrix.cell(first, second),
            (_, [GivenAnswer::Verdict(one), GivenAnswer::Verdict(other)]) => {
                Some(self.cells() - 2 + usize::from(!one.agrees_with(other)))
            }
            _ => None,
        }
    }

    /// Returns the matrix of counted cells.
    fn table(&self, counts: &[u64]) -> Confusion {
        let mut table = Confusion::new(self.categories());
        table.recount(&counts[..self.cells() - 2]);
        table
    }

    /// Returns kappa, the share of equal answers, and the mean difference of counted cells.
    fn statistics(&self, counts: &[u64]) -> [Result<f64, Undefined>; 3] {
        let table = self.table(counts);
        let (same, all) = count_equal(counts, table.categories());
        let difference = match self {
            Self::Label(_) => table.mean_difference(),
            Self::Verdict(_) => Err(Undefined::NoOrder),
        };
        [
            self.kappa(&table),
            Figure::share(same, all).value,
            difference,
        ]
    }

    /// Returns Cohen's kappa: quadratically weighted for labels, unweighted for verdicts.
    fn kappa(&self, table: &Confusion) -> Result<f64, Undefined> {
        match self {
            Self::Label(_) => kappa(table, Weights::Quadratic),
            Self::Verdict(_) => kappa(table, Weights::Unweighted),
        }
    }
}

/// The name of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum CategoryName {
    /// A label's value.
    Value(i64),
    /// A verdict: `a`, `b`, …, `tie`.
    Word(&'static str),
}

/// Agreement of two raters about one question. The dataset can be one of them.
#[derive(Debug, Clone, Serialize)]
pub struct PairFigures {
    /// The label's name in the schema, or `verdict`.
    pub name: Arc<str>,
    /// The two raters, if reviewers are compared pairwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewers: Option<[Arc<str>; 2]>,
    /// Number of pairs of answers, including those without a category.
    pub n: u64,
    /// Number of samples with a pair.
    pub samples: usize,
    /// Pairs without a category, because several responses are best; excluded from kappa.
    #[serde(rename = "several_best")]
    pub several: u64,
    /// Cohen's kappa: quadratically weighted for labels, unweighted for verdicts.
    pub kappa: Figure,
    /// Share of pairs that are equal, or have a best response in common.
    pub equal: Figure,
    /// The share that would be equal by chance: of each first answer with each second one. `None`
    /// unless several responses are best in some pair.
    pub equal_by_chance: Option<f64>,
    /// Mean of the first value minus the second, in steps.
    pub difference: Figure,
    /// Published agreement between annotators of the dataset: quadratically weighted kappa for a
    /// label, the share of equal verdicts for a verdict.
    pub published: Option<f64>,
    /// True for a label, false for the verdict.
    #[serde(skip)]
    pub is_label: bool,
    /// Counts of answers of the first rater (rows) and the second (columns).
    #[serde(skip)]
    pub confusion: Confusion,
    /// Names of the categories of [`Self::confusion`].
    #[serde(skip)]
    pub categories: Vec<CategoryName>,
}

impl PairFigures {
    /// Returns the mean absolute difference within pairs, in steps.
    pub fn distance(&self) -> Result<f64, Undefined> {
        let counts = &self.confusion;
        let places = || 0..counts.categories();
        let cells = places().flat_map(|first| places().map(move |second| (first, second)));
        let apart: u64 = cells
            .map(|(first, second)| first.abs_diff(second) as u64 * counts.count(first, second))
            .sum();
        match counts.total() {
            _ if !self.is_label => Err(Undefined::NoOrder),
            0 => Err(Undefined::Nothing),
            total => Ok(apart as f64 / total as f64),
        }
    }

    /// Returns the share of equal answers, 0 to 1, that raters with these frequencies of answers
    /// would reach by chance; `None` without pairs.
    pub(super) fn chance(&self) -> Option<f64> {
        let counts = &self.confusion;
        let totals = counts
            .first_totals()
            .into_iter()
            .zip(counts.second_totals());
        let equal: f64 = totals
            .map(|(first, second)| first as f64 * second as f64)
            .sum();
        let of_counted = || (counts.total() > 0).then(|| equal / (counts.total() as f64).powi(2));
        self.equal_by_chance.or_else(of_counted)
    }

    /// Returns the number of pairs in which both verdicts are ties.
    pub(super) fn ties(&self) -> u64 {
        match (self.is_label, self.confusion.categories()) {
            (false, all) => self.confusion.count(all - 1, all - 1),
            (true, _) => 0,
        }
    }

    /// Returns the number of pairs that kappa covers.
    pub(super) const fn n_of_kappa(&self) -> u64 {
        self.n - self.several
    }
}

/// The reason why some answers to a question are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// A reviewer's latest answer of the first pass, as first given, and the dataset's.
    First,
    /// An answer of the first pass and one that repeats it, as first given.
    Again,
    /// A reviewer's answer as it is now, and the dataset's.
    Later,
    /// A reviewer's answer about a sample seen before, and the dataset's.
    Seen,
    /// The latest answers of several raters: reviewers, joined files and the dataset.
    All,
}

/// The answers of each unit that are paired.
#[derive(Debug, Clone, Copy)]
pub(super) enum PairedRaters {
    /// The first two.
    First,
    /// Those of two raters.
    Two([u32; 2]),
    /// Those of one rater with those of each other.
    EachWith(u32),
}

impl PairedRaters {
    /// Returns the pairs of answers of units, with the index of the sample.
    fn pairs<'u>(
        self,
        units: &'u [RatedUnit<'_>],
    ) -> impl Iterator<Item = (u32, [GivenAnswer; 2])> + 'u {
        units.iter().flat_map(move |&(sample, unit)| {
            let of = |rater: u32| unit.iter().find(move |(it, _)| *it == rater);
            let (first, others) = match self {
                Self::First => (unit.first(), unit.get(1..2).unwrap_or_default()),
                Self::Two([one, _]) | Self::EachWith(one) => (of(one), unit),
            };
            let is_other = move |rater: u32| match self {
                Self::First => true,
                Self::Two([_, other]) => rater == other,
                Self::EachWith(one) => rater != one,
            };
            let others = others.iter().filter(move |(rater, _)| is_other(*rater));
            let pair = move |(_, answer): &(u32, GivenAnswer)| Some((sample, [first?.1, *answer]));
            others.filter_map(pair)
        })
    }
}

/// The index of a sample, and answers to one question about it or one of its responses, with the
/// index of the rater.
pub(super) type RatedUnit<'t> = (u32, &'t [(u32, GivenAnswer)]);

/// All answers of raters, by unit: a response for a label, a sample for the verdict.
pub(super) struct JudgmentTable<'q> {
    /// The ratable labels, then the verdict.
    questions: &'q [Question],
    /// The answers with the index of the rater.
    answers: Vec<(u32, GivenAnswer)>,
    /// For each unit why its answers are compared, the index of the question and of the sample, and
    /// where its `answers` end.
    units: Vec<(Occasion, usize, u32, usize)>,
}

impl<'q> JudgmentTable<'q> {
    pub(super) const fn new(questions: &'q [Question]) -> Self {
        Self {
            questions,
            answers: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Adds the answers about a sample, by rater; indices must ascend if raters are distinguished.
    /// Leaves out units that only one rater answered. Returns true if there is something to compare.
    pub(super) fn add(
        &mut self,
        occasion: Occasion,
        number: u32,
        sample: &JudgedSample<'_>,
        ratings: &[(u32, RatedBy<'_>)],
    ) -> bool {
        let before = self.units.len();
        for (at, question) in self.questions.iter().enumerate() {
            let responses = match question {
                Question::Label(_) => sample.responses,
                Question::Verdict(_) => 1,
            };
            for response in ResponseId::first(responses) {
                let answer = |(rater, by): &(u32, RatedBy<'_>)| {
                    Some((*rater, sample.answer(question, response, *by)?))
                };
                let start = self.answers.len();
                self.answers.extend(ratings.iter().filter_map(answer));
                if self.answers.len() - start > 1 {
                    self.units.push((occasion, at, number, self.answers.len()));
                } else {
                    self.answers.truncate(start);
                }
            }
        }
        self.units.len() > before
    }

    /// Returns each question with the units that are compared for a reason.
    pub(super) fn select(&self, occasion: Occasion) -> Vec<(&'q Question, Vec<RatedUnit<'_>>)> {
        let mut selected: Vec<_> = self.questions.iter().map(|it| (it, Vec::new())).collect();
        let mut start = 0;
        for &(of, question, sample, end) in &self.units {
            if of == occasion {
                selected[question]
                    .1
                    .push((sample, &self.answers[start..end]));
            }
            start = end;
        }
        selected
    }

    /// Computes the agreement of pairs of answers to each question.
    pub(super) fn figures(
        &self,
        occasion: Occasion,
        raters: PairedRaters,
        has_intervals: bool,
        keep_going: &dyn KeepGoing,
    ) -> Vec<PairFigures> {
        in_parallel(&self.select(occasion), |(question, units)| {
            question.figures(units, raters, has_intervals, keep_going)
        })
    }
}

/// Returns the units of each rater in one pass, since there can be many raters.
pub(super) fn by_rater<'t>(units: &[RatedUnit<'t>]) -> BTreeMap<u32, Vec<RatedUnit<'t>>> {
    let mut raters = BTreeMap::<_, Vec<_>>::new();
    for unit in units {
        for (rater, _) in unit.1 {
            raters.entry(*rater).or_default().push(*unit);
        }
    }
    raters
}

impl Question {
    /// Computes the agreement of pairs of answers. Intervals are over samples. Figures are
    /// meaningless if cancelled.
    pub(super) fn figures(
        &self,
        units: &[RatedUnit<'_>],
        raters: PairedRaters,
        has_intervals: bool,
        keep_going: &dyn KeepGoing,
    ) -> PairFigures {
        let kinds = self.cells();
        let (mut cells, mut samples, mut last) = (ClusteredCounts::default(), 0, None);
        let mut sums = vec![0; kinds];
        for (sample, pair) in raters.pairs(units) {
            samples += usize::from(last.replace(sample) != Some(sample));
            if let Some(cell) = self.cell(pair) {
                sums[cell] += 1;
                cells.add(sample, cell as u32);
            }
        }
        let n = cells.things() as u64;
        let scales = [Scale::Agreement, Scale::Share(n), Scale::Linear];
        let scales = has_intervals.then_some(scales);
        let [kappa, equal, difference] = cells.figures(kinds, scales, &mut |counts| {
            if keep_going() {
                self.statistics(counts)
            } else {
                [Err(Undefined::Cancelled); 3]
            }
        });
        let table = self.table(&sums);
        let several = sums[kinds - 2..].iter().sum();
        PairFigures {
            name: self.name(),
            reviewers: None,
            n,
            samples,
            several,
            kappa,
            equal,
            equal_by_chance: (several > 0).then(|| equal_by_chance(units, raters)),
            difference,
            published: match self {
                Self::Label(label) => label.published,
                Self::Verdict(_) => None,
            },
            is_label: matches!(self, Self::Label(_)),
            confusion: table,
            categories: self.category_names(),
        }
    }

    /// Computes the agreement of the raters below an index together. Excludes answers with several
    /// best responses.
    pub(super) fn overall(
        &self,
        units: &[RatedUnit<'_>],
        raters: u32,
        keep_going: &dyn KeepGoing,
    ) -> RatingFigures {
        let mut lists = RatingLists::default();
        for (sample, unit) in units {
            let places = unit
                .iter()
                .filter(|(rater, _)| *rater < raters)
                .filter_map(|(_, answer)| self.place(*answer));
            lists.add(
                *sample,
                &places.map(|place| place as f64).collect::<Vec<_>>(),
            );
        }
        let level = match self {
            Self::Label(_) => MeasurementLevel::Ordinal,
            Self::Verdict(_) => MeasurementLevel::Nominal,
        };
        lists.figures(level, true, keep_going)
    }
}

/// Returns the number of agreeing pairs and of all pairs. `counts` has the cells of a matrix, then
/// the pairs without a category that agree, and that do not.
fn count_equal(counts: &[u64], categories: usize) -> (u64, u64) {
    let diagonal = counts[..categories * categories]
        .iter()
        .step_by(categories + 1);
    let same = diagonal.sum::<u64>() + counts[categories * categories];
    (same, counts.iter().sum())
}

/// Returns the share of equal verdicts if each first one is paired with each second one.
fn equal_by_chance(units: &[RatedUnit<'_>], raters: PairedRaters) -> f64 {
    let (mut counts, mut all) = (BTreeMap::<Verdict, [f64; 2]>::new(), 0.0);
    for (_, pair) in raters.pairs(units) {
        all += 1.0;
        for (place, answer) in pair.into_iter().enumerate() {
            if let GivenAnswer::Verdict(verdict) = answer {
                counts.entry(verdict).or_default()[place] += 1.0;
            }
        }
    }
    let agreeing = |one: &Verdict| {
        let others = counts.iter().filter(|(other, _)| one.agrees_with(**other));
        others.map(|(_, [_, second])| second).sum::<f64>()
    };
    let equal = counts.iter().map(|(one, [first, _])| first * agreeing(one));
    equal.sum::<f64>() / (all * all)
}
