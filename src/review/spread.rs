//! Kappas of all pairs of many reviewers, summed up as they are counted: of thousands of reviewers
//! there are millions.
//!
//! A reviewer is taken after the other, and for each thing that the reviewer judged those are gone
//! through who judged it too: that takes as many steps as there are pairs of judgments of the same
//! thing, and room for one reviewer's pairs.

use std::sync::Arc;

use super::figures::CategoryPairs;
use crate::parallel::{KeepGoing, in_parallel};
use crate::stats::{Confusion, Interval, RatingLists, Undefined};

/// How the kappas of pairs spread.
#[derive(Debug, Clone, PartialEq)]
pub struct KappaSpread {
    /// Pairs who judged at least [`FEWEST_IN_COMMON`] things in common and have a kappa: those that
    /// the figures are of.
    pub pairs: usize,
    /// Pairs who judged something in common, but less than that.
    pub few: usize,
    /// Pairs who judged enough in common, but have no kappa, since both said the same of
    /// everything.
    pub undefined: usize,
    /// The kappa that half of the pairs do not exceed: the middle one, or the mean of the two in
    /// the middle.
    pub median: Result<f64, Undefined>,
    /// The pairs with the lowest kappas, from the lowest; at most [`MOST_ENDS`].
    pub lowest: Vec<PairKappa>,
    /// The pairs with the highest kappas, from the highest; at most [`MOST_ENDS`].
    pub highest: Vec<PairKappa>,
}

/// Two reviewers and their kappa.
#[derive(Debug, Clone, PartialEq)]
pub struct PairKappa {
    /// Who, in the order of their names.
    pub reviewers: [Arc<str>; 2],
    /// Things that both judged.
    pub count: u64,
    /// Their kappa.
    pub kappa: f64,
    /// Where it lies at 95 %; `None` if it was not asked for.
    pub interval: Option<Result<Interval, Undefined>>,
}

/// Things in common from which on a pair's kappa says something of the pair: of fewer, it mostly
/// tells chance.
pub const FEWEST_IN_COMMON: u64 = 10;
/// Pairs that are named at either end.
pub const MOST_ENDS: usize = 3;

/// What one reviewer said of a thing.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReviewerValue {
    pub(super) reviewer: u32,
    /// The category, from 0; `None` of a value that is none of the label's.
    pub(super) place: Option<u32>,
    pub(super) value: f64,
}

/// Things that several reviewers judged, each with what they said of it.
#[derive(Debug, Clone, Default)]
pub(super) struct RatedUnits {
    entries: Vec<ReviewerValue>,
    /// Where the entries of each thing end, and the number of its sample.
    ends: Vec<(usize, u32)>,
}

impl RatedUnits {
    /// Adds a thing of a sample; what fewer than two judged is left out.
    pub(super) fn push(&mut self, sample: u32, entries: impl IntoIterator<Item = ReviewerValue>) {
        let before = self.entries.len();
        self.entries.extend(entries);
        match self.entries.len() {
            end if end - before > 1 => self.ends.push((end, sample)),
            _ => self.entries.truncate(before),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &[ReviewerValue])> {
        let starts = [0].into_iter().chain(self.ends.iter().map(|(end, _)| *end));
        starts
            .zip(&self.ends)
            .map(|(start, &(end, sample))| (sample, &self.entries[start..end]))
    }

    /// The values of each thing.
    pub(super) fn lists(&self) -> RatingLists {
        let mut lists = RatingLists::default();
        for (sample, unit) in self.iter() {
            let values: Vec<f64> = unit.iter().map(|entry| entry.value).collect();
            lists.add(sample, &values);
        }
        lists
    }

    /// Gives reviewers other numbers, by their old ones, and sorts what was said of each thing by
    /// them.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        self.entries
            .iter_mut()
            .for_each(|entry| entry.reviewer = numbers[entry.reviewer as usize]);
        let mut start = 0;
        for &(end, _) in &self.ends {
            self.entries[start..end].sort_unstable_by_key(|entry| entry.reviewer);
            start = end;
        }
    }

    /// The categories that two reviewers gave to the same things, with the number of the sample;
    /// numbers of reviewers are those of [`RatedUnits::renumber`].
    pub(super) fn in_common(&self, two: [u32; 2]) -> impl Iterator<Item = (u32, usize, usize)> {
        self.iter().filter_map(move |(sample, unit)| {
            let place = |reviewer: u32| {
                let at = unit
                    .binary_search_by_key(&reviewer, |entry| entry.reviewer)
                    .ok()?;
                unit[at].place.map(|place| place as usize)
            };
            Some((sample, place(two[0])?, place(two[1])?))
        })
    }

    /// For each of so many reviewers, the category that the reviewer gave to each thing, and what
    /// reviewers with greater numbers said of it.
    fn rows(&self, reviewers: usize) -> Vec<Vec<(u32, &[ReviewerValue])>> {
        let mut rows = vec![Vec::new(); reviewers];
        for (_, unit) in self.iter() {
            for (at, entry) in unit.iter().enumerate() {
                rows[entry.reviewer as usize]
                    .extend(entry.place.map(|place| (place, &unit[at + 1..])));
            }
        }
        rows
    }
}

/// Reviewers that one task takes, so many apart from each other: the first have the most pairs.
const TASKS: usize = 64;

