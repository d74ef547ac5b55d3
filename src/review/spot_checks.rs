//! Results of spot checks: the share of a queue that is wrong, with its uncertainty.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::locator::SampleLocator;
use crate::dataset::{Dataset, SampleKey};
use crate::journal::{CheckDraw, Ledger, SpotCheck};
use crate::model::SpotCheckVerdict;
use crate::query::{self, Catalog};
use crate::stats::{ClusteredShare, Figure, Interval};

/// The spot checks of a ledger, by queue.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpotChecks {
    /// Queues with checks: those of suspicious samples first, then by filter.
    pub queues: Vec<CheckedQueue>,
    /// Samples checked in no queue, or in a kind of queue of a later version. They say nothing
    /// about other samples.
    pub chosen: CheckTally,
    /// Number of checked samples that are not in these files. They count nowhere else, because
    /// their population was another one.
    pub elsewhere: u64,
}

/// The checks of one filter's samples, drawn in one way.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedQueue {
    /// True if the queue was shuffled, false if ordered by suspicion.
    pub is_random: bool,
    /// The filter, without its sort order; empty for none.
    pub filter: Arc<str>,
    /// Number of seeds that shuffled it; 0 if it was not shuffled.
    pub seeds: usize,
    /// Minimum and maximum size of the queue when samples were checked. If they differ, the checks
    /// come from several populations and do not represent any of them.
    pub range: [u64; 2],
    /// True if two samples had the same rank, so the order changed while they were checked.
    pub has_moved: bool,
    /// The checks of each reviewer, sorted by name.
    pub reviewers: Vec<(Arc<str>, CheckTally)>,
    /// The checks of all reviewers. A sample checked by several counts once, with the majority's
    /// verdict, or as unclear if there is no majority.
    pub all: CheckTally,
}

/// Number of checked samples, by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CheckTally {
    /// Deepest rank at which a sample was checked, summed over shuffles. 0 outside of queues.
    pub places: u64,
    /// Samples whose dataset labels are right.
    pub right: u64,
    /// Samples whose dataset labels are wrong.
    pub wrong: u64,
    /// Samples that could not be decided.
    pub unclear: u64,
    /// Share of wrong samples, counting unclear ones as not wrong; those of one prompt depend on each
    /// other.
    #[serde(skip)]
    share: ClusteredShare,
}

/// An estimate of the number of wrong samples in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WrongEstimate {
    /// The most likely number.
    pub about: u64,
    /// Lower end of the 95 % interval, at least the number found wrong.
    pub least: u64,
    /// Upper end of the 95 % interval; samples found right or unclear are not wrong.
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

    /// Returns the number of checked samples.
    pub const fn judged(&self) -> u64 {
        self.right + self.wrong + self.unclear
    }

    /// Counts the verdicts of samples, each with its prompt.
    pub(super) fn of(verdicts: impl Iterator<Item = (u32, SpotCheckVerdict)>) -> Self {
        let (mut tally, mut trials) = (Self::default(), Vec::new());
        for (prompt, verdict) in verdicts {
            tally.add(verdict);
            trials.push((prompt, verdict == SpotCheckVerdict::Wrong));
        }
        tally.share = ClusteredShare::of(trials);
        tally
    }

    /// Returns the share of checked samples that are wrong, counting unclear ones as not wrong,
    /// with its interval ([`ClusteredShare::figure`]). It assumes an infinite population, so it is
    /// too wide if much of the queue was checked.
    pub fn share(&self) -> Figure {
        self.share.figure()
    }

    /// Estimates the number of wrong samples in a population of `of`, from which the checked ones
    /// were drawn at random: the share times `of`, with the interval rounded outwards to whole
    /// samples and limited by the known verdicts. `None` if nothing was checked.
    pub fn estimate(&self, of: u64) -> Option<WrongEstimate> {
        let Figure { value, interval } = self.share();
        let (share, Interval { low, high }) = (value.ok()?, interval?.ok()?);
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

    /// Returns the ratio of the wrong shares of this and of others, with the interval of
    /// [`ClusteredShare::ratio`]; `None` if either has no wrong samples.
    pub fn times(&self, others: &Self) -> Option<(f64, Interval)> {
        self.share.ratio(others.share)
    }
}

impl SpotChecks {
    /// True if nothing was checked.
    pub fn is_empty(&self) -> bool {
        self.queues.is_empty() && self.chosen.judged() == 0 && self.elsewhere == 0
    }

