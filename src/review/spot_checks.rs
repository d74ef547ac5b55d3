//! What spot checks come to: what share of a queue is wrong as reviewers say, and how sure that is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::locator::SampleLocator;
use crate::dataset::SampleKey;
use crate::journal::{CheckDraw, Ledger, SpotCheck};
use crate::model::SpotCheckVerdict;
use crate::query::{self, Catalog};
use crate::stats::{Figure, Interval, ratio_of_shares};

/// Spot checks of a ledger, by the queues in which the samples came before reviewers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpotChecks {
    /// Each queue in which something was checked: those of what is suspicious first, then by their
    /// filters.
    pub queues: Vec<CheckedQueue>,
    /// What was checked in no queue, or in one of a later version: of other samples it tells
    /// nothing.
    pub chosen: CheckTally,
    /// How many samples were checked that are not in these files: they count nowhere else, for what
    /// they were drawn from was something else too.
    pub elsewhere: u64,
}

/// What was checked of the samples that one filter finds, in one way of drawing them.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedQueue {
    /// Whether the queue was shuffled; else the most suspicious came first.
    pub is_random: bool,
    /// The filter, without its order; empty for none.
    pub filter: Arc<str>,
    /// How many seeds shuffled it; 0 of what was not shuffled.
    pub seeds: usize,
    /// Fewest and most samples that were in the queue when something in it was checked. Where they
    /// differ the checked ones were drawn from several populations and stand for none of them.
    pub range: [u64; 2],
    /// Whether two samples had the same place: then the order changed while they were checked.
    pub has_moved: bool,
    /// What each reviewer said, in the order of their names.
    pub reviewers: Vec<(Arc<str>, CheckTally)>,
    /// What all of them said: a sample that several checked counts once, with what most of them
    /// say, and as unclear where as many say one thing as another.
    pub all: CheckTally,
}

/// How many samples were checked, with what came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CheckTally {
    /// Places that were gone through: the deepest one at which a sample was checked; of several
    /// shuffles, their sum. 0 outside of queues.
    pub places: u64,
    /// Samples of which what the dataset says is right.
    pub right: u64,
    /// Samples of which it is wrong.
    pub wrong: u64,
    /// Samples of which it cannot be told.
    pub unclear: u64,
}

/// About how many samples of a queue are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WrongEstimate {
    /// The likeliest number.
    pub about: u64,
    /// The least, at 95 %: not below what was found wrong.
    pub least: u64,
    /// The most, at 95 %: not above what was not found right or unclear.
    pub most: u64,
}

impl CheckTally {
    fn add(&mut self, verdict: SpotCheckVerdict) {
        match verdict {
            SpotCheckVerdict::Right => self.right += 1,
            SpotCheckVerdict::Wrong => self.wrong += 1,
            SpotCheckVerdict::Unclear => self.unclear += 1,
        }
    }

    /// How many samples were checked.
    pub const fn judged(&self) -> u64 {
        self.right + self.wrong + self.unclear
    }

    /// The share of the checked samples that is wrong, those among them that are unclear counted
    /// as not wrong, with the score interval (Wilson 1927): of samples drawn independently from
    /// endlessly many. Where much of a queue was checked, it is wider than it would have to be.
    pub fn share(&self) -> Figure {
        Figure::share(self.wrong, self.judged())
    }

    /// How many of so many samples, from which the checked ones were drawn at random, are wrong:
    /// the share times their number, its interval rounded outwards to whole samples, within what
    /// the checked ones leave open. `None` where nothing was checked.
    pub fn estimate(&self, of: u64) -> Option<WrongEstimate> {
        let Figure { value, interval } = self.share();
        let (share, Interval { low, high, .. }) = (value.ok()?, interval?.ok()?);
        let least = self.wrong.min(of);
        let most = of.saturating_sub(self.right + self.unclear).max(least);
        let within = |count: f64| (count as u64).clamp(least, most);
        let of = of as f64;
        Some(WrongEstimate {
            about: within((share * of).round()),
            least: within((low * of).floor()),
            most: within((high * of).ceil()),
        })
    }

    /// How many times as often these are wrong as others, with the interval of
    /// [`ratio_of_shares`]; `None` where none is wrong of the one or of the other.
    pub fn times(&self, others: &Self) -> Option<(f64, Interval)> {
        ratio_of_shares([self.wrong, self.judged()], [others.wrong, others.judged()])
    }
}

impl SpotChecks {
    /// Whether nothing was checked.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.chosen.judged() == 0 && self.elsewhere == 0
    }

    /// The shuffled queue that a queue of what is suspicious is compared with: that of the same
    /// filter without some of its terms of findings (as few of them as may be), which are what makes
    /// its samples suspicious; else that of no filter. The catalog tells what the terms of a filter
    /// are; where it cannot read one, the filter is the same as itself alone.
    pub fn random_for(&self, queue: &CheckedQueue, catalog: &Catalog) -> Option<&CheckedQueue> {
        let random = || self.queues.iter().filter(|other| other.is_random);
        let among = || {
            let terms = terms(&queue.filter, catalog)?;
            let shared = |other: &CheckedQueue| -> Option<usize> {
                let others = self::terms(&other.filter, catalog)?;
                let is_wider = others.is_subset(&terms)
                    && terms.difference(&others).all(|term| is_of_findings(term));
                is_wider.then_some(others.len())
            };
            let wider = random().filter_map(|other| Some((shared(other)?, other)));
            wider.max_by_key(|(shared, _)| *shared)
        };
        random()
            .find(|other| other.filter == queue.filter)
            .or_else(|| among().map(|(_, other)| other))
            .or_else(|| random().find(|other| other.filter.is_empty()))
    }
}