/// Calls with each pair who judged something in common, of the first reviewers `task`, `task` +
/// [`TASKS`] and so on, and with how often they gave which of so many categories; `false` once that
/// is not wanted.
fn each_pair(
    rows: &[Vec<(u32, &[ReviewerValue])>],
    (task, categories): (usize, usize),
    wanted: &dyn KeepGoing,
    see: &mut dyn FnMut([u32; 2], &Confusion),
) -> bool {
    let none = vec![0; categories * categories];
    let mut tables = vec![Confusion::new(categories); rows.len()];
    for (one, row) in rows.iter().enumerate().skip(task).step_by(TASKS) {
        for (first, others) in row {
            if !wanted() {
                return false;
            }
            for entry in *others {
                if let Some(second) = entry.place {
                    tables[entry.reviewer as usize].add(*first as usize, second as usize);
                }
            }
        }
        for (other, table) in tables.iter_mut().enumerate().skip(one + 1) {
            if table.total() > 0 {
                see([one as u32, other as u32], table);
                table.recount(&none);
            }
        }
    }
    true
}

/// How many pairs have a thing in common; `None` once that is no longer `wanted`.
pub(super) fn pairs_in_common(
    units: &RatedUnits,
    reviewers: usize,
    wanted: &dyn KeepGoing,
) -> Option<usize> {
    let (rows, tasks) = (units.rows(reviewers), (0..TASKS).collect::<Vec<_>>());
    let counted = in_parallel(&tasks, |&task| {
        let mut count = 0;
        each_pair(&rows, (task, 1), wanted, &mut |_, _| count += 1).then_some(count)
    });
    counted.into_iter().sum()
}

/// A pair's kappa with what it is of.
type Ranked = (f64, [u32; 2], u64);

/// What one task finds.
#[derive(Default)]
struct PartialCounts {
    few: usize,
    undefined: usize,
    kappas: Vec<f64>,
    lowest: Vec<Ranked>,
    highest: Vec<Ranked>,
}

impl PartialCounts {
    fn see(&mut self, two: [u32; 2], table: &Confusion, pairs: &CategoryPairs) {
        let count = table.total();
        if count < FEWEST_IN_COMMON {
            self.few += 1;
            return;
        }
        let Ok(kappa) = pairs.kappa_of(table) else {
            self.undefined += 1;
            return;
        };
        self.kappas.push(kappa);
        keep(&mut self.lowest, (kappa, two, count), |kappa| kappa);
        keep(&mut self.highest, (kappa, two, count), |kappa| -kappa);
    }
}

/// Keeps a pair where it is among the first by its kappa, equal ones in the order of their names.
fn keep(ends: &mut Vec<Ranked>, pair: Ranked, by: fn(f64) -> f64) {
    let is_before = |one: &Ranked, other: &Ranked| {
        by(one.0)
            .total_cmp(&by(other.0))
            .then(one.1.cmp(&other.1))
            .is_lt()
    };
    let at = ends.partition_point(|kept| is_before(kept, &pair));
    if at < MOST_ENDS {
        ends.insert(at, pair);
        ends.truncate(MOST_ENDS);
    }
}

impl KappaSpread {
    /// Of what reviewers said of these things; the kappas at either end have intervals by the
    /// resamples of `pairs`. `None` once that is no longer `wanted`.
    pub(super) fn of(
        units: &RatedUnits,
        reviewers: &[Arc<str>],
        pairs: &CategoryPairs,
        wanted: &dyn KeepGoing,
    ) -> Option<Self> {
        let (rows, tasks) = (units.rows(reviewers.len()), (0..TASKS).collect::<Vec<_>>());
        let parts = in_parallel(&tasks, |&task| {
            let mut part = PartialCounts::default();
            let of = (task, pairs.confusion().categories());
            each_pair(&rows, of, wanted, &mut |two, table| {
                part.see(two, table, pairs);
            })
            .then_some(part)
        });
        let mut all = PartialCounts::default();
        for part in parts {
            let part = part?;
            all.few += part.few;
            all.undefined += part.undefined;
            all.kappas.extend(part.kappas);
            part.lowest
                .into_iter()
                .for_each(|pair| keep(&mut all.lowest, pair, |kappa| kappa));
            part.highest
                .into_iter()
                .for_each(|pair| keep(&mut all.highest, pair, |kappa| -kappa));
        }
        let named = |&(kappa, two, count): &Ranked| {
            let pairs = pairs.clone().of(units.in_common(two));
            PairKappa {
                reviewers: two.map(|one| Arc::clone(&reviewers[one as usize])),
                count,
                kappa,
                interval: pairs.figures(wanted).kappa.interval,
            }
        };
        Some(Self {
            pairs: all.kappas.len(),
            few: all.few,
            undefined: all.undefined,
            median: median(all.kappas),
            lowest: in_parallel(&all.lowest, named),
            highest: in_parallel(&all.highest, named),
        })
    }
}

fn median(mut kappas: Vec<f64>) -> Result<f64, Undefined> {
    if kappas.is_empty() {
        return Err(Undefined::Nothing);
    }
    let (middle, is_even) = (kappas.len() / 2, kappas.len().is_multiple_of(2));
    let (below, upper, _) = kappas.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below
        .iter()
        .copied()
        .max_by(f64::total_cmp)
        .filter(|_| is_even);
    Ok(lower.map_or(*upper, |lower| (lower + *upper) / 2.0))
}