    /// Returns the shuffled queue to compare a queue of suspicious samples with: that of the same
    /// filter, or of the filter with the fewest terms about findings removed (those make its
    /// samples suspicious), or of no filter. A filter that cannot be parsed only equals itself.
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

/// Returns the conjuncts of a filter as text; `None` if it cannot be parsed.
fn terms(filter: &str, catalog: &Catalog) -> Option<BTreeSet<String>> {
    let query = query::parse(filter, catalog).ok()?;
    let terms = query.conjuncts().iter();
    Some(
        terms
            .map(|term| term.spelled(catalog).to_string())
            .collect(),
    )
}

/// True if a term is about findings: which rules fire, how many, or how severe they are.
fn is_of_findings(term: &str) -> bool {
    let is_number = |name: &str| {
        let rest = term.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([' ', '<', '>', '=', '!', ':']))
    };
    term.starts_with("finding:") || is_number("findings") || is_number("suspicion")
}

/// A check, with its draw in one queue.
struct QueuedCheck<'l> {
    sample: &'l SampleKey,
    /// Index of the first checked sample with its prompt.
    prompt: u32,
    check: &'l SpotCheck,
    seed: Option<u64>,
    rank: u64,
    of: u64,
}

/// Summarises spot checks by some reviewers (or all). Only located samples count: a journal may
/// cover other files, and a file may have lost rows. Reads the checked samples.
pub fn spot_checks(
    dataset: &Dataset,
    ledger: &Ledger,
    only: Option<&[Arc<str>]>,
    places: &SampleLocator,
) -> SpotChecks {
    let mut queues = BTreeMap::<(bool, Arc<str>), Vec<QueuedCheck<'_>>>::new();
    let (mut chosen, mut elsewhere) = (Vec::new(), 0);
    let prompts = prompts_of_checked(dataset, ledger, places);
    for (sample, remark) in ledger.remarks() {
        let checks = remark.checks.iter();
        let checks: Vec<_> = checks
            .filter(|check| only.is_none_or(|only| only.contains(&check.reviewer)))
            .collect();
        if checks.is_empty() {
            continue;
        }
        let Some(index) = places.first(sample) else {
            elsewhere += 1;
            continue;
        };
        let prompt = prompts.get(&index).copied().unwrap_or(index as u32);
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
                    prompt,
                    check,
                    seed,
                    rank,
                    of,
                });
            }
        }
        if !is_queued {
            chosen.push((prompt, majority(checks.iter().map(|check| check.verdict))));
        }
    }
    let queues = queues.into_iter();
    SpotChecks {
        queues: queues
            .map(|((is_random, filter), checks)| queue(is_random, filter, &checks))
            .collect(),
        chosen: CheckTally::of(chosen.into_iter()),
        elsewhere,
    }
}

/// Returns for each checked sample the first one with its prompt, both by index.
fn prompts_of_checked(
    dataset: &Dataset,
    ledger: &Ledger,
    places: &SampleLocator,
) -> HashMap<usize, u32> {
    let checked = ledger
        .remarks()
        .filter(|(_, remark)| !remark.checks.is_empty());
    let checked = checked.filter_map(|(sample, _)| u32::try_from(places.first(sample)?).ok());
    let checked = Vec::from_iter(BTreeSet::from_iter(checked));
    let mut firsts = HashMap::new();
    let parts = dataset.parts(&checked).into_iter();
    parts
        .map(|(parts, sample)| {
            let first = *firsts.entry(parts.prompt).or_insert(sample);
            (sample as usize, first)
        })
        .collect()
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

/// Counts the checks in one queue, each sample once.
fn tally<'a, 'l: 'a>(checks: impl Iterator<Item = &'a QueuedCheck<'l>>) -> CheckTally {
    let mut deepest = BTreeMap::<Option<u64>, u64>::new();
    // Each reviewer once, even if several shuffles drew the sample.
    let mut by_sample = BTreeMap::<_, BTreeMap<&str, SpotCheckVerdict>>::new();
    for it in checks {
        let place = deepest.entry(it.seed).or_default();
        *place = it.rank.max(*place);
        let verdicts = by_sample.entry((it.sample, it.prompt)).or_default();
        verdicts.insert(&it.check.reviewer, it.check.verdict);
    }
    let by_sample = by_sample.iter();
    let verdicts = by_sample.map(|((_, prompt), of)| (*prompt, majority(of.values().copied())));
    CheckTally {
        places: deepest.values().sum(),
        ..CheckTally::of(verdicts)
    }
}

/// Returns the most frequent verdict, or unclear if there is no single one.
fn majority(verdicts: impl Iterator<Item = SpotCheckVerdict>) -> SpotCheckVerdict {
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