/// What a filter's terms are that must all hold, as they are spelled; `None` where it does not read.
fn terms(filter: &str, catalog: &Catalog) -> Option<BTreeSet<String>> {
    let query = query::parse(filter, catalog).ok()?;
    let terms = query.conjuncts().iter();
    Some(
        terms
            .map(|term| term.spelled(catalog).to_string())
            .collect(),
    )
}

/// Whether a term, as it is spelled, asks that rules of findings fire: which of them, how many, or
/// how bad these are.
fn is_of_findings(term: &str) -> bool {
    let is_number = |name: &str| {
        let rest = term.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([' ', '<', '>', '=', '!', ':']))
    };
    term.starts_with("finding:") || is_number("findings") || is_number("suspicion")
}

/// A check, and how the sample came before the reviewer in one queue.
struct QueuedCheck<'l> {
    sample: &'l SampleKey,
    check: &'l SpotCheck,
    seed: Option<u64>,
    rank: u64,
    of: u64,
}

/// What reviewers checked, those alone who are named, or all, of the samples whose places are known:
/// a journal can tell of other files too, and a file can have fewer rows than it had.
pub fn spot_checks(
    ledger: &Ledger,
    only: Option<&[Arc<str>]>,
    places: &SampleLocator,
) -> SpotChecks {
    let mut queues = BTreeMap::<(bool, Arc<str>), Vec<QueuedCheck<'_>>>::new();
    let (mut chosen, mut elsewhere) = (CheckTally::default(), 0);
    for (sample, remark) in ledger.remarks() {
        let checks = remark.checks.iter();
        let checks: Vec<_> = checks
            .filter(|check| only.is_none_or(|only| only.contains(&check.reviewer)))
            .collect();
        if checks.is_empty() {
            continue;
        }
        if places.first(sample).is_none() {
            elsewhere += 1;
            continue;
        }
        let mut is_queued = false;
        for check in &checks {
            for (drawn, _) in &check.draws {
                let (seed, rank, of, filter) = match drawn {
                    CheckDraw::Suspicion { rank, of, filter } => (None, *rank, *of, filter),
                    CheckDraw::Random {
                        seed,
                        rank,
                        of,
                        filter,
                    } => (Some(*seed), *rank, *of, filter),
                    CheckDraw::Chosen => continue,
                };
                is_queued = true;
                let queue = (seed.is_some(), Arc::clone(filter));
                queues.entry(queue).or_default().push(QueuedCheck {
                    sample,
                    check,
                    seed,
                    rank,
                    of,
                });
            }
        }
        if !is_queued {
            chosen.add(most_say(checks.iter().map(|check| check.verdict)));
        }
    }
    let queues = queues.into_iter();
    SpotChecks {
        queues: queues
            .map(|((is_random, filter), checks)| queue(is_random, filter, &checks))
            .collect(),
        chosen,
        elsewhere,
    }
}

fn queue(is_random: bool, filter: Arc<str>, checks: &[QueuedCheck<'_>]) -> CheckedQueue {
    let reviewers: BTreeSet<&Arc<str>> = checks.iter().map(|it| &it.check.reviewer).collect();
    let seeds: BTreeSet<u64> = checks.iter().filter_map(|it| it.seed).collect();
    let sizes = || checks.iter().map(|it| it.of);
    let mut at = BTreeMap::new();
    let has_moved = checks.iter().any(|it| {
        let known = at.insert((it.seed, it.rank), it.sample);
        known.is_some_and(|known| known != it.sample)
    });
    let of_one = |name: &Arc<str>| {
        let own = checks.iter().filter(|it| it.check.reviewer == *name);
        (Arc::clone(name), tally(own))
    };
    CheckedQueue {
        is_random,
        filter,
        seeds: seeds.len(),
        range: [
            sizes().min().unwrap_or_default(),
            sizes().max().unwrap_or_default(),
        ],
        has_moved,
        reviewers: reviewers.into_iter().map(of_one).collect(),
        all: tally(checks.iter()),
    }
}

/// What checks in one queue come to, each sample once.
fn tally<'a, 'l: 'a>(checks: impl Iterator<Item = &'a QueuedCheck<'l>>) -> CheckTally {
    let mut deepest = BTreeMap::<Option<u64>, u64>::new();
    // Of each reviewer once, in whichever shuffles the sample came.
    let mut said = BTreeMap::<&SampleKey, BTreeMap<&str, SpotCheckVerdict>>::new();
    for it in checks {
        let place = deepest.entry(it.seed).or_default();
        *place = it.rank.max(*place);
        let verdicts = said.entry(it.sample).or_default();
        verdicts.insert(&it.check.reviewer, it.check.verdict);
    }
    let mut tally = CheckTally {
        places: deepest.values().sum(),
        ..CheckTally::default()
    };
    for verdicts in said.values() {
        tally.add(most_say(verdicts.values().copied()));
    }
    tally
}

/// What most of them say; that it is unclear where no one thing is said most.
fn most_say(verdicts: impl Iterator<Item = SpotCheckVerdict>) -> SpotCheckVerdict {
    let mut counts = SpotCheckVerdict::ALL.map(|verdict| (0, verdict));
    for verdict in verdicts {
        counts[verdict as usize].0 += 1;
    }
    counts.sort_unstable();
    match counts {
        [_, (second, _), (most, verdict)] if most > second => verdict,
        _ => SpotCheckVerdict::Unclear,
    }
}
