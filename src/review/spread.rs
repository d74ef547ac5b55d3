//! Kappas of all pairs of many reviewers, summed up as they are counted: of thousands of reviewers
//! there are millions.
//!
//! A reviewer is taken after the other, and for each thing that the reviewer judged those are gone
//! through who judged it too: that takes as many steps as there are pairs of judgments of the same
//! thing, and room for one reviewer's pairs.

use std::sync::Arc;

use crate::parallel::in_parallel;
use crate::stats::{PairTally, Undefined};

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
    /// Where the entries of each thing end.
    ends: Vec<usize>,
}

impl RatedUnits {
    /// Adds a thing; what fewer than two judged is left out.
    pub(super) fn push(&mut self, entries: impl IntoIterator<Item = ReviewerValue>) {
        let before = self.entries.len();
        self.entries.extend(entries);
        match self.entries.len() {
            end if end - before > 1 => self.ends.push(end),
            _ => self.entries.truncate(before),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[ReviewerValue]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.entries[start..end])
    }

    /// The values of each thing.
    pub(super) fn values(&self) -> Vec<Vec<f64>> {
        self.iter()
            .map(|unit| unit.iter().map(|entry| entry.value).collect())
            .collect()
    }

    /// Gives reviewers other numbers, by their old ones, and sorts what was said of each thing by
    /// them.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        self.entries
            .iter_mut()
            .for_each(|entry| entry.reviewer = numbers[entry.reviewer as usize]);
        let mut start = 0;
        for &end in &self.ends {
            self.entries[start..end].sort_unstable_by_key(|entry| entry.reviewer);
            start = end;
        }
    }

    /// The categories that two reviewers gave to the same things; numbers are those of
    /// [`RatedUnits::renumber`].
    pub(super) fn in_common(&self, two: [u32; 2]) -> impl Iterator<Item = (usize, usize)> {
        self.iter().filter_map(move |unit| {
            let place = |reviewer: u32| {
                let at = unit
                    .binary_search_by_key(&reviewer, |entry| entry.reviewer)
                    .ok()?;
                unit[at].place.map(|place| place as usize)
            };
            Some((place(two[0])?, place(two[1])?))
        })
    }

    /// For each of so many reviewers, the category that the reviewer gave to each thing, and what
    /// reviewers with greater numbers said of it.
    fn rows(&self, reviewers: usize) -> Vec<Vec<(u32, &[ReviewerValue])>> {
        let mut rows = vec![Vec::new(); reviewers];
        for unit in self.iter() {
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
/// [`TASKS`] and so on; `false` once that is not wanted.
fn each_pair<T: PairTally>(
    rows: &[Vec<(u32, &[ReviewerValue])>],
    task: usize,
    wanted: &(dyn Fn() -> bool + Sync),
    see: &mut dyn FnMut([u32; 2], &T),
) -> bool {
    let mut tallies = vec![T::default(); rows.len()];
    for (one, row) in rows.iter().enumerate().skip(task).step_by(TASKS) {
        for (first, others) in row {
            if !wanted() {
                return false;
            }
            for entry in *others {
                if let Some(second) = entry.place {
                    tallies[entry.reviewer as usize].add(*first, second);
                }
            }
        }
        for (other, tally) in tallies.iter_mut().enumerate().skip(one + 1) {
            if tally.count() > 0 {
                see([one as u32, other as u32], &std::mem::take(tally));
            }
        }
    }
    true
}

/// How many pairs have a thing in common; `None` once that is no longer `wanted`.
pub(super) fn pairs_in_common(
    units: &RatedUnits,
    reviewers: usize,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<usize> {
    let (rows, tasks) = (units.rows(reviewers), (0..TASKS).collect::<Vec<_>>());
    let counted = in_parallel(&tasks, |&task| {
        let mut count = 0;
        each_pair(&rows, task, wanted, &mut |_, _: &InCommon| count += 1).then_some(count)
    });
    counted.into_iter().sum()
}

/// Counts things alone.
#[derive(Debug, Clone, Copy, Default)]
struct InCommon(u32);

impl PairTally for InCommon {
    fn add(&mut self, _: u32, _: u32) {
        self.0 += 1;
    }

    fn count(&self) -> u64 {
        self.0.into()
    }

    fn kappa(&self) -> Result<f64, Undefined> {
        Err(Undefined::Nothing)
    }
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
    fn see(&mut self, two: [u32; 2], tally: &impl PairTally) {
        let count = tally.count();
        if count < FEWEST_IN_COMMON {
            self.few += 1;
            return;
        }
        let Ok(kappa) = tally.kappa() else {
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
    /// Of what reviewers said of these things; `None` once that is no longer `wanted`.
    pub(super) fn of<T: PairTally>(
        units: &RatedUnits,
        reviewers: &[Arc<str>],
        wanted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let (rows, tasks) = (units.rows(reviewers.len()), (0..TASKS).collect::<Vec<_>>());
        let parts = in_parallel(&tasks, |&task| {
            let mut part = PartialCounts::default();
            each_pair(&rows, task, wanted, &mut |two, tally: &T| {
                part.see(two, tally);
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
        let named = |(kappa, two, count): Ranked| {
            let reviewers = two.map(|one| Arc::clone(&reviewers[one as usize]));
            PairKappa {
                reviewers,
                count,
                kappa,
            }
        };
        Some(Self {
            pairs: all.kappas.len(),
            few: all.few,
            undefined: all.undefined,
            median: median(all.kappas),
            lowest: all.lowest.into_iter().map(named).collect(),
            highest: all.highest.into_iter().map(named).collect(),
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
